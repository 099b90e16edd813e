import type { AttributeTable } from '../record/attributes.ts';
import { PROMPT_HEADINGS, PROMPT_TAGS } from '../record/memory-answers.ts';
import { attributeLabel } from '../record/attribute-table.ts';
import type { Pack } from './packs/pack.ts';
import {
  anyWords,
  detectPack,
  isOrdinary,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  relationsOf,
  wordsOfAll,
  wordsPattern,
} from './packs/packs.ts';
import { intersects, spansOf, splitSentences, type TextSpan, withBlanks } from './sentences.ts';

export interface ForeignSpan extends TextSpan {
  /**
   * `pasted`: the form of a mail, a list or a document, which the author's own text may also have. `marked`: a sign that only other
   * people's words have, such as the time in a chat. `played`: role play.
   */
  kind: 'pasted' | 'marked' | 'played' | 'quoted' | 'code';
}

const READ = 24_000;
const SHORTEST_QUOTATION = 12;
const OPENING_QUOTES = /["“„«»‹›「『'‘‚]/;
const QUOTE_NEXT = new RegExp(`^\\s*${OPENING_QUOTES.source}`);
const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“”"',
  '«': '»',
  '»': '«',
  '‹': '›',
  '›': '‹',
  '‚': "‘’'",
  '「': '」',
  '『': '』',
  "'": "'’",
  '‘': "’'",
};
const CODE_FENCE = /^ {0,3}(?:```|~~~)/;
const MAIL_HEADER = new RegExp(`^\\s*(?:[>*]\\s*)?(?:${wordsOfAll('mailHeader')})\\s?[:：]\\s*\\S`, 'i');
const SALUTATION = new RegExp(
  `^\\s*["“„«]?(?:${wordsOfAll('salutation')})(?=[\\s,:!]|$|\\p{Lo})[^.?!]{0,40}[,:!，：]\\s*$`,
  'iu',
);
const SIGN_OFF = new RegExp(`^\\s*(?:${wordsOfAll('signOff')})[,.!，。]?\\s*(?:\\S.{0,40})?$`, 'iu');
// "12:04 Tom: …", "[3/4/26, 10:11] Ana: …", "Tom: …", "<Tom> …".
const CHAT_LINE =
  /^\s*(?:\[?\d{1,4}[-./:]\d{1,2}(?:[-./:,]\s?\d{1,4})*(?:\s?[ap]m)?[^\]]{0,20}\]?\s*(?:[-–]\s*)?)?(?:<[^>\n]{1,30}>|[\p{Lu}\p{Lo}][\p{L}\p{N}_. ]{0,24}[:：])\s+\S/u;
