import { z } from 'zod';
import { readTolerantJson } from '../../models/tolerant-json.ts';
import { isNameSaid, numberNotSaid, numbersSaid } from '../../language/quotes.ts';
import { splitSentences } from '../../language/sentences.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { cutWords, problemOf, type TextSources } from '../check-text.ts';
import { basisOf, idsOf, readBlockText, says, type BlockText, type Material, type Sentence } from './document.ts';
import { contentHash } from '../../record/id.ts';

/**
 * A change of a document. The sentences of the document and the new items are numbered from 1. A new sentence replaces the sentences among
 * `from`. It rests on the new items among `from`, and on those sources of the replaced sentences that it still contains.
 */
export type DocumentChange =
  | { text: string; from: readonly number[]; section: string | null }
  | { drop: readonly number[] };

/** A change that was not made and the reason, as reported to the model and to people. */
export interface RefusedChange {
  text: string;
  reason: 'no_source' | 'unknown_number' | 'value_not_said' | 'unsupported' | 'order' | 'address' | 'outranked';
  detail: string | null;
}

const numbers = z.union([
  z.array(z.coerce.number().int()),
  z.coerce
    .number()
    .int()
    .transform((number) => [number]),
]);
const changeSchema = z.union([
  z.object({ drop: numbers }),
  z.object({
    text: z.string().trim().min(1).max(2000),
    from: numbers.catch([]).default([]),
    section: z.string().nullish().catch(null),
  }),
]);

/** Reads the changes in a model's list. Unreadable items are skipped and counted. */
export function toChanges(items: readonly unknown[]): { changes: DocumentChange[]; unread: number } {
  const parsed = items.slice(0, MOST_CHANGES).map((item) => changeSchema.safeParse(item));
  const changes = parsed.flatMap((each): DocumentChange[] => {
    if (!each.success) return [];
    return 'drop' in each.data ? [{ drop: each.data.drop }] : [{ ...each.data, section: each.data.section ?? null }];
  });
  return { changes, unread: parsed.filter(({ success }) => !success).length };
}

/**
 * The changes in a model's answer, and the form of the answer. The numbers of a `list` are those that the model was shown; the numbers of a
 * `text` are those of the document and its materials.
 */
interface ReadChanges {
  changes: DocumentChange[];
  form: 'list' | 'text' | 'unreadable';
}

/**
 * Matches the start of JSON in an answer, which may follow a preface. Brackets in prose must not match: "[here]", or "- [ ]" before a task.
 */
