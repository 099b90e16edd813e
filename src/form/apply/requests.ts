import { contentStems } from '../../language/words.ts';
import type { Event } from '../../record/event.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { mayStillChange } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { lowestTrust, type Quote, trustOf } from '../../record/statement.ts';
import type { Parts, Writer } from '../../store/database.ts';
import { forget, unforget } from '../../store/forget/forget.ts';
import { listForgotten } from '../../store/forget/forgotten-store.ts';
import { findMemory } from '../../store/read-memories.ts';
import { archiveMemory, laterOf, restoreOrKeepAsHistory, reviseMemory } from '../../store/write-memory.ts';
import { toDate } from '../check/check.ts';
import { type CheckContext, type Evidence, locateOwnWords } from '../check/evidence.ts';
import { changeableOwners, ownerOf } from '../compare.ts';
import { maySupersede } from '../decide/precedence.ts';
import { type Refusal, refusal } from '../formation-result.ts';
import type { Reading } from '../read/reader.ts';
import type { CheckedForget, CheckedRequests } from '../statement.ts';
import { findMeant, tellRequest, type TellWork } from './find-meant.ts';

/**
 * Checks ends and requests to forget by their quotes, because only the user's own words end or forget anything, and finds the words that
 * requests mean. A turn that asks nothing after all is left out.
 */
export async function checkRequests(
  work: TellWork,
  { ends, forgets }: Pick<Reading, 'ends' | 'forgets'>,
  context: Pick<CheckContext, 'events' | 'known' | 'isLocal' | 'userNames'>,
): Promise<CheckedRequests> {
  const checked: CheckedRequests = { ends: [], forgets: [], refused: [] };
  for (const { known, quote, on } of ends) {
    const target = context.known[known - 1];
    const evidence = locateOwnWords(quote, context, target?.subject);
    if (target === undefined) checked.refused.push(refusal('end', 'unknown_target', quote.words));
    else if (evidence === null) checked.refused.push(refusal('end', 'quote_not_found', quote.words));
    else checked.ends.push({ target, evidence, on: toDate(on) });
  }
  for (const request of forgets) {
    const evidence = locateOwnWords(request.quote, context);
    if (evidence === null) {
      checked.refused.push(refusal('forget', 'quote_not_found', request.quote.words));
      continue;
    }
    const targets = request.known.flatMap((number) => context.known[number - 1] ?? []);
    const isNamed = targets.length > 0 || request.takenBack === true;
    if (request.known.length > 0 && !isNamed) {
      checked.refused.push(refusal('forget', 'unknown_target', request.quote.words));
      continue;
    }
    const told = isNamed
      ? null
      : await tellRequest(work, evidence, { isByModel: !context.isLocal, alone: request.odds });
    if (told !== null || !context.isLocal) checked.forgets.push({ request, evidence, targets, told });
  }
  return checked;
}

/** The results of the ends and requests of a formation. */
export interface AppliedRequests {
  /** Known statements that ended. */
  retired: string[];
  forgotten: Forgotten[];
  /** Memories that were restored because the user withdrew a request. */
  restored: string[];
  refused: Refusal[];
}

/** Applies ends and requests to forget. */
export async function applyRequests(
  writer: Writer,
  deps: Parts,
  { ends, forgets }: CheckedRequests,
  where: { scope: Scope; turns: readonly Event[]; why: Change },
): Promise<AppliedRequests> {
  const retired = await applyEnds(writer, deps, ends, where);
  return { retired, ...(await applyForgets(writer, deps, forgets, where)) };
}

/** Ends known statements that the user says are over: they are kept as history, with the turn that ended them. */
async function applyEnds(
  writer: Writer,
  deps: Parts,
  ends: CheckedRequests['ends'],
  { scope, why }: { scope: Scope; why: Change },
): Promise<string[]> {
  const ended: string[] = [];
  const owners = changeableOwners(deps, scope);
  for (const { target, evidence, on } of ends) {
    const now = await findMemory(writer, scope, target.id);
    const { event } = evidence;
    const claim = {
      sourceType: 'explicit',
      trust: lowestTrust([trustOf(event.origin)]),
      statedAt: event.occurredAt,
      validFrom: null,
    } as const;
    if (now === null || !mayStillChange(now) || !owners.includes(ownerKey(now.scope)) || !maySupersede(claim, now))
      continue;
    const reason = { ...why, reason: 'the user says that it is over' };
    // "I leave on 1 April": the statement holds until then, and upkeep archives it afterwards.
    const isAhead = on !== null && on > event.occurredAt && now.archivedAt === null;
    const change = { quotes: [quoteOf(evidence)], ...(isAhead ? { validTo: laterOf(now.validFrom, on) } : {}) };
    const quoted = await reviseMemory(writer, deps, now, { change, why: reason });
    if (isAhead) continue;
    await archiveMemory(writer, deps, quoted, { reason: 'contradicted', until: event.occurredAt, why: reason });
    ended.push(now.id);
  }
  return ended;
}

