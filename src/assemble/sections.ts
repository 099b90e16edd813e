import { messageOf } from '../errors.ts';
import { dayOf } from '../language/calendar.ts';
import { defuseImages, oneLine, textByTrust } from '../language/inert-text.ts';
import { dueOn } from '../language/due.ts';
import { redactSensitive } from '../language/privacy-policy.ts';
import type { RecallOptions } from '../recall/recall-options.ts';
import { recall } from '../recall/recall.ts';
import { cached } from '../record/cache.ts';
import { DAY } from '../record/clock.ts';
import { type Event, isBlank } from '../record/event.ts';
import { typesThat } from '../record/memory-types.ts';
import { listEvents } from '../store/event-store.ts';
import { listMemories } from '../store/read-memories.ts';
import { type Gathering, LONGEST_QUERY } from './assemble-deps.ts';
import type { Asked, ContextHooks, HistoryOptions } from './context-options.ts';
import { fitSection } from './fit-section.ts';
import { totalOf } from './layout.ts';
import {
  applicationItem,
  fieldItems,
  type Item,
  type Material,
  memoryItem,
  textWithSpeaker,
  turnItem,
} from './section.ts';
import { indexWords, type TokenCounter } from '../language/words.ts';

export async function serviceItems({ options, attempt }: Gathering, asked: Asked): Promise<Item[]> {
  const { services = {} } = options;
  const needed = asked.intent.services.filter((name) => Object.hasOwn(services, name));
  const load = async (name: string): Promise<Item[]> => {
    const service = services[name];
    const data = await service?.load(asked);
    if (data === null || data === undefined) return [];
    const score = (text: string): number => {
      const has = new Set(indexWords(text));
      return asked.intent.words.filter((word) => has.has(word)).length;
    };
    return fieldItems(data, { label: service?.title ?? name, trust: service?.trust ?? 'medium', score });
  };
  return (await Promise.all(needed.map((name) => attempt('services', () => load(name), [])))).flat();
}

export async function profileItems({ options }: Gathering, asked: Asked): Promise<Item[]> {
  const data = (await options.structuredProfile?.(asked)) ?? null;
  return data === null ? [] : fieldItems(data, { trust: 'medium', score: () => 0 });
}

/** Two days, because a day stated in another time zone may begin up to 26 hours after the same day in the user's time zone. */
const AHEAD = 2 * DAY;

/** Today's intentions come first, ordered by time, then the overdue ones. */
export async function intentionItems({ deps, scope, now, timeZone }: Gathering): Promise<Item[]> {
  const types = typesThat(deps.memoryTypes, ({ section }) => section === 'intentions');
  const { items } = await deps.database.readReplica(scope, (reader) =>
    listMemories(reader, scope, { types, dueBefore: new Date(now + AHEAD), limit: 50 }, { now }),
  );
  const at = { now: new Date(now), timeZone };
  return items
    .flatMap((memory) => {
      const due = dueOn(memory, deps.memoryTypes.get(memory.type), at);
      return due === null || memory.dueAt === null ? [] : [{ memory, due, dueAt: memory.dueAt }];
    })
    .sort(
      (one, other) =>
        Number(one.due !== 'today') - Number(other.due !== 'today') || Number(one.dueAt) - Number(other.dueAt),
    )
    .slice(0, 5)
    .map(({ memory, due, dueAt }) => {
      const note = due === 'today' ? '' : ` (${LATE[due]} ${dayOf(memory, dueAt)})`;
      return { ...memoryItem(memory), text: textByTrust(memory.content, memory.trust) + note };
    });
}

const LATE = { overdue: 'overdue since', passed: 'was planned for' };

export function ownText({ options, layout, now, message, timeZone }: Gathering, history: readonly Item[]): Material {
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
    date: text(dateLine(now, timeZone)),
    message: said,
    history: layout.history === 'text' ? [...history, ...said] : history,
  };
}

/** Such as `[Thursday, April 24, 2026 — 09:15 AM Europe/Paris]`. It is in the user's turn, so that the system prompt can be cached. */
function dateLine(now: number, timeZone: string): string {
  const { date, time } = formattersOf(timeZone);
  // Newer versions of ICU write a narrow no-break space before AM.
  return `[${date.format(now)} — ${time.format(now).replace(/\s/gu, ' ')} ${timeZone}]`;
}