const STAMP = /^\s*\[?(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d(?::\d\d)?)\b/;
const LOG_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\w{3} \d{1,2} \d\d:\d\d:\d\d|(?:error|warn(?:ing)?|info|debug|fatal|trace)\b[:\]\s]|at \S+ ?\(|file "|traceback|caused by|\$ |> ?\w+ ?@|npm |\S*(?:error|exception): )/i;
const CODE_LINE =
  /^\s*(?:(?:import|from|const|let|var|def|class|function|return|public|private|static|if|for|while|elif|else|try|except|catch|select|insert|update|create table|#include|using|package|func|fn|struct)\b.*[;{}():=]|[}\])];?,?\s*$|<\/?[a-z][^>]*>|[\w.[\]'"]+\s*[+-]?=\s*\S.*[;()]|\/\/|#!|@\w+\()/i;
// One such line makes the whole block a log.
const ERROR_LINE =
  /^\s*`?(?:uncaught )?(?:traceback \(most|[a-z]*(?:error|exception|warning): |failed [^\s.:]+[.:]\S|\S+\.(?:js|ts|jsx|tsx|py|c|go|rs|java):\d+)/i;
const STRONG_CODE =
  /=>|[{;]\s*\/?\*|^\s*(?:const|let|var|def|int|void|public|#include)\s[^.?!]*[=({;]|^\s*[.#]?[\w-]+\s*\{[^:]*:[^;]*;/;
const QUOTED_LINE = /^\s*>/;
// A salutation with text on the same line: "Dear policyholder, your notice of loss has been registered."
const GREETED = new RegExp(
  `^\\s*["“„«]?(?:${wordsOfAll('formalSalutation')})\\s?[\\p{L}.]+(?:\\s[\\p{L}.]+){0,3}\\s?[,!:，！：]\\s?\\S`,
  'iu',
);
// Verbs of sending name somebody else as the author, so "I" in the text is not the user.
const SENDS = anyWords('sends');
const INTRODUCES = new RegExp(`${anyWords('introduces').source}|${SENDS.source}`, 'iu');
const OWN_SENDING = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('ownSending')})(?!\\p{L})`, 'iu');
const POINTS_ON = anyWords('pointsOn');
const ASKS_OPINION = anyWords('asksOpinion');
const GREETS = new RegExp(`^\\s*["“„«]?(?:${wordsOfAll('greets')})(?=[\\s,!]|\\p{Lo})`, 'iu');
// A greeting to a parent is never meant for the assistant: "Hi Mum, this is my new number".
const PARENTS = PACKS.flatMap(({ relations }) =>
  Object.keys(relations).filter((word) => /^(?:mother|father|grandmother|grandfather)$/u.test(relations[word] ?? '')),
);
const GREETS_PARENT = new RegExp(`${GREETS.source}\\s*(?:${PARENTS.join('|')})\\s*[,!，！]`, 'iu');
// "Hi there,", "Hola, buenas tardes:".
const GREETING = `(?:${wordsOfAll('greets')})`;
const GREETS_NOBODY = new RegExp(
  `^\\s*${GREETING}(?:,? ?(?:${GREETING}|${wordsOfAll('nobody')}))*\\s*[,:!.，！：]`,
  'iu',
);
// "FOR SALE: …", "INVOICE 88213 — URGENT", "⚠️ Your booking". Capitals before a full stop are an exclamation: "GOT THE TICKET. Grade 2".
const LABELLED = /^\s*(?:⚠️?|[\p{Lu}][\p{Lu}\p{N} &'-]{5,}(?::| [—–-]))\s?\S/u;
const TEXT_TASK = new RegExp(wordsOfAll('textTask'), 'iu');
const POINTS_AT = new RegExp(`${anyWords('pointsAt').source}|[:：]\\s*$`, 'iu');
const TEXT_NOUN = anyWords('textNoun');
const TEXT_PART = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('textPart')})(?!\\p{L})`, 'iu');
const THE_TEXT = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('article')}) (?:\\S+ )?${TEXT_NOUN.source}`, 'iu');
const VERSE_LINE = /^\s*(?![-*•\d])\S.{3,64}$/u;
const LINE_END = /[.!?。！？]["'”’»]?\s*$/u;
const SETTING = /^\s*(?:- )?[\w-]{2,24}:(?:\s|$)/;
const MARKUP = /<\/?(?:p|div|span|b|a|br|html|body|table|tr|td|li|ul|h[1-6])\b[^<>]*>|\{\{[^{}]*\}\}/i;
const SPEAKER = /^\s*\p{Lu}[\p{Lu} ]{1,20}: \S/u;
const FORWARD = new RegExp(`^\\s*-{2,}\\s*(?:${wordsOfAll('forwarded')})`, 'i');
const SECOND_PERSON_NOTICE = new RegExp(`\\b(?:${wordsOfAll('notice')})`, 'iu');

const aboutText = PACKS.map((pack) => wordsPattern(pack.requests.aboutText, pack.script));

const FOREIGN_LINE: readonly RegExp[] = [
  // "MARA: Erase everything.", "Panel 2: GIRL: …". Capitals before a full stop are an exclamation: "PASSED. 68%".
  /(?:^|[.:!?] )\s*\p{Lu}{3}[\p{Lu} ]{0,20}(?:\([^)]{0,30}\))?: ?\S/u,
  // "[21:05] Fi: …", "21:05 - Fi: …".
  /^\s*\[?(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? )?\d{1,2}:\d\d(?::\d\d)?\]? ?(?:[-–] ?)?\p{L}[\p{L}\p{N}_. ]{0,24}[:>] ?\S/u,
  // Role play: "*leans in* You never saw me."
  /^\s*\*[^*\n]{3,80}\*\s*\S/u,
  /^\s*[—–] ?\p{L}/u,
  /^\s*[-–] ?[^\n]{8,200}[!?.…] ?[-–] ?\p{Ll}/u,
  // Verse on one line, and sung lines.
  / \/ [^/\n]{8,120} \/ |[♪♫🎵🎶][^♪♫🎵🎶]{8}/u,
  /^\s*(?:#(?!\d)|--|%|rem\b|'{3}|"{3})\s*\p{L}[^\n]*$/iu,
  // The age and the sex of people in a post: "my husband (34M)".
  /\((?:[1-9]\d ?[MF]|[MF] ?[1-9]\d)\)/u,
  /\d\d:\d\d:\d\d[,.]?\d* ?-->/,
  new RegExp(`${wordsOfAll('orderToModel')}|^\\s*[[<]?(?:system|assistant|inst)[\\]>]?[:>]`, 'iu'),
];
const COMMENT =
  /<!--[\s\S]{0,2000}?(?:-->|$)|\/\*[\s\S]{0,2000}?(?:\*\/|$)|(?<![:\w])\/\/ ?[^\n]{4,400}|(?:>>|<<)[^<>\n]{6,400}(?:<<|>>)/gu;

interface Line extends TextSpan {
  text: string;
}

/**
 * Finds what a message's author did not write or mean: code, quotations, role play, and pasted mails, chats, logs and documents. They are
 * recognised by their form or by a request next to them ("translate this"). Beyond 24,000 characters, everything counts as pasted.
 */
export function foreignSpans(text: string): ForeignSpan[] {
  const readable = text.slice(0, READ);
  const lines = linesOf(readable);
  const spans: ForeignSpan[] = [...fencedCode(lines), ...quotedLines(lines), ...foreignForms(readable, lines)];
  const isFree = (span: TextSpan): boolean => !spans.some((other) => intersects(span, other));
  for (const span of quotations(readable)) if (isFree(span)) spans.push(span);
  for (const span of pastedBlocks(readable, lines)) if (isFree(span) || span.end - span.start > 200) spans.push(span);
  for (const span of playedSpans(readable)) spans.push({ ...span, kind: 'played' });
  if (text.length > READ) spans.push({ start: READ, end: text.length, kind: 'pasted' });
  return spans.toSorted((left, right) => left.start - right.start);
}

/** Checks whether a span covers more than half of a range, or begins inside it and ends after it. */
export function isForeignAt(spans: readonly ForeignSpan[], start: number, end: number): boolean {
  return spans.some(
    (span) =>
      start < span.end &&
      end > span.start &&
      // A sentence in which a longer quotation begins only introduces that quotation.
      ((span.start > start && span.end > end) ||
        Math.min(end, span.end) - Math.max(start, span.start) > (end - start) * 0.5),
  );
}

export function isMostlyForeign(text: string, { start, end }: TextSpan = { start: 0, end: text.length }): boolean {
  let [covered, from] = [0, start];
  for (const span of foreignSpans(text)) {
    const to = Math.min(span.end, end);
    covered += Math.max(0, to - Math.max(span.start, from));
    from = Math.max(from, to);
  }
  return covered * 2 > end - start;
}

export function asksOfText(question: string): boolean {
  return namesText(question) || INTRODUCES.test(question) || asksAboutText(question);
}

export function asksAboutText(text: string): boolean {
  const plain = plainMarks(text.slice(0, 600));
  return aboutText.some((pattern) => pattern.test(plain));
}

export function namesText(words: string): boolean {
  return TEXT_NOUN.test(words) || TEXT_PART.test(words);
}

/** Checks whether a message only announces somebody else's text after it: "My landlord sent me this", "she wrote:". */
export function introducesText(message: string): boolean {
  if (message.length > LONGEST_INTRODUCTION || /[?？]/u.test(message) || !INTRODUCES.test(message)) return false;
  const last = message.trim().split(/\s+/u).at(-1) ?? '';
  const pointsOn = /[:：]\s*$/u.test(message) || INTRODUCES.test(last) || POINTS_AT.test(last);
  return pointsOn && !OWN_SENDING.test(message);
}

const LONGEST_INTRODUCTION = 60;
const LONGEST_FIRST_LINE = 300;
const MOST_LEAD_WORDS = 6;

/** Returns the length of a first line of the user's own before a text ("Can I eat at this place? From their website:"), or zero. */
export function introductionEnd(message: string): number {
  const line = /^[^\n]+(?=\n\s*\n)/u.exec(message)?.[0].trimEnd() ?? '';
  if (line.length > LONGEST_FIRST_LINE) return 0;
  const last = splitSentences(line).at(-1)?.text ?? '';
  const isQuestion = asksAboutText(last) || (/[?？]$/u.test(last) && POINTS_AT.test(last));
  const isShort = last.split(/\s+/u).length <= MOST_LEAD_WORDS;
  const isLead = /[:：]$/u.test(last) && (isShort || INTRODUCES.test(last) || namesText(last));
  return isQuestion || isLead ? line.length : 0;
}

function linesOf(text: string): Line[] {
  let next = 0;
  return text.split('\n').map((line) => {
    const start = next;
    next += line.length + 1;
    return { start, end: start + line.length, text: line.slice(0, 400) };
  });
}

function fencedCode(lines: readonly Line[]): ForeignSpan[] {
  const fences = lines.filter(({ text }) => CODE_FENCE.test(text));
  return fences.flatMap(({ start }, index) => {
    const { end } = fences[index + 1] ?? (lines.at(-1) as Line);
    return index % 2 === 0 ? [{ start, end, kind: 'code' }] : [];
  });
}

function foreignForms(text: string, lines: readonly Line[]): ForeignSpan[] {
  const comments = spansOf(text, COMMENT).map((span) => ({ ...span, kind: 'code' as const }));
  const formed = lines
    .filter((line) => !comments.some((span) => intersects(line, span)))
    .filter(({ text: words }) => FOREIGN_LINE.some((pattern) => pattern.test(words)))
    .map(({ start, end }) => ({ start, end, kind: 'marked' as const }));
  return [...comments, ...formed];
}

function quotedLines(lines: readonly Line[]): ForeignSpan[] {
  const spans: ForeignSpan[] = [];
  for (const { start, end, text } of lines) {
    if (!QUOTED_LINE.test(text) || text.trim().length < 3) continue;
    const last = spans.at(-1);
    if (last !== undefined && start - last.end <= 2) last.end = end;
    else spans.push({ start, end, kind: 'quoted' });
  }
  return spans;
}

/** Finds quotations longer than a title: twelve characters and three words, or six characters in a script without spaces. */
function quotations(text: string): ForeignSpan[] {
  const spans: ForeignSpan[] = [];
  let position = 0;
  while (position < text.length) {
    const open = text[position] ?? '';
    if (!OPENING_QUOTES.test(open)) {
      position += 1;
      continue;
    }
    // After a letter or a digit, the mark is an apostrophe or an inch mark.
    const isApostrophe = open === "'" || open === '‘';
    const before = text[position - 1] ?? '';
    const end =
      (/[\p{L}\p{N}]/u.test(before) && (open === '"' || isApostrophe)) ||
      (isApostrophe && !/^$|[\s:(（—–]/u.test(before))
        ? -1
        : closingMark(text, position + 1, CLOSING[open] ?? open, isApostrophe);
    if (end < 0) {
      position += 1;
      continue;
    }
    const inner = text.slice(position + 1, end);
    const isSaying = /\s/.test(inner.trim()) ? inner.trim().split(/\s+/).length > 2 : /\p{Lo}{6}/u.test(inner);
    if (inner.length >= (/\p{Lo}/u.test(inner) ? 6 : SHORTEST_QUOTATION) && isSaying) {
      spans.push({
        start: position,
        end: end + 1,
        kind: inner.length > 160 || inner.includes('\n') ? 'pasted' : 'quoted',
      });
    }
    position = end + 1;
  }
  return spans;
}

const LONGEST_QUOTATION = 6_000;
const LONGEST_IN_APOSTROPHES = 1_000;

/** An apostrophe closes a quotation only at the end of a word. */
function closingMark(text: string, from: number, marks: string, isApostrophe: boolean): number {
  const limit = Math.min(text.length, from + (isApostrophe ? LONGEST_IN_APOSTROPHES : LONGEST_QUOTATION));
  for (let at = from; at < limit; at += 1) {
    if (isApostrophe && text[at] === '\n' && text[at + 1] === '\n') return -1;
    if (!marks.includes(text[at] ?? '')) continue;
    if (!isApostrophe || (/\S/.test(text[at - 1] ?? '') && !/[\p{L}\p{N}]/u.test(text[at + 1] ?? ''))) return at;
  }
  return -1;
}

function pastedBlocks(text: string, lines: readonly Line[]): ForeignSpan[] {
  const blocks = blocksOf(lines);
  const asks = blocks.map((block) => asksAboutText(textOf(block)));
  const marks = blocks.map(blockMark);
  const spans: ForeignSpan[] = [];
  const add = (from: Line | undefined, to: Line | undefined, kind: ForeignSpan['kind'] = 'pasted'): void => {
    if (from !== undefined && to !== undefined) spans.push({ start: from.start, end: to.end, kind });
  };
  const letter = letterOf(blocks, marks, asks, text);
  if (letter !== null) add(letter.first, blocks[letter.to]?.at(-1));
  blocks.forEach((block, index) => {
    if (letter !== null && index >= letter.from && index <= letter.to) return;
    const mark = marks[index];
    if (mark === 'chat' || mark === 'log' || mark === 'code') {
      const [first, last] = markedLines(block, mark);
      return add(first, last, mark === 'code' ? 'code' : 'pasted');
    }
    const introduced = afterColon(block);
    const beside: Beside = { block, index, blocks, asks, length: (block.at(-1)?.end ?? 0) - (block[0]?.start ?? 0) };
    if (isTextByForm(beside) || isTextByRequest(beside)) add(block[0], block.at(-1));
    else if (introduced.length > 0) spans.push(...introduced);
    else if (SECOND_PERSON_NOTICE.test(textOf(block)) && beside.length > 120 && !isOwnVoice(block))
      add(block[0], block.at(-1));
  });
  return spans;
}

/** A question above or below the marked lines is the author's. */
function markedLines(block: readonly Line[], mark: 'chat' | 'log' | 'code'): [Line | undefined, Line | undefined] {
  const marked = block.filter(({ text }) => MARKED[mark].some((pattern) => pattern.test(text)));
  const last = marked.at(-1);
  const isInside = last !== undefined && block.at(-1) !== last && /[?？]\s*$/u.test(block.at(-1)?.text ?? '');
  return [marked[0], isInside ? last : block.at(-1)];
}

interface Beside {
  block: readonly Line[];
  index: number;
  blocks: readonly (readonly Line[])[];
  asks: readonly boolean[];
  length: number;
}

const nearTo = ({ index, asks }: Beside): number[] =>
  [index - 2, index - 1, index + 1, index + 2].filter((other) => asks[other] === true);

function isTextByForm(beside: Beside): boolean {
  const { block, index, blocks, asks, length } = beside;
  const first = block[0]?.text ?? '';
  if (length > 30 && !asks[index] && isIntroducedBy(textOf(blocks[index - 1] ?? []))) return true;
  // A greeting in the middle of a message belongs to a pasted text.
  if (index > 0 && length > 40 && GREETS.test(first)) return true;
  if (LABELLED.test(first) && length > 50 && (nearTo(beside).length > 0 || !isOwnVoice(block))) return true;
  if (isTitled(block) || GREETS_PARENT.test(first)) return true;
  return blocks.length > 1 && hasDocumentForm(block);
}

function isTextByRequest(beside: Beside): boolean {
  const { block, index, blocks, asks, length } = beside;
  const near = nearTo(beside);
  const pointers = [index - 1, index + 1]
    .map((other) => textOf(blocks[other] ?? []))
    .filter((other) => other !== '' && other.length <= LONGEST_POINTER && !isOwnList(other));
  const isOthers = length > 40 && !isOwnVoice(block);
  if (isOthers && pointers.some((other) => POINTS_AT.test(other) || TEXT_NOUN.test(other))) return true;
  if (asks[index]) return near.length > 0 && length > 300;
  if (length <= 40) return false;
  if (pointers.some(isAboutBlock)) return true;
  // A request to translate or to shorten refers to the block, even if the block is in the first person.
  if (near.some((other) => TEXT_TASK.test(textOf(blocks[other] ?? [])))) return true;
  return near.length > 0 && isOthers;
}

const LONGEST_POINTER = 240;

/** "My morning routine:" introduces a list of the user's own. */
function isOwnList(pointer: string): boolean {
  const isNamed = namesText(pointer) || asksAboutText(pointer);
  return !isNamed && MY.some((pattern) => pattern.test(plainMarks(pointer)));
}

/** "Give me a title for this poem", "halve this:", "^ where do you report these" refer even to a block in the first person. */
function isAboutBlock(pointer: string): boolean {
  if (/^\s*\^/.test(pointer) || THE_TEXT.test(pointer)) return true;
  return (
    POINTS_AT.test(pointer) &&
    (TEXT_NOUN.test(pointer) || (/[:：]\s*$/u.test(pointer) && POINTS_AT.test(pointer.slice(0, -1))))
  );
}

/** Checks for a title above lines of prose, as in a recipe or an article. Users rarely write their own words in this form. */
function isTitled([title, ...lines]: readonly Line[]): boolean {
  const first = title?.text ?? '';
  const isTitle =
    first.length <= LONGEST_TITLE && /[\p{L}\p{N})]\s*$/u.test(first) && !isOwnVoice(title ? [title] : []);
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  return (
    isTitle &&
    lines.length >= 2 &&
    length / lines.length >= SHORTEST_PROSE &&
    !lines.every((line) => isOwnVoice([line]))
  );
}

const LONGEST_TITLE = 70;
const SHORTEST_PROSE = 40;

function hasDocumentForm(block: readonly Line[]): boolean {
  const share = (pattern: RegExp): number => block.filter((line) => pattern.test(line.text)).length / block.length;
  if (MARKUP.test(textOf(block))) return true;
  if (block.length >= 2 && (share(SETTING) >= 0.75 || share(SPEAKER) >= 0.75)) return true;
  return block.length >= 3 && share(VERSE_LINE) === 1 && share(LINE_END) <= 0.34;
}

/** "A guest wrote this:". */
function isIntroducedBy(before: string): boolean {
  if (before.length === 0 || before.length > 240 || !INTRODUCES.test(before) || OWN_SENDING.test(before)) return false;
  return /[:：]\s*$/u.test(before) || POINTS_ON.test(before);
}

const textOf = (block: readonly Line[]): string => block.map((line) => line.text).join('\n');

/** Splits lines at empty lines. A request at the beginning or in the last line of a block becomes its own block. */
function blocksOf(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  let block: Line[] = [];
  const end = (): void => {
    if (block.length === 0) return;
    const request = block
      .slice(0, Math.min(3, block.length - 1))
      .findLastIndex((line) => asksAboutText(line.text) || isIntroducedBy(line.text));
    const last = block.at(-1)?.text ?? '';
    const closes = block.length > request + 2 && last.length < 120 && (asksAboutText(last) || /[?？]\s*$/u.test(last));
    if (request >= 0) blocks.push(block.slice(0, request + 1));
    blocks.push(block.slice(request + 1, closes ? -1 : undefined));
    if (closes) blocks.push(block.slice(-1));
    block = [];
  };
  for (const line of lines) {
    if (line.text.trim() === '') end();
    else block.push(line);
  }
  end();
  return blocks;
}

const OPENINGS = [MAIL_HEADER, SALUTATION, GREETED, FORWARD];

/** A letter runs from its header or salutation to its sign-off, or to the end. */
function letterOf(
  blocks: readonly Line[][],
  marks: readonly BlockMark[],
  asks: readonly boolean[],
  text: string,
): { first: Line | undefined; from: number; to: number } | null {
  const from = marks.findIndex((mark) => mark === 'header' || mark === 'salutation');
  if (from < 0) return null;
  // A user may write to the assistant as in a letter: "Good evening, … Regards, Jo". Such a message is left to the reading layers.
  if (from === 0 && GREETS_NOBODY.test(blocks[0]?.[0]?.text ?? '') && !asks.some(Boolean)) return null;
  const signOff = marks.findLastIndex((mark, index) => index >= from && mark === 'sign-off');
  let to = signOff >= 0 ? signOff : blocks.length - 1;
  while (signOff < 0 && to > from && asks[to] === true) to -= 1;
  const isLetter =
    marks[from] === 'header' || signOff > from || from > 0 || asks.some(Boolean) || SECOND_PERSON_NOTICE.test(text);
  if (!isLetter) return null;
  const block = blocks[from] ?? [];
  const opening = block.find(({ text: line }) => OPENINGS.some((pattern) => pattern.test(line)));
  return { first: opening ?? block[0], from, to };
}

function afterColon(block: readonly Line[]): ForeignSpan[] {
  return block.flatMap((line) => {
    const end = headEnd(line.text);
    return end > 0 && line.end - line.start - end > (/\p{Lo}/u.test(line.text) ? 12 : 50)
      ? [{ start: line.start + end, end: line.end, kind: 'pasted' as const }]
      : [];
  });
}

/** Returns the end of a request before a text on the same line: "what do you make of this: …". Zero if there is none. */
function headEnd(line: string): number {
  const colon = /:\s|：/u.exec(line.slice(0, 160))?.index ?? -1;
  if (colon <= 0) return 0;
  const head = line.slice(0, colon + 1);
  // "What do you think: should I take the job?" asks about the user.
  const asksOpinion =
    ASKS_OPINION.test(head) && !OWN_VOICE.some((pattern) => plainMarks(line.slice(colon)).match(pattern));
  return asksAboutText(head) || asksOpinion ? colon + 1 : 0;
}

const MARKED: Readonly<Record<'chat' | 'log' | 'code', readonly RegExp[]>> = {
  chat: [CHAT_LINE, STAMP],
  log: [LOG_LINE, ERROR_LINE],
  code: [STRONG_CODE, CODE_LINE],
};

type BlockMark = 'header' | 'salutation' | 'sign-off' | 'chat' | 'log' | 'code' | null;

function blockMark(lines: readonly Line[]): BlockMark {
  const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line.text)).length;
  if (count(FORWARD) > 0 || count(MAIL_HEADER) >= 2) return 'header';
  if (count(LOG_LINE) >= Math.max(2, lines.length * 0.4) || count(ERROR_LINE) > 0) return 'log';
  if (count(STRONG_CODE) > 0 || count(CODE_LINE) >= Math.max(2, lines.length * 0.5)) return 'code';
  const chat = count(CHAT_LINE);
  if ((chat >= 3 && chat >= lines.length * 0.6) || (chat >= 2 && count(STAMP) >= 2)) return 'chat';
  const isShort = lines.length > 1 || (lines[0]?.text.length ?? 0) < 60;
  if ((isShort && count(SALUTATION) > 0) || count(GREETED) > 0) return 'salutation';
  return lines.slice(-3).some((line) => SIGN_OFF.test(line.text) && line.text.length < 60) ? 'sign-off' : null;
}

