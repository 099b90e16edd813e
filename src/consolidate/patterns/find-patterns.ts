import { detectPack } from '../../language/packs/packs.ts';
import { contentStems, coveredBy, overlap, withoutEnd } from '../../language/words.ts';
import { calibratedSimilarity, type Calibration, dot } from '../../models/embedder.ts';
import { listDecisions } from '../../observe/decisions.ts';
import { ARCHIVE_REASONS, type InternalMemory, type Memory } from '../../record/memory.ts';
import { ownerKey, ownerLevel, type Scope } from '../../record/scope.ts';
import { lowestTrust } from '../../record/statement.ts';
import type { Parts, Reader } from '../../store/database.ts';
import { recordDerivation } from '../../store/derivation-store.ts';
import { ownEvents } from '../../store/event-store.ts';
import { findVectors } from '../../store/indexing.ts';
import { type OwnMemoryFilter, ownMemories, ownMemoryRows } from '../../store/own-rows.ts';
import { listMemories } from '../../store/read-memories.ts';
import { newMemory } from '../../store/record-rows.ts';
import { archiveMemory, supersedeMemory, writeMemory } from '../../store/write-memory.ts';
import { askMerge } from '../ask-model.ts';
import { type ActiveRun, meteredRun, type RunContext } from '../run-log.ts';
import { countEvidence, type PatternCount, sayCount, writeCount } from './count-evidence.ts';
import { type Evidence, fromDecision, fromEpisode } from './evidence.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

interface FoundPattern {
  evidence: Evidence[];
  count: PatternCount;
  /** The live pattern that already uses part of this evidence. Null if there is none. */
  known: Memory | null;
}

/** For these reasons, a user or maintenance has removed a pattern. It is written again only if there is new evidence. */
const REMOVED = ARCHIVE_REASONS.filter((reason) => reason !== 'superseded');

/** The language of the conversations is detected from this many of the latest messages. */
const TALK = 20;

