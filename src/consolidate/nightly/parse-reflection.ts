import { z } from 'zod';
import { readTolerantJson } from '../../models/tolerant-json.ts';
import { FACT_CATEGORIES, type FactCategory } from '../../record/memory.ts';

/** What a nightly reflection says. */
export interface ParsedReflection {
  /** A list of changes, or a whole text: see `readChanges`. */
  profile: string;
  workingMemory: string;
  facts: { key: string; value: string; category: FactCategory }[];
  intentions: { text: string; followUpDays: number; context: string | null }[];
  /** Known intentions that are over, by their numbers. */
  closes: { number: number; as: 'done' | 'dismissed' }[];
  learnings: { rule: string; category: string }[];
  /** What was wrong with the answer, and what was done about it. */
  warnings: string[];
}

const DEFAULT_FOLLOW_UP = 3;

const factSchema = z.object({
  key: z
    .string()
    .transform(toSnakeCase)
    .refine((key) => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(key) && key.length <= 100),
  value: z
    .union([z.string(), z.number(), z.boolean()])
    .transform((value) => String(value).trim())
    .refine((value) => value !== '' && value.length <= 5000),
  category: z.enum(FACT_CATEGORIES).catch('general'),
});
const intentionSchema = z
  .object({
    text: z.string().trim().min(1).max(2000),
    // Not coerced: null would become 0, which is due at once.
    follow_up_days: z
      .union([z.number(), z.string().trim().min(1).transform(Number)])
      .pipe(z.number().min(0).max(3650))
      .catch(DEFAULT_FOLLOW_UP),
    context: z.string().trim().max(2000).nullish().catch(null),
  })
  .transform(({ text, follow_up_days, context }) => ({ text, followUpDays: follow_up_days, context: context || null }));
const closeSchema = z
  .object({ close: z.coerce.number().int().min(1), as: z.string().catch('done').default('done') })
  .transform(({ close, as }) => ({ number: close, as: as === 'done' ? ('done' as const) : ('dismissed' as const) }));
const learningSchema = z.object({
  rule: z.string().trim().min(1).max(2000),
  category: z.string().trim().min(1).max(50).catch('general'),
});

/**
 * Reads the marker format, from its end: learnings, intentions, facts, working memory, profile. Without any marker all of it is
 * the profile, unless it is data, which is no profile. Code fences around the lists are taken off; a list or an item that cannot be read is left out, with a warning.
 */
export function parseReflection(text: string): ParsedReflection {
  const warnings: string[] = [];
  let rest = text.replace(/\r\n?/g, '\n');
  const takeLast = (name: string): string | null => {
    const [before, after] = splitAtLast(rest, name);
    if (after === null) return null;
    rest = before;
    return after;
  };
  const sections = { learnings: takeLast('LEARNINGS'), intentions: takeLast('INTENTIONS'), facts: takeLast('FACTS') };
  const working = takeLast('WORKING[ _]MEMORY');
  const marked = takeLast('PROFILE');
  const hasMarkers = marked !== null || [...Object.values(sections), working].some((section) => section !== null);
  const isData = /^[[{]/.test(withoutFence(rest));
  if (!hasMarkers) {
    warnings.push(
      isData
        ? 'The answer has no markers and is data: nothing is taken from it.'
        : 'The answer has no markers: all of it is taken for the profile.',
    );
  }
  const items = <Item>(name: keyof typeof sections, schema: z.ZodType<Item>): Item[] =>
    readItems(sections[name], schema, (problem) => warnings.push(`${name}: ${problem}`));
  const intentions = items('intentions', z.union([closeSchema, intentionSchema]));
  return {
    profile: hasMarkers || !isData ? withoutFence(marked ?? rest) : '',
    workingMemory: withoutFence(working ?? ''),
    facts: items('facts', factSchema),
    intentions: intentions.flatMap((item) => ('text' in item ? [item] : [])),
    closes: intentions.flatMap((item) => ('text' in item ? [] : [item])),
    learnings: items('learnings', learningSchema),
    warnings,
  };
}

function splitAtLast(text: string, name: string): [string, string | null] {
  const found = [...text.matchAll(new RegExp(`^[ \\t*#]*-{3,}[ \\t]*${name}[ \\t]*-{3,}[ \\t*]*$`, 'gim'))].at(-1);
  if (found === undefined) return [text, null];
  return [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

function withoutFence(text: string): string {
  return text
    .trim()
    .replace(/^```[\w-]*[ \t]*\n?/, '')
    .replace(/\n?```$/, '')
    .trim();
}

function readItems<Item>(section: string | null, schema: z.ZodType<Item>, warn: (problem: string) => void): Item[] {
  const text = withoutFence(section ?? '');
  if (text === '') return [];
  const found = readTolerantJson(text);
  if (!found.ok || !Array.isArray(found.value)) {
    warn('is not a list, and is left out');
    return [];
  }
  return found.value.flatMap((item) => {
    const parsed = schema.safeParse(item);
    if (!parsed.success) warn('an item cannot be used, and is left out');
    return parsed.success ? [parsed.data] : [];
  });
}

function toSnakeCase(key: string): string {
  return key
    .trim()
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}
