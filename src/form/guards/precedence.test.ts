import { expect, it } from 'vitest';
import type { SourceType } from '../../record/memory.ts';
import { claimOf, rankOf, wins, type Claim } from './precedence.ts';

const claim = (sourceType: SourceType, fields: Partial<Claim> = {}): Claim => ({
  sourceType,
  trust: 'high',
  correction: false,
  statedAt: new Date('2026-01-02'),
  ...fields,
});

it('[X3] [T21] explicit outranks a correction, that an inference from chat, that an autonomous one', () => {
  const order = [
    claim('explicit'),
    claim('conversation', { correction: true }),
    claim('conversation'),
    claim('inference'),
  ];
  const ranks = order.map(rankOf);
  expect(ranks).toEqual(ranks.toSorted((one, other) => other - one));
  expect(new Set(ranks).size).toBe(4);
  for (const [index, one] of order.entries())
    for (const lower of order.slice(index + 1)) expect([wins(one, lower), wins(lower, one)]).toEqual([true, false]);
});

it('[X3] of equals the newer wins, and less trust never does', () => {
  const older = claim('conversation', { statedAt: new Date('2026-01-01') });
  expect([wins(claim('conversation'), older), wins(older, claim('conversation'))]).toEqual([true, false]);
  expect(wins(claim('explicit', { trust: 'low' }), claim('inference'))).toBe(false);
});

it('[X3] a memory that was updated by the user counts as the user’s', () => {
  const memory = {
    sourceType: 'inference' as const,
    trust: 'high' as const,
    createdAt: new Date(0),
    metadata: { statedAs: 'explicit', statedAt: '2026-05-01T00:00:00.000Z' },
  };
  expect(claimOf(memory)).toMatchObject({ sourceType: 'explicit', statedAt: new Date('2026-05-01') });
  expect(claimOf({ ...memory, metadata: { statedAs: 'toString' } }).sourceType).toBe('inference');
});
