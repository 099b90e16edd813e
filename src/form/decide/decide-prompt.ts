import { z } from 'zod';
import type { LanguageModel } from '../../models/language-model.ts';
import { definePrompt, fence, type PromptTemplate, renderPrompt } from '../../models/prompt.ts';
import { isoDay, type Memory } from '../../record/memory.ts';
import { countWords } from '../../record/parse.ts';
import { plainText } from '../check/check.ts';
import { lenient, oneLine } from '../read/read-prompt.ts';
import type { Statement } from '../statement.ts';
import type { Verdict } from './decide.ts';

/** A new statement, and the known ones about which its fields do not decide. */
interface OpenQuestion {
  statement: Statement;
  candidates: readonly Memory[];
}

const decideAnswer = z.object({
  decisions: z.array(
    z.object({
      fact: z.int(),
      action: z.enum(['ADD', 'UPDATE', 'DELETE', 'NONE']),
      known: lenient(z.int().nullable(), null),
      text: lenient(z.string().nullable(), null),
    }),
  ),
});

/** Asks whether new statements add to, replace or repeat known ones that resemble them. */
const decidePrompt: PromptTemplate<readonly OpenQuestion[]> = definePrompt({
  task: 'decide',
  version: 2,
  system: `New statements are to go into a memory. Each is listed with the known statements that resemble it most. Decide for each new statement, by its number:
- ADD: none of the known ones says this.
- UPDATE: a known one is about the same matter, and the new one adds to it. text: one sentence of at most 30 words that says what both say, in their language, with nothing that neither says.
- DELETE: the new one makes a known one untrue. The known one is retired and the new one added.
- NONE: a known one says it already, in whatever words.
known: the number of the known statement under that new one; null for ADD. text: null except for UPDATE.
Statements about different people, things or attributes never touch each other, however alike they look: ADD. A later event does not make an earlier one untrue. One decision for every new statement.`,
  render: (questions) =>
    questions
      .map(({ statement, candidates }, index) => {
        const known = candidates.map(
          (memory, place) => `${place + 1}. (${isoDay(memory.statedAt)}) ${oneLine(memory.content)}`,
        );
        const said = `(${isoDay(statement.statedAt)}) ${oneLine(statement.text)}`;
        return `New statement ${index + 1}:\n${fence('fact', said)}\nKnown:\n${fence('known', known.join('\n'))}`;
      })
      .join('\n\n'),
});

/** Asks a model about all open pairs of a stretch in one call. A decision with an unknown number or a long text is ignored. */
export async function askVerdicts(
  model: LanguageModel,
  questions: readonly OpenQuestion[],
  signal?: AbortSignal,
): Promise<Map<Statement, Verdict>> {
  const verdicts = new Map<Statement, Verdict>();
  if (questions.length === 0) return verdicts;
  const prompt = renderPrompt(decidePrompt, questions);
  const { data } = await model.generate({ task: 'decide', prompt, schema: decideAnswer, signal });
  for (const { fact, action, known, text } of data.decisions) {
    const question = questions[fact - 1];
    const target = question?.candidates[(known ?? 0) - 1]?.id;
    if (question === undefined) continue;
    if (action === 'ADD') verdicts.set(question.statement, { action: 'add' });
    else if (target !== undefined && action === 'NONE') verdicts.set(question.statement, { action: 'confirm', target });
    else if (target !== undefined && action === 'DELETE')
      verdicts.set(question.statement, { action: 'replace', target });
    else if (target !== undefined && text !== null && text.trim() !== '' && countWords(text) <= MOST_WORDS)
      verdicts.set(question.statement, { action: 'revise', target, text: plainText(text) });
  }
  return verdicts;
}

const MOST_WORDS = 40;
