import { isDeepStrictEqual } from 'node:util';
import { contentStems, coveredBy } from '../../language/words.ts';
import type { Synthesis } from '../../models/distiller.ts';
import { countWords } from '../../record/block.ts';
import type { Confidence } from '../../record/trust.ts';
import { cutWords, FEW_VALUES, FEW_WORDS, shrinks } from '../check-text.ts';
import type { TierSettings } from '../consolidation-settings.ts';
import { type EntryNote, sentencesOf, type TierNotes } from './apply-synthesis.ts';
import type { Observed, Tiers } from './observed.ts';

/** A synthesis that was checked: what may be written. */
export interface CheckedSynthesis {
  workingMemory: string;
  scaffold: Record<string, unknown>;
  notes: TierNotes;
  /** Keys whose old value stands although the answer has another, and why. */
  kept: { key: string; why: 'outranked' | 'unsupported' }[];
  /** Keys whose old value gave way to an observation. */
  replaced: string[];
  /** Why it must not be applied without somebody looking at it; null when it may. */
  suspicion: string | null;
}

/** A model may put an observation into words of its own, but not into all others. */
const SUPPORTED = 0.3;
/** An observation that has half of the words of a statement speaks of it. */
const CONFIRMS = 0.5;

/** Holds an answer against what is known and what was observed: nothing is taken from it on trust. */
export function checkSynthesis(
  synthesis: Synthesis,
  {
    tiers,
    observed,
    settings,
    now,
  }: { tiers: Tiers; observed: readonly Observed[]; settings: TierSettings; now: number },
): CheckedSynthesis {
  const suspicion = suspicionOf(synthesis, tiers, settings.shrinkShare);
  const scaffold = withAllowedKeys(synthesis.scaffold, settings.scaffoldKeys);
  const entries = checkEntries(synthesis, { tiers, observed, scaffold, now: new Date(now).toISOString() });
  const workingMemory = cutWords(synthesis.workingMemory, settings.words);
  return {
    workingMemory,
    scaffold: entries.scaffold,
    notes: { scaffold: entries.notes, sentences: noteSentences(workingMemory, tiers.notes, observed, now) },
    kept: entries.kept,
    replaced: entries.replaced,
    suspicion,
  };
}

/** An answer that takes away much of what was known is more likely a mistake than the truth. */
function suspicionOf(synthesis: Synthesis, tiers: Tiers, share: number): string | null {
  const [before, after] = [countValues(tiers.scaffold), countValues(synthesis.scaffold)];
  if (shrinks({ before, after }, { share, few: FEW_VALUES }))
    return `the scaffold would shrink from ${before} values to ${after}`;
  const [words, left] = [countWords(tiers.workingMemory), countWords(synthesis.workingMemory)];
  if (shrinks({ before: words, after: left }, { share, few: FEW_WORDS }))
    return `the working memory would shrink from ${words} words to ${left}`;
  return null;
}

/** How many values a JSON value holds, at every depth. */
function countValues(value: unknown): number {
  if (value === null || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 0);
}

function withAllowedKeys(scaffold: Record<string, unknown>, keys: readonly string[] | null): Record<string, unknown> {
  if (keys === null) return scaffold;
  return Object.fromEntries(Object.entries(scaffold).filter(([key]) => keys.includes(key)));
}

interface EntryCheck {
  tiers: Tiers;
  observed: readonly Observed[];
  scaffold: Record<string, unknown>;
  now: string;
}