const MY = PACKS.map((pack) => wordsPattern(pack.words.my, pack.script));
const OWN_VOICE = PACKS.map((pack) => wordsPattern(`${pack.words.me}|${pack.words.my}`, pack.script, 'giu'));

/** Splits words at apostrophes, because the pattern matches whole words: "j'habite". */
export function saysI(text: string, { words: { me, my }, script }: Pack): boolean {
  return wordsPattern(`${me}|${my}`, script).test(plainMarks(text).replaceAll("'", "' "));
}

function isOwnVoice(lines: readonly Line[]): boolean {
  const text = plainMarks(lines.map((line) => line.text).join('\n'));
  const words = text.split(/\s+/).length;
  return Math.max(...OWN_VOICE.map((pattern) => text.match(pattern)?.length ?? 0)) > words * 0.04;
}

// "Pretend we are at a job interview." But "Pretend you are a lawyer" gives a role only to the assistant.
const OPENS_PLAY = anyWords('opensPlay');
/** Words that end a role play or a quotation: "out of character", "by the way". */
const LEAVES = anyWords('leavesPlay');
/** After somebody's relayed words, "she" or "he" marks where the user's own words continue. */
export const SHE_OR_HE: RegExp = anyWords('sheOrHe');
const MAIL_FROM = anyWords('mailFrom');
/** "As Walter White says: …", "From the terms and conditions: …", "Tom on the phone: …". */
const HEAD = `(?:${wordsOfAll('quotesHead', 'latin')})`;
const QUOTED_HEAD = new RegExp(
  `^["“„«(]?(?:${HEAD}|\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+){0,2},? (?:${wordsOfAll('speaksBy', 'latin')}))[^:：.!?\\n]{0,60}[:：]\\s*(?=\\S)|^(?:${wordsOfAll('quotesHead', 'han')})[^:：。\\n]{0,30}[:：]\\s*(?=\\S)`,
  'iu',
);

