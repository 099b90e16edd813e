import { contentStems, coveredBy, overlap } from '../../language/words.ts';
import { listDecisions } from '../../observe/decisions.ts';
import type { Memory } from '../../record/memory.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import type { Reader } from '../../store/database.ts';
import { findVectors } from '../../store/embedding-store.ts';
import { toMemory } from '../../store/memory-rows.ts';
import type { Parts } from '../../store/parts.ts';
import { listMemories } from '../../store/read-memories.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { clusterEvidence } from './cluster-evidence.ts';
import { countEvidence, type PatternCount } from './count-evidence.ts';
import { type Evidence, fromDecision, fromEpisode } from './evidence.ts';

/** Evidence on one theme that is enough for a pattern. */
export interface FoundPattern {
  evidence: Evidence[];
  count: PatternCount;
  /** The pattern that earlier evidence of it became, if it did. */
  known: Memory | null;
}

/** The themes of an owner on which there are enough episodes and decisions, and something new since the last time (L8, L14). */
export async function findPatterns(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<FoundPattern[]> {
  const { minimum, similarity, window } = deps.consolidation.patterns;
  const evidence = await gatherEvidence(reader, deps, scope, window);
  if (evidence.length < minimum) return [];
  const embedder = await deps.embedding.forQueries(reader);
  const calibration = embedder === null ? null : deps.embedding.calibrationOf(embedder);
  const patterns = await livePatterns(reader, scope);
  return clusterEvidence(evidence, { similarity, calibration }).flatMap((members) => {
    if (members.length < minimum) return [];
    const known =
      patterns.find((pattern) => evidenceIds(pattern).some((id) => members.some((each) => each.id === id))) ?? null;
    const counted = new Set(known === null ? [] : evidenceIds(known));
    if (members.every(({ id }) => counted.has(id))) return [];
    return [{ evidence: members, count: countEvidence(members), known }];
  });
}

/** The ids of the evidence that a pattern was counted of. */
function evidenceIds(pattern: Memory): string[] {
  const ids = pattern.internal['evidence'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** Decisions with outcomes, and episodes that tell of something else; absorbed ones count on. */
async function gatherEvidence(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  window: number,
): Promise<Evidence[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('type', '=', 'episode')
    .where((eb) => eb.or([eb('archived_at', 'is', null), eb('archive_reason', '=', 'absorbed')]))
    .orderBy('row_id', 'desc')
    .limit(window)
    .execute();
  const episodes = rows.map((row) => ({ memory: toMemory(row), row: row.row_id }));
  const vectors = await vectorsOf(
    reader,
    deps,
    scope,
    episodes.map(({ row }) => row),
  );
  const decisions = await listDecisions(reader, { ...scope, session: null }, window);
  const told = new Set<string>();
  const evidence: Evidence[] = [];
  for (const decided of decisions) {
    if (ownerKey(decided.decision.scope) !== ownerKey(scope)) continue;
    const events = new Set([decided.decision.id, ...decided.outcomes.map(({ id }) => id)]);
    const telling = episodes.filter(({ memory }) => memory.sourceEvents.some((id) => events.has(id)));
    for (const { memory } of telling) told.add(memory.id);
    const made = fromDecision(
      decided,
      telling.map(({ memory }) => memory),
    );
    const episode = telling.find(({ memory }) => memory.sourceEvents.includes(decided.decision.id));
    if (made !== null) evidence.push({ ...made, vector: vectors.get(episode?.row ?? -1) ?? null });
  }
  const alone = episodes.filter(({ memory }) => !told.has(memory.id));
  for (const { memory, row } of alone) evidence.push({ ...fromEpisode(memory), vector: vectors.get(row) ?? null });
  return evidence
    .toSorted((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1))
    .slice(-window);
}

async function vectorsOf(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  rowIds: number[],
): Promise<Map<number, Float32Array>> {
  const embedder = await deps.embedding.forQueries(reader);
  if (embedder === null) return new Map();
  return findVectors(reader, deps.database, { tenant: scope.tenant, model: embedder.id, kind: 'memory', rowIds });
}

async function livePatterns(reader: Reader, scope: Scope): Promise<Memory[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('type', '=', 'pattern')
    .where('archived_at', 'is', null)
    .orderBy('row_id')
    .execute();
  return rows.map(toMemory);
}

/** A tool that has served before when something like this came up. */
export interface ToolSuggestion {
  tool: string;
  /** How often it was used in what the pattern was learned from. */
  times: number;
  /** The pattern that says so. */
  pattern: string;
  because: string;
}

const MOST_PATTERNS = 200;

/** Tools that the patterns of a scope speak for, the best first (T17). Without a message: by how often they were used. */
export async function suggestTools(
  parts: Parts,
  scope: Scope,
  { message, limit = 5 }: { message?: string; limit?: number } = {},
): Promise<ToolSuggestion[]> {
  const now = parts.clock.now();
  const { items } = await parts.database.read(scope.tenant, (reader) =>
    listMemories(reader, scope, { types: ['pattern'], limit: MOST_PATTERNS }, { now }),
  );
  const asked = contentStems(message ?? '');
  const best = new Map<string, ToolSuggestion & { score: number }>();
  for (const pattern of items) {
    const stems = contentStems(pattern.content);
    const relevance = message === undefined ? 1 : Math.max(overlap(asked, stems), coveredBy(asked, stems));
    if (relevance === 0) continue;
    for (const [tool, times] of Object.entries((pattern.internal['tools'] ?? {}) as Record<string, number>)) {
      const score = relevance * Math.log2(1 + times) * pattern.importance;
      const known = best.get(tool);
      if (known !== undefined && known.score >= score) continue;
      best.set(tool, { tool, times, pattern: pattern.id, because: pattern.content, score });
    }
  }
  return [...best.values()]
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ score: _score, ...suggestion }) => suggestion);
}
