import { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { definePrompt, fence, numbered, paragraphs, type PromptTemplate, renderPrompt } from '../models/prompt.ts';
import { cutWords } from './check-text.ts';
import { toChanges, type DocumentChange, type RefusedChange } from './documents/changes.ts';
import type { Sentence } from './documents/document.ts';
import type { CitedFact, Observed } from './documents/observed.ts';
import type { ScaffoldChange } from './documents/scaffold.ts';
import { CONFIDENCE_LEVELS } from '../record/statement.ts';
import { countWords } from '../record/parse.ts';

export const CHANGE_RULES = `Do not write the document anew. Give the changes, as a JSON list; [] when nothing changes:
{"text": "…", "from": [2, 7]}: a sentence made of these numbers. It takes the place of the sentences among them; numbers of new items are worked in. from is never empty.
{"drop": [3]}: sentences that are over, wrong or not worth the room.
A sentence that you do not name stays as it is: never repeat it. To condense, write one sentence from several numbers; it keeps every name, number, date and place that still matters. Say nothing that the numbers in from do not say. Write in the language of the person.`;

/** Numbers the sentences from `first`. Dated lines keep their day. */
export function numberedSentences(label: string, sentences: readonly Sentence[], first = 1): string {
  const lines = sentences.map(
    ({ text, section, day }) => `${section === null ? '' : `(${section}) `}${day === null ? '' : `[${day}] `}${text}`,
  );
  return numbered(label, lines, first);
}

const REFUSALS: Record<RefusedChange['reason'], string> = {
  no_source: 'from was empty or had numbers that do not exist',
  value_not_said: 'a number in it is in none of its sources',
  unsupported: 'its sources say nothing of the kind',
  order: 'it is an order that the person never gave',
  address: 'it has an address or account that no source has',
  outranked: 'the person said otherwise',
};

export function refusedNote(refused: readonly RefusedChange[]): string {
  if (refused.length === 0) return '';
  const lines = refused.slice(0, 10).map(({ text, reason, detail }) => {
    const why = `${REFUSALS[reason]}${detail === null ? '' : ` (${detail})`}`;
    return `${text.slice(0, 200)}: ${why}`;
  });
  return `Of your last changes these were refused:\n${fence('refused', lines.join('\n'))}`;
}

export interface MergeInput {
  purpose: 'tag' | 'episodes';
  /** The tag or the theme. */
  subject: string;
  /** Oldest first. If two texts contradict each other, the later one is correct. */
  texts: readonly string[];
  /** A longer answer is cut. An answer of more than twice the limit fails the task. */
  wordLimit: number;
}

const FOCUS: Record<MergeInput['purpose'], string> = {
  tag: 'They are statements about one person that share a topic. Keep every distinct name, number, date and place.',
  episodes:
    'They are things that were done and what came of them. Say in one sentence what they have in common. ' +
    'Write no numbers: the counting is done elsewhere.',
};

const mergePrompt: PromptTemplate<MergeInput> = definePrompt({
  task: 'merge',
  version: 2,
  system: `You keep a memory short. You are given texts, oldest first. Write the one text that says what they say.

- Where two contradict each other the later one holds; drop the other without mentioning it.
- Say nothing that is not in the texts. No headings, no lists, no preface, no comment on your work.
- Stay within the word limit. Shorten the least important parts first.

Answer with the text alone.`,
  render: ({ purpose, subject, texts, wordLimit }) =>
    [FOCUS[purpose], fence('topic', subject), numbered('additions', texts), `At most ${wordLimit} words.`].join('\n\n'),
});

const FAR_TOO_LONG = 2;

export async function askMerge(model: LanguageModel, input: MergeInput, signal?: AbortSignal): Promise<string> {
  const prompt = renderPrompt(mergePrompt, input);
  const { data } = await model.generateText({ task: 'merge', prompt, signal });
  const text = data.replace(/^```\w*\n?|\n?```$/g, '').trim();
  assertWithin(text, input.wordLimit);
  return cutWords(text, input.wordLimit);
}

function assertWithin(text: string, limit: number): void {
  const words = countWords(text);
  if (words <= limit * FAR_TOO_LONG) return;
  throw new VarveError(`The merged text has ${words} words; ${limit} are allowed.`, {
    code: 'model_answer_invalid',
    retryable: true,
    details: { words, limit },
  });
}

interface AbsorbInput {
  level: string;
  sentences: readonly Sentence[];
  additions: readonly string[];
  wordLimit: number;
}

const LEVELS: Readonly<Record<string, string>> = {
  agent: 'Keep how the agent’s character develops, where its projects stand and what it has learned of its field.',
  user: 'Keep what this person prefers, has asked for, and how they like to be spoken to.',
  session: 'Keep what has happened so far, where the task stands, and instructions that hold for now.',
};

const absorbPrompt: PromptTemplate<AbsorbInput> = definePrompt({
  task: 'merge',
  version: 2,
  system: `You keep the text that an agent always has in mind short and true. You get its sentences under numbers, and additions to it, oldest first, numbered on.
Work every addition in; where two contradict each other the later one holds.
${CHANGE_RULES}
Answer with the JSON list alone.`,
  render: ({ level, sentences, additions, wordLimit }) =>
    paragraphs([
      LEVELS[level] ?? '',
      sentences.length === 0 ? 'There is no text so far.' : numberedSentences('text_so_far', sentences),
      numbered('additions', additions, sentences.length + 1),
      `At most ${wordLimit} words in the whole text.`,
    ]),
});

/** Returns the model's raw answer, which is a list of changes or a whole text. */
export async function askAbsorb(model: LanguageModel, input: AbsorbInput, signal?: AbortSignal): Promise<string> {
  const { data } = await model.generateText({ task: 'merge', prompt: renderPrompt(absorbPrompt, input), signal });
  assertWithin(data, input.wordLimit);
  return data;
}

interface SynthesiseInput {
  sentences: readonly Sentence[];
  observations: readonly Observed[];
  scaffold: Record<string, unknown>;
  /** Null allows any key. */
  scaffoldKeys: readonly string[] | null;
  wordLimit: number;
  today: string;
  refused: readonly RefusedChange[];
}

/** The numbers of the observations continue those of the working memory's sentences. */
interface Synthesis {
  workingMemory: DocumentChange[];
  scaffold: ScaffoldChange[];
  facts: CitedFact[];
}

const numbersSchema = z.array(z.int()).catch([]).default([]);
const synthesisSchema = z.object({
  working_memory_changes: z.array(z.unknown()).max(200),
  scaffold_changes: z
    .array(
      z.object({
        key: z.string().min(1).max(200),
        value: z.unknown().optional(),
        remove: z.boolean().catch(false).default(false),
        confidence: z.enum(CONFIDENCE_LEVELS).nullable().catch(null).default(null),
        from: numbersSchema,
      }),
    )
    .max(200),
  facts_to_embed: z
    .array(z.union([z.string(), z.object({ content: z.string(), from: numbersSchema })]))
    .max(200)
    .catch([])
    .default([]),
});

const synthesisePrompt: PromptTemplate<SynthesiseInput> = definePrompt({
  task: 'synthesise',
  version: 2,
  system: `You maintain what an agent always keeps in mind about one person: the working memory (plain sentences: who this person is and what occupies them now) and the scaffold (structured facts as JSON). You get both and new observations, and answer with the changes to them, as JSON:

{
  "working_memory_changes": [{ "text": "…", "from": [2, 7] }, { "drop": [3] }],
  "scaffold_changes": [{ "key": "Role", "value": "designer", "confidence": "high", "from": [7] }, { "key": "City", "remove": true, "from": [8] }],
  "facts_to_embed": [{ "content": "…", "from": [7] }]
}

working_memory_changes: the sentences have numbers, and the observations are numbered on. ${CHANGE_RULES}
scaffold_changes: only entries that an observation adds, changes or ends, with the numbers of those observations. Keys are short and of your choice, and stay as they are once chosen; the value replaces the whole entry and is JSON, never JSON inside a string. confidence: high when the person said so, medium when it follows from what they said, low when it is a guess.
facts_to_embed: lasting statements worth finding again, each complete in itself, at most 30 words, with the numbers of the observations that say so. Nothing that was observed before.

A correction by the person outweighs everything else.`,
  render: ({ sentences, observations, scaffold, scaffoldKeys, wordLimit, today, refused }) =>
    paragraphs([
      `Today is ${today}.`,
      sentences.length === 0 ? 'There is no working memory yet.' : numberedSentences('working_memory', sentences),
      fence('scaffold', JSON.stringify(scaffold)),
      scaffoldKeys === null
        ? ''
        : `The scaffold may have these keys only: ${scaffoldKeys.map((key) => JSON.stringify(key)).join(', ')}.`,
      numbered(
        'observations',
        observations.map(
          ({ event, text }) =>
            `[${event.category ?? event.kind}, from ${event.origin}, ${event.occurredAt.toISOString().slice(0, 10)}] ${text}`,
        ),
        sentences.length + 1,
      ),
      refusedNote(refused),
      `At most ${wordLimit} words in the whole working memory.`,
    ]),
});

export async function askSynthesis(
  model: LanguageModel,
  input: SynthesiseInput,
  signal?: AbortSignal,
): Promise<Synthesis> {
  const prompt = renderPrompt(synthesisePrompt, input);
  const { data } = await model.generate({ task: 'synthesise', prompt, schema: synthesisSchema, signal });
  const { sentences, observations } = input;
  const numbered = (from: readonly number[]): Observed[] =>
    from.flatMap((number) => observations[number - sentences.length - 1] ?? []);
  return {
    workingMemory: toChanges(data.working_memory_changes, [...sentences, ...observations]).changes,
    scaffold: data.scaffold_changes.map(({ key, value, remove, confidence, from }) => ({
      key,
      value: remove ? undefined : value,
      confidence,
      from: numbered(from),
    })),
    facts: data.facts_to_embed.map((fact) =>
      typeof fact === 'string' ? { content: fact, from: [] } : { content: fact.content, from: numbered(fact.from) },
    ),
  };
}
