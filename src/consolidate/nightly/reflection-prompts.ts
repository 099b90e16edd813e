import { z } from 'zod';
import { definePrompt, fence, numbered, paragraphs, type PromptTemplate } from '../../models/prompt.ts';
import { readTolerantJson } from '../../models/tolerant-json.ts';
import type { Event } from '../../record/event.ts';
import { PROFILE_SECTIONS } from '../../record/memory-types.ts';
import { FACT_CATEGORIES, type FactCategory } from '../../record/attributes.ts';
import { CHANGE_RULES, numberedSentences, refusedNote } from '../ask-model.ts';
import { type RefusedChange, withoutFence } from '../documents/changes.ts';
import type { Material, Sentence } from '../documents/document.ts';

export interface ParsedReflection {
  /** A list of changes or a whole text; {@link readChanges} parses both. */
  profile: string;
  workingMemory: string;
  facts: { key: string; value: string; category: FactCategory }[];
  intentions: { text: string; followUpDays: number; context: string | null }[];
  /** The numbers of known intentions that are done or dropped. */
  closes: { number: number; as: 'done' | 'dismissed' }[];
  learnings: { rule: string; category: string }[];
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
    // Coercion would turn null into 0, and the intention would be due immediately.
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

/** An answer without markers is taken as the profile, unless it is JSON. Unreadable items are left out, with a warning. */
export function parseReflection(text: string): ParsedReflection {
  const warnings: string[] = [];
  let rest = text.replace(/\r\n?/g, '\n');
  const takeLast = (name: string): string | null => {
    const marker = new RegExp(`^[ \\t*#]*-{3,}[ \\t]*${name}[ \\t]*-{3,}[ \\t*]*$`, 'gim');
    const found = [...rest.matchAll(marker)].at(-1);
    if (found === undefined) return null;
    const after = rest.slice(found.index + found[0].length);
    rest = rest.slice(0, found.index);
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
        ? 'The answer is JSON without section markers and was not used.'
        : 'The answer has no section markers. All of it was used as the profile.',
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

function readItems<Item>(section: string | null, schema: z.ZodType<Item>, warn: (problem: string) => void): Item[] {
  const text = withoutFence(section ?? '');
  if (text === '') return [];
  const found = readTolerantJson(text);
  if (!found.ok || !Array.isArray(found.value)) {
    warn('the section is not a JSON list and was left out');
    return [];
  }
  return found.value.flatMap((item) => {
    const parsed = schema.safeParse(item);
    if (!parsed.success) warn('an item does not have the expected fields and was left out');
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

/** The items that the model is shown, numbered consecutively. `statements` are those that at least one of the documents lacks. */
export interface Numbering {
  profile: readonly Sentence[];
  prose: readonly Sentence[];
  statements: readonly Material[];
  turns: readonly Material[];
}

export interface ReflectInput extends Numbering {
  /** Permanent facts, as "name (category): value". */
  facts: readonly string[];
  /** Open intentions. They are numbered separately, from 1. */
  intentions: readonly string[];
  learnings: readonly string[];
  /** Since the last reflection, oldest first, including the agent's answers. */
  messages: readonly Event[];
  characters: number;
  today: string;
  wordLimits: { profile: number; workingMemory: number };
  refused: readonly RefusedChange[];
}

/** The agent's answers are cut to this length, because they are context and not evidence. */
const ANSWER_CHARACTERS = 160;

export const reflectPrompt: PromptTemplate<ReflectInput> = definePrompt({
  task: 'profile',
  version: 2,
  system: `You look back on conversations with one person and bring what is known of them up to date: the profile (how to deal with this person, under six headings: ${PROFILE_SECTIONS.join(', ')}) and the working memory (what occupies them now, in plain sentences). The sentences of both, new statements and the person's turns stand under one numbering.
Answer in exactly this form, with the five markers each on a line of its own:

---PROFILE---
[{"text": "…", "section": "Preferences", "from": [2, 14]}, {"drop": [3]}]

---WORKING MEMORY---
[{"text": "…", "from": [7, 15, 16]}]

---FACTS---
[{"key": "home_city", "value": "…", "category": "location"}]

---INTENTIONS---
[{"text": "call the dentist", "follow_up_days": 3, "context": "why it came up"}, {"close": 2, "as": "done"}]

---LEARNINGS---
[{"rule": "confirm before deleting anything", "category": "decision_making"}]

- Profile and working memory: ${CHANGE_RULES}
  Work the new statements in where they tell something lasting (profile) or current (working memory); leave out the rest. What stands among the known facts is not said again. Keep each short: a few sentences a heading.
- Facts: only what these turns change or correct in the known facts, or a lasting fact that is neither known nor among the new statements. Keys are snake_case; categories are location, personal, preference, work, health, general. Mostly [].
- Intentions: soft commitments of the person ("I should call the dentist") that are listed nowhere, and after how many days to come back to them. Close a known one by its number when these turns show that it is done or dropped ("as": "done" or "dropped").
- Learnings: rules for the agent that follow from corrections by the person and are not listed yet.
- What the agent said is context, not evidence.`,
  render(input) {
    const { profile, prose, statements, turns } = input;
    const firstProse = profile.length + 1;
    const firstStatement = firstProse + prose.length;
    const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
    return paragraphs([
      `Today is ${input.today}.`,
      profile.length === 0 ? 'There is no profile yet: start afresh.' : numberedSentences('profile', profile),
      prose.length === 0 ? '' : numberedSentences('working_memory', prose, firstProse),
      statements.length === 0
        ? ''
        : numbered(
            'new_statements',
            statements.map(({ text, at }) => `[${at.toISOString().slice(0, 10)}] ${text}`),
            firstStatement,
          ),
      input.facts.length === 0 ? '' : fence('known_facts', list(input.facts)),
      input.intentions.length === 0 ? '' : numbered('known_intentions', input.intentions),
      input.learnings.length === 0 ? '' : fence('known_learnings', list(input.learnings)),
      fence('conversations', conversation(input, firstStatement + statements.length, turns)),
      refusedNote(input.refused),
      `The profile has at most ${input.wordLimits.profile} words, the working memory ${input.wordLimits.workingMemory}.`,
    ]);
  },
});

function conversation({ messages, characters }: ReflectInput, first: number, turns: Numbering['turns']): string {
  const numbers = new Map(turns.map(({ id }, index) => [id, first + index]));
  const cut = (text: string, most: number): string =>
    (text.length <= most ? text : `${text.slice(0, most)}…`).replace(/\s+/g, ' ').toWellFormed();
  return messages
    .flatMap(({ id, origin, occurredAt, content }) => {
      if (origin === 'user')
        return [`${numbers.get(id)}. [${occurredAt.toISOString().slice(0, 10)}] User: ${cut(content, characters)}`];
      return origin === 'agent' ? [`   Agent: ${cut(content, ANSWER_CHARACTERS)}`] : [];
    })
    .join('\n');
}
