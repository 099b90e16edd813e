import { messageOf, VarveError } from '../../errors.ts';
import { DAY } from '../../record/clock.ts';
import type { Scope } from '../../record/scope.ts';
import { insertHeldChange, listHeldChanges } from '../../store/held-change-store.ts';
import { memoriesFrom } from '../../store/load-records.ts';
import { changeOwner } from '../../store/owner-store.ts';
import { type OwnerProgress, saveProgress } from '../../store/progress-store.ts';
import { assertNotErased, type SeenOwner, seeOwner } from '../../store/seen-owner.ts';
import { checkedSynthesisText } from '../check-text.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { type Committed, inRun, type RunContext } from '../in-run.ts';
import { ageWorkingMemory, applySynthesis, type SynthesisToApply } from './apply-synthesis.ts';
import { checkSynthesis } from './check-synthesis.ts';
import { factsToKeep, notFormedBefore } from './facts-to-keep.ts';
import { gatherHolding, gatherObserved, type Observed, readTiers } from './observed.ts';

/** What became of an owner's observations. */
export interface SynthesisCounts {
  /** Observations and memories that were taken in. */
  taken: number;
  /** Memories that were made of them. */
  memories: number;
  /** Batches whose answer waits for review. */
  held: number;
  /** Observations that failed alone, and those among them that were set aside for it. */
  failed: number;
  setAside: number;
}

/**
 * Brings the working memory and the scaffold of an owner up to date with what was observed since the last time (T6).
 * A batch whose answer cannot be used is halved until the observation that spoils it stands alone: the others go on.
 */
export async function synthesiseOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  options: RunContext,
): Promise<SynthesisCounts> {
  const counts: SynthesisCounts = { taken: 0, memories: 0, held: 0, failed: 0, setAside: 0 };
  const { batch } = deps.consolidation.tiers;
  const tried = new Set<string>();
  for (;;) {
    options.signal?.throwIfAborted();
    const { seen, observed, progress, held } = await deps.database.read(scope.tenant, async (reader) => ({
      seen: await seeOwner(reader, scope),
      ...(await gatherObserved(reader, deps, scope)),
      held: (await listHeldChanges(reader, scope)).filter(({ kind }) => kind === 'synthesis'),
    }));
    // An answer that waits for review is not asked for again before there is something new.
    const waiting = new Set(held.flatMap(({ events }) => events));
    const isHeld = held.length > 0 && observed.every(({ event, memory }) => waiting.has(event?.id ?? memory?.id ?? ''));
    if (observed.length === 0 || isHeld) return counts;
    // What has failed before is tried alone, so that it spoils nothing.
    const isFailed = ({ event, row }: Observed): boolean => event !== null && row <= progress.eventRow;
    const failedBefore = observed.filter((each) => isFailed(each) && !tried.has(each.event?.id ?? ''));
    const fresh = observed.filter((each) => !isFailed(each)).slice(0, batch);
    for (const { event } of [...fresh, ...failedBefore]) if (event !== null) tried.add(event.id);
    let goesOn = progress;
    if (fresh.length > 0)
      goesOn = await synthesiseBatch(deps, scope, { batch: fresh, seen, progress, options, counts });
    for (const each of failedBefore) {
      goesOn = await synthesiseBatch(deps, scope, { batch: [each], seen, progress: goesOn, options, counts });
    }
    if (counts.held > 0 || fresh.length === 0) return counts;
  }
}

interface Batch {
  batch: readonly Observed[];
  seen: SeenOwner;
  progress: OwnerProgress;
  options: RunContext;
  counts: SynthesisCounts;
}

