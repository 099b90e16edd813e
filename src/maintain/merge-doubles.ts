import { sql } from 'kysely';
import { sayTheSame, saysMore } from '../form/decide-by-rules.ts';
import type { FormDeps } from '../form/form-deps.ts';
import { lexicalSimilarity } from '../form/guards/text-overlap.ts';
import { slotOf } from '../form/slot.ts';
import { indexWords } from '../language/words.ts';
import { calibratedSimilarity } from '../models/calibration.ts';
import type { Embedder } from '../models/embedder.ts';
import { DAY } from '../record/clock.ts';
import type { Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { lowestTrust } from '../record/trust.ts';
import type { Reader, Writer } from '../store/database.ts';
import { findVectors } from '../store/embedding-store.ts';
import { loadMemories } from '../store/load-records.ts';
import { toMemory } from '../store/memory-rows.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findMemory } from '../store/read-memories.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';

export interface MergeOptions {
  signal?: AbortSignal;
  /** Memories changed since then are looked at. Default: a day ago. */
  since?: Date;
}

const MOST_LOOKED_AT = 500;
const NEAREST = 6;
const REINFORCEMENT = 0.05;

type Numbered = { rowId: number; memory: Memory };

/**
 * Merges near doubles of one owner (L7): two live memories of one type that say the same become one. The more specific
 * text stays, with the greater importance and a little more, and with the sources of both. Gives back how many went.
 */
export async function mergeDoubles(
  deps: FormDeps,
  owner: Scope,
  { signal, since }: MergeOptions = {},
): Promise<number> {
  const from = since?.getTime() ?? deps.clock.now() - DAY;
  const recent = await deps.database.read(owner.tenant, (reader) => changedSince(reader, deps, owner, from));
  const gone = new Set<string>();
  for (const one of recent) {
    signal?.throwIfAborted();
    if (gone.has(one.memory.id)) continue;
    const doubles = await deps.database.read(owner.tenant, async (reader) =>
      findDoubles(reader, deps, { owner, one, embedder: await deps.embedding.forQueries(reader) }),
    );
    const other = doubles.find((memory) => !gone.has(memory.id));
    if (other === undefined) continue;
    const loser = await deps.database.write(owner.tenant, (writer) => merge(writer, deps, [one.memory, other]));
    if (loser !== null) gone.add(loser);
  }
  return gone.size;
}

async function changedSince(reader: Reader, deps: FormDeps, owner: Scope, from: number): Promise<Numbered[]> {
  const types = [...deps.memoryTypes].filter(([, type]) => type.mergesDoubles).map(([name]) => name);
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', owner.tenant)
    .where('owner_key', '=', ownerKey(owner))
    .where('archived_at', 'is', null)
    .where('updated_at', '>=', from)
    .where('type', 'in', types)
    .orderBy('row_id', 'desc')
    .limit(MOST_LOOKED_AT)
    .execute();
  return rows.map((row) => ({ rowId: row.row_id, memory: toMemory(row) }));
}

interface Search {
  owner: Scope;
  one: Numbered;
  embedder: Embedder | null;
}

/** The memories of the same type that say the same, by meaning where there are vectors, else by words. */
async function findDoubles(reader: Reader, deps: FormDeps, { owner, one, embedder }: Search): Promise<Memory[]> {
  const { tenant } = owner;
  const { memory } = one;
  const condition = sql<boolean>`record.type = ${memory.type} and record.row_id <> ${one.rowId}
    and record.connection_id = ${memory.scope.connection ?? ''}`;
  const search = { tenant, owners: [ownerKey(owner)], kind: 'memory' as const, limit: NEAREST, condition };
  const vectors =
    embedder === null
      ? new Map<number, Float32Array>()
      : await findVectors(reader, deps.database, { tenant, model: embedder.id, kind: 'memory', rowIds: [one.rowId] });
  const query = vectors.get(one.rowId);
  const measured = new Map<number, number>();
  if (embedder !== null && query !== undefined) {
    const model = { id: embedder.id, dimensions: embedder.dimensions };
    const calibration = deps.embedding.calibrationOf(embedder);
    for (const { rowId, similarity } of await deps.database.vectors.nearest(reader, { ...search, model, query })) {
      measured.set(rowId, calibratedSimilarity(similarity, calibration));
    }
  } else {
    const words = indexWords(memory.content).slice(0, 30);
    for (const { rowId } of await deps.database.text.search(reader, { ...search, words })) measured.set(rowId, -1);
  }
  const found = await loadMemories(reader, deps.database, { scope: owner, rowIds: [...measured.keys()] });
  return [...found].flatMap(([rowId, other]) => {
    const meaning = measured.get(rowId) ?? -1;
    const similarity = meaning < 0 ? lexicalSimilarity(memory.content, other.content) : meaning;
    const { same } = deps.settings.thresholds;
    const isDouble =
      similarity > same &&
      sayTheSame(
        { slot: slotOf(memory), content: memory.content },
        { slot: slotOf(other), content: other.content },
        { similarity, same },
      );
    return isDouble ? [other] : [];
  });
}

async function merge(writer: Writer, deps: FormDeps, pair: [Memory, Memory]): Promise<string | null> {
  await changeOwner(writer, pair[0].scope, deps.clock.now());
  const [one, other] = [
    await findMemory(writer, pair[0].scope, pair[0].id),
    await findMemory(writer, pair[1].scope, pair[1].id),
  ];
  if (one === null || other === null || one.archivedAt !== null || other.archivedAt !== null) return null;
  if (one.content !== pair[0].content || other.content !== pair[1].content) return null;
  const [winner, loser] = saysMore(other.content, one.content) ? [other, one] : [one, other];
  const why: Change = { reason: 'merged near doubles', actor: 'merge-doubles' };
  await archiveMemory(writer, deps, loser, { reason: 'merged', by: winner.id, why });
  await reviseMemory(writer, deps, winner, {
    change: {
      importance: reinforced(Math.max(winner.importance, loser.importance)),
      trust: lowestTrust([winner.trust, loser.trust]),
      tags: [...new Set([...winner.tags, ...loser.tags])].slice(0, 50),
      entities: [...new Set([...winner.entities, ...loser.entities])],
      sourceEvents: loser.sourceEvents,
    },
    why,
  });
  return loser.id;
}

// Rounded: the sum of two decimal fractions has a tail.
function reinforced(importance: number): number {
  return Math.min(1, Math.round((importance + REINFORCEMENT) * 1000) / 1000);
}
