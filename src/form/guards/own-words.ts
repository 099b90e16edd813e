import type { Event } from '../../record/event.ts';
import { isUser, USER } from '../slot.ts';
import { contentStems, coveredBy } from './text-overlap.ts';

/** What a guard says of the origin of a statement. */
export type OriginVerdict =
  | { accepted: true; events: Event[] }
  | { accepted: false; reason: 'not_the_users_own' | 'instruction_from_outside' };

// Only what a person says of themself can be one of these.
const PERSONAL_TYPES = new Set([
  'preference',
  'goal',
  'decision',
  'feedback',
  'personal',
  'intention',
  'learning',
  'reflection',
]);

const INSTRUCTION =
  /\b(?:you (?:must|should|have to|need to|shall|are (?:now|required|instructed))|always|never|from now on|ignore (?:all|any|the|previous|prior)|disregard|remember (?:that|to)|do not (?:tell|mention|reveal)|your (?:new )?(?:instructions?|rules?|system prompt)|forward (?:all|any|every)|send (?:all|any|every))\b/i;
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['tool', 'document']);

/** Whether a text tells its reader what to do. */
export function isInstruction(text: string): boolean {
  return INSTRUCTION.test(text);
}

/**
 * Who said it decides what it can become. What the user says of themself is theirs; what a tool, a document, the agent
 * or another person says never is, however a model words it; and an instruction from outside is nothing to be learned.
 */
export function checkOrigin(
  proposal: { type: string; content: string; subject: string },
  sources: readonly Event[],
  { userNames = [] }: { userNames?: readonly string[] } = {},
): OriginVerdict {
  const observed = sources.filter(
    (event) => event.kind === 'observation' || event.kind === 'decision' || event.kind === 'outcome',
  );
  const byUser = sources.filter((event) => event.origin === 'user' && event.kind === 'message');
  const outside = sources.filter((event) => FROM_OUTSIDE.has(event.origin));
  if (isInstructionFromOutside(proposal.content, outside, byUser)) {
    return { accepted: false, reason: 'instruction_from_outside' };
  }
  if (observed.length > 0 && outside.length === 0) return { accepted: true, events: [...sources] };
  const needsOwnWords =
    isUser(proposal.subject) || proposal.subject.startsWith(`${USER}'s `) || PERSONAL_TYPES.has(proposal.type);
  if (!needsOwnWords) return { accepted: true, events: [...sources] };
  if (proposal.type === 'episode') return { accepted: true, events: [...sources] };
  const own = byUser.filter((event) => isOwnVoice(event, proposal.subject, userNames));
  if (own.length === 0 || !isSaidBy(proposal.content, own, sources))
    return { accepted: false, reason: 'not_the_users_own' };
  return { accepted: true, events: sources.filter((event) => !FROM_OUTSIDE.has(event.origin)) };
}

function isInstructionFromOutside(content: string, outside: readonly Event[], byUser: readonly Event[]): boolean {
  if (outside.length === 0) return false;
  const stems = contentStems(content);
  const theirs = outside.filter((event) => isInstruction(event.content));
  if (theirs.length === 0) return false;
  const userShare = Math.max(0, ...byUser.map((event) => coveredBy(stems, contentStems(event.content))));
  return theirs.some((event) => {
    const instructions = event.content
      .split(/(?<=[.!?\n])\s+/)
      .filter(isInstruction)
      .join(' ');
    const share = coveredBy(stems, contentStems(instructions));
    return share >= 0.5 && share > userShare;
  });
}

/** In a dialogue of several named people, "the user" is the one whose name the handle has. */
function isOwnVoice(event: Event, subject: string, userNames: readonly string[]): boolean {
  if (event.speaker === null) return true;
  const speaker = event.speaker.toLowerCase();
  if (subject.toLowerCase() === speaker || subject.toLowerCase().startsWith(`${speaker}'s `)) return true;
  if (!isUser(subject) && !subject.startsWith(`${USER}'s `)) return true;
  return userNames.some((name) => name.toLowerCase() === speaker);
}

const AGREEMENT =
  /^\W*(?:yes|yep|yeah|yup|sure|right|correct|exactly|of course|indeed|true|absolutely|definitely|no|nope|not really|ja|oui|sí|si|genau)\b/i;

/** The user says it in words of their own, or answers a question of the agent that says it. */
function isSaidBy(content: string, own: readonly Event[], sources: readonly Event[]): boolean {
  const stems = contentStems(content);
  if (stems.size === 0) return true;
  const said = new Set(own.flatMap((event) => [...contentStems(event.content)]));
  const others = sources.filter((event) => !own.includes(event));
  const elsewhere = new Set(others.flatMap((event) => [...contentStems(event.content)]));
  // Paraphrase is fine; words that only somebody else has said are not.
  const foreign = [...stems].filter((stem) => !said.has(stem) && elsewhere.has(stem));
  if (foreign.length / stems.size < 0.5) return true;
  return own.some((event) => {
    const place = event.position ?? Infinity;
    const asked = others.some(
      (other) => other.origin === 'agent' && other.content.includes('?') && (other.position ?? -1) < place,
    );
    return asked && (AGREEMENT.test(event.content) || contentStems(event.content).size <= 6);
  });
}
