import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { directs } from '../../language/claims.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { type Basis, isUnverified, type UnverifiedValue } from '../../record/block.ts';
import { problemOf, type TextSources } from '../check-text.ts';
import { losesTooMuch, type RefusedChange } from './changes.ts';
import type { Observed } from './observed.ts';
import type { Scope } from '../../record/scope.ts';
import { findBlock } from '../../store/block-store.ts';
import type { Reader } from '../../store/database.ts';
import { type Confidence, CONFIDENCE_LEVELS } from '../../record/statement.ts';

/** The scaffold of an owner, with notes on its entries. */
export interface Scaffold {
  entries: Record<string, unknown>;
  /** The observations that each entry rests on, by its key. */
  basis: Basis;
  notes: Record<string, EntryNote>;
}

/** The confidence of an entry, the time of its last confirmation, and the rank of its source. Times are ISO 8601. */
interface EntryNote {
  confidence: Confidence;
  confirmedAt: string;
  rank: number;
}

/** Notes on the working memory and the scaffold, stored in the block `tier_notes`. */
export interface TierNotes {
  /** The notes on the top-level entries of the scaffold, by key. */
  scaffold: Scaffold['notes'];
  /** The refused changes of the last answer. The next prompt tells the model about them. */
  refused: RefusedChange[];
}

const noteSchema = z.object({
  confidence: z.enum(CONFIDENCE_LEVELS),
  confirmedAt: z.iso.datetime(),
  rank: z.number(),
});
const notesSchema = z.object({
  scaffold: z.record(z.string(), noteSchema),
  refused: z.array(z.custom<RefusedChange>()).catch([]).default([]),
});

/** The notes of an owner and the version of their block. The notes are empty if the block does not exist or has another format. */
export async function readTierNotes(reader: Reader, scope: Scope): Promise<TierNotes & { version: number }> {
  const block = await findBlock(reader, scope, 'tier_notes');
  const { data = { scaffold: {}, refused: [] } } = notesSchema.safeParse(block?.content);
  return { ...data, version: block?.version ?? 0 };
}

/** A change of one entry of the scaffold, with its observations. An undefined value removes the entry. */
export interface ScaffoldChange {
  key: string;
  value: unknown;
  confidence: Confidence | null;
  from: readonly Observed[];
}

/** The changes of the scaffold that observations contain as keys and values, for use without a model. */
export function givenChanges(observed: readonly Observed[]): ScaffoldChange[] {
  return observed.flatMap((each) =>
    each.entries.map(([key, value]) => ({ key, value, confidence: null, from: [each] })),
  );
}

/**
 * The changes of the scaffold by values of pages, mails and tools, with their source. They replace no value that has no such source. Orders
 * to the agent are left out.
 */
export function unverifiedChanges({ entries }: Scaffold, observed: readonly Observed[]): ScaffoldChange[] {
  const isOpen = ({ key }: ScaffoldChange): boolean => !Object.hasOwn(entries, key) || isUnverified(entries[key]);
  return observed
    .filter(({ text }) => !directs(text))
    .flatMap((each) => {
      const source = String(each.event.metadata['from']);
      const marked = (value: unknown): UnverifiedValue => ({ value, unverified: true, source });
      return givenChanges([each])
        .filter(isOpen)
        .map((change) => ({ ...change, value: marked(change.value) }));
    });
}

/** The entries of a scaffold that do not come from a page, a mail or a tool. */
export function verifiedEntries({ entries }: Pick<Scaffold, 'entries'>): Scaffold['entries'] {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => !isUnverified(value)));
}

interface ChangedScaffold {
  scaffold: Scaffold;
  /** The keys whose old value was replaced or removed. */
  replaced: string[];
  refused: RefusedChange[];
  /** Why the change needs a review; null if it needs none. */
  suspicion: string | null;
}

interface ScaffoldSources {
  observed: readonly Observed[];
  keys: readonly string[] | null;
  shrinkShare: number;
  /** The texts that the model was shown; null without a model: then entries are applied as they were given. */
  sources: TextSources | null;
  now: string;
}

