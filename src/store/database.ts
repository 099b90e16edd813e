import type { EventEmitter } from 'node:events';
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

/** Stands for all tenants in place of a tenant's name. Only the queue, migrations and operators work across tenants. */
export const EVERY_TENANT: unique symbol = Symbol.for('varve: every tenant');
export type Tenant = string | typeof EVERY_TENANT;

/** The kinds of records that have full-text and vector indexes. */
export type IndexedKind = 'memory' | 'event';

/** The interface that SQLite and PostgreSQL stores share. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads within one tenant, which PostgreSQL enforces with row-level security. */
  read<Result>(tenant: Tenant, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Reads data that may be a moment old, from a replica if the store has one; otherwise does the same as `read`. Never returns erased or
   * forgotten data: if the replica still has it, the primary is read instead.
   */
  readReplica<Result>(scope: Scope, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in one transaction. After a deadlock, `work` runs again, so it must only query the database and never wait for a model or
   * the network.
   */
  write<Result>(tenant: Tenant, work: (writer: Writer) => Promise<Result>): Promise<Result>;
  /** Emits `write` after each write of this process, so that background work starts immediately. */
  readonly writes: EventEmitter<{ write: [] }>;
  readonly text: TextIndex;
  readonly vectors: VectorIndex;
  readonly syntax: Syntax;
  /** Finds problems of the database servers that a successful connection does not show. SQLite has none. */
  examine(): Promise<StoreProblem[]>;
  /** Removes deleted data from the files, as far as the database allows. It is called after an erasure. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** A problem of a store that `varve doctor` reports. */
export interface StoreProblem {
  problem: string;
  remedy: string;
}

/** A full-text index of words that Varve has segmented. */
export interface TextIndex {
  add(writer: Writer, kind: IndexedKind, entries: readonly TextEntry[]): Promise<void>;
  /** Deletes rows from the index, for an erasure. Archived rows stay in the index, and searches filter them out. */
  remove(writer: Writer, kind: IndexedKind, tenant: string, rowIds: readonly number[]): Promise<void>;
  /** Returns the rows that contain a distinctive word of the search (see `tellingWords`), best first. */
  search(reader: Reader, search: TextSearch): Promise<TextHit[]>;
  /** Returns, for each word, how many of the owners' rows contain it. */
  frequencies(reader: Reader, search: WordSearch): Promise<Map<string, number>>;
}

interface TextEntry {
  tenant: string;
  owner: string;
  rowId: number;
  words: readonly string[];
}

/** The words to search for, and the owners whose rows are searched. */
export interface WordSearch {
  tenant: string;
  kind: IndexedKind;
  owners: readonly string[];
  words: readonly string[];
}

/** Restricts the rows that a search returns. */
export interface RowLimits {
  limit: number;
  /** Whether archived rows are included. Default false. */
  archived?: boolean;
  /** A further SQL condition on the rows. It refers to their table as `record`. */
  condition?: RawBuilder<SqlBool>;
}

export type TextSearch = WordSearch & RowLimits;

interface TextHit {
  rowId: number;
  /** A higher score is better. Scores are comparable only within one search. */
  score: number;
}

/** An index for nearest-neighbour search. */
export interface VectorIndex {
  /** Prepares the index for a model's vectors. Costs almost nothing if that was done before. */
  prepare(model: VectorModel): Promise<void>;
  /** Returns the nearest vectors, nearest first. A long event may occur several times, because each of its passages has a vector. */
  nearest(reader: Reader, search: VectorSearch): Promise<VectorHit[]>;
  /**
   * Computes the similarity of every vector to the query, if this process has the vectors in memory. Returns null if only a database server
   * has them; callers then use `nearest`.
   */
  scan(reader: Reader, search: Omit<VectorSearch, 'kind' | keyof RowLimits>): Promise<VectorScan[] | null>;
}

export interface VectorModel {
  id: string;
  dimensions: number;
}

export interface VectorSearch extends Omit<WordSearch, 'words'>, RowLimits {
  model: VectorModel;
  /** A vector of unit length, like all stored vectors. */
  query: Float32Array;
}

/** The similarities of one owner's vectors of one kind. The three arrays are parallel: the same index is the same vector. */
interface VectorScan {
  kind: IndexedKind;
  /**
   * The row of each vector. A row occurs once for each of its passages. As long as the owner stays cached, every scan returns this same
   * array, which only grows.
   */
  rows: readonly number[];
  /** The passage number of each vector. */
  passages: readonly number[];
  scores: Float32Array;
}

export interface VectorHit {
  rowId: number;
  passage: number;
  /** The cosine similarity, from -1 to 1. */
  similarity: number;
}

/** The expressions that differ between the two databases. */
export interface Syntax {
  /** A field of a JSON column as text, by its path. */
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>;
  /**
   * Wraps a column so that the query planner uses no index for it. Otherwise SQLite may read all rows of a tenant through an index instead
   * of looking up a few rows by their numbers.
   */
  unindexed(column: string): RawBuilder<string>;
  /**
   * Checks whether a column has one of the values. The SQL text is the same for any number of values, so the statement is prepared only
   * once.
   */
  isAnyOf(column: string, values: readonly (string | number)[]): RawBuilder<SqlBool>;
  /** Whether the database returns a boolean in JSON as 1 or 0. */
  readonly booleansAreNumbers: boolean;
  /** The locking clause of a select, so that two workers never pick the same row. */
  readonly skipLocked: RawBuilder<unknown>;
  isUniqueViolation(error: unknown): boolean;
  /** Converts a vector to the type of the column `embeddings.vector`. `decodeVector` does the reverse. */
  encodeVector(vector: Float32Array): Uint8Array | string;
  decodeVector(stored: Uint8Array | string): Float32Array;
}

/** The dependencies of all operations (observe, form, recall and others). `createVarve()` creates them once. */
export interface Parts {
  database: Database;
  clock: Clock;
  ids: IdSource;
  memoryTypes: MemoryTypeTable;
  attributes: AttributeTable;
  /** The privacy policy: sensitive parts of a text are redacted before it is written. Default: none. */
  privacy?: PrivacyPolicy;
  /** Whether all agents of a user share the permanent facts about the user. Default false: a fact belongs to the agent that learned it. */
  sharesFacts?: boolean;
}

/**
 * Runs work in a savepoint of an open transaction. If the work throws, its changes are rolled back and the error is thrown again. The
 * transaction stays usable.
 */
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

/** Does a dry run: runs work in a transaction, rolls it back, and returns the result. */
export async function rolledBack<Result>(
  database: Pick<Database, 'write'>,
  tenant: Tenant,
  work: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  const rollback = new Error('The dry run was rolled back.');
  let result: Result | undefined;
  try {
    await database.write(tenant, async (writer) => {
      result = await work(writer);
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return result as Result;
}
