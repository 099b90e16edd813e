import type { Formation } from '../form/formation.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import type { Database, Writer } from '../store/database.ts';

/** What appending events works with. */
export interface AppendDeps {
  database: Database;
  formation: Formation;
}

/**
 * Appends events, and queues in the same transaction what follows from them. Once they are committed, rules read them;
 * that happens later, in this process, and can neither delay the caller nor fail it.
 */
export async function append<Result>(
  { database, formation }: AppendDeps,
  scope: Scope,
  work: (writer: Writer) => Promise<Result>,
  eventsOf: (result: Result) => readonly Event[],
): Promise<Result> {
  const result = await database.write(scope.tenant, async (writer) => {
    const written = await work(writer);
    await formation.afterAppend(writer, scope, eventsOf(written));
    return written;
  });
  formation.noticed(scope, eventsOf(result));
  return result;
}
