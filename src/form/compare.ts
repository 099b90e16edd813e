import { sql } from 'kysely';
import { VarveError } from '../errors.ts';
import { estimateTokens } from '../language/token-count.ts';
import { indexWords, lexicalSimilarity } from '../language/words.ts';
import type { Meter } from '../ledger/meter.ts';
import { calibratedSimilarity, type Calibration } from '../models/calibration.ts';
import type { Embedder } from '../models/embedder.ts';
import type { Event } from '../record/event.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import { hasOutcome, type Memory } from '../record/memory.ts';
import { ownerKey, ownerLevel, type Scope, scopeAt, visibleOwners } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { loadMemories, memoriesReplacedBy, statementHistory } from '../store/load-records.ts';
import { listMemories } from '../store/read-memories.ts';
import type { Candidate } from './decide/decide.ts';
import type { FormDeps } from './formation-settings.ts';
import type { Statement } from './statement.ts';

/** The vectors of some texts, and the model that made them. */
export interface Vectors {
  embedder: Embedder;
  calibration: Calibration;
  of: readonly Float32Array[];
}

/** Embeds texts for comparison. Null without an embedder, or while it fails: comparison then goes by words. */
export async function embedTexts(
  deps: FormDeps,
  { texts, tenant, meter, signal }: { texts: readonly string[]; tenant: string; meter: Meter; signal?: AbortSignal },
): Promise<Vectors | null> {
  if (texts.length === 0) return null;
  const embedder = await deps.database.read(tenant, (reader) => deps.embedding.forQueries(reader));
  if (embedder === null) return null;
  try {
    const { vectors } = await meter.embedder(embedder).embed([...texts], { signal });
    return { embedder, calibration: deps.embedding.calibrationOf(embedder), of: vectors };
  } catch (error) {
    if (VarveError.isInstance(error, 'embedder_unavailable') || VarveError.isInstance(error, 'timed_out')) return null;
    throw error;
  }
}

/** The owner that statements of a scope are written to and compared within. */
export function ownerOf(scope: Scope): Scope {
  return { ...scopeAt(scope, ownerLevel(scope)), session: null, connection: null };
}

/**
 * For each statement the owner's known ones that it may repeat, replace or end: all that were ever said of the same subject and
 * attribute, and its nearest neighbours by meaning, or by words where there are no vectors.
 */
export async function findCandidates(
  reader: Reader,
  deps: FormDeps,
  { scope, statements, vectors }: { scope: Scope; statements: readonly Statement[]; vectors: Vectors | null },
): Promise<Candidate[][]> {
  if (statements.length === 0) return [];
  const owner = ownerOf(scope);
  const attributes = [...new Set(statements.flatMap(({ attribute }) => attribute ?? []))];
  const byFields = attributes.length === 0 ? [] : await statementHistory(reader, owner, attributes);
  const found: Candidate[][] = [];
  for (const [index, statement] of statements.entries()) {
    const near = await neighbours(reader, deps, { owner, statement, vectors, index });
    const merged = new Map<string, Candidate>();
    for (const memory of byFields) {
      if (memory.attribute === statement.attribute) merged.set(memory.id, { memory, similarity: 0 });
    }
    for (const candidate of near) merged.set(candidate.memory.id, candidate);
    found.push(
      [...merged.values()].filter(
        ({ memory }) => ownerKey(memory.scope) === ownerKey(owner) && memory.sourceType !== 'consolidation',
      ),
    );
  }
  return found;
}

const TEXT_HITS = 10;
const MOST_WORDS = 30;

async function neighbours(
  reader: Reader,
  deps: FormDeps,
  { owner, statement, vectors, index }: { owner: Scope; statement: Statement; vectors: Vectors | null; index: number },
): Promise<Candidate[]> {
  const query = vectors?.of[index];
  const search = {
    tenant: owner.tenant,
    owners: [ownerKey(owner)],
    kind: 'memory' as const,
    condition: isComparable(deps.memoryTypes),
  };
  const byText = await deps.database.text.search(reader, {
    ...search,
    words: [...new Set(indexWords(statement.text))].slice(0, MOST_WORDS),
    limit: TEXT_HITS,
  });
  const model = vectors === null ? null : { id: vectors.embedder.id, dimensions: vectors.embedder.dimensions };
  const byMeaning =
    query === undefined || model === null
      ? []
      : await deps.database.vectors.nearest(reader, {
          ...search,
          model,
          query,
          limit: deps.settings.limits.candidates * 2,
        });
  const similarities = new Map(byMeaning.map(({ rowId, similarity }) => [rowId, similarity]));
  const rowIds = [...new Set([...similarities.keys(), ...byText.map(({ rowId }) => rowId)])];
  const memories = await loadMemories(reader, deps.database, { scope: owner, rowIds });
  return [...memories].map(([rowId, memory]) => {
    const cosine = similarities.get(rowId);
    const meaning = cosine === undefined || vectors === null ? 0 : calibratedSimilarity(cosine, vectors.calibration);
    return { memory, similarity: Math.max(meaning, lexicalSimilarity(statement.text, memory.content)) };
  });
}

