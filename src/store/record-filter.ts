import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { z } from 'zod';
import { CONTEXT_TYPES, type ContextType } from '../record/context-source.ts';
import { SOURCE_TYPES, type SourceType } from '../record/memory.ts';
import { shareSchema, tagsSchema, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { IndexedKind, Syntax } from './database.ts';
import { isTagged } from './record-rows.ts';
import { isIn } from './rows.ts';
import {
  type Confidence,
  CONFIDENCE_LEVELS,
  type Origin,
  ORIGINS,
  type Trust,
  TRUST_LEVELS,
  trustOf,
} from '../record/statement.ts';

/**
 * Conditions on records. All fields of an object must match; `and`, `or` and `not` combine objects.
 * A condition on a field that a kind of record does not have excludes all records of that kind.
 */
export interface RecallFilter {
  /** The types of memories and the kinds of events. */
  types?: string[];
  /** All of these tags are required. */
  tags?: string[];
  /** One of these tags is required. */
  anyTag?: string[];
  /** The memory must mention one of the entities with these ids. */
  entities?: string[];
  after?: TimeInput;
  before?: TimeInput;
  minimumImportance?: number;
  maximumImportance?: number;
  minimumConfidence?: Confidence;
  minimumTrust?: Trust;
  sourceTypes?: SourceType[];
  origins?: Origin[];
  sessions?: string[];
  contextTypes?: ContextType[];
  /** The required values of metadata fields, keyed by dotted path. */
  metadata?: Record<string, string | number | boolean>;
  and?: RecallFilter[];
  or?: RecallFilter[];
  not?: RecallFilter;
}

const names = z.array(textSchema(200)).min(1).max(200).optional();

export const recallFilterSchema: z.ZodType<RecallFilter, RecallFilter> = z.lazy(() =>
  z.strictObject({
    types: names,
    tags: tagsSchema.optional(),
    anyTag: tagsSchema.optional(),
    entities: names,
    after: timeSchema.optional(),
    before: timeSchema.optional(),
    minimumImportance: shareSchema.optional(),
    maximumImportance: shareSchema.optional(),
    minimumConfidence: z.enum(CONFIDENCE_LEVELS).optional(),
    minimumTrust: z.enum(TRUST_LEVELS).optional(),
    sourceTypes: z.array(z.enum(SOURCE_TYPES)).min(1).optional(),
    origins: z.array(z.enum(ORIGINS)).min(1).optional(),
    sessions: names,
    contextTypes: z.array(z.enum(CONTEXT_TYPES)).min(1).optional(),
    metadata: z.record(textSchema(500), z.union([z.string(), z.number(), z.boolean()])).optional(),
    and: z.array(recallFilterSchema).min(1).max(20).optional(),
    or: z.array(recallFilterSchema).min(1).max(20).optional(),
    not: recallFilterSchema.optional(),
  }),
);

type Condition = RawBuilder<SqlBool>;

const NEVER: Condition = sql<SqlBool>`1 = 0`;
const ALWAYS: Condition = sql<SqlBool>`1 = 1`;

/** The columns of the fields that memories and events have in common. */
const COLUMNS = {
  memory: {
    type: 'record.type',
    session: 'record.source_session',
    time: sql`coalesce(record.valid_from, record.created_at)`,
  },
  event: { type: 'record.kind', session: 'record.session_id', time: sql`record.occurred_at` },
};

/** Converts a filter to a condition on a table of records, whose alias is `record`. */
export function filterCondition(filter: RecallFilter, kind: IndexedKind, syntax: Syntax): Condition {
  const { type, session, time } = COLUMNS[kind];
  const conditions: Condition[] = [
    ...(kind === 'memory' ? memoryConditions(filter) : eventConditions(filter)),
    ...metadataConditions(filter, syntax),
  ];
  if (filter.types) conditions.push(isIn(type, filter.types));
  if (filter.sessions) conditions.push(isIn(session, filter.sessions));
  if (filter.after) conditions.push(sql<SqlBool>`${time} >= ${new Date(filter.after).getTime()}`);
  if (filter.before) conditions.push(sql<SqlBool>`${time} < ${new Date(filter.before).getTime()}`);
  if (filter.contextTypes) conditions.push(isIn('record.context_type', filter.contextTypes));
  for (const part of filter.and ?? []) conditions.push(filterCondition(part, kind, syntax));
  if (filter.or) {
    const parts = filter.or.map((part) => filterCondition(part, kind, syntax));
    conditions.push(joined(parts, sql` or `));
  }
  if (filter.not)
    conditions.push(sql<SqlBool>`not coalesce(${filterCondition(filter.not, kind, syntax)}, ${sql.lit(false)})`);
  return conditions.length === 0 ? ALWAYS : joined(conditions, sql` and `);
}

function memoryConditions(filter: RecallFilter): Condition[] {
  const conditions: Condition[] = [];
  for (const tag of filter.tags ?? []) conditions.push(isTagged([tag], 'record'));
  if (filter.anyTag) conditions.push(filter.anyTag.length === 0 ? NEVER : isTagged(filter.anyTag, 'record'));
  if (filter.entities) {
    conditions.push(sql<SqlBool>`exists (select 1 from memory_entities l where l.tenant_id = record.tenant_id
      and l.memory_id = record.id and l.entity_id in (${sql.join(filter.entities)}))`);
  }
  if (filter.minimumImportance !== undefined)
    conditions.push(sql<SqlBool>`record.importance >= ${filter.minimumImportance}`);
  if (filter.maximumImportance !== undefined)
    conditions.push(sql<SqlBool>`record.importance <= ${filter.maximumImportance}`);
  if (filter.minimumConfidence)
    conditions.push(isIn('record.confidence', atLeast(CONFIDENCE_LEVELS, filter.minimumConfidence)));
  if (filter.minimumTrust) conditions.push(isIn('record.trust', atLeast(TRUST_LEVELS, filter.minimumTrust)));
  if (filter.sourceTypes) conditions.push(isIn('record.source_type', filter.sourceTypes));
  if (filter.origins) conditions.push(NEVER);
  return conditions;
}

function eventConditions(filter: RecallFilter): Condition[] {
  const { tags, anyTag, entities, minimumImportance, maximumImportance, minimumConfidence, sourceTypes } = filter;
  const ofMemoriesOnly = [tags, anyTag, entities, minimumImportance, maximumImportance, minimumConfidence, sourceTypes];
  if (ofMemoriesOnly.some((field) => field !== undefined)) return [NEVER];
  const conditions: Condition[] = [];
  if (filter.minimumTrust) {
    const levels = atLeast(TRUST_LEVELS, filter.minimumTrust);
    const trusted = ORIGINS.filter((origin) => levels.includes(trustOf(origin)));
    conditions.push(isIn('record.origin', trusted));
  }
  if (filter.origins) conditions.push(isIn('record.origin', filter.origins));
  return conditions;
}

function metadataConditions(filter: RecallFilter, syntax: Syntax): Condition[] {
  return Object.entries(filter.metadata ?? {}).map(([path, value]) => {
    const field = syntax.jsonText('record.metadata', path.split('.'));
    const stored = typeof value === 'boolean' && syntax.booleansAreNumbers ? Number(value) : value;
    return sql<SqlBool>`cast(${field} as text) = ${String(stored)}`;
  });
}

function joined(conditions: readonly Condition[], by: RawBuilder<unknown>): Condition {
  return sql<SqlBool>`(${sql.join([...conditions], by)})`;
}

function atLeast<Level extends string>(levels: readonly Level[], level: Level): readonly Level[] {
  return levels.slice(levels.indexOf(level));
}
