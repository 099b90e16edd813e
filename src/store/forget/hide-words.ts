import { english } from '../../language/packs/en.ts';
import { anyWords, asksFor, detectPack, isOrdinary, plainMarks, smallTalkIn } from '../../language/packs/packs.ts';
import { SEED_WORDS } from '../../language/seed-words.ts';
import { splitClauses, splitSentences, type TextSpan, withBlanks } from '../../language/sentences.ts';
import { contentStems, coveredBy, isContentWord } from '../../language/words.ts';
import { toldText } from '../../record/event.ts';
import { normalValue, type Quote } from '../../record/statement.ts';
import type { Parts, Writer } from '../database.ts';
import { wordsOfEvent } from '../event-store.ts';
import { queueForEmbedding, removeVectors } from '../indexing.ts';
import { rowsBy, setColumns } from '../rows.ts';
import type { EventRow } from '../record-rows.ts';
import { type CutSpan, hiddenSpans, spansOf } from './forgotten-store.ts';
import { redactJson, type Says } from './redact-blocks.ts';

interface Matter {
  value: string | null;
  /** The memory's own text, and the words of the log that it was formed from. */
  texts: readonly string[];
  /** The value names a person or an animal, of whom the user says other things too: "Jule is allergic to nuts". */
  isOfBeing?: boolean;
}

/** A sentence repeats a statement if it contains at least this share of the statement's words. */
const SAYS_IT = 0.8;
/** For the direct reply to the statement's turn. Lower, because the reply is about that turn. */
const REPLY_SAYS_IT = 0.34;

export interface Sayer {
  says(sentence: string): boolean;
  /** For sentences in the direct reply. */
  takesUp(sentence: string): boolean;
  /** Whether a clause contains the value, even if other statements may contain the same value. */
  names(clause: string): boolean;
  /** Whether the value alone identifies the statement, as a name, a number or an address does. */
  isTelling: boolean;
}

interface Heard {
  stems: ReadonlySet<string>;
  /** Normalised, with a space before and after it. */
  plain: string;
  digits: string;
}

let remarks: RegExp | null = null;

/** Leaves out judgements, wishes and times ("Sehr schön.", "What a week!"): assistants use them in answers to many statements. */
function identifyingStems(text: string): Set<string> {
  remarks ??= anyWords('remark', 'giu');
  return smallTalkIn(text) === null ? contentStems(plainMarks(text).replace(remarks, ' ')) : new Set();
}

function hear(sentence: string): Heard {
  return {
    stems: identifyingStems(sentence),
    plain: ` ${normalValue(sentence)} `,
    digits: sentence.replace(/\D/g, ''),
  };
}

export function hearingOnce(): (sentence: string) => Heard {
  const known = new Map<string, Heard>();
  return (sentence) => {
    const heard = known.get(sentence) ?? hear(sentence);
    known.set(sentence, heard);
    return heard;
  };
}

export function sayerOf(
  { value, texts, isOfBeing = false }: Matter,
  heardOf: (sentence: string) => Heard = hear,
): Sayer {
  const stems = texts.map(identifyingStems).filter((each) => each.size > 0);
  // A reply may refer to just one sentence of a longer statement. In a sentence with fewer than three words, one word in common would be
  // enough to match.
  const sentences = texts
    .flatMap((text) => splitSentences(text).map((each) => identifyingStems(each.text)))
    .filter(({ size }) => size >= 3);
  const isTelling = value !== null && !isOfBeing && tells(value);
  const namesValue = isTelling ? valueFinder(value) : (): boolean => false;
  const shares = (own: ReadonlySet<string>, least: number, of = stems): boolean =>
    of.some((each) => {
      const share = coveredBy(each, own);
      if (share >= least) return true;
      if (share === 0) return false;
      const shared = [...own].filter((stem) => each.has(stem)).length;
      return shared >= 2 && shared / own.size >= SAYS_IT;
    });
  const isMeant = (heard: Heard, least: number): boolean => namesValue(heard) || shares(heard.stems, least);
  // A truncated heading ("i have been sober for …") contains too few of the statement's words, so it is compared with the statement's
  // beginning.
  const isCutFrom = (sentence: string): boolean => {
    const head = sentence.endsWith('…') ? normalValue(sentence.slice(0, -1)) : '';
    return contentStems(head).size > 0 && texts.some((text) => normalValue(text).startsWith(head));
  };
  return {
    isTelling,
    names: (clause) => value !== null && ` ${normalValue(clause)} `.includes(` ${normalValue(value)} `),
    says: (sentence) => isMeant(heardOf(sentence), SAYS_IT) || isCutFrom(sentence),
    takesUp: (sentence) =>
      isMeant(heardOf(sentence), REPLY_SAYS_IT) || shares(heardOf(sentence).stems, REPLY_SAYS_IT, sentences),
  };
}

