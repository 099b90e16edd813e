import { z } from 'zod';
import { invalidInput, messageOf, VarveError } from '../errors.ts';
import { speakerName } from '../language/inert-text.ts';
import type { Recalled, RecallResult } from '../recall/recall-options.ts';
import { trustOfTurn } from '../recall/results.ts';
import type { Memory } from '../record/memory.ts';
import { textSchema } from '../record/parse.ts';

/** The fields to return of each record, such as `fields=id,content`, or `all` for every field. */
export const fieldsSchema: z.ZodType<string[] | undefined> = z.array(textSchema(50)).min(1).max(100).optional();

export function someOf(record: z.ZodType): z.ZodType {
  return z.union([record, z.record(z.string(), z.unknown())]);
}

/** Removes the words of a forgotten memory, unless the key may erase. Other keys see only that it existed, and when. */
export function shownTo({ access }: { access: string }, memory: Memory): Memory {
  if (access === 'admin' || memory.archiveReason !== 'forgotten') return memory;
  return {
    ...memory,
    content: '',
    title: null,
    url: null,
    subject: '',
    value: null,
    quotes: [],
    tags: [],
    entities: [],
    metadata: {},
    internal: {},
  };
}

type Fields = readonly string[] | undefined;

/** Returns only the requested fields of each record. Without `fields`, returns every field. */
function chosen<Item>(items: readonly Item[], fields: Fields): Item[] {
  if (fields === undefined || fields.includes('all')) return [...items];
  const known = items.map((item) => Object.entries(item as Record<string, unknown>));
  const kept = known.map((entries) => entries.filter(([name]) => fields.includes(name)));
  // Throws if no record has any of these fields, because a misspelt name would otherwise return empty records.
  if (items.length > 0 && kept.every((entries) => entries.length === 0)) {
    const names = [...new Set(known.flatMap((entries) => entries.map(([name]) => name)))];
    throw invalidInput(`The parameter \`fields\` names no field of these records. Fields: ${names.join(', ')}.`, {
      field: 'fields',
    });
  }
  return kept.map((entries) => Object.fromEntries(entries) as Item);
}

export function withFields<Item>(item: Item, fields: Fields): Item {
  return chosen([item], fields)[0] ?? item;
}

export function pageWithFields<Page extends { items: unknown[] }>(page: Page, fields: Fields): Page {
  return { ...page, items: chosen(page.items, fields) };
}

/** A recalled record in short form, with the fields that a prompt needs. */
export const shortResult: z.ZodType = z.object({
  kind: z.enum(['memory', 'event']),
  id: z.string(),
  text: z.string(),
  type: z.string(),
  date: z.iso.datetime(),
  speaker: z.string().optional(),
  trust: z.string(),
  score: z.number(),
  relevance: z.number(),
});

/**
 * Returns the results of recall in short form, because whole records with their arms and signals are ten times as long as their texts. With
 * `fields`, returns these fields instead; with `explain`, adds the signals.
 */
export function recalledWith(
  recalled: Recalled,
  { fields, explain = false }: { fields?: Fields; explain?: boolean },
): Omit<Recalled, 'results'> & { results: Record<string, unknown>[] } {
  const results = recalled.results.map((result) => {
    const { explanation, arms, ...rest } = result;
    const shown = fields === undefined ? shortOf(result) : { ...shortOf(result), ...rest };
    const isAsked = (name: string): boolean => explain || fields?.includes(name) === true;
    return { ...shown, ...(isAsked('explanation') ? { explanation } : {}), ...(isAsked('arms') ? { arms } : {}) };
  });
  const names = fields === undefined || !explain ? fields : [...fields, 'explanation', 'arms'];
  return { ...recalled, results: chosen(results, names) };
}

function shortOf(result: RecallResult): Record<string, unknown> {
  const { kind, id, text, score, relevance, before, after, sources } = result;
  const round = (value: number): number => Number(value.toFixed(4));
  const about =
    result.kind === 'memory'
      ? { type: result.memory.type, date: result.memory.statedAt, trust: result.memory.trust }
      : {
          type: result.event.kind,
          date: result.event.occurredAt,
          speaker: speakerName(result.event),
          trust: trustOfTurn(result.event, result.passage),
        };
  // Only requests with `neighbours` or `withSources` have these turns.
  const along = { before, after, sources };
  const asked = Object.entries(along).filter(([, events]) => events.length > 0);
  return { kind, id, text, ...about, score: round(score), relevance: round(relevance), ...Object.fromEntries(asked) };
}

/** The error in place of a failed item of a batch. The other items are not affected. */
export const failedItem: z.ZodType = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Runs `work` for each item in order. If an item is refused, its result is its error. */
export async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const item of items) {
    try {
      answers.push(await work(item));
    } catch (error) {
      // An error that the item did not cause fails the whole request.
      if (!VarveError.isInstance(error) || error.retryable) throw error;
      answers.push({ error: { code: error.code, message: messageOf(error) } });
    }
  }
  return answers;
}
