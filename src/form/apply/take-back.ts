import {
  detectPack,
  forgetPatterns,
  isFunctionWord,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  topicsNamed,
} from '../../language/packs/packs.ts';
import { contentStems } from '../../language/words.ts';
import type { Event } from '../../record/event.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { ownerOf, type Scope } from '../../record/scope.ts';
import type { Reader } from '../../store/database.ts';
import { unforget } from '../../store/forget/forget.ts';
import { listForgotten } from '../../store/forget/forgotten-store.ts';
import { findMemory } from '../../store/read-memories.ts';
import { restoreOrKeepAsHistory } from '../../store/write-memory.ts';
import type { FormWork, Writing } from '../formation-settings.ts';
import type { CheckedForget, Evidence, MeantWords, ToldRequest } from '../statement.ts';
import { wordsOf } from './request-owners.ts';
import { clausesOf, turnsBefore } from './request-clauses.ts';

/** The state in which requests to forget are applied. */
export interface Forgetting extends Writing {
  owner: Scope;
  /** The turns of the formation, after the turns that precede them. */
  turns: readonly Event[];
}

/** An order to keep something: the clause, the words in it that name what to keep, and whether it corrects what was said before. */
interface KeepOrder {
  clause: MeantWords;
  about: string[];
  isCorrecting: boolean;
}

/**
 * Reads a turn that keeps what the user has just asked to forget: "hmm actually no keep the overdraft thing". It orders to keep something and
 * to forget nothing, and it corrects the request in the turn before or names only what was removed. Null for any other turn.
 */
export async function keepsAgain(work: FormWork, { event }: Evidence): Promise<ToldRequest | null> {
  const clauses = clausesOf(event);
  const order = keepOrderIn(clauses, event.content);
  if (order === null || clauses.some(({ text }) => orderIn(text, event.content) !== null)) return null;
  const owner = ownerOf(work.scope);
  const { asked, last } = await work.deps.database.read(work.scope.tenant, async (store) => ({
    asked: await askedToForget(store, owner),
    last: (await turnsBefore(store, owner, event, MOST_TURNS))[0],
  }));
  const isNext = asked.some(({ request }) => request === last?.id);
  const named = order.about.map((word) => asked.some((record) => isNamed(record, word)));
  const isMeant = named.includes(true) ? order.isCorrecting || !named.includes(false) : named.length === 0 && isNext;
  return !isMeant || (!order.isCorrecting && !isNext)
    ? null
    : { asking: [order.clause], takesBack: true, words: [], memories: [], isEverything: false, isByClause: false };
}

function keepOrderIn(clauses: readonly MeantWords[], turn: string): KeepOrder | null {
  const detected = detectPack(turn);
  for (const pack of detected === null ? PACKS : [detected]) {
    for (const clause of clauses) {
      const text = plainMarks(clause.text);
      const { keeps, stays, spares, corrects } = forgetPatterns(pack);
      if (/[?？]\s*$/u.test(text)) continue;
      const order = keeps.exec(text) ?? spares.exec(text);
      const found = order ?? stays.exec(text);
      if (found === null) continue;
      const before = plainMarks(turn.slice(0, clause.start + found.index)) + found[0];
      const isCorrecting = corrects.test(before) || packPattern(pack, 'corrects').test(before);
      const about = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
      const named = wordsOf(about.replace(packPattern(pack, 'request:polite'), ' '));
      const words = named.filter((word) => !isFunctionWord(word, pack));
      // "No, it's fine" after a request does not withdraw the request.
      if (order !== null || (isCorrecting && words.length > 0)) return { clause, about: words, isCorrecting };
    }
  }
  return null;
}

/** How many of the latest turns may have the same time. */
const MOST_TURNS = 20;

/** What was forgotten because the user asked for it, the latest first. */
async function askedToForget(store: Reader, owner: Scope): Promise<Forgotten[]> {
  return (await listForgotten(store, owner, { as: 'forgotten' })).filter(({ request }) => request !== null);
}

/** Whether a word names what was forgotten: "overdraft", or "debt" for "I owe Fabio 2000". */
function isNamed({ attribute, text, value }: Forgotten, word: string): boolean {
  const stems = contentStems(`${(attribute ?? '').replaceAll('_', ' ')} ${value ?? text}`);
  const pack = detectPack(text);
  const topics = topicsNamed(text, pack);
  return (
    [...contentStems(word)].some((stem) => stems.has(stem)) ||
    topicsNamed(word, pack).some((each) => topics.includes(each))
  );
}

/**
 * Withdraws a request to forget. "Actually, keep it" restores everything that the last request of the conversation removed. If the words
 * name a removed item ("keep the phone number"), only that item is restored, even if an earlier request removed it.
 */
export async function takeBack(forgetting: Forgetting, { request, told, evidence }: CheckedForget): Promise<void> {
  const { writer, deps, owner, turns, result, why } = forgetting;
  const { event } = evidence;
  const earlier = new Set(turns.slice(0, turns.findIndex(({ id }) => id === event.id) + 1).map(({ id }) => id));
  const about = wordsOf(told?.asking.map(({ text }) => text).join(' ') || request.about);
  const names = (record: Forgotten): boolean => about.some((word) => isNamed(record, word));
  const asked = await askedToForget(writer, owner);
  const here = asked.filter(({ request }) => earlier.has(request ?? ''));
  const named = [here, asked].map((records) => records.filter(names)).find(({ length }) => length > 0);
  const records = named ?? here.filter(({ request }) => request === here[0]?.request);
  for (const record of records) {
    await unforget(writer, deps, record);
    const memory = record.memory === null ? null : await findMemory(writer, owner, record.memory);
    if (memory?.archiveReason !== 'forgotten') continue;
    const reason = { ...why, reason: 'the user took the request to forget it back' };
    const { archivedAt } = await restoreOrKeepAsHistory(writer, deps, memory, reason);
    if (archivedAt === null) result.restored.push(memory.id);
  }
}
