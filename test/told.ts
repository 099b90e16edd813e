import { afterAll, beforeAll } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { DAY, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { createVarve, type Varve } from '../src/varve.ts';

/** A memory without a language model for all tests of a file. */
interface Talk {
  varve: Varve;
  clock: ManualClock;
  /** Sets the clock to the start and opens a session of a new user. */
  newSession(): Handle;
  /** The live statements after the messages of a new user in one session, a minute apart. `+n` lets n days pass instead. */
  after(...messages: readonly string[]): Promise<Memory[]>;
}

export function talkFrom(start: number): Talk {
  const clock = manualClock(start);
  let users = 0;
  const talk = { clock, newSession, after } as Talk;
  beforeAll(async () => {
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
