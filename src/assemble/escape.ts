import {
  beginsTurn,
  defuseImages,
  defuseLinks,
  inertText,
  plainBrackets,
  visibleText,
  withoutMarkers,
} from '../language/inert-text.ts';
import type { Trust } from '../record/statement.ts';

/** How stored text is escaped. */
export interface Writing {
  /** On one line. */
  line(text: string): string;
  /** On several lines, below headings of a level. */
  block(text: string, level?: number): string;
}

/**
 * Writes into Markdown with a few tags: stored text cannot open or close a tag, begin a code fence, or pass for one
 * of the layout's `labels`; its headings go below those of the layout.
 */
export function markdownWriting(labels: readonly string[]): Writing {
  const reserved = labels.map(plain).filter((label) => label !== '');
  const isReserved = (line: string): boolean => reserved.some((label) => plain(line).startsWith(label));
  return {
    line: (text) => inertText(oneLine(text)).replace(/^[#>]/, '\\$&'),
    block: (text, level = 2) => {
      const lines = inertText(text).trim().split('\n');
      const shift = level + 1 - highestHeading(lines);
      return lines
        .map((line) => {
          const lowered = demote(line, shift).replace(/^(\s*)(?=(?:=+|-{2,}|\*{3,}|_{3,})\s*$)/, '$1\\');
          return isReserved(lowered) || beginsTurn(lowered) ? `> ${lowered.trimStart()}` : lowered;
        })
        .join('\n');
    },
  };
}

/** Escapes for XML: the result is well-formed for any stored text. */
export const xmlWriting: Writing = {
  line: (text) => escapeXml(plainBrackets(withoutMarkers(oneLine(text)))),
  block: (text) => escapeXml(plainBrackets(withoutMarkers(cleanText(text))).trim()),
};

/** Text for the inside of an XML element. */
function escapeXml(text: string): string {
  return text
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** JSON that cannot be taken for a tag, on one line. */
export function safeJson(value: unknown): string {
  return plainBrackets(withoutMarkers(cleanText(JSON.stringify(value) ?? 'null')))
    .replaceAll('\n', ' ')
    .replaceAll('&', '\\u0026')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('`', '\\u0060')
    .replaceAll('~~~', '\\u007e~~');
}

const HEADING = /^\s{0,3}(#{1,6})(?=\s|$)/;

function highestHeading(lines: readonly string[]): number {
  return Math.min(...lines.map((line) => HEADING.exec(line)?.[1]?.length ?? 6));
}

function demote(line: string, shift: number): string {
  return line.replace(HEADING, (_whole, marks: string) => '#'.repeat(Math.min(marks.length + Math.max(shift, 0), 6)));
}

// A label as a reader sees it, without its decoration.
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export { defuseImages, defuseLinks };

/** Stored text without the characters that models read and people cannot see. Text for a prompt goes through a {@link Writing} as well. */
function cleanText(text: string): string {
  return visibleText(text);
}

/** Stored text on one line: it cannot begin a heading, an item or a label of its own. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/gu, ' ').trim();
}

/** Text with the markup that its trust allows: images are removed always, and links where the text is not trusted. */
export function textByTrust(text: string, trust: Trust): string {
  return trust === 'low' ? defuseLinks(text) : defuseImages(text);
}

/** Stored text as a tool, a resource or a prompt of MCP gives it to a model. */
export function givenText(text: string, trust: Trust): string {
  return inertText(textByTrust(text, trust));
}
