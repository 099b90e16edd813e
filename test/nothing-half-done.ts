import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Database, EVERY_TENANT } from '../src/store/database.ts';

const ACTORS = ['synthesise', 'merge-tags', 'merge-reflections', 'find-patterns', 'reflect', 'judge-use'];

/** Checks that related records are consistent: versions and revisions, merged memories and those that they replaced, runs. */
export async function nothingHalfDone(store: Database): Promise<void> {
  const none = async (query: ReturnType<typeof sql>): Promise<void> => {
    const { rows } = await store.read(EVERY_TENANT, (reader) => query.execute(reader));
    expect(rows).toEqual([]);
  };
  await none(sql`select id from blocks b where version <> (select count(*) from revisions r where r.record_id = b.id)`);
  await none(
    sql`select id from memories m where version <> (select count(*) from revisions r where r.record_id = m.id)`,
  );
  await none(sql`select id from memories m where archive_reason in ('superseded', 'merged') and not exists
    (select 1 from memories n where n.tenant_id = m.tenant_id and n.id = m.contradicted_by)`);
  await none(sql`select r.record_id from revisions r where r.run is not null and r.actor in (${sql.join(ACTORS)})
    and not exists (select 1 from runs u where u.tenant_id = r.tenant_id and u.id = r.run and u.status = 'done')`);
  // A forgotten statement is archived, has a record, and its words are out of the log: all of these or none.
  await none(sql`select f.id from forgotten f where f.memory_id is not null and not exists (select 1 from memories m
    where m.tenant_id = f.tenant_id and m.id = f.memory_id and m.archived_at is not null)`);
  await none(sql`select m.id from memories m where m.archive_reason = 'forgotten' and m.attribute is not null and not exists
    (select 1 from forgotten f where f.tenant_id = m.tenant_id and f.memory_id = m.id)`);
  await none(sql`select s.forgotten_id from forgotten_spans s join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
    where s.field = 'content' and s.words <> '' and e.content like '%' || s.words || '%'`);
  await none(sql`select d.memory_id from memory_derivations d where not exists
    (select 1 from memories m where m.tenant_id = d.tenant_id and m.id = d.memory_id)`);
}
