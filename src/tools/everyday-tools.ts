import { z } from 'zod';
import { givenText } from '../language/inert-text.ts';
import { isNegated } from '../language/quotes.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { attributeLabel, attributeTable, givenKeySchema, snakeCase } from '../record/attribute-table.ts';
import { isMoreTrusted, type Origin, trustOf } from '../record/statement.ts';
import { chatText, ROLE_ORIGINS } from '../record/chat-message.ts';
import { FOLLOW_UP, type Memory, type NewMemory, plannedFor } from '../record/memory.ts';
import { parse, timeSchema } from '../record/parse.ts';
import { provenanceOf } from '../form/check/stated-by.ts';
import { paragraphs } from '../models/prompt.ts';
import { type AgentTool, defineTool, isoTime, reasonOf, rememberedFrom } from './agent-tool.ts';
import type { ToolHandle, ToolTurn } from './agent-tool.ts';
import { searchMemory } from './search-tools.ts';
import { toldValue } from './told-value.ts';

export interface Meant {
  memories: Memory[];
  candidates: Memory[];
}

const MOST_CANDIDATES = 5;
// Minimum similarity of a candidate; related texts have 0.7. A shared word is also enough, because a new memory has no vector yet.
const SIMILAR = 0.6;
const RECORD_ID = /^mem_[0-9a-z]+$/;

/** Plain words are certain only if exactly one memory contains them all. Asking again is better than removing the wrong memory. */
async function meantBy(handle: ToolHandle, what: string): Promise<Meant> {
  if (RECORD_ID.test(what.trim())) return byId(handle, what.trim());
  const keyed = await byKey(handle, what);
  if (keyed.length > 0) return { memories: keyed, candidates: [] };
  const near = await nearest(handle, what);
  const stems = contentStems(what);
  const certain = near.filter(({ content }) => stems.size > 0 && coveredBy(stems, contentStems(content)) === 1);
  return certain.length === 1 ? { memories: certain, candidates: [] } : { memories: [], candidates: near };
}

/** Changes only memories that match with certainty. Intentions are dismissed instead of forgotten. */
export async function forgetMeant(handle: ToolHandle, what: string, actor: 'agent' | 'user'): Promise<Meant> {
  const meant = await meantBy(handle, what);
  const why = { reason: 'forgotten on request', actor };
  for (const memory of meant.memories) {
    if (memory.type === 'intention') await handle.intentions.dismiss(memory.id);
    else await handle.memories.forget(memory.id, why);
  }
  return meant;
}

async function byId(handle: ToolHandle, id: string): Promise<Meant> {
  const memory = await handle.memories.get(id);
  return { memories: memory === null || memory.archivedAt !== null ? [] : [memory], candidates: [] };
}

/** Only the user's own facts. "Phone number" means the key `phone`. */
async function byKey(handle: ToolHandle, what: string): Promise<Memory[]> {
  const key = snakeCase(what.replace(/^(?:my|the user['’]?s?|user['’]s)\s+/i, ''));
  if (key === '') return [];
  const fact = await handle.facts.get(key);
  if (fact === null) return [];
  const facts = await handle.facts.list();
  return facts.filter((other) => other.key === fact.key && other.scope.user === handle.scope.user);
}

async function nearest(handle: ToolHandle, what: string): Promise<Memory[]> {
  const { results } = await handle.recall(what, { sources: ['memories'], limit: 20, abstain: false, track: false });
  const plans = await handle.intentions.list();
  const stems = contentStems(what);
  const planned = plans.filter(({ content }) => coveredBy(stems, contentStems(content)) > 0);
  const found = results
    .filter(({ similarity, text }) => (similarity ?? 0) >= SIMILAR || coveredBy(stems, contentStems(text)) > 0)
    .flatMap(({ memory }) => memory ?? []);
  const own = [...planned, ...found].filter(({ scope }) => scope.user === handle.scope.user);
  return [...new Map(own.map((memory) => [memory.id, memory])).values()].slice(0, MOST_CANDIDATES);
}

// The descriptions alone must let a model choose the right tool. They are short, because every conversation pays for their tokens.

const shortRecord = z.object({ id: z.string(), text: z.string() });
const what = z.string().min(1).max(500).describe('An id, a key like home_city, or plain words');
function shown({ id, content, trust }: Memory): z.output<typeof shortRecord> {
  return { id, text: givenText(content, trust) };
}

