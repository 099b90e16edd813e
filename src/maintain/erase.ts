import { notFound } from '../errors.ts';
import { enqueueJobs, tenantJob } from '../store/queue/enqueue.ts';
import { contentStems } from '../language/words.ts';
import { type Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import {
  anonymiseUsage,
  eraseRecords,
  liveTexts,
  textsByOwner,
  textsWithin,
  withDerivedAlone,
} from '../store/erase-records.ts';
import {
  clearErrors,
  type Erased,
  eraseScope,
  type ErasureCertificate,
  erasureSubject,
  hashIds,
  insertErasure,
  type Remaining,
  remainingOf,
} from '../store/erase.ts';
import { forget } from '../store/forget/forget.ts';
import { redactBlocks, type Says, takeFromBases } from '../store/forget/redact-blocks.ts';
import { findChangeable } from '../store/read-memories.ts';
import { singlesOf } from '../store/write-memory.ts';
import { memoryRowsOf, type RecordRow, rowsBy } from '../store/rows.ts';

/** Who erases, and why. The certificate contains both texts, so neither may repeat erased content. */
export interface EraseOptions {
  /** Default: `application`. */
  actor?: string;
  /** Default: `erased on request`. */
  reason?: string;
}

function whyOf({ actor = 'application', reason = 'erased on request' }: EraseOptions): Required<EraseOptions> {
  return { actor, reason };
}

/** How many records were removed, with the certificate. */
export type ErasedWithCertificate = Erased & {
  /** What was erased: every record of these names. A part that is null stands for all its names. */
  scope: Scope;
  /** What this handle can still read of the same user: outside its session, or shared by all agents. Zero without a user. */
  remaining: Remaining;
  certificate: ErasureCertificate;
};

/** Also removes everything that was derived from these records alone. */
export async function erase(parts: Parts, scope: Scope, options: EraseOptions = {}): Promise<ErasedWithCertificate> {
  const { database } = parts;
  const result = await database.write(scope.tenant, async (writer) => {
    const erasedTexts = await textsWithin(writer, scope);
    const removed: string[] = [];
    const rewritten: string[] = [];
    const erased = await eraseScope(writer, parts, scope, { removed, rewritten, why: whyOf(options) });
    const id = parts.ids.next('era');
    const redacted = await redactBlocks(writer, scope, {
      says: saysErased(erasedTexts, await liveTexts(writer, scope)),
      gone: new Set([...removed, ...rewritten]),
    });
    const { user, agent, tenant } = scope;
    const isPerson = user !== null && scope.session === null;
    const usage = isPerson ? await anonymiseUsage(writer, { tenant, user, agent, alias: `erased ${id}` }) : 0;
    const counts = { ...erased, redacted, usage };
    const remaining = await remainingOf(writer, scope);
    return {
      ...erased,
      scope,
      remaining,
      certificate: await certify(writer, parts, { scope, id, counts, removed, options }),
    };
  });
  await database.scrub();
  return result;
}

/** Also removes everything that was derived from the memory alone and, for a merged text, the statements in it. */
export async function eraseMemory(
  parts: Parts,
  scope: Scope,
  memoryId: string,
  options: EraseOptions = {},
): Promise<ErasureCertificate> {
  const { database } = parts;
  const certificate = await database.write(scope.tenant, async (writer) => {
    const memory = await findChangeable(writer, scope, memoryId);
    if (memory === null) throw notFound(`There is no memory ${memoryId} that this handle can see.`, memoryId);
    // Forgetting removes the memory's words from the log and from everything that repeats them.
    const why = whyOf(options);
    const emptied: string[] = [];
    const memories = [memory, ...(await singlesOf(writer, memory))];
    const work = { scope: memory.scope, memories, by: why.actor, why, emptied };
    const mentioned = new Set(memories.flatMap(({ entities }) => entities));
    const known = (): Promise<unknown[]> => rowsBy(writer, scope.tenant, 'entities', { id: [...mentioned] }, ['id']);
    const { length: entitiesBefore } = await known();
    const forgotten = (await forget(writer, parts, work)).flatMap((record) => record.memory ?? []);
    const rows = await memoryRowsOf(writer, scope.tenant, [memoryId, ...forgotten, ...emptied]);
    await clearErrors(writer, memory.scope);
    const entities = entitiesBefore - (await known()).length;
    return eraseRows(writer, parts, memory.scope, { rows, subject: memoryId, options, entities });
  });
  await database.scrub();
  return certificate;
}

interface RowsToErase {
  rows: readonly RecordRow[];
  options: EraseOptions;
  /** The ids of the removed records are added to this list. */
  removed?: string[];
}

/** Also removes everything that was derived from the memories alone. The caller has already removed `entities` entities. */
export async function eraseRows(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { rows, subject, options, removed = [], entities = 0 }: RowsToErase & { subject?: string; entities?: number },
): Promise<ErasureCertificate> {
  const { database } = parts;
  const memories = await withDerivedAlone(writer, scope.tenant, rows);
  const ids = memories.map(({ id }) => id);
  removed.push(...ids);
  const owners = await textsByOwner(writer, scope.tenant, ids);
  const counts = await eraseRecords(writer, database, scope.tenant, { events: [], memories, blockIds: [] });
  const gone = new Set(ids);
  let redacted = 0;
  for (const { owner, texts } of owners) {
    const says = saysErased(texts, await liveTexts(writer, owner));
    redacted += await redactBlocks(writer, owner, { says, gone });
  }
  const id = parts.ids.next('era');
  const all = { ...counts, redacted, entities: counts.entities + entities };
  return certify(writer, parts, { scope, id, subject, counts: all, removed: ids, options });
}

/** Memories that were formed from the events stay, without their references to the events. */
export async function eraseEvents(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { rows, options, removed = [] }: RowsToErase,
): Promise<ErasureCertificate> {
  const { tenant } = scope;
  const ids = rows.map(({ id }) => id);
  await takeFromBases(writer, tenant, ids);
  const counts = await eraseRecords(writer, parts.database, tenant, { events: rows, memories: [], blockIds: [] });
  removed.push(...ids);
  const id = parts.ids.next('era');
  return certify(writer, parts, { scope, id, counts: { ...counts }, removed: ids, options });
}

interface Certified {
  scope: Scope;
  id: string;
  subject?: string;
  counts: Record<string, number>;
  removed: readonly string[];
  options: EraseOptions;
}

async function certify(
  writer: Writer,
  parts: Parts,
  { scope, id, subject, counts, removed, options }: Certified,
): Promise<ErasureCertificate> {
  const certificate: ErasureCertificate = {
    id,
    at: new Date(parts.clock.now()),
    ...whyOf(options),
    subject: erasureSubject(scope, subject),
    counts,
    removed: removed.length,
    removedHash: hashIds(removed),
  };
  await insertErasure(writer, scope.tenant, certificate);
  // The job is a safeguard in case this process ends before it has scrubbed the files.
  await enqueueJobs(writer, [{ ...tenantJob('scrub', scope.tenant), uniqueKey: 'scrub' }], parts);
  return certificate;
}

/** A sentence repeats an erased text if the text contains at least this share of its words. */
const SAYS_IT = 0.8;

/** Whether a text repeats an erased text and none of the remaining ones. */
function saysErased(erased: readonly string[], kept: readonly string[]): Says {
  const [isGone, isKept] = [repetitionOf(erased), repetitionOf(kept)];
  return (text) => {
    const stems = contentStems(text);
    return stems.size > 0 && isGone(stems) && !isKept(stems);
  };
}

/** Whether a sentence, given by its stems, repeats one of many texts. The first check indexes the texts by stem. */
function repetitionOf(texts: readonly string[]): (stems: ReadonlySet<string>) => boolean {
  let places: Map<string, number[]> | null = null;
  return (stems) => {
    places ??= placesOfStems(texts);
    const shared = new Map<number, number>();
    for (const stem of stems) {
      for (const place of places.get(stem) ?? []) {
        const count = (shared.get(place) ?? 0) + 1;
        if (count / stems.size >= SAYS_IT) return true;
        shared.set(place, count);
      }
    }
    return false;
  };
}

function placesOfStems(texts: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, text] of texts.entries()) {
    for (const stem of contentStems(text)) {
      const known = places.get(stem);
      if (known === undefined) places.set(stem, [place]);
      else known.push(place);
    }
  }
  return places;
}
