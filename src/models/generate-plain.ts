import { callForAnswer, invalidAnswer, userMessage, type ModelInUse } from './answer-call.ts';
import type { Generated, TextRequest } from './language-model.ts';
import type { AnswerProblem } from './parse-answer.ts';

/** A text answer. One that is empty, refused, cut off or endless is no answer. */
export async function generatePlain(used: ModelInUse, request: TextRequest): Promise<Generated<string>> {
  const { longestAnswer = 1_000_000 } = used.limits;
  const answer = await callForAnswer(used, request, [
    { role: 'system', content: request.prompt.system },
    userMessage(request.prompt.user),
  ]);
  const invalid = (problem: AnswerProblem): Error =>
    invalidAnswer(used, request, { problem, issues: [] }, answer.usage);
  if (answer.finishReason === 'content-filter') throw invalid('refused');
  if (answer.text.length > longestAnswer) throw invalid('too_long');
  const data = answer.text.trim();
  if (data === '') throw invalid('empty');
  // Providers that do not say why an answer ended are believed; those that say it was cut are too.
  if (['length', 'error', 'interrupted'].includes(answer.finishReason)) throw invalid('truncated');
  return { data, model: used.id, usage: answer.usage, repaired: false };
}
