import type { LanguageModel } from '../../models/language-model.ts';
import { renderPrompt } from '../../models/prompt.ts';
import {
  amendNote,
  readAnswer,
  type ReadAnswer,
  readPrompt,
  type ReadPromptInput,
  type RefusedItem,
  type StatementAnswer,
} from './read-prompt.ts';
import {
  readStatement,
  type Reader,
  type ReadInput,
  type Reading,
  type ReadOptions,
  type ReadStatement,
} from './reader.ts';

/** A reader that asks a language model: one call for a stretch. */
export interface ModelReader extends Reader {
  /** Tells the model once what was refused of its answer, and gives what it corrects. */
  amend(input: ReadInput, refused: readonly RefusedItem[], options?: ReadOptions): Promise<ReadStatement[]>;
}

/** Makes a reader of a language model. What it gives is untrusted: `check` comes after it. */
export function createModelReader(
  model: LanguageModel,
  { turnCharacters, userCharacters }: Pick<ReadPromptInput, 'turnCharacters' | 'userCharacters'>,
): ModelReader {
  const ask = async (input: ReadInput, note: string, { signal, meter }: ReadOptions): Promise<ReadAnswer> => {
    const prompt = renderPrompt<ReadPromptInput>(readPrompt, { ...input, turnCharacters, userCharacters });
    const used = meter === undefined || meter === null ? model : meter.languageModel(model);
    const asked = note === '' ? prompt : { ...prompt, user: `${prompt.user}\n\n${note}` };
    return (await used.generate({ task: 'read', prompt: asked, schema: readAnswer, signal })).data;
  };
  return {
    id: model.modelOf('read'),
    kind: 'model',
    async read(input, options = {}): Promise<Reading> {
      const answer = await ask(input, '', options);
      return {
        statements: answer.statements.map(toStatement),
        ends: answer.ends.flatMap((end) =>
          end === null
            ? []
            : [end.known].flat().map((known) => ({ known, quote: { turn: end.turn, words: end.quote }, on: end.on })),
        ),
        forgets: answer.forgets.flatMap((forget) =>
          forget === null
            ? []
            : [
                {
                  about: forget.about,
                  known: forget.known,
                  quote: { turn: forget.turn, words: forget.quote },
                  takenBack: forget.taken_back,
                },
              ],
        ),
        reflections: input.wants.reflections ? answer.reflections.filter((reflection) => reflection !== null) : [],
        topics: input.wants.topics
          ? answer.topics.flatMap((topic) => (topic === null ? [] : [{ ...topic, turns: [] }]))
          : [],
      };
    },
    async amend(input, refused, options = {}) {
      return (await ask(input, amendNote(refused), options)).statements.map(toStatement);
    },
  };
}

/** A statement of the answer; one that could not be read has no text, and is refused with that reason. */
function toStatement(item: StatementAnswer | null): ReadStatement {
  if (item === null) return readStatement({ text: '', type: 'fact', quotes: [] });
  const { about, denied, type, turn, quote, inferred, everyone, known, relation, ...fields } = item;
  return readStatement({
    ...fields,
    subject: about,
    polarity: denied ? 'denied' : 'affirmed',
    type: type.trim().toLowerCase(),
    quotes: [{ turn, words: quote }],
    explicit: !inferred,
    forEveryone: everyone,
    relation: relation === null || known === null ? null : { kind: relation, known },
  });
}
