import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { invalidInput } from '../errors.ts';
import type { Clock } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import type { Database, Reader } from '../store/database.ts';
import { type ChangePlace, type ChangeRow, lastVersion, readChanges } from '../store/history-store.ts';
import { versionsOf } from '../store/owner-store.ts';

/** Identifies a changed record, without its content. */
export interface RecordChange {
  /** The cursor that continues after this change. */
  cursor: string;
  kind: 'event' | 'memory' | 'block';
  id: string;
  /** The record's version after the change. 1 for an event. */
  version: number;
  at: Date;
  reason: string;
  actor: string;
}

export interface FollowOptions {
  /** The cursor of the last change that the caller has seen. Default: now. */
  after?: string;
  signal?: AbortSignal;
}

// Milliseconds until changes of other processes are seen.
const LOOK_EVERY = 1_000;
// On a busy server, a query after each write would slow the writes down.
const LOOK_AT_MOST_EVERY = 100;
// Read again and deduplicated, because a transaction may commit after one that began later, and clocks differ. On a busy server, only every
// tenth query goes back that far.
const OVERLAP = 3_000;
const SHORT_OVERLAP = 100;
const WIDE_LOOK_EVERY = 10;

export async function* followChanges(
  { database, clock }: { database: Database; clock: Clock },
  scope: Scope,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<RecordChange> {
  const read = <Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> =>
    database.read(scope.tenant, work);
  let place =
    after === undefined
      ? { sequence: await read((reader) => lastVersion(reader, scope.tenant)), at: clock.now() }
      : readCursor(after);
  const told = new Map<string, ChangePlace>();
  for await (const change of readChanges(read, scope, { after: before(place, OVERLAP), upTo: place })) {
    told.set(keyOf(change), change);
  }
  const isOver = (): boolean => signal?.aborted === true;
  let isWoken = false;
  for (let look = 0; !isOver(); look += 1) {
    const overlap = isWoken && look % WIDE_LOOK_EVERY !== 0 ? SHORT_OVERLAP : OVERLAP;
    for await (const { sequence, ...change } of readChanges(read, scope, { after: before(place, overlap) })) {
      if (told.has(keyOf(change))) continue;
      place = {
        sequence: Math.max(place.sequence, sequence),
        at: sequence === 0 ? Math.max(place.at, change.at) : place.at,
      };
      told.set(keyOf(change), { sequence, at: change.at });
      yield { ...change, at: new Date(change.at), cursor: `${place.sequence}-${place.at}` };
    }
    const old = before(place, 2 * OVERLAP);
    for (const [key, { sequence, at }] of told) {
      if (sequence === 0 ? at < old.at : sequence < old.sequence) told.delete(key);
    }
    isWoken = await waitForWrite(database, signal);
    await waitAtMost(LOOK_AT_MOST_EVERY, signal);
  }
}

// In stores up to schema 15, the sequence is a row number. For these, going back by a hundredth of it is enough.
function before({ sequence, at }: ChangePlace, overlap: number): ChangePlace {
  return { sequence: Math.floor(sequence - Math.min(versionsOf(overlap), sequence / 100)), at: at - overlap };
}

/** Waits at most a second. Returns whether this process has written. */
async function waitForWrite({ writes }: Database, signal: AbortSignal | undefined): Promise<boolean> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  const isWritten = await Promise.race([
    waitAtMost(LOOK_EVERY, either).then(() => false),
    once(writes, 'write', { signal: either }).then(
      () => true,
      () => false,
    ),
  ]);
  stop.abort();
  return isWritten;
}

async function waitAtMost(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  });
}

function keyOf({ id, version }: Pick<ChangeRow, 'id' | 'version'>): string {
  return `${id}/${version}`;
}

function readCursor(cursor: string): ChangePlace {
  const match = /^(\d{1,16})-(\d{1,15})$/.exec(cursor);
  if (match === null)
    throw invalidInput('The cursor is not valid. Give the `cursor` of a change that was received before.');
  return { sequence: Number(match[1]), at: Number(match[2]) };
}
