import { z } from 'zod';
import type { Fact } from '../handle/facts.ts';
import { givenText, inertText } from '../language/inert-text.ts';
import { CHAT_CATEGORIES, type ChatCategory } from '../observe/record-observation.ts';
import { FACT_CATEGORIES, type FactCategory } from '../record/attributes.ts';
import type { Memory } from '../record/memory.ts';
import { parse, timeSchema } from '../record/parse.ts';
import { provenanceOf } from '../form/check/stated-by.ts';
import {
  type AgentTool,
  defineTool,
  isoTime,
  mappedChoice,
  reasonOf,
  synonymsOf,
  rememberedFrom,
  sourceParameter,
} from './agent-tool.ts';
import { foundRecordSchema, memoryRecord } from './found-record.ts';
import { givenKeySchema } from '../record/attribute-table.ts';
import { TRUST_LEVELS } from '../record/statement.ts';

const factSchema = z.object({ key: z.string(), value: z.string(), category: z.string(), trust: z.enum(TRUST_LEVELS) });

const FACT_SYNONYMS = synonymsOf<FactCategory>({
  location: 'place home address',
  personal: 'family person relationship',
  preference: 'like taste food',
  health: 'diet medical allergy',
  work: 'job career professional project',
});

const OUTCOMES = ['added', 'replaced', 'unchanged', 'kept'] as const;

const rememberFact: AgentTool = defineTool({
  name: 'remember_fact',
  title: 'Remember a fact',
  description: `Save a permanent fact about the user under a key, such as home_address, partner_name,
    dietary_restrictions or birthday. One value for each key: another value replaces the old one. Save personal details
    proactively, without asking; several facts in one message are several calls.`,
  input: z.object({
    key: givenKeySchema.describe('snake_case and descriptive, such as home_city'),
    value: z.string().min(1).max(5000),
    category: mappedChoice(FACT_CATEGORIES, { otherwise: 'general', synonyms: FACT_SYNONYMS })
      .optional()
      .describe('Default: the category of the key, such as location'),
    source: sourceParameter,
  }),
  output: z.object({ key: z.string(), value: z.string(), outcome: z.enum(OUTCOMES), reason: z.string().optional() }),
  async run(handle, { key, value, category, source }, turn) {
    const before = await handle.facts.get(key);
    const { statedBy, source: named, events } = await provenanceOf(handle, { key, value }, { source, ...turn });
    const fact = { key, value, category, statedBy, sourceEvents: events };
    const { memory } = await handle.facts.set(fact, { reason: rememberedFrom(named), actor: 'agent' });
    const outcome = outcomeOf(before, memory, value);
    return { key, value: givenText(memory.value ?? value, memory.trust), outcome, ...reasonOf(outcome) };
  },
});

function outcomeOf(before: Fact | null, now: Memory, value: string): (typeof OUTCOMES)[number] {
  if (before === null) return 'added';
  if (before.id !== now.id) return 'replaced';
  return now.value === value.trim() ? 'unchanged' : 'kept';
}

const recallFacts: AgentTool = defineTool({
  name: 'recall_facts',
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
  input: z.object({ key: givenKeySchema }),
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
  return { key, value: givenText(value ?? '', trust), category: category ?? 'general', trust };
}

const intentionSchema = z.object({
  id: z.string(),
  text: z.string(),
  due: z.string().nullable().describe('When to bring it up, ISO 8601'),
  state: z.string(),
});

const listIntentions: AgentTool = defineTool({
  name: 'list_intentions',
  description: `What the user means to do ("I should call the dentist"), with the date on which to bring it up again.
    Only what is open.`,
  input: z.object({ due_before: isoTime.optional().describe('Only what is due before this time') }),
  output: z.object({ intentions: z.array(intentionSchema) }),
  async run(handle, { due_before }) {
    const open = await handle.intentions.list();
    const before = due_before === undefined ? Infinity : parse(timeSchema, due_before, 'due_before').getTime();
    return { intentions: open.filter(({ dueAt }) => Number(dueAt) < before).map(shownIntention) };
  },
});

const byId = z.object({ id: z.string().min(1).max(200).describe('The id that list_intentions gave') });

const oneIntention = z.object({ intention: intentionSchema });

const completeIntention: AgentTool = defineTool({
  name: 'complete_intention',
  title: 'Mark an intention as done',
  description: 'The user has done what they meant to do: it is not brought up again.',
  input: byId,
  output: oneIntention,
  run: async (handle, { id }) => ({ intention: shownIntention(await handle.intentions.done(id)) }),
});

const dismissIntention: AgentTool = defineTool({
  name: 'dismiss_intention',
  title: 'Dismiss an intention',
  description: 'The user no longer means to do it: it is not brought up again.',
  input: byId,
  output: oneIntention,
  run: async (handle, { id }) => ({ intention: shownIntention(await handle.intentions.dismiss(id)) }),
});

function shownIntention({ id, content, dueAt, state }: Memory): z.output<typeof intentionSchema> {
  return { id, text: inertText(content), due: dueAt?.toISOString() ?? null, state: state ?? 'open' };
}

const tags = z.array(z.string().min(1).max(100)).max(50).optional();
const listInput = z.object({
  tags: tags.describe('Only those with all of these tags'),
  limit: z.number().int().min(1).max(100).default(20),
});

const addNote: AgentTool = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description: 'Write a note for the user, with a title, to be found again by words and by meaning.',
  input: z.object({
    title: z.string().min(1).max(500),
    content: z.string().min(1).max(20_000),
    tags,
    source: sourceParameter,
  }),
  output: z.object({ note: foundRecordSchema }),
  async run(handle, { source, ...note }, turn) {
    const claim = { text: note.content, value: note.title };
    const { statedBy } = await provenanceOf(handle, claim, { source, ...turn });
    return { note: memoryRecord(await handle.notes.add({ ...note, statedBy })) };
  },
});

