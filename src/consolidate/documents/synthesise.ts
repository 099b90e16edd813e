import { isDeepStrictEqual } from 'node:util';
import { conflict, messageOf, VarveError } from '../../errors.ts';
import { formStatements } from '../../form/form.ts';
import type { ApplyDeps } from '../../form/formation-settings.ts';
import { readStatement } from '../../form/read/reader.ts';
import type { Basis } from '../../record/block.ts';
import { type InternalMemory, mergedAmong } from '../../record/memory.ts';
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
import { askSynthesis, type Synthesis } from '../ask-model.ts';
import type { MaterialDeps, RunDeps, UpkeepDeps } from '../consolidate-deps.ts';
import { type ActiveRun, type Committed, meteredRun, type RunContext } from '../run-log.ts';
import { changed, lossOf, type RefusedChange } from './changes.ts';
import {
  type BlockText,
  fitted,
  idsOf,
  isUnchanged,
  type Material,
  type Materials,
  readBlockText,
  refreshed,
  type StoredDocument,
  storedDocument,
  unsaid,
  writeBlockText,
} from './document.ts';
import { factsToKeep, type Observed, toObserved } from './observed.ts';
import {
  changedScaffold,
  givenChanges,
  readTierNotes,
  type Scaffold,
  type TierNotes,
  unverifiedChanges,
  verifiedEntries,
} from './scaffold.ts';
import {
  holdsNow,
  liveStatements,
  observedMaterial,
  recentObservations,
  standingEvents,
  toMaterial,
  waitingObservations,
  withDoubts,
  workingMaterials,
} from './sources.ts';

/** The dependencies of gathering the sources of documents and of the runs that write the documents. */
export type SynthesisDeps = MaterialDeps & RunDeps;

/** The counts that a synthesis reports. */
export interface SynthesisCounts {
  /** The number of processed observations and statements. */
  taken: number;
  /** The number of memories that were formed from the observations. */
  memories: number;
  /** The number of batches whose answer waits for review. */
  held: number;
  /** The number of observations that failed in a batch of their own, and how many of them were set aside. */
  failed: number;
  setAside: number;
}

/**
 * Updates the working memory and the scaffold of an owner: first with the observations since the last run, each of them once, then with the
 * statements that hold. Statements need no model: each stays a line until the nightly reflection works it into prose. A batch with an
 * unusable answer is halved until the observation that causes the failure is alone, so that the others are processed.
 */
export async function synthesiseOwner(
  deps: SynthesisDeps,
  scope: Scope,
  options: RunContext,
): Promise<SynthesisCounts> {
  const counts: SynthesisCounts = { taken: 0, memories: 0, held: 0, failed: 0, setAside: 0 };
  await takeObservations(deps, scope, { options, counts });
  counts.taken += (await refreshWorkingMemory(deps, scope, options)) ?? 0;
  return counts;
}

interface Work {
  options: RunContext;
  counts: SynthesisCounts;
}

async function takeObservations(deps: SynthesisDeps, scope: Scope, { options, counts }: Work): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    options.signal?.throwIfAborted();
    const { seen, observed, progress, held } = await deps.database.read(scope.tenant, async (reader) => {
      const progress = await findProgress(reader, scope);
      return {
        seen: await seeOwner(reader, scope),
        progress,
        observed: (await waitingObservations(reader, deps, scope, progress)).map((each) =>
          toObserved(each, deps.privacy),
        ),
        held: (await listHeldChanges(reader, scope)).filter(({ kind }) => kind === 'synthesis'),
      };
    });
    // While an answer waits for review, the model is not asked again before there are new observations.
    const waiting = new Set(held.flatMap(({ events }) => events));
    const isHeld = held.length > 0 && observed.every(({ event }) => waiting.has(event.id));
    if (observed.length === 0 || isHeld) return;
    // Observations that failed before are tried one by one, so that they do not fail a batch.
    const isFailed = ({ sequence }: Observed): boolean => sequence <= progress.eventSequence;
    const failedBefore = observed.filter((each) => isFailed(each) && !tried.has(each.event.id));
    const fresh = observed.filter((each) => !isFailed(each));
    for (const { event } of [...fresh, ...failedBefore]) tried.add(event.id);
    const batches = [...(fresh.length > 0 ? [fresh] : []), ...failedBefore.map((each) => [each])];
    let reached = progress;
    for (const batch of batches)
      reached = await synthesiseBatch(deps, scope, { batch, seen, progress: reached, options, counts });
    if (counts.held > 0 || fresh.length === 0) return;
  }
}

