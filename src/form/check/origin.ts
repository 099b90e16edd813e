import { type ForeignSpan, foreignSpans } from '../../language/foreign-text.ts';
import type { Span } from '../../language/quotes.ts';
import type { Event } from '../../record/event.ts';
import { isMemoryAnswer, MEMORY_ANSWER } from '../../record/memory-answers.ts';
import { belongsToUser, isUser } from '../../record/statement.ts';
import type { RefusalReason } from '../formation-result.ts';

/** Words of an event that a statement rests on. */
export interface Evidence extends Span {
  event: Event;
}

/** The kinds of event that are a statement already: what an agent observed or decided, and what came of it. */
const STATED_KINDS: ReadonlySet<string> = new Set(['observation', 'decision', 'outcome']);

/** Whether an event is a statement already. */
export function isStated(event: Pick<Event, 'kind'>): boolean {
  return STATED_KINDS.has(event.kind);
}

const INSTRUCTION =
  /\b(?:you (?:must|should|have to|need to|shall|are (?:now|required|instructed))|from now on|ignore (?:all|any|the|previous|prior)|disregard|remember (?:that|to)|do not (?:tell|mention|reveal)|your (?:new )?(?:instructions?|rules?|system prompt)|(?:forward|send|share|upload|transfer|wire|reveal|delete|export) (?:all|any|every|your|their|files?|data|passwords?|money|mails?|e-?mails?)|(?:files?|data|passwords?|money|mails?|e-?mails?|messages?|everything) (?:\w+ ){0,3}(?:sent|forwarded|shared|uploaded|transferred|wired|deleted|exported))\b/i;

/** Whether a text tells its reader what to do. */
export function isInstruction(text: string): boolean {
  return INSTRUCTION.test(text);
}

/** Whether an event is the answer of one of the agent's recall tools: what it says is known already. */
function isFromRecall(event: Pick<Event, 'origin' | 'metadata' | 'content'>): boolean {
  return (
    event.origin === 'tool' &&
    (event.content === MEMORY_ANSWER || isMemoryAnswer(event.content, event.metadata['tool']))
  );
}

/** Which evidence counts for a statement, or why none does. */
export type OriginVerdict = { evidence: Evidence[] } | { reason: RefusalReason; detail?: string };

/**
 * Who said it decides what it can become. What the user says of themself and of their people is theirs; what a tool, a document, a
 * pasted text, the agent or another person says never is, however a reader words it; and an instruction from outside is nothing to
 * be learned.
 */
export function checkOrigin(
  statement: { subject: string; type: string; text: string; isPersonal: boolean },
  cited: readonly Evidence[],
  { userNames }: { userNames: readonly string[] },
): OriginVerdict {
  const known = cited.filter(({ event }) => isFromRecall(event));
  const evidence = cited.filter((each) => !known.includes(each));
  if (evidence.length === 0) return { reason: known.length > 0 ? 'recalled_text' : 'quote_not_found' };
  const outside = evidence.filter(isFromOutside);
  if (
    outside.some(({ event, start, end }) => isInstruction(event.content.slice(start, end))) ||
    (outside.length > 0 && isInstruction(statement.text))
  ) {
    return { reason: 'instruction_from_outside' };
  }
  const stated = evidence.filter(
    ({ event }) => isStated(event) && event.origin !== 'tool' && event.origin !== 'document',
  );
  if (stated.length > 0 && outside.length === 0) return { evidence };
  const needsOwnWords = isUser(statement.subject) || belongsToUser(statement.subject) || statement.isPersonal;
  const own = evidence.filter((each) => isUsersOwn(each, statement.subject, userNames));
  if (!needsOwnWords) {
    // Small talk of the agent about the world is nothing to keep; what it did is an episode.
    const isAgentAlone = evidence.every(({ event }) => event.origin === 'agent');
    return isAgentAlone && statement.type !== 'episode'
      ? { reason: 'not_the_users_own', detail: 'only the assistant says so' }
      : { evidence };
  }
  if (own.length === 0) return { reason: 'not_the_users_own', detail: foreignVoice(evidence) };
  // What the agent asked stays as evidence of what a "yes" means; what came from outside does not.
  return { evidence: evidence.filter((each) => own.includes(each) || isQuestionBefore(each, own)) };
}

function foreignVoice(evidence: readonly Evidence[]): string {
  const origins = new Set(
    evidence.map((each) => (isFromOutside(each) && each.event.origin === 'user' ? 'pasted text' : each.event.origin)),
  );
  return `said by: ${[...origins].join(', ')}`;
}

/** Tools, documents, and what a user pastes or quotes. */
function isFromOutside({ event, start, end }: Evidence): boolean {
  if (event.origin === 'tool' || event.origin === 'document') return true;
  if (event.origin !== 'user' || event.kind !== 'message') return false;
  const isForeign = ({ kind, ...span }: ForeignSpan): boolean =>
    // A few words in quotation marks inside the user's own sentence are what the user reports.
    kind !== 'quoted' || span.end - span.start > event.content.length / 2;
  return foreignSpans(event.content).some((span) => isForeign(span) && isMostlyWithin({ start, end }, span));
}

function isMostlyWithin(quote: Span, span: Span): boolean {
  const shared = Math.min(quote.end, span.end) - Math.max(quote.start, span.start);
  return shared >= (quote.end - quote.start) / 2;
}

/** In a dialogue of several named people, "the user" is the one whose name the handle has. */
function isUsersOwn(evidence: Evidence, subject: string, userNames: readonly string[]): boolean {
  const { event } = evidence;
  if (event.origin !== 'user' || event.kind !== 'message' || isFromOutside(evidence)) return false;
  if (event.speaker === null) return true;
  const speaker = event.speaker.toLowerCase();
  if (subject.toLowerCase() === speaker || subject.toLowerCase().startsWith(`${speaker}'s `)) return true;
  if (!isUser(subject) && !belongsToUser(subject)) return true;
  return userNames.some((name) => name.toLowerCase() === speaker);
}

/** A question of the agent right before one of the user's own turns. */
function isQuestionBefore({ event }: Evidence, own: readonly Evidence[]): boolean {
  if (event.origin !== 'agent' || !/[?？]/.test(event.content)) return false;
  return own.some((each) => {
    const distance = (each.event.position ?? Number.NaN) - (event.position ?? Number.NaN);
    return distance > 0 && distance <= 2;
  });
}
