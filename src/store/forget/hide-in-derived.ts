import { sql } from 'kysely';
import { splitSentences } from '../../language/sentences.ts';
import { contentStems, coveredBy, indexWords } from '../../language/words.ts';
import type { Memory } from '../../record/memory.ts';
import { normalValue } from '../../record/statement.ts';
import type { Change } from '../../record/revision.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import type { Parts, Reader, Writer } from '../database.ts';
import { derivedOf } from '../derivation-store.ts';
import { removeEntityRows } from '../entity-store.ts';
import { type MemoryRow, toMemory } from '../record-rows.ts';
import { memoriesFrom } from '../read-memories.ts';
import { archiveMemory, reviseMemory } from '../write-memory.ts';
import { quotesMeet } from './forgotten-store.ts';
import { type Item, ownersAround, rowsWith } from './hide-in-log.ts';
import { redactBlocks, redactHistory, redactJson, redactText, type Says } from './redact-blocks.ts';
import { countRows, isIn, ofOwner, rowsBy, rowsWhere, setColumns } from '../rows.ts';

/**
 * Removes the matching sentences from derived memories and blocks. Forgets a memory completely if all its sources are forgotten, if it is
 * an archived match, or if it is a reflection that its remaining turns do not support. Returns the ids of the memories that were forgotten.
 */
export async function hideInDerived(
  writer: Writer,
  parts: Parts,
  { items, owner, why }: { items: readonly Item[]; owner: Scope; why: Change },
): Promise<string[]> {
  const { tenant } = owner;
  const emptied: string[] = [];
  const says: Says = (text) => items.some((item) => item.sayer.says(text) || copies(text, item.text));
  const gone = items.flatMap(({ memory }) => memory?.id ?? []);
  const derived = await derivedOf(writer, tenant, gone);
  const rows = await rowsWith(writer, parts, 'memory', { items, owner, archived: true });
  const hits = await memoriesBy(writer, tenant, { row_id: rows });
  // A text made from slots repeats no words of the log, unless a sentence was joined to it: "Partner is called Marcus. his birthday is in
  // May".
  const quoted = items.flatMap(({ quotes }) => quotes);
  const isWorded = ({ attribute, content, quotes }: Memory): boolean =>
    attribute === null || (quotesMeet(quotes, quoted) && splitSentences(content).length > 1);
  const made = hits.filter(
    (memory) => (memory.reader !== null || memory.sourceType === 'consolidation') && isWorded(memory),
  );
  const learned = await learnedFromOwner(writer, made, owner);
  const unsupported = await unsupportedReflections(writer, parts, { items, tenant });
  const found = new Map(
    [...learned, ...unsupported, ...(await memoriesBy(writer, tenant, { id: [...derived.keys()] }))].map((each) => [
      each.id,
      each,
    ]),
  );
  for (const id of gone) found.delete(id);
  const isAlone = ({ id }: Memory): boolean =>
    unsupported.some((reflection) => reflection.id === id) ||
    (derived.get(id)?.every((from) => gone.includes(from)) ?? false);
  for (const id of found.keys()) {
    // Reads each memory again: redacting a statement also rewrites its merged text, which may be one of these memories.
    const [memory] = await memoriesBy(writer, tenant, { id: [id] });
    if (memory === undefined) continue;
    const isLeft = !isAlone(memory) && (await redactMemory(writer, parts, memory, { says, why }));
    if (isLeft) continue;
    await archiveMemory(writer, parts, memory, { reason: 'forgotten', why });
    emptied.push(memory.id);
  }
  await redactMetadata(writer, owner, says);
  await redactBlocks(writer, owner, { says, gone: new Set([...gone, ...emptied]) });
  return emptied;
}

const SHORTEST_COPY = 3;

/** Derived texts copy single sentences of a turn, which may share too few words with all of it. */
function copies(sentence: string, text: string): boolean {
  const copied = normalValue(sentence);
  return copied.split(' ').length >= SHORTEST_COPY && ` ${normalValue(text)} `.includes(` ${copied} `);
}

/** A reflection stays if its turns still contain at least this share of its words. */
const SUPPORTED = 0.5;

/**
 * A reflection may rest on the forgotten words without repeating any: "is under more strain than the jokes show". Skips reflections that
 * all users share, because they are not about a person.
 */
