import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MergeInput } from '../../../models/distiller.ts';
import { mergeTexts, wordCount } from './merge-texts.ts';

function merge(additions: readonly string[], given: Partial<MergeInput> = {}): string {
  return mergeTexts({ purpose: 'reflections', subject: 'user', current: null, additions, wordLimit: 400, ...given });
}

describe('mergeTexts', () => {
  it('[E6] keeps every statement, oldest first, in its own words', () => {
    expect(merge(['User likes tea.', 'Agent publishes on Mondays.'], { current: 'User lives in Rome.' })).toBe(
      'User lives in Rome. User likes tea. Agent publishes on Mondays.',
    );
  });

  it('[Q8] keeps of doubles the more specific, and of contradictions the later', () => {
    const current = 'User lives in Berlin. User loves pizza. User has two dogs and a cat.';
    const merged = merge(['User moved to Munich.', 'User has two dogs.', 'User hates pizza.'], { current });
    expect(merged).toBe('User moved to Munich. User has two dogs and a cat. User hates pizza.');
  });

  it('[L7] makes one of near doubles: the more specific text', () => {
    const additions = ['User likes short posts.', 'User likes short blog posts about food.', 'User likes short posts.'];
    expect(merge(additions, { purpose: 'doubles' })).toBe('User likes short blog posts about food.');
  });

  it('[L8] counts the episodes behind a pattern', () => {
    const additions = ['Agent ran publish post for User.', 'Agent tried to run send mail for User; it failed.'];
    expect(merge(additions, { purpose: 'episodes', subject: 'publishing' })).toMatch(
      /^2 episodes on publishing, 1 of which failed: Agent/,
    );
  });

  it('[E6] leaves out the least telling when there is no room', () => {
    const current = 'It was a day like any other. User works at Acme in Berlin since 2019.';
    const merged = merge(['Things went on as usual.', 'User works at Acme in Berlin since 2019.'], {
      current,
      wordLimit: 10,
    });
    expect(merged).toBe('User works at Acme in Berlin since 2019.');
  });

  it('[E6] never has more words than allowed', () => {
    const sentence = fc.constantFrom(
      'User likes tea.',
      'User lives in Rome, Italy.',
      'The launch is on 3 May 2027.',
      'a b c d e f',
      '…',
      '',
    );
    fc.assert(
      fc.property(
        fc.array(sentence, { maxLength: 12 }),
        fc.option(sentence),
        fc.integer({ min: 1, max: 40 }),
        (additions, current, wordLimit) => {
          for (const purpose of ['reflections', 'tag', 'doubles', 'episodes'] as const) {
            expect(wordCount(merge(additions, { current, wordLimit, purpose }))).toBeLessThanOrEqual(wordLimit);
          }
        },
      ),
    );
  });

  it('merges nothing into nothing, and a text into itself', () => {
    expect(merge([])).toBe('');
    const text = 'User lives in Rome. User likes tea.';
    expect(merge([text], { current: text })).toBe(text);
  });
});
