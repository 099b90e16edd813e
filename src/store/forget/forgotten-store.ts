import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type Selectable, sql } from 'kysely';
import { isSameSubject, normalValue, type Quote } from '../../record/statement.ts';
import type { Forgotten, ForgottenAs } from '../../record/forgotten.ts';
import type { Memory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import type { Reader, Writer } from '../database.ts';
import type { ForgottenSpanTable, ForgottenTable } from '../schema.ts';
import { contentHash } from '../../record/id.ts';
import {
  allOf,
  insertNew,
  isIn,
  ofVisibleOwners,
  ownerColumns,
  removeRows,
  rowsBy,
  rowsWhere,
  scopeOfRow,
} from '../rows.ts';

/** Words that were removed from an event: a span of its `content`, or all of its `metadata`. */
export interface CutSpan extends Quote {
  field: 'content' | 'metadata';
  words: string;
}

export async function insertForgotten(
  writer: Writer,
  record: Omit<Forgotten, 'spans'>,
  spans: readonly CutSpan[],
  digests: object | null = null,
): Promise<void> {
  await writer
    .insertInto('forgotten')
    .values({
      ...ownerColumns(record.scope),
      id: record.id,
      as: record.as,
      memory_id: record.memory,
      subject: record.subject,
      attribute: record.attribute,
      value: record.value,
      polarity: record.polarity,
      tense: record.tense,
      text: record.text,
      asked_by: record.by,
      request: record.request,
      reason: record.reason,
      at: record.at.getTime(),
      said_again_at: record.saidAgainAt?.getTime() ?? null,
      digests: digests === null ? null : JSON.stringify(digests),
    })
    .execute();
  await insertSpans(writer, record.scope.tenant, record.id, spans);
}

export async function insertSpans(
  writer: Writer,
  tenant: string,
  id: string,
  spans: readonly CutSpan[],
): Promise<void> {
  const rows = spans.map(({ event, start, end, field, words }) => ({
    tenant_id: tenant,
    forgotten_id: id,
    event_id: event,
    field,
    start_at: start,
    end_at: end,
    words,
  }));
  await insertNew(writer, 'forgotten_spans', rows);
}

interface ForgottenFilter {
  as?: ForgottenAs;
  memories?: readonly string[];
  id?: string;
  limit?: number;
}

export async function listForgotten(
  reader: Reader,
  scope: Scope,
  { as, memories, id, limit }: ForgottenFilter = {},
): Promise<Forgotten[]> {
  const isMeant = allOf([
    ofVisibleOwners(scope),
    as !== undefined && sql`${sql.ref('as')} = ${as}`,
    id !== undefined && sql`id = ${id}`,
    memories && isIn('memory_id', memories),
  ]);
  const most = limit === undefined ? sql`` : sql`limit ${limit}`;
  const rows = await rowsWhere(reader, 'forgotten', sql`${isMeant} order by at desc, id desc ${most}`);
  const ids = rows.map((row) => row.id);
  const spans = await spansOf(reader, scope.tenant, ids);
  return rows.map((row) => toForgotten(row, spans.get(row.id) ?? []));
}

/** Leaves out statements that the user has made again. */
export async function activeMatters(reader: Reader, scope: Scope): Promise<Pick<Forgotten, 'id' | 'value' | 'text'>[]> {
  const isActive = sql`${ofVisibleOwners(scope)} and ${sql.ref('as')} = 'forgotten' and said_again_at is null
    order by at desc, id desc`;
  return rowsWhere(reader, 'forgotten', isActive, ['id', 'value', 'text']);
}

export async function spansOf(reader: Reader, tenant: string, ids: readonly string[]): Promise<Map<string, CutSpan[]>> {
  const rows = await rowsBy(reader, tenant, 'forgotten_spans', { forgotten_id: ids });
  const byPlace = (one: CutSpan, other: CutSpan): number =>
    one.event === other.event ? one.start - other.start : one.event < other.event ? -1 : 1;
  const byRecord = Map.groupBy(rows, (row) => row.forgotten_id);
  return new Map([...byRecord].map(([id, spans]) => [id, spans.map(toSpan).sort(byPlace)]));
}

/** Leaves out the spans of closed intentions, which hide no words. */
export async function hiddenSpans(
  reader: Reader,
  tenant: string,
  event: string,
): Promise<(CutSpan & { record: string; isImported: boolean })[]> {
  const rows = await rowsBy(reader, tenant, 'forgotten_spans', { event_id: [event] });
  const ids = rows.map((row) => row.forgotten_id);
  const records = await rowsBy(reader, tenant, 'forgotten', { id: ids }, ['id', 'as', 'digests']);
  const byId = new Map(records.map((record) => [record.id, record]));
  return rows.flatMap((row) => {
    const record = byId.get(row.forgotten_id);
    if (record?.as !== 'forgotten') return [];
    return [{ ...toSpan(row), record: record.id, isImported: record.digests !== null }];
  });
}

/** Afterwards the assistant's repetitions of these statements are no longer hidden. */
export async function markSaidAgain(writer: Writer, tenant: string, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await sql`update forgotten set said_again_at = ${at}
    where tenant_id = ${tenant} and ${isIn('id', ids)} and said_again_at is null`.execute(writer);
}

export async function eraseForgotten(
  writer: Writer,
  tenant: string,
  { memories, events }: { memories: readonly string[]; events: readonly string[] },
): Promise<void> {
  const spans = await rowsBy(writer, tenant, 'forgotten_spans', { event_id: events }, ['forgotten_id']);
  const cut = spans.map((row) => row.forgotten_id);
  const ofMemories = await rowsBy(writer, tenant, 'forgotten', { memory_id: memories }, ['id']);
  // A record without a memory contains the forgotten words itself.
  const ofEvents = await rowsBy(writer, tenant, 'forgotten', { id: cut }, ['id', 'memory_id']);
  const gone = [...ofMemories, ...ofEvents.filter((row) => row.memory_id === null)].map(({ id }) => id);
  await deleteForgotten(writer, tenant, gone);
  await removeRows(writer, tenant, 'forgotten_spans', { event_id: events });
}

export async function deleteForgotten(writer: Writer, tenant: string, ids: readonly string[]): Promise<void> {
  await removeRows(writer, tenant, 'forgotten_spans', { forgotten_id: ids });
  await removeRows(writer, tenant, 'forgotten', { id: ids });
}

export type Claim = Pick<Memory, 'subject' | 'attribute' | 'value' | 'polarity' | 'statedAt' | 'quotes' | 'type'> & {
  text: string;
};

/**
 * A statement repeats a forgotten one, or an intention that is over, if both quote the same words, or if it has the same content and was
 * made before the request. A statement made after the request is new.
 */
function isForgotten(claim: Claim, records: readonly Forgotten[]): boolean {
  return records.some((record) => {
    if (record.as !== 'forgotten' && claim.type !== 'intention') return false;
    if (quotesMeet(record.spans, claim.quotes)) return true;
    if (claim.statedAt > record.at) return false;
    if (record.text === '') return false;
    return hasSameFields(record, claim) || contentHash(record.text) === contentHash(claim.text);
  });
}

function hasSameFields(record: Forgotten, claim: Claim): boolean {
  return (
    record.attribute !== null &&
    record.attribute === claim.attribute &&
    record.polarity === claim.polarity &&
    record.value !== null &&
    claim.value !== null &&
    isSameSubject(record.subject, claim.subject) &&
    normalValue(record.value) === normalValue(claim.value)
  );
}

export function quotesMeet(one: readonly Quote[], other: readonly Quote[]): boolean {
  return one.some((left) =>
    other.some((right) => left.event === right.event && left.start < right.end && right.start < left.end),
  );
}

function toSpan(row: Selectable<ForgottenSpanTable>): CutSpan {
  return {
    event: row.event_id,
    start: row.start_at,
    end: row.end_at,
    field: row.field,
    words: row.words,
  };
}

/** Leaves out metadata, because it has no positions in a text. */
export function contentQuotes(spans: readonly CutSpan[]): Quote[] {
  return spans.filter(({ field }) => field === 'content').map(({ event, start, end }) => ({ event, start, end }));
}

export function toForgotten(row: Selectable<ForgottenTable>, spans: readonly CutSpan[]): Forgotten {
  return {
    id: row.id,
    scope: scopeOfRow(row),
    as: row.as,
    memory: row.memory_id,
    subject: row.subject,
    attribute: row.attribute,
    value: row.value,
    polarity: row.polarity,
    tense: row.tense,
    text: row.text,
    spans: contentQuotes(spans),
    by: row.asked_by,
    request: row.request,
    reason: row.reason,
    at: new Date(row.at),
    saidAgainAt: row.said_again_at === null ? null : new Date(row.said_again_at),
  };
}

export interface ForgottenDigests {
  salt: string;
  of: string[];
}

// Each digest takes 30 to 40 ms, which slows down a dictionary attack on an export. Short values can still be guessed.
const COST = { N: 2 ** 14, r: 8, p: 1 };
const derive = promisify(scrypt as (key: string, salt: string, length: number, cost: object, done: Done) => void);
type Done = (error: Error | null, key: Buffer) => void;

type Recognised = Pick<Forgotten, 'subject' | 'attribute' | 'value' | 'polarity' | 'text'>;

function keysOf({ subject, attribute, value, polarity, text }: Recognised): string[] {
  const fields =
    attribute === null || value === null
      ? []
      : [`fields ${JSON.stringify([subject.toLowerCase(), attribute, polarity, normalValue(value)])}`];
  return [`text ${contentHash(text)}`, ...fields];
}

export function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

export async function digestsFor(record: Recognised, salt: string): Promise<ForgottenDigests> {
  const digests = await Promise.all(keysOf(record).map((key) => derive(key, salt, 16, COST)));
  return { salt, of: digests.map((digest) => digest.toString('base64url')) };
}

/** Also finds statements that were forgotten in the store from which a record was imported. */
export async function forgottenAmong<Each extends Claim>(
  reader: Reader,
  tenant: string,
  { claims, records }: { claims: readonly Each[]; records: readonly Forgotten[] },
): Promise<Set<Each>> {
  const found = new Set(claims.filter((claim) => isForgotten(claim, records)));
  const imported = records.filter(({ text }) => text === '');
  if (imported.length === 0) return found;
  const rows = await rowsBy(reader, tenant, 'forgotten', { id: imported.map(({ id }) => id) }, ['id', 'digests']);
  const digests = new Map(
    rows.flatMap((row) => (row.digests === null ? [] : [[row.id, JSON.parse(row.digests) as ForgottenDigests]])),
  );
  for (const salt of new Set([...digests.values()].map((each) => each.salt))) {
    const ofSalt = imported.filter(({ id }) => digests.get(id)?.salt === salt);
    for (const claim of claims) {
      const before = ofSalt.filter(
        ({ at, as }) => claim.statedAt <= at && (as === 'forgotten' || claim.type === 'intention'),
      );
      if (found.has(claim) || before.length === 0) continue;
      const { of } = await digestsFor(claim, salt);
      if (before.some(({ id }) => digests.get(id)?.of.some((digest) => of.includes(digest)) === true)) found.add(claim);
    }
  }
  return found;
}