async function unsupportedReflections(
  writer: Writer,
  { memoryTypes }: Parts,
  { items, tenant }: { items: readonly Item[]; tenant: string },
): Promise<Memory[]> {
  const turns = items.flatMap(({ quotes }) => quotes.map(({ event }) => event));
  const reflections = (await memoriesFrom(writer, tenant, [...new Set(turns)])).filter(
    ({ type, scope, archiveReason }) =>
      memoryTypes.get(type)?.section === 'reflections' && scope.user !== null && archiveReason !== 'forgotten',
  );
  const ids = reflections.flatMap(({ sourceEvents }) => sourceEvents);
  const events = await rowsBy(writer, tenant, 'events', { id: ids }, ['id', 'content']);
  return reflections.filter(({ content, sourceEvents }) => {
    const left = events.filter(({ id }) => sourceEvents.includes(id)).map((event) => event.content);
    return coveredBy(contentStems(content), contentStems(left.join('\n'))) < SUPPORTED;
  });
}

/**
 * Removes matching sentences from a memory and its history, and matching words from its title and tags. Returns false and changes nothing
 * if the caller must forget the whole memory: nothing would be left, it is archived, or its new title is taken.
 */
export async function redactMemory(
  writer: Writer,
  parts: Parts,
  memory: Memory,
  { says, why }: { says: Says; why: Change },
): Promise<boolean> {
  const { content, title, tags } = withoutSaid(memory, says);
  const isNamed = title !== memory.title;
  if (content !== memory.content || isNamed || tags.length < memory.tags.length) {
    const isTaken = isNamed && (await hasTitle(writer, memory, title));
    if (content.trim() === '' || memory.archivedAt !== null || isTaken) return false;
    await reviseMemory(writer, parts, memory, { change: { content, title, tags }, why });
  }
  await redactHistory(writer, memory.scope.tenant, memory.id, (before: Worded) => withoutSaid(before, says));
  return true;
}

interface Worded {
  content: string;
  title?: string | null;
  tags?: string[];
}

/**
 * A short title may refer to the statement without repeating all of it. It is replaced if one of its words occurred only in the removed
 * sentences.
 */
function withoutSaid<Texts extends Worded>(texts: Texts, says: Says): Texts {
  const content = redactText(texts.content, says);
  const title = texts.title ?? '';
  const named = contentStems(title.replace(KIND, ''));
  const [left, had] = [contentStems(content), contentStems(texts.content)];
  const isNamed =
    says(title) || says(title.replace(KIND, '')) || [...named].some((stem) => had.has(stem) && !left.has(stem));
  return {
    ...texts,
    content,
    ...(isNamed ? { title: titleOf(title, content) } : {}),
    ...(texts.tags === undefined ? {} : { tags: texts.tags.filter((tag) => !says(tag.replace(/[-_:]/gu, ' '))) }),
  };
}

/** Only metadata that Varve wrote itself, such as the context of an intention. */
async function redactMetadata(writer: Writer, owner: Scope, says: Says): Promise<void> {
  const { tenant } = owner;
  const owners = await ownersAround(writer, owner);
  const isMade = sql`tenant_id = ${tenant} and ${isIn('owner_key', owners)} and metadata <> '{}'
    and (reader is not null or source_type = 'consolidation')`;
  const rows = await rowsWhere(writer, 'memories', isMade, ['id', 'metadata', 'user_id']);
  for (const { id, ...row } of rows.filter(({ user_id }) => user_id === owner.user)) {
    const metadata = redactJson(row.metadata, says);
    if (metadata === row.metadata) continue;
    await setColumns(writer, 'memories', { tenant, id }, { metadata });
    const redact = (before: { content: string; metadata?: unknown }) => ({
      ...before,
      metadata: JSON.parse(redactJson(JSON.stringify(before.metadata ?? {}), says)) as unknown,
    });
    await redactHistory(writer, tenant, id, redact);
  }
}

const TITLE_WORDS = 6;

/** The word before a title that names the kind of text: "Summary: ". */
const KIND = /^\p{L}+: /u;

/** The start of a quotation from the user, with its day: "21 October: “". */
const QUOTED_ON = /^(?:[^“\n]{1,40}: )?“/u;

