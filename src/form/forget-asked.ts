import { splitSentences } from '../language/split-sentences.ts';
import { straightApostrophes } from '../language/straight-apostrophes.ts';
import { withoutEnd } from '../language/without-end.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import type { Parts } from '../store/parts.ts';
import { listMemories } from '../store/read-memories.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import { contentStems, coveredBy } from './guards/text-overlap.ts';
import { proposeMemories } from './local/tasks/extract-memories.ts';

const LEAD =
  "^(?:(?:please|pls|actually|ok|okay|so|and|also|now|just|sorry|hey|can you|could you|would you|will you|you can|you may|i want you to|i need you to|i(?:'d| would) like you to),? )*";
const ABOUT =
  '(?:(?:what|everything|anything|all|whatever)(?: that)? (?:i|we|you) (?:ever |just )?(?:said|told you|mentioned|know|wrote|shared)|everything|anything|all)(?: (?:to you|here|earlier|before))? (?:about|on|of)';
/** "forget about my divorce", "forget what I said about the dog": what it was about. */
const FORGET_TOPIC = new RegExp(
  `${LEAD}forget (?:${ABOUT} (?:the )?|(?:about )?(?=my |our |\\p{Lu}[\\p{L}-]*'s ))(.{2,120})$`,
  'iu',
);
/** "delete everything about my divorce from your memory". */
const DELETE_TOPIC = new RegExp(
  `${LEAD}(?:delete|erase|remove|wipe|drop|clear) (?:${ABOUT} )?(.{2,120}?) from (?:your |the )?(?:memory|memories|notes)$`,
  'iu',
);
/** "forget that I live in Lyon": the statement itself. */
const FORGET_STATEMENT = new RegExp(`${LEAD}forget (?:that|the fact that) (.{4,200})$`, 'iu');

/** A request in the form of a question. */
const POLITE = /^(?:please )?(?:can|could|would|will) you\b/i;

const FORGETTABLE = [
  'fact',
  'personal',
  'preference',
  'keyed_fact',
  'goal',
  'intention',
  'decision',
  'episode',
  'context',
  'feedback',
];
const MOST = 1000;
/** Who asks for more than this at once means something else, or should erase. */
const MOST_AT_ONCE = 20;

/** What a user asks to be forgotten: a topic, or a statement in their own words. */
interface ForgetRequest {
  event: Event;
  topic: string | null;
  statement: string | null;
}

/**
 * Archives what a user asks to forget in so many words: "forget that I live in Lyon", "forget what I said about my dog". It is
 * kept, as everything that is archived; what must be gone for good is erased. Gives back what it archived.
 */
export async function forgetAsked(
  writer: Writer,
  parts: Parts,
  events: readonly Event[],
  { scope, timeZone, why }: { scope: Scope; timeZone: string; why: Change },
): Promise<string[]> {
  const requests = events.flatMap(forgetRequests);
  if (requests.length === 0) return [];
  const { items } = await listMemories(writer, scope, { types: FORGETTABLE, limit: MOST }, { now: parts.clock.now() });
  const forgotten: string[] = [];
  for (const request of requests) {
    const isMeant = meaningOf(request, timeZone);
    const meant = items.filter(
      (memory) =>
        !forgotten.includes(memory.id) &&
        ownerKey(memory.scope) === ownerKey(scope) &&
        !isSaidSince(memory, request.event, events) &&
        isMeant(memory),
    );
    if (meant.length > MOST_AT_ONCE) continue;
    for (const memory of meant) {
      const reason = { ...why, reason: 'the user asked to forget it' };
      // What asks for it says it too: recall gives out no event that a forgotten memory has to do with.
      const asked = await reviseMemory(writer, parts, memory, {
        change: { sourceEvents: [request.event.id] },
        why: reason,
      });
      await archiveMemory(writer, parts, asked, { reason: 'forgotten', why: reason });
      forgotten.push(memory.id);
    }
  }
  return forgotten;
}

/** Whether a memory was said with the request or after it. Ids grow with time. */
function isSaidSince(
  { sourceEvents, createdAt, value, content }: Memory,
  request: Event,
  events: readonly Event[],
): boolean {
  if (sourceEvents.length === 0) return createdAt > request.recordedAt;
  const words = contentStems(value ?? content);
  const says = (event: Event): boolean =>
    event.origin === 'user' && !asksToForget(event) && coveredBy(words, contentStems(event.content)) === 1;
  // What is said twice may have its first event alone.
  return sourceEvents.some((id) => id >= request.id) || events.slice(events.indexOf(request) + 1).some(says);
}

/** Whether a user asks to forget something. */
export function asksToForget(event: Event): boolean {
  return forgetRequests(event).length > 0;
}

function forgetRequests(event: Event): ForgetRequest[] {
  if (
    event.kind !== 'message' ||
    event.origin !== 'user' ||
    !/\b(?:forget|memory|memories|notes)\b/i.test(event.content)
  )
    return [];
  return splitSentences(straightApostrophes(event.content)).flatMap(({ text }) => {
    const clean = withoutEnd(text.trim(), '.!?');
    const isQuestion = text.trimEnd().endsWith('?') && !POLITE.test(clean);
    if (text.length > 300 || isQuestion) return [];
    const statement = FORGET_STATEMENT.exec(clean)?.[1] ?? null;
    const topic = statement === null ? (FORGET_TOPIC.exec(clean)?.[1] ?? DELETE_TOPIC.exec(clean)?.[1] ?? null) : null;
    return statement === null && topic === null ? [] : [{ event, topic, statement }];
  });
}

function meaningOf({ event, topic, statement }: ForgetRequest, timeZone: string): (memory: Memory) => boolean {
  const said = contentStems(topic ?? statement ?? '');
  const hasItsWords = ({ content, value }: Memory): boolean =>
    said.size > 0 && coveredBy(said, contentStems(`${content} ${value ?? ''}`)) === 1;
  if (statement === null) return hasItsWords;
  // The statement as it would have been remembered.
  const { kind, origin, speaker, category, occurredAt } = event;
  const turn = {
    kind,
    origin,
    speaker,
    category,
    occurredAt,
    content: `${statement.charAt(0).toUpperCase()}${statement.slice(1)}.`,
  };
  const proposed = proposeMemories([turn], { timeZone });
  const keyed = proposed.flatMap((memory) => [memory.keyed ?? [], memory.moreKeyed ?? []].flat());
  return (memory) =>
    hasItsWords(memory) ||
    proposed.some(({ content }) => content === memory.content) ||
    keyed.some(({ key, value }) => key === memory.key && value.toLowerCase() === memory.value?.toLowerCase());
}