interface Batch extends Work {
  batch: readonly Observed[];
  seen: SeenOwner;
  progress: OwnerProgress;
}

async function synthesiseBatch(deps: SynthesisDeps, scope: Scope, given: Batch): Promise<OwnerProgress> {
  const { batch, progress } = given;
  try {
    return { ...progress, ...(await synthesiseOnce(deps, scope, given)) };
  } catch (error) {
    if (!VarveError.isInstance(error, 'model_answer_invalid') && !VarveError.isInstance(error, 'invalid_input'))
      throw error;
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) return setFailed(deps, scope, { ...given, failed: only, error });
    const middle = Math.ceil(batch.length / 2);
    const first = await synthesiseBatch(deps, scope, { ...given, batch: batch.slice(0, middle) });
    return synthesiseBatch(deps, scope, { ...given, batch: batch.slice(middle), progress: first });
  }
}

/** Reads the tiers, asks a model for changes, checks the changes, and applies them or holds them for review. */
async function synthesiseOnce(
  deps: SynthesisDeps,
  scope: Scope,
  { batch, seen, progress, options, counts }: Batch,
): Promise<Pick<OwnerProgress, 'eventSequence'>> {
  const nextProgress = progressAfter(progress, batch);
  return meteredRun(deps, { scope, kind: 'synthesise', seen, ...options }, async (run) => {
    const events = batch.map(({ event }) => event.id);
    const { tiers, materials, formed } = await deps.database.read(scope.tenant, async (reader) => {
      const tiers = await readTiers(reader, scope);
      const materials = await readMaterials(reader, deps, scope, tiers);
      return { tiers, materials, formed: await memoriesFrom(reader, scope.tenant, events) };
    });
    run.read({ observations: batch.length });
    // The words of tools and pages do not go into documents, except values of the scaffold, which have a mark. Recall finds the others.
    const trusted = batch.filter(({ trust }) => trust !== 'low');
    const unverified = batch.filter(({ trust }) => trust === 'low');
    const next = await nextTiers(deps, run, { tiers, materials, batch: trusted, unverified });
    const apply: SynthesisToApply = {
      ...next.tiers,
      facts: factsToKeep(next.facts, trusted, {
        privacy: deps.privacy,
        reader: run.languageModel?.modelOf('synthesise') ?? 'local',
        formed,
        first: next.first,
      }),
      events,
      versions: tiers.versions,
      progress: { eventSequence: progress.eventSequence },
      nextProgress,
    };
    const { suspicion } = next;
    const { changed: notes } = await run.commit(async (writer): Promise<Committed> => {
      if (suspicion === null) {
        const why = { reason: reasonOf(next.replaced, next.tiers.refused), actor: 'synthesise', run: run.id };
        const applied = await applySynthesis(writer, deps, scope, { apply, why });
        return { changed: { ...applied, refused: next.tiers.refused.length } };
      }
      return holdBack(writer, deps, { scope, run: run.id, reason: suspicion, apply });
    });
    if (suspicion !== null) {
      counts.held += 1;
      return { eventSequence: progress.eventSequence };
    }
    counts.taken += batch.length;
    counts.memories += (notes['memories'] as readonly string[]).length;
    return nextProgress;
  });
}

