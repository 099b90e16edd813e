import { isDeepStrictEqual } from 'node:util';
import { conflict, messageOf, VarveError } from '../../errors.ts';
import { formStatements } from '../../form/form.ts';
import type { ApplyDeps } from '../../form/formation-settings.ts';
import { readStatement } from '../../form/read/reader.ts';
import type { Basis } from '../../record/block.ts';
import { type InternalMemory, isoDay } from '../../record/memory.ts';
import { isObject } from '../../record/parse.ts';
import type { Change } from '../../record/revision.ts';
import type { Scope } from '../../record/scope.ts';
import { findBlock, replaceBlock } from '../../store/block-store.ts';
import type { Parts, Reader, Writer } from '../../store/database.ts';
import { findEvents, noteFailedTry } from '../../store/event-store.ts';
import { decideHeldChanges, holdChange, listHeldChanges } from '../../store/held-change-store.ts';
import type { RunNotes } from '../../store/history-store.ts';
import {
  assertNotErased,
  changeOwner,
  findProgress,
  type OwnerProgress,
  saveProgress,
  type SeenOwner,
  seeOwner,
} from '../../store/owner-store.ts';
import { memoriesFrom } from '../../store/read-memories.ts';
import { markProcessed } from '../../store/session-store.ts';
import { askSynthesis } from '../ask-model.ts';
import { type ActiveRun, type Committed, meteredRun, type RunContext } from '../run-log.ts';
import { changed, lossOf, type RefusedChange } from './changes.ts';
import {
  fitted,
  idsOf,
  isUnchanged,
  type OpenDocument,
  readDocument,
  refreshed,
  unsaid,
  writeBlockText,
} from './document.ts';
import { type CitedFact, factsToKeep, type Observed, toObserved } from './observed.ts';
import {
  changedScaffold,
  givenChanges,
  readTierNotes,
  type Scaffold,
  type TierNotes,
  unverifiedChanges,
  verifiedEntries,
} from './scaffold.ts';
import { openWorkingMemory, waitingObservations } from './sources.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

/** The counts that a synthesis reports. */
export interface SynthesisCounts {
  /** The number of processed observations and statements. */
  taken: number;
  /** The number of memories that were formed from the observations. */
  memories: number;
  /** The number of batches whose answer waits for review. */
  held: number;
  /** How many observations failed in a batch of their own. */
  failed: number;
  setAside: number;
}

/**
 * Statements need no model: each becomes a line until the nightly reflection works it into prose. If a model's answer to a batch is
 * unusable, the batch is halved until the failing observation is alone.
 */
export async function synthesiseOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  options: RunContext,
): Promise<SynthesisCounts> {
  const counts: SynthesisCounts = { taken: 0, memories: 0, held: 0, failed: 0, setAside: 0 };
  await takeObservations({ deps, scope, options, counts });
  counts.taken += (await refreshWorkingMemory(deps, scope, options)) ?? 0;
  return counts;
}

interface Work {
  deps: ConsolidateDeps;
  scope: Scope;
  options: RunContext;
  counts: SynthesisCounts;
}

async function takeObservations(work: Work): Promise<void> {
  const { deps, scope, options, counts } = work;
  const tried = new Set<string>();
  for (;;) {
    options.signal?.throwIfAborted();
    const { seen, observed, read, held } = await deps.database.read(scope.tenant, async (reader) => {
      const { eventSequence } = await findProgress(reader, scope);
      const waiting = await waitingObservations(reader, deps, scope, eventSequence);
      return {
        seen: await seeOwner(reader, scope),
        read: eventSequence,
        observed: waiting.map((each) => toObserved(each, deps)),
        held: (await listHeldChanges(reader, scope)).filter(({ kind }) => kind === 'synthesis'),
      };
    });
    // While an answer waits for review, the model is asked again only if there are new observations.
    const waiting = new Set(held.flatMap(({ events }) => events));
    if (observed.length === 0 || (held.length > 0 && observed.every(({ id }) => waiting.has(id)))) return;
    // Observations that failed before are tried one by one, so that they do not fail a batch.
    const fresh = observed.filter(({ sequence }) => sequence > read);
    const failedBefore = observed.filter(({ id, sequence }) => sequence <= read && !tried.has(id));
    for (const { id } of [...fresh, ...failedBefore]) tried.add(id);
    const batches = [...(fresh.length > 0 ? [fresh] : []), ...failedBefore.map((each) => [each])];
    let after = read;
    for (const batch of batches) after = await synthesiseBatch({ ...work, batch, seen, after });
    if (counts.held > 0 || fresh.length === 0) return;
  }
}

