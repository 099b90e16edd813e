import { isDeepStrictEqual } from 'node:util';
import { VarveError } from '../../errors.ts';
import type { Basis } from '../../record/block.ts';
import type { InternalMemory, Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import { findBlock, replaceBlock } from '../../store/block-store.ts';
import type { Parts, Reader, Writer } from '../../store/database.ts';
import { decideHeldChanges } from '../../store/held-change-store.ts';
import type { RunNotes } from '../../store/history-store.ts';
import { changeOwner } from '../../store/owner-store.ts';
import { findProgress, type OwnerProgress, saveProgress } from '../../store/progress-store.ts';
import { writeMemory } from '../../store/write-memory.ts';
import type { MaterialDeps } from '../consolidate-deps.ts';
import {
  type BlockText,
  idsOf,
  type Material,
  type Materials,
  readBlockText,
  type StoredDocument,
  storedDocument,
} from './document.ts';
import { readTierNotes, type Scaffold, type TierNotes } from './scaffold.ts';
import {
  holdsNow,
  liveStatements,
  recentObservations,
  standingEvents,
  toMaterial,
  withDoubts,
  workingMaterials,
} from './sources.ts';
import { markProcessed } from '../../store/session-store.ts';
import { isObject } from '../../record/parse.ts';

/** The current working memory and scaffold of an owner. The version of a block that does not exist is 0. */
export interface Tiers {
  workingMemory: BlockText;
  /** The working memory as it is stored. */
  stored: StoredDocument;
  /** The ids that the sentences of the profile rest on. */
  inProfile: ReadonlySet<string>;
  scaffold: Scaffold;
  refused: TierNotes['refused'];
  versions: { workingMemory: number; scaffold: number; notes: number };
}

export async function readTiers(reader: Reader, scope: Scope): Promise<Tiers> {
  const stored = storedDocument(await findBlock(reader, scope, 'working_memory'));
  const profile = storedDocument(await findBlock(reader, scope, 'profile'));
  const scaffold = await findBlock(reader, scope, 'scaffold');
  const noted = await findBlock(reader, scope, 'tier_notes');
  const { scaffold: notes, refused } = readTierNotes(noted?.content);
  const entries = isObject(scaffold?.content) ? scaffold.content : {};
  return {
    workingMemory: readBlockText(stored.text, stored.basis),
    stored,
    inProfile: idsOf(readBlockText(profile.text, profile.basis)),
    scaffold: { entries, basis: scaffold?.basis ?? {}, notes },
    refused,
    versions: { workingMemory: stored.version, scaffold: scaffold?.version ?? 0, notes: noted?.version ?? 0 },
  };
}

/** The current sources of the working memory: statements that hold, and observations from which nothing was formed. */
export async function readMaterials(
  reader: Reader,
  deps: MaterialDeps,
  scope: Scope,
  { workingMemory }: Pick<Tiers, 'workingMemory'>,
): Promise<Materials> {
  const live = await liveStatements(reader, deps, scope);
  const statements = workingMaterials(await withDoubts(reader, deps, scope, live), deps);
  const texts = new Set(live.filter(({ sourceType }) => sourceType === 'consolidation').map(({ id }) => id));
  const isMerged = ({ contradictedBy }: Memory): boolean => contradictedBy !== null && texts.has(contradictedBy);
  const merged = new Set(live.filter(isMerged).map(({ id }) => id));
  const { observed, unformed } = await recentObservations(reader, deps, scope);
  const known = new Map<string, Material>([...statements, ...observed].map((each) => [each.id, each]));
  // A model may have added items that the working memory does not list by itself, such as an intention or a learning.
  const resting = idsOf(workingMemory);
  for (const memory of live) {
    if (resting.has(memory.id) && !known.has(memory.id) && holdsNow(memory, deps))
      known.set(memory.id, toMaterial(memory, null));
  }
  const turns = [...resting].filter((id) => !known.has(id));
  for (const turn of await standingEvents(reader, scope.tenant, turns)) known.set(turn.id, turn);
  // The prompt contains the statements of a merged text as that text.
  const single = statements.filter(({ id, hasAged }) => !merged.has(id) && !hasAged);
  return { known, wanted: [...single, ...unformed] };
}

/** The writes of a synthesis. Stored unchanged while the synthesis is held for review. */
export interface SynthesisToApply {
  workingMemory: { text: string; basis: Basis };
  scaffold: Scaffold;
  refused: TierNotes['refused'];
  facts: InternalMemory[];
  /** The ids of the processed events. */
  events: string[];
  versions: Tiers['versions'];
  progress: Pick<OwnerProgress, 'eventSequence'>;
  nextProgress: Pick<OwnerProgress, 'eventSequence'>;
}

/** Applies a synthesis in one transaction: both tiers, their notes, the facts, and the mark on the events. */
export async function applySynthesis(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { apply, why }: { apply: SynthesisToApply; why: Change },
): Promise<RunNotes> {
  const now = parts.clock.now();
  await changeOwner(writer, scope, now);
  await assertNotTaken(writer, scope, apply);
  const { workingMemory, scaffold, refused, versions } = apply;
  const replace = async (
    kind: 'working_memory' | 'scaffold' | 'tier_notes',
    content: unknown,
    basis: Basis,
    expectedVersion: number,
  ): Promise<boolean> => {
    // A block that does not exist is not created empty.
    const isNothing = kind === 'working_memory' ? content === '' : isEmpty(content);
    if (expectedVersion === 0 && isNothing && Object.keys(basis).length === 0) return false;
    const replacement = { kind, content, basis, expectedVersion };
    return (await replaceBlock(writer, parts, scope, replacement, why)).version > expectedVersion;
  };
  const hasWorking = await replace('working_memory', workingMemory.text, workingMemory.basis, versions.workingMemory);
  const hasScaffold = await replace('scaffold', scaffold.entries, scaffold.basis, versions.scaffold);
  await replace('tier_notes', { scaffold: scaffold.notes, refused }, {}, versions.notes);
  const written: string[] = [];
  for (const fact of apply.facts) {
    // A scope without a user has no level `user`: its facts are stored at the level of the scope.
    const input = { ...fact, level: ownerLevel(scope) };
    const { memory, outcome } = await writeMemory(writer, parts, scope, input, why);
    if (outcome !== 'unchanged') written.push(memory.id);
  }
  await markProcessed(writer, scope.tenant, apply.events, now);
  await saveProgress(writer, scope, apply.nextProgress);
  // Held changes are outdated now, because they were made for the previous version of the tiers.
  await decideHeldChanges(writer, scope, { kind: 'synthesis', decision: 'outdated', now });
  return {
    workingMemory: Number(hasWorking),
    scaffold: Number(hasScaffold),
    events: apply.events.length,
    memories: written,
  };
}

/** Stores the refused changes of an answer, so that the next prompt can name them. */
export async function noteRefused(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { refused, why }: { refused: TierNotes['refused']; why: Change },
): Promise<void> {
  const { scaffold, refused: before } = readTierNotes((await findBlock(writer, scope, 'tier_notes'))?.content);
  if (isDeepStrictEqual(refused, before)) return;
  await replaceBlock(writer, parts, scope, { kind: 'tier_notes', content: { scaffold, refused } }, why);
}

function isEmpty(content: unknown): boolean {
  return Object.values(content as object).every(
    (part) => typeof part === 'object' && part !== null && Object.keys(part).length === 0,
  );
}

/** Throws `conflict` if another run has processed the same observations since they were read. */
async function assertNotTaken(writer: Writer, scope: Scope, { progress, events }: SynthesisToApply): Promise<void> {
  const { eventSequence } = await findProgress(writer, scope);
  if (eventSequence === progress.eventSequence) return;
  throw new VarveError('Another run has processed these observations meanwhile. Start again with the remaining ones.', {
    code: 'conflict',
    retryable: true,
    details: { events: events.length },
  });
}
