import { z } from 'zod';
import { givenText } from '../assemble/escape.ts';
import type { Fact } from '../handle/facts.ts';
import { FACT_CATEGORIES, type Memory } from '../record/memory.ts';
import { TRUST_LEVELS } from '../record/trust.ts';
import { type AgentTool, defineTool } from './agent-tool.ts';
import { mappedChoice, mappedKey } from './mapped-input.ts';
import { provenanceOf, sourceParameter } from './provenance.ts';

const factSchema = z.object({
  key: z.string(),
  value: z.string(),
  category: z.string(),
  trust: z.enum(TRUST_LEVELS),
});

const FACT_SYNONYMS = {
  otherwise: 'general',
  synonyms: {
    place: 'location',
    home: 'location',
    address: 'location',
    family: 'personal',
    person: 'personal',
    relationship: 'personal',
    like: 'preference',
    taste: 'preference',
    food: 'preference',
    diet: 'health',
    medical: 'health',
    allergy: 'health',
    job: 'work',
    career: 'work',
    professional: 'work',
    project: 'work',
  },
} as const;

const OUTCOMES = ['added', 'replaced', 'unchanged', 'kept'] as const;
type Outcome = (typeof OUTCOMES)[number];

const rememberFact: AgentTool = defineTool({
  name: 'remember_fact',
  title: 'Remember a fact',
  description: `Save a permanent fact about the user under a key, such as home_address, partner_name,
    dietary_restrictions or birthday. One value for each key: another value replaces the old one. Save personal details
    proactively, without asking; several facts in one message are several calls. The outcome "kept" means that the
    user's own word stands against it: ask the user.`,
  input: z.object({
    key: mappedKey().describe('snake_case and descriptive, such as home_city'),
    value: z.string().min(1).max(5000),
    category: mappedChoice(FACT_CATEGORIES, FACT_SYNONYMS)
      .optional()
      .describe('Default: the category of the key, such as location'),
    source: sourceParameter,
  }),
  output: z.object({
    key: z.string(),
    value: z.string(),
    outcome: z.enum(OUTCOMES),
  }),
  async run(handle, { key, value, category, source }, turn) {
    const before = await handle.facts.get(key);
    const { statedBy, source: named, events } = await provenanceOf(handle, value, { source, ...turn });
    const reason = named === null ? 'remembered' : `remembered from ${named}`;
    const { memory } = await handle.facts.set(
      { key, value, category, statedBy, sourceEvents: events },
      { reason: reason.slice(0, 500), actor: 'agent' },
    );
    return { key, value: givenText(memory.value ?? value, memory.trust), outcome: outcomeOf(before, memory, value) };
  },
});

function outcomeOf(before: Fact | null, now: Memory, value: string): Outcome {
  if (before === null) return 'added';
  if (before.id !== now.id) return 'replaced';
  return now.value === value.trim() ? 'unchanged' : 'kept';
}

const recallFacts: AgentTool = defineTool({
  name: 'recall_facts',
  title: 'Recall facts',
  description: `List the permanent facts about the user, grouped by category, or search their keys and values. Look
    here before you say that you do not know something about the user.`,
  input: z.object({ query: z.string().max(500).default('').describe('Words to look for. Empty: all facts') }),
  output: z.object({ facts: z.record(z.string(), z.array(factSchema)), count: z.number() }),
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
  input: z.object({ key: mappedKey() }),
  output: z.object({ key: z.string(), forgotten: z.boolean() }),
  async run(handle, { key }) {
    const forgotten = await handle.facts.forget(key, { reason: 'forgotten on request', actor: 'agent' });
    return { key, forgotten };
  },
});

function mentions({ key, value, category }: Fact, words: readonly string[]): boolean {
  const text = `${key} ${value} ${category}`.toLowerCase().replaceAll('_', ' ');
  return words.some((word) => text.includes(word));
}

function shown({ key, value, category, trust }: Fact): z.output<typeof factSchema> {
  return {
    key,
    value: givenText(value ?? '', trust),
    category: category ?? 'general',
    trust,
  };
}

/** Tools for permanent facts (K6). */
export const FACT_TOOLS: readonly AgentTool[] = [rememberFact, recallFacts, forgetFact];