// Creating a formatter costs fifty times as much as using it.
const MOST_ZONES = 500;
const DATE = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', hour12: true } as const;
const formattersOf = cached(MOST_ZONES, (timeZone) => ({
  date: new Intl.DateTimeFormat('en-US', { timeZone, ...DATE }),
  time: new Intl.DateTimeFormat('en-US', { timeZone, ...TIME }),
}));

// Past turns may take this share of the total if they have no budget of their own.
const SHARE_OF_HISTORY = 0.25;

/** Reads past turns, oldest first: those of the session, or of the user if there is no session. */
export async function pastTurns(gathering: Gathering): Promise<Event[]> {
  const { options, on, attempt } = gathering;
  if (!on.has('history')) return [];
  const how = options.history === false ? {} : (options.history ?? {});
  const isSemantic = how.mode === 'semantic' && options.sections?.lookups !== false;
  return attempt('history', () => (isSemantic ? relevantHistory(gathering, how) : lastTurns(gathering, how)), []);
}

/** All turns stay verbatim unless the layout has a section for earlier turns, which gets digests of the older ones. */
export async function historyItems(
  { deps, options, budget, counter, on, attempt }: Gathering,
  turns: readonly Event[],
): Promise<DigestedHistory> {
  const items = turns.map((turn, index) => turnItem(turn, index));
  const texts = options.history === false ? undefined : options.history?.given;
  if (texts !== undefined) {
    const conversation = redactSensitive(texts.join('\n'), deps.privacy);
    return { verbatim: [], earlier: [], given: items.filter(({ text }) => conversation.includes(text.trim())) };
  }
  const drops = options.history !== false && options.history?.older === 'drop';
  if (drops || !on.has('earlier')) return { verbatim: items, earlier: [] };
  const room = budget.sections?.history ?? Math.floor(totalOf(budget) * SHARE_OF_HISTORY);
  const { summarise } = options;
  const bySummary =
    summarise === undefined
      ? null
      : await attempt('earlier', () => digestTurns(items, { budget: room, counter, summarise }), null);
  return bySummary ?? digestTurns(items, { budget: room, counter });
}

interface DigestedHistory {
  verbatim: Item[];
  earlier: Item[];
  given?: Item[];
}

const ALWAYS_VERBATIM = 4;
// Digests of older turns may take this share of the history's budget.
const SHARE_OF_EARLIER = 0.2;
const LONGEST_DIGEST = 160;
const SHORTEST_DIGEST = 24;
const LABEL = 8;
// The tokens of the lines around the section.
const HEADING = 10;

interface Digesting extends Pick<ContextHooks, 'summarise'> {
  budget: number;
  counter: TokenCounter;
}

async function digestTurns(
  turns: readonly Item[],
  { budget, counter, summarise }: Digesting,
): Promise<DigestedHistory> {
  const tokens = turns.map(({ text }) => counter.count(text));
  if (tokens.reduce((sum, count) => sum + count, 0) <= budget) return { verbatim: [...turns], earlier: [] };
  const room = budget * (1 - SHARE_OF_EARLIER);
  let first = turns.length;
  for (let used = 0; first > 0; first -= 1) {
    used += tokens[first - 1] ?? 0;
    if (used > room && turns.length - first >= ALWAYS_VERBATIM) break;
  }
  const used = tokens.slice(first).reduce((sum, count) => sum + count, 0);
  const left = Math.max(budget - used - HEADING, 0);
  const earlier = await inShort(turns.slice(0, first), { budget: left, counter, summarise });
  return { verbatim: turns.slice(first), earlier };
}

async function inShort(older: readonly Item[], { budget: room, counter, summarise }: Digesting): Promise<Item[]> {
  if (older.length === 0 || room === 0) return [];
  if (summarise !== undefined) {
    const text = await summarise(older.map((turn) => ({ role: turn.label ?? 'user', text: textWithSpeaker(turn) })));
    const item: Item = { text, kind: 'event', id: null, trust: 'medium', score: 0 };
    return fitSection({ items: [item], rule: 'cut', budget: room, reason: '', measure: countOf(counter) }).items;
  }
  // Shows a part of each older turn rather than a few completely. Four characters make about one token.
  const longest = Math.min(Math.max(Math.floor((room * 4) / older.length) - LABEL, SHORTEST_DIGEST), LONGEST_DIGEST);
  const lines = older.map((turn) => ({
    ...turn,
    speaker: undefined,
    text: `${turn.speaker ?? (turn.label === 'agent' ? 'You' : 'User')}: ${beginning(turn.text, longest)}`,
  }));
  return fitSection({ items: lines, rule: 'drop-oldest', budget: room, reason: '', measure: countOf(counter) }).items;
}

