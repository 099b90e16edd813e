import { describe, expect, it } from 'vitest';
import { turnOf, turnsOf } from '../../../test/read-conversation.ts';
import { VarveError } from '../../errors.ts';
import type { Distiller } from '../../models/distiller.ts';
import { createLocalDistiller } from './local-distiller.ts';

const NOTHING_IN_MIND = { merged: null, recent: [] };
const current = { agent: NOTHING_IN_MIND, user: NOTHING_IN_MIND, session: NOTHING_IN_MIND };

/** Each task with an input, for what holds for all of them. */
const TASKS: readonly (readonly [
  string,
  (distiller: Distiller, turns: readonly string[], signal?: AbortSignal) => Promise<unknown>,
])[] = [
  [
    'extract',
    (local, lines, signal) =>
      local.extract({ turns: turnsOf(lines), existing: [], types: [], today: '2026-11-15' }, { signal }),
  ],
  [
    'decide',
    (local, lines, signal) =>
      local.decide(
        {
          facts: lines.map((content) => ({
            content,
            candidates: [{ content, similarity: 0.9, updatedAt: new Date(0) }],
          })),
        },
        { signal },
      ),
  ],
  [
    'reflect',
    (local, lines, signal) => local.reflect({ turns: turnsOf(lines), facts: [], current, wordLimit: 35 }, { signal }),
  ],
  [
    'summarise',
    (local, lines, signal) => local.summarise({ turns: turnsOf(lines), topics: [], mostTopics: 3 }, { signal }),
  ],
  [
    'merge',
    (local, lines, signal) =>
      local.merge({ purpose: 'tag', subject: 'x', current: null, additions: lines, wordLimit: 50 }, { signal }),
  ],
  [
    'synthesise',
    (local, lines, signal) =>
      local.synthesise(
        {
          observations: turnsOf(lines),
          workingMemory: '',
          scaffold: {},
          scaffoldKeys: null,
          wordLimit: 500,
          today: '2026-11-15',
        },
        { signal },
      ),
  ],
];

describe('the local distiller', () => {
  const local = createLocalDistiller({ timeZone: 'Europe/Berlin' });

  it('says that it is local and uses no model', async () => {
    const { usage } = await local.merge({
      purpose: 'tag',
      subject: 'x',
      current: null,
      additions: ['A b.'],
      wordLimit: 9,
    });
    expect([local.id, local.kind, usage]).toEqual(['local', 'local', null]);
  });

  it.for(TASKS)('stops when it is cancelled: %s', async ([, run]) => {
    const error = await run(local, ['I live in Rome.'], AbortSignal.abort()).catch((thrown: unknown) => thrown);
    expect(VarveError.isInstance(error, 'cancelled')).toBe(true);
  });

  it.for(TASKS)('takes nothing and anything without a throw: %s', async ([, run]) => {
    await expect(run(local, [])).resolves.toBeDefined();
    await expect(
      run(local, ['', ' ', '\u0000', '😀', '{"a":', 'a'.repeat(50_000), 'I like '.repeat(10_000)]),
    ).resolves.toBeDefined();
  });

  it('counts days from midnight in the time zone of the task, else in its own', async () => {
    const turns = [turnOf('I went to Rome yesterday.', { occurredAt: new Date('2026-11-15T23:30:00Z') })];
    const input = { turns, existing: [], types: [], today: '2026-11-16' };
    const { output } = await local.extract(input);
    expect(output.new[0]?.content).toBe('User went to Rome on 15 November 2026.');
    const { output: other } = await local.extract({ ...input, timeZone: 'America/New_York' });
    expect(other.new[0]?.content).toBe('User went to Rome on 14 November 2026.');
  });
});
