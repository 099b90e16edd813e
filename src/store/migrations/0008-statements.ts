import { type RawBuilder, sql, type Transaction } from 'kysely';
import { attributeTable } from '../../record/attribute-table.ts';
import { isUser, type Trust } from '../../record/statement.ts';
import type { SourceType } from '../../record/memory.ts';
import { pages } from '../rows.ts';
import { contentKey } from '../record-rows.ts';
import type { Tables } from '../schema.ts';
import type { Migration } from './migration.ts';
import { type UpgradedFields, upgradeMemory } from './older-memory.ts';

export const statements: Migration = {
  version: 8,
  name: 'statements',
  statements: ({ time, integer, json }) => [
    ...[
      `subject text not null default 'User'`,
      `attribute text`,
      `polarity text not null default 'affirmed'`,
      `tense text not null default 'holds'`,
      `permanent ${integer} not null default 0`,
      `stated_at ${time} not null default 0`,
      `stated_by text not null default 'system'`,
      `quotes ${json} not null default '[]'`,
      `reader text`,
      `internal ${json} not null default '{}'`,
    ].map((column) => `alter table memories add column ${column}`),
    `update memories set stated_at = created_at,
      stated_by = case when source_type not in ('conversation', 'inference') then 'system'
        when trust = 'high' then 'user' when trust = 'medium' then 'agent' else 'tool' end`,

    `create table refusals (
      tenant_id text not null, owner_key text not null, id text not null, agent_id text, user_id text, session_id text,
      run text, at ${time} not null, reason text not null, what text not null, text text, detail text,
      proposal ${json}, events ${json} not null,
      primary key (tenant_id, id))`,
    `create index refusals_owner on refusals (tenant_id, owner_key, id)`,
    `create index refusals_at on refusals (tenant_id, at)`,
  ],
  async transform(transaction) {
    await upgradeRows(transaction);
    for (const statement of [
      `alter table memories drop column key`,
      // For reads of all statements with an attribute, archived or not.
      `create index memories_attribute on memories (tenant_id, owner_key, attribute) where attribute is not null`,
      `create index memories_statement on memories (tenant_id, owner_key, subject, attribute) where archived_at is null`,
      // Created last, because SQLite takes the newer one of two indexes that serve a query equally well.
      `create index memories_permanent on memories (tenant_id, owner_key, subject, attribute)
        where permanent = 1 and archived_at is null`,
    ]) {
      await sql.raw(statement).execute(transaction);
    }
  },
  tenantTables: ['refusals'],
};

interface OlderRow {
  row_id: number;
  tenant_id: string;
  owner_key: string;
  session_id: string;
  connection_id: string;
  type: string;
  content: string;
  key: string | null;
  value: string | null;
  category: string | null;
  trust: string;
  source_type: string;
  source_events: string;
  created_at: number;
  archived_at: number | null;
  metadata: string;
  unique_key: string | null;
}

const PAGE = 1000;
const ATTRIBUTES = attributeTable();

async function upgradeRows(transaction: Transaction<Tables>): Promise<void> {
  const facts = new Map<string, Fact[]>();
  for await (const row of olderRows(transaction, sql`type = 'keyed_fact'`)) {
    const { attribute, value } = upgraded(row);
    for (const event of JSON.parse(row.source_events) as string[]) {
      const place = placeOf(row, event);
      facts.set(place, [...(facts.get(place) ?? []), { attribute, value }]);
    }
  }
  for await (const row of olderRows(transaction, sql`(key is not null or metadata <> '{}')`)) {
    const fields = upgraded(row);
    const value = fields.value ?? valueOfTwin(facts, row, fields);
    await updateRow(transaction, row, await distinct(transaction, row, { ...fields, value }));
  }
}

function olderRows(transaction: Transaction<Tables>, condition: RawBuilder<unknown>): AsyncGenerator<OlderRow> {
  return pages(PAGE, async (after) => {
    const { rows } = await sql<OlderRow>`
      select row_id, tenant_id, owner_key, session_id, connection_id, type, content, key, value, category, trust,
        source_type, source_events, created_at, archived_at, metadata, unique_key
      from memories where row_id > ${after?.row_id ?? 0} and ${condition}
      order by row_id limit ${PAGE}`.execute(transaction);
    return rows;
  });
}

