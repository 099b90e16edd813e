import type { ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';

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

/** What observations, decisions and outcomes say, as memories: their turns are their places in `events`. */
export function observedProposals(events: readonly Event[]): ProposedMemory[] {
  return events.flatMap((event, index) => {
    const proposal =
      event.kind === 'observation' ? observation(event) : isStated(event) ? episode(event, events) : null;
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
function episode(event: Event, events: readonly Event[]): Omit<ProposedMemory, 'turns'> {
  const { reason, effect, measure } = event.metadata;
  const common = { ...BASE, type: 'episode', subject: 'Agent', validFrom: event.occurredAt.toISOString() };
  if (event.kind === 'decision') {
    const because = typeof reason === 'string' ? ` because ${plain(reason)}` : '';
    return { ...common, content: shorten(`Agent decided: ${plain(event.content)}${because}`), tags: ['decision'] };
  }
  const decision = events.find((other) => other.id === event.refersTo);
  const about = decision === undefined ? '' : ` after "${plain(decision.content)}"`;
  const counted = isMeasure(measure) ? ` (${measure.name}: ${measure.value})` : '';
  const content = shorten(`Outcome${about}: ${plain(event.content)}${counted}`);
  const tags = ['outcome', ...(typeof effect === 'string' ? [effect] : [])];
  return { ...common, content, tags, importance: effect === 'positive' ? 0.7 : 0.6 };
}

function isMeasure(measure: unknown): measure is { name: string; value: number } {
  return typeof measure === 'object' && measure !== null && 'name' in measure && 'value' in measure;
}

function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!]+$/, '');
}

function shorten(text: string): string {
  const words = text.split(' ');
  return `${words.slice(0, 29).join(' ')}${words.length > 29 ? ' …' : '.'}`;
}