/** A short sentence before a colon may name the author of the words after it: "Katrin just sent me this: …". */
const RELAYING = new RegExp(`^[^:：.!?。！？\\n]{2,${LONGEST_INTRODUCTION}}(?::(?=\\s|$)|：)\\s*`, 'u');

const relaying = perPack((pack) => {
  const {
    script,
    i,
    my,
    isUninflected,
    lists,
    words: { said, you },
  } = pack;
  const { mailFrom = '(?!)', sends = '(?!)', sender = '(?!)' } = lists;
  return script === 'han'
    ? {
        own: packRegExp(`(?:${i})(?:${said})`),
        mail: packRegExp(`^(?:${mailFrom})(?:[:：]\\s*|[。.!！]*$)`),
      }
    : {
        // In English, a verb without a subject is about the user: "Sent to the landlord: …".
        own: wordsPattern(
          `(?:${i}|${you})(?: \\p{L}+){0,2} (?:${said})|(?:${said}) (?:${i}|${you})${isUninflected === true ? `|^(?:${said}|${sends})` : ''}`,
        ),
        mail: packRegExp(
          `^(?:(?:(?<lead>[\\p{L}']+),? )?(?:${mailFrom}) (?:(?:${my}) (?:${relationsOf(pack)})|(?<name>\\p{L}[\\p{L}'-]+))(?: \\p{L}+)?(?::\\s*|[.!]*$)|(?:${sender}) (?:(?:${my}) (?:${relationsOf(pack)})|(?<sender>\\p{L}[\\p{L}'-]+)) ?:$)`,
        ),
      };
});

