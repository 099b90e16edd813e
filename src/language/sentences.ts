import { withoutEnd } from './words.ts';

/** A sentence with its place in the text. */
export interface Sentence {
  text: string;
  span: TextSpan;
}

const ABBREVIATION =
  /(?:^|[\s("'])(?:mr|mrs|ms|dr|prof|sr|jr|st|vs|etc|e\.g|i\.e|eg|ie|inc|ltd|corp|co|vol|fig|approx|dept|est|min|max|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mt|ft|ave|blvd|rd|u\.s|u\.k|a\.m|p\.m|[a-z])\.$/i;
const ALWAYS_JOINED = /(?:^|[\s("'])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|fig|mt)\.$/i;
const ORDINAL_MONTH = /^\s(?:jan|jän|feb|mär|maerz|apr|mai|jun|jul|aug|sep|okt|nov|dez)\p{L}*/iu;
const CLOSING = /["'”’»)\]」』]/;

/**
 * Splits a text at sentence ends, line breaks and list markers. Knows abbreviations, decimal
 * points, initials, CJK and Arabic marks; one pass, so its cost grows with the length only.
 */
export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  let position = 0;
  while (position < text.length) {
    const end = sentenceEnd(text, position, start);
    if (end === null) {
      position += 1;
      continue;
    }
    pushSentence(sentences, text, start, end);
    start = end;
    position = end;
  }
  pushSentence(sentences, text, start, text.length);
  return sentences;
}

/** Where the sentence that contains `position` ends, if it ends there. */
function sentenceEnd(text: string, position: number, start: number): number | null {
  const character = text[position] ?? '';
  if (character === '\n') return position + 1;
  if (/[。！？｡؟۔।]/.test(character)) return afterClosing(text, position + 1);
  if (!/[.!?…]/.test(character)) return null;
  let end = position + 1;
  while (end < text.length && /[.!?…]/.test(text[end] ?? '')) end += 1;
  const single = end === position + 1 && character === '.';
  end = afterClosing(text, end);
  const next = text[end];
  if (next !== undefined && !/\s/.test(next) && !/\p{Extended_Pictographic}/u.test(text.slice(end, end + 2)))
    return null;
  // "1. four" is a list marker.
  if (single && /^\s*\d{1,2}$/.test(text.slice(start, position))) return null;
  // "Am 20. Februar": an ordinal before the name of a month.
  if (
    single &&
    /(?:^|\s)\d{1,2}$/.test(text.slice(Math.max(start, position - 3), position)) &&
    ORDINAL_MONTH.test(text.slice(end, end + 12))
  )
    return null;
  return single && isAbbreviation(text, start, position, end) ? null : end;
}

function isAbbreviation(text: string, start: number, position: number, end: number): boolean {
  const before = text.slice(Math.max(start, position - 12), position + 1);
  if (/(?:^|\s)no\.$/i.test(before)) return /^\s*\d/.test(text.slice(end, end + 3));
  if (!ABBREVIATION.test(before)) return false;
  // The first-person pronoun ends many sentences ("my sister and I."), an initial does not.
  if (/\s[iI]\.$/.test(before)) return false;
  const following = text.slice(end, end + 3).trimStart();
  return ALWAYS_JOINED.test(before) || !/^["'“(]?\p{Lu}/u.test(following) || /\s\p{Lu}\.$/u.test(before);
}

function afterClosing(text: string, position: number): number {
  let end = position;
  while (end < text.length && CLOSING.test(text[end] ?? '')) end += 1;
  return end;
}

function pushSentence(sentences: Sentence[], text: string, from: number, to: number): void {
  const raw = text.slice(from, to);
  const marker = /^\s*(?:(?:[-*•–—]|\d{1,2}[.)])\s+)?/.exec(raw)?.[0].length ?? 0;
  const body = raw.slice(marker).trimEnd();
  if (body !== '') sentences.push({ text: body, span: { start: from + marker, end: from + marker + body.length } });
}

/**
 * A text with some of its sentences replaced, or left out where there is nothing in their place. What is between the
 * others stays as it is; a text of which nothing changes is given back as it was.
 */
export function replaceSentences(text: string, next: (sentence: string) => string | null): string {
  let result = text;
  for (const { text: sentence, span } of splitSentences(text).toReversed()) {
    const replacement = next(sentence);
    if (replacement !== sentence) result = result.slice(0, span.start) + (replacement ?? '') + result.slice(span.end);
  }
  if (result === text) return text;
  return result
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/^ | $/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** A statement without what does not make it another one: its closing mark, capitals, and white space around it. */
export function bareStatement(text: string): string {
  return withoutEnd(text.trim(), '.!').toLowerCase();
}

/** Characters of a text, end exclusive. */
export interface TextSpan {
  start: number;
  end: number;
}
