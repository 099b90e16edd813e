import type { ProposedMemory } from '../../models/distiller.ts';
import { DAY } from '../../record/clock.ts';
import type { Event } from '../../record/event.ts';
import { keySchema, type SourceType } from '../../record/memory.ts';
import type { MemoryTypeTable } from '../../record/memory-types.ts';
import { CONFIDENCE_LEVELS, lowestTrust, trustOf } from '../../record/trust.ts';
import type { FormationSettings } from '../formation-settings.ts';
import type { Proposal, Rejection, RejectionReason } from '../proposal.ts';
import { isUser, normaliseAttribute, normaliseSubject, slotOfText, type Slot } from '../slot.ts';
import { findUnsupported } from './check-support.ts';
import { checkOrigin } from './own-words.ts';
import { applyPrivacy } from '../../language/privacy-policy.ts';
import { isFromRecall, isRecalledText } from './recalled-text.ts';
import { settleProposals, type Guarded } from './settle-proposals.ts';
import { contentStems, coveredBy } from './text-overlap.ts';
import { withinWords } from './within-words.ts';

/** What the guards look at besides the proposals. */
export interface GuardContext {
  /** The events of the turns: a proposal's turn 1 is the first of them. */
  events: readonly Event[];
  settings: FormationSettings;
  types: MemoryTypeTable;
  /** Texts that were recalled for this conversation. */
  recalled?: readonly string[];
  /** Texts before the events, and what is known: names may come from there. */
  around?: readonly string[];
  /** Names of the user, besides "User". */
  userNames?: readonly string[];
}

const WORD_LIMIT = 30;
const FOLLOW_UP = 7 * DAY;

/** Lets through what the events support, in the order in which it was said; everything else is refused with its reason. */
export function guardProposals(proposals: readonly ProposedMemory[], context: GuardContext): Guarded {
  const accepted: Proposal[] = [];
  const rejected: Rejection[] = [];
  const readable = { ...context, events: context.events.map(shortened) };
  for (const proposal of proposals) {
    const verdict = guardProposal(proposal, readable);
    if ('slot' in verdict) accepted.push(verdict);
    else rejected.push({ what: 'memory', ...verdict });
  }
  accepted.sort((one, other) => one.statedAt.getTime() - other.statedAt.getTime());
  return settleProposals(accepted, rejected);
}

// A message may have half a million characters: no distiller reads them all, and every guard would.
const LONGEST_EVENT = 20_000;

/** An event without the middle of a very long text. */
function shortened(event: Event): Event {
  const { content } = event;
  if (content.length <= LONGEST_EVENT) return event;
  return { ...event, content: `${content.slice(0, LONGEST_EVENT * 0.7)} ${content.slice(-LONGEST_EVENT * 0.3)}` };
}

type Refusal = { reason: RejectionReason; content: string | null; detail?: string };

function guardProposal(proposal: ProposedMemory, context: GuardContext): Proposal | Refusal {
  const { events, settings, types, recalled = [], userNames = [] } = context;
  const refuse = (reason: RejectionReason, detail?: string): Refusal => ({ reason, content: proposal.content, detail });
  const cited = [...new Set(proposal.turns)]
    .sort((one, other) => one - other)
    .flatMap((turn) => events[turn - 1] ?? []);
  const sources = cited.filter((event) => !isFromRecall(event));
  if (cited.length === 0) return refuse('no_source');
  if (sources.length === 0) return refuse('recalled_text');
  const content = withinWords(proposal.content, types.get(proposal.type)?.wordLimit ?? WORD_LIMIT);
  if (content === null) return refuse('too_long');
  const cleaned = applyPrivacy(content, settings.privacy);
  if (cleaned.dropped !== null) return { reason: 'private', content: null, detail: cleaned.dropped };

  const type = types.has(proposal.type) && proposal.type !== 'keyed_fact' ? proposal.type : 'fact';
  const slot = slotFor(proposal, content, userNames);
  const origin = checkOrigin({ type, content, subject: slot.subject }, sources, { userNames });
  if (!origin.accepted) return refuse(origin.reason);
  if (isRecalledText(content, recalled) && !isInUsersWords(content, origin.events)) return refuse('recalled_text');
  const around = questionsBefore(origin.events, events);
  const unsupported = findUnsupported(
    content,
    [...around, ...origin.events].map((event) => ({
      text: `${event.speaker ?? ''} ${textOf(event)}`,
      at: event.occurredAt,
    })),
    {
      names: [...userNames, 'User', 'Agent', ...toolNames(origin.events)],
      before: [...saidBefore(origin.events, events), ...(context.around ?? [])],
      timeZone: settings.timeZone,
    },
  );
  if (unsupported !== null && type !== 'episode') return refuse('unsupported', unsupported);
  const last = origin.events.at(-1) as Event;
  return {
    ...proposal,
    type,
    content: cleaned.text,
    marks: cleaned.marks,
    tags: proposal.tags.filter((tag) => isHarmless(tag, settings)),
    entities: proposal.entities.filter((name) => isHarmless(name, settings)),
    slot,
    events: origin.events,
    levels: isUser(slot.subject) ? proposal.levels.filter((level) => level === 'user') : proposal.levels,
    importance: clamp(proposal.importance, types.get(type)?.defaultImportance ?? 0.5),
    confidence: CONFIDENCE_LEVELS.includes(proposal.confidence) ? proposal.confidence : 'medium',
    trust: lowestTrust(origin.events.map((event) => trustOf(event.origin))),
    sourceType: sourceTypeOf(proposal, origin.events),
    statedAt: last.occurredAt,
    dueAt: type === 'intention' ? dueTime(proposal.dueAt, last.occurredAt) : null,
    ...keysWithin(proposal, settings),
  };
}

