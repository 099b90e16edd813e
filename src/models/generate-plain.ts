import { callForAnswer, invalidAnswer, userMessage, type ModelInUse } from './answer-call.ts';
import type { Generated, TextRequest } from './language-model.ts';

/** A text answer. One that is empty, refused, cut off or endless is no answer. */
export async function generatePlain(used: ModelInUse, request: TextRequest): Promise<Generated<string>> {
  const { longestAnswer = 1_000_000 } = used.limits;
  const answer = await callForAnswer(used, request, [
    { role: 'system', content: request.prompt.system },
    userMessage(request.prompt.user),
  ]);
  const invalid = (problem: 'empty' | 'refused' | 'too_long' | 'truncated', message: string): Error =>
    invalidAnswer(used, request, { problem, message, issues: [] }, answer.usage);
  if (answer.finishReason === 'content-filter') throw invalid('refused', 'The model refuses to answer.');
  if (answer.text.length > longestAnswer) throw invalid('too_long', `The answer has more than ${longestAnswer} characters.`);
  const data = answer.text.trim();
  if (data === '') throw invalid('empty', 'The answer is empty.');
  // Providers that do not say why an answer ended are believed; those that say it was cut are too.
  if (['length', 'error', 'interrupted'].includes(answer.finishReason)) {
    throw invalid('truncated', 'The answer ends before it is complete.');
  }
  return { data, model: used.id, usage: answer.usage, repaired: false };
}
