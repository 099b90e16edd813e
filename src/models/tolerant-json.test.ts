import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../test/cpu-time.ts';
import { readTolerantJson } from './tolerant-json.ts';

const read = (text: string): unknown => {
  const result = readTolerantJson(text);
  return result.ok ? result.value : result.reason;
};

describe('tolerant JSON', () => {
  it('parses valid JSON like JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const result = readTolerantJson(text);
        expect(result).toMatchObject({ ok: true, complete: true });
        if (result.ok) expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['trailing commas', '{"a": [1, 2,], }', { a: [1, 2] }],
    ['single quotes', "{'a': 'it''s'.length}", 'unreadable'],
    ['single quotes with an apostrophe', "{'a': 'don't worry', 'b': 'x'}", { a: "don't worry", b: 'x' }],
    ['bare keys', '{a: 1, b_c: "x"}', { a: 1, b_c: 'x' }],
    ['a bare word', '{event: ADD, id: 3}', { event: 'ADD', id: 3 }],
    ['Python', "{'a': True, 'b': None, 'c': False}", { a: true, b: null, c: false }],
    ['comments', '{// first\n"a": 1, /* second */ "b": 2 # third\n}', { a: 1, b: 2 }],
    ['NaN and Infinity', '[NaN, Infinity, -Infinity, undefined]', [null, null, null, null]],
    ['smart quotes', '{“a”: “say ‘hi’”}', { a: 'say ‘hi’' }],
    ['a smart apostrophe', '{‘a’: ‘don’t’}', { a: 'don’t' }],
    ['unescaped quotes', '{"a": "He said "hi", and left", "b": 1}', { a: 'He said "hi", and left', b: 1 }],
    ['unescaped quotes at the end', '["the "end""]', 'unreadable'],
    ['raw newlines in text', '{"a": "one\ntwo"}', { a: 'one\ntwo' }],
    ['a missing comma between lines', '{"a": "x"\n"b": "y"}', { a: 'x', b: 'y' }],
    ['a missing comma between objects', '[{"a": 1} {"a": 2}]', [{ a: 1 }, { a: 2 }]],
    ['unknown escapes', String.raw`{"a": "C:\Users\q"}`, { a: String.raw`C:\Users\q` }],
    ['odd numbers', '[+1, .5, 5., 1e3]', [1, 0.5, 5, 1000]],
    ['an unquoted date', '{"a": 2026-11-15}', 'unreadable'],
    ['a thousands separator', '[1,000]', 'unreadable'],
    ['two texts without a comma on one line', '["a" "b"]', 'unreadable'],
    ['an ellipsis for items', '[1, 2, ...]', 'unreadable'],
    ['an ellipsis in a comment', '[1, 2 /* … 12 more */]', 'unreadable'],
  ])('reads or refuses %s', (_name, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each(['{"a": "unfinis', '{"a": [1, 2,', '{"a": ', '{"a": 12', '[1, 2', '{"a', '["x", {"b"', '{"a": tru'])(
    'reports %s as truncated',
    (text) => {
      expect(read(text)).toBe('truncated');
    },
  );

  it('accepts missing closing brackets, and reports the text as incomplete', () => {
    expect(readTolerantJson('{"a": ["x", {"b": true}')).toEqual({
      ok: true,
      value: { a: ['x', { b: true }] },
      end: 23,
      complete: false,
      begun: true,
    });
  });

  it('refuses nesting beyond the limit', () => {
    expect(read('['.repeat(100_000))).toBe('too_deep');
  });

  it('does not let __proto__ become a prototype', () => {
    const value = read("{'__proto__': {admin: true}}") as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
  });

  it.each([
    ['quotes', `["${'" '.repeat(200_000)}`],
    ['blanks after quotes', `["${`a"${' '.repeat(1000)}`.repeat(400)}`],
    ['backslashes', `["${'\\'.repeat(400_000)}`],
    ['commas', `[${','.repeat(400_000)}`],
    ['comments', `[${'/**/'.repeat(100_000)}`],
    ['asterisks in an open comment', `[/*${'*'.repeat(400_000)}`],
  ])('reads many %s in less than 500 ms', (_name, text) => {
    expect(cpuTime(() => readTolerantJson(text))).toBeLessThan(500);
  });
});
