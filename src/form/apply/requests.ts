import type { AttributeTable } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { lowestTrust, trustOf } from '../../record/trust.ts';
import type { Writer } from '../../store/database.ts';
import { memoriesFrom } from '../../store/load-records.ts';
import { findMemory, listMemories } from '../../store/read-memories.ts';
import { archiveMemory, reviseMemory } from '../../store/write-memory.ts';
import { type CheckContext, locateOwnWords } from '../check/check.ts';
import type { Evidence } from '../check/origin.ts';
import { ownerOf } from '../compare.ts';
import { maySupersede } from '../decide/precedence.ts';
import type { Refusal } from '../formation-result.ts';
import type { FormDeps } from '../formation-settings.ts';
import { meantByRequest, namesNothing, withRepeats } from '../meant-by-request.ts';
import type { ReadEnd, ReadForget } from '../read/reader.ts';

/** The ends and requests of a reading whose words the user said. */
export interface CheckedRequests {
  ends: { target: Memory; evidence: Evidence }[];
  forgets: { request: ReadForget; evidence: Evidence; targets: Memory[] }[];
  refused: Refusal[];
}

/** Checks ends and requests to forget by their quotes: only the user's own words end or forget anything. */
export function checkRequests(
  { ends, forgets }: { ends: readonly ReadEnd[]; forgets: readonly ReadForget[] },
  context: Pick<CheckContext, 'events' | 'known' | 'isLocal' | 'userNames'>,
): CheckedRequests {
  const checked: CheckedRequests = { ends: [], forgets: [], refused: [] };
  for (const { known, quote } of ends) {
    const target = context.known[known - 1];
    const evidence = locateOwnWords(quote, context);
    if (target === undefined) checked.refused.push(refusal('end', 'unknown_target', quote.words));
    else if (evidence === null) checked.refused.push(refusal('end', 'quote_not_found', quote.words));
    else checked.ends.push({ target, evidence });
  }
  for (const request of forgets) {
    const evidence = locateOwnWords(request.quote, context);
    const targets = request.known.flatMap((number) => context.known[number - 1] ?? []);
    if (evidence === null) checked.refused.push(refusal('forget', 'quote_not_found', request.quote.words));
    else checked.forgets.push({ request, evidence, targets });
  }
  return checked;
}

function refusal(what: 'end' | 'forget', reason: Refusal['reason'], text: string): Refusal {
  return { what, reason, text: text.slice(0, 1000), detail: null, events: [] };
}

/** Ends known statements that the user says are over: they are kept as history, with the turn that ended them. */
export async function applyEnds(
  writer: Writer,
  deps: FormDeps,
  ends: CheckedRequests['ends'],
  { scope, why }: { scope: Scope; why: Change },
): Promise<string[]> {
  const ended: string[] = [];
  for (const { target, evidence } of ends) {
    const now = await findMemory(writer, scope, target.id);
    const { event } = evidence;
    const claim = {
      sourceType: 'explicit',
      trust: lowestTrust([trustOf(event.origin)]),
      statedAt: event.occurredAt,
      validFrom: null,
    } as const;
    if (
      now === null ||
      now.archivedAt !== null ||
      ownerKey(now.scope) !== ownerKey(ownerOf(scope)) ||
      !maySupersede(claim, now)
    )
      continue;
    const reason = { ...why, reason: 'the user says that it is over' };
    const quoted = await reviseMemory(writer, deps, now, { change: { quotes: [quoteOf(evidence)] }, why: reason });
    await archiveMemory(writer, deps, quoted, { reason: 'contradicted', until: event.occurredAt, why: reason });
    ended.push(now.id);
  }
  return ended;
}

/** Who asks for more than this at once means something else, or should erase. */
const MOST_AT_ONCE = 20;
const MOST_KNOWN = 1000;

/**
 * Archives what the user asks to forget: what the reader names, else what the words of the request fit by attribute or by all of
 * their words, the narrowest first; "that" is what was said just before. The turn that asks is kept with it, so that recall gives
 * out neither.
 */
export async function applyForgets(
  writer: Writer,
  deps: FormDeps,
  forgets: CheckedRequests['forgets'],
  { scope, turns, why }: { scope: Scope; turns: readonly Event[]; why: Change },
): Promise<string[]> {
  if (forgets.length === 0) return [];
  const forgotten: string[] = [];
  const owner = ownerOf(scope);
  const types = [...deps.memoryTypes].filter(([, type]) => type.forgettable).map(([name]) => name);
  for (const { request, evidence, targets } of forgets) {
    const { items } = await listMemories(writer, owner, { types, limit: MOST_KNOWN }, { now: deps.clock.now() });
    const own = items.filter(
      (memory) => ownerKey(memory.scope) === ownerKey(owner) && !isSaidSince(memory, evidence.event),
    );
    const named = own.filter(({ id }) => targets.some((target) => target.id === id));
    const meant = await findMeant(writer, own, { named, request, evidence, turns, attributes: deps.attributes, scope });
    if (meant.length > MOST_AT_ONCE) continue;
    for (const memory of meant) {
      const reason = { ...why, reason: 'the user asked to forget it' };
      const asked = await reviseMemory(writer, deps, memory, {
        change: { sourceEvents: [evidence.event.id] },
        why: reason,
      });
      await archiveMemory(writer, deps, asked, { reason: 'forgotten', why: reason });
      forgotten.push(memory.id);
    }
  }
  return forgotten;
}

/** Whether a memory was said with the request or after it. */
function isSaidSince({ statedAt, sourceEvents }: Memory, request: Event): boolean {
  return statedAt > request.occurredAt || (sourceEvents.length === 1 && sourceEvents[0] === request.id);
}

/** What a request means: what the reader named and what repeats it, else what its words mean; without any, what was said just before. */
async function findMeant(
  writer: Writer,
  own: readonly Memory[],
  {
    named,
    request,
    evidence,
    turns,
    attributes,
    scope,
  }: {
    named: readonly Memory[];
    request: ReadForget;
    evidence: Evidence;
    turns: readonly Event[];
    attributes: AttributeTable;
    scope: Scope;
  },
): Promise<Memory[]> {
  if (!namesNothing(request.about, attributes))
    return named.length > 0 ? withRepeats(named, own) : meantByRequest(request.about, own, attributes);
  const before = turns.findLast(
    ({ origin, occurredAt, id }) =>
      origin === 'user' && id !== evidence.event.id && occurredAt <= evidence.event.occurredAt,
  );
  const said = before === undefined ? [] : await memoriesFrom(writer, scope.tenant, [before.id]);
  return own.filter((memory) => named.includes(memory) || said.some(({ id }) => id === memory.id));
}

function quoteOf({ event, start, end }: Evidence): { event: string; start: number; end: number } {
  return { event: event.id, start, end };
}