const remember: AgentTool = defineTool({
  name: 'remember',
  description: `Save one thing for later conversations: a fact, preference, decision or instruction of the user, or with due
    a reminder. Save what will matter without asking; one call for each thing.`,
  input: z.object({
    text: z.string().min(1).max(5000).describe('A sentence that stands alone, in the user’s language'),
    key: givenKeySchema
      .optional()
      .describe('For a detail with one value, which then replaces the old one: home_city, phone_number'),
    value: z.string().min(1).max(5000).optional().describe('The value under key'),
    due: isoTime.optional().describe('When to bring it up: date or time, ISO 8601'),
    source: z.string().min(1).max(200).optional().describe('The page or tool that says it, if not the user'),
  }),
  output: z.object({
    outcome: z.enum(['saved', 'replaced', 'known', 'kept']),
    memory: shortRecord,
    reason: z.string().optional(),
    also: z.string().optional(),
  }),
  async run(handle, { text, key, value: given, due, source: named }, turn) {
    // With a key alone, the text is its value and not a sentence.
    const sentence = key !== undefined && given === undefined ? undefined : text;
    const value = (given ?? (key === undefined ? text : toldValue(text, key))).trim();
    const claim = key === undefined ? { text } : { text: sentence, key, value };
    const { statedBy, source, events } = await provenanceOf(handle, claim, { source: named, ...turn });
    const why = { reason: rememberedFrom(source), actor: 'agent' };
    if (key !== undefined && due === undefined) {
      const before = await handle.facts.get(key);
      const { memory } = await handle.facts.set({ key, value, text: sentence, statedBy, sourceEvents: events }, why);
      const outcome = outcomeOf(before, memory, value);
      return { outcome, memory: shown(memory), ...reasonOf(outcome) };
    }
    const planned =
      due === undefined
        ? { type: 'fact' }
        : { type: 'intention', tense: 'planned' as const, dueAt: due, state: 'open' };
    const created = { ...planned, content: text, statedBy, sourceEvents: events, read: true };
    const { memory, outcome, others } = await handle.memories.create(created, why);
    // `unchanged` with another value means that the user's own statement was kept, because it is trusted more than the agent's.
    const isDenied = memory.polarity === 'denied' && !isNegated(text);
    const isOther = isDenied || !text.toLowerCase().includes((memory.value ?? '').toLowerCase());
    const result = outcome === 'unchanged' && isOther ? ('kept' as const) : OUTCOMES[outcome];
    const also = others === undefined ? {} : { also: others.map((other) => shown(other).text).join('; ') };
    return { outcome: result, memory: shown(memory), ...reasonOf(result), ...also };
  },
});

const OUTCOMES = { created: 'saved', revised: 'saved', superseded: 'replaced', unchanged: 'known' } as const;

function outcomeOf(before: Memory | null, now: Memory, value: string): 'saved' | 'replaced' | 'known' | 'kept' {
  if (before === null || now.tense === 'planned') return 'saved';
  if (before.id !== now.id) return 'replaced';
  return now.value === value ? 'known' : 'kept';
}

const forget: AgentTool = defineTool({
  name: 'forget',
  description: `Take something out of memory because the user asks for it. If several things could be meant, nothing is
    forgotten and candidates are listed: call again with an id.`,
  input: z.object({ what }),
  output: z.object({ forgotten: z.array(shortRecord), candidates: z.array(shortRecord).optional() }),
  async run(handle, input) {
    const { memories, candidates } = await forgetMeant(handle, input.what, 'agent');
    return { forgotten: memories.map(shown), ...(memories.length > 0 ? {} : { candidates: candidates.map(shown) }) };
  },
});

const correction = z.object({
  what,
  text: z.string().min(1).max(5000).optional().describe('The right sentence, or the new value of a key'),
  due: isoTime.optional().describe('When to bring it up instead'),
  done: z.boolean().optional().describe('The user has done it'),
  source: z.string().min(1).max(200).optional().describe('Who says so, if not the user'),
});

const correct: AgentTool = defineTool({
  name: 'correct',
  description: `Change something remembered that is wrong or has changed, or that a reminder is done or due at another time.`,
  input: correction,
  output: z.object({
    outcome: z.enum(['corrected', 'kept', 'unclear', 'unknown']),
    memory: shortRecord.optional(),
    reason: z.string().optional(),
    candidates: z.array(shortRecord).optional(),
  }),
  async run(handle, input, turn) {
    const { memories, candidates } = await meantBy(handle, input.what);
    const [memory] = memories;
    if (memory === undefined || memories.length > 1) {
      const several = memories.length > 1 ? memories : candidates;
      const outcome = several.length > 0 ? 'unclear' : 'unknown';
      return { outcome, candidates: several.map(shown) } as const;
    }
    const changed = await corrected(handle, memory, input, turn);
    return changed === null
      ? { outcome: 'kept' as const, memory: shown(memory), ...reasonOf('kept') }
      : { outcome: 'corrected' as const, memory: shown(changed) };
  },
});

/** Returns null if the correction is trusted less than the memory: it replaces a user's statement only if the user's own turns state it. */
async function corrected(
  handle: ToolHandle,
  memory: Memory,
  { text, due, done, source }: z.output<typeof correction>,
  turn: ToolTurn,
): Promise<Memory | null> {
  const isIntention = memory.type === 'intention';
  if (done === true && isIntention) return handle.intentions.done(memory.id);
  const reworded = text === undefined ? memory : await rewordedBy(handle, memory, { text, source }, turn);
  // `due` takes precedence over a day in the text.
  const isMoved = due !== undefined && isIntention && reworded !== null;
  return isMoved ? handle.intentions.snooze(reworded.id, due) : reworded;
}

