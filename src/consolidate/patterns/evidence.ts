import { MONTH_STARTS } from '../../language/calendar.ts';
import { contentStems } from '../../language/words.ts';
import type { DecisionWithOutcomes } from '../../observe/decisions.ts';
import type { Memory } from '../../record/memory.ts';
import { isObject } from '../../record/parse.ts';

export interface Evidence {
  /** The id of the episode or of the decision. */
  id: string;
  text: string;
  /** The whole text with the outcome. The language is detected from it. */
  written: string;
  stems: ReadonlySet<string>;
  measure: { name: string; value: number } | null;
  effect: 'positive' | 'negative' | 'neutral' | null;
  tool: string | null;
  session: string | null;
  entities: readonly string[];
  at: Date;
  memories: Memory[];
  events: string[];
  vector: Float32Array | null;
}

/** Of several measurements, the last one is used. Returns null if the decision has no outcomes. */
export function fromDecision({ decision, outcomes }: DecisionWithOutcomes, memories: Memory[]): Evidence | null {
  if (outcomes.length === 0) return null;
  const measured = outcomes.flatMap(({ metadata, content }) => measureOf(metadata, content) ?? []);
  const effects = outcomes.flatMap(({ metadata }) => effectOf(metadata['effect']) ?? []);
  const tool = decision.metadata['tool'];
  return {
    id: decision.id,
    text: decision.content,
    written: [decision, ...outcomes].map(({ content }) => content).join('\n'),
    stems: themeStems(decision.content),
    measure: measured.at(-1) ?? null,
    effect: effects.at(-1) ?? null,
    tool: typeof tool === 'string' ? tool : null,
    session: decision.scope.session,
    entities: [...new Set(memories.flatMap(({ entities }) => entities))],
    at: decision.occurredAt,
    memories,
    events: [decision.id, ...outcomes.map(({ id }) => id)],
    vector: null,
  };
}

/** Such as "Suggested recipe post → 340 views". */
export function fromEpisode(memory: Memory): Evidence {
  const [done = '', outcome = ''] = memory.content.split(/→|->|=>/, 2).map((part) => part.trim());
  const text = outcome === '' ? memory.content : done;
  const toolTag = memory.tags.includes('tool') ? memory.tags.find((tag) => tag !== 'tool') : undefined;
  // Formation stores these fields in `internal`; an application may set them in the metadata of its own episodes.
  const noted = { ...memory.metadata, ...memory.internal };
  const named = noted['tool'];
  return {
    id: memory.id,
    text,
    written: memory.content,
    stems: themeStems(text),
    measure: measureOf(noted, outcome || memory.content),
    effect:
      effectOf(noted['effect']) ??
      effectOf(memory.tags.find((tag) => effectOf(tag) !== null)) ??
      effectIn(memory.content),
    tool: typeof named === 'string' ? named : (toolTag ?? null),
    session: memory.sourceSession,
    entities: memory.entities,
    at: memory.validFrom ?? memory.statedAt,
    memories: [memory],
    events: memory.sourceEvents,
    vector: null,
  };
}

/** The words by which themes are compared. Numbers are left out, because they belong to the single case. */
function themeStems(text: string): Set<string> {
  return new Set([...contentStems(text)].filter((stem) => !/^\p{N}+$/u.test(stem)));
}

function measureOf({ measure }: Record<string, unknown>, text: string): Evidence['measure'] {
  const { name, value } = isObject(measure) ? measure : {};
  return typeof name === 'string' && typeof value === 'number' ? { name, value } : readMeasure(text);
}

/** Reads 1,340 and "views" from "got 1,340 views". Dates, times and money are not counts. */
function readMeasure(text: string): Evidence['measure'] {
  const [, number, name] =
    /(?<![\p{L}\p{N}$€£#.,:/-])(\p{N}{1,3}(?:,\p{N}{3})+|\p{N}+(?:\.\p{N}+)?)\s+(\p{L}{3,20})\b/u.exec(text) ?? [];
  if (number === undefined || name === undefined || NOT_COUNTED.test(name)) return null;
  return { name: name.toLowerCase(), value: Number(number.replaceAll(',', '')) };
}

const NOT_COUNTED = new RegExp(
  `^(?:${MONTH_STARTS})\\w*$|^(?:am|pm|st|nd|rd|th|o|of|and|or|in|on|at|to|years?|months?|weeks?|days?)$`,
  'i',
);

function effectOf(value: unknown): Evidence['effect'] {
  return value === 'positive' || value === 'negative' || value === 'neutral' ? value : null;
}

function effectIn(text: string): Evidence['effect'] {
  return /\b(?:failed|failure|did not work|no luck)\b/i.test(text) ? 'negative' : null;
}
