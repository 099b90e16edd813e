import type { Trust } from '../record/statement.ts';
import { matchesOf } from './words.ts';

/**
 * All text that enters a prompt is escaped in this file. Escaped text has no invisible characters, opens and closes no tag, and has none of
 * the markers with which providers separate turns. Characters are judged by their appearance and their normal form, so that fullwidth
 * brackets and hidden characters do not help an attacker.
 */

const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
// Controls other than tab and newline; format characters (bidirectional marks, joiners, soft hyphens, tag characters); variation selectors;
// invisible fillers. BELONGS exempts the characters that a script or an emoji needs.
const HIDDEN =
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]|\p{Cf}|\p{Variation_Selector}|\u034F|\u115F|\u1160|\u17B4|\u17B5|\u3164|\uFFA0|[\u{E0000}-\u{E01EF}]|\uFFFE|\uFFFF/gu;
// A joiner between letters of the scripts that need it, or between the parts of an emoji; the selector that makes a sign an emoji.
const BELONGS =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{M}])[\u200C\u200D](?=[\p{L}\p{M}])|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=[\p{Extended_Pictographic}\d#*])\uFE0F/gu;

/** Removes characters that people cannot see but models can, and normalises line ends. */
export function visibleText(text: string): string {
  const plain = text.toWellFormed().replace(LINE_END, '\n');
  if (!/[^\t\n\u0020-\u007E\u00A1-\u00AC\u00AE-\u017F]/.test(plain)) return plain;
  const kept = new Set(matchesOf(plain, BELONGS).map(({ index }) => index));
  return plain.replace(HIDDEN, (character: string, place: number) => (kept.has(place) ? character : ''));
}

/** Angle brackets and characters that look like them. */
const OPEN = '<＜﹤‹〈⟨❮❬ᐸ˂𐞁';
const CLOSE = '>＞﹥›〉⟩❯❭ᐳ˃';
const BAR = '|｜∣ǀ❘';
const SLASH = '/\\\\／⁄∕';

// A tag, a comment, a declaration, a special token such as <|im_start|> or <<SYS>>. "a < b" is none of these.
const TAG_START = new RegExp(
  `[${OPEN}](?=[\\p{L}_${OPEN}]|\\s{0,5}[${SLASH}!?${BAR}%]|\\s{1,5}[\\p{L}_][\\p{L}\\p{N}_:.-]{0,40}\\s{0,5}[${SLASH}]?\\s{0,5}[${CLOSE}])`,
  'gu',
);
// "|>" would close a special token that an earlier text has opened.
const TOKEN_END = new RegExp(`[${BAR}](?=\\s{0,3}[${CLOSE}])`, 'gu');

// Turn markers in square brackets, from the chat templates of Llama, Mistral and others.
const BRACKET_MARKER =
  /[[［【⟦](?=\s{0,3}[/／\\]?\s{0,3}(?:INST|SYS|SYSTEM|USER|ASSISTANT|SYSTEM_PROMPT|TOOL_CALLS?|TOOL_RESULTS?|TOOL_CONTENT|AVAILABLE_TOOLS|MODEL_SETTINGS|THINK|ARGS|CALL_ID|PREFIX|SUFFIX|MIDDLE|IMG|gMASK|sop|BOS|EOS)\s{0,3}[\]］】⟧])/giu;
const FENCE = /[`｀]{3,}|[~～]{3,}/gu;

/** Breaks up the markers of providers, such as `<|im_start|>` and `[INST]`. Their words stay. */
export function withoutMarkers(text: string): string {
  return text.replace(BRACKET_MARKER, '(').replace(TOKEN_END, '/');
}

/** Replaces characters that look like the opening bracket of a tag by the plain bracket, for writers that escape the plain bracket. */
function plainBrackets(text: string): string {
  return text.replace(TAG_START, '<');
}

/** Removes code fences. A fence in stored text could end a fence around the prompt or hide the end of a section. */
function withoutFences(text: string): string {
  return text.replace(FENCE, "'''");
}

/** Removes tags, code fences and the markers of providers from a text. */
export function inertText(text: string): string {
  return withoutFences(withoutMarkers(visibleText(text)).replace(TAG_START, '&lt;'));
}

const ROLE = 'human|assistant|system|user|developer|tool|function|model|ai|bot';
// A label of a speaker at the beginning of a line, as in older chat templates and in transcripts.
const SPEAKER = new RegExp(`^[\\s>*_#]{0,10}(?:${ROLE})[\\s*_]{0,5}[:：]`, 'iu');
const ROLE_ALONE = new RegExp(`^[^\\p{L}]*(?:the )?(?:${ROLE}|agent|document|you)[^\\p{L}]*$`, 'iu');

/**
 * Writes a speaker's name for a prompt. A name that equals a role other than the speaker's own is put in quotes, so that a mail from a
 * sender named "system" does not look like words of the system. Without a name, the origin is written.
 */
export function speakerName({ origin, speaker }: { origin: string; speaker: string | null }): string {
  if (speaker === null) return origin;
  const name = oneLine(speaker);
  return ROLE_ALONE.test(name.normalize('NFKC')) && name.toLowerCase() !== origin ? `"${name}"` : name;
}

const IMAGE = /!\[([^[\]]{0,1000})\]\s{0,3}(?:\([^()]{0,2000}\)?|\[[^[\]]{0,200}\])/g;
const LINK = /\[([^[\]]{0,1000})\]\s{0,3}\(\s{0,3}<?([^()\s<>]{0,2000})[^()]{0,500}\)?/g;
const SCHEME = /\b(?:https?|ftp|file|data|javascript|vbscript)\s{0,3}:\s{0,3}(?:\/\/)?/gi;

/** Replaces images by their labels, so that a client that renders the answer does not fetch images from stored text. */
export function defuseImages(text: string): string {
  return (
    visibleText(text)
      .replace(IMAGE, (_whole, label: string) => `[image: ${label}]`)
      // A nested or unusual image without its exclamation mark is at most a link, which no client fetches by itself.
      .replace(/!(?=\[)/g, 'image: ')
  );
}

/**
 * Replaces links and images by text. A client that shows the answer must not fetch an address that came from a document or a tool, because
 * the address itself can exfiltrate the conversation.
 */
export function defuseLinks(text: string): string {
  return (
    defuseImages(text)
      .replace(LINK, (_whole, label: string, address: string) => `${label} (link: ${address})`)
      // Two adjacent brackets make a Markdown link: "[a](b)", "[a][b]", "[a]: b".
      .replace(/\](?=[([:])/g, '] ')
      .replace(SCHEME, '')
      .replace(/\bwww\./gi, 'www ')
  );
}

/** Removes the markup that a text's trust does not allow: images always, links only from untrusted text. */
export function textByTrust(text: string, trust: Trust): string {
  return trust === 'low' ? defuseLinks(text) : defuseImages(text);
}

/** Escapes stored text for the results of tools and for resources and prompts of MCP. */
export function givenText(text: string, trust: Trust): string {
  return inertText(textByTrust(text, trust));
}

/** Writes stored text on one line, so that no part of it can begin a line with a heading, a list item or a label. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/gu, ' ').trim();
}

/** Escapes stored text for a prompt. */
export interface Writing {
  /** Writes the text on one line. */
  line(text: string): string;
  /** Writes the text on several lines and demotes its headings below `level`. */
  block(text: string, level?: number): string;
}

/**
 * Writes Markdown with a few tags. Stored text cannot open or close a tag, begin a code fence, or imitate one of the layout's `labels`, and
 * its headings are demoted below those of the layout.
 */
export function markdownWriting(labels: readonly string[]): Writing {
  const reserved = labels.map(plain).filter((label) => label !== '');
  const isReserved = (line: string): boolean => reserved.some((label) => plain(line).startsWith(label));
  return {
    line: (text) => inertText(oneLine(text)).replace(/^[#>]/, '\\$&'),
    block: (text, level = 2) => {
      const lines = inertText(text).trim().split('\n');
      const highest = Math.min(...lines.map((line) => HEADING.exec(line)?.[1]?.length ?? 6));
      const shift = level + 1 - highest;
      return lines
        .map((line) => {
          const lowered = demote(line, shift).replace(/^(\s*)(?=(?:=+|-{2,}|\*{3,}|_{3,})\s*$)/, '$1\\');
          return isReserved(lowered) || SPEAKER.test(lowered.normalize('NFKC')) ? `> ${lowered.trimStart()}` : lowered;
        })
        .join('\n');
    },
  };
}

const HEADING = /^\s{0,3}(#{1,6})(?=\s|$)/;

function demote(line: string, shift: number): string {
  return line.replace(HEADING, (_whole, marks: string) => '#'.repeat(Math.min(marks.length + Math.max(shift, 0), 6)));
}

// A label as a reader sees it, without punctuation.
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Escapes for XML: the result is well-formed for any stored text, and begins no code fence. */
export const xmlWriting: Writing = {
  line: (text) => escapeXml(oneLine(text)),
  block: (text) => escapeXml(visibleText(text).trim()),
};

function escapeXml(text: string): string {
  return withoutFences(plainBrackets(withoutMarkers(text)))
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Writes a value as JSON on one line, without any tag or code fence. */
export function safeJson(value: unknown): string {
  return plainBrackets(withoutMarkers(visibleText(JSON.stringify(value) ?? 'null')))
    .replaceAll('\n', ' ')
    .replaceAll('&', '\\u0026')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replace(/[`｀]|[~～]{3,}/gu, inUnicodeEscapes);
}

function inUnicodeEscapes(text: string): string {
  return [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
