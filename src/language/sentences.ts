import { type Memory, plannedFor } from '../record/memory.ts';
import { belongsToUser, isUser } from '../record/statement.ts';
import { dayOf } from './calendar.ts';
import { speakerName } from './inert-text.ts';
import { english } from './packs/en.ts';
import type { Pack, PackDated } from './packs/pack.ts';
import { detectPack, packRegExp, PACKS, perPack, plainMarks, templateOf, wordsOfAll } from './packs/packs.ts';
import { estimateTokens, matchesOf, withoutEnd } from './words.ts';

export interface Sentence {
  text: string;
  span: TextSpan;
}

const ABBREVIATION = abbreviated(`${wordsOfAll('neverLast')}|${wordsOfAll('abbreviation')}|[a-z]`);
const ALWAYS_JOINED = abbreviated(wordsOfAll('neverLast'));

function abbreviated(words: string): RegExp {
  return new RegExp(`(?:^|[\\s("'’])(?:${words})\\.$`, 'i');
}

const AFTER_ORDINAL =
  /^\s(?:(?:jan|jän|feb|mär|maerz|apr|mai|jun|jul|aug|sep|okt|nov|dez)\p{L}*|(?:im|um|bei|beim|und|oder|bis|ab|zum|zur|vor|nach)\s)/iu;
/** A German day before a lower-case word or a number: "am 11. das FACS", "auf 18.3. 8 Uhr". */
const GERMAN_DAY =
  /(?:(?:^|\s)(?:am|den|dem|der|vom|zum|ab|bis)\s\d{1,2}|(?:^|[\s(–-])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2]))$/iu;
const LONGEST_DAY = 8;
const CLOSING = /["'”’»)\]」』]/;

/** Does not split at abbreviations, decimal points and initials. Takes linear time. */
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
  if (single && isInDate(text, start, position, end)) return null;
  return single && isAbbreviation(text, start, position, end) ? null : end;
}

/** Checks whether a full stop belongs to a date: "Am 20. Februar", "5.-7. Mai", "am 22. im Bootshaus", "ab 1.4. teurer". */
function isInDate(text: string, start: number, position: number, end: number): boolean {
  const before = text.slice(Math.max(start, position - LONGEST_DAY), position);
  if (/(?:^|[\s–-])\d{1,2}$/.test(before) && AFTER_ORDINAL.test(text.slice(end, end + 12))) return true;
  return /^\s[\p{Ll}\d]/u.test(text.slice(end, end + 3)) && GERMAN_DAY.test(before);
}