async function rewordedBy(
  handle: ToolHandle,
  memory: Memory,
  { text, source }: { text: string; source: string | undefined },
  turn: ToolTurn,
): Promise<Memory | null> {
  const { type, subject, attribute, category, permanent, tags, title, dueAt, state } = memory;
  const said = attribute === null ? text : toldValue(text, attribute, memory);
  const claim = attribute === null ? { text } : { key: attribute, value: said };
  const { statedBy, events } = await provenanceOf(handle, { ...claim, corrects: memory }, { source, ...turn });
  if (isMoreTrusted(memory.trust, trustOf(statedBy))) return null;
  const stays = { type, subject, attribute, category, permanent, tags, title, dueAt, state };
  // An appointment's value is only its day, so the text is kept to name the appointment.
  const isInWords = attribute === null || (said !== text && plannedFor(memory) !== null);
  const content = isInWords ? text : `${attributeLabel(attributeTable(), attribute)}: ${said}`;
  const value = attribute === null ? {} : { value: said };
  const next: NewMemory = { ...stays, ...value, content, statedBy, sourceEvents: events, read: true };
  const why = { reason: 'corrected', actor: 'agent', as: 'contradicted', asked: true } as const;
  return handle.memories.supersede(memory.id, next, why);
}

const getContext: AgentTool = defineTool({
  name: 'get_context',
  description: `What is known about the user, as one text: profile, lasting facts, what matters most, and what fits the message.
    Call it at the start of a conversation.`,
  input: z.object({
    message: z.string().max(20_000).optional().describe('What the user says'),
    tokens: z.number().int().min(100).max(20_000).default(1500),
  }),
  output: z.object({ context: z.string() }),
  // The layout has already escaped stored text. JSON would also escape the layout's tags, which costs tokens.
  textOf: ({ context }) => String(context),
  async run(handle, { message, tokens }) {
    const { system, beforeMessage } = await handle.context({ message, budget: tokens, history: false });
    return { context: paragraphs([system, beforeMessage]) };
  },
});

const loggedText = z.string().min(1).max(100_000);
const ROLES: Partial<Record<Origin, string>> = { user: 'user', agent: 'assistant', tool: 'tool', document: 'tool' };

function originOf(role: unknown): Origin | undefined {
  return ROLE_ORIGINS[String(role).trim().toLowerCase()];
}

/** `observe` does not store system messages either. The schema that a model sees does not list this role. */
function withoutSystem(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.filter((message: { role?: unknown } | null) => originOf(message?.role) !== 'system');
}

const logConversation: AgentTool = defineTool({
  name: 'log_conversation',
  description: `Keep turns of this conversation word for word; memories are made of them in the background. Give each turn
    once, as it was said.`,
  input: z.object({
    messages: z.preprocess(
      withoutSystem,
      z
        .array(
          z.object({
            // The same synonyms as in `observe`, which refuses other roles too.
            role: z.preprocess(
              (role) => ROLES[originOf(role) ?? 'system'] ?? role,
              z.enum(['user', 'assistant', 'tool']),
            ),
            content: z.preprocess((content) => (Array.isArray(content) ? chatText(content) : content), loggedText),
          }),
        )
        .min(1)
        .max(200),
    ),
  }),
  output: z.object({ logged: z.number() }),
  async run(handle, { messages }) {
    const { events } = await handle.observe({ messages });
    return { logged: events.length };
  },
});

const DATE_LENGTH = 'YYYY-MM-DD'.length;

const listDue: AgentTool = defineTool({
  name: 'list_due',
  description:
    'The user’s open reminders and plans with their dates, the longest due first. To close or move one, use correct.',
  input: z.object({ until: isoTime.optional().describe('Default: all that are open') }),
  output: z.object({ due: z.array(shortRecord.extend({ due: z.string().describe('Empty: no day was said') })) }),
  async run(handle, { until }) {
    const last = until?.length === DATE_LENGTH ? `${until}T23:59:59Z` : until;
    const end = last === undefined ? Infinity : parse(timeSchema, last, 'until').getTime();
    // Also planned statements such as "Has a dentist appointment on 4 May". Only `dueAt` has the time of day.
    const items = (await handle.intentions.list({ plans: true }))
      .map((item) => ({ item, at: item.dueAt ?? plannedFor(item) }))
      .filter(({ at }) => Number(at) <= end)
      .slice(0, 50);
    // Nobody has stated the default day on which an intention is brought up again.
    const dayOf = (item: Memory, at: Date | null): string =>
      item.internal['due'] === FOLLOW_UP ? '' : (at?.toISOString() ?? '');
    return { due: items.map(({ item, at }) => ({ ...shown(item), due: dayOf(item, at) })) };
  },
});

/** Few enough to be part of every conversation. */
export const EVERYDAY_TOOLS: readonly AgentTool[] = [
  searchMemory,
  remember,
  forget,
  correct,
  getContext,
  logConversation,
  listDue,
];