const JSON_BEGINS = /(?<![^])[[{]|\[\s*\{|\{\s*["'“]?\w+["'”]?\s*:|^[ \t]*\[\s*\][ \t]*$/m;

/**
 * Reads the changes in a model's answer: the list of changes that the model was asked for, or a whole text, which some models write
 * instead. A sentence of the document that the whole text repeats stays, and a sentence that it lacks is dropped. An answer with unreadable
 * JSON makes no changes; it is never read as a whole text.
 */
export function readChanges(answer: string, document: BlockText, materials: readonly Material[]): ReadChanges {
  const text = answer
    .trim()
    .replace(/^```[\w-]*[ \t]*\n?/, '')
    .replace(/\n?```$/, '')
    .trim();
  const start = text.search(JSON_BEGINS);
  if (start < 0) return { changes: text === '' ? [] : changesOfText(text, document, materials), form: 'text' };
  const found = readTolerantJson(text, start);
  const value = found.ok ? found.value : null;
  const list = Array.isArray(value) ? value : Object.values(value ?? {}).find(Array.isArray);
  const { changes, unread } = toChanges(list ?? []);
  return { changes, form: list === undefined || (unread > 0 && changes.length === 0) ? 'unreadable' : 'list' };
}

/** Further changes of an answer are ignored. */
const MOST_CHANGES = 200;
/** A sentence of a whole text is taken to be made from a source if one of the two contains at least this share of the other's words. */
const MADE_OF = 0.5;

function changesOfText(text: string, { sentences }: BlockText, materials: readonly Material[]): DocumentChange[] {
  const before = Map.groupBy(
    sentences.map((sentence, index) => ({ hash: contentHash(sentence.text), number: index + 1 })),
    ({ hash }) => hash,
  );
  const sources = [...sentences.map((sentence) => sentence.text), ...materials.map((material) => material.text)].map(
    (source) => contentStems(source),
  );
  const kept = new Set<number>();
  const changes: DocumentChange[] = [];
  for (const sentence of readBlockText(text, {}).sentences.slice(0, MOST_CHANGES)) {
    const same = before.get(contentHash(sentence.text));
    if (same !== undefined) {
      for (const { number } of same) kept.add(number);
      continue;
    }
    const stems = contentStems(sentence.text);
    const from = sources.flatMap((source, index) =>
      coveredBy(stems, source) >= MADE_OF || coveredBy(source, stems) >= MADE_OF ? [index + 1] : [],
    );
    changes.push({ text: sentence.text, from, section: sentence.section });
  }
  const drop = sentences.map((_, index) => index + 1).filter((number) => !kept.has(number));
  return drop.length === 0 ? changes : [...changes, { drop }];
}

/** The result of applying a list of changes to a document. */
interface ChangedDocument {
  document: BlockText;
  refused: RefusedChange[];
  /** The number of valid statements and handwritten sentences in the document before the changes, and how many of them were lost. */
  held: number;
  lost: number;
}

/**
 * Applies those changes that their sources support. `materials` are the new items, numbered after the sentences; all of them count as
 * considered afterwards, so that no model is asked about them twice. `known` has all statements by id, for the basis of sentences.
 * Statements that another document of the same prompt contains (`elsewhere`) do not count as lost.
 */
export function changed(
  document: BlockText,
  changes: readonly DocumentChange[],
  {
    materials,
    known,
    sources,
    elsewhere = new Set(),
  }: {
    materials: readonly Material[];
    known: ReadonlyMap<string, Material>;
    sources: TextSources;
    elsewhere?: ReadonlySet<string>;
  },
): ChangedDocument {
  const refused: RefusedChange[] = [];
  const { sentences } = document;
  const dropped = new Set<number>();
  const gone = new Set<number>();
  const written = new Map<number, Sentence[]>();
  const own = numbersSaid(sources.own.join('\n'));
  const hashes = new Set(sentences.map(({ text }) => contentHash(text)));
  for (const change of changes) {
    if ('drop' in change) {
      for (const number of change.drop) if (sentences[number - 1] !== undefined) dropped.add(number);
      continue;
    }
    const from = [...new Set(change.from)].filter(
      (number) => number >= 1 && number <= sentences.length + materials.length,
    );
    const replaced = from.flatMap((number) => sentences[number - 1] ?? []);
    const used = from.flatMap((number) => materials[number - 1 - sentences.length] ?? []);
    const problem = problemIn(change, { replaced, used, given: from.length, sources, own });
    if (problem !== null) {
      refused.push({ text: change.text.slice(0, 500), ...problem });
      continue;
    }
    const hash = contentHash(change.text);
    if (hashes.has(hash)) continue;
    hashes.add(hash);
    const place = from.find((number) => number <= sentences.length) ?? sentences.length + 1;
    for (const number of from) if (number <= sentences.length) gone.add(number);
    const sentence = sentenceOf(change, { replaced, used, known });
    written.set(place, [...(written.get(place) ?? []), sentence]);
  }
  const next = [...sentences, null].flatMap((sentence, index) => [
    ...(written.get(index + 1) ?? []),
    ...(sentence === null || gone.has(index + 1) || dropped.has(index + 1) ? [] : [sentence]),
  ]);
  const byHand = [...dropped].filter((number) => !gone.has(number) && sentences[number - 1]?.basis === null).length;
  // A dated line is redundant if another document contains all its statements.
  const isSaid = ({ day, basis }: Sentence): boolean =>
    day !== null && basis !== null && Object.keys(basis.rests).every((id) => elsewhere.has(id));
  const left = next.filter((sentence) => !isSaid(sentence));
  return { refused, ...considered(document, left, { materials, known, byHand, elsewhere }) };
}

function problemIn(
  { text }: { text: string },
  {
    replaced,
    used,
    given,
    sources,
    own,
  }: {
    replaced: readonly Sentence[];
    used: readonly Material[];
    given: number;
    sources: TextSources;
    /** The numbers in the user's own words and in known statements. */
    own: ReadonlySet<number>;
  },
): Omit<RefusedChange, 'text'> | null {
  if (given === 0) return { reason: 'no_source', detail: null };
  const said = [...replaced.map((sentence) => sentence.text), ...used.map((material) => material.text)];
  const problem = splitSentences(text)
    .map((sentence) => problemOf(sentence.text, sources))
    .find((each) => each !== null);
  if (problem !== undefined) return { reason: problem, detail: null };
  const days = used.map(({ at }) => at.toISOString());
  const numbers = new Set([...own, ...numbersSaid([...said, ...days].join('\n'))]);
  const number = numberNotSaid(withoutDates(text), numbers);
  // A number up to 31 may be a day of the month that the model computed from the date of a turn.
  if (number !== null && !(Number(number) <= 31)) return { reason: 'value_not_said', detail: number };
  const stems = contentStems(text);
  if (stems.size === 0 || coveredBy(stems, contentStems(said.join(' '))) > 0) return null;
  // A description of how somebody talks shares no words with their messages. So a sentence that rests on a turn may use other words, but no
  // name that is in none of the shown texts.
  const names = text.match(/(?<=[\p{Ll},;]\s)\p{Lu}\p{Ll}[\p{L}'-]*/gu) ?? [];
  const isImpression = used.some(({ isEvent }) => isEvent) && names.every((name) => isNameSaid(name, sources.shown));
  return isImpression ? null : { reason: 'unsupported', detail: null };
}

const WRITTEN_DATE =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:\s+\d{1,2})?(?:,?\s+(?:19|20)\d{2})?|\b(?:19|20)\d{2}(?:-\d{2}){0,2}\b/gi;

function withoutDates(text: string): string {
  return text.replace(WRITTEN_DATE, ' ');
}

/** A longer text is not one sentence and is cut. */
const MOST_WORDS = 100;

/**
 * The new sentence. It rests on the new items and on those sources of the replaced sentences that it still contains. A sentence that only
 * rephrases another keeps all its sources.
 */
function sentenceOf(
  change: { text: string; section: string | null },
  {
    replaced,
    used,
    known,
  }: { replaced: readonly Sentence[]; used: readonly Material[]; known: ReadonlyMap<string, Material> },
): Sentence {
  const text = cutWords(change.text.replace(/\s+/gu, ' '), MOST_WORDS);
  const carried = replaced.flatMap(({ basis }) => Object.keys(basis?.rests ?? {}).flatMap((id) => known.get(id) ?? []));
  const kept = replaced.length === 1 && used.length === 0 ? carried : carried.filter((each) => says(text, each));
  const rests = [...new Map([...kept, ...used].map((each) => [each.id, each])).values()];
  const isByHand = replaced.some(({ basis }) => basis === null) && rests.length === 0;
  const [first] = replaced;
  return {
    text,
    section: change.section ?? first?.section ?? null,
    heading: first?.heading ?? '',
    day: null,
    basis: isByHand ? null : basisOf(rests),
    gap: first?.day === null ? first.gap : ' ',
    mark: first?.mark ?? '',
  };
}

/** Counts lost statements, and records the ids that were considered and left out. */
function considered(
  before: BlockText,
  sentences: Sentence[],
  {
    materials,
    known,
    byHand,
    elsewhere,
  }: {
    materials: readonly Material[];
    known: ReadonlyMap<string, Material>;
    byHand: number;
    elsewhere: ReadonlySet<string>;
  },
): Pick<ChangedDocument, 'document' | 'held' | 'lost'> {
  const said = idsOf({ sentences });
  const held = [...idsOf(before)].filter((id) => known.has(id));
  const missing = held.filter((id) => !said.has(id));
  const left = [...before.omitted, ...missing, ...materials.map(({ id }) => id)];
  return {
    document: { sentences, omitted: [...new Set(left)].filter((id) => !said.has(id) && known.has(id)) },
    held: held.length + before.sentences.filter(({ basis }) => basis === null).length,
    lost: missing.filter((id) => !elsewhere.has(id)).length + byHand,
  };
}

/** A document with fewer statements than this may lose any share of them, but not all. */
const FEW = 3;

/**
 * Why changes need a review: they would lose all of the statements that still hold, or more than `share` of them. Null if they need none.
 */
export function lossOf(
  { held, lost }: Pick<ChangedDocument, 'held' | 'lost'>,
  share: number,
  what: string,
): string | null {
  const isLoss = held > 0 && (lost === held || (held >= FEW && lost > held * share));
  return isLoss ? `${what} would lose ${lost} of ${held} statements that still hold` : null;
}