const NO_CASE = /\p{Lo}/u;

/** "Halden Foods" identifies its statement; "tea" and "42" occur in many others. */
function tells(value: string): boolean {
  const normal = normalValue(value);
  if (normal.length < 3 || /^\d{1,3}$/.test(normal)) return NO_CASE.test(value) && normal.length >= 2;
  return /\p{Lu}|@|\d\D*\d\D*\d\D*\d/u.test(value) || NO_CASE.test(value) || normal.includes(' ');
}

function valueFinder(value: string): (heard: Heard) => boolean {
  const normal = normalValue(value);
  const digits = value.replace(/\D/g, '');
  const name = leadingName(value);
  const isNumber = digits.length >= 6 && digits.length >= normal.replace(/[^\p{L}\p{N}]/gu, '').length - 2;
  return (heard) => {
    if (isNumber && heard.digits.includes(digits)) return true;
    const { plain } = heard;
    if (name !== null && plain.includes(` ${name} `)) return true;
    return NO_CASE.test(normal) ? plain.includes(normal) : plain.includes(` ${normal} `);
  };
}

const SHORTEST_NAME = 5;

/** Returns the distinctive first word of a name: "Zorbex" of "Zorbex Foods". Null for an ordinary word or a name of one word. */
function leadingName(value: string): string | null {
  const [first = '', ...rest] = value.trim().split(/\s+/);
  if (rest.length === 0 || !/^\p{Lu}/u.test(first)) return null;
  const normal = normalValue(first);
  return isDistinctive(normal) ? normal : null;
}

function isDistinctive(normal: string): boolean {
  return normal.length >= SHORTEST_NAME && !SEED_WORDS.has(normal) && isContentWord(normal);
}

