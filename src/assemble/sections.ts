import type { TokenCounter } from '../language/token-count.ts';
import { attributeLabel, type AttributeTable } from '../record/attributes.ts';
import type { Memory } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { VisibleBlock } from '../store/context-rows.ts';
import type { Attempt } from './gather-request.ts';
import type { Asked, ContextHooks, ContextOptions } from './context-options.ts';
import { defuseImages, oneLine } from './escape.ts';
import { fitSection } from './fit-section.ts';
import { overlap } from './intent.ts';
import { blockItem, entryItems, factItem, fieldItems, jsonItem, memoryItem, turnItem } from './items.ts';
import type { Knowledge } from './knowledge.ts';
import { type History, loadHistory } from './load-history.ts';
import type { GatherRequest, GatherTurn } from './gather-request.ts';
import { applicationItem, type Item, type Material } from './section.ts';

/** The data of the services that the question needs: no other is loaded. */
export async function serviceItems(asked: Asked, { services = {} }: ContextOptions, attempt: Attempt): Promise<Item[]> {
  const needed = asked.intent.services.filter((name) => Object.hasOwn(services, name));
  const load = async (name: string): Promise<Item[]> => {
    const service = services[name];
    const data = await service?.load(asked);
    if (data === null || data === undefined) return [];
    const score = (text: string): number => overlap(asked.intent, text);
    return fieldItems(data, { label: service?.title ?? name, trust: service?.trust ?? 'medium', score });
  };
  return (await Promise.all(needed.map((name) => attempt('services', () => load(name), [])))).flat();
}

/** The structured profile that the application has of the user. */
export async function profileItems(asked: Asked, { structuredProfile }: ContextOptions): Promise<Item[]> {
  const data = (await structuredProfile?.(asked)) ?? null;
  return data === null ? [] : fieldItems(data, { trust: 'medium', score: () => 0 });
}

/** The application's own text, the date and the message. */
export function ownText(
  { options, layout }: GatherRequest,
  { now, message, history }: { now: number; message: string; history: readonly Item[] },
): Material {
  const text = (value: string | undefined): Item[] =>
    value === undefined || value.trim() === '' ? [] : [applicationItem(value.trim())];
  const { identity, directives = [], artifacts = [] } = options;
  const said = message.trim() === '' ? [] : [{ ...applicationItem(message), label: 'user' }];
  return {
    instructions: text(options.instructions),
    capabilities: text(options.capabilities),
    identity: text([identity?.name, identity?.constitution].filter(Boolean).join('\n')),
    directives: directives.map(applicationItem),
    artifacts: artifacts.map(({ title, description }, index) => ({
      ...applicationItem(description === undefined ? title : `${title}: ${description}`),
      score: -index,
    })),
    date: text(dateLine(now, options.timeZone)),
    message: said,
    history: layout.history === 'text' ? [...history, ...said] : history,
  };
}

/** `[Thursday, April 24, 2026 — 09:15 AM Europe/Paris]`: it goes with the user's turn, so that the system prompt caches. */
export function dateLine(now: number, timeZone = 'UTC'): string {
  const { date, time } = formattersOf(timeZone);
  // Newer ICU puts a narrow no-break space before AM.
  return `[${date.format(now)} — ${time.format(now).replace(/\s/gu, ' ')} ${timeZone}]`;
}

interface Formatters {
  date: Intl.DateTimeFormat;
  time: Intl.DateTimeFormat;
}

// Making the two takes a tenth of a millisecond, using them a fiftieth of that.
const formatters = new Map<string, Formatters>();
const MOST_ZONES = 500;

function formattersOf(timeZone: string): Formatters {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = {
    date: new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
    }),
    time: new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', minute: '2-digit', hour12: true }),
  };
  if (formatters.size >= MOST_ZONES) formatters.clear();
  formatters.set(timeZone, made);
  return made;
}

const NO_HISTORY: History = { turns: [], mode: 'chronological' };
// The share of the total that past turns may take where they have no budget of their own.
const SHARE_OF_HISTORY = 0.25;
const DEFAULT_TOTAL = 8000;

/** Past turns, as the options ask for them. */
export async function pastTurns(
  { deps, scope, options, on }: GatherRequest,
  { message, attempt, failed }: GatherTurn,
): Promise<History> {
  if (!on.has('history')) return NO_HISTORY;
  const how = options.history === false ? {} : (options.history ?? {});
  const mode = options.sections?.lookups === false ? 'chronological' : how.mode;
  const past = await attempt('history', () => loadHistory(deps, { ...how, mode, scope, message }), NO_HISTORY);
  if (past.failed !== undefined) failed.push({ section: 'semanticHistory', error: past.failed });
  return past;
}

/** Past turns as items: verbatim, or the older ones in short where the layout has a place for that. */
export async function historyItems(
  { options, budget, counter, on }: GatherRequest,
  { turns }: History,
  { attempt }: GatherTurn,
): Promise<DigestedHistory> {
  const items = turns.map((turn, index) => turnItem(turn, index));
  const drops = options.history !== false && options.history?.older === 'drop';
  if (drops || !on.has('earlier')) return { verbatim: items, earlier: [] };
  const room = budget.sections?.history ?? Math.floor((budget.total ?? DEFAULT_TOTAL) * SHARE_OF_HISTORY);
  const { summarise } = options;
  const bySummary =
    summarise === undefined
      ? null
      : await attempt('earlier', () => digestTurns(items, { budget: room, counter, summarise }), null);
  return bySummary ?? digestTurns(items, { budget: room, counter });
}

/** Turns that stay as they are, and those before them in short. */
export interface DigestedHistory {
  verbatim: Item[];
  earlier: Item[];
}

