import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { definePrompt, fence, renderPrompt, type PromptTemplate } from '../models/prompt.ts';
import type { ContextOptions } from './context-options.ts';
import type { Intent } from './intent.ts';

/** The queries to look up before a turn, and the reason. */
export interface Lookup {
  /** If empty, nothing is looked up. */
  queries: string[];
  by: 'rules' | 'model' | 'always' | 'never';
  reason: string;
  /** Why the model was not asked or its answer was not used. */
  failed?: string;
}

export interface LookupInput {
  message: string;
  intent: Intent;
  /** The user's earlier messages, newest last. */
  earlier: readonly string[];
}

const LONGEST_QUERY = 1500;
// "And what about hers?" cannot be understood without the preceding turn.
const REFERS_BACK =
  /\b(it|its|that|those|these|this|he|she|they|them|his|hers?|their|there|one|ones|same|else|too|also)\b/i;
const FEW_WORDS = 6;

/** Decides whether and what to look up: by rules, or by a model with the rules as the fallback. */
export async function decideLookup(input: LookupInput, options: ContextOptions): Promise<Lookup> {
  const mode = options.lookup ?? 'rules';
  if (input.message.trim() === '') return { queries: [], by: 'rules', reason: 'there is no message' };
  if (mode === 'never') return { queries: [], by: 'never', reason: 'switched off' };
  if (mode === 'always') return { queries: [shortened(input.message)], by: 'always', reason: 'always on' };
  if (mode === 'rules') return byRules(input);
  try {
    return await byModel(input, options);
  } catch (error) {
    return { ...byRules(input), failed: messageOf(error) };
  }
}

function byRules({ message, intent, earlier }: LookupInput): Lookup {
  if (intent.smallTalk) return { queries: [], by: 'rules', reason: 'small talk' };
  const before = earlier.at(-1);
  const leansBack = message.split(/\s+/u).length <= FEW_WORDS && REFERS_BACK.test(message);
  if (leansBack && before !== undefined) {
    return { queries: [shortened(`${before}\n${message}`)], by: 'rules', reason: 'refers to the turn before' };
  }
  return { queries: [shortened(message)], by: 'rules', reason: 'a message with content' };
}

const answerSchema = z.object({
  lookup: z.boolean().describe('Whether long-term memory can help with this message'),
  queries: z.array(z.string()).max(3).describe('What to search for, each a full phrase that stands alone'),
});

const PROMPT: PromptTemplate<LookupInput> = definePrompt<LookupInput>({
  task: 'lookup',
  version: 1,
  system: `You decide whether an assistant should search its long-term memory of the user before it answers.
Search when the answer may depend on who the user is, what they said, did, own, prefer or plan, or on earlier work.
Do not search for greetings, thanks, general knowledge, or what the conversation already says.
Write up to three queries that stand alone: replace "it", "there" and "she" by what they mean.`,
  render: ({ message, earlier }) =>
    [fence('earlier_turns', earlier.slice(-4).join('\n')), fence('message', message)].join('\n\n'),
});

async function byModel(input: LookupInput, { lookupModel, timeout = 2000 }: ContextOptions): Promise<Lookup> {
  if (lookupModel === undefined) return { ...byRules(input), failed: 'no lookupModel is set' };
  const { data } = await lookupModel.generate({
    task: 'lookup',
    prompt: renderPrompt(PROMPT, { ...input, message: shortened(input.message) }),
    schema: answerSchema,
    timeout,
  });
  const queries = data.lookup ? data.queries.map(shortened).filter((query) => query.trim() !== '') : [];
  return { queries, by: 'model', reason: data.lookup ? 'the model wants to know' : 'the model needs nothing' };
}

// The beginning and the end of a long message usually contain the request; the middle is often pasted text.
function shortened(text: string): string {
  if (text.length <= LONGEST_QUERY) return text;
  const half = LONGEST_QUERY / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`.toWellFormed();
}
