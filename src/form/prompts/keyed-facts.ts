import { z } from 'zod';
import { definePrompt, fence, type PromptTemplate } from '../../models/prompt.ts';

/** The last exchange, each side already cut to its limit. */
export interface KeyedFactsInput {
  userMessage: string;
  agentResponse: string;
  today: string;
}

export interface KeyedFactsAnswer {
  facts: { key: string; value: string; category: string }[];
}

export const keyedFactsAnswer: z.ZodType<KeyedFactsAnswer> = z.object({
  facts: z.array(z.object({ key: z.string(), value: z.string(), category: z.string() })),
});

/** Facts that the user has just stated outright (K8, K20). */
export const keyedFactsPrompt: PromptTemplate<KeyedFactsInput> = definePrompt({
  task: 'keyed_facts',
  version: 1,
  system: `Read one exchange and list the lasting facts that the user states outright about themselves, all of them.
key: snake_case, the same for the same kind of fact (home_city, employer, birthday, dog_name). value: short, in the user's words, dates written out. category: location, personal, preference, work, health or general.
Nothing that is asked, supposed, joked or said of others; nothing the assistant says. Small talk gives an empty list.`,
  render: ({ userMessage, agentResponse, today }) =>
    `Today is ${today}.\n\nUser:\n${fence('user_message', userMessage)}\n\nAssistant:\n${fence('assistant_message', agentResponse)}`,
});