interface Batch extends Work {
  batch: readonly Observed[];
  seen: SeenOwner;
  after: number;
}

/** Returns the sequence up to which observations have been processed. */
async function synthesiseBatch(given: Batch): Promise<number> {
  const { batch } = given;
  try {
    return await synthesiseOnce(given);
  } catch (error) {
    if (!VarveError.isInstance(error, 'model_answer_invalid') && !VarveError.isInstance(error, 'invalid_input'))
      throw error;
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) return setFailed(given, only, error);
    const middle = Math.ceil(batch.length / 2);
    const after = await synthesiseBatch({ ...given, batch: batch.slice(0, middle) });
    return synthesiseBatch({ ...given, batch: batch.slice(middle), after });
  }
}

async function synthesiseOnce({ deps, scope, batch, seen, after, options, counts }: Batch): Promise<number> {
  const reached = reachedBy(batch, after);
  return meteredRun(deps, { scope, kind: 'synthesise', seen, ...options }, async (run) => {
    const events = batch.map(({ id }) => id);
    const { tiers, formed } = await deps.database.read(scope.tenant, async (reader) => ({
      tiers: await readTiers(reader, deps, scope),
      formed: await memoriesFrom(reader, scope.tenant, events),
    }));
    run.read({ observations: batch.length });
    // Text from tools and pages does not enter the documents, except marked scaffold values. Recall still finds it.
    const trusted = batch.filter(({ trust }) => trust !== 'low');
    const unverified = batch.filter(({ trust }) => trust === 'low');
    const next = await nextTiers(deps, run, { tiers, batch: trusted, unverified });
    const reader = run.languageModel?.modelOf('synthesise') ?? 'local';
    const apply: SynthesisToApply = {
      ...next.tiers,
      facts: factsToKeep(next.facts, trusted, { privacy: deps.privacy, reader, formed }),
      events,
      versions: tiers.versions,
      progress: { eventSequence: after },
      nextProgress: { eventSequence: reached },
    };
    const { suspicion } = next;
    if (suspicion !== null) {
      await run.commit((writer) => holdBack(writer, deps, { scope, run: run.id, reason: suspicion, apply }));
      counts.held += 1;
      return after;
    }
    const { changed: notes } = await run.commit(async (writer) => {
      const why = { reason: reasonOf(next.replaced, next.tiers.refused), actor: 'synthesise', run: run.id };
      const applied = await applySynthesis(writer, deps, scope, { apply, why });
      return { changed: { ...applied, refused: next.tiers.refused.length } };
    });
    counts.taken += batch.length;
    counts.memories += notes.memories.length;
    return reached;
  });
}

async function holdBack(
  writer: Writer,
  parts: ConsolidateDeps,
  { scope, run, reason, apply }: { scope: Scope; run: string; reason: string; apply: SynthesisToApply },
): Promise<Committed> {
  await changeOwner(writer, scope, parts.clock.now());
  await holdChange(writer, parts, { scope, run, kind: 'synthesis', reason, proposal: apply, events: apply.events });
  return { changed: { held: 1 }, status: 'held' };
}

interface NextTiers {
  tiers: Pick<SynthesisToApply, 'workingMemory' | 'scaffold' | 'refused'>;
  facts: CitedFact[];
  replaced: string[];
  suspicion: string | null;
}

interface TakenIn {
  tiers: Tiers;
  batch: readonly Observed[];
  unverified: readonly Observed[];
}

