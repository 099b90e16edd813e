import { withoutEnd } from '../language/without-end.ts';
import type { ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';

/** The kinds of event that say something in so many words: no distiller has to read them. */
const STATED_KINDS: ReadonlySet<string> = new Set(['observation', 'decision', 'outcome']);

/** Whether an event is a statement already. */
export function isStated(event: Event): boolean {
  return STATED_KINDS.has(event.kind);
}

// scaffold_update is for the scaffold: consolidation reads it.
const OBSERVED_TYPES: Readonly<Record<string, string>> = {
  fact: 'fact',
  preference: 'preference',
  project_details: 'fact',
  correction: 'fact',
  learned_fact: 'fact',
};

/** The decisions that outcomes refer to. An outcome says nothing without its decision, which was mostly taken earlier. */
export async function decisionsBehind(reader: Reader, scope: Scope, events: readonly Event[]): Promise<Event[]> {
  return findEvents(reader, scope, [...new Set(events.flatMap(({ refersTo }) => refersTo ?? []))]);
}

/**
 * What observations, decisions and outcomes say, as memories: their turns are their places in `events`. `decisions` are
 * those that the outcomes refer to.
 */
export function observedProposals(events: readonly Event[], decisions: readonly Event[]): ProposedMemory[] {
  return events.flatMap((event, index) => {
    const proposal =
      event.kind === 'observation' ? observation(event) : isStated(event) ? episode(event, decisions) : null;
    return proposal === null ? [] : [{ ...proposal, turns: [index + 1] }];
  });
}

const BASE: Omit<ProposedMemory, 'type' | 'content' | 'turns'> = {
  levels: ['user'],
  importance: 0.6,
  confidence: 'medium',
  tags: [],
  entities: [],
  validFrom: null,
  validTo: null,
  explicit: false,
  keyed: null,
};

function observation(event: Event): Omit<ProposedMemory, 'turns'> | null {
  const type = OBSERVED_TYPES[event.category ?? ''];
  if (type === undefined) return null;
  return {
    ...BASE,
    type,
    content: event.content,
    importance: event.category === 'correction' ? 0.8 : BASE.importance,
    tags: event.category === 'project_details' ? ['project'] : [],
    correction: event.category === 'correction',
  };
}

/** What the agent did, why, and what came of it. */
function episode(event: Event, decisions: readonly Event[]): Omit<ProposedMemory, 'turns'> {
  const { reason, effect, measure } = event.metadata;
  const common = { ...BASE, type: 'episode', subject: 'Agent', validFrom: event.occurredAt.toISOString() };
  if (event.kind === 'decision') {
    const because = typeof reason === 'string' ? ` because ${plain(reason)}` : '';
    return { ...common, content: shorten(`Agent decided: ${plain(event.content)}${because}`), tags: ['decision'] };
  }
  const decision = decisions.find((other) => other.id === event.refersTo);
  const about = decision === undefined ? '' : ` of "${plain(decision.content)}"`;
  const isSaid = isMeasure(measure) && event.content.includes(String(measure.value));
  const counted = isMeasure(measure) && !isSaid ? ` (${measure.name}: ${measure.value})` : '';
  const content = shorten(`Outcome${about}: ${plain(event.content)}${counted}`);
  const tags = ['outcome', ...(typeof effect === 'string' ? [effect] : [])];
  return { ...common, content, tags, importance: effect === 'positive' ? 0.7 : 0.6 };
}

function isMeasure(measure: unknown): measure is { name: string; value: number } {
  return typeof measure === 'object' && measure !== null && 'name' in measure && 'value' in measure;
}

function plain(text: string): string {
  return withoutEnd(text.replace(/\s+/g, ' ').trim(), '.!');
}

function shorten(text: string): string {
  const words = text.split(' ');
  return `${words.slice(0, 29).join(' ')}${words.length > 29 ? ' …' : '.'}`;
}