async function synthesiseBatch(deps: ConsolidateDeps, scope: Scope, given: Batch): Promise<OwnerProgress> {
  const { batch, progress } = given;
  try {
    const next = await synthesiseOnce(deps, scope, given);
    return { ...progress, ...next };
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

/** Reads the tiers, asks for their next state, checks it, and applies it or holds it. */
async function synthesiseOnce(
  deps: ConsolidateDeps,
  scope: Scope,
  { batch, seen, progress, options, counts }: Batch,
): Promise<Pick<OwnerProgress, 'eventRow' | 'memoryRow'>> {
  const settings = deps.consolidation.tiers;
  const nextProgress = progressAfter(progress, batch);
  return inRun(deps, { scope, kind: 'synthesise', seen, ...options }, async (run) => {
    const now = deps.clock.now();
    const events = batch.flatMap(({ event }) => event ?? []);
    const isLocal = run.distiller.kind === 'local';
    const stale = now - settings.staleAfterDays * DAY;
    const { current, formed, holds } = await deps.database.read(scope.tenant, async (reader) => ({
      current: await readTiers(reader, scope),
      formed: await memoriesFrom(
        reader,
        scope.tenant,
        events.map(({ id }) => id),
      ),
      holds: isLocal ? await gatherHolding(reader, deps, scope, stale) : [],
    }));
    const aged = ageWorkingMemory(current.workingMemory, current.notes, {
      now,
      staleAfterDays: settings.staleAfterDays,
    });
    const tiers = { ...current, workingMemory: aged.text };
    run.read({ observations: batch.length, staleSentences: aged.dropped });
    const { output: answered } = await run.distiller.synthesise(
      {
        observations: batch.map(({ turn }) => turn),
        holds,
        workingMemory: tiers.workingMemory,
        scaffold: tiers.scaffold,
        scaffoldKeys: settings.scaffoldKeys,
        wordLimit: settings.words,
        today: new Date(now).toISOString().slice(0, 10),
      },
      { signal: run.signal },
    );
    const known = [tiers.workingMemory, JSON.stringify(tiers.scaffold)];
    const output = isLocal
      ? answered
      : checkedSynthesisText(answered, {
          shown: [...known, ...batch.map(({ turn }) => JSON.stringify(turn))],
          own: [...known, ...batch.filter(({ trust }) => trust !== 'low').map(({ turn }) => JSON.stringify(turn))],
        });
    const { suspicion, ...checked } = checkSynthesis(output, { tiers, observed: batch, settings, now });
    // A list that is written anew from what holds may become shorter by any number of lines: nothing is held for that.
    const doubt = isLocal ? null : suspicion;
    const apply: SynthesisToApply = {
      tiers: { workingMemory: checked.workingMemory, scaffold: checked.scaffold, notes: checked.notes },
      facts: notFormedBefore(
        factsToKeep(output.facts, batch, { privacy: deps.privacy, reader: run.distiller.id }),
        formed,
      ),
      events: batch.flatMap(({ event }) => event?.id ?? []),
      versions: current.versions,
      progress: { eventRow: progress.eventRow, memoryRow: progress.memoryRow },
      nextProgress,
    };
    const { changed } = await run.commit(async (writer): Promise<Committed> => {
      if (doubt === null) {
        const reason = reasonOf(checked.replaced, checked.kept);
        const why = { reason, actor: 'synthesise', run: run.id };
        return { changed: await applySynthesis(writer, deps, scope, { apply, why }) };
      }
      await changeOwner(writer, scope, now);
      await insertHeldChange(writer, {
        id: deps.ids.next('hld'),
        scope,
        run: run.id,
        kind: 'synthesis',
        reason: doubt,
        proposal: apply,
        events: batch.map(({ event, memory }) => event?.id ?? memory?.id ?? ''),
        createdAt: new Date(now),
      });
      return { changed: { held: 1 }, status: 'held' };
    });
    if (doubt !== null) counts.held += 1;
    else {
      counts.taken += batch.length;
      counts.memories += (changed['memories'] as readonly string[]).length;
    }
    return doubt === null ? nextProgress : { eventRow: progress.eventRow, memoryRow: progress.memoryRow };
  });
}

/** Counts a failure of one observation, and after the last try leaves it aside with its error. */
async function setFailed(
  deps: ConsolidateDeps,
  scope: Scope,
  { failed, seen, progress, error, counts }: Omit<Batch, 'batch'> & { failed: Observed; error: unknown },
): Promise<OwnerProgress> {
  const next = progressAfter(progress, [failed]);
  const attempts = await deps.database.write(scope.tenant, async (writer) => {
    await assertNotErased(writer, seen);
    await changeOwner(writer, scope, deps.clock.now());
    await saveProgress(writer, scope, next);
    if (failed.event === null) return 0;
    const row = await writer
      .updateTable('events')
      .set((eb) => ({
        attempts: eb('attempts', '+', 1),
        // Formation may have marked it already: it waits again, for the tiers.
        processed_at: null,
        last_error: messageOf(error).slice(0, 1000).replaceAll('\0', '').toWellFormed(),
      }))
      .where('tenant_id', '=', scope.tenant)
      .where('id', '=', failed.event.id)
      .returning('attempts')
      .executeTakeFirst();
    return row?.attempts ?? 0;
  });
  counts.failed += 1;
  if (attempts >= deps.consolidation.tiers.tries) counts.setAside += 1;
  return { ...progress, ...next };
}

function progressAfter(
  progress: OwnerProgress,
  batch: readonly Observed[],
): Pick<OwnerProgress, 'eventRow' | 'memoryRow'> {
  const last = (rows: number[]): number => rows.reduce((most, row) => Math.max(most, row), 0);
  return {
    eventRow: Math.max(progress.eventRow, last(batch.filter(({ event }) => event !== null).map(({ row }) => row))),
    memoryRow: Math.max(progress.memoryRow, last(batch.filter(({ memory }) => memory !== null).map(({ row }) => row))),
  };
}

function reasonOf(replaced: readonly string[], kept: readonly { key: string; why: string }[]): string {
  const parts = [
    replaced.length > 0 ? `replaced: ${replaced.slice(0, 10).join(', ')}` : '',
    kept.length > 0
      ? `kept: ${kept
          .slice(0, 10)
          .map(({ key, why }) => `${key} (${why})`)
          .join(', ')}`
      : '',
  ].filter((part) => part !== '');
  return `took in new observations${parts.length === 0 ? '' : `; ${parts.join('; ')}`}`.slice(0, 500);
}
