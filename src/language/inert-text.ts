import type { Trust } from '../record/statement.ts';
import { matchesOf } from './words.ts';

/**
 * Escaped text has no invisible characters, no tags and no turn markers of providers. Characters are judged by their appearance and normal
 * form, so that fullwidth brackets and hidden characters do not help an attacker.
 */

const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
// Control characters, format characters, variation selectors and invisible fillers. BELONGS exempts those that a script or an emoji needs.
const HIDDEN =
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]|\p{Cf}|\p{Variation_Selector}|\u034F|\u115F|\u1160|\u17B4|\u17B5|\u3164|\uFFA0|[\u{E0000}-\u{E01EF}]|\uFFFE|\uFFFF/gu;
// A joiner between letters of the scripts that need it or between the parts of an emoji, and the selector that makes a sign an emoji.
const BELONGS =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{M}])[\u200C\u200D](?=[\p{L}\p{M}])|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})|(?<=[\p{Extended_Pictographic}\d#*])\uFE0F/gu;

/** Removes characters that people cannot see but models can. */
export function visibleText(text: string): string {
  const plain = text.toWellFormed().replace(LINE_END, '\n');
  if (!/[^\t\n\u0020-\u007E\u00A1-\u00AC\u00AE-\u017F]/.test(plain)) return plain;
  const kept = new Set(matchesOf(plain, BELONGS).map(({ index }) => index));
  return plain.replace(HIDDEN, (character: string, place: number) => (kept.has(place) ? character : ''));
}

const OPEN = '<＜﹤‹〈⟨❮❬ᐸ˂𐞁';
const CLOSE = '>＞﹥›〉⟩❯❭ᐳ˃';
const BAR = '|｜∣ǀ❘';
const SLASH = '/\\\\／⁄∕';

// A tag, a comment, a declaration, or a special token such as <|im_start|> or <<SYS>>, but not "a < b".
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

function plainBrackets(text: string): string {
  return text.replace(TAG_START, '<');
}

/** A code fence in stored text could end a fence around the prompt or hide the end of a section. */
function withoutFences(text: string): string {
  return text.replace(FENCE, "'''");
}

export function inertText(text: string): string {
  return withoutFences(withoutMarkers(visibleText(text)).replace(TAG_START, '&lt;'));
}

const ROLE = 'human|assistant|system|user|developer|tool|function|model|ai|bot';
// A speaker's label at the beginning of a line, as in older chat templates and in transcripts.
const SPEAKER = new RegExp(`^[\\s>*_#]{0,10}(?:${ROLE})[\\s*_]{0,5}[:：]`, 'iu');
const ROLE_ALONE = new RegExp(`^[^\\p{L}]*(?:the )?(?:${ROLE}|agent|document|you)[^\\p{L}]*$`, 'iu');

/** Quotes another role's name, so that a mail from a sender named "system" does not look like words of the system. */
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

/** A client must not fetch an address from a document or a tool, because the address itself can exfiltrate the conversation. */
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

/** Removes images always, and links only from untrusted text. */
export function textByTrust(text: string, trust: Trust): string {
  return trust === 'low' ? defuseLinks(text) : defuseImages(text);
}

export function givenText(text: string, trust: Trust): string {
  return inertText(textByTrust(text, trust));
}

/** On one line, no part of stored text can begin a line with a heading, a list item or a label. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/gu, ' ').trim();
}

/** Escapes stored text for a prompt. */
export interface Writing {
  /** Writes the text on one line. */
  line(text: string): string;
  /** Writes the text on several lines, with its headings demoted below `level`. */
  block(text: string, level?: number): string;
}

/**
 * Stored text cannot open or close a tag, begin a code fence, or imitate one of the layout's `labels`. Its headings are demoted below those
 * of the layout.
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

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

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