/** Whether a tag or a name holds nothing that would have to be redacted or dropped. */
function isHarmless(text: string, { privacy }: FormationSettings): boolean {
  const cleaned = applyPrivacy(text, privacy);
  return cleaned.dropped === null && cleaned.text === text;
}

/** The value of a fact goes through the same policy as the sentence that it comes from. */
function keysWithin(proposal: ProposedMemory, settings: FormationSettings): Pick<Proposal, 'keyed' | 'moreKeyed'> {
  const [keyed = null, ...moreKeyed] = [proposal.keyed, ...(proposal.moreKeyed ?? [])].flatMap((fact) => {
    if (fact === null || !keySchema.safeParse(fact.key).success || fact.value.trim() === '') return [];
    const { text, dropped } = applyPrivacy(`${fact.key.replaceAll('_', ' ')}: ${fact.value}`, settings.privacy);
    return dropped === null ? [{ ...fact, value: text.slice(fact.key.length + 2).slice(0, 500) }] : [];
  });
  return { keyed, moreKeyed };
}

function slotFor(proposal: ProposedMemory, content: string, userNames: readonly string[]): Slot {
  const read = slotOfText(content, proposal.type);
  return {
    subject: normaliseSubject(proposal.subject ?? read.subject, userNames),
    attribute:
      normaliseAttribute(proposal.attribute) ??
      (proposal.subject === undefined || read.subject === proposal.subject ? read.attribute : null),
    polarity: proposal.polarity ?? read.polarity,
  };
}

const QUESTION_BEFORE = 2;

/** What the agent asked just before: an answer takes its words from there. */
function questionsBefore(sources: readonly Event[], events: readonly Event[]): Event[] {
  return sources
    .filter((event) => event.origin === 'user')
    .flatMap((event) => events.slice(Math.max(0, events.indexOf(event) - QUESTION_BEFORE), events.indexOf(event)))
    .filter((event) => event.kind === 'message' && event.content.includes('?') && !sources.includes(event));
}

const SAID_BEFORE = 12;

/** What the same people said shortly before. */
function saidBefore(sources: readonly Event[], events: readonly Event[]): string[] {
  const first = events.indexOf(sources[0] as Event);
  return events
    .slice(Math.max(0, first - SAID_BEFORE), Math.max(0, first))
    .filter((event) => event.origin === 'user')
    .map((event) => `${event.speaker ?? ''} ${event.content}`);
}

function textOf(event: Event): string {
  const { toolsUsed } = event.metadata;
  return toolsUsed === undefined ? event.content : `${event.content} ${JSON.stringify(toolsUsed)}`;
}

function toolNames(events: readonly Event[]): string[] {
  return events.flatMap((event) => (typeof event.metadata['tool'] === 'string' ? event.metadata['tool'] : []));
}

function isInUsersWords(content: string, sources: readonly Event[]): boolean {
  const said = new Set(
    sources.filter((event) => event.origin === 'user').flatMap((event) => [...contentStems(event.content)]),
  );
  return coveredBy(contentStems(content), said) >= 0.6;
}

function clamp(importance: number, fallback: number): number {
  if (!Number.isFinite(importance)) return fallback;
  return Math.round(Math.min(1, Math.max(0, importance)) * 1000) / 1000;
}

/** Explicit: the user's own words. What an agent notes in chat is an inference, what it notes by itself a lesser one. */
function sourceTypeOf(proposal: ProposedMemory, sources: readonly Event[]): SourceType {
  if (sources.some((event) => event.metadata['source'] === 'autonomous')) return 'inference';
  const isUsersOwn = sources.some((event) => event.origin === 'user');
  return proposal.explicit &&
    isUsersOwn &&
    sources.every((event) => event.origin === 'user' || event.origin === 'agent')
    ? 'explicit'
    : 'conversation';
}

function dueTime(dueAt: string | null | undefined, statedAt: Date): string {
  const time = dueAt === null || dueAt === undefined ? Number.NaN : Date.parse(dueAt);
  return new Date(Number.isNaN(time) ? statedAt.getTime() + FOLLOW_UP : time).toISOString();
}
