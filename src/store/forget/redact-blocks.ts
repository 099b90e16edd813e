import { type RawBuilder, sql } from 'kysely';
import { replaceStatements, statementsIn, timedRendering } from '../../language/sentences.ts';
import { withoutEnd } from '../../language/words.ts';
import { type Basis, BLOCK_KINDS, type BlockKindName, type SentenceBasis } from '../../record/block.ts';
import type { Scope } from '../../record/scope.ts';
import type { Writer } from '../database.ts';
import { beginEpoch, type Place } from '../erase-records.ts';
import { contentHash } from '../../record/id.ts';
import { eventsGone } from '../block-store.ts';
import { rowsBy, setColumns } from '../rows.ts';
import { memoriesFrom } from '../read-memories.ts';

export type Says = (text: string) => boolean;

interface Redaction {
  says: Says;
  /** Ids of removed memories and events. Sentences based on one of them are removed whatever their words are. */
  gone: ReadonlySet<string>;
}

/**
 * Redacts the blocks of a scope and of related owners with their history, and the stored answers. Compares words only in the owner's own
 * blocks, because other people may have said the same. Returns how many blocks, versions and answers were changed.
 */
export async function redactBlocks(writer: Writer, scope: Scope, { says, gone }: Redaction): Promise<number> {
  const around = sql`tenant_id = ${scope.tenant}
    and (agent_id is null or ${scope.agent === null ? sql`1 = 1` : sql`agent_id = ${scope.agent}`})
    and (user_id is null or ${scope.user === null ? sql`1 = 1` : sql`user_id = ${scope.user}`})`;
  const { rows } = await sql<Place & StoredText & { id: string; kind: string }>`
    select id, agent_id as agent, user_id as "user", kind, content, basis from blocks where ${around}`.execute(writer);
  let changed = await dropAnswers(writer, { around, scope }, { says, gone });
  const places: Place[] = [];
  const isOwn = ({ agent, user }: Place): boolean => user === scope.user && (user !== null || agent === scope.agent);
  for (const block of rows) {
    const isJson = BLOCK_KINDS[block.kind as BlockKindName]?.format === 'json';
    const redact = (text: StoredText): StoredText =>
      withoutGone(text, { says: isOwn(block) ? says : saysNothing, gone }, isJson);
    const { content, basis } = redact(block);
    if (content !== block.content || basis !== block.basis) {
      await setColumns(writer, 'blocks', { tenant: scope.tenant, id: block.id }, { content, basis });
      places.push(block);
      changed += 1;
    }
    changed += await redactHistory(writer, scope.tenant, block.id, redact);
  }
  await beginEpoch(writer, scope.tenant, places);
  return changed;
}

const saysNothing: Says = () => false;

interface StoredText {
  content: string;
  basis?: string;
}

function withoutGone(text: StoredText, { says, gone }: Redaction, isJson: boolean): StoredText {
  const { content, basis } = text;
  const all = JSON.parse(basis ?? '{}') as Basis;
  const keys = Object.keys(all).filter((key) => Object.keys(all[key]?.rests ?? {}).some((id) => gone.has(id)));
  // The empty key belongs to no sentence: it lists the ids that the block leaves out. Only ids of removed records are taken from it.
  const rests = new Set(keys.filter((key) => key !== ''));
  const next = isJson
    ? redactJson(withoutEntries(content, rests), says)
    : replaceStatements(content, (statement) =>
        rests.has(contentHash(statement)) || says(statement) ? null : statement,
      );
  if (keys.length === 0) return { ...text, content: next };
  const withoutIds = ({ rests: ids, ...rest }: SentenceBasis): SentenceBasis => ({
    ...rest,
    rests: Object.fromEntries(Object.entries(ids).filter(([id]) => !gone.has(id))),
  });
  const left = Object.fromEntries(
    Object.entries(all)
      .filter(([key]) => !rests.has(key))
      .map(([key, each]) => [key, withoutIds(each)]),
  );
  return { ...text, content: next, basis: JSON.stringify(left) };
}

/**
 * Replaces events behind sentences by the live statements formed from them, because memories outlive their events. A sentence stays stale
 * if no statement from its event is still true, or if the event was redacted after the sentence was written.
 */
export async function takeFromBases(writer: Writer, tenant: string, eventIds: readonly string[]): Promise<void> {
  const formed = await memoriesFrom(writer, tenant, eventIds);
  const stale = eventsGone(formed);
  const gone = new Set(eventIds.filter((id) => !stale.has(id)));
  const live = formed.filter(({ archivedAt, trust }) => archivedAt === null && trust !== 'low');
  const rows = await rowsBy(writer, tenant, 'events', { id: eventIds }, ['id', 'content', 'owner_key']);
  const hashes = new Map(rows.map(({ id, content }) => [id, contentHash(content)]));
  const isChanged = (id: string, hash: string): boolean => hash !== '' && hash !== hashes.get(id);
  const heirs = ([id, hash]: [string, string]): [string, string][] =>
    !gone.has(id) || isChanged(id, hash)
      ? [[id, hash]]
      : live
          .filter(({ sourceEvents }) => sourceEvents.includes(id))
          .map((memory) => [memory.id, hash === '' ? '' : contentHash(timedRendering(memory))]);
  const owners = rows.map(({ owner_key }) => owner_key);
  for (const block of await rowsBy(writer, tenant, 'blocks', { owner_key: owners }, ['id', 'basis'])) {
    const basis = Object.entries(JSON.parse(block.basis) as Basis).map(([key, { rests, ...rest }]) => [
      key,
      { ...rest, rests: Object.fromEntries(Object.entries(rests).flatMap(heirs)) },
    ]);
    const next = JSON.stringify(Object.fromEntries(basis));
    if (next !== block.basis) await setColumns(writer, 'blocks', { tenant, id: block.id }, { basis: next });
  }
}