function isAbbreviation(text: string, start: number, position: number, end: number): boolean {
  const before = text.slice(Math.max(start, position - 12), position + 1);
  if (/(?:^|\s)no\.$/i.test(before)) return /^\s*\d/.test(text.slice(end, end + 3));
  if (!ABBREVIATION.test(before)) return false;
  // "I" can end a sentence ("my sister and I."); other single letters are initials.
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

// A comma within a number ("71,000 euros") is not a break.
const CLAUSE_BREAK = new RegExp(
  `(?!(?<=\\p{N}),\\p{N})[,;，、；]\\s*|[:：]\\s+| (?=(?:${wordsOfAll('clauseBreak')}) )`,
  'giu',
);
/** In letters. A shorter part such as "Oh, …" is joined with its neighbour. */
const SHORTEST_CLAUSE = 4;

/** Splits a text at commas, colons, semicolons and conjunctions. The reading layers (`train/reader`) were trained on such clauses. */
export function splitClauses(text: string): TextSpan[] {
  return splitSentences(text).flatMap(({ text: sentence, span }) => {
    const clauses: (TextSpan & { letters: number })[] = [];
    const breaks = [...sentence.matchAll(CLAUSE_BREAK)].map(({ index, 0: mark }) => index + mark.length);
    for (const end of [...breaks, sentence.length].map((place) => span.start + place)) {
      const last = clauses.at(-1);
      const start = last?.end ?? span.start;
      const letters = lettersIn(text.slice(start, end));
      if (last !== undefined && Math.min(last.letters, letters) < SHORTEST_CLAUSE) {
        last.end = end;
        last.letters += letters;
      } else clauses.push({ start, end, letters });
    }
    return clauses.map(({ start, end }) => ({ start, end }));
  });
}

const LONGEST_WORDS = 36;
const LONGEST_CLAUSE = 80;
const CLAUSE_START = new RegExp(`(?<!\\s)\\s+(?=(?:${wordsOfAll('clauseStart')})\\s)|(?<=[,;，；])\\s*`, 'giu');

/**
 * Clauses that stay with the words before them: a relative clause, a verb without its subject ("my neighbour, who was a roofer, says …"),
 * or a negation that takes those words back ("I thought I'm allergic, but I'm not").
 */
const goesOn = perPack(({ script, requests: { but }, words: { not }, lists: { does = '(?!)', relative = '(?!)' } }) =>
  packRegExp(
    script === 'han'
      ? '(?!)'
      : `^(?:(?:${does}|${relative})(?![\\p{L}])|(?:${but})(?![\\p{L}])[^,;.!?]*?(?<![\\p{L}])(?:${not})(?![\\p{L}]))`,
  ),
);

/** Splits a very long sentence, such as one without punctuation, into clauses of nine words or more. */
export function splitLong(text: string, { start, end }: TextSpan, pack: Pack | null): TextSpan[] {
  const sentence = text.slice(start, end);
  const words = sentence.split(/\s+/).length;
  const isLong = words > LONGEST_WORDS || (words * 12 < sentence.length && sentence.length > 120);
  if (!isLong) return [{ start, end }];
  const pieces: TextSpan[] = [];
  let last = 0;
  for (const at of [...spansOf(sentence, CLAUSE_START).map((mark) => mark.end), sentence.length]) {
    const piece = sentence.slice(last, at);
    if (pack !== null && goesOn(pack).test(plainMarks(sentence.slice(at, at + LONGEST_CLAUSE)))) continue;
    if (at < sentence.length && piece.split(/\s+/).length < 9 && piece.length < 60) continue;
    const from = start + at - piece.trimStart().length;
    if (piece.trim() !== '') pieces.push({ start: from, end: from + piece.trim().length });
    last = at;
  }
  return pieces;
}

export function clausesIn(text: string): string[] {
  return splitClauses(text).map(({ start, end }) => text.slice(start, end));
}

/** Two Chinese or Japanese characters count as much as the shortest clause. */
function lettersIn(clause: string): number {
  return /\p{Lo}{2}/u.test(clause) ? SHORTEST_CLAUSE : (clause.match(/[\p{L}\p{N}]/gu)?.length ?? 0);
}

/** Replaces sentences of a text; null removes a sentence. Normalises white space if a sentence has changed. */
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

export function bareStatement(text: string): string {
  return withoutEnd(text.trim(), '.!').toLowerCase();
}

/** A range of characters, end exclusive. */
export interface TextSpan {
  start: number;
  end: number;
}

export function intersects(one: TextSpan, other: TextSpan): boolean {
  return one.start < other.end && one.end > other.start;
}

export function spansOf(text: string, pattern: RegExp): TextSpan[] {
  return matchesOf(text, pattern).map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

export function cutAt({ start, end }: TextSpan, at: number): TextSpan[] {
  const isWithin = start < at && at < end;
  return isWithin
    ? [
        { start, end: at },
        { start: at, end },
      ]
    : [{ start, end }];
}

/** Replaces spans by blanks, so that all other characters keep their offsets and quotes stay valid. */
export function withBlanks(text: string, spans: readonly TextSpan[]): string {
  return spans.reduce(
    (left, { start, end }) => left.slice(0, start) + ' '.repeat(Math.max(0, end - start)) + left.slice(end),
    text,
  );
}

/** The spans must be sorted by their start. */
export function withoutSpans(text: string, spans: readonly TextSpan[]): string {
  let rest = '';
  let position = 0;
  for (const { start, end } of spans) {
    if (start > position) rest += text.slice(position, start);
    position = Math.max(position, end);
  }
  return rest + text.slice(position);
}

// Shorter runs of spaces are the author's own.
const BLANKS = / {8,}/gu;

/** Replaces the blanks of forgotten words by "…". Keeps blanks at the start of later lines, which may be indented code. */
export function withoutBlanks(text: string): string {
  if (!text.includes(' '.repeat(8))) return text;
  const hasIndent = (at: number): boolean => at > 0 && text[at - 1] === '\n';
  return text.replaceAll(BLANKS, (blanks, at: number) => (hasIndent(at) ? blanks : ' … ')).trim();
}

export const DATED_LINE: RegExp = /^- (\d{4}-\d{2}-\d{2}): (.*)$/;

/** `- 2026-01-05: User likes tea.` */
export function datedLine({ text, at }: { text: string; at: Date }): string {
  return `- ${at.toISOString().slice(0, 10)}: ${text.replace(/\s+/gu, ' ').trim()}`;
}

/** The template with which a statement was rendered shows the language better than few words do: "Vive a Lyon". */
function packOfRendering({ content, attribute, value }: Partial<Memory>): Pack | null {
  if (content === undefined || value == null || attribute == null) return null;
  const detected = detectPack(content);
  const isRendered = (pack: Pack): boolean => {
    const template = templateOf(pack, attribute);
    return template !== undefined && content.endsWith(template.replace('{value}', () => value));
  };
  const packs = PACKS.filter(isRendered);
  return packs.find((pack) => pack === detected) ?? packs[0] ?? null;
}

/** Adds a note such as "(until 2026-05-04)" in the language of the text. An ISO date reads the same in all languages. */
export function withDatedNote(text: string, note: keyof PackDated, day = '', language: Pack | null = null): string {
  // In short texts, English as the fallback would win over German: "Lebt in Köln".
  const isShort = text.split(' ').length <= 3;
  const pack = language ?? detectPack(text, isShort ? null : english) ?? english;
  const written = pack.dated[note].replace('{day}', day);
  return `${text} (${written})`;
}

const DATED_NOTE = / \([^()]*\d{4}-\d{2}-\d{2}[^()]*\)$/u;
export const DATED_QUOTATION: RegExp = /^[^“]{1,40}: (?=“)/u;

export function isDated(line: string): boolean {
  return DATED_NOTE.test(line) || DATED_QUOTATION.test(line);
}

export function undated(line: string): string {
  return bareStatement(line.replace(DATED_NOTE, '').replace(DATED_QUOTATION, ''));
}

/**
 * Adds the date of a plan or of an end, so that a model does not read the statement as currently true, and the name of another speaker, so
 * that "I" is not read as the user.
 */
export function timedRendering(
  memory: Pick<Memory, 'content' | 'subject' | 'attribute' | 'reader'> &
    Partial<Pick<Memory, 'value'>> &
    Parameters<typeof plannedFor>[0],
): string {
  const { subject, attribute, reader, validTo } = memory;
  const isOfAnother = reader === 'local' && attribute === null && !isUser(subject) && !belongsToUser(subject);
  const content = isOfAnother
    ? `${speakerName({ origin: '', speaker: subject.split("'s ", 1)[0] ?? null })}: ${memory.content}`
    : memory.content;
  if (memory.tense === 'planned') {
    const day = plannedFor(memory);
    const note = day === null ? 'planned' : 'plannedFor';
    return withDatedNote(content, note, day === null ? '' : dayOf(memory, day), packOfRendering(memory));
  }
  return validTo === null ? content : withDatedNote(content, 'until', dayOf(memory, validTo), packOfRendering(memory));
}

/** A replaced statement gets the day until which it was true. */
export function shownStatement(memory: Pick<Memory, 'archivedAt'> & Parameters<typeof timedRendering>[0]): string {
  return timedRendering({ ...memory, validTo: memory.validTo ?? memory.archivedAt });
}

export function statementsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const listed = DATED_LINE.exec(line)?.[2];
    return listed === undefined ? splitSentences(line).map((sentence) => sentence.text) : [listed];
  });
}

