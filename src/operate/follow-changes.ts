import { setTimeout as pause } from 'node:timers/promises';
import { invalidInput } from '../errors.ts';
import type { Clock } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import type { Database } from '../store/database.ts';
import { type ChangePlace, type ChangeRow, lastEventRow, readChanges } from '../store/history-store.ts';

/** Something that changed. It names the record and holds nothing of its content. */
export interface RecordChange {
  /** The cursor from which to continue after this change. */
  cursor: string;
  kind: 'event' | 'memory' | 'block';
  id: string;
  /** The version that the change made; 1 for an event. */
  version: number;
  at: Date;
  reason: string;
  actor: string;
}

export interface FollowOptions {
  /** The cursor of the last change that was seen. Default: now. */
  after?: string;
  signal?: AbortSignal;
  /** Resolves when something was written in this process, so that the wait ends early. */
  written?(): Promise<void>;
}

// Changes of other processes are seen after this delay at most.
const LOOK_EVERY = 1_000;
// A busy server writes all the time: a query after each write would slow the writes down.
const LOOK_AT_MOST_EVERY = 100;
// A transaction may commit after one that began later: the last stretch is read again, and what was told is left out.
const OVERLAP: ChangePlace = { rowId: 200, at: 3_000 };
const PAGE = 1_000;

/** What changes within a scope, from now or from a cursor on, until the signal says stop. */
export async function* followChanges(
  { database, clock }: { database: Database; clock: Clock },
  scope: Scope,
  { after, signal, written = () => new Promise(() => {}) }: FollowOptions = {},
): AsyncGenerator<RecordChange> {
  let place =
    after === undefined
      ? { rowId: await database.read(scope.tenant, (reader) => lastEventRow(reader, scope.tenant)), at: clock.now() }
      : readCursor(after);
  const told = new Map<string, ChangePlace>();
  for (const change of await read(database, scope, place)) {
    if (change.kind === 'event' ? change.rowId <= place.rowId : change.at <= place.at) told.set(keyOf(change), change);
  }
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    const changes = await read(database, scope, place);
    for (const { rowId, ...change } of changes) {
      if (told.has(keyOf(change))) continue;
      place = { rowId: Math.max(place.rowId, rowId), at: rowId === 0 ? Math.max(place.at, change.at) : place.at };
      told.set(keyOf(change), { rowId, at: change.at });
      yield { ...change, at: new Date(change.at), cursor: `${place.rowId}-${place.at}` };
    }
    for (const [key, { rowId, at }] of told) {
      if (rowId === 0 ? at < place.at - 2 * OVERLAP.at : rowId < place.rowId - 2 * OVERLAP.rowId) told.delete(key);
    }
    if (changes.length < PAGE) await waitFor(written(), signal);
    if (changes.length < PAGE) await waitAtMost(LOOK_AT_MOST_EVERY, signal);
  }
}

async function waitFor(written: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const stop = new AbortController();
  const signals = signal === undefined ? [stop.signal] : [stop.signal, signal];
  await Promise.race([waitAtMost(LOOK_EVERY, AbortSignal.any(signals)), written]);
  stop.abort();
}

async function waitAtMost(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  });
}

/** The changes after a place, and those of the overlap before it. */
async function read(database: Database, scope: Scope, { rowId, at }: ChangePlace): Promise<ChangeRow[]> {
  const after = { rowId: rowId - OVERLAP.rowId, at: at - OVERLAP.at };
  return database.read(scope.tenant, (reader) => readChanges(reader, scope, { after, limit: PAGE }));
}

function keyOf({ id, version }: Pick<ChangeRow, 'id' | 'version'>): string {
  return `${id}/${version}`;
}

function readCursor(cursor: string): ChangePlace {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(cursor);
  if (match === null)
    throw invalidInput('The cursor is not valid. Give the `cursor` of a change that was received before.');
  return { rowId: Number(match[1]), at: Number(match[2]) };
}