const WORD = /[\p{L}\p{M}\p{N}'’-]+/gu;

const FIGURE = /\d+(?:[.,'’ \u00a0\u202f]\d{3}(?!\d))*/gu;
const YEAR = /^(?:19|20)\d\d$/;

/** Returns numbers of three or more digits without separators: "8,300", "8.300" and "8 300" become 8300. Leaves out years. */
export function longNumbers(text: string): Set<string> {
  const numbers = (text.match(FIGURE) ?? []).filter((figure) => !YEAR.test(figure));
  return new Set(numbers.map((figure) => figure.replace(/\D/gu, '')).filter((digits) => digits.length >= 3));
}

/** Names, and words that are rare in the text's language. Empty for scripts without spaces, because their words cannot be separated. */
export function distinctiveStems(text: string): Set<string> {
  const pack = detectPack(text, english);
  const isRare = (word: string): boolean =>
    isDistinctive(word) && !NO_CASE.test(word) && (pack === null || !isOrdinary(word, pack));
  return identifyingStems((text.toLowerCase().match(WORD) ?? []).filter(isRare).join(' '));
}

/** Leaves out questions that only ask whether a statement is still known ("Did you forget Halden Foods?"). */
export function tellingSentences(content: string): string[] {
  return splitSentences(content).flatMap(({ text }) => (asksIfKnown(text) ? [] : [text]));
}

/**
 * False for every question with a comma, because its second clause may make the statement ("What do I wear at Halden Foods, where I work
 * again?"): hiding a statement would be worse than keeping a repetition.
 */
function asksIfKnown(sentence: string): boolean {
  const question = plainMarks(sentence).replace(/^[\s¿]+/u, '');
  if (!/^[^,;:，、；：]*[?？]\s*$/u.test(question)) return false;
  return asksFor(question, 'stillKnown', detectPack(question));
}

export interface Hiding {
  /** Hidden whatever the words are. A quote that covers at least half of its sentence hides the whole sentence. */
  quotes: readonly Pick<Quote, 'start' | 'end'>[];
  says: Says;
  /** Hidden without the rest of their sentence: the words of the request, whose sentence may also make other statements. */
  exact?: readonly Pick<Quote, 'start' | 'end'>[];
  /** The rest of a quoted sentence stays, except for clauses that match the statement. */
  isByClause?: boolean;
  /** Whether a clause belongs to a statement that stays and contains nothing to hide. */
  stays?: (clause: string, start: number) => boolean;
}

/**
 * A sentence (with `isByClause`, a clause) is hidden if it matches or if quotes cover at least half of it. If no word would be left, the
 * whole event is hidden.
 */
export function spansToHide(row: EventRow, { quotes, says, exact = [], isByClause = false, stays }: Hiding): CutSpan[] {
  const { content } = row;
  const spans: TextSpan[] = [...exact];
  for (const { text, span } of splitSentences(content)) {
    const inside = quotes.flatMap(({ start, end }) => {
      const part = { start: Math.max(start, span.start), end: Math.min(end, span.end) };
      return part.start < part.end ? [part] : [];
    });
    const quoted = inside.reduce((sum, { start, end }) => sum + end - start, 0);
    if (isByClause && quoted > 0) spans.push(...inside, ...clausesAround(text, span.start, inside, says));
    else if (quoted * 2 >= text.length || says(text)) spans.push(...clausesToHide(text, span.start, stays));
    else spans.push(...inside);
  }
  const isAll = !/[\p{L}\p{N}]/u.test(withBlanks(content, spans));
  const hidden = spans.length > 0 && isAll ? [{ start: 0, end: content.length }] : spans;
  const cut: CutSpan[] = hidden
    .filter(({ start, end }) => content.slice(start, end).trim() !== '')
    .map(({ start, end }) => ({ event: row.id, start, end, field: 'content', words: content.slice(start, end) }));
  if (redactJson(row.metadata, says) !== row.metadata)
    cut.push({ event: row.id, start: 0, end: row.metadata.length, field: 'metadata', words: row.metadata });
  return cut;
}

function clausesAround(sentence: string, at: number, quotes: readonly TextSpan[], says: Says): TextSpan[] {
  return splitClauses(sentence)
    .map(({ start, end }) => ({ start: at + start, end: at + end }))
    .filter(({ start, end }) => {
      const shared = quotes.map((quote) => Math.max(0, Math.min(quote.end, end) - Math.max(quote.start, start)));
      const quoted = shared.reduce((sum, length) => sum + length, 0);
      return quoted * 2 >= end - start || says(sentence.slice(start - at, end - at));
    });
}

function clausesToHide(sentence: string, start: number, stays: Hiding['stays']): TextSpan[] {
  const whole = [{ start, end: start + sentence.length }];
  if (stays === undefined) return whole;
  const clauses = splitClauses(sentence);
  const hidden = clauses.filter((clause) => !stays(sentence.slice(clause.start, clause.end), start + clause.start));
  return hidden.length === 0
    ? whole
    : hidden.map((clause) => ({ start: start + clause.start, end: start + clause.end }));
}

export async function hideInEvent(
  writer: Writer,
  parts: Parts,
  row: EventRow,
  spans: readonly CutSpan[],
  says: Says,
): Promise<void> {
  if (spans.length === 0) return;
  const said = spans.filter(({ field }) => field === 'content');
  const content = withBlanks(row.content, said);
  await rewriteEvent(writer, parts, row, { content, metadata: redactJson(row.metadata, says) });
}

/** Puts a record's words back into its events, except words that other records still hide. */
export async function showWords(writer: Writer, parts: Parts, tenant: string, id: string): Promise<void> {
  const spans = (await spansOf(writer, tenant, [id])).get(id) ?? [];
  for (const event of new Set(spans.map((span) => span.event))) {
    const [row] = await rowsBy(writer, tenant, 'events', { id: [event] });
    if (row === undefined) continue;
    const own = spans.filter((span) => span.event === event);
    const shown = own
      .filter(({ field }) => field === 'content')
      .reduce((text, { start, words }) => text.slice(0, start) + words + text.slice(start + words.length), row.content);
    const others = (await hiddenSpans(writer, tenant, event)).filter(
      ({ field, record }) => field === 'content' && record !== id,
    );
    const metadata = own.find(({ field }) => field === 'metadata')?.words ?? row.metadata;
    await rewriteEvent(writer, parts, row, { content: withBlanks(shown, others), metadata });
  }
}

async function rewriteEvent(
  writer: Writer,
  parts: Parts,
  row: EventRow,
  { content, metadata }: { content: string; metadata: string },
): Promise<void> {
  const { tenant_id: tenant, owner_key: owner, row_id: rowId } = row;
  await setColumns(writer, 'events', { tenant, id: row.id }, { content, metadata });
  if (toldText({ ...row, content, metadata }) === toldText(row)) return;
  await parts.database.text.remove(writer, 'event', tenant, [rowId]);
  await removeVectors(writer, tenant, 'event', [rowId]);
  if (content.trim() === '') return;
  const words = wordsOfEvent({ ...row, content, metadata });
  await parts.database.text.add(writer, 'event', [{ tenant, owner, rowId, words }]);
  // Not 0, so that a vector of the old words that is being computed right now is not saved.
  await queueForEmbedding(writer, [{ tenant, owner, kind: 'event', rowId, version: parts.clock.now() }]);
}