function withoutEntries(content: string, keys: ReadonlySet<string>): string {
  // Applications may store any JSON value here, even null.
  const data = (JSON.parse(content) ?? {}) as Record<string, unknown>;
  if (!Object.keys(data).some((key) => keys.has(key))) return content;
  return JSON.stringify(Object.fromEntries(Object.entries(data).filter(([key]) => !keys.has(key))));
}

/** Removes matching sentences. If semicolons separate the clauses of a sentence, removes only the matching clauses. */
export function redactText(text: string, says: Says): string {
  return replaceStatements(text, (statement) => {
    if (!says(statement)) return statement;
    const left = statement.split(/;\s+/u).filter((clause) => !says(clause));
    const rest = withoutEnd(left.join('; '), ' ;,');
    if (rest === '' || says(rest)) return null;
    return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}${/[.!?。！？]$/u.test(rest) ? '' : '.'}`;
  });
}

const ID = /\b[a-z]{3}_[0-9a-z]{26}\b/g;

/** JSON columns are listed apart from plain text, because plain text may also begin with a bracket. */
const STORED_ANSWERS = [
  { table: 'held_changes', key: 'id', json: 'proposal', texts: ['reason'], act: sql`delete from held_changes` },
  { table: 'refusals', key: 'id', json: 'proposal', texts: ['text', 'detail'], act: sql`delete from refusals` },
  {
    table: 'request_answers',
    key: 'request_key',
    json: 'answer',
    texts: [],
    act: sql`update request_answers set answer = '{}'`,
  },
] as const;

/**
 * Deletes held changes and refusals. Empties answers to requests with an idempotency key, so that such a request is still executed only
 * once. For other people and agents, only removed records count, because they may have said the same words.
 */
async function dropAnswers(
  writer: Writer,
  { around, scope }: { around: RawBuilder<unknown>; scope: Scope },
  { says, gone }: Redaction,
): Promise<number> {
  const saysSomewhere: Says = (text) => says(text) || statementsIn(text).some(says);
  const namesGone = (text: string): boolean => text.match(ID)?.some((id) => gone.has(id)) ?? false;
  // Answers of wider owners, such as the user's agent, may repeat the owner's words, so they are not answers of others.
  const isOfOthers = ({ agent, user }: Place): boolean =>
    user === null ? scope.user === null && agent !== null && agent !== scope.agent : user !== scope.user;
  let changed = 0;
  for (const { table, key, json, texts, act } of STORED_ANSWERS) {
    const columns = [key, json, ...texts].map((column) => sql.ref(column));
    const { rows } = await sql<Record<string, string | null> & Place>`
      select agent_id as agent, user_id as "user", ${sql.join(columns)} from ${sql.table(table)}
      where ${around}`.execute(writer);
    const isAffected = (row: Record<string, string | null> & Place): boolean => {
      const answer = row[json] ?? '';
      const stored = [answer, ...texts.map((column) => row[column] ?? '')];
      if (stored.some(namesGone)) return true;
      if (isOfOthers(row)) return false;
      if (stored.some(saysSomewhere)) return true;
      return answer !== '' && redactJson(answer, saysSomewhere) !== answer;
    };
    for (const row of rows.filter(isAffected)) {
      await sql`${act} where ${around} and ${sql.ref(key)} = ${row[key]}`.execute(writer);
      changed += 1;
    }
  }
  return changed;
}

export async function redactHistory(
  writer: Writer,
  tenant: string,
  id: string,
  redact: (text: StoredText) => StoredText,
): Promise<number> {
  const revisions = await rowsBy(writer, tenant, 'revisions', { record_id: [id] }, ['version', 'before']);
  let changed = 0;
  for (const { version, before } of revisions) {
    const snapshot = JSON.parse(before ?? '{}') as StoredText;
    if (typeof snapshot.content !== 'string') continue;
    const redacted = redact(snapshot);
    if (JSON.stringify(redacted) === JSON.stringify(snapshot)) continue;
    await sql`update revisions set before = ${JSON.stringify(redacted)}
      where tenant_id = ${tenant} and record_id = ${id} and version = ${version}`.execute(writer);
    changed += 1;
  }
  return changed;
}

/** Also removes values that match only together with their keys. */
export function redactJson(content: string, says: Says): string {
  let isChanged = false;
  const walk = (value: unknown, key: string): unknown => {
    const isText = typeof value === 'string';
    // Short numbers must match together with their key.
    const isTelling = isText || (typeof value === 'number' && /\d{4}/.test(String(value)));
    if ((isTelling && says(String(value))) || ((isText || typeof value === 'number') && says(`${key} ${value}`))) {
      isChanged = true;
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, key)).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const left = walk(member, name);
        return left === undefined ? [] : [[name, left]];
      }),
    );
  };
  const walked = walk(JSON.parse(content), '');
  return isChanged ? JSON.stringify(walked ?? {}) : content;
}