/** Entry by entry: what no observation supports stays as it was, and so does what a higher rank has said (X3). */
function checkEntries(
  synthesis: Synthesis,
  { tiers, observed, scaffold, now }: EntryCheck,
): Pick<CheckedSynthesis, 'scaffold' | 'kept' | 'replaced'> & { notes: Record<string, EntryNote> } {
  const next: Record<string, unknown> = {};
  const notes: Record<string, EntryNote> = {};
  const kept: CheckedSynthesis['kept'] = [];
  const replaced: string[] = [];
  for (const key of new Set([...Object.keys(tiers.scaffold), ...Object.keys(scaffold)])) {
    const [old, value, note] = [own(tiers.scaffold, key), own(scaffold, key), own(tiers.notes.scaffold, key)];
    const support = supportOf(key, { old, value }, synthesis, observed);
    const isChanged = old !== undefined && !isDeepStrictEqual(old, value);
    const refusal = isChanged || old === undefined ? refusalOf(support, note) : null;
    if (refusal !== null && old !== undefined) kept.push({ key, why: refusal });
    const stands = isChanged && refusal !== null ? old : value;
    if (stands === undefined || (old === undefined && refusal !== null)) continue;
    next[key] = stands;
    if (isChanged && refusal === null) replaced.push(key);
    const isNew = old === undefined || (isChanged && refusal === null);
    notes[key] = noteOf({
      isNew,
      note,
      support,
      proposed: own(synthesis.scaffoldConfidence, key),
      now,
      refused: refusal !== null,
    });
  }
  // A key that an observation contradicts and the answer leaves out is gone: it is in neither.
  replaced.push(...Object.keys(tiers.scaffold).filter((key) => !Object.hasOwn(next, key)));
  return { scaffold: next, notes, kept, replaced };
}

/** The keys are a model's: one that is called `constructor` is an entry like any other, and not what every object inherits. */
function own<Value>(entries: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}

function refusalOf(support: Observed | null, note: EntryNote | undefined): 'outranked' | 'unsupported' | null {
  if (support === null) return 'unsupported';
  return support.rank < (note?.rank ?? 0) ? 'outranked' : null;
}

/** The observation of the highest rank, and among those the latest, that speaks of an entry. */
function supportOf(
  key: string,
  { old, value }: { old: unknown; value: unknown },
  synthesis: Synthesis,
  observed: readonly Observed[],
): Observed | null {
  const cited = synthesis.contradictions
    .filter((contradiction) => contradiction.key === key)
    .flatMap(({ observation }) => observed[observation - 1] ?? []);
  const novel = contentStems(value === undefined ? key : `${key} ${wordsOf(value)}`);
  const known = contentStems(wordsOf(old));
  // What is new about it must have been observed: the rest it shares with the old value.
  const fresh = new Set([...novel].filter((stem) => !known.has(stem)));
  const wanted = fresh.size === 0 ? novel : fresh;
  // What is to go has to be named: by its key, or by what it says.
  const speaking = observed.filter(
    ({ stems }) =>
      coveredBy(wanted, stems) >= SUPPORTED || (value === undefined && coveredBy(known, stems) >= CONFIRMS),
  );
  return [...cited, ...speaking].reduce<Observed | null>(
    (best, each) =>
      best === null ||
      each.rank > best.rank ||
      (each.rank === best.rank && each.turn.occurredAt >= best.turn.occurredAt)
        ? each
        : best,
    null,
  );
}

function noteOf({
  isNew,
  note,
  support,
  proposed,
  now,
  refused,
}: {
  isNew: boolean;
  note: EntryNote | undefined;
  support: Observed | null;
  proposed: Confidence | undefined;
  now: string;
  refused: boolean;
}): EntryNote {
  const rank = support?.rank ?? 0;
  if (isNew || note === undefined) {
    return { confidence: proposed ?? confidenceOf(rank), confirmedAt: now, rank };
  }
  if (support === null || refused) return note;
  // Said again: at least as sure as before.
  return { confidence: proposed ?? note.confidence, confirmedAt: now, rank: Math.max(rank, note.rank) };
}

function confidenceOf(rank: number): Confidence {
  if (rank >= 3) return 'high';
  return rank === 2 ? 'medium' : 'low';
}

function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, member]) => (Array.isArray(value) ? wordsOf(member) : `${key} ${wordsOf(member)}`))
    .join(' ');
}

/** When each sentence was last confirmed: by being new, or by an observation that speaks of it. */
function noteSentences(
  text: string,
  notes: TierNotes,
  observed: readonly Observed[],
  now: number,
): TierNotes['sentences'] {
  const time = new Date(now).toISOString();
  return Object.fromEntries(
    sentencesOf(text).map(({ text: sentence, hash }) => {
      const before = notes.sentences[hash];
      const stems = contentStems(sentence);
      const isConfirmed = observed.some((each) => coveredBy(stems, each.stems) >= CONFIRMS);
      return [hash, before === undefined || isConfirmed ? time : before];
    }),
  );
}
