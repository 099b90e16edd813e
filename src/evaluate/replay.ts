import type { Handle } from '../handle/handle.ts';
import { HOUR, manualClock, type ManualClock } from '../record/clock.ts';
import { MEMORY_TYPES } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import type { Page } from '../store/rows.ts';
import { createVarve, type Varve, type VarveOptions } from '../varve.ts';
import type { SaidStatement } from './says.ts';
import type { Conversation, Session, Turn } from './conversation.ts';

/** A conversation during its replay: the open store, and the turn behind each event. */
export interface Replay {
  conversation: Conversation;
  varve: Varve;
  clock: ManualClock;
  /** Maps the id of each event or memory to the id of its turn or stored fact. */
  turnOf: Map<string, string>;
  /** Returns the user's handle. Questions are asked in a separate session. */
  handle(session?: string): Handle;
}

/** Callbacks during the replay. */
export interface ReplayHooks {
  afterTurn?(replay: Replay, turn: Turn, place: { session: Session; index: number }): Promise<void>;
  afterSession?(replay: Replay, session: Session): Promise<void>;
  atEnd?(replay: Replay): Promise<void>;
}

const SPACING = 40_000;
const NIGHT = 20 * HOUR;
/** The start of a conversation if its data set has no dates. */
const BEGINNING = Date.UTC(2026, 0, 5, 9);

/**
 * Replays a conversation. Turns are observed at their own times, background work runs when it is due, and each session is closed and
 * followed by a night. The clock is simulated, so nothing has to wait. By default, the store is in memory.
 */
export async function replay(
  conversation: Conversation,
  options: VarveOptions = {},
  hooks: ReplayHooks = {},
): Promise<void> {
  const state = await openReplay(conversation, options);
  try {
    await play(state, hooks);
  } finally {
    await state.varve.close();
  }
}

/** Opens the store for a replay, before its first turn. The caller closes it. */
export async function openReplay(conversation: Conversation, options: VarveOptions = {}): Promise<Replay> {
  const clock = manualClock(conversation.sessions[0]?.start?.getTime() ?? BEGINNING);
  const varve = await createVarve({ store: ':memory:', background: false, tracing: false, ...options, clock });
  const scope = { agent: 'assistant', user: conversation.id };
  return {
    conversation,
    varve,
    clock,
    turnOf: new Map(),
    handle: (session) => varve.for(session === undefined ? scope : { ...scope, session }),
  };
}

/** Replays a conversation in an open store. */
export async function play(state: Replay, hooks: ReplayHooks = {}): Promise<void> {
  await storeFacts(state);
  for (const session of state.conversation.sessions) {
    await playSession(state, session, hooks);
    await hooks.afterSession?.(state, session);
  }
  await hooks.atEnd?.(state);
}

async function storeFacts({ conversation, handle, turnOf, varve }: Replay): Promise<void> {
  for (const { id, text } of conversation.facts) {
    const memory = await handle().memories.create({ type: 'fact', content: text });
    turnOf.set(memory.memory.id, id);
  }
  if (conversation.facts.length > 0) await varve.drain();
}

async function playSession(state: Replay, session: Session, hooks: ReplayHooks): Promise<void> {
  const { clock, varve, turnOf } = state;
  const start = Math.max(clock.now(), session.start?.getTime() ?? 0);
  const handle = state.handle(session.id);
  const isGroup = speakersOf(state.conversation).size > 1;
  // Background work that is due between two sessions runs before the second session begins.
  clock.set(Math.max(clock.now(), start - SPACING));
  await varve.drain();
  for (const [index, turn] of session.turns.entries()) {
    clock.set(Math.max(clock.now(), turn.at?.getTime() ?? start + index * SPACING));
    const { events } = await handle.observe([
      {
        content: turn.text,
        origin: ({ user: 'user', assistant: 'agent', tool: 'tool' } as const)[turn.role],
        ...(turn.role === 'tool' ? { kind: 'tool_result' as const } : {}),
        ...(isGroup && turn.role === 'user' ? { speaker: turn.speaker } : {}),
      },
    ]);
    turnOf.set(events[0]?.id ?? '', turn.id);
    if (index % 4 === 3) await varve.drain();
    await hooks.afterTurn?.(state, turn, { session, index });
  }
  await handle.session.close();
  await varve.drain();
  clock.advance(NIGHT);
  await varve.drain();
}

/** Returns the names of everyone who speaks as the user. Names are recorded only if there are several speakers. */
function speakersOf({ sessions }: Conversation): Set<string> {
  return new Set(
    sessions.flatMap(({ turns }) => turns.filter(({ role }) => role === 'user').map(({ speaker }) => speaker)),
  );
}

/** A live statement in the store, with the turns behind it. */
export interface LiveStatement extends SaidStatement {
  memory: Memory;
}

/** Returns the live statements that a reader formed from events. */
export async function liveStatements({ handle, turnOf }: Replay): Promise<LiveStatement[]> {
  const live: Memory[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Memory> = await handle().memories.list({ limit: 100, cursor });
    live.push(...page.items);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return live
    .filter((memory) => MEMORY_TYPES[memory.type]?.formable === true && memory.sourceEvents.length > 0)
    .map((memory) => ({
      memory,
      text: memory.content,
      value: memory.value,
      turns: memory.sourceEvents.flatMap((id) => turnOf.get(id) ?? []),
    }));
}

/** Returns the texts of a conversation's turns and stored facts, by id. */
export function turnTexts({ sessions, facts }: Conversation): Map<string, string> {
  return new Map([...sessions.flatMap(({ turns }) => turns), ...facts].map(({ id, text }) => [id, text]));
}