function titleOf(before: string, content: string): string {
  const [kind = ''] = KIND.exec(before) ?? [];
  const quoted = QUOTED_ON.test(content) ? content.replace(QUOTED_ON, '').split(/”(?=\n|$)/u)[0] : undefined;
  const words = (quoted ?? content).split(/\s+/u);
  const isCut = quoted !== undefined && words.length > TITLE_WORDS;
  return `${kind}${words.slice(0, TITLE_WORDS).join(' ')}${isCut ? ' …' : ''}`;
}

async function hasTitle(writer: Writer, { scope, id }: Memory, title: string | null): Promise<boolean> {
  const hasIt = sql`${ofOwner(scope)} and title = ${title} and id <> ${id} and archived_at is null`;
  return (await countRows(writer, 'memories', hasIt)) > 0;
}

async function learnedFromOwner(writer: Writer, memories: readonly Memory[], owner: Scope): Promise<Memory[]> {
  const shared = memories.filter(({ scope }) => scope.user !== owner.user);
  const sources = shared.flatMap(({ sourceEvents }) => sourceEvents);
  const events = await rowsBy(writer, owner.tenant, 'events', { id: sources }, ['id', 'user_id']);
  const own = new Set(events.filter(({ user_id }) => user_id === owner.user).map(({ id }) => id));
  return memories.filter((memory) => !shared.includes(memory) || memory.sourceEvents.some((id) => own.has(id)));
}

/**
 * Removes entities without a live memory if their name is part of the forgotten content, or if only forgotten statements mention them.
 * Entities with metadata were written by the application and go only in the first case.
 */
export async function removeEntities(writer: Writer, parts: Parts, items: readonly Item[]): Promise<void> {
  for (const { memory, sayer } of items) {
    if (memory === null || memory.entities.length === 0) continue;
    const { tenant } = memory.scope;
    const found = await rowsBy(writer, tenant, 'entities', { id: memory.entities });
    const own = found.filter(({ owner_key }) => owner_key === ownerKey(memory.scope));
    const links = await linksOf(writer, tenant, memory.entities);
    const gone: string[] = [];
    for (const { id, name, metadata } of own) {
      const about = links.filter(({ entity_id }) => entity_id === id);
      if (about.some(({ archived_at }) => archived_at === null)) continue;
      const isLeft = metadata !== '{}' || about.some(({ archive_reason }) => archive_reason !== 'forgotten');
      if (sayer.says(name) || !(isLeft || (await isNamedLive(writer, parts, memory.scope, name)))) gone.push(id);
    }
    await removeEntityRows(writer, tenant, gone);
  }
}

async function linksOf(writer: Writer, tenant: string, entities: readonly string[]) {
  const { rows } = await sql<Pick<MemoryRow, 'archived_at' | 'archive_reason'> & { entity_id: string }>`
    select link.entity_id, memory.archived_at, memory.archive_reason from memory_entities link
      join memories memory on memory.tenant_id = link.tenant_id and memory.id = link.memory_id
    where link.tenant_id = ${tenant} and ${isIn('link.entity_id', entities)}`.execute(writer);
  return rows;
}

/** Whether a live memory of the owner contains the words of a name without a link to the entity: "ralf yelled again". */
async function isNamedLive(writer: Writer, parts: Parts, scope: Scope, name: string): Promise<boolean> {
  const search = { tenant: scope.tenant, kind: 'memory', owners: [ownerKey(scope)], words: indexWords(name) } as const;
  const hits = await parts.database.text.search(writer, { ...search, archived: false, limit: MOST_NAMING });
  const words = contentStems(name);
  const memories = await memoriesBy(writer, scope.tenant, { row_id: hits.map(({ rowId }) => rowId) });
  return memories.some(
    ({ archivedAt, content, title }) =>
      archivedAt === null && coveredBy(words, contentStems(`${title ?? ''} ${content}`)) === 1,
  );
}

const MOST_NAMING = 100;

export async function memoriesBy(
  reader: Reader,
  tenant: string,
  by: { id: readonly string[] } | { row_id: readonly number[] },
): Promise<Memory[]> {
  return (await rowsBy(reader, tenant, 'memories', by)).map(toMemory);
}