const TEXT_RANK = 7;

export function withoutEmptyHeadings(text: string): string {
  const kept: string[] = [];
  let below = 0;
  for (const line of text.split('\n').toReversed()) {
    const rank = /^#{1,6}(?= )/.exec(line)?.[0].length ?? TEXT_RANK;
    const isBlank = line.trim() === '';
    if ((rank !== TEXT_RANK && rank >= below) || (isBlank && kept.at(-1)?.trim() === '')) continue;
    kept.push(line);
    if (!isBlank) below = rank;
  }
  return kept.toReversed().join('\n').trim();
}

/** `next` returns null to remove a statement. A line of a dated list is one statement and is removed with its date. */
export function replaceStatements(
  text: string,
  next: (statement: string, place: { isListed: boolean }) => string | null,
): string {
  const parts: string[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    if (prose.length === 0) return;
    const before = prose.join('\n');
    const after = replaceSentences(before, (sentence) => next(sentence, { isListed: false }));
    if (after !== '' || before.trim() === '') parts.push(after);
    prose = [];
  };
  for (const line of text.split('\n')) {
    const [, day, listed] = DATED_LINE.exec(line) ?? [];
    if (day === undefined || listed === undefined) {
      prose.push(line);
      continue;
    }
    endProse();
    const replacement = next(listed, { isListed: true });
    if (replacement !== null) parts.push(`- ${day}: ${replacement}`);
  }
  endProse();
  const result = parts.join('\n');
  return result === text ? text : result.replace(/\n{3,}/g, '\n\n').trim();
}

