import { z } from 'zod';
import type { LanguageModel } from '../../models/language-model.ts';
import { renderPrompt } from '../../models/prompt.ts';
import { TENSES } from '../../record/statement.ts';
import { amendNote, lenient, readPrompt, type ReadPromptInput } from './read-prompt.ts';
import {
  readStatement,
  type StatementReader,
  type ReadInput,
  type ReadOptions,
  type ReadStatement,
  RELATIONS,
} from './reader.ts';

/** A statement as the model writes it. */
const statementAnswer = z.object({
  text: z.string(),
  about: lenient(z.string(), 'User'),
  attribute: lenient(z.string().nullable(), null),
  value: lenient(z.string().nullable(), null),
  denied: lenient(z.boolean(), false),
  tense: lenient(z.enum(TENSES), 'holds'),
  type: lenient(z.string(), 'fact'),
  turn: lenient(z.int(), 0),
  quote: lenient(z.string(), ''),
  from: lenient(z.string().nullable(), null),
  to: lenient(z.string().nullable(), null),
  due: lenient(z.string().nullable(), null),
  importance: lenient(z.number().nullable(), null),
  inferred: lenient(z.boolean(), false),
  everyone: lenient(z.boolean(), false),
  tags: lenient(z.array(z.string()), []),
  relation: lenient(z.enum(RELATIONS).nullable(), null),
  known: lenient(z.union([z.array(z.int()), z.int()]), []),
});

/** A list that a model may leave out, with items that may be unreadable. */
const items = <Item extends z.ZodType>(item: Item) => lenient(z.array(lenient(item.nullable(), null as never)), []);

/**
 * What the model answers. An unreadable item becomes null and does not affect the others. An answer without the list of statements is
 * invalid, because accepting it as empty would mark the turns as read.
 */
const readAnswer = z.object({
  statements: z.array(lenient(statementAnswer.nullable(), null)),
  ends: items(
    z.object({
      known: z.union([z.array(z.int()), z.int()]),
      turn: lenient(z.int(), 0),
      quote: lenient(z.string(), ''),
      on: lenient(z.string().nullable(), null),
    }),
  ),
  forgets: items(
    z.object({
      about: z.string(),
      turn: lenient(z.int(), 0),
      quote: lenient(z.string(), ''),
      known: lenient(z.array(z.int()), []),
      taken_back: lenient(z.boolean(), false),
    }),
  ),
  reflections: items(z.object({ level: z.enum(['agent', 'user', 'session']), text: z.string() })),
  topics: items(z.object({ topic: z.string(), summary: z.string() })),
});
type ReadAnswer = z.infer<typeof readAnswer>;

/** Creates a reader that asks a language model, once for each part of a session. Its answers are untrusted: `check` comes after it. */
export function createModelReader(
  model: LanguageModel,
  { turnCharacters, userCharacters }: Pick<ReadPromptInput, 'turnCharacters' | 'userCharacters'>,
): StatementReader {
  const ask = async (
    input: ReadInput,
    note: string,
    { signal }: ReadOptions,
  ): Promise<ReadAnswer & { isCut: boolean }> => {
    const prompt = renderPrompt<ReadPromptInput>(readPrompt, { ...input, turnCharacters, userCharacters });
    const asked = note === '' ? prompt : { ...prompt, user: `${prompt.user}\n\n${note}` };
    const usesPart = ({ statements }: ReadAnswer): boolean => readable(statements).length > 0;
    const request = { task: 'read' as const, prompt: asked, schema: readAnswer, signal, usesPart };
    const { data, isCut = false } = await model.generate(request);
    return { ...data, isCut };
  };
  return {
    id: model.modelOf('read'),
    kind: 'model',
    async read(input, options = {}) {
      const answer = await ask(input, '', options);
      return {
        statements: answer.statements.map(toStatement),
        ends: [...readable(answer.statements).flatMap(furtherEnds), ...readable(answer.ends)].flatMap(
          ({ known, turn, quote, on }) =>
            [known].flat().map((number) => ({ known: number, quote: { turn, words: quote }, on })),
        ),
        forgets: readable(answer.forgets).map(({ about, known, turn, quote, taken_back: takenBack }) => ({
          about,
          known,
          quote: { turn, words: quote },
          takenBack,
        })),
        reflections: input.wants.reflections ? readable(answer.reflections) : [],
        isCut: answer.isCut,
        topics: input.wants.topics ? readable(answer.topics).map((topic) => ({ ...topic, turns: [] })) : [],
      };
    },
    async amend(input, refused, options = {}) {
      return (await ask(input, amendNote(refused), options)).statements.map(toStatement);
    },
  };
}

type StatementAnswer = z.infer<typeof statementAnswer>;

/** A statement that replaces, completes or ends several known ones follows the first of them, and the others are over. */
function furtherEnds({
  relation,
  known,
  turn,
  quote,
  tense,
  from,
}: StatementAnswer): NonNullable<ReadAnswer['ends'][number]>[] {
  const [, ...others] = [known].flat();
  if (relation === null || relation === 'repeats' || others.length === 0) return [];
  return [{ known: others, turn, quote, on: tense === 'planned' ? from : null }];
}

function readable<Item>(list: readonly (Item | null)[]): Item[] {
  return list.filter((item) => item !== null);
}

/** A statement of the answer. An unreadable one has no text, and is refused as malformed. */
function toStatement(item: ReadAnswer['statements'][number]): ReadStatement {
  if (item === null) return readStatement({ text: '', type: 'fact', quotes: [] });
  const { about, denied, type, turn, quote, inferred, everyone, known, relation, ...fields } = item;
  const [target] = [known].flat();
  return readStatement({
    ...fields,
    subject: about,
    polarity: denied ? 'denied' : 'affirmed',
    type: type.trim().toLowerCase(),
    quotes: [{ turn, words: quote }],
    explicit: !inferred,
    forEveryone: everyone,
    relation: relation === null || target === undefined ? null : { kind: relation, known: target },
  });
}