/** Applies the changes that an observation of sufficient rank supports, entry by entry. Other entries stay unchanged. */
export function changedScaffold(
  before: Scaffold,
  changes: readonly ScaffoldChange[],
  given: ScaffoldSources,
): ChangedScaffold {
  const entries = new Map(Object.entries(before.entries));
  const notes = new Map(Object.entries(before.notes));
  const basis = new Map(Object.entries(before.basis));
  const replaced: string[] = [];
  const refused: RefusedChange[] = [];
  for (const change of changes) {
    const { key, value } = change;
    // Code that copies an entry `__proto__` by assignment would set the prototype of the copy.
    if (key === '__proto__' || given.keys?.includes(key) === false) continue;
    const old = entries.get(key);
    const support = supportOf(change, old, given);
    const reason = refusalOf(change, support, notes.get(key), given);
    if (reason !== null || support === null) {
      const text = `${key}: ${JSON.stringify(value) ?? 'removed'}`.slice(0, 500);
      if (reason !== null) refused.push({ text, reason, detail: null });
      continue;
    }
    if (old !== undefined && !isDeepStrictEqual(old, value)) replaced.push(key);
    if (value === undefined) {
      for (const map of [entries, notes, basis]) map.delete(key);
      continue;
    }
    entries.set(key, value);
    basis.set(key, { rests: { [support.event.id]: '' } });
    notes.set(key, {
      confidence: change.confidence ?? confidenceOf(support.rank),
      confirmedAt: given.now,
      rank: isDeepStrictEqual(old, value) ? Math.max(support.rank, notes.get(key)?.rank ?? 0) : support.rank,
    });
  }
  const next = Object.fromEntries(entries);
  const [had, has] = [countValues(verifiedEntries(before)), countValues(verifiedEntries({ entries: next }))];
  const isSuspicious = losesTooMuch({ held: had, lost: had - has }, given.shrinkShare);
  return {
    scaffold: { entries: next, notes: Object.fromEntries(notes), basis: Object.fromEntries(basis) },
    replaced,
    refused,
    suspicion: isSuspicious ? `the scaffold would shrink from ${had} values to ${has}` : null,
  };
}

/** The number of values in a JSON value, at every depth. */
function countValues(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 0);
}

/** The minimum share of an entry's words that must occur in an observation: a model may rephrase, but not entirely. */
const SUPPORTED = 0.3;
/** An observation with at least this share of an entry's words names the entry. */
const NAMES = 0.5;

/** The latest observation of the highest rank among those that the answer cites and those that contain the entry's words. */
function supportOf({ key, value, from }: ScaffoldChange, old: unknown, { observed }: ScaffoldSources): Observed | null {
  const novel = contentStems([key, ...textsIn(value)].join(' '));
  const known = contentStems(textsIn(old).join(' '));
  // Only the new part of the value must have been observed; the rest was in the old value.
  const fresh = new Set([...novel].filter((stem) => !known.has(stem)));
  const wanted = fresh.size === 0 ? novel : fresh;
  // An observation that removes an entry has to name the entry, by its key or by its value.
  const speaking = observed.filter(
    ({ stems }) => coveredBy(wanted, stems) >= SUPPORTED || (value === undefined && coveredBy(known, stems) >= NAMES),
  );
  const byRank = (one: Observed, other: Observed): number =>
    one.rank - other.rank || one.event.occurredAt.getTime() - other.event.occurredAt.getTime();
  return [...from, ...speaking].toSorted(byRank).at(-1) ?? null;
}

function refusalOf(
  { value }: ScaffoldChange,
  support: Observed | null,
  note: EntryNote | undefined,
  { sources }: ScaffoldSources,
): RefusedChange['reason'] | null {
  if (support === null) return 'unsupported';
  if (support.rank < (note?.rank ?? 0)) return 'outranked';
  if (sources === null) return null;
  return textsIn(value).flatMap((text) => problemOf(text, sources) ?? [])[0] ?? null;
}

function confidenceOf(rank: number): Confidence {
  if (rank >= 3) return 'high';
  return rank === 2 ? 'medium' : 'low';
}

/** The keys and values in a JSON value, at every depth. */
function textsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}
