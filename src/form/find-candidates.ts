import { sql } from 'kysely';
import { indexWords } from '../language/words.ts';
import type { Meter } from '../ledger/meter.ts';
import { calibratedSimilarity } from '../models/calibration.ts';
import type { Embedder } from '../models/embedder.ts';
import { VarveError } from '../errors.ts';
import type { Memory } from '../record/memory.ts';
import { visibleOwners, type Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { loadMemories } from '../store/load-records.ts';
import type { FormDeps } from './form-deps.ts';
import { IS_MERGED, UNCOMPARED_TYPES } from './known-memories.ts';
import { lexicalSimilarity } from './guards/text-overlap.ts';
import { isRestated } from './is-restated.ts';
import type { Proposal } from './proposal.ts';
import { concernsSame, isRevoked, slotOf } from './slot.ts';

/** A known memory that resembles a new statement. */
export interface Candidate {
  memory: Memory;
  /** On the calibrated scale. */
  similarity: number;
}

const TEXT_HITS = 10;
const WORDS = 30;

/**
 * For each new statement the known memories that it may repeat, extend or contradict: the nearest by meaning, and those
 * of the same subject and attribute whatever their words. Without an embedder, or while it fails, by words alone.
 */
export async function findCandidates(
  deps: FormDeps,
  scope: Scope,
  proposals: readonly Proposal[],
  { meter, signal }: { meter: Meter | null; signal?: AbortSignal },
): Promise<Candidate[][]> {
  if (proposals.length === 0) return [];
  const { database, settings } = deps;
  const byText = await database.read(scope.tenant, (reader) => searchText(reader, deps, scope, proposals));
  const embedder =
    meter === null ? null : await database.read(scope.tenant, (reader) => deps.embedding.forQueries(reader));
  const vectors = embedder === null || meter === null ? null : await embed(meter.embedder(embedder), proposals, signal);
  const byMeaning =
    vectors === null || embedder === null
      ? []
      : await database.read(scope.tenant, (reader) => searchVectors(reader, deps, { scope, embedder, vectors }));
  return proposals.map((proposal, index) => {
    const found = new Map<string, Candidate>();
    for (const candidate of [...(byMeaning[index] ?? []), ...(byText[index] ?? [])]) {
      const known = found.get(candidate.memory.id);
      if (known === undefined || known.similarity < candidate.similarity) found.set(candidate.memory.id, candidate);
    }
    return [...found.values()]
      .map((candidate) => raiseForSlot(candidate, proposal, settings.thresholds.related))
      .filter(({ similarity }) => similarity >= settings.thresholds.related)
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, settings.limits.candidates);
  });
}

/** "Lives in Berlin" and "moved to Munich" share no word and little meaning, but one attribute. */
function raiseForSlot(candidate: Candidate, proposal: Proposal, related: number): Candidate {
  const slot = slotOf(candidate.memory);
  // "Has three cats" after "has two cats", "Python is fine" after "no Python code": few words, one matter.
  if (isRevoked(proposal.slot, slot) || isRestated(proposal.content, candidate.memory.content))
    return { ...candidate, similarity: Math.max(candidate.similarity, related) };
  const isKnownSlot = slot.attribute !== null && proposal.slot.attribute !== null;
  if (!isKnownSlot || !concernsSame(proposal, { slot, content: candidate.memory.content })) return candidate;
  return { ...candidate, similarity: Math.max(candidate.similarity, related) };
}

async function embed(
  embedder: Embedder,
  proposals: readonly Proposal[],
  signal?: AbortSignal,
): Promise<Float32Array[] | null> {
  try {
    const texts = proposals.map((proposal) => proposal.content);
    return (await embedder.embed(texts, { signal })).vectors;
  } catch (error) {
    // Formation goes on by words: an embedder that is down must not keep anything from being remembered.
    if (VarveError.isInstance(error, 'embedder_unavailable') || VarveError.isInstance(error, 'timed_out')) return null;
    throw error;
  }
}

async function searchVectors(
  reader: Reader,
  deps: FormDeps,
  { scope, embedder, vectors }: { scope: Scope; embedder: Embedder; vectors: readonly Float32Array[] },
): Promise<Candidate[][]> {
  const calibration = deps.embedding.calibrationOf(embedder);
  const model = { id: embedder.id, dimensions: embedder.dimensions };
  const found: Candidate[][] = [];
  for (const query of vectors) {
    const hits = await deps.database.vectors.nearest(reader, {
      tenant: scope.tenant,
      owners: visibleOwners(scope),
      model,
      kind: 'memory',
      query,
      limit: deps.settings.limits.candidates * 2,
      condition: comparable(scope),
    });
    const memories = await loadMemories(reader, deps.database, { scope, rowIds: hits.map((hit) => hit.rowId) });
    found.push(
      hits.flatMap(({ rowId, similarity }) => {
        const memory = memories.get(rowId);
        return memory === undefined ? [] : [{ memory, similarity: calibratedSimilarity(similarity, calibration) }];
      }),
    );
  }
  return found;
}

async function searchText(
  reader: Reader,
  deps: FormDeps,
  scope: Scope,
  proposals: readonly Proposal[],
): Promise<Candidate[][]> {
  const found: Candidate[][] = [];
  for (const proposal of proposals) {
    const attribute = (proposal.slot.attribute ?? '').replaceAll(/[_:-]/g, ' ');
    const words = [...new Set(indexWords(`${proposal.content} ${attribute} ${proposal.slot.attribute ?? ''}`))].slice(
      0,
      WORDS,
    );
    const hits = await deps.database.text.search(reader, {
      tenant: scope.tenant,
      kind: 'memory',
      owners: visibleOwners(scope),
      words,
      limit: TEXT_HITS,
      condition: comparable(scope),
    });
    const memories = await loadMemories(reader, deps.database, { scope, rowIds: hits.map((hit) => hit.rowId) });
    found.push(
      [...memories.values()].map((memory) => ({
        memory,
        similarity: lexicalSimilarity(proposal.content, memory.content),
      })),
    );
  }
  return found;
}

/** What may be compared: statements, one in each, and of a connection's only this one's. */
function comparable(scope: Scope): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`record.type not in (${sql.join(UNCOMPARED_TYPES)}) and not (${IS_MERGED})
    and record.connection_id in ('', ${scope.connection ?? ''})`;
}