function isComparable(types: MemoryTypeTable): ReturnType<typeof sql<boolean>> {
  const names = [...types].filter(([, type]) => type.comparable).map(([name]) => name);
  return sql<boolean>`record.type in (${sql.join(names)}) and record.source_type <> 'consolidation' and record.connection_id = ''`;
}

const LONGEST_QUERY = 400;
const NEAR_TURN = 8;

/**
 * What is known that has to do with these events, for a model to refer to: found by meaning and by words, filled up with the most
 * important. At most `limits.existing` within `limits.existingTokens`.
 */
export async function knownStatements(
  reader: Reader,
  deps: FormDeps,
  {
    scope,
    events,
    vectors,
    drafts,
  }: { scope: Scope; events: readonly Event[]; vectors: Vectors | null; drafts: readonly Memory[] },
): Promise<Memory[]> {
  const { existing, existingTokens } = deps.settings.limits;
  const owner = ownerOf(scope);
  const search = {
    tenant: scope.tenant,
    owners: visibleOwners(owner),
    kind: 'memory' as const,
    condition: isComparable(deps.memoryTypes),
  };
  const said = events.filter(isReadable).map((event) => event.content);
  const words = [...new Set(indexWords(said.join(' ').slice(0, 20_000)))].slice(0, LONGEST_QUERY);
  const scores = new Map<number, number>();
  const byText =
    words.length === 0 ? [] : await deps.database.text.search(reader, { ...search, words, limit: existing });
  for (const [place, { rowId }] of byText.entries()) scores.set(rowId, 1 / (10 + place));
  for (const query of vectors?.of ?? []) {
    const model = { id: vectors?.embedder.id ?? '', dimensions: vectors?.embedder.dimensions ?? 0 };
    const near = await deps.database.vectors.nearest(reader, { ...search, model, query, limit: NEAR_TURN });
    for (const [place, { rowId }] of near.entries())
      scores.set(rowId, Math.max(scores.get(rowId) ?? 0, 1 / (5 + place)));
  }
  const memories = await loadMemories(reader, deps.database, { scope: owner, rowIds: [...scores.keys()] });
  const near = [...memories]
    .sort(([one], [other]) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0))
    .map(([, memory]) => memory);
  const important = await listMemories(
    reader,
    owner,
    { order: 'important', limit: existing * 2 },
    { now: deps.clock.now() },
  );
  const comparable = important.items.filter(
    ({ type, sourceType }) => deps.memoryTypes.get(type)?.comparable === true && sourceType !== 'consolidation',
  );
  const own = comparable.filter(({ permanent }) => permanent);
  const replaced = await replacedByDrafts(reader, scope, drafts);
  // Nearness is a guess by words and vectors: some room is left for what a change of the user's life is told against.
  const all = [...replaced, ...near.slice(0, existing * NEAR_SHARE), ...own, ...near, ...comparable];
  // What happened does not change any more: it is shown where room is left.
  const ordered = [
    ...new Map(
      [...all.filter(({ tense, dueAt }) => tense !== 'happened' || dueAt !== null), ...all].map((memory) => [
        memory.id,
        memory,
      ]),
    ).values(),
  ];
  let tokens = 0;
  const taken = ordered
    .filter(
      (memory) =>
        !drafts.some(({ id }) => id === memory.id) &&
        memory.archivedAt === null &&
        !hasOutcome(memory, deps.memoryTypes.get(memory.type)),
    )
    .slice(0, existing)
    .filter((memory) => (tokens += estimateTokens(memory.content) + 12) <= existingTokens);
  // In the order in which they were said: a reader sees what came after what.
  return taken.sort((one, other) => one.statedAt.getTime() - other.statedAt.getTime());
}

/** The share of the known statements that is chosen by nearness alone. */
const NEAR_SHARE = 0.7;

/** What drafts of the same turns have replaced: it comes back when the drafts go, so a reader is told of it as live. */
async function replacedByDrafts(reader: Reader, { tenant }: Scope, drafts: readonly Memory[]): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const { id } of drafts) found.push(...(await memoriesReplacedBy(reader, tenant, id)));
  return found
    .filter(({ id, archiveReason }) => archiveReason !== 'forgotten' && !drafts.some((draft) => draft.id === id))
    .map((memory) => ({ ...memory, archivedAt: null, archiveReason: null, contradictedBy: null, validTo: null }));
}

/** The events whose words say what the stretch is about. */
export function isReadable(event: Event): boolean {
  return event.origin === 'user' || event.kind === 'observation';
}