/** A model works the observations in. Without a model they become lines, and their keys and values become scaffold entries. */
async function nextTiers(
  deps: ConsolidateDeps,
  run: ActiveRun,
  { tiers, batch, unverified }: TakenIn,
): Promise<NextTiers> {
  const { words, scaffoldKeys, shrinkShare } = deps.consolidation.tiers;
  const now = deps.clock.now();
  const { document, materials } = tiers.workingMemory;
  const known = new Map([...materials.known, ...batch.map((each) => [each.id, each] as const)]);
  const limits = { keys: scaffoldKeys, shrinkShare, now: new Date(now).toISOString() };
  const entries = verifiedEntries(tiers.scaffold);
  const shown = [...[...document.sentences, ...batch].map(({ text }) => text), JSON.stringify(entries)];
  const sources = { shown, own: shown };
  const synthesis =
    run.languageModel === null || batch.length === 0
      ? null
      : await askSynthesis(
          run.languageModel,
          {
            sentences: document.sentences,
            observations: batch,
            scaffold: entries,
            scaffoldKeys,
            wordLimit: words,
            today: isoDay(new Date(now)),
            refused: tiers.refused,
          },
          run.signal,
        );
  const changes = synthesis?.scaffold ?? givenChanges(batch);
  const checked = synthesis === null ? null : sources;
  const scaffold = changedScaffold(tiers.scaffold, changes, { ...limits, observed: batch, sources: checked });
  const added = unverifiedChanges(scaffold.scaffold, unverified);
  const whole = changedScaffold(scaffold.scaffold, added, { ...limits, observed: unverified, sources: null });
  const lines = batch.filter(({ event }) => event.category !== 'scaffold_update');
  const working =
    synthesis === null
      ? { document: refreshed(document, { known, wanted: [...materials.wanted, ...lines] }, now), refused: [] }
      : changed(document, synthesis.workingMemory, { materials: batch, known, sources });
  return {
    tiers: {
      workingMemory: writeBlockText(fitted(working.document, words, tiers.inProfile)),
      scaffold: whole.scaffold,
      refused: [...working.refused, ...scaffold.refused],
    },
    facts: synthesis?.facts ?? [],
    replaced: scaffold.replaced,
    suspicion: scaffold.suspicion ?? ('held' in working ? lossOf(working, shrinkShare, 'the working memory') : null),
  };
}

async function setFailed(
  { deps, scope, seen, after, counts }: Batch,
  failed: Observed,
  error: unknown,
): Promise<number> {
  const reached = reachedBy([failed], after);
  const attempts = await deps.database.write(scope.tenant, async (writer) => {
    await assertNotErased(writer, seen);
    await changeOwner(writer, scope, deps.clock.now());
    await saveProgress(writer, scope, { eventSequence: reached });
    return noteFailedTry(writer, scope.tenant, failed.id, messageOf(error));
  });
  counts.failed += 1;
  if (attempts >= deps.consolidation.tiers.tries) counts.setAside += 1;
  return reached;
}

function reachedBy(batch: readonly Observed[], after: number): number {
  return Math.max(after, ...batch.map(({ sequence }) => sequence));
}

/** Refused changes are only counted, not quoted, because forgetting does not redact the reasons of revisions. */
function reasonOf(replaced: readonly string[], refused: readonly RefusedChange[]): string {
  const reasons = [...Map.groupBy(refused, ({ reason }) => reason)].map(
    ([reason, { length }]) => `${length} ${reason}`,
  );
  return [
    'added new observations',
    ...(replaced.length > 0 ? [`replaced: ${replaced.slice(0, 10).join(', ')}`] : []),
    ...(reasons.length > 0 ? [`refused: ${reasons.join(', ')}`] : []),
  ]
    .join('; ')
    .slice(0, 500);
}

/** Calls no model. Returns the number of new statements, or null if nothing was written. */
export async function refreshWorkingMemory(
  deps: ConsolidateDeps,
  scope: Scope,
  options: RunContext,
): Promise<number | null> {
  const { seen, tiers } = await deps.database.read(scope.tenant, async (reader) => ({
    seen: await seeOwner(reader, scope),
    tiers: await readTiers(reader, deps, scope),
  }));
  const { read, document, materials } = tiers.workingMemory;
  const next = writeBlockText(fitted(document, deps.consolidation.tiers.words, tiers.inProfile));
  if (isUnchanged(next, read.stored)) return null;
  const news = unsaid(read, materials.wanted).length;
  await meteredRun(deps, { scope, kind: 'refresh-documents', seen, ...options }, async (run) => {
    run.read({ statements: materials.wanted.length });
    await run.commit(async (writer) => {
      const why = { reason: `refreshed: ${news} new statements`, actor: 'refresh-documents', run: run.id };
      const { text: content, basis } = next;
      const replacement = { kind: 'working_memory' as const, content, basis, expectedVersion: read.stored.version };
      await replaceBlock(writer, deps, scope, replacement, why);
      return { changed: { workingMemory: 1, news } };
    });
  });
  return news;
}

interface Tiers {
  workingMemory: OpenDocument;
  /** The ids of the profile's sources. */
  inProfile: ReadonlySet<string>;
  scaffold: Scaffold;
  refused: TierNotes['refused'];
  versions: { workingMemory: number; scaffold: number; notes: number };
}