/** The themes that have enough episodes and decisions, some of which no pattern has counted yet. */
export async function findPatterns(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<FoundPattern[]> {
  const { minimum, similarity, window } = deps.consolidation.patterns;
  const evidence = await gatherEvidence(reader, deps, scope, window);
  if (evidence.length < minimum) return [];
  const embedder = await deps.embedding.forQueries(reader);
  const calibration = embedder === null ? null : deps.embedding.calibrationOf(embedder);
  const patterns = await ownMemories(reader, scope, { types: ['pattern'], archivedAs: REMOVED });
  const talk = await ownEvents(reader, scope, { kind: 'message', order: 'newest', limit: TALK });
  const usual = detectPack(talk.map(({ content }) => content).join('\n'));
  return clusterEvidence(evidence, { similarity, calibration }).flatMap((members) => {
    if (members.length < minimum) return [];
    const related = patterns
      .map((pattern) => ({ pattern, counted: new Set(evidenceIds(pattern)) }))
      .filter(({ counted }) => members.some(({ id }) => counted.has(id)));
    if (related.some(({ counted }) => members.every(({ id }) => counted.has(id)))) return [];
    const known = related.find(({ pattern }) => pattern.archivedAt === null)?.pattern ?? null;
    return [{ evidence: members, count: countEvidence(members, usual), known }];
  });
}

function evidenceIds(pattern: Memory): string[] {
  const ids = pattern.internal['evidence'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** The decisions with outcomes, and the episodes that belong to none of them. Absorbed episodes are included. */
async function gatherEvidence(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  window: number,
): Promise<Evidence[]> {
  const filter: OwnMemoryFilter = { types: ['episode'], archivedAs: ['absorbed'], order: 'newest', limit: window };
  const episodes = (await ownMemoryRows(reader, scope, filter)).map(({ item, row }) => ({ memory: item, row }));
  const rowIds = episodes.map(({ row }) => row);
  const { tenant } = scope;
  const embedder = await deps.embedding.forQueries(reader);
  const vectors =
    embedder === null
      ? new Map<number, Float32Array>()
      : await findVectors(reader, deps.database, { tenant, model: embedder.id, kind: 'memory', rowIds });
  const decisions = await listDecisions(reader, { ...scope, session: null }, window);
  const told = new Set<string>();
  const evidence: Evidence[] = [];
  for (const decided of decisions) {
    if (ownerKey(decided.decision.scope) !== ownerKey(scope)) continue;
    const events = new Set([decided.decision.id, ...decided.outcomes.map(({ id }) => id)]);
    const telling = episodes.filter(({ memory }) => memory.sourceEvents.some((id) => events.has(id)));
    const memories = telling.map(({ memory }) => memory);
    for (const { id } of memories) told.add(id);
    const made = fromDecision(decided, memories);
    const episode = telling.find(({ memory }) => memory.sourceEvents.includes(decided.decision.id));
    if (made !== null) evidence.push({ ...made, vector: vectors.get(episode?.row ?? -1) ?? null });
  }
  const alone = episodes.filter(({ memory }) => !told.has(memory.id));
  for (const { memory, row } of alone) evidence.push({ ...fromEpisode(memory), vector: vectors.get(row) ?? null });
  return evidence
    .toSorted((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1))
    .slice(-window);
}

/**
 * Average linkage prevents a chain of neighbours from joining unrelated cases. Two groups must also share a word, an entity or a measure,
 * because similar meaning alone is not enough.
 */
export function clusterEvidence(
  evidence: readonly Evidence[],
  { similarity, calibration }: { similarity: number; calibration: Calibration | null },
): Evidence[][] {
  const alike = evidence.map((one) => evidence.map((other) => similarityOf(one, other, calibration)));
  let clusters = evidence.map((_, index) => [index]);
  for (;;) {
    let best: { score: number; left: number[]; right: number[] } | null = null;
    for (const [index, left] of clusters.entries()) {
      for (const right of clusters.slice(index + 1)) {
        const score = meanBetween(left, right, alike);
        const isBetter = score >= similarity && score > (best?.score ?? -1);
        if (isBetter && haveInCommon(left, right, evidence)) best = { score, left, right };
      }
    }
    if (best === null) break;
    const { left, right } = best;
    clusters = [...clusters.filter((each) => each !== left && each !== right), [...left, ...right]];
  }
  return clusters.map((members) =>
    members.toSorted((one, other) => one - other).flatMap((index) => evidence[index] ?? []),
  );
}

const SAME_ENTITY = 0.05;
// Decisions whose outcomes have the same unit presumably have the same purpose. The two values add up to the default threshold, 0.7.
const SAME_END = 0.55;
const SAME_MEASURE = 0.15;

function similarityOf(one: Evidence, other: Evidence, calibration: Calibration | null): number {
  // Outcomes in different units, such as views and sales, are not compared.
  if (one.measure !== null && other.measure !== null && one.measure.name !== other.measure.name) return 0;
  if (one.tool !== null && other.tool !== null && one.tool !== other.tool) return 0;
  const share = overlap(one.stems, other.stems);
  const lexical = share === 0 ? 0 : 0.45 + 0.5 * share;
  const semantic =
    calibration === null || one.vector === null || other.vector === null
      ? 0
      : calibratedSimilarity(dot(one.vector, other.vector), calibration);
  const hasOneEnd = haveOneEnd(one, other);
  const alike = Math.max(lexical, semantic, hasOneEnd ? SAME_END : 0);
  if (alike === 0) return 0;
  return Math.min(1, alike + (nameTheSame(one, other) ? SAME_ENTITY : 0) + (hasOneEnd ? SAME_MEASURE : 0));
}

function haveOneEnd(one: Evidence, other: Evidence): boolean {
  const areDecided = one.events.includes(one.id) && other.events.includes(other.id);
  return areDecided && one.measure !== null && one.measure.name === other.measure?.name;
}

function nameTheSame(one: Evidence, other: Evidence): boolean {
  return one.entities.some((entity) => other.entities.includes(entity));
}

function haveInCommon(left: readonly number[], right: readonly number[], evidence: readonly Evidence[]): boolean {
  return left.some((one) =>
    right.some((other) => {
      const [first, second] = [evidence[one] as Evidence, evidence[other] as Evidence];
      return overlap(first.stems, second.stems) > 0 || nameTheSame(first, second) || haveOneEnd(first, second);
    }),
  );
}

function meanBetween(left: readonly number[], right: readonly number[], alike: readonly number[][]): number {
  let sum = 0;
  for (const one of left) for (const other of right) sum += alike[one]?.[other] ?? 0;
  return sum / (left.length * right.length);
}

const PATTERN_IMPORTANCE = 0.85;
const LEAD_WORDS = 30;

/** The numbers always come from the counts. A model writes only the sentence before them. */
export async function writePattern(
  deps: ConsolidateDeps,
  scope: Scope,
  found: FoundPattern,
  options: RunContext,
): Promise<string> {
  return meteredRun(deps, { scope, kind: 'find-patterns', ...options }, async (run) => {
    run.read({ evidence: found.evidence.length, sessions: found.count.sessions });
    const content = await wordPattern(run, found);
    const input = patternMemory(found, content, scope);
    const { id } = await run.commit(async (writer) => {
      const why = { reason: `${found.evidence.length} episodes on one theme`, actor: 'find-patterns', run: run.id };
      const pattern =
        found.known === null
          ? (await writeMemory(writer, deps, scope, input, why)).memory
          : await supersedeMemory(writer, deps, {
              old: found.known,
              next: newMemory(deps, scope, input),
              reason: 'superseded',
              change: why,
            });
      const memories = found.evidence.flatMap((each) => each.memories);
      const episodes = memories.filter(({ archivedAt }) => archivedAt === null);
      for (const episode of episodes) {
        await archiveMemory(writer, deps, episode, { reason: 'absorbed', by: pattern.id, why });
      }
      const from = memories.map(({ id }) => id);
      await recordDerivation(writer, scope.tenant, pattern.id, from);
      return { changed: { pattern: pattern.id, absorbed: episodes.map(({ id }) => id) }, id: pattern.id };
    });
    return id;
  });
}

async function wordPattern(run: ActiveRun, { evidence, count }: FoundPattern): Promise<string> {
  const plain = sayCount(count);
  // If the counts do not show which variant is best, a model must not claim it either.
  if (run.languageModel === null || count.best === null) return plain;
  const texts = evidence.slice(-50).map(({ text, measure, effect }) => `${text} → ${outcomeText({ measure, effect })}`);
  const subject = count.theme.length === 0 ? 'what was done' : count.theme.join(' ');
  const input = { purpose: 'episodes' as const, subject, texts, wordLimit: LEAD_WORDS };
  const lead = withoutEnd((await askMerge(run.languageModel, input, run.signal)).trim(), '.!');
  // A model's arithmetic is not trusted: a sentence with digits is not used.
  return lead === '' || /\p{N}/u.test(lead) ? plain : `${lead} (${writeCount(count)}).`;
}

function outcomeText({ measure, effect }: Pick<Evidence, 'measure' | 'effect'>): string {
  return (
    [measure === null ? null : `${measure.value} ${measure.name}`, effect].filter((part) => part !== null).join(', ') ||
    'done'
  );
}

function patternMemory({ evidence, count }: FoundPattern, content: string, scope: Scope): InternalMemory {
  const memories = evidence.flatMap((each) => each.memories);
  return {
    type: 'pattern',
    content,
    level: ownerLevel(scope),
    importance: PATTERN_IMPORTANCE,
    sourceType: 'consolidation',
    trust: memories.length === 0 ? 'medium' : lowestTrust(memories.map(({ trust }) => trust)),
    sourceEvents: [...new Set(evidence.flatMap(({ events }) => events))].slice(0, 1000),
    entities: [...new Set(evidence.flatMap(({ entities }) => entities))].slice(0, 200),
    tags: [...new Set(count.theme)].slice(0, 10),
    internal: {
      evidence: evidence.map(({ id }) => id).slice(-1000),
      groups: count.groups.map((group) => ({ ...group })),
      measure: count.measure,
      best: count.best,
      ratio: count.ratio,
      sessions: count.sessions,
      tools: count.tools,
    },
  };
}

/** A tool that was used in similar cases before. */
export interface ToolSuggestion {
  tool: string;
  /** How often the tool was used in the evidence of the pattern. */
  times: number;
  /** The id of the pattern that suggests the tool. */
  pattern: string;
  because: string;
}

const MOST_PATTERNS = 200;

/** The best tools come first. Without a message, the order depends on how often a tool was used and on the pattern's importance. */
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