/** A text of at most this many tokens is one passage. The vector of a longer one no longer represents each of its sentences. */
const MOST_TOKENS = 120;
/** The target size of the passages of a longer text, in tokens. */
const USUAL_TOKENS = 90;
/** A last sentence of at most this many tokens is repeated in the next passage, which may refer to it. */
const MOST_OVERLAP = 24;
/** In characters. Such a text has at most `MOST_TOKENS` tokens in any script. */
const SURELY_SHORT = 100;

interface Piece extends TextSpan {
  tokens: number;
}

/**
 * Cuts a text into whole sentences of about 60 to 120 tokens together, with a small overlap. The same text must always give the same
 * passages, because a passage is identified by its number. After a change, all events must be embedded again.
 */
export function passagesOf(text: string): TextSpan[] {
  const whole = { start: 0, end: text.length };
  if (text.length <= SURELY_SHORT) return [whole];
  const total = estimateTokens(text);
  if (total <= MOST_TOKENS) return [whole];
  const sentences = splitSentences(text).flatMap(({ span }) => cutLong(text, span));
  // A text of nothing but list markers has no sentence.
  const pieces = sentences.length > 0 ? sentences : cutLong(text, whole);
  // Passages of equal size: otherwise the last one could be very short.
  const share = total / Math.ceil(total / USUAL_TOKENS);
  const passages: TextSpan[] = [];
  let open: Piece[] = [];
  let size = 0;
  for (const piece of pieces) {
    if (open.length > 0 && (size + piece.tokens > MOST_TOKENS || size + piece.tokens / 2 > share)) {
      passages.push(spanOf(open));
      const last = open.at(-1);
      open = last !== undefined && last.tokens <= MOST_OVERLAP && open.length > 1 ? [last] : [];
      size = open[0]?.tokens ?? 0;
    }
    open.push(piece);
    size += piece.tokens;
  }
  passages.push(spanOf(open));
  return passages;
}

function spanOf(pieces: readonly Piece[]): TextSpan {
  return { start: pieces[0]?.start ?? 0, end: pieces.at(-1)?.end ?? 0 };
}

function cutLong(text: string, span: TextSpan): Piece[] {
  const tokens = estimateTokens(text.slice(span.start, span.end));
  if (tokens <= MOST_TOKENS) return [{ ...span, tokens }];
  const parts = Math.ceil(tokens / USUAL_TOKENS);
  const length = Math.ceil((span.end - span.start) / parts);
  const pieces: Piece[] = [];
  for (let start = span.start; start < span.end;) {
    const end = wordEnd(text, start, Math.min(start + length, span.end), span.end);
    pieces.push({ start, end, tokens: tokens / parts });
    start = end;
    while (start < span.end && /\s/u.test(text[start] ?? '')) start += 1;
  }
  return pieces;
}

/** Returns the last word boundary in the second half of a range, or else the end of the range, but never between two surrogates. */
function wordEnd(text: string, start: number, end: number, last: number): number {
  if (end >= last) return last;
  for (let at = end; at > start + (end - start) / 2; at -= 1) if (/\s/u.test(text[at] ?? '')) return at;
  return /[\uDC00-\uDFFF]/u.test(text[end] ?? '') ? end + 1 : end;
}
