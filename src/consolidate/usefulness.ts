import { z } from 'zod';
import { english } from '../language/packs/en.ts';
import { detectPack, packPattern, plainMarks } from '../language/packs/packs.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { HOUR, MINUTE } from '../record/clock.ts';
import { roundedImportance } from '../record/memory.ts';
import { parse } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import {
  addUse,
  type GivenMemory,
  insertGiven,
  listGiven,
  type MemoryUse,
  takeGiven,
} from '../store/context-log-store.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { ownEvents } from '../store/event-store.ts';
import { findBlock } from '../store/block-store.ts';
import { findMemory } from '../store/read-memories.ts';
import { toMemory } from '../store/record-rows.ts';
import { rowsInReach } from '../store/rows.ts';
import { reviseMemory } from '../store/write-memory.ts';
import type { UsefulnessSettings } from './consolidation-settings.ts';
import { idsOf, readBlockText } from './documents/document.ts';
import { meteredRun, type RunContext } from './run-log.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

const idsSchema = z.array(z.string().min(1).max(200)).max(1000);

export async function noteGiven(parts: Parts, scope: Scope, memoryIds: readonly string[]): Promise<void> {
  const ids = parse(idsSchema, [...memoryIds], 'The ids of memories');
  if (ids.length === 0) return;
  await parts.database.write(scope.tenant, (writer) =>
    insertGiven(writer, parts.ids, scope, ids, { now: parts.clock.now() }),
  );
}

const ANSWER_WITHIN = HOUR;
const REACTION_WITHIN = 30 * MINUTE;

type Counts = Omit<MemoryUse, 'lastConfirmedAt'>;

export async function judgeGiven(
  deps: ConsolidateDeps,
  scope: Scope,
  options: RunContext,
): Promise<{ judged: number; moved: number }> {
  const given = await deps.database.read(scope.tenant, (reader) => answeredGiven(reader, scope, deps.clock.now()));
  if (given.length === 0) return { judged: 0, moved: 0 };
  return meteredRun(deps, { scope, kind: 'judge-use', ...options }, async (run) => {
    run.read({ given: given.length });
    const { judged, changed } = await run.commit(async (writer) => {
      const counts = await countUse(writer, deps, scope, given);
      const moved = await applyUse(writer, deps, scope, { counts, run: run.id });
      return { changed: { moved }, judged: counts.size };
    });
    return { judged, moved: changed.moved.length };
  });
}

interface Answered {
  given: GivenMemory;
  turn: AnsweredTurn | 'unanswered';
}

const MOST_GIVEN = 2000;

async function answeredGiven(reader: Reader, scope: Scope, now: number): Promise<Answered[]> {
  const answered: Answered[] = [];
  const turns = new Map<string, Answered['turn'] | null>();
  const inDocuments = await statementsInDocuments(reader, scope);
  for (const given of await listGiven(reader, scope, MOST_GIVEN)) {
    const key = JSON.stringify([given.session, given.givenAt]);
    const turn = turns.has(key) ? (turns.get(key) ?? null) : await turnAfter(reader, scope, given, now);
    turns.set(key, turn);
    if (turn === null) continue;
    const memories = inDocuments.get(given.memoryId) ?? [given.memoryId];
    answered.push(...memories.map((memoryId) => ({ given: { ...given, memoryId }, turn })));
  }
  return answered;
}

/** A model that is given a document is given all of its statements. */
async function statementsInDocuments(reader: Reader, scope: Scope): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const kind of ['profile', 'working_memory'] as const) {
    const block = await findBlock(reader, scope, kind);
    if (block !== null) found.set(block.id, [...idsOf(readBlockText(String(block.content), block.basis))]);
  }
  return found;
}

/** Removes the given memories from the log, so that each is judged only once. */
async function countUse(
  writer: Writer,
  { attributes }: Pick<Parts, 'attributes'>,
  scope: Scope,
  given: readonly Answered[],
): Promise<Map<string, Counts>> {
  const ids = given.map((each) => each.given.id);
  const taken = await takeGiven(writer, scope.tenant, ids);
  const judged = given.filter((each) => taken.has(each.given.id));
  const counts = new Map<string, Counts>();
  const memoryIds = judged.map((each) => each.given.memoryId);
  const rows = await rowsInReach(writer, scope, 'memories', memoryIds);
  const memories = new Map(rows.map((row) => [row.id, toMemory(row)]));
  for (const { given: each, turn } of judged) {
    const memory = memories.get(each.memoryId);
    if (memory === undefined) continue;
    const { used, reaction } = turn === 'unanswered' ? { used: false, reaction: null } : judgeUse(memory.content, turn);
    // Disuse does not count against memories that every prompt contains, or that few answers repeat, such as somebody's health.
    if (!used && (each.isAlways || memory.permanent || attributes.policyOf(memory.attribute ?? '').permanent)) continue;
    const before = counts.get(memory.id) ?? { given: 0, used: 0, confirmed: 0, corrected: 0 };
    counts.set(memory.id, {
      given: before.given + 1,
      used: before.used + Number(used),
      confirmed: before.confirmed + Number(reaction === 'confirmed'),
      corrected: before.corrected + Number(reaction === 'corrected'),
    });
  }
  return counts;
}

