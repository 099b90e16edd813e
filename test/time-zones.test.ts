import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock, type ManualClock } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { createVarve, type Varve } from '../src/varve.ts';

// The time zone of a message, of the user and of the settings, without a language model.

let varve: Varve;
let clock: ManualClock;

const open = async (timeZone = 'UTC'): Promise<void> => {
  clock = manualClock(new Date('2026-05-01T00:00:00Z'));
  varve = await createVarve({ store: ':memory:', background: false, clock, formation: { timeZone } });
};
const ana = (): ReturnType<Varve['for']> => varve.for({ user: 'ana', session: 's' });
const say = async (userMessage: string, occurredAt: string | Date, metadata = {}): Promise<Memory | undefined> => {
  clock.set(new Date(occurredAt));
  await ana().logInteraction({ userMessage, agentResponse: 'Ok.', occurredAt, metadata });
  await varve.drain();
  return (await ana().memories.list({})).items.find(({ tense }) => tense === 'planned');
};

beforeEach(() => open());
afterEach(() => varve.close());

describe('the days of a message', () => {
  it.each([
    ['I have a haircut tomorrow at 6pm', '2026-06-10T22:30:00-07:00', '11 June 2026', '2026-06-12T01:00:00Z'],
    [
      'Tengo cita con el notario mañana a las 9',
      '2026-06-10T21:00:00-0500',
      '11 de junio de 2026',
      '2026-06-11T14:00:00Z',
    ],
    ['I have a job interview tomorrow at 10:15', '2026-06-11 05:00:00+09:30', '12 June 2026', '2026-06-12T00:45:00Z'],
    // Most programs that write an offset of zero have converted the time to UTC.
    ['I have a haircut tomorrow at 6pm', '2026-06-11T05:30:00+00:00', '12 June 2026', '2026-06-12T18:00:00Z'],
  ])('come from the offset of its time: %s', async (message, at, day, due) => {
    const plan = await say(message, at);
    expect(plan?.content).toContain(`[${day}]`);
    expect(plan?.dueAt).toEqual(new Date(due));
  });

  it('come from the zone in its metadata, which outranks the offset', async () => {
    const zone = { timeZone: 'America/Los_Angeles' };
    const plan = await say('I have a haircut tomorrow at 6pm', '2026-06-11T05:30:00+02:00', zone);
    expect(plan?.dueAt).toEqual(new Date('2026-06-12T01:00:00Z'));
  });

  it("come from the user's zone, and from the zone of the settings if the user has none", async () => {
    await ana().consolidation.configure({ timeZone: 'America/Los_Angeles' });
    expect((await say('I have a haircut tomorrow at 6pm', '2026-06-11T05:30:00Z'))?.dueAt).toEqual(
      new Date('2026-06-12T01:00:00Z'),
    );
    await varve.close();
    await open('Asia/Tokyo');
    expect((await say('I have a haircut tomorrow at 6pm', '2026-06-11T16:30:00Z'))?.dueAt).toEqual(
      new Date('2026-06-13T09:00:00Z'),
    );
  });

  it("have the daylight saving time of the user's zone, if the offset is of that zone", async () => {
    await ana().consolidation.configure({ timeZone: 'America/New_York' });
    const plan = await say('I have a haircut on 20 April at 6pm', '2026-02-20T10:00:00-05:00');
    expect(plan?.dueAt).toEqual(new Date('2026-04-20T22:00:00Z'));
  });

  it('are written in the zone in which they were said, also east of Greenwich', async () => {
    await varve.close();
    await open('Asia/Tokyo');
    await say('The parents evening is on 12 June at 6pm', '2026-06-10T20:00:00Z');
    const { results } = await ana().recall('When is the parents evening?', { sources: ['memories'] });
    expect(results[0]?.text).toContain('(planned for 2026-06-12)');
    const later = varve.for({ user: 'ana', session: 'later' });
    const { user } = await later.context({ message: 'When is the parents evening?' });
    expect(user).toContain('2026-06-11:\n');
    expect(user).toContain('(planned for 2026-06-12)');
  });
});