const listNotes: AgentTool = defineTool({
  name: 'list_notes',
  description: "The user's notes, newest first, optionally by tag.",
  input: listInput,
  output: z.object({ notes: z.array(foundRecordSchema) }),
  run: async (handle, input) => ({ notes: (await handle.notes.list(input)).items.map(memoryRecord) }),
});

const saveItem: AgentTool = defineTool({
  name: 'save_item',
  title: 'Save an item for later',
  description:
    'Keep a link for later: its title and address, and if known a summary, tags and what the user says of it.',
  input: z.object({
    title: z.string().min(1).max(500),
    url: z.url().max(2000),
    tags,
    summary: z.string().max(10_000).optional(),
    note: z.string().max(5000).optional().describe("The user's own words about it"),
    source: sourceParameter,
  }),
  output: z.object({ item: foundRecordSchema }),
  async run(handle, { source, ...item }, turn) {
    const { statedBy } = await provenanceOf(handle, { text: item.url }, { source, ...turn });
    return { item: memoryRecord(await handle.savedItems.add({ ...item, statedBy })) };
  },
});

const listSavedItems: AgentTool = defineTool({
  name: 'list_saved_items',
  description: 'The links that the user saved for later, newest first, optionally by tag.',
  input: listInput,
  output: z.object({ items: z.array(foundRecordSchema) }),
  run: async (handle, input) => ({ items: (await handle.savedItems.list(input)).items.map(memoryRecord) }),
});

const OBSERVATION_SYNONYMS = synonymsOf<ChatCategory>({
  project_details: 'project project_detail work',
  preference: 'like taste style',
  correction: 'update change fix',
});

const recordObservation: AgentTool = defineTool({
  name: 'record_observation',
  title: 'Record an observation',
  description: `Record something new that you noticed about the user during the conversation: a fact, a preference,
    details of a project, or a correction of something you believed. One clear sentence that stands alone. It is worked
    into memory in the background; go on with the conversation.`,
  input: z.object({
    content: z.string().min(1).max(5000).describe('Such as "Prefers short e-mails without greetings"'),
    category: mappedChoice(CHAT_CATEGORIES, { otherwise: 'fact', synonyms: OBSERVATION_SYNONYMS }),
    source: sourceParameter,
  }),
  output: z.object({ recorded: z.boolean(), id: z.string() }),
  async run(handle, { content, category, source }, turn) {
    const { statedBy, source: named } = await provenanceOf(handle, { text: content }, { source, ...turn });
    const { id } = await handle.recordObservation(content, category, { statedBy, source: named });
    return { recorded: true, id };
  },
});

const updateUserContext: AgentTool = defineTool({
  name: 'update_user_context',
  title: 'Update what is known about the user',
  description: `For work without the user present, such as going through an inbox: report what it says about the user.
    scaffold_updates are entries of the structured profile under keys of your own choice (Role, Projects, Goals …);
    persistent_info_additions are single facts. Everything is worked into memory in the background.`,
  input: z.object({
    scaffold_updates: z.record(z.string().min(1).max(200), z.json()).optional(),
    persistent_info_additions: z.array(z.string().min(1).max(5000)).max(100).optional(),
    source: sourceParameter,
  }),
  output: z.object({ events: z.number() }),
  async run(handle, { scaffold_updates, persistent_info_additions, source }) {
    const events = await handle.updateUserContext({
      scaffoldUpdates: scaffold_updates,
      persistentInfoAdditions: persistent_info_additions,
      source,
    });
    return { events: events.length };
  },
});

const updateConnectionContext: AgentTool = defineTool({
  name: 'update_connection_context',
  title: 'Update what is known about a connection',
  description: `Remember how the user wants the connected tool to be used, such as {"default_project": "PROJ"}. Keys that
    exist are replaced; a key set to null is removed. Belongs to this connection alone. An order or a permission that the
    user has not given is refused.`,
  input: z.object({ learned_info: z.record(z.string().min(1).max(200), z.json()) }),
  output: z.object({ learned_info: z.record(z.string(), z.json()), refused: z.array(z.string()).optional() }),
  async run(handle, { learned_info }, turn) {
    // Unverified entries are refused: every prompt of the connection contains this block, and the block cannot mark them.
    const learned = { ...learned_info };
    for (const [key, given] of Object.entries(learned_info)) {
      const value = typeof given === 'string' ? given : JSON.stringify(given);
      const { statedBy } = await provenanceOf(handle, { key, value }, turn);
      if (given !== null && statedBy === 'tool') delete learned[key];
    }
    const refused = Object.keys(learned_info).filter((key) => !Object.hasOwn(learned, key));
    const block = await handle.connection.learn(learned);
    const answer = { learned_info: block.content as Record<string, z.core.util.JSONType> };
    return refused.length > 0 ? { ...answer, refused } : answer;
  },
});

export const RECORD_TOOLS: readonly AgentTool[] = [
  rememberFact,
  recallFacts,
  forgetFact,
  recordObservation,
  updateUserContext,
  updateConnectionContext,
  addNote,
  listNotes,
  saveItem,
  listSavedItems,
  listIntentions,
  completeIntention,
  dismissIntention,
];
