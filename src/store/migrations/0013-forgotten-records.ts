import type { Migration } from './migration.ts';

/** The turns behind memories that were forgotten before there were records of forgetting. Their whole text is removed. */
const TURNS = `select s.event_id from memory_sources s join memories m on m.tenant_id = s.tenant_id and m.id = s.memory_id
  where m.archive_reason = 'forgotten' and s.tenant_id = events.tenant_id`;

export const forgottenRecords: Migration = {
  version: 13,
  name: 'forgotten-records',
  statements: ({ time, integer }) => [
    `create table forgotten (
      tenant_id text not null, id text not null, owner_key text not null, agent_id text, user_id text,
      "as" text not null, memory_id text, subject text not null, attribute text, value text, polarity text not null,
      tense text not null, text text not null, asked_by text not null, request text, reason text not null,
      at ${time} not null, said_again_at ${time},
      primary key (tenant_id, id))`,
    `create index forgotten_owner on forgotten (tenant_id, owner_key, at)`,
    `create index forgotten_memory on forgotten (tenant_id, memory_id)`,

    // The words that were removed from events, with their offsets. The event has blanks of the same length there.
    `create table forgotten_spans (
      tenant_id text not null, forgotten_id text not null, event_id text not null, field text not null,
      start_at ${integer} not null, end_at ${integer} not null, words text not null,
      primary key (tenant_id, forgotten_id, event_id, field, start_at))`,
    `create index forgotten_spans_event on forgotten_spans (tenant_id, event_id)`,

    `insert into forgotten (tenant_id, id, owner_key, agent_id, user_id, "as", memory_id, subject, attribute, value, polarity,
      tense, text, asked_by, request, reason, at, said_again_at)
      select tenant_id, 'fgt' || substr(id, 4), owner_key, agent_id, user_id, 'forgotten', id, subject, attribute, value,
        polarity, tense, content, 'application', null, 'forgotten before there were records of it', archived_at, null
      from memories where archive_reason = 'forgotten'`,
    `insert into forgotten_spans (tenant_id, forgotten_id, event_id, field, start_at, end_at, words)
      select e.tenant_id, 'fgt' || substr(m.id, 4), e.id, 'content', 0, length(e.content), e.content
      from memory_sources s join memories m on m.tenant_id = s.tenant_id and m.id = s.memory_id
        join events e on e.tenant_id = s.tenant_id and e.id = s.event_id
      where m.archive_reason = 'forgotten'`,
    `delete from embeddings where record_kind = 'event' and exists (select 1 from events
      where events.tenant_id = embeddings.tenant_id and events.row_id = embeddings.record_row and events.id in (${TURNS}))`,
    `delete from embedding_queue where record_kind = 'event' and exists (select 1 from events
      where events.tenant_id = embedding_queue.tenant_id and events.row_id = embedding_queue.record_row
        and events.id in (${TURNS}))`,

    // Recall used this index to exclude the turns of forgotten memories. Their words are no longer in the events.
    `drop index memories_forgotten`,
  ],
  sqlite: [
    `delete from event_text where rowid in (select row_id from events where id in (${TURNS}))`,
    `update events set content = replace(hex(zeroblob(length(content))), '00', ' ') where id in (${TURNS})`,
  ],
  postgres: [
    `delete from event_text where exists (select 1 from events
      where events.tenant_id = event_text.tenant_id and events.row_id = event_text.row_id and events.id in (${TURNS}))`,
    `update events set content = repeat(' ', length(content)) where id in (${TURNS})`,
  ],
  tenantTables: ['forgotten', 'forgotten_spans'],
};
