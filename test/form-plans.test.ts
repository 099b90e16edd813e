import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Memory } from '../src/record/memory.ts';
import { DAY, manualClock, MINUTE } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';

// Plans, their days and what becomes of them, read without a language model. No sentence is in the training data.

const START = Date.parse('2026-10-20T09:00:00Z');
const clock = manualClock(START);
let varve: Varve;
let users = 0;

beforeAll(async () => {
  varve = await createVarve({ store: ':memory:', background: false, clock });
});
afterAll(() => varve.close());

/** What is live after messages of one session. `+n` lets n days pass. */
async function after(...messages: readonly string[]): Promise<Memory[]> {
  const memory = varve.for({ user: `u${(users += 1)}`, session: 's' });
  clock.set(START);
  for (const message of messages) {
    clock.advance(message.startsWith('+') ? Number(message) * DAY : MINUTE);
    if (!message.startsWith('+')) await memory.logInteraction({ userMessage: message, agentResponse: 'Understood.' });
    await varve.drain();
  }
  const { items } = await memory.memories.list({ order: 'oldest' });
  return items.filter(({ type }) => type !== 'summary');
}

const day = (date: Date | null | undefined): string | undefined => date?.toISOString().slice(0, 10);

describe('a day without a year', () => {
  it.each([
    ['I sold the boat yesterday, the new one is ready on 14 November.', '14 November 2026'],
    ['Passed my theory test! 🎉 driving test is on 9 December.', '9 December 2026'],
    ['I resigned this morning. My last day is 15 January.', '15 January 2027'],
    ['He dimitido hoy, mi último día es el 30 de enero.', '30 de enero de 2027'],
    ["J'ai vendu la maison hier, la remise des clés est le 12 janvier.", '12 janvier 2027'],
  ])('lies ahead in a clause that is not past, whatever the other clauses say: %s', async (said, written) => {
    expect((await after(said)).map(({ content }) => content).join()).toContain(`[${written}]`);
  });

  it.each([
    ['Sold the caravan on 14 September, the drive is empty now.', '14 September 2026'],
    ['My uncle died on 3 December, he was 80.', '3 December 2025'],
    ['I already returned the books, on the 7th', '7 October 2026'],
    ['I planted the garlic, on the 12th.', '12 October 2026'],
  ])('is past in a clause that is past: %s', async (said, written) => {
    expect((await after(said)).map(({ content }) => content).join()).toContain(`[${written}]`);
  });

  it.each([
    ['I booked the vet, on the 7th', '7 November 2026'],
    ['We got tickets for 12 December.', '12 December 2026'],
  ])('lies ahead where something was arranged for it: %s', async (said, written) => {
    expect((await after(said)).map(({ content }) => content).join()).toContain(`[${written}]`);
  });

  it('of a new job after an emoji is the day on which the job begins', async () => {
    const plan = 'handed the keys back at Lumira today 🥲 starting at Brandt on feb 1 as a surveyor';
    const live = await after('I work at Lumira', plan);
    expect(live.map(({ attribute, value, validFrom }) => `${attribute}=${value} ${day(validFrom)}`)).toEqual(
      expect.arrayContaining(['employer=Lumira undefined', 'employer=Brandt 2027-02-01']),
    );
  });
});
