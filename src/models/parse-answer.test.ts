import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cpuTime } from '../../test/cpu-time.ts';
import { parseAnswer } from './parse-answer.ts';

const facts = z.object({
  facts: z.array(z.object({ content: z.string(), importance: z.number().min(0).max(1).optional() })),
});
const good = { facts: [{ content: 'Ada lives in Oslo', importance: 0.8 }] };

const parse = (text: string, finishReason = 'stop') => parseAnswer({ text, finishReason }, facts);

describe('[T7] parsing a model’s answer', () => {
  it.each([
    ['plain JSON', JSON.stringify(good)],
    ['a byte order mark', `\uFEFF${JSON.stringify(good)}`],
    ['a code fence', `\`\`\`json\n${JSON.stringify(good)}\n\`\`\``],
    ['a code fence that is never closed', `\`\`\`json\n${JSON.stringify(good)}`],
    [
      'text around it',
      `Sure! Here are the facts [1] you asked for:\n${JSON.stringify(good)}\nLet me know {if} you need more.`,
    ],
    ['text in another language', `好的，以下是结果：${JSON.stringify(good)}。希望对你有帮助！`],
    ['thoughts with a draft', `<think>Maybe {"facts": []}?</think>${JSON.stringify(good)}`],
    ['the same answer twice', `${JSON.stringify(good)}\n\n${JSON.stringify(good)}`],
    ['Python', `{'facts': [{'content': 'Ada lives in Oslo', 'importance': 0.8}]}`],
    ['a stringified answer', JSON.stringify(JSON.stringify(good))],
    ['a stringified list', JSON.stringify({ facts: JSON.stringify(good.facts) })],
    ['stringified items', JSON.stringify({ facts: good.facts.map((fact) => JSON.stringify(fact)) })],
    [
      'a list that is stringified three times',
      JSON.stringify({ facts: JSON.stringify(JSON.stringify(JSON.stringify(good.facts))) }),
    ],
    ['a stringified number', JSON.stringify({ facts: [{ content: 'Ada lives in Oslo', importance: '0.8' }] })],
  ])('understands %s', (_name, text) => {
    expect(parse(text)).toMatchObject({ ok: true, data: good });
  });

  it.each([
    ['an empty text', '', 'empty'],
    ['blanks', ' \n ', 'empty'],
    ['prose', 'Ada lives in Oslo.', 'not_json'],
    ['prose in another language', '我不知道你在说什么。', 'not_json'],
    ['thoughts without an end', '<think>Let me see {"facts": []}', 'empty'],
    ['two different answers', '{"facts": []} or {"facts": [{"content": "x"}]}', 'several_answers'],
    ['a wrong shape', '{"facts": [{"text": "x"}]}', 'wrong_shape'],
    ['a cut list, whose first items would fit', '{"facts": [{"content": "a"}, {"content": "b', 'truncated'],
    ['broken data, of which a part would fit', '{"facts": [{"content": "a"}, @@ {"facts": []}]}', 'not_json'],
    ['a key __proto__', '{"facts": [], "__proto__": {"admin": true}}', 'wrong_shape'],
    ['deep nesting', `{"facts": ${'['.repeat(5000)}${']'.repeat(5000)}}`, 'wrong_shape'],
  ])('refuses %s', (_name, text, problem) => {
    expect(parse(text)).toMatchObject({ ok: false, problem });
  });

  it('treats an answer that is not closed as truncated, whatever the finish reason', () => {
    const text = JSON.stringify({ facts: [{ content: 'a' }] });
    for (const reason of ['stop', 'length', 'error', 'interrupted', 'other', 'unknown']) {
      for (let end = 1; end < text.length; end += 1)
        expect([reason, end, parse(text.slice(0, end), reason)]).toMatchObject([reason, end, { problem: 'truncated' }]);
    }
  });

  it.each([
    ['{"facts": [{"content": "a"}, {"content": "b"}', ['a', 'b']],
    ['{"facts": [{"content": "a"}, {"content": "b', ['a']],
    ['{"facts": [{"content": "a"}, {"content": "b", "importance"', ['a']],
    ['```json\n{"facts": [{"content": "a"},', ['a']],
    ['{"facts": [{"cont', []],
  ])('keeps the complete items of a truncated answer with `keepsWhole`: %s', (text, whole) => {
    const parsed = parseAnswer({ text, finishReason: 'stop' }, facts, { keepsWhole: true });
    expect(parsed).toMatchObject({ ok: true, isCut: true, data: { facts: whole.map((content) => ({ content })) } });
    expect(parsed.ok && parsed.data.facts).toHaveLength(whole.length);
  });

  it('keeps nothing of a truncated answer that lacks a required field', () => {
    const parsed = parseAnswer({ text: '{"fac', finishReason: 'stop' }, facts, { keepsWhole: true });
    expect(parsed).toMatchObject({ ok: false, problem: 'truncated' });
  });

  it('does not change text that only looks like JSON', () => {
    const schema = z.object({ note: z.string(), tags: z.array(z.string()) });
    const value = { note: '{"a": 1}', tags: ['[1, 2]', '{"x": "y"}'] };
    expect(parseAnswer({ text: JSON.stringify(value), finishReason: 'stop' }, schema)).toMatchObject({
      ok: true,
      data: value,
    });
  });

  it('unwraps stringified JSON at every depth if the schema allows any keys, as in a scaffold', () => {
    const schema = z.object({ updated_scaffold: z.record(z.string(), z.json()) });
    const text = JSON.stringify({
      updated_scaffold: JSON.stringify({
        Role: 'Manager',
        Projects: JSON.stringify({ toolstream: JSON.stringify({ stage: '2' }) }),
        List: '["a", "{\\"b\\": 1}"]',
        Year: '1984',
        Twice: JSON.stringify(JSON.stringify({ c: 2 })),
        Quoted: '"hello"',
      }),
    });
    expect(parseAnswer({ text, finishReason: 'stop' }, schema)).toEqual({
      ok: true,
      repaired: false,
      data: {
        updated_scaffold: {
          Role: 'Manager',
          Projects: { toolstream: { stage: '2' } },
          List: ['a', { b: 1 }],
          Year: '1984',
          Twice: { c: 2 },
          Quoted: '"hello"',
        },
      },
    });
  });

  it('keeps stringified JSON as text if the schema allows text or an object and the object does not fit', () => {
    const schema = z.object({ value: z.union([z.string(), z.object({ a: z.number() })]) });
    const parsed = (value: string) => parseAnswer({ text: JSON.stringify({ value }), finishReason: 'stop' }, schema);
    expect(parsed('{"a": 1}')).toMatchObject({ ok: true, data: { value: { a: 1 } } });
    expect(parsed('{"b": 1}')).toMatchObject({ ok: true, data: { value: '{"b": 1}' } });
  });

  it('refuses an answer that is far too long', () => {
    const text = `{"facts": ["${'a'.repeat(10_000_000)}`;
    expect(cpuTime(() => expect(parse(text)).toMatchObject({ ok: false, problem: 'too_long' }))).toBeLessThan(100);
  });

  it('names the path of each error for the model', () => {
    const parsed = parse('{"facts": [{"content": 5, "importance": 3}]}');
    expect(parsed.ok ? '' : parsed.message).toMatch(/facts\.0\.content: .*string/);
    expect(parsed.ok ? '' : parsed.message).toMatch(/facts\.0\.importance/);
  });
});
