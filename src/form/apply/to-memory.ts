import { entitySlug, extractEntities } from '../../language/entities.ts';
import { DAY } from '../../record/clock.ts';
import { ENTITY_TYPES, type EntityType, type NewEntity } from '../../record/entity.ts';
import { FOLLOW_UP, type InternalMemory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import { belongsToUser, isUser } from '../../record/statement.ts';
import type { Parts, Writer } from '../../store/database.ts';
import { findEntitiesByName, writeEntity } from '../../store/entity-store.ts';
import { ownerOf } from '../compare.ts';
import type { Statement } from '../statement.ts';

/** A statement as it is stored. */
export async function toMemory(
  writer: Writer,
  deps: Parts,
  statement: Statement,
  { scope, reader }: { scope: Scope; reader: string },
): Promise<InternalMemory> {
  const { attribute, value, polarity, tense, trust, subject } = statement;
  const policy = attribute === null ? null : deps.attributes.policyOf(attribute);
  const type = deps.memoryTypes.get(statement.type);
  return {
    type: statement.type,
    content: statement.text,
    // A reader gives no titles: where an application's type needs one, it is the statement itself.
    title: type?.title === 'required' ? statement.text.slice(0, 200).toWellFormed() : null,
    level: statement.level,
    subject,
    attribute,
    value,
    polarity,
    tense,
    permanent:
      policy?.permanent === true &&
      isUser(subject) &&
      value !== null &&
      polarity === 'affirmed' &&
      trust !== 'low' &&
      (tense === 'holds' || tense === 'habit'),
    statedAt: statement.statedAt,
    statedBy: statement.statedBy,
    quotes: statement.quotes,
    reader,
    importance: statement.importance,
    confidence: statement.confidence,
    trust,
    sourceType: statement.sourceType,
    sourceSession: scope.session,
    sourceEvents: statement.events.map(({ id }) => id),
    tags: [...new Set([...statement.tags, ...(attribute === null ? [] : [attribute])])].slice(0, 20),
    entities: await linkEntities(writer, deps, statement, scope),
    ...(statement.dueAt === null && type?.due === 'required' ? followUp(statement) : { dueAt: statement.dueAt }),
    validFrom: statement.validFrom,
    validTo: statement.validTo,
  };
}

const FOLLOW_UP_DAYS = 7;

/** What is meant to be done without a day is brought up again when it begins, or after a week. */
function followUp({ statedAt, validFrom }: Statement): Pick<InternalMemory, 'dueAt' | 'internal'> {
  const dueAt = validFrom ?? new Date(statedAt.getTime() + FOLLOW_UP_DAYS * DAY);
  return { dueAt, internal: { due: FOLLOW_UP } };
}

const MOST_ENTITIES = 20;

/** What a statement names: its subject, and the names in its words. */
export async function linkEntities(writer: Writer, deps: Parts, statement: Statement, scope: Scope): Promise<string[]> {
  const owner = ownerOf(scope);
  const ids: string[] = [];
  for (const entity of entitiesOf(statement)) {
    // A name whose kind is not known here is the one that is known under that name.
    const [known] = entity.type === 'other' ? await findEntitiesByName(writer, owner, [entity.name]) : [];
    ids.push((known ?? (await writeEntity(writer, deps, owner, entity))).id);
  }
  return [...new Set(ids)];
}

function entitiesOf({ text, subject, names }: Statement): NewEntity[] {
  const found = new Map<string, NewEntity>();
  const known: readonly string[] = ENTITY_TYPES;
  const subjectName = isUser(subject) ? '' : subject.replace(/^User['’]s\s+/, '');
  // "User's Diwali post" names a post, and no person.
  const words = `${text.replace(/\b[Uu]ser['’]s\b/g, 'my')}\n${belongsToUser(subject) ? '' : subjectName}`;
  for (const { type, name, aliases } of extractEntities(words)) {
    if (known.includes(type) && !isNumber(name) && !/^user$/i.test(name))
      found.set(entitySlug(name), { type: type as EntityType, name, aliases });
  }
  for (const name of names) {
    const slug = entitySlug(name);
    if (slug !== '' && !found.has(slug) && !isNumber(name))
      found.set(slug, { type: 'other', name: name.slice(0, 200) });
  }
  found.delete('');
  return [...found.values()].slice(0, MOST_ENTITIES);
}

function isNumber(name: string): boolean {
  return /^[\d\s.,:/-]+$/.test(name);
}