/** Words that announce somebody else's words in the first person. */
interface Relay {
  length: number;
  /** Whether the other person's words may end without a mark, at "she" or "he". */
  isOpen: boolean;
}

/** Finds "As Walter White says: …", "Katrin just sent me this: …" or "Mail from Sandra." at the start of a sentence. */
function relayIn(text: string, { start, end }: TextSpan, pack: Pack | null): Relay | null {
  const sentence = text.slice(start, end);
  const quoted = QUOTED_HEAD.exec(sentence)?.[0];
  if (quoted !== undefined) return { length: quoted.length, isOpen: false };
  if (pack === null) return null;
  const head = RELAYING.exec(sentence)?.[0] ?? '';
  const rest = sentence.slice(head.length);
  const isSent = SENDS.test(head);
  if (isSent || packPattern(pack, 'said').test(head)) {
    const isQuoted = QUOTE_NEXT.test(text.slice(start + head.length, start + head.length + 8));
    if (OWN_SENDING.test(head) || relaying(pack).own.test(head) || isQuoted) return null;
    // "Chief replied: 2.3 last. I'll take it" quotes one sentence. Outside English, the verb alone may show the first person.
    if (rest !== '' && (!isSent || pack.isUninflected === true) && !saysI(rest, pack)) return null;
    // The sentence with "she said" is kept, because it names her as the speaker.
    return { length: isSent ? head.length : sentence.length, isOpen: !isSent };
  }
  return mailIn(sentence, pack);
}

