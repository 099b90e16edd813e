import { z } from 'zod';
import { WRITTEN_DATE } from '../../language/calendar.ts';
import { readTolerantJson } from '../../models/tolerant-json.ts';
import { isNameSaid, numberNotSaid, numbersSaid } from '../../language/quotes.ts';
import { splitSentences } from '../../language/sentences.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { cutWords, problemOf, type TextSources } from '../check-text.ts';
import {
  basisOf,
  idsOf,
  readBlockText,
  says,
  sourcesOf,
  type BlockText,
  type Material,
  type Sentence,
} from './document.ts';
import { contentHash } from '../../record/id.ts';

export type Shown = Sentence | Material;

/**
 * A new sentence replaces the sentences in `from`. Its sources are the new items in `from`, and those sources of the replaced sentences
 * whose content it still contains.
 */
export type DocumentChange =
  | { text: string; from: readonly Shown[]; section: string | null }
  | { drop: readonly Shown[] };

export interface RefusedChange {
  text: string;
  reason: 'no_source' | 'value_not_said' | 'unsupported' | 'order' | 'address' | 'outranked';
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

/** Skips and counts unreadable items. Ignores numbers that do not exist. */
export function toChanges(
  items: readonly unknown[],
  shown: readonly Shown[],
): { changes: DocumentChange[]; unread: number } {
  const numbered = (numbers: readonly number[]): Shown[] => numbers.flatMap((number) => shown[number - 1] ?? []);
  const parsed = items.slice(0, MOST_CHANGES).map((item) => changeSchema.safeParse(item));
  const changes = parsed.flatMap(({ data }): DocumentChange[] => {
    if (data === undefined) return [];
    if ('drop' in data) return [{ drop: numbered(data.drop) }];
    return [{ text: data.text, from: numbered(data.from), section: data.section ?? null }];
  });
  return { changes, unread: parsed.length - changes.length };
}

/** Matches the start of JSON in an answer, even after a preface. Brackets in prose must not match: "[here]", or "- [ ]" before a task. */
const JSON_BEGINS = /(?<![^])[[{]|\[\s*\{|\{\s*["'“]?\w+["'”]?\s*:|^[ \t]*\[\s*\][ \t]*$/m;

/**
 * Some models write a whole text instead of the list of changes that they were asked for. A sentence that it repeats stays, and one that it
 * lacks is dropped. Returns null for unreadable JSON, which is never taken for a whole text.
 */
export function readChanges(
  answer: string,
  document: BlockText,
  materials: readonly Material[],
  shown: readonly Shown[] = [...document.sentences, ...materials],
): DocumentChange[] | null {
  const text = withoutFence(answer);
  const start = text.search(JSON_BEGINS);
  if (start < 0) return text === '' ? [] : changesOfText(text, document, materials);
  const found = readTolerantJson(text, start);
  const value = found.ok ? found.value : null;
  const list = Array.isArray(value) ? value : Object.values(value ?? {}).find(Array.isArray);
  if (list === undefined) return null;
  const { changes, unread } = toChanges(list, shown);
  return unread > 0 && changes.length === 0 ? null : changes;
}

export function withoutFence(text: string): string {
  return text
    .trim()
    .replace(/^```[\w-]*[ \t]*\n?/, '')
    .replace(/\n?```$/, '')
    .trim();
}

const MOST_CHANGES = 200;
/** In a whole text, a sentence is taken to come from a source if one of the two contains at least this share of the other's words. */
const MADE_OF = 0.5;

function changesOfText(text: string, { sentences }: BlockText, materials: readonly Material[]): DocumentChange[] {
  const hashOf = ({ text: words }: { text: string }): string => contentHash(words);
  const before = new Set(sentences.map(hashOf));
  const sources = [...sentences, ...materials].map((source) => ({ source, stems: contentStems(source.text) }));
  const written = readBlockText(text, {}).sentences.slice(0, MOST_CHANGES);
  const repeated = new Set(written.map(hashOf));
  const changes = written
    .filter((sentence) => !before.has(hashOf(sentence)))
    .map(({ text: words, section }): DocumentChange => {
      const own = contentStems(words);
      const isMadeOf = ({ stems }: { stems: ReadonlySet<string> }): boolean =>
        coveredBy(own, stems) >= MADE_OF || coveredBy(stems, own) >= MADE_OF;
      return { text: words, from: sources.filter(isMadeOf).map(({ source }) => source), section };
    });
  const drop = sentences.filter((sentence) => !repeated.has(hashOf(sentence)));
  return drop.length === 0 ? changes : [...changes, { drop }];
}

interface ChangedDocument {
  document: BlockText;
  refused: RefusedChange[];
  /** How many valid statements and handwritten sentences the document had before the changes, and how many of them were lost. */
  held: number;
  lost: number;
}

interface ChangeSources {
  /** The new items. Afterwards all of them count as considered, so that no model is asked about them twice. */
  materials: readonly Material[];
  known: ReadonlyMap<string, Material>;
  sources: TextSources;
  /** Statements in another document of the same prompt. They do not count as lost. */
  elsewhere?: ReadonlySet<string>;
}

export function changed(
  document: BlockText,
  changes: readonly DocumentChange[],
  { materials, known, sources, elsewhere = new Set() }: ChangeSources,
): ChangedDocument {
  const { sentences } = document;
  const refused: RefusedChange[] = [];
  const dropped = new Set<Sentence>();
  const rewritten = new Set<Sentence>();
  const written = new Map<Sentence | null, Sentence[]>();
  const own = numbersSaid(sources.own.join('\n'));
  const hashes = new Set(sentences.map(({ text }) => contentHash(text)));
  for (const change of changes) {
    const { replaced, used } = madeOf('drop' in change ? change.drop : change.from, document, materials);
    if ('drop' in change) {
      for (const sentence of replaced) dropped.add(sentence);
      continue;
    }
    const problem = problemIn(change, { replaced, used, sources, own });
    if (problem !== null) {
      refused.push({ text: change.text.slice(0, 500), ...problem });
      continue;
    }
    const hash = contentHash(change.text);
    if (hashes.has(hash)) continue;
    hashes.add(hash);
    for (const sentence of replaced) rewritten.add(sentence);
    const place = replaced[0] ?? null;
    written.set(place, [...(written.get(place) ?? []), sentenceOf(change, { replaced, used, known })]);
  }
  // A dated line is redundant if another document contains all its statements.
  const isSaid = (sentence: Sentence): boolean =>
    sentence.day !== null && sentence.basis !== null && sourcesOf(sentence).every((id) => elsewhere.has(id));
  const kept = [...sentences, null].flatMap((sentence) => {
    const stays = sentence !== null && !rewritten.has(sentence) && !dropped.has(sentence);
    return [...(written.get(sentence) ?? []), ...(stays ? [sentence] : [])].filter((each) => !isSaid(each));
  });
  const said = idsOf({ sentences: kept });
  const held = [...idsOf(document)].filter((id) => known.has(id));
  const missing = held.filter((id) => !said.has(id));
  const considered = new Set([...document.omitted, ...missing, ...materials.map(({ id }) => id)]);
  const byHand = sentences.filter(({ basis }) => basis === null);
  const lostByHand = byHand.filter((sentence) => dropped.has(sentence) && !rewritten.has(sentence)).length;
  return {
    document: { sentences: kept, omitted: [...considered].filter((id) => !said.has(id) && known.has(id)) },
    refused,
    held: held.length + byHand.length,
    lost: missing.filter((id) => !elsewhere.has(id)).length + lostByHand,
  };
}

interface MadeOf {
  replaced: readonly Sentence[];
  used: readonly Material[];
}

/** A sentence of another document is resolved to its sources, and an item to the line that is based on it alone. */
function madeOf(items: readonly Shown[], { sentences }: BlockText, materials: readonly Material[]): MadeOf {
  const replaced = new Set<Sentence>();
  const used = new Set<Material>();
  const addItem = (id: string): void => {
    const line = sentences.find((sentence) => sentence.day !== null && sourcesOf(sentence).join() === id);
    const material = materials.find((each) => each.id === id);
    if (line !== undefined) replaced.add(line);
    else if (material !== undefined) used.add(material);
  };
  for (const item of items) {
    if ('id' in item) addItem(item.id);
    else if (sentences.includes(item)) replaced.add(item);
    else for (const id of sourcesOf(item)) addItem(id);
  }
  return { replaced: [...replaced], used: [...used] };
}

/** Why a change is refused. Null if it is accepted. `own` contains the numbers in the user's own words and in known statements. */
function problemIn(
  { text }: { text: string },
  { replaced, used, sources, own }: MadeOf & { sources: TextSources; own: ReadonlySet<number> },
): Omit<RefusedChange, 'text'> | null {
  const said = [...replaced, ...used].map((source) => source.text);
  if (said.length === 0) return { reason: 'no_source', detail: null };
  const problem = splitSentences(text)
    .map((sentence) => problemOf(sentence.text, sources))
    .find((each) => each !== null);
  if (problem !== undefined) return { reason: problem, detail: null };
  const days = used.map(({ at }) => at.toISOString());
  const numbers = new Set([...own, ...numbersSaid([...said, ...days].join('\n'))]);
  const number = numberNotSaid(text.replace(WRITTEN_DATE, ' '), numbers);
  // A number up to 31 may be a day of the month that the model computed from the date of a turn.
  if (number !== null && !(Number(number) <= 31)) return { reason: 'value_not_said', detail: number };
  const stems = contentStems(text);
  if (stems.size === 0 || coveredBy(stems, contentStems(said.join(' '))) > 0) return null;
  // A description of how somebody talks may use other words than their messages, but every name in it must occur in the texts.
  const names = text.match(/(?<=[\p{Ll},;]\s)\p{Lu}\p{Ll}[\p{L}'-]*/gu) ?? [];
  const isImpression = used.some(({ isEvent }) => isEvent) && names.every((name) => isNameSaid(name, sources.shown));
  return isImpression ? null : { reason: 'unsupported', detail: null };
}

const MOST_WORDS = 100;

/** If the change only rephrases one sentence, the new one keeps all of that sentence's sources. */
function sentenceOf(
  change: { text: string; section: string | null },
  { replaced, used, known }: MadeOf & Pick<ChangeSources, 'known'>,
): Sentence {
  const text = cutWords(change.text.replace(/\s+/gu, ' '), MOST_WORDS);
  const carried = replaced.flatMap(sourcesOf).flatMap((id) => known.get(id) ?? []);
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

/** A document with fewer items than this may lose any number of them, but not all. */
const FEW = 3;

type Loss = Pick<ChangedDocument, 'held' | 'lost'>;

export function losesTooMuch({ held, lost }: Loss, share: number): boolean {
  return held > 0 && (lost === held || (held >= FEW && lost > held * share));
}

export function lossOf(loss: Loss, share: number, what: string): string | null {
  if (!losesTooMuch(loss, share)) return null;
  return `${what} would lose ${loss.lost} of ${loss.held} statements that still hold`;
}