function upgraded(row: OlderRow): UpgradedFields {
  return upgradeMemory({
    ...row,
    trust: row.trust as Trust,
    sourceType: row.source_type as SourceType,
    createdAt: new Date(row.created_at),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  });
}

async function updateRow(transaction: Transaction<Tables>, row: OlderRow, fields: UpgradedFields): Promise<void> {
  await sql`update memories set type = ${fields.type}, subject = ${fields.subject}, attribute = ${fields.attribute},
      value = ${fields.value}, polarity = ${fields.polarity}, permanent = ${fields.permanent ? 1 : 0},
      stated_at = ${fields.statedAt.getTime()}, stated_by = ${fields.statedBy}, reader = ${fields.reader},
      source_type = ${fields.sourceType}, metadata = ${JSON.stringify(fields.metadata)},
      internal = ${JSON.stringify(fields.internal)}, unique_key = ${await uniqueKeyOf(transaction, row, fields)}
    where tenant_id = ${row.tenant_id} and row_id = ${row.row_id}`.execute(transaction);
}

type Fact = Pick<UpgradedFields, 'attribute' | 'value'>;

function placeOf({ tenant_id, owner_key }: OlderRow, event: string): string {
  return JSON.stringify([tenant_id, owner_key, event]);
}

/**
 * Formation wrote some statements twice, as a sentence without a value and as a keyed fact. Both get the value of the fact, because
 * otherwise a new value would replace only one of them. Both come from one turn, so they share an event.
 */
function valueOfTwin(
  facts: ReadonlyMap<string, readonly Fact[]>,
  row: OlderRow,
  { attribute, subject, polarity, reader }: UpgradedFields,
): string | null {
  if (attribute === null || reader === null || !isUser(subject) || polarity === 'denied') return null;
  const events = JSON.parse(row.source_events) as string[];
  const near = events.flatMap((event) => facts.get(placeOf(row, event)) ?? []);
  return near.find((fact) => fact.attribute === attribute)?.value ?? null;
}

/**
 * Recomputes the key by which exact duplicates are recognised. Other rules of uniqueness keep their key. Null if another live memory
 * already has the new key: the migration must not fail, whatever rules the types of an application have.
 */
async function uniqueKeyOf(
  transaction: Transaction<Tables>,
  row: OlderRow,
  fields: UpgradedFields,
): Promise<string | null> {
  if (row.unique_key === null || !/^(?:key|content):/.test(row.unique_key)) return row.unique_key;
  const key = contentKey({ ...row, ...fields });
  if (key === row.unique_key || row.archived_at !== null) return key;
  const { rows } = await sql`select 1 from memories
    where tenant_id = ${row.tenant_id} and owner_key = ${row.owner_key} and session_id = ${row.session_id}
      and connection_id = ${row.connection_id} and unique_key = ${key} and archived_at is null
      and row_id <> ${row.row_id} limit 1`.execute(transaction);
  return rows.length === 0 ? key : null;
}

/**
 * Keeps a live fact's key as its attribute if another live fact already has the attribute. Two keys for one attribute, such as `city` and
 * `home_city`, then both keep their values.
 */
async function distinct(
  transaction: Transaction<Tables>,
  row: OlderRow,
  fields: UpgradedFields,
): Promise<UpgradedFields> {
  if (row.key === null || row.key === fields.attribute || row.archived_at !== null) return fields;
  // An attribute with many values conflicts only with the same value.
  const isMany = ATTRIBUTES.policyOf(fields.attribute ?? '').values === 'many';
  const sameValue = isMany ? sql`and value = ${fields.value}` : sql``;
  const { rows } = await sql`select 1 from memories
    where tenant_id = ${row.tenant_id} and owner_key = ${row.owner_key} and session_id = ${row.session_id}
      and connection_id = ${row.connection_id} and archived_at is null and row_id <> ${row.row_id} ${sameValue}
      and ((type = 'keyed_fact' and key = ${fields.attribute}) or (permanent = 1 and attribute = ${fields.attribute}))
    limit 1`.execute(transaction);
  return rows.length === 0 ? fields : { ...fields, attribute: row.key };
}