/** Stores a change for review instead of applying it, because it would lose many statements that still hold. */
async function holdBack(
  writer: Writer,
  parts: Pick<Parts, 'clock' | 'ids'>,
  { scope, run, reason, apply }: { scope: Scope; run: string; reason: string; apply: SynthesisToApply },
): Promise<Committed> {
  await changeOwner(writer, scope, parts.clock.now());
  await holdChange(writer, parts, { scope, run, kind: 'synthesis', reason, proposal: apply, events: apply.events });
  return { changed: { held: 1 }, status: 'held' };
}

interface NextTiers {
  tiers: Pick<SynthesisToApply, 'workingMemory' | 'scaffold' | 'refused'>;
  facts: Synthesis['facts'];
  /** The number of the first observation in the numbering that the model was shown. */
  first: number;
  replaced: string[];
  suspicion: string | null;
}

interface TakenIn {
  tiers: Tiers;
  materials: Materials;
  batch: readonly Observed[];
  /** The observations that tools and pages make. */
  unverified: readonly Observed[];
}

/** The tiers after a batch of observations. A model works the observations in; without a model they become lines and entries as given. */
async function nextTiers(
  deps: Pick<MaterialDeps, 'clock' | 'privacy' | 'consolidation'>,
  run: ActiveRun,
  { tiers, materials, batch, unverified }: TakenIn,
): Promise<NextTiers> {
  const { words, scaffoldKeys, shrinkShare } = deps.consolidation.tiers;
  const now = deps.clock.now();
  const languageModel = batch.length === 0 ? null : run.languageModel;
  const observed = batch.map(({ event }) => observedMaterial(event, deps));
  const known = new Map([...materials.known, ...observed.map((each) => [each.id, each] as const)]);
  const document = refreshed(tiers.workingMemory, { known, wanted: materials.wanted }, now);
  const first = document.sentences.length + 1;
  const texts = [...document.sentences.map(({ text }) => text), ...batch.map(({ content }) => content)];
  const entries = verifiedEntries(tiers.scaffold);
  const shown = [...texts, JSON.stringify(entries)];
  const sources = { shown, own: shown };
  const synthesis =
    languageModel === null
      ? { workingMemory: [], scaffold: givenChanges(batch, first), facts: [] }
      : await askSynthesis(
          languageModel,
          {
            sentences: document.sentences,
            observations: batch.map(({ event, content }) => ({ ...event, content })),
            scaffold: entries,
            scaffoldKeys,
            wordLimit: words,
            today: new Date(now).toISOString().slice(0, 10),
            refused: tiers.refused,
          },
          run.signal,
        );
  const limits = { first, keys: scaffoldKeys, shrinkShare, now: new Date(now).toISOString() };
  const checked = languageModel === null ? null : sources;
  const scaffold = changedScaffold(tiers.scaffold, synthesis.scaffold, {
    ...limits,
    observed: batch,
    sources: checked,
  });
  const added = unverifiedChanges(scaffold.scaffold, unverified, first);
  const whole = changedScaffold(scaffold.scaffold, added, { ...limits, observed: unverified, sources: null });
  // Without a model the observations become lines, except updates of the scaffold.
  const lines = observed.filter((_, index) => batch[index]?.event.category !== 'scaffold_update');
  const wanted = [...materials.wanted, ...lines];
  const working =
    languageModel === null
      ? { document: refreshed(document, { known, wanted }, now), refused: [], held: 0, lost: 0 }
      : changed(document, synthesis.workingMemory, { materials: observed, known, sources });
  return {
    tiers: {
      workingMemory: writeBlockText(fitted(working.document, words, tiers.inProfile)),
      scaffold: whole.scaffold,
      refused: [...working.refused, ...scaffold.refused],
    },
    facts: synthesis.facts,
    first,
    replaced: scaffold.replaced,
    suspicion: scaffold.suspicion ?? lossOf(working, shrinkShare, 'the working memory'),
  };
}

