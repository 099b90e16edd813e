import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../test/read-conversation.ts';
import { deduplicateStatements } from './deduplicate-statements.ts';

describe('deduplicateStatements', () => {
  const short = read('I like short posts');
  const long = read('I like short blog posts about food');

  it('keeps the more specific of two', () => {
    expect(contents(deduplicateStatements([...short, ...long]))).toEqual(['User likes short blog posts about food.']);
  });

  it('drops what is known, and keeps what says more than is known', () => {
    expect(deduplicateStatements(short, long)).toEqual([]);
    expect(deduplicateStatements(long, short)).toHaveLength(1);
  });

  it.each([
    ['I love pizza', 'I hate pizza'],
    ['I live in Berlin', 'I live in Munich'],
  ])('keeps what differs: %s, %s', (first, second) => {
    expect(deduplicateStatements([...read(first), ...read(second)])).toHaveLength(2);
  });
});