/** A request that means more than this was misread, or needs `erase`. */
const MOST_AT_ONCE = 60;

/** Forgets what the user asks to forget. A request that means nothing, or more than `MOST_AT_ONCE`, is refused. */
async function applyForgets(
  writer: Writer,
  deps: Parts,
  forgets: readonly CheckedForget[],
  { scope, turns, why }: { scope: Scope; turns: readonly Event[]; why: Change },
): Promise<Omit<AppliedRequests, 'retired'>> {
  const applied: Omit<AppliedRequests, 'retired'> = { forgotten: [], restored: [], refused: [] };
  const owner = ownerOf(scope);
  for (const asked of forgets) {
    const { request, evidence, told } = asked;
    if (request.takenBack === true || told?.takesBack === true) {
      applied.restored.push(...(await takeBack(writer, deps, { owner, about: request.about, evidence, turns, why })));
      continue;
    }
    const { memories, words } = await findMeant({ writer, deps, owner, turns }, asked);
    const isEverything = told?.isEverything === true;
    const count = memories.length + words.length;
    if (count === 0 || (count > MOST_AT_ONCE && !isEverything)) {
      applied.refused.push(refusal('forget', count === 0 ? 'unknown_target' : 'excess', request.quote.words));
      continue;
    }
    const isWhole = told === null || told.asking.length === 0 || isEverything;
    const asking = isWhole ? [quoteOf(evidence)] : told.asking;
    const forgotten = await forget(writer, deps, {
      scope: owner,
      memories,
      words,
      isEverything,
      by: 'user',
      request: { event: evidence.event, quotes: asking },
      why: { ...why, reason: 'the user asked to forget it' },
    });
    applied.forgotten.push(...forgotten);
  }
  return applied;
}

/**
 * "Actually, keep it" restores what the last request of the conversation removed. Where its words name something that a request has
 * removed ("keep the phone number"), only that is restored, even if an earlier request removed it.
 */
async function takeBack(
  writer: Writer,
  deps: Parts,
  {
    owner,
    about,
    evidence: { event },
    turns,
    why,
  }: { owner: Scope; about: string; evidence: Evidence; turns: readonly Event[]; why: Change },
): Promise<string[]> {
  const earlier = new Set(turns.slice(0, turns.findIndex(({ id }) => id === event.id) + 1).map(({ id }) => id));
  const stems = contentStems(about);
  const names = ({ attribute, text, value }: Forgotten): boolean => {
    const label = attribute === null ? '' : attribute.replaceAll('_', ' ');
    const own = contentStems(`${label} ${value ?? text}`);
    return [...own].some((stem) => stems.has(stem));
  };
  const asked = (await listForgotten(writer, owner, { as: 'forgotten' })).filter(({ request }) => request !== null);
  const here = asked.filter(({ request }) => earlier.has(request ?? ''));
  const named = [here, asked].map((records) => records.filter(names)).find(({ length }) => length > 0);
  const records = named ?? here.filter(({ request }) => request === here[0]?.request);
  const restored: string[] = [];
  for (const record of records) {
    await unforget(writer, deps, record);
    const memory = record.memory === null ? null : await findMemory(writer, owner, record.memory);
    if (memory?.archiveReason !== 'forgotten') continue;
    const reason = { ...why, reason: 'the user took the request to forget it back' };
    const { archivedAt } = await restoreOrKeepAsHistory(writer, deps, memory, reason);
    if (archivedAt === null) restored.push(memory.id);
  }
  return restored;
}

function quoteOf({ event, start, end }: Evidence): Quote {
  return { event: event.id, start, end };
}