async function applyUse(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { counts, run }: { counts: ReadonlyMap<string, Counts>; run: string },
): Promise<string[]> {
  const moved: string[] = [];
  for (const [id, more] of counts) {
    const memory = await findMemory(writer, scope, id);
    if (memory === null) continue;
    const sum = await addUse(writer, memory.scope, id, more, deps.clock.now());
    const step = stepOf(more, sum, deps.consolidation.usefulness);
    const importance = roundedImportance(memory.importance + step);
    if (memory.archivedAt !== null || Math.abs(importance - memory.importance) < 1e-9) continue;
    const why = { reason: reasonOf(more), actor: 'judge-use', run };
    await reviseMemory(writer, deps, memory, { change: { importance }, why });
    moved.push(id);
  }
  return moved;
}

export function stepOf(more: Counts, sum: Counts, settings: UsefulnessSettings): number {
  const isIgnored = sum.used === 0 && sum.given >= settings.ignoredAfter;
  const step =
    more.used * settings.used +
    more.confirmed * settings.confirmed +
    more.corrected * settings.corrected +
    (isIgnored ? settings.ignored : 0);
  return Math.min(settings.largestStep, Math.max(-settings.largestStep, step));
}

function reasonOf({ used, confirmed, corrected }: Counts): string {
  if (corrected > 0) return 'the user corrected an answer that used it';
  if (confirmed > 0) return 'the user confirmed an answer that used it';
  return used > 0 ? 'it was used in an answer' : 'it was given repeatedly and never used';
}

interface AnsweredTurn {
  question: string;
  answer: string;
  reaction: string | null;
}

/** Null while an answer or a reaction may still come. */
async function turnAfter(
  reader: Reader,
  scope: Scope,
  given: GivenMemory,
  now: number,
): Promise<Answered['turn'] | null> {
  const events = await ownEvents(reader, scope, {
    kind: 'message',
    session: given.session ?? undefined,
    recorded: { from: given.givenAt - ANSWER_WITHIN, upTo: given.givenAt + ANSWER_WITHIN + REACTION_WITHIN },
  });
  const answerAt = events.findIndex(
    ({ origin, recordedAt }) => origin === 'agent' && recordedAt.getTime() >= given.givenAt,
  );
  const answer = events[answerAt];
  if (answer === undefined) return now - given.givenAt > ANSWER_WITHIN ? 'unanswered' : null;
  const question = events.slice(0, answerAt).findLast(({ origin }) => origin === 'user');
  const reaction = events.slice(answerAt + 1).find(({ origin }) => origin === 'user');
  if (reaction === undefined && now - answer.recordedAt.getTime() < REACTION_WITHIN) return null;
  return { question: question?.content ?? '', answer: answer.content, reaction: reaction?.content ?? null };
}

export interface Verdict {
  used: boolean;
  /** The user's reaction to the answer. Null if there was none or the answer did not use the memory. */
  reaction: 'confirmed' | 'corrected' | null;
}

/** An answer uses a memory if it contains at least this share of the memory's words that are not in the question. */
const USED = 0.5;
/** If all of a memory's words are in the question, the answer must repeat at least this share of them. */
const REPEATED = 0.8;

export function judgeUse(memory: string, { question, answer, reaction }: AnsweredTurn): Verdict {
  const [known, asked, answered] = [contentStems(memory), contentStems(question), contentStems(answer)];
  const added = new Set([...known].filter((stem) => !asked.has(stem)));
  const used =
    added.size > 0 ? coveredBy(added, answered) >= USED : known.size > 0 && coveredBy(known, answered) >= REPEATED;
  return { used, reaction: used && reaction !== null ? reactionOf(reaction, answer) : null };
}

/** If the reaction is too short to detect its language, the answer's language is used. */
function reactionOf(text: string, answer: string): Verdict['reaction'] {
  const pack = detectPack(text, detectPack(answer) ?? english) ?? english;
  const said = plainMarks(text).replace(/^[^\p{L}\p{N}]+/u, '');
  const begins = (words: 'confirms' | 'corrects'): boolean => packPattern(pack, words).exec(said)?.index === 0;
  if (begins('corrects')) return 'corrected';
  return begins('confirms') ? 'confirmed' : null;
}
