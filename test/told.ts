import { DAY, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import type { Varve } from '../src/varve.ts';

/** The live statements after the messages of a user in one session, a minute apart. `+n` lets n days pass instead. */
export async function memoriesAfter(
  varve: Varve,
  clock: ManualClock,
  user: string,
  messages: readonly string[],
): Promise<Memory[]> {
  const memory = varve.for({ user, session: 's' });
  for (const message of messages) {
    clock.advance(message.startsWith('+') ? Number(message) * DAY : MINUTE);
    if (!message.startsWith('+')) await memory.logInteraction({ userMessage: message, agentResponse: 'Understood.' });
    await varve.drain();
  }
  return (await memory.memories.list({ order: 'oldest' })).items;
}
