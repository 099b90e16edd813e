import type { Selectable } from 'kysely';
import { invalidInput } from '../errors.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { chunks, type Reader, type Writer } from './database.ts';
import { liesWithin } from './owner-store.ts';
import type { Page } from './read-memories.ts';
import type { RefusalTable } from './schema.ts';

/** What was refused: a statement, the end of one, a request to forget, a reflection, a summary of a topic, a fact. */
export const REFUSED = ['statement', 'end', 'forget', 'reflection', 'topic', 'fact'] as const;
export type Refused = (typeof REFUSED)[number];

/** Something that a reader gave and that was not stored, with the reason. */
export interface RefusalRecord {
  id: string;
  scope: Scope;
  /** The run of background work that refused it; null outside of runs. */
  run: string | null;
  at: Date;
  /** A code, such as `quote_not_found`. */
  reason: string;
  what: Refused;
  /** What it said; null where there is no text. */
  text: string | null;
  /** More about the reason, for people. */
  detail: string | null;
  /** The whole item as the reader gave it. */
  proposal: unknown;
  /** The events that were read. */
  events: string[];
}

/** Writes refusals, in the transaction of the run that they belong to. A refusal that is there already stays. */
export async function insertRefusals(writer: Writer, refusals: readonly RefusalRecord[]): Promise<number> {
  let count = 0;
  for (const some of chunks(refusals)) {
    const { numInsertedOrUpdatedRows } = await writer
      .insertInto('refusals')
      .values(
        some.map((refusal) => ({
          tenant_id: refusal.scope.tenant,
          owner_key: ownerKey(refusal.scope),
          id: refusal.id,
          agent_id: refusal.scope.agent,
          user_id: refusal.scope.user,
          session_id: refusal.scope.session,
          run: refusal.run,
          at: refusal.at.getTime(),
          reason: refusal.reason,
          what: refusal.what,
          text: refusal.text,
          detail: refusal.detail,
          proposal: refusal.proposal == null ? null : JSON.stringify(refusal.proposal),
          events: JSON.stringify(refusal.events),
        })),
      )
      .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
      .executeTakeFirst();
    count += Number(numInsertedOrUpdatedRows ?? 0);
  }
  return count;
}

/** Which refusals to list. */
export interface RefusalFilter {
  /** Default 100, at most 1,000. */
  limit?: number;
  /** Where the last page ended. */
  cursor?: string;
  session?: string;
}

/** The refusals within a scope, newest first. */
export async function listRefusals(
  reader: Reader,
  scope: Scope,
  { limit = 100, cursor, session }: RefusalFilter = {},
): Promise<Page<RefusalRecord>> {
  let query = reader
    .selectFrom('refusals')
    .selectAll()
    .where(liesWithin<'refusals'>(scope))
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (session !== undefined) query = query.where('session_id', '=', session);
  if (cursor !== undefined) query = query.where('id', '<', refusalId(cursor));
  const rows = await query.execute();
  const items = rows.slice(0, limit).map(toRefusal);
  return { items, cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

// Ids sort in the order in which they were made, so that the id of the last item is where a page ended.
function refusalId(cursor: string): string {
  if (/^ref_[0-9a-z]{26}$/.test(cursor)) return cursor;
  throw invalidInput('The cursor is not one that a list of refusals has given.');
}

/** Removes refusals from before a time, so that the log does not grow without end. */
export async function removeRefusals(writer: Writer, tenant: string, before: number): Promise<number> {
  const { numDeletedRows } = await writer
    .deleteFrom('refusals')
    .where('tenant_id', '=', tenant)
    .where('at', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Removes the refusals of what was read from any of these events, with their texts. Gives back how many. */
export async function eraseRefusals(
  writer: Writer,
  tenant: string,
  { owners, events }: { owners: readonly string[]; events: ReadonlySet<string> },
): Promise<number> {
  let count = 0;
  for (const owner of owners) {
    const rows = await writer
      .selectFrom('refusals')
      .select(['id', 'events'])
      .where('tenant_id', '=', tenant)
      .where('owner_key', '=', owner)
      .execute();
    const gone = rows.filter((row) => (JSON.parse(row.events) as string[]).some((event) => events.has(event)));
    for (const some of chunks(gone.map(({ id }) => id))) {
      await writer.deleteFrom('refusals').where('tenant_id', '=', tenant).where('id', 'in', some).execute();
    }
    count += gone.length;
  }
  return count;
}

export function toRefusal(row: Selectable<RefusalTable>): RefusalRecord {
  return {
    id: row.id,
    scope: { tenant: row.tenant_id, agent: row.agent_id, user: row.user_id, session: row.session_id, connection: null },
    run: row.run,
    at: new Date(row.at),
    reason: row.reason,
    what: row.what as Refused,
    text: row.text,
    detail: row.detail,
    proposal: row.proposal === null ? null : (JSON.parse(row.proposal) as unknown),
    events: JSON.parse(row.events) as string[],
  };
}