async function readTiers(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<Tiers> {
  const workingMemory = await openWorkingMemory(reader, deps, scope);
  const scaffold = await findBlock(reader, scope, 'scaffold');
  const noted = await readTierNotes(reader, scope);
  const { version } = workingMemory.read.stored;
  return {
    workingMemory,
    inProfile: idsOf(await readDocument(reader, scope, 'profile')),
    scaffold: {
      entries: isObject(scaffold?.content) ? scaffold.content : {},
      basis: scaffold?.basis ?? {},
      notes: noted.scaffold,
    },
    refused: noted.refused,
    versions: { workingMemory: version, scaffold: scaffold?.version ?? 0, notes: noted.version },
  };
}

/** Everything that a synthesis will write. It is stored unchanged while the synthesis is held for review. */
export interface SynthesisToApply {
  workingMemory: { text: string; basis: Basis };
  scaffold: Scaffold;
  refused: TierNotes['refused'];
  facts: InternalMemory[];
  events: string[];
  versions: Tiers['versions'];
  progress: Pick<OwnerProgress, 'eventSequence'>;
  nextProgress: Pick<OwnerProgress, 'eventSequence'>;
}

export async function applySynthesis(
  writer: Writer,
  deps: ApplyDeps,
  scope: Scope,
  { apply, why }: { apply: SynthesisToApply; why: Change },
): Promise<RunNotes & { memories: string[] }> {
  const now = deps.clock.now();
  await changeOwner(writer, scope, now);
  await assertNotTaken(writer, scope, apply);
  const { workingMemory, scaffold, refused, versions } = apply;
  const replace = async (
    kind: 'working_memory' | 'scaffold' | 'tier_notes',
    content: unknown,
    basis: Basis,
    expectedVersion: number,
  ): Promise<boolean> => {
    // A missing block is not created just to be empty.
    const isNothing = kind === 'working_memory' ? content === '' : isEmpty(content);
    if (expectedVersion === 0 && isNothing && Object.keys(basis).length === 0) return false;
    const replacement = { kind, content, basis, expectedVersion };
    return (await replaceBlock(writer, deps, scope, replacement, why)).version > expectedVersion;
  };
  const hasWorking = await replace('working_memory', workingMemory.text, workingMemory.basis, versions.workingMemory);
  const hasScaffold = await replace('scaffold', scaffold.entries, scaffold.basis, versions.scaffold);
  await replace('tier_notes', { scaffold: scaffold.notes, refused }, {}, versions.notes);
  const written: string[] = [];
  for (const fact of apply.facts) written.push(...(await formFact(writer, deps, scope, { fact, why })));
  await markProcessed(writer, scope.tenant, apply.events, now);
  await saveProgress(writer, scope, apply.nextProgress);
  // Held changes were made for the previous version of the tiers.
  await decideHeldChanges(writer, scope, { kind: 'synthesis', decision: 'outdated', now });
  return {
    workingMemory: Number(hasWorking),
    scaffold: Number(hasScaffold),
    events: apply.events.length,
    memories: written,
  };
}

/** Returns the ids of the new and updated memories. The fact passes the same checks as every statement. */
async function formFact(
  writer: Writer,
  deps: ApplyDeps,
  scope: Scope,
  { fact, why }: { fact: InternalMemory; why: Change },
): Promise<string[]> {
  const { type, content: text, confidence, statedAt = deps.clock.now(), sourceSession: session = null } = fact;
  const { statedBy: by = 'system', sourceType, sourceEvents = [], reader } = fact;
  const events = await findEvents(writer, scope, sourceEvents);
  if (events.length < sourceEvents.length) return [];
  const { added, updated } = await formStatements(
    { writer, deps, scope: { ...scope, session }, events: [], readBy: reader ?? 'local', why },
    {
      statements: [readStatement({ type, text, quotes: [], explicit: confidence === 'high' })],
      // A held synthesis is stored as JSON, where a date is a text.
      stated: { at: new Date(statedAt), by, events },
      sourceType,
    },
  );
  return [...added, ...updated];
}

export async function noteRefused(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { refused, why }: { refused: TierNotes['refused']; why: Change },
): Promise<void> {
  const { scaffold, refused: before } = await readTierNotes(writer, scope);
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
  throw conflict('Another run has processed these observations meanwhile. Start again with the remaining ones.', {
    retryable: true,
    details: { events: events.length },
  });
}