/** Records a failed attempt at one observation, with its error. After the last attempt the observation is set aside. */
async function setFailed(
  deps: UpkeepDeps,
  scope: Scope,
  { failed, seen, progress, error, counts }: Omit<Batch, 'batch'> & { failed: Observed; error: unknown },
): Promise<OwnerProgress> {
  const next = progressAfter(progress, [failed]);
  const attempts = await deps.database.write(scope.tenant, async (writer) => {
    await assertNotErased(writer, seen);
    await changeOwner(writer, scope, deps.clock.now());
    await saveProgress(writer, scope, next);
    return noteFailedTry(writer, scope.tenant, failed.event.id, messageOf(error));
  });
  counts.failed += 1;
  if (attempts >= deps.consolidation.tiers.tries) counts.setAside += 1;
  return { ...progress, ...next };
}

function progressAfter(
  { eventSequence }: OwnerProgress,
  batch: readonly Observed[],
): Pick<OwnerProgress, 'eventSequence'> {
  return { eventSequence: batch.reduce((most, { sequence }) => Math.max(most, sequence), eventSequence) };
}

/** Refused changes are counted and not quoted, because forgetting does not redact the reasons of revisions. */
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

/**
 * Removes stale sentences from the working memory and adds a line for each missing statement. No model is called, and without a change
 * nothing is written. Returns how many statements are new, or null if nothing was written.
 */
export async function refreshWorkingMemory(
  deps: SynthesisDeps,
  scope: Scope,
  options: RunContext,
): Promise<number | null> {
  const { seen, tiers, materials } = await deps.database.read(scope.tenant, async (reader) => {
    const tiers = await readTiers(reader, scope);
    return { seen: await seeOwner(reader, scope), tiers, materials: await readMaterials(reader, deps, scope, tiers) };
  });
  const document = refreshed(tiers.workingMemory, materials, deps.clock.now());
  const next = writeBlockText(fitted(document, deps.consolidation.tiers.words, tiers.inProfile));
  if (isUnchanged(next, tiers.stored)) return null;
  const news = unsaid(tiers.workingMemory, materials.wanted).length;
  await meteredRun(deps, { scope, kind: 'refresh-documents', seen, ...options }, async (run) => {
    run.read({ statements: materials.wanted.length });
    await run.commit(async (writer) => {
      const why = { reason: `refreshed: ${news} new statements`, actor: 'refresh-documents', run: run.id };
      const { text: content, basis } = next;
      const replacement = { kind: 'working_memory' as const, content, basis, expectedVersion: tiers.stored.version };
      await replaceBlock(writer, deps, scope, replacement, why);
      return { changed: { workingMemory: 1, news } };
    });
  });
  return news;
}

/** The current working memory and scaffold of an owner. The version of a block that does not exist is 0. */
export interface Tiers {
  workingMemory: BlockText;
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
  const merged = new Set(live.filter(mergedAmong(live)).map(({ id }) => id));
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
  // The prompt contains a merged text in place of its statements.
  const single = statements.filter(({ id, hasAged }) => !merged.has(id) && !hasAged);
  return { known, wanted: [...single, ...unformed] };
}

/** The writes of a synthesis. They are stored unchanged while the synthesis is held for review. */
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

/** Applies a synthesis in one transaction: both tiers, their notes, the facts, and the mark on the events. */
export async function applySynthesis(
  writer: Writer,
  deps: ApplyDeps,
  scope: Scope,
  { apply, why }: { apply: SynthesisToApply; why: Change },
): Promise<RunNotes> {
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
    // A block that does not exist is not created empty.
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
  // Held changes become outdated, because they were made for the previous version of the tiers.
  await decideHeldChanges(writer, scope, { kind: 'synthesis', decision: 'outdated', now });
  return {
    workingMemory: Number(hasWorking),
    scaffold: Number(hasScaffold),
    events: apply.events.length,
    memories: written,
  };
}

/** Forms a fact from its observations, by the same check, comparison and decision as every statement. Returns the ids of new memories. */
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
  throw conflict('Another run has processed these observations meanwhile. Start again with the remaining ones.', {
    retryable: true,
    details: { events: events.length },
  });
}
