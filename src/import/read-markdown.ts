import type { MemoryLine, RecordLine } from '../operate/record-line.ts';
import { fileTitle, memoryLine, type SourceFile } from './import-source.ts';

const LONGEST_FILE = 16 * 1024 * 1024;
// A longer file is split into its sections, so that recall can return a section that fits into a prompt.
const LONGEST_WHOLE = 1500;
const LONGEST_NOTE = 20_000;

/** A short file becomes one note, a longer file one note per section. Title, tags and dates come from the front matter. */
export async function* readMarkdown(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) {
    const text = await wholeText(file);
    if (text === null) yield `${file.name} is longer than 16 MiB`;
    // `work/projects/apollo.md` gets the tags `work` and `projects`.
    else yield* noteLines({ source: 'markdown', path: file.name, text, tags: file.name.split('/').slice(0, -1) });
  }
}

export async function wholeText(file: SourceFile): Promise<string | null> {
  if (file.size > LONGEST_FILE) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks)).replace(/^\uFEFF/, '');
}

interface MarkdownText {
  source: string;
  path: string;
  text: string;
  tags: readonly string[];
}

/** Ids depend only on the text and its path, so that importing twice changes nothing. */
export function noteLines({ source, path, text, tags }: MarkdownText): MemoryLine[] {
  const { fields, body } = frontMatter(text.replaceAll('\r\n', '\n'));
  const name = fields['title'] ?? fileTitle(path);
  const createdAt = dateOf(fields['updated'] ?? fields['modified'] ?? fields['date'] ?? fields['created']);
  const sections = body.trim().length <= LONGEST_WHOLE ? [{ heading: '', text: body.trim() }] : sectionsOf(body);
  return sections
    .flatMap(({ heading, text: whole }) => piecesOf(whole).map((piece) => ({ heading, piece })))
    .filter(({ piece }) => /[\p{L}\p{N}]/u.test(piece))
    .map(({ heading, piece }) => {
      const title = heading === '' || heading === name ? name : `${name} › ${heading}`;
      const own = new Set([...tags, ...listOf(fields['tags']), ...hashTags(piece)]);
      return memoryLine([source, path, heading, piece], {
        scope: {},
        type: 'note',
        title: title.slice(0, 500),
        content: piece,
        tags: [...own].map((tag) => tag.slice(0, 100)).slice(0, 50),
        metadata: { [source]: path },
        createdAt,
      });
    });
}

function frontMatter(text: string): { fields: Record<string, string>; body: string } {
  const block = /^---\n([\s\S]{0,20000}?)\n---[ \t]*(?:\n|$)/.exec(text);
  if (block === null) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  let key = '';
  for (const line of (block[1] ?? '').split('\n')) {
    const pair = /^([\w-]{1,50}):(.*)$/.exec(line);
    const item = /^\s*- (.*)$/.exec(line);
    if (pair !== null) fields[(key = (pair[1] ?? '').toLowerCase())] = unquoted(pair[2] ?? '');
    else if (item !== null && key !== '') fields[key] = `${fields[key] ?? ''},${unquoted(item[1] ?? '')}`;
  }
  return { fields, body: text.slice(block[0].length) };
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, '$2');
}

function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((item) => unquoted(item).replace(/^#/, ''))
    .filter((item) => item !== '');
}

function dateOf(value: string | undefined): Date | undefined {
  const time = new Date(value ?? '');
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Splits at headings of the first and second level, but not within a fenced code block. */
function sectionsOf(body: string): { heading: string; text: string }[] {
  const sections = [{ heading: '', text: '' }];
  let isCode = false;
  for (const line of body.split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    const isHeading = !isCode && /^#{1,2} /.test(line);
    if (isHeading) sections.push({ heading: line.replace(/^#+ /, '').trim().slice(0, 300), text: '' });
    else (sections.at(-1) as { text: string }).text += `${line}\n`;
  }
  return sections.map(({ heading, text }) => ({ heading, text: text.trim() })).filter(({ text }) => text !== '');
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_NOTE) {
    const cut = rest.lastIndexOf('\n\n', LONGEST_NOTE);
    const at = cut > LONGEST_NOTE / 2 ? cut : LONGEST_NOTE;
    pieces.push(rest.slice(0, at).trim().toWellFormed());
    rest = rest.slice(at).trim();
  }
  return [...pieces, rest.toWellFormed()];
}

/** `#travel/2026`, but neither headings (a space after the `#`) nor URLs (no space before it). */
function hashTags(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)#([\p{L}_][\p{L}\p{N}_/-]{0,99})/gu)].map(([, tag]) => tag ?? '');
}