/** So many turns stay verbatim, whatever they take. */
const ALWAYS_VERBATIM = 4;
// The share of the history's budget that older turns may take in short.
const SHARE_OF_EARLIER = 0.2;
const LONGEST_DIGEST = 160;
const SHORTEST_DIGEST = 24;
const LABEL = 8;
// Tokens for the lines around the section.
const HEADING = 10;

/** When the turns are over their budget: the last ones verbatim, older ones summarised (L12). */
export async function digestTurns(
  turns: readonly Item[],
  { budget, counter, summarise }: { budget: number; counter: TokenCounter } & Pick<ContextHooks, 'summarise'>,
): Promise<DigestedHistory> {
  const tokens = turns.map(({ text }) => counter.count(text));
  if (tokens.reduce((sum, count) => sum + count, 0) <= budget) return { verbatim: [...turns], earlier: [] };
  const room = budget * (1 - SHARE_OF_EARLIER);
  let first = turns.length;
  for (let used = 0; first > 0; first -= 1) {
    used += tokens[first - 1] ?? 0;
    if (used > room && turns.length - first >= ALWAYS_VERBATIM) break;
  }
  const verbatim = turns.slice(first);
  const used = tokens.slice(first).reduce((sum, count) => sum + count, 0);
  const left = Math.max(budget - used - HEADING, 0);
  return { verbatim, earlier: await inShort(turns.slice(0, first), { room: left, counter, summarise }) };
}

async function inShort(
  older: readonly Item[],
  { room, counter, summarise }: { room: number; counter: TokenCounter } & Pick<ContextHooks, 'summarise'>,
): Promise<Item[]> {
  if (older.length === 0 || room === 0) return [];
  if (summarise !== undefined) {
    const text = await summarise(older.map(({ label = 'user', text }) => ({ role: label, text })));
    const item: Item = { text, kind: 'event', id: null, trust: 'medium', score: 0 };
    return fitSection({ items: [item], rule: 'cut', budget: room, reason: '', measure: countOf(counter) }).items;
  }
  // About four characters a token: all of them a little, rather than a few of them in full.
  const longest = Math.min(Math.max(Math.floor((room * 4) / older.length) - LABEL, SHORTEST_DIGEST), LONGEST_DIGEST);
  const lines = older.map((turn) => ({
    ...turn,
    text: `${turn.label === 'agent' ? 'You' : 'User'}: ${beginning(turn.text, longest)}`,
  }));
  return fitSection({ items: lines, rule: 'drop-oldest', budget: room, reason: '', measure: countOf(counter) }).items;
}

function countOf(counter: TokenCounter): (items: readonly Item[]) => number {
  return (items) => counter.count(items.map(({ text }) => `- ${text}`).join('\n'));
}

/** The first sentence, or as much of it as says what it is about. */
function beginning(text: string, longest: number): string {
  const line = oneLine(defuseImages(text));
  const sentence = /^.{20,}?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length <= longest ? sentence : `${sentence.slice(0, longest).trimEnd()}…`.toWellFormed();
}

/** The sections that follow from what is known, without a look at the message. */
export function knownSections(knowledge: Knowledge, attributes: AttributeTable): Material {
  const { blocks, quotes, facts, memories, learnings, reflections } = knowledge;
  const own = (kind: VisibleBlock['kind']): VisibleBlock | undefined =>
    blocks.findLast((block) => block.kind === kind && block.connection === null && block.level !== 'session');
  const text = (kind: VisibleBlock['kind']): Item[] => {
    const block = own(kind);
    return typeof block?.content === 'string' && block.content.trim() !== ''
      ? [{ ...blockItem(block.id, block.content), restsOn: statementsBehind(block, quotes) }]
      : [];
  };
  const scaffold = own('scaffold');
  return {
    facts: facts.map((fact) => factItem(fact, attributeLabel(attributes, fact.attribute ?? ''))),
    profile: text('profile'),
    workingMemory: text('working_memory'),
    scaffold: scaffold === undefined ? [] : entryItems(scaffold.id, scaffold.content),
    learnedInfo: blocks
      .filter(({ kind }) => kind === 'learned_info')
      .flatMap((block) => jsonItem(block.id, block.content, block.connection ?? undefined) ?? []),
    learnings: learnings.map((learning) => memoryItem(learning)),
    memories: memories.map((memory, rank) => memoryItem(memory, -rank)),
    agentReflections: reflectionsOf('agent', blocks, reflections),
    userReflections: reflectionsOf('user', blocks, reflections),
    sessionReflections: reflectionsOf('session', blocks, reflections),
  };
}

/** The statements behind each sentence of a block. An event, which a sentence may rest on, too, quotes nothing. */
function statementsBehind({ restsOn }: VisibleBlock, quotes: Knowledge['quotes']): NonNullable<Item['restsOn']> {
  return new Map([...restsOn].map(([key, ids]) => [key, ids.map((id) => ({ id, quotes: quotes.get(id) ?? [] }))]));
}

/** The merged text of a level, and what waits to be merged into it. */
function reflectionsOf(level: ScopeLevel, blocks: readonly VisibleBlock[], waiting: readonly Memory[]): Item[] {
  const merged = blocks.findLast((block) => block.kind === 'reflections' && block.level === level);
  const recent = waiting.filter((reflection) => levelOf(reflection) === level);
  return [
    ...(typeof merged?.content === 'string' && merged.content.trim() !== ''
      ? [{ ...blockItem(merged.id, merged.content), score: Infinity }]
      : []),
    ...recent.map((reflection, index) => ({ ...memoryItem(reflection, index), label: 'recent' })),
  ];
}

function levelOf({ scope }: Memory): ScopeLevel {
  if (scope.session !== null) return 'session';
  if (scope.user !== null) return 'user';
  return scope.agent === null ? 'tenant' : 'agent';
}
