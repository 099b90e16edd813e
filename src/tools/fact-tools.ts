import { z } from 'zod';
import { cleanText, textByTrust } from '../assemble/safe-text.ts';
import { FACT_CATEGORIES, keySchema, type Memory } from '../record/memory.ts';
import { TRUST_LEVELS } from '../record/trust.ts';
import { defineTool, type AgentTool } from './agent-tool.ts';

const factSchema = z.object({
  key: z.string(),
  value: z.string(),
  category: z.string(),
  trust: z.enum(TRUST_LEVELS),
});

const OUTCOMES = ['added', 'replaced', 'unchanged'] as const;
type Outcome = (typeof OUTCOMES)[number];

const rememberFact: AgentTool = defineTool({
  name: 'remember_fact',
  title: 'Remember a fact',
  description: `Save a permanent fact about the user under a key, such as home_address, partner_name,
    dietary_restrictions or birthday. One value for each key: another value replaces the old one. Save personal details
    proactively, without asking; several facts in one message are several calls.`,
  input: z.object({
    key: keySchema.describe('snake_case and descriptive, such as home_city'),
    value: z.string().min(1).max(5000),
    category: z.enum(FACT_CATEGORIES).default('general'),
  }),
  output: z.object({
    key: z.string(),
    value: z.string(),
    outcome: z.enum(OUTCOMES),
  }),
  hints: 'sets',
  async run(handle, { key, value, category }) {
    const before = await handle.facts.get(key);
    const { memory } = await handle.facts.set({ key, value, category }, { reason: 'remembered', actor: 'agent' });
    const outcome: Outcome = before === null ? 'added' : before.value === memory.value ? 'unchanged' : 'replaced';
    return { key, value: memory.value ?? value, outcome };
  },
});

const recallFacts: AgentTool = defineTool({
  name: 'recall_facts',
  title: 'Recall facts',
  description: `List the permanent facts about the user, grouped by category, or search their keys and values. Look
    here before you say that you do not know something about the user.`,
  input: z.object({ query: z.string().max(500).default('').describe('Words to look for. Empty: all facts') }),
  output: z.object({ facts: z.record(z.string(), z.array(factSchema)), count: z.number() }),
  hints: 'reads',
  async run(handle, { query }) {
    const words = query
      .toLowerCase()
      .split(/[\s_]+/u)
      .filter((word) => word !== '');
    const found = (await handle.facts.list()).filter((fact) => words.length === 0 || mentions(fact, words));
    const facts: Record<string, z.output<typeof factSchema>[]> = {};
    for (const fact of found) (facts[fact.category ?? 'general'] ??= []).push(shown(fact));
    return { facts, count: found.length };
  },
});

const forgetFact: AgentTool = defineTool({
  name: 'forget_fact',
  title: 'Forget a fact',
  description: 'Take a permanent fact about the user out of memory, by its key. Use it when the user asks for it.',
  input: z.object({ key: keySchema }),
  output: z.object({ key: z.string(), forgotten: z.boolean() }),
  hints: 'removes',
  async run(handle, { key }) {
    const forgotten = await handle.facts.forget(key, { reason: 'forgotten on request', actor: 'agent' });
    return { key, forgotten };
  },
});

function mentions({ key, value, category }: Memory, words: readonly string[]): boolean {
  const text = `${key} ${value} ${category}`.toLowerCase().replaceAll('_', ' ');
  return words.some((word) => text.includes(word));
}

function shown({ key, value, category, trust }: Memory): z.output<typeof factSchema> {
  return {
    key: key ?? '',
    value: textByTrust(cleanText(value ?? ''), trust),
    category: category ?? 'general',
    trust,
  };
}

/** Tools for permanent facts (K6). */
export const FACT_TOOLS: readonly AgentTool[] = [rememberFact, recallFacts, forgetFact];
