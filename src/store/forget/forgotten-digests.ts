import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { normalValue } from '../../record/attributes.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { contentHash } from '../../record/memory.ts';
import type { Parts, Reader, Writer } from '../database.ts';
import { type Claim, type CutSpan, isForgotten } from './forgotten-store.ts';
import { eventsById } from './hide-in-log.ts';
import { hideInEvent } from './hide-words.ts';
import { rowsBy } from '../tenant-rows.ts';

/** By what a statement is recognised in a store that has none of its words. */
export interface ForgottenDigests {
  salt: string;
  of: string[];
}

// Some 30 ms for a digest, so that who has an export cannot try a dictionary on it in an afternoon. Short values can still be guessed.
const COST = { N: 2 ** 14, r: 8, p: 1 };
const derive = promisify(scrypt as (key: string, salt: string, length: number, cost: object, done: Done) => void);
type Done = (error: Error | null, key: Buffer) => void;

async function digestOf(key: string, salt: string): Promise<string> {
  return (await derive(key, salt, 16, COST)).toString('base64url');
}

type Recognised = Pick<Forgotten, 'subject' | 'attribute' | 'value' | 'polarity' | 'text'>;

/** What a statement is recognised by: its words, and its fields where it has a value. */
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

/** The digests under which a forgotten statement leaves the store. One that came with digests alone leaves with those. */
export async function digestsFor(record: Recognised, salt: string): Promise<ForgottenDigests> {
  return { salt, of: await Promise.all(keysOf(record).map((key) => digestOf(key, salt))) };
}

/** The digests of the records that came from another store: by their ids. */
export async function digestsOf(
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, ForgottenDigests>> {
  const rows = await rowsBy(reader, {
    table: 'forgotten',
    tenant,
    column: 'id',
    values: ids,
    select: ['id', 'digests'],
  });
  return new Map(
    rows.flatMap(({ id, digests }) => (digests === null ? [] : [[id, JSON.parse(digests) as ForgottenDigests]])),
  );
}

/** Those of the statements that were forgotten, here or in the store from which the record of it came. */
export async function forgottenAmong<Each extends Claim>(
  reader: Reader,
  tenant: string,
  { claims, records }: { claims: readonly Each[]; records: readonly Forgotten[] },
): Promise<Set<Each>> {
  const found = new Set(claims.filter((claim) => isForgotten(claim, records)));
  // A record of this store has its words.
  const foreign = records.filter(({ text }) => text === '');
  if (foreign.length === 0) return found;
  const digests = await digestsOf(
    reader,
    tenant,
    foreign.map(({ id }) => id),
  );
  for (const salt of new Set([...digests.values()].map((each) => each.salt))) {
    const ofSalt = foreign.filter(({ id }) => digests.get(id)?.salt === salt);
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

/** Takes words out of events that come from an older copy of what was forgotten since. */
export async function hideForgottenSpans(
  writer: Writer,
  parts: Parts,
  tenant: string,
  eventIds: readonly string[],
): Promise<void> {
  for (const row of await eventsById(writer, tenant, eventIds)) {
    const spans = await writer
      .selectFrom('forgotten_spans as s')
      .innerJoin('forgotten as f', (join) =>
        join.onRef('f.tenant_id', '=', 's.tenant_id').onRef('f.id', '=', 's.forgotten_id'),
      )
      .select(['s.field', 's.start_at as start', 's.end_at as end'])
      .where('s.tenant_id', '=', tenant)
      .where('s.event_id', '=', row.id)
      .where('f.as', '=', 'forgotten')
      .where('f.digests', 'is not', null)
      .execute();
    const cut = spans.map(({ field, start, end }) => ({
      event: row.id,
      start,
      end,
      field: field as CutSpan['field'],
      words: '',
    }));
    // What of the metadata said it is not known here: none of it is kept.
    const metadata = cut.some(({ field }) => field === 'metadata') ? '{}' : row.metadata;
    await hideInEvent(writer, parts, { ...row, metadata }, cut, () => false);
  }
}
