import { z } from 'zod';
import { messageOf, noSuch, VarveError } from '../errors.ts';
import { speakerName } from '../language/inert-text.ts';
import type { Recalled, RecallResult } from '../recall/recall-options.ts';
import { trustOfTurn } from '../recall/results.ts';

/** For `fields=id,content` or `fields=all`, with the fields of this schema. A misspelt name would otherwise return less than was asked. */
export function fieldsOf(record: z.ZodType, more: readonly string[] = []): z.ZodType<string[] | undefined> {
  const names = [...Object.keys((record as z.ZodObject).shape), ...more, 'all'];
  const name = z.enum(names, { error: ({ input }) => noSuch('field', String(input), names) });
  return z.array(name).min(1).max(100).optional();
}

export function someOf(record: z.ZodType): z.ZodType {
  return z.union([record, z.record(z.string(), z.unknown())]);
}

type Fields = readonly string[] | undefined;

function chosen<Item>(items: readonly Item[], fields: Fields): Item[] {
  if (fields === undefined || fields.includes('all')) return [...items];
  return items.map((item) => {
    const entries = Object.entries(item as Record<string, unknown>);
    return Object.fromEntries(entries.filter(([name]) => fields.includes(name))) as Item;
  });
}

export function withFields<Item>(item: Item, fields: Fields): Item {
  return chosen([item], fields)[0] ?? item;
}

export function pageWithFields<Page extends { items: unknown[] }>(page: Page, fields: Fields): Page {
  return { ...page, items: chosen(page.items, fields) };
}

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

/** Short by default, because whole results are ten times as long as their texts. `explain` adds the signals. */
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

// `fields=all` returns these besides the short ones.
const LONG_FIELDS = 'memory event passage similarity distance arms explanation before after sources foundBy'.split(' ');
export const recallFields: z.ZodType<string[] | undefined> = fieldsOf(shortResult, LONG_FIELDS);

export const failedItem: z.ZodType = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const item of items) {
    try {
      answers.push(await work(item));
    } catch (error) {
      // The item did not cause this error, so the whole request fails.
      if (!VarveError.isInstance(error) || error.retryable) throw error;
      answers.push({ error: { code: error.code, message: messageOf(error) } });
    }
  }
  return answers;
}
