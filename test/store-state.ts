import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, EVERY_TENANT, type Reader } from '../src/store/database.ts';

/** The content of a store, by table: each row as text, without values that differ between runs. */
export type StoreState = Record<string, string[]>;

// The queue is left out, and so are log entries of runs that found nothing to do, because they do not describe the memory.
const TABLES = [
  'owners',
  'events',
  'memories',
  'memory_tags',
  'memory_sources',
  'memory_entities',
  'revisions',
  'blocks',
  'sessions',
  'entities',
  'entity_names',
  'embeddings',
  'embedding_queue',
  'usage',
  'context_log',
  'runs',
  'held_changes',
  'owner_progress',
  'memory_derivations',
  'given_memories',
  'memory_use',
  'erasures',
  'forgotten',
  'forgotten_spans',
] as const;

/** Counters of caches, row numbers (a rolled-back transaction uses some up) and measured times. */
const LEFT_OUT: Record<string, readonly string[]> = {
  owners: ['version', 'epoch'],
  events: ['row_id', 'sequence'],
  memories: ['row_id', 'sequence'],
  embeddings: ['sequence'],
  usage: ['milliseconds'],
  // A second run reads less, and the order of two schedules does not matter.
  runs: ['read', 'cause'],
  owner_progress: ['consolidated_version'],
};

const ID = /\b(evt|mem|blk|ent|job|run|wrk|int|use|ctx|key|act|hld|era|giv|fgt)_[0-9a-z]{26}\b/g;

export interface StateOptions {
  /** Ids that are the same in all compared stores. Other ids are replaced by names for what they identify. */
  known: ReadonlySet<string>;
  /** Times from this one on are replaced by "now". */
  now: number;
}

type Row = Record<string, unknown>;

/** Reads the state of a store. */
export async function storeState(store: Database, { known, now }: StateOptions): Promise<StoreState> {
  return store.read(EVERY_TENANT, async (reader) => {
    const rows = new Map<string, Row[]>();
    for (const table of TABLES) rows.set(table, await readTable(reader, table));
    const named = namesOf(rows);
    const places = placesOf(rows);
    const state: StoreState = {};
    for (const [table, all] of rows) {
      state[table] = all
        .filter(({ status }) => table !== 'runs' || status === 'done')
        .map((row) => withoutChance(asText(table, row, places), { known, now, named }))
        .toSorted();
    }
    if (store.dialect === 'sqlite') {
      for (const table of ['memory_vocabulary', 'event_vocabulary']) {
        state[table] = (await readTable(reader, table)).map((row) => JSON.stringify(row));
      }
    }
    return state;
  });
}

/** All ids in a store. */
export async function idsIn(store: Database): Promise<Set<string>> {
  return store.read(EVERY_TENANT, async (reader) => {
    const ids = new Set<string>();
    for (const table of TABLES) {
      for (const [id] of JSON.stringify(await readTable(reader, table)).matchAll(ID)) ids.add(id);
    }
    return ids;
  });
}

async function readTable(reader: Reader, table: string): Promise<Row[]> {
  return (await sql<Row>`select * from ${sql.table(table)}`.execute(reader)).rows;
}

/** The names for new ids. */
function namesOf(rows: ReadonlyMap<string, Row[]>): Map<string, string> {
  const named = new Map<string, string>();
  for (const { id, type, content } of rows.get('memories') ?? []) named.set(String(id), `(${type}: ${content})`);
  for (const { id, kind, session_id } of rows.get('blocks') ?? []) named.set(String(id), `(${kind} ${session_id})`);
  for (const { id, type, name } of rows.get('entities') ?? []) named.set(String(id), `(${type} ${name})`);
  for (const { id, kind } of rows.get('runs') ?? []) named.set(String(id), `(run ${kind})`);
  return named;
}

/** The records by their position in their table. */
function placesOf(rows: ReadonlyMap<string, Row[]>): Record<'memory' | 'event', Map<unknown, unknown>> {
  const of = (table: string) => new Map((rows.get(table) ?? []).map(({ row_id, id }) => [row_id, id]));
  return { memory: of('memories'), event: of('events') };
}

function asText(table: string, row: Row, places: ReturnType<typeof placesOf>): string {
  const kept = Object.entries(row).filter(([column]) => LEFT_OUT[table]?.includes(column) !== true);
  const said = kept.map(([column, value]) => {
    if (column === 'record_row') return [column, places[row['record_kind'] as 'memory' | 'event'].get(value)];
    if (column === 'event_row') return [column, places.event.get(value)];
    // A digest that is computed from ids.
    if (column === 'changed') return [column, { ...(JSON.parse(String(value)) as Row), group: undefined }];
    if (value instanceof Uint8Array) return [column, createHash('sha256').update(value).digest('hex')];
    return [column, value];
  });
  return JSON.stringify(Object.fromEntries(said));
}

function withoutChance(
  text: string,
  { known, now, named }: StateOptions & { named: ReadonlyMap<string, string> },
): string {
  const orNow = (time: number, said: string): string => (time >= now ? 'now' : said);
  return text
    .replace(ID, (id, prefix: string) => (known.has(id) ? id : (named.get(id) ?? prefix)))
    .replace(/\b1\d{12}\b/g, (said) => orNow(Number(said), said))
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (said) => orNow(Date.parse(said), said));
}
