import { VarveError } from '../errors.ts';
import { ownerKey, ownerOf, type Scope } from '../record/scope.ts';
import type { Parts } from '../store/database.ts';
import { decideHeldChanges, findHeldChange } from '../store/held-change-store.ts';
import type { RunCause } from '../store/history-store.ts';
import { ownerStates, saveProgress, seeOwner } from '../store/owner-store.ts';
import { endOwnSessions, mergeReflections, reflectionBuffers } from './documents/reflections.ts';
import type { StoredDocument } from './documents/document.ts';
import {
  applySynthesis,
  type SynthesisCounts,
  type SynthesisToApply,
  synthesiseOwner,
} from './documents/synthesise.ts';
import { crowdedTags, type MergedTag, mergeTag } from './merge-tags.ts';
import { applyDocument } from './nightly/reflect.ts';
import { findPatterns, writePattern } from './patterns/find-patterns.ts';
import { rehearse } from './rehearse.ts';
import { insertLocalRun } from './run-log.ts';
import { judgeGiven } from './usefulness.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

interface ConsolidateOptions {
  /** Default: `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Runs all steps and rolls their changes back. Language models are called, which costs money. */
  dryRun?: boolean;
}

/** The result of a consolidation. */
export interface ConsolidationReport {
  synthesis: SynthesisCounts;
  /** How many finished sessions were cleared: their merged text was emptied and their reflections were archived. */
  sessionsEnded: number;
  /** The number of reflections that were merged into the texts that every prompt contains. */
  absorbed: number;
  tags: MergedTag[];
  /** The ids of new and updated patterns. */
  patterns: string[];
  /** How many memories were judged by whether answers used them. */
  judged: number;
  moved: number;
  /** Failed steps and failed parts of steps. A failed part has changed nothing; finished parts of its step stay applied. */
  failures: { step: string; error: unknown }[];
}

/** If a step fails, the report names it and the next steps still run. */
export async function consolidateOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  { cause = 'hand', signal, dryRun = false }: ConsolidateOptions = {},
): Promise<ConsolidationReport> {
  if (dryRun) return rehearse(deps, scope.tenant, (rehearsed) => consolidateOwner(rehearsed, scope, { cause, signal }));
  const owner = ownerOf(scope);
  const report: ConsolidationReport = {
    synthesis: { taken: 0, memories: 0, held: 0, failed: 0, setAside: 0 },
    sessionsEnded: 0,
    absorbed: 0,
    tags: [],
    patterns: [],
    judged: 0,
    moved: 0,
    failures: [],
  };
  const options = { cause, signal };
  const run: OwnerRun = { deps, owner, report, options };
  const { reflections, tags, patterns, usefulness, tiers } = deps.consolidation;
  const version = await versionOf(deps, owner);
  await step(run, 'end-sessions', async () => {
    report.sessionsEnded = await endOwnSessions(deps, owner, options);
  });
  if (reflections.enabled) await step(run, 'merge-reflections', () => mergeAllReflections(run));
  if (tags.enabled) await step(run, 'merge-tags', () => mergeCrowdedTags(run));
  if (patterns.enabled) await step(run, 'find-patterns', () => writeAllPatterns(run));
  if (usefulness.enabled)
    await step(run, 'judge-use', async () => void Object.assign(report, await judgeGiven(deps, owner, options)));
  // The documents include the changes of the other steps, so this step is last.
  if (tiers.enabled && owner.user !== null)
    await step(run, 'synthesise', async () => {
      report.synthesis = await synthesiseOwner(deps, owner, options);
    });
  // Records may have arrived during the run. If the version has changed, the next job therefore consolidates the owner again.
  if (report.failures.length === 0 && (await versionOf(deps, owner)) === version) {
    await deps.database.write(owner.tenant, (writer) => saveProgress(writer, owner, { consolidatedVersion: version }));
  }
  return report;
}