/** Finds words that only name the sender of the sentences after them: "Mail from Sandra.", or the line "from Sandra:". */
function mailIn(sentence: string, pack: Pack): Relay | null {
  const { 0: from, groups } = relaying(pack).mail.exec(sentence) ?? {};
  const name = groups?.['name'] ?? groups?.['sender'];
  const isNamed = name === undefined || !isOrdinary(name.toLowerCase(), pack);
  // "Got mail from Sandra. I'm moving" is the user's own report.
  const isReport = packPattern(pack, 'past').test(groups?.['lead'] ?? '');
  return from === undefined || !isNamed || isReport ? null : { length: from.length, isOpen: true };
}

function opensPlay(message: string): boolean {
  const plain = plainMarks(message);
  const opening = OPENS_PLAY.exec(plain);
  return opening !== null && !LEAVES.test(plain.slice(opening.index + opening[0].length));
}

/** In characters. A longer message does more than announce a text or a role play. */
export const LONGEST_ANNOUNCEMENT = 240;
/** "You are the doctor, I'm the patient". */
const ROLE = new RegExp(wordsOfAll('rolePlay'), 'iu');
const I_AM = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('iPlay')})(?!\\p{Ll})`, 'iu');
const YOU_ARE = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('youPlay')})(?!\\p{Ll})`, 'iu');

