import { attributeTable, keySchema } from '../../record/attribute-table.ts';
import { canonicalSubject, type Origin, type Trust, USER } from '../../record/statement.ts';
import { type Memory, SOURCE_TYPES, type SourceType } from '../../record/memory.ts';
import { isObject } from '../../record/parse.ts';

// Before schema 8, a memory had a `key`, but no other field of a statement. Formation kept the fields in `metadata`, together with the
// application's metadata, and permanent facts had a type of their own, `keyed_fact`. The migration upgrades rows once. Revisions and
// exports stay as they were written and are upgraded whenever they are read.

interface OlderMemory {
  type: string;
  content: string;
  key: string | null;
  value: string | null;
  category: string | null;
  trust: Trust;
  sourceType: SourceType;
  createdAt: Date;
  metadata: Record<string, unknown>;
}

export type UpgradedFields = Pick<
  Memory,
  | 'type'
  | 'subject'
  | 'attribute'
  | 'value'
  | 'category'
  | 'polarity'
  | 'tense'
  | 'permanent'
  | 'statedAt'
  | 'statedBy'
  | 'quotes'
  | 'reader'
  | 'sourceType'
  | 'metadata'
  | 'internal'
>;

const KEYED_FACT = 'keyed_fact';
// Without attributes of the application, because the names that formation wrote do not depend on them.
const ATTRIBUTES = attributeTable();
// Formation gave each value of these attributes a key of its own, such as allergy_penicillin. Since schema 8, the attribute has many
// values.
const KEY_FOR_EACH = /^(allergy|health_condition|medication)_.+$/;

/** Metadata that only an application can have written stays in the metadata. */
export function upgradeMemory(old: OlderMemory): UpgradedFields {
  const isFact = old.type === KEYED_FACT;
  const { metadata, internal, formed, reader } = splitMetadata(old);
  const statement = {
    type: isFact ? 'fact' : old.type,
    subject: isFact || formed === null ? USER : canonicalSubject(formed.slot.subject),
    category: old.category,
    polarity: formed?.slot.polarity === 'negative' ? ('denied' as const) : ('affirmed' as const),
    tense: 'holds' as const,
    permanent: isFact,
    statedAt: formed?.statedAt ?? old.createdAt,
    statedBy: statedBy(old, reader !== null || 'by' in internal),
    quotes: [],
    reader,
    sourceType: formed !== null && RANK[formed.statedAs] > RANK[old.sourceType] ? formed.statedAs : old.sourceType,
    metadata,
    internal,
  };
  if (old.key === null) return { ...statement, attribute: slotAttribute(formed), value: old.value };
  return { ...statement, attribute: keyAttribute(old.key, reader !== null), value: old.value };
}

/**
 * Returns the known attribute that means the same as a key: `home_city` for `city`. If that attribute has many values, the key
 * distinguished them (`dog_name`) and stays, unless formation had derived the key from the value.
 */
function keyAttribute(key: string, isRead: boolean): string {
  const each = isRead ? KEY_FOR_EACH.exec(key)?.[1] : undefined;
  const name = ATTRIBUTES.resolve(each ?? key) ?? key;
  return each !== undefined || ATTRIBUTES.policyOf(name).values === 'one' ? name : key;
}

/** Any version of Varve may have written the snapshot. Its dates are still text. */
export function upgradeSnapshot(snapshot: Record<string, unknown>): Record<string, unknown> {
  if ('subject' in snapshot || !isObject(snapshot['metadata'])) return snapshot;
  const { key = null, ...rest } = snapshot;
  const upgraded = upgradeMemory({
    ...(rest as unknown as OlderMemory),
    key: key as string | null,
    createdAt: timeOf(rest),
  });
  return { ...rest, ...upgraded, statedAt: upgraded.statedAt.toISOString() };
}

// An imported revision may lack its time. Reading past states must not fail because of it.
function timeOf({ createdAt }: Record<string, unknown>): Date {
  const time = new Date(String(createdAt));
  return Number.isNaN(time.getTime()) ? new Date(0) : time;
}