interface OwnerRun {
  deps: ConsolidateDeps;
  owner: Scope;
  report: ConsolidationReport;
  options: { cause: RunCause; signal: AbortSignal | undefined };
}

async function step({ report, options }: OwnerRun, name: string, work: () => Promise<void>): Promise<void> {
  options.signal?.throwIfAborted();
  try {
    await work();
  } catch (error) {
    options.signal?.throwIfAborted();
    report.failures.push({ step: name, error });
  }
}

/** Reports a failure that concerns only this part of a step. Any other failure, such as an unreachable model, ends the step. */
async function alone<Result>(
  { report, options }: OwnerRun,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  options.signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    if (!FAILED_BY_ITSELF.some((code) => VarveError.isInstance(error, code))) throw error;
    report.failures.push({ step: name, error });
    return null;
  }
}

async function mergeAllReflections(run: OwnerRun): Promise<void> {
  const { deps, owner, report, options } = run;
  for (const buffer of await deps.database.read(owner.tenant, (reader) => reflectionBuffers(reader, deps, owner))) {
    report.absorbed += (await alone(run, 'merge-reflections', () => mergeReflections(deps, buffer, options))) ?? 0;
  }
}

async function mergeCrowdedTags(run: OwnerRun): Promise<void> {
  const { deps, owner, report, options } = run;
  const leftAlone = new Set<string>();
  for (;;) {
    const { seen, groups } = await deps.database.read(owner.tenant, async (reader) => ({
      seen: await seeOwner(reader, owner),
      groups: await crowdedTags(reader, deps, owner),
    }));
    const group = groups.find(({ tag }) => !leftAlone.has(tag));
    if (group === undefined) return;
    const merged = await alone(run, 'merge-tags', () => mergeTag(deps, owner, group, { ...options, seen }));
    if (merged === null) leftAlone.add(group.tag);
    else report.tags.push(merged);
  }
}

async function writeAllPatterns(run: OwnerRun): Promise<void> {
  const { deps, owner, report, options } = run;
  const { seen, patterns } = await deps.database.read(owner.tenant, async (reader) => ({
    seen: await seeOwner(reader, owner),
    patterns: await findPatterns(reader, deps, owner),
  }));
  for (const found of patterns) {
    const id = await alone(run, 'find-patterns', () => writePattern(deps, owner, found, { ...options, seen }));
    if (id !== null) report.patterns.push(id);
  }
}

const FAILED_BY_ITSELF = ['model_answer_invalid', 'invalid_input', 'conflict'] as const;

async function versionOf({ database }: ConsolidateDeps, owner: Scope): Promise<number> {
  const [state] = await database.read(owner.tenant, (reader) => ownerStates(reader, owner.tenant, [ownerKey(owner)]));
  return state?.version ?? 0;
}

export async function acceptHeldChange(deps: ConsolidateDeps, scope: Scope, id: string, actor: string): Promise<void> {
  const now = deps.clock.now();
  await deps.database.write(scope.tenant, async (writer) => {
    const { kind, reason, proposal } = await findHeldChange(writer, scope, id);
    const run = deps.ids.next('run');
    const why = { reason: `accepted after review: ${reason}`.slice(0, 500), actor, run };
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'accepted', now });
    const changed =
      kind === 'synthesis'
        ? await applySynthesis(writer, deps, scope, { apply: proposal as SynthesisToApply, why })
        : await applyDocument(writer, deps, scope, { kind, apply: proposal as StoredDocument, why });
    const entry = { kind: 'accept-held', cause: 'hand', startedAt: now, read: { held: id }, changed } as const;
    await insertLocalRun(writer, deps, { id: run, scope, ...entry });
  });
}

export async function rejectHeldChange(parts: Parts, scope: Scope, id: string): Promise<void> {
  await parts.database.write(scope.tenant, async (writer) => {
    await findHeldChange(writer, scope, id);
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'rejected', now: parts.clock.now() });
  });
}