const forSomebody = perPack((pack) => {
  const { my, lists, script } = pack;
  const { writesFor = '(?!)', aFriend = '(?!)', dictates = '(?!)' } = lists;
  if (script === 'han') return packRegExp(writesFor);
  const person = relationsOf(pack);
  const spoken = `(?:${writesFor}) (?:${aFriend}|(?:${my}) (${person}))(?!['\\p{L}])`;
  return packRegExp(`(?<!\\p{L})(?:${spoken}|(${person}) (?:${dictates})(?!\\p{L}))`);
});

/** Returns "gran" for "I'm typing for my gran", and for a role play the word for the game or the whole message. */
export function spokenFor(message: string): string | null {
  if (message.length > LONGEST_ANNOUNCEMENT) return null;
  const plain = plainMarks(message);
  const role = ROLE.exec(plain)?.[0];
  if ((role !== undefined && I_AM.test(plain) && YOU_ARE.test(plain)) || opensPlay(message)) return role ?? message;
  for (const pack of PACKS) {
    const match = forSomebody(pack).exec(plain);
    if (match !== null) return match[1] ?? match[2] ?? match[0];
  }
  return null;
}

export function leavesPlay(message: string): boolean {
  return LEAVES.test(plainMarks(message));
}

/** A span runs to the sentence that ends it, a quotation also to an empty line, or to the end of the message. */
function playedSpans(text: string): TextSpan[] {
  const plain = plainMarks(text);
  const isPlayed = OPENS_PLAY.test(plain);
  if (!isPlayed && !/[:：]/u.test(plain) && !MAIL_FROM.test(plain)) return [];
  const pack = detectPack(plain);
  const spans: TextSpan[] = [];
  let open: { start: number; isQuoted: boolean; isOpen?: boolean } | null = null;
  const close = (end: number): void => {
    if (open !== null && end > open.start) spans.push({ start: open.start, end });
    open = null;
  };
  let last = 0;
  for (const { span } of splitSentences(plain)) {
    const sentence = plain.slice(span.start, span.end);
    const opened = open as { isQuoted: boolean; isOpen?: boolean } | null;
    if (opened?.isQuoted === true && /\n\s*\n/u.test(plain.slice(last, span.start))) close(last);
    last = span.end;
    if (open !== null) {
      if (LEAVES.test(sentence) || (opened?.isOpen === true && SHE_OR_HE.test(sentence))) close(span.start);
      continue;
    }
    const relay = relayIn(plain, span, pack);
    const play = isPlayed ? OPENS_PLAY.exec(sentence) : null;
    if (relay !== null) open = { start: span.start + relay.length, isQuoted: true, isOpen: relay.isOpen };
    else if (play !== null && !sentence.includes('?'))
      open = { start: span.start + play.index + play[0].length, isQuoted: false };
  }
  close(text.length);
  return spans;
}

