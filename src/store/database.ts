import type { EventEmitter } from 'node:events';
import { type Kysely, type RawBuilder, sql, type SqlBool, type Transaction } from 'kysely';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { AttributeTable } from '../record/attributes.ts';
import type { Clock } from '../record/clock.ts';
import type { IdSource } from '../record/id.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Scope } from '../record/scope.ts';
import type { Tables } from './schema.ts';

export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables>;

/** Stands for all tenants. Only for background work, migrations and operators: row-level security does not apply. */
export const EVERY_TENANT: unique symbol = Symbol.for('varve: every tenant');
export type Tenant = string | typeof EVERY_TENANT;

export type IndexedKind = 'memory' | 'event';

export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  read<Result>(tenant: Tenant, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /**
   * May return slightly old data from a replica, but never erased or forgotten data: if the replica still has it, the primary is read
   * instead.
   */
  readReplica<Result>(scope: Scope, work: (reader: Reader) => Promise<Result>): Promise<Result>;
  /** Runs `work` in one transaction. After a deadlock, `work` runs again, so it must not wait for a model or the network. */
  write<Result>(tenant: Tenant, work: (writer: Writer) => Promise<Result>): Promise<Result>;
  /** Emitted after each write of this process, so that background work starts immediately. */
  readonly writes: EventEmitter<{ write: [] }>;
  readonly text: TextIndex;
  readonly vectors: VectorIndex;
  readonly syntax: Syntax;
  /** Finds problems that a successful connection does not show. SQLite has none. */
  examine(): Promise<StoreProblem[]>;
  /** Removes deleted data from the database files, as far as the database allows. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/** A problem that `varve doctor` reports. */
export interface StoreProblem {
  problem: string;
  remedy: string;
}

export interface TextIndex {
  add(writer: Writer, kind: IndexedKind, entries: readonly TextEntry[]): Promise<void>;
  /** Only for erasures. Archived rows stay in the index, and searches filter them out. */
  remove(writer: Writer, kind: IndexedKind, tenant: string, rowIds: readonly number[]): Promise<void>;
  /** Returns rows that contain a distinctive word of the search (see `tellingWords`), best first. */
  search(reader: Reader, search: TextSearch): Promise<TextHit[]>;
  frequencies(reader: Reader, search: WordSearch): Promise<Map<string, number>>;
}

interface TextEntry {
  tenant: string;
  owner: string;
  rowId: number;
  words: readonly string[];
}

export interface WordSearch {
  tenant: string;
  kind: IndexedKind;
  owners: readonly string[];
  words: readonly string[];
}

export interface RowLimits {
  limit: number;
  archived?: boolean;
  /** Refers to the table of the rows as `record`. */
  condition?: RawBuilder<SqlBool>;
}

export type TextSearch = WordSearch & RowLimits;

interface TextHit {
  rowId: number;
  /** Higher is better. Scores are comparable only within one search. */
  score: number;
}

export interface VectorIndex {
  /** Creates what the index needs for a model's vectors. Idempotent and cheap to repeat. */
  prepare(model: VectorModel): Promise<void>;
  /** Nearest first. A long event may occur several times, once per passage. */
  nearest(reader: Reader, search: VectorSearch): Promise<VectorHit[]>;
  /** Compares every vector with the query. Returns null if the vectors are not in this process; then use `nearest`. */
  scan(reader: Reader, search: Omit<VectorSearch, 'kind' | keyof RowLimits>): Promise<VectorScan[] | null>;
}

export interface VectorModel {
  id: string;
  dimensions: number;
}

export interface VectorSearch extends Omit<WordSearch, 'words'>, RowLimits {
  model: VectorModel;
  /** A unit vector, like all stored vectors. */
  query: Float32Array;
}

interface VectorScan {
  kind: IndexedKind;
  /** The row of each vector, once per passage. While the owner stays cached, every scan returns this same array, which only grows. */
  rows: readonly number[];
  passages: readonly number[];
  scores: Float32Array;
}

export interface VectorHit {
  rowId: number;
  passage: number;
  similarity: number;
}

export interface Syntax {
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>;
  /**
   * Hides a column from the query planner's choice of index. Otherwise SQLite may read all rows of a tenant through an index instead of
   * looking up a few rows by number.
   */
  unindexed(column: string): RawBuilder<string>;
  /** The SQL text is the same for any number of values, so the statement is prepared only once. */
  isAnyOf(column: string, values: readonly (string | number)[]): RawBuilder<SqlBool>;
  /** Whether the database returns a JSON boolean as 1 or 0. */
  readonly booleansAreNumbers: boolean;
  readonly skipLocked: RawBuilder<unknown>;
  isUniqueViolation(error: unknown): boolean;
  encodeVector(vector: Float32Array): Uint8Array | string;
  decodeVector(stored: Uint8Array | string): Float32Array;
}

export interface Parts {
  database: Database;
  clock: Clock;
  ids: IdSource;
  memoryTypes: MemoryTypeTable;
  attributes: AttributeTable;
  /** Redacts sensitive parts of a text before it is written. Default: none. */
  privacy?: PrivacyPolicy;
  /** Whether all agents of a user share the permanent facts about the user. Default false: a fact belongs to the agent that learned it. */
  sharesFacts?: boolean;
}

/** If `work` throws, its changes are rolled back, and the transaction stays usable. */
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

/** For dry runs: always rolls back. */
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
