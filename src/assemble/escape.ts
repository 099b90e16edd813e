import {
  beginsTurn,
  defuseImages,
  defuseLinks,
  inertText,
  plainBrackets,
  visibleText,
  withoutFences,
  withoutMarkers,
} from '../language/inert-text.ts';
import type { Trust } from '../record/statement.ts';

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

/** JSON on one line that contains no tag and no code fence. */
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

const HEADING = /^\s{0,3}(#{1,6})(?=\s|$)/;

function highestHeading(lines: readonly string[]): number {
  return Math.min(...lines.map((line) => HEADING.exec(line)?.[1]?.length ?? 6));
}

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

/** Stored text on one line, so that no part of it can begin a line with a heading, a list item or a label. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/gu, ' ').trim();
}

/** Text without the markup that its trust does not allow: images are always removed, links only from untrusted text. */
export function textByTrust(text: string, trust: Trust): string {
  return trust === 'low' ? defuseLinks(text) : defuseImages(text);
}

/** Stored text for the results of tools and for resources and prompts of MCP. */
export function givenText(text: string, trust: Trust): string {
  return inertText(textByTrust(text, trust));
}