it("questions and prompts use the user's zone by default", async () => {
  await ana().consolidation.configure({ timeZone: 'America/Los_Angeles' });
  await say('I have a haircut tomorrow at 6pm', '2026-06-11T05:30:00Z');
  clock.set(new Date('2026-06-12T04:00:00Z'));
  const { results } = await ana().recall('What have I got on today?');
  expect(results[0]?.text).toContain('haircut');
  const { user } = await ana().context({ message: 'hello' });
  expect(user).toContain('[Thursday, June 11, 2026 — 09:00 PM America/Los_Angeles]');
});

it('a memory that the application stores has the days of the user', async () => {
  await ana().consolidation.configure({ timeZone: 'Asia/Tokyo' });
  clock.set(new Date('2026-06-11T16:30:00Z'));
  const { memory } = await ana().memories.create({
    type: 'fact',
    content: 'I have a haircut tomorrow at 6pm',
    read: true,
  });
  expect(memory.dueAt).toEqual(new Date('2026-06-13T09:00:00Z'));
});

describe('what is due', () => {
  const dueAt = async (time: string): Promise<string> => {
    clock.set(new Date(time));
    await varve.maintain();
    const { user } = await varve.for({ user: 'ana', session: time }).context({ message: 'hello' });
    const shown = /<due_today>\n- (.*)/.exec(user)?.[1] ?? '';
    expect((await ana().intentions.due()).length).toBe(shown === '' ? 0 : 1);
    return shown;
  };

  it.each([
    ['I have a haircut on 12 June at 6pm', ''],
    ['Am 12. Juni um 18 Uhr habe ich einen Termin beim Friseur.', ''],
    ['Remind me to ring the bank on 12 June at 6pm', ' (overdue since 2026-06-12)'],
    ['Recuérdame llamar al banco el 12 de junio', ' (overdue since 2026-06-12)'],
  ])('[K18] is shown during its whole day in the zone of the user: %s', async (message, note) => {
    await ana().consolidation.configure({ timeZone: 'America/Los_Angeles' });
    const plan = await say(message, '2026-06-10T15:00:00Z');
    expect(await dueAt('2026-06-12T06:59:00Z')).toBe('');
    expect(await dueAt('2026-06-12T07:01:00Z')).toBe(plan?.content);
    expect(await dueAt('2026-06-13T06:59:00Z')).toBe(plan?.content);
    expect(await dueAt('2026-06-13T07:01:00Z')).toBe(note === '' ? '' : plan?.content + note);
    expect(await dueAt('2026-06-15T20:00:00Z')).toBe(note === '' ? '' : plan?.content + note);
    expect(await dueAt('2026-06-16T07:01:00Z')).toBe('');
  });

  it('is no follow-up before its time', async () => {
    clock.set(new Date('2026-06-10T15:00:00Z'));
    await ana().intentions.add({ text: 'Ask how the interview went', dueAt: '2026-06-12T18:00:00Z' });
    expect(await dueAt('2026-06-12T17:59:00Z')).toBe('');
    expect(await dueAt('2026-06-12T18:00:00Z')).toBe('Ask how the interview went');
    expect(await dueAt('2026-06-13T08:00:00Z')).toBe('Ask how the interview went (overdue since 2026-06-12)');
  });

  it('is no plan without a time of day that may be over: such a plan keeps a note of its day', async () => {
    await ana().memories.create({
      type: 'intention',
      content: 'Hand in the tax return',
      tense: 'planned',
      validFrom: '2026-06-12',
      dueAt: '2026-06-12',
    });
    expect(await dueAt('2026-06-12T08:00:00Z')).toBe('Hand in the tax return');
    expect(await dueAt('2026-06-13T08:00:00Z')).toBe('Hand in the tax return (was planned for 2026-06-12)');
  });
});