export function upgradeExported(line: unknown): unknown {
  if (!isObject(line) || line['record'] !== 'memory' || !isObject(line['data']) || 'subject' in line['data'])
    return line;
  const { key = null, ...data } = line['data'];
  const { type, content, value = null, category = null, trust = 'high', sourceType = 'import', metadata = {} } = data;
  if (!isObject(metadata) || !keySchema.nullable().safeParse(key).success) return line;
  // An older export has the field `key` for every memory, even if it is null.
  const isOlder = 'key' in line['data'] || WRITTEN_BY_VARVE.some((name) => name in metadata);
  if (!isOlder) return line;
  const time = new Date(String(line['createdAt']));
  const { statedAt, internal, reader, ...fields } = upgradeMemory({
    type: String(type),
    content: String(content),
    key: key as string | null,
    value: value as string | null,
    category: category as string | null,
    trust: trust as Trust,
    sourceType: SOURCE_TYPES.find((each) => each === sourceType) ?? 'import',
    createdAt: time,
    metadata,
  });
  const dated = Number.isNaN(statedAt.getTime()) ? {} : { statedAt: statedAt.toISOString() };
  return { ...line, reader, internal, data: { ...data, ...fields, ...dated } };
}

/** The fields that formation always wrote into a memory's metadata, besides the name of the distiller, which is now called the reader. */
interface Formed {
  slot: { subject: string; attribute: string | null; polarity: 'positive' | 'negative' };
  statedAt: Date;
  statedAs: SourceType;
}

interface SplitMetadata {
  /** The application's own metadata. */
  metadata: Record<string, unknown>;
  internal: Record<string, unknown>;
  formed: Formed | null;
  reader: string | null;
}

const WRITTEN_BY_VARVE = ['distiller', 'by', 'boostedBy', 'achievedBy', 'evidence'];
const OF_PATTERNS = ['evidence', 'groups', 'measure', 'ratio', 'sessions', 'tools'];

function splitMetadata({ type, metadata }: OlderMemory): SplitMetadata {
  const formed = formedOf(metadata);
  const left = { ...metadata };
  const internal: Record<string, unknown> = {};
  const take = (name: string): void => {
    internal[name] = left[name];
    delete left[name];
  };
  let reader: string | null = null;
  if (formed !== null || (typeof left['distiller'] === 'string' && READ_ALONE.has(type))) {
    reader = String(left['distiller']);
    for (const name of formed === null ? ['distiller'] : OF_FORMATION) delete left[name];
  }
  if (left['by'] === 'reflect' || left['by'] === 'synthesise') {
    take('by');
    if (left['correction'] === true) delete left['correction'];
  }
  if (isIds(left['boostedBy'], 'evt')) take('boostedBy');
  if (isIds([left['achievedBy']], 'mem')) take('achievedBy');
  if (Array.isArray(left['evidence']) && Array.isArray(left['groups']) && 'ratio' in left) {
    for (const name of OF_PATTERNS) if (name in left) take(name);
  }
  return { metadata: left, internal, formed, reader };
}

const OF_FORMATION = ['slot', 'statedAt', 'statedAs', 'distiller', 'correction', 'sensitive'];
// These types had no slot. Formation stored only the name of the distiller.
const READ_ALONE: ReadonlySet<string> = new Set(['summary', 'reflection']);

function formedOf({ slot, statedAt, statedAs, distiller }: Record<string, unknown>): Formed | null {
  const source = SOURCE_TYPES.find((type) => type === statedAs);
  if (!isObject(slot) || typeof distiller !== 'string' || source === undefined || typeof statedAt !== 'string') {
    return null;
  }
  const { subject, attribute, polarity } = slot;
  const time = new Date(statedAt);
  const isSlot =
    typeof subject === 'string' &&
    (attribute === null || typeof attribute === 'string') &&
    (polarity === 'positive' || polarity === 'negative');
  return isSlot && !Number.isNaN(time.getTime())
    ? { slot: { subject, attribute, polarity }, statedAt: time, statedAs: source }
    : null;
}

/**
 * A name with a colon, such as `likes:pizza`, contains stems of the value and not its words. Only the attribute is kept, and only if it is
 * known.
 */
function slotAttribute(formed: Formed | null): string | null {
  const [head = '', stems] = (formed?.slot.attribute ?? '').split(':');
  const name = ATTRIBUTES.resolve(head);
  return name !== null && (stems === undefined || ATTRIBUTES.isKnown(name)) ? name : null;
}

// `statedAs` was the highest-ranked source among the confirmations, `sourceType` only the first source.
const RANK: Record<SourceType, number> = { explicit: 4, conversation: 2, import: 2, inference: 1, consolidation: 1 };

/** Derives the origin from the trust. A memory that the application stored has the origin `system`. */
function statedBy({ trust, sourceType }: OlderMemory, isRead: boolean): Origin {
  if (!isRead) return sourceType === 'conversation' || sourceType === 'inference' ? BY_TRUST[trust] : 'system';
  return BY_TRUST[trust];
}

const BY_TRUST: Record<Trust, Origin> = { high: 'user', medium: 'agent', low: 'tool' };

function isIds(value: unknown, prefix: string): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((id) => typeof id === 'string' && new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(id))
  );
}
