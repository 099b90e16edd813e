import { z } from 'zod';
import type { LanguageModel } from '../models/language-model.ts';
import { definePrompt, fence, paragraphs, renderPrompt } from '../models/prompt.ts';
import type { Question } from './conversation.ts';
import { contextFor, measurePrompt, promptOf, type AskOptions } from './measure-questions.ts';
import type { Replay } from './replay.ts';
import type { Found } from './row.ts';
import { isSaidIn, tellingWords } from './says.ts';

// The rubrics influence the figures: a change of their wording changes the benchmark and must increment the version.

const ANSWER = definePrompt<{ system: string; user: string }>({
  task: 'answer',
  version: 1,
  system: `You answer a question about a user from what you remember of them. Answer in one or two short sentences, with nothing but the answer.
If what you remember does not answer it, answer exactly: unknown. Never guess.`,
  render: ({ system, user }) => `${system}\n\n${user}`,
});

const CORRECT = definePrompt<{ question: Question; answer: string }>({
  task: 'judge',
  version: 1,
  system: `You compare an answer with the right answer to a question. Say whether it is right.
Right: it says the same as the right answer, in other words, other units, with more detail, or in another language. A date counts when it means the same day, month or period as the right answer. A list counts when every item of the right answer is in it.
Wrong: an item of the right answer is missing, something contradicts it, or the answer says that it does not know although the right answer is known.
Where the right answer is "unknown", only an answer that says it does not know is right.
First give the reason in one sentence, then the verdict.`,
  render: ({ question, answer }) =>
    [
      fence('question', question.question),
      fence('right_answer', question.isAnswerable ? question.answer : 'unknown'),
      fence('answer', answer),
    ].join('\n'),
});

const verdictSchema = z.object({ reason: z.string(), right: z.boolean() });

const DOCUMENT = definePrompt<{ document: string; holds: readonly string[]; ended: readonly string[] }>({
  task: 'judge',
  version: 1,
  system: `You judge a short document that an assistant keeps about a user, against two lists: what is true of the user now, and what was true before and is no longer.
Give three marks from 1 to 5.
completeness: 5 every matter of weight in the first list is in the document; 3 about half; 1 hardly any. Small matters may be missing.
conciseness: 5 nothing is said twice and nothing is trivial; 3 some repetition or trivia; 1 mostly repetition or trivia.
recency: 5 nothing of the second list is said as if it still held; 3 one or two such sentences; 1 most of what changed is out of date.
First give the reason in one or two sentences, then the marks.`,
  render: ({ document, holds, ended }) =>
    [
      fence('document', document === '' ? '(empty)' : document),
      fence('true_now', holds.join('\n')),
      fence('no_longer_true', ended.length === 0 ? '(nothing)' : ended.join('\n')),
    ].join('\n'),
});

const marksSchema = z.object({
  reason: z.string(),
  completeness: z.int().min(1).max(5),
  conciseness: z.int().min(1).max(5),
  recency: z.int().min(1).max(5),
});

export async function measureEndToEnd(
  replay: Replay,
  question: Question,
  ask: AskOptions,
  model: LanguageModel | null,
): Promise<Found[]> {
  const rows = await measurePrompt(replay, question, ask);
  if (model === null) return rows;
  const context = await contextFor(replay.handle(`ask ${question.id}`), question, ask, 2000);
  const prompt = renderPrompt(ANSWER, { system: promptOf({ ...context, user: '' }), user: context.user });
  const { data: answer } = await model.generateText({ task: 'answer', prompt, maximumTokens: 300 });
  const { data: verdict } = await model.generate({
    task: 'judge',
    prompt: renderPrompt(CORRECT, { question, answer }),
    schema: verdictSchema,
  });
  const [row] = rows;
  const judged = { question: question.question, expected: question.answer, answer, reason: verdict.reason };
  return [
    {
      measure: 'end-to-end',
      item: question.id,
      kind: question.kind,
      values: { ...row?.values, correct: verdict.right ? 1 : 0 },
      detail: { ...row?.detail, ...judged },
    },
  ];
}

const DOCUMENTS = ['profile', 'working_memory', 'scaffold', 'reflections'] as const;

export async function measureConsolidation(replay: Replay, model: LanguageModel | null): Promise<Found[]> {
  const { memories } = replay.conversation;
  if (memories.length === 0) return [];
  const texts = await Promise.all(
    DOCUMENTS.map(async (kind) => {
      const content = (await replay.handle().blocks.read(kind))?.content ?? '';
      return typeof content === 'string' ? content : JSON.stringify(content, null, 1);
    }),
  );
  const document = paragraphs(texts);
  const lines = document.split(/\n|(?<=[.!?。！？]) /).map((line) => tellingWords(line));
  const rows = memories.map((memory): Found => ({
    measure: 'consolidation',
    item: memory.id,
    kind: memory.type ?? 'memory',
    values: { [memory.until === null ? 'coverage' : 'staleness']: isSaidIn(memory, lines) ? 1 : 0 },
    detail: { expected: memory.text },
  }));
  const whole: Found = {
    measure: 'consolidation',
    item: 'documents',
    kind: 'documents',
    values: { words: document.split(/\s+/).filter((word) => word !== '').length },
    detail: { document },
  };
  if (model === null) return [...rows, whole];
  const prompt = renderPrompt(DOCUMENT, {
    document,
    holds: memories.filter(({ until }) => until === null).map(({ text }) => text),
    ended: memories.filter(({ until }) => until !== null).map(({ text }) => text),
  });
  const { data } = await model.generate({ task: 'judge', prompt, schema: marksSchema });
  const { reason, ...marks } = data;
  const shares = Object.fromEntries(Object.entries(marks).map(([name, mark]) => [name, (mark - 1) / 4]));
  return [...rows, { ...whole, values: { ...whole.values, ...shares }, detail: { document, reason } }];
}
