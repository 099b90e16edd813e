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

export interface Scaffold {
  entries: Record<string, unknown>;
  /** The observations behind each entry. */
  basis: Basis;
  notes: Record<string, EntryNote>;
}

/** `confirmedAt` is ISO 8601. `rank` is that of the entry's source. */
interface EntryNote {
  confidence: Confidence;
  confirmedAt: string;
  rank: number;
}

/** Stored in the block `tier_notes`. */
export interface TierNotes {
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

/** The notes are empty if the block does not exist or has another format. */
export async function readTierNotes(reader: Reader, scope: Scope): Promise<TierNotes & { version: number }> {
  const block = await findBlock(reader, scope, 'tier_notes');
  const { data = { scaffold: {}, refused: [] } } = notesSchema.safeParse(block?.content);
  return { ...data, version: block?.version ?? 0 };
}

/** An undefined value removes the entry. */
export interface ScaffoldChange {
  key: string;
  value: unknown;
  confidence: Confidence | null;
  from: readonly Observed[];
}

/** Used without a model. */
export function givenChanges(observed: readonly Observed[]): ScaffoldChange[] {
  return observed.flatMap((each) =>
    each.entries.map(([key, value]) => ({ key, value, confidence: null, from: [each] })),
  );
}

/** Marks values from pages, mails and tools with their source. They never replace a verified value. Orders to the agent are left out. */
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

export function verifiedEntries({ entries }: Pick<Scaffold, 'entries'>): Scaffold['entries'] {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => !isUnverified(value)));
}

interface ChangedScaffold {
  scaffold: Scaffold;
  replaced: string[];
  refused: RefusedChange[];
  /** Why a person must review the change. Null if no review is needed. */
  suspicion: string | null;
}

interface ScaffoldSources {
  observed: readonly Observed[];
  keys: readonly string[] | null;
  shrinkShare: number;
  /** The texts that the model was shown. Null without a model; entries are then applied without checks on their text. */
  sources: TextSources | null;
  now: string;
}

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
    // Copying an entry `__proto__` by assignment would set the prototype of the copy.
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

function countValues(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 0);
}

/** An observation supports an entry if it contains at least this share of its words. A model may rephrase, but not entirely. */
const SUPPORTED = 0.3;
/** An observation names an entry if it contains at least this share of its words. */
const NAMES = 0.5;

/** The latest of the highest-ranking observations that the answer cites or that contain the entry's words. */
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

function textsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}
