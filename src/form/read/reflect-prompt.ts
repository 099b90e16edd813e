import { z } from 'zod';
import type { LanguageModel } from '../../models/language-model.ts';
import { definePrompt, fence, numbered, renderPrompt, type PromptTemplate } from '../../models/prompt.ts';
import type { Event } from '../../record/event.ts';
import { isoDay } from '../../record/memory.ts';
import type { Statement } from '../statement.ts';
import type { ReadReflection } from './reader.ts';

interface ReflectInput {
  events: readonly Event[];
  /** The new statements, which reflections do not repeat. */
  statements: readonly Statement[];
  /** The known reflections. */
  inMind: readonly string[];
}

const reflectAnswer = z.object({ agent: z.array(z.string()), user: z.array(z.string()), session: z.array(z.string()) });

const LONGEST_TURN = 500;

/** Asks for reflections about agent, user and session in a separate call. */
const reflectPrompt: PromptTemplate<ReflectInput> = definePrompt({
  task: 'reflect',
  version: 2,
  system: `You look back on a conversation for an assistant and note what should be in its mind from now on: not facts, which are kept elsewhere, but what they mean for how to act.
Fill three lists, in this order; what stands in an earlier list or is in mind already is not said again:
1. agent: for every conversation with anyone: how the assistant works best, lessons. Never about a person.
2. user: for every conversation with this person: how to talk to them, what they care about, standing wishes, level of knowledge.
3. session: for this conversation only: where it stands, what is open, what was agreed for now.
Each entry is one sentence of at most 35 words, in the language of the user. Only what the turns show; do not repeat the new facts. Few is good, empty lists are usual.`,
  render: ({ events, statements, inMind }) => {
    const facts = statements.map(({ text }) => text);
    const turns = events.map(({ occurredAt, origin, speaker, content }) => {
      const who = speaker ?? (origin === 'user' ? 'User' : 'Assistant');
      return `[${isoDay(occurredAt)}] ${who}: ${content.slice(0, LONGEST_TURN).toWellFormed()}`;
    });
    return [
      ...(inMind.length === 0 ? [] : [`In mind already:\n${fence('in_mind', inMind.join('\n'))}`]),
      ...(facts.length === 0 ? [] : [`New facts:\n${numbered('facts', facts)}`]),
      `Turns:\n${numbered('turns', turns)}`,
    ].join('\n\n');
  },
});

/** Asks for reflections on a stretch once its statements are known. */
export async function askReflections(
  model: LanguageModel,
  input: ReflectInput,
  signal?: AbortSignal,
): Promise<ReadReflection[]> {
  const prompt = renderPrompt(reflectPrompt, input);
  const { data } = await model.generate({ task: 'reflect', prompt, schema: reflectAnswer, signal });
  return (['agent', 'user', 'session'] as const).flatMap((level) => data[level].map((text) => ({ level, text })));
}
