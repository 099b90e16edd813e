import type { Handle } from '../handle/handle.ts';
import { HOUR, manualClock, type ManualClock } from '../record/clock.ts';
import { MEMORY_TYPES } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import type { Page } from '../store/rows.ts';
import { createVarve, type Varve, type VarveOptions } from '../varve.ts';
import type { SaidStatement } from './says.ts';
import type { Conversation, Session, Turn } from './conversation.ts';

/** A conversation during its replay, with the open store. */
export interface Replay {
  conversation: Conversation;
  varve: Varve;
  clock: ManualClock;
  /** Maps the id of each event or memory to the id of its turn or stored fact. */
  turnOf: Map<string, string>;
  /** Returns the user's handle. Questions are asked in a separate session. */
  handle(session?: string): Handle;
}

/** Callbacks during a replay. */
export interface ReplayHooks {
  afterTurn?(replay: Replay, turn: Turn, place: { session: Session; index: number }): Promise<void>;
  afterSession?(replay: Replay, session: Session): Promise<void>;
  atEnd?(replay: Replay): Promise<void>;
}

const SPACING = 40_000;
const NIGHT = 20 * HOUR;
const BEGINNING = Date.UTC(2026, 0, 5, 9);

/** Observes each turn at its own time on a simulated clock. Each session is closed and followed by a night. Default store: in memory. */
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

function speakersOf({ sessions }: Conversation): Set<string> {
  return new Set(
    sessions.flatMap(({ turns }) => turns.filter(({ role }) => role === 'user').map(({ speaker }) => speaker)),
  );
}

export interface LiveStatement extends SaidStatement {
  memory: Memory;
}

/** Only statements that a reader formed from events. */
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

export function turnTexts({ sessions, facts }: Conversation): Map<string, string> {
  return new Map([...sessions.flatMap(({ turns }) => turns), ...facts].map(({ id, text }) => [id, text]));
}
