import { type Kysely, type RawBuilder, sql, type SqlBool, type Transaction } from 'kysely';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { AttributeTable } from '../record/attributes.ts';
import type { Clock } from '../record/clock.ts';
import type { IdSource } from '../record/id.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Scope } from '../record/scope.ts';
import type { Tables } from './schema.ts';

/** A database to read from. */
export type Reader = Kysely<Tables>;
/** An open transaction. */
export type Writer = Transaction<Tables>;

/** Given in place of a tenant's name for work across tenants, which only the queue, migrations and operators do. */
export const EVERY_TENANT: unique symbol = Symbol.for('varve: every tenant');
export type Tenant = string | typeof EVERY_TENANT;

/** The kinds of record that have text and vectors of their own. */
export type IndexedKind = 'memory' | 'event';

/** One database, SQLite or PostgreSQL, behind the same contract. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads within one tenant. In PostgreSQL row-level security holds it there. */
  read<Result>(tenant: Tenant, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Reads data that may be a moment old, from a replica where the store has one; otherwise the same as `read`. Erased or forgotten data is
   * never returned: a replica that still holds it is bypassed.
   */
  readReplica<Result>(scope: Scope, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Writes in one transaction: all of it or nothing. The work may run again after a deadlock,
   * so it does nothing but query; it never waits for a model or the network.
   */
  write<Result>(tenant: Tenant, work: (writer: Writer) => Promise<Result>): Promise<Result>;
  readonly text: TextIndex;
  readonly vectors: VectorIndex;
  readonly syntax: Syntax;
  /** Problems of the servers behind the store that a plain connection does not show. Nothing on SQLite. */
  examine(): Promise<StoreProblem[]>;
  /** Called after erasing: removes the deleted data from the files, as far as the database allows. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** Something that `varve doctor` says of a store, and what to do about it. */
export interface StoreProblem {
  problem: string;
  remedy: string;
}

/** Full text: words that were already segmented go in, row ids come out. */
export interface TextIndex {
  add(writer: Writer, kind: IndexedKind, entries: readonly TextEntry[]): Promise<void>;
  /** Takes rows out for good, as erasing does. Archived rows stay in and are filtered by the reader. */
  remove(writer: Writer, kind: IndexedKind, tenant: string, rowIds: readonly number[]): Promise<void>;
  /** The rows that have any of the words that tell (see `tellingWords`), best first. */
  search(reader: Reader, search: TextSearch): Promise<TextHit[]>;
  /** In how many rows of the owners each word occurs. */
  frequencies(reader: Reader, search: WordSearch): Promise<Map<string, number>>;
}

export interface TextEntry {
  tenant: string;
  owner: string;
  rowId: number;
  words: readonly string[];
}

/** Words, and whose rows are asked for them. */
export interface WordSearch {
  tenant: string;
  kind: IndexedKind;
  owners: readonly string[];
  words: readonly string[];
}

export interface TextSearch extends WordSearch {
  limit: number;
  /** Also rows that are archived. */
  archived?: boolean;
  /** What else must hold of a row; its columns are under the alias `record`. */
  condition?: RawBuilder<SqlBool>;
}

export interface TextHit {
  rowId: number;
  /** Higher is better; comparable within one search only. */
  score: number;
}

/** Nearest vectors, within owners. */
export interface VectorIndex {
  /** Makes ready for a model's vectors. Cheap when it is ready already. */
  prepare(model: VectorModel): Promise<void>;
  /** What is nearest to the query, nearest first. A long event is as many hits as it has passages among them. */
  nearest(reader: Reader, search: VectorSearch): Promise<VectorHit[]>;
  /**
   * How similar everything is to the query, where all vectors are in this process; null where they are in a server and
   * `nearest` is the way to ask.
   */
  scan(reader: Reader, search: Omit<VectorSearch, 'limit' | 'archived' | 'condition'>): Promise<VectorScan[] | null>;
}

export interface VectorModel {
  id: string;
  dimensions: number;
}

export interface VectorSearch {
  tenant: string;
  owners: readonly string[];
  model: VectorModel;
  kind: IndexedKind;
  /** Of unit length, as all stored vectors are. */
  query: Float32Array;
  limit: number;
  /** Also rows that are archived. */
  archived?: boolean;
  /** What else must hold of a row; its columns are under the alias `record`. */
  condition?: RawBuilder<SqlBool>;
}

/** The similarities of one owner's rows, by place. */
export interface VectorScan {
  /** The rows, a row once for each of its passages; the same list from scan to scan, which only grows. */
  rows: readonly number[];
  /** The number of the passage at each place, alike. */
  passages: readonly number[];
  scores: Float32Array;
}

export interface VectorHit {
  rowId: number;
  passage: number;
  /** The cosine, from -1 to 1. */
  similarity: number;
}

/** The few expressions that are written differently. */
export interface Syntax {
  /** A field of a JSON column as text, by its path. */
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>;
  /**
   * A column in a form for which the planner uses no index. SQLite has no statistics of ours and would rather read all of a tenant by an
   * index than forty rows by their numbers.
   */
  unindexed(column: string): RawBuilder<string>;
  /** Whether a boolean inside JSON comes out as 1 or 0. */
  readonly booleansAreNumbers: boolean;
  /** The lock that a select takes so that two workers never pick the same row. */
  readonly skipLocked: RawBuilder<unknown>;
  isUniqueViolation(error: unknown): boolean;
  /** A vector as the column `embeddings.vector` takes it, and back. */
  encodeVector(vector: Float32Array): Uint8Array | string;
  decodeVector(stored: Uint8Array | string): Float32Array;
}

/** Runs one piece of work at a time, in the order of the calls. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a lock of this process. A failure of one piece of work reaches only its own caller. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Give it back as `cursor` for the next page; null on the last. */
  cursor: string | null;
}

/** What every verb works with: opened once by createVarve() and handed on. */
export interface Parts {
  database: Database;
  clock: Clock;
  ids: IdSource;
  memoryTypes: MemoryTypeTable;
  attributes: AttributeTable;
  /** What must not be stored in a memory: such parts of a text are redacted before it is written. Default: nothing is looked for. */
  privacy?: PrivacyPolicy;
  /** Whether permanent facts about a user belong to the user with every agent. Default: they are of the agent that learned them. */
  sharesFacts?: boolean;
}

/** Entries that are written a moment after they were noted, many in one go, so that no answer waits for them. */
export interface GatheredWrites<Entry> {
  note(entry: Entry): void;
  /** Resolves when everything noted so far is written. */
  settle(): Promise<void>;
}

const GATHER_FOR = 50;

/** Gathers entries for 50 ms and hands them to `write`, one batch after the other. `write` handles its own failures. */
export function gatherWrites<Entry>(write: (entries: readonly Entry[]) => Promise<void>): GatheredWrites<Entry> {
  let noted: Entry[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  const flush = (): void => {
    timer = null;
    const entries = noted;
    noted = [];
    writing = writing.then(() => write(entries));
  };
  return {
    note(entry) {
      noted.push(entry);
      timer ??= setTimeout(flush, GATHER_FOR).unref();
    },
    async settle() {
      if (timer !== null) {
        clearTimeout(timer);
        flush();
      }
      await writing;
    },
  };
}

/** Runs work in a savepoint of an open transaction: where the work throws, the transaction goes on without it. */
export async function inSavepoint<Result>(writer: Writer, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint work`.execute(writer);
  try {
    const result = await work();
    await sql`release savepoint work`.execute(writer);
    return result;
  } catch (error) {
    await sql`rollback to savepoint work`.execute(writer);
    throw error;
  }
}