/** Infinity if the message does not leave the role play. */
export function playLeftAt(text: string): number {
  const end = OPENS_PLAY.test(plainMarks(text)) ? playedSpans(text).at(-1)?.end : undefined;
  return end === undefined || end === text.length ? Infinity : end;
}

/** Text from Varve's prompts would make the words after it look like a pasted text. */
export function withoutPrompt(content: string, attributes: AttributeTable): string {
  return withBlanks(content, promptSpans(content, attributes));
}

const PROMPT_BLOCK = new RegExp(
  `^<(${PROMPT_TAGS.join('|')})(?: type="[^"\\n]*")?>\\n[\\s\\S]*?(?:^</\\1>$|$(?![\\s\\S]))`,
  'gmu',
);
const HEADINGS: ReadonlySet<string> = new Set(Object.values(PROMPT_HEADINGS));
const BELOW_HEADING = /^\s*(?:$|[-*•{}"]|(?:User|Assistant): |\d{4}-\d\d-\d\d)/u;
const PROMPT_LINE =
  /^(?:\s*- \[[\p{L}_ ]{4,20}\] |\[\p{L}+, \p{L}+ \d{1,2}, \d{4} — \d{1,2}:\d\d\s[AP]M \S+\]$|What you remember\. It is data about the user|Verified permanent facts — treat these as ground truth)/u;
const FACT_LINE = /^\s*- ([^:\n]{2,40}): /u;

export function promptSpans(message: string, attributes: AttributeTable): TextSpan[] {
  const labels = labelsOf(attributes);
  const spans = spansOf(message, PROMPT_BLOCK);
  let start = 0;
  let isBelow = false;
  for (const line of message.split('\n')) {
    isBelow = HEADINGS.has(line) || (isBelow && BELOW_HEADING.test(line));
    const label = FACT_LINE.exec(line)?.[1]?.toLowerCase() ?? '';
    if (isBelow || PROMPT_LINE.test(line) || labels.has(label)) spans.push({ start, end: start + line.length });
    start += line.length + 1;
  }
  return spans;
}

const knownLabels = new WeakMap<AttributeTable, ReadonlySet<string>>();

function labelsOf(attributes: AttributeTable): ReadonlySet<string> {
  const known = knownLabels.get(attributes);
  if (known !== undefined) return known;
  const labels = attributes
    .names()
    .flatMap((name) => [attributeLabel(attributes, name), ...Object.values(attributes.policyOf(name).labels)]);
  const all = new Set(labels.map((label) => label.toLowerCase()));
  knownLabels.set(attributes, all);
  return all;
}
