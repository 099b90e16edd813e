import type { IndexedKind } from '../store/database.ts';
import { ownersToEmbed, queueMissing } from '../store/embedding-store.ts';
import { embedRecords, type EmbedCounts, type EmbedDeps, type EmbedOptions } from './embed-records.ts';

const STRETCH = 2000;
const OWNERS = 100;

/** The rate of the design that this comes from, in records a second. */
const DEFAULT_RATE = 10;

export interface BackfillOptions extends EmbedOptions {
  /** Default: every tenant. */
  tenant?: string;
}

/**
 * Embeds everything that has no vector, at `rate` records a second, and says how many of each kind it embedded:
 * memories by their type, events by their kind.
 */
export async function backfill(
  deps: EmbedDeps,
  { rate = DEFAULT_RATE, signal, tenant }: BackfillOptions = {},
): Promise<EmbedCounts> {
  const model = deps.embedding.current?.id;
  const total: EmbedCounts = {};
  if (model === undefined) return total;
  for (const kind of ['memory', 'event'] as const) await queueEvery(deps, kind, model, signal);
  for (;;) {
    const owners = await ownersToEmbed(deps.database, OWNERS, tenant);
    if (owners.length === 0) return total;
    for (const owner of owners) {
      const counts = await embedRecords(deps, owner, { rate, signal });
      for (const [type, count] of Object.entries(counts)) total[type] = (total[type] ?? 0) + count;
    }
  }
}

async function queueEvery(deps: EmbedDeps, kind: IndexedKind, model: string, signal?: AbortSignal): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    signal?.throwIfAborted();
    after = await queueMissing(deps.database, { kind, model, after, limit: STRETCH });
  }
}
