import { afterAll, beforeEach } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { DAY, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { createVarve, type Varve } from '../src/varve.ts';

/** A memory without a language model, which the tests of a file share. */
interface Talk {
  varve: Varve;
  clock: ManualClock;
  /** Sets the clock to the start and opens a session of a new user. */
  newSession(): Handle;
  /** The live statements after the messages of a new user in one session, a minute apart. `+n` lets n days pass instead. */
  after(...messages: readonly string[]): Promise<Memory[]>;
}

/** A day that passes brings work for every user of a store, and opening a store costs as much as two messages. */
const TESTS_OF_A_STORE = 12;

export function talkFrom(start: number): Talk {
  const clock = manualClock(start);
  let users = 0;
  let tests = 0;
  const talk = { clock, newSession, after } as Talk;
  beforeEach(async () => {
    tests += 1;
    if (tests % TESTS_OF_A_STORE !== 1) return;
    if (tests > 1) await talk.varve.close();
    talk.varve = await createVarve({ store: ':memory:', background: false, clock });
  });
  afterAll(() => talk.varve.close());
  return talk;

  function newSession(): Handle {
    clock.set(start);
    users += 1;
    return talk.varve.for({ user: `u${users}`, session: 's' });
  }

  async function after(...messages: readonly string[]): Promise<Memory[]> {
    const handle = newSession();
    for (const message of messages) {
      clock.advance(message.startsWith('+') ? Number(message) * DAY : MINUTE);
      if (!message.startsWith('+')) await handle.logInteraction({ userMessage: message, agentResponse: 'Understood.' });
      await talk.varve.drain();
    }
    return (await handle.memories.list({ order: 'oldest' })).items;
  }
}
