import { expect, it } from 'vitest';
import { cached, cachedFor, createLru } from './cache.ts';

it('caches the results of a function, and drops all of them when there are too many', () => {
  const made: string[] = [];
  const upper = cached(2, (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  expect(['a', 'b', 'a', 'c', 'c', 'a'].map(upper)).toEqual(['A', 'B', 'A', 'C', 'C', 'A']);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});

it('caches the results of a function for each object, even if two objects are equal', () => {
  const made: object[] = [];
  const sizeOf = cachedFor((list: number[]) => {
    made.push(list);
    return list.length;
  });
  const [one, other] = [
    [1, 2],
    [1, 2],
  ];
  expect([one, other, one].map(sizeOf)).toEqual([2, 2, 2]);
  expect(made).toEqual([one, other]);
});

it('evicts the value that was not used for the longest time', () => {
  const lru = createLru<number>({ most: 2 });
  lru.set('a', 1);
  lru.set('b', 2);
  lru.get('a');
  lru.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => lru.get(key))).toEqual([1, undefined, 3]);
});

it('limits the sum of sizes, which may change after a value was set', () => {
  const lru = createLru<{ bytes: number }>({ most: 10, sizeOf: ({ bytes }) => bytes });
  const [small, large] = [{ bytes: 2 }, { bytes: 3 }];
  lru.set('small', small);
  lru.set('large', large);
  small.bytes = 9;
  lru.set('large', large);
  expect([lru.get('small'), lru.get('large')]).toEqual([undefined, large]);
  lru.set('huge', { bytes: 11 });
  expect([lru.get('large'), lru.get('huge')]).toEqual([undefined, undefined]);
});

it('keeps the latest value beyond the limit if it is told to', () => {
  const lru = createLru<number>({ most: 10, sizeOf: (size) => size, keepsLatest: true });
  lru.set('a', 5);
  lru.set('b', 11);
  expect([lru.get('a'), lru.get('b')]).toEqual([undefined, 11]);
});
