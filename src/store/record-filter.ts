import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { z } from 'zod';
import { CONTEXT_TYPES, type ContextType } from '../record/context-source.ts';
import { SOURCE_TYPES, type SourceType } from '../record/memory.ts';
import { shareSchema, tagsSchema, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { IndexedKind, Syntax } from './database.ts';
import { isTagged } from './record-rows.ts';
import { allOf, isIn } from './rows.ts';
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
 * Conditions on records. All fields of an object must match; combine objects with `and`, `or` and `not`. A condition on a field excludes
 * all records without this field.
 */
export interface RecallFilter {
  /** Types of memories and kinds of events. */
  types?: string[];
  /** All of these tags are required. */
  tags?: string[];
  /** At least one of these tags is required. */
  anyTag?: string[];
  /** At least one of the entities with these ids is required. */
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
  /** Required values of metadata fields, keyed by dotted path. */
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

const COLUMNS = {
  memory: {
    type: 'record.type',
    session: 'record.source_session',
    time: sql`coalesce(record.valid_from, record.created_at)`,
  },
  event: { type: 'record.kind', session: 'record.session_id', time: sql`record.occurred_at` },
};

export function filterCondition(filter: RecallFilter, kind: IndexedKind, syntax: Syntax): Condition {
  const { type, session, time } = COLUMNS[kind];
  const { types, sessions, after, before, contextTypes, and = [], or, not } = filter;
  const part = (inner: RecallFilter): Condition => filterCondition(inner, kind, syntax);
  return sql`(${allOf([
    kind === 'memory' ? memoryCondition(filter) : eventCondition(filter),
    ...metadataConditions(filter, syntax),
    types && isIn(type, types),
    sessions && isIn(session, sessions),
    after !== undefined && sql`${time} >= ${new Date(after).getTime()}`,
    before !== undefined && sql`${time} < ${new Date(before).getTime()}`,
    contextTypes && isIn('record.context_type', contextTypes),
    ...and.map(part),
    or && sql`(${sql.join(or.map(part), sql` or `)})`,
    not && sql`not coalesce(${part(not)}, ${sql.lit(false)})`,
  ])})`;
}

function memoryCondition(filter: RecallFilter): Condition {
  const { tags = [], anyTag, entities, minimumImportance, maximumImportance, minimumConfidence, minimumTrust } = filter;
  return allOf([
    ...tags.map((tag) => isTagged([tag], 'record')),
    anyTag && (anyTag.length === 0 ? NEVER : isTagged(anyTag, 'record')),
    entities &&
      sql`exists (select 1 from memory_entities l where l.tenant_id = record.tenant_id and l.memory_id = record.id
        and ${isIn('l.entity_id', entities)})`,
    minimumImportance !== undefined && sql`record.importance >= ${minimumImportance}`,
    maximumImportance !== undefined && sql`record.importance <= ${maximumImportance}`,
    minimumConfidence && isIn('record.confidence', atLeast(CONFIDENCE_LEVELS, minimumConfidence)),
    minimumTrust && isIn('record.trust', atLeast(TRUST_LEVELS, minimumTrust)),
    filter.sourceTypes && isIn('record.source_type', filter.sourceTypes),
    filter.origins && NEVER,
  ]);
}

function eventCondition(filter: RecallFilter): Condition {
  const { tags, anyTag, entities, minimumImportance, maximumImportance, minimumConfidence, sourceTypes } = filter;
  const ofMemoriesOnly = [tags, anyTag, entities, minimumImportance, maximumImportance, minimumConfidence, sourceTypes];
  if (ofMemoriesOnly.some((field) => field !== undefined)) return NEVER;
  const trusted = filter.minimumTrust && atLeast(TRUST_LEVELS, filter.minimumTrust);
  return allOf([
    trusted &&
      isIn(
        'record.origin',
        ORIGINS.filter((origin) => trusted.includes(trustOf(origin))),
      ),
    filter.origins && isIn('record.origin', filter.origins),
  ]);
}

function metadataConditions(filter: RecallFilter, syntax: Syntax): Condition[] {
  return Object.entries(filter.metadata ?? {}).map(([path, value]) => {
    const field = syntax.jsonText('record.metadata', path.split('.'));
    const stored = typeof value === 'boolean' && syntax.booleansAreNumbers ? Number(value) : value;
    return sql<SqlBool>`cast(${field} as text) = ${String(stored)}`;
  });
}

function atLeast<Level extends string>(levels: readonly Level[], level: Level): readonly Level[] {
  return levels.slice(levels.indexOf(level));
}
