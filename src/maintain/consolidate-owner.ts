import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import { endOwnSessions } from '../consolidate/end-sessions.ts';
import { markGoals } from '../consolidate/mark-goals.ts';
import { mergeReflections, reflectionBuffers } from '../consolidate/merge-reflections.ts';
import { crowdedTags, mergeTag, withoutTried, type MergedTag } from '../consolidate/merge-tags.ts';
import { findPatterns } from '../consolidate/patterns/find-patterns.ts';
import { writePattern } from '../consolidate/patterns/write-pattern.ts';
import { rehearse } from '../consolidate/rehearse.ts';
import { synthesiseOwner, type SynthesisCounts } from '../consolidate/synthesis/synthesise-owner.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { saveProgress } from '../store/progress-store.ts';
import type { RunCause } from '../store/run-store.ts';
import { judgeGiven } from './usefulness.ts';

export interface ConsolidateOptions {
  /** Default `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Does everything and takes it back: the report is that of the real run. A language model is asked, and costs. */
  dryRun?: boolean;
}

/** What consolidation has made of what an owner has learned. */
export interface ConsolidationReport {
  synthesis: SynthesisCounts;
  /** Sessions whose merged text has ended with them. */
  sessionsEnded: number;
  /** Reflections that were merged into what is always in mind. */
  absorbed: number;
  tags: MergedTag[];
  /** The ids of patterns that were found or brought up to date. */
  patterns: string[];
  goalsReached: number;
  /** Memories given to models that were judged, and those whose importance moved. */
  judged: number;
  moved: number;
  /** Steps that failed: what they would have changed is as it was. */
  failures: { step: string; error: unknown }[];
}

/**
 * Consolidates what an owner has learned: working memory and scaffold → sessions that are over → reflections → tags →
 * patterns → goals → use.
 * Each step stands for itself: one that fails is named in the report, and the others go on.
 */
export async function consolidateOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  { cause = 'hand', signal, dryRun = false }: ConsolidateOptions = {},
): Promise<ConsolidationReport> {
  if (dryRun) return rehearse(deps, scope.tenant, (rehearsed) => consolidateOwner(rehearsed, scope, { cause, signal }));
  const owner: Scope = { ...scope, session: null, connection: null };
  const options = { cause, signal };
  const { consolidation, database } = deps;
  const report: ConsolidationReport = {
    synthesis: { taken: 0, memories: 0, held: 0, failed: 0, setAside: 0 },
    sessionsEnded: 0,
    absorbed: 0,
    tags: [],
    patterns: [],
    goalsReached: 0,
    judged: 0,
    moved: 0,
    failures: [],
  };
  const version = await database.read(owner.tenant, (reader) => versionOf(reader, owner));
  const step = async (name: string, isOn: boolean, work: () => Promise<void>): Promise<void> => {
    if (!isOn) return;
    signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      signal?.throwIfAborted();
      report.failures.push({ step: name, error });
    }
  };

  await step('synthesise', consolidation.tiers.enabled && owner.user !== null, async () => {
    report.synthesis = await synthesiseOwner(deps, owner, options);
  });
  await step('end-sessions', true, async () => {
    report.sessionsEnded = await endOwnSessions(deps, owner, options);
  });
  await step('merge-reflections', consolidation.reflections.enabled, async () => {
    for (const buffer of await database.read(owner.tenant, (reader) => reflectionBuffers(reader, owner))) {
      report.absorbed += await mergeReflections(deps, buffer, options);
    }
  });
  await step('merge-tags', consolidation.tags.enabled, async () => {
    for (;;) {
      const [group] = await database.read(owner.tenant, async (reader) =>
        withoutTried(reader, owner, await crowdedTags(reader, deps, owner)),
      );
      if (group === undefined) return;
      const merged = await mergeTag(deps, owner, group, options);
      if (merged !== null) report.tags.push(merged);
    }
  });
  await step('find-patterns', consolidation.patterns.enabled, async () => {
    for (const found of await database.read(owner.tenant, (reader) => findPatterns(reader, deps, owner))) {
      report.patterns.push(await writePattern(deps, owner, found, options));
    }
  });
  await step('mark-goals', true, async () => {
    report.goalsReached = await markGoals(deps, owner, options);
  });
  await step('judge-use', consolidation.usefulness.enabled, async () => {
    Object.assign(report, await judgeGiven(deps, owner, options));
  });
  // A run that has changed something is followed by another, which finds what came in meanwhile.
  const hasChanged = (await database.read(owner.tenant, (reader) => versionOf(reader, owner))) !== version;
  if (!hasChanged && report.failures.length === 0) {
    await database.write(owner.tenant, (writer) => saveProgress(writer, owner, { consolidatedVersion: version }));
  }
  return report;
}

async function versionOf(reader: Reader, scope: Scope): Promise<number> {
  const row = await reader
    .selectFrom('owners')
    .select('version')
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .executeTakeFirst();
  return row?.version ?? 0;
}