function countOf(counter: TokenCounter): (items: readonly Item[]) => number {
  return (items) => counter.count(items.map(({ text }) => `- ${text}`).join('\n'));
}

function beginning(text: string, longest: number): string {
  const line = oneLine(defuseImages(text));
  const sentence = /^.{20,}?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length <= longest ? sentence : `${sentence.slice(0, longest).trimEnd()}…`.toWellFormed();
}

const DEFAULT_TURNS = 40;

/** If the search fails, more of the last exchanges replace the relevant ones. */
async function relevantHistory(gathering: Gathering, how: HistoryOptions): Promise<Event[]> {
  const { recent = 3, relevant = 3 } = how;
  const exchanges = toExchanges(await lastTurns(gathering, how));
  const last = recent === 0 ? [] : exchanges.slice(-recent).flat();
  try {
    const older = await relevantTurns(gathering, { ...how, relevant }, last);
    return [...new Map([...older, ...last].map((turn) => [turn.id, turn])).values()];
  } catch (error) {
    gathering.failed.push({ section: 'semanticHistory', error: messageOf(error) });
    return exchanges.slice(-(recent + relevant)).flat();
  }
}

async function lastTurns(
  { deps, scope, message }: Gathering,
  { given = [], turns = Math.max(given.length, DEFAULT_TURNS) }: HistoryOptions,
): Promise<Event[]> {
  if (turns === 0 || (scope.session === null && scope.user === null)) return [];
  const { events } = await deps.database.read(scope.tenant, (reader) =>
    listEvents(reader, scope, {
      kinds: ['message'],
      session: scope.session ?? undefined,
      order: 'newest',
      limit: turns + 1,
    }),
  );
  const spoken = events
    .filter((event) => (event.origin === 'user' || event.origin === 'agent') && !isBlank(event))
    .map((event) => ({ ...event, content: redactSensitive(event.content, deps.privacy) }))
    .reverse();
  // This turn's message may have been observed already.
  if (spoken.at(-1)?.origin === 'user' && spoken.at(-1)?.content === redactSensitive(message, deps.privacy))
    spoken.pop();
  return spoken.slice(-turns);
}

/** Each exchange begins with a user's turn. */
function toExchanges(turns: readonly Event[]): Event[][] {
  const exchanges: Event[][] = [];
  for (const turn of turns) {
    const current = exchanges.at(-1);
    if (current === undefined || turn.origin === 'user') exchanges.push([turn]);
    else current.push(turn);
  }
  return exchanges;
}

async function relevantTurns(
  { deps, scope, message }: Gathering,
  { minimumSimilarity = 0.6, relevant: limit }: HistoryOptions & { relevant: number },
  recent: readonly Event[],
): Promise<Event[]> {
  if (limit === 0 || message.trim() === '') return [];
  const query = message.slice(0, LONGEST_QUERY).toWellFormed();
  const how: RecallOptions = {
    mode: 'semantic',
    sources: ['events'],
    filter: { types: ['message'], origins: ['user', 'agent'] },
    minimumSimilarity,
    recencyBoost: true,
    neighbours: 1,
    limit: 50,
    track: false,
  };
  const recalled = await recall(deps, scope, query, how, { isOfUser: true });
  if (recalled.degraded.length > 0) throw new Error(recalled.degraded.join('; '));
  const known = new Set(recent.map(({ id }) => id));
  const exchanges: Event[][] = [];
  for (const { event, before, after } of recalled.results) {
    if (event === null || known.has(event.id) || exchanges.length === limit) continue;
    if (event.content === message) continue;
    const spokenBy = (turns: readonly Event[], speaker: 'user' | 'agent'): Event[] =>
      turns.filter(({ kind, origin }) => kind === 'message' && origin === speaker);
    const pair =
      event.origin === 'user'
        ? [event, ...spokenBy(after, 'agent').slice(0, 1)]
        : [...spokenBy(before, 'user').slice(-1), event];
    for (const turn of pair) known.add(turn.id);
    exchanges.push(pair);
  }
  return exchanges.flat().sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime());
}
