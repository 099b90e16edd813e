import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseAnswer, type ParsedAnswer } from './parse-answer.ts';
import { cpuTime } from '../../test/cpu-time.ts';

const CASES = 15_000;
const SLOWEST = 250;

/** Mulberry32: the same seed gives the same cases on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SUBJECTS: { schema: z.ZodType; answers: unknown[] }[] = [
  {
    schema: z.object({
      facts: z.array(
        z.object({
          content: z.string().min(1).max(200),
          scope: z.array(z.enum(['user', 'agent'])),
          importance: z.number().min(0).max(1),
        }),
      ),
    }),
    answers: [
      { facts: [] },
      {
        facts: [
          { content: 'Ada lives in Oslo, "the tiger city"', scope: ['user'], importance: 0.8 },
          { content: 'Her path is C:\\Users\\ada\nand {"a": 1}', scope: ['user', 'agent'], importance: 0.25 },
          { content: '她喜欢爬山，不喜欢 // 跑步', scope: [], importance: 1 },
        ],
      },
    ],
  },
  {
    schema: z.strictObject({
      decisions: z.array(
        z.discriminatedUnion('action', [
          z.strictObject({ fact: z.number().int().min(1), action: z.literal('ADD') }),
          z.strictObject({
            fact: z.number().int().min(1),
            action: z.literal('UPDATE'),
            candidate: z.number().int().min(1),
            content: z.string(),
          }),
        ]),
      ),
    }),
    answers: [
      {
        decisions: [
          { fact: 1, action: 'ADD' },
          { fact: 2, action: 'UPDATE', candidate: 3, content: "It's John's #1 /* pizza */" },
        ],
      },
    ],
  },
  {
    schema: z.object({
      updated_scaffold: z.record(z.string().max(40), z.json()),
      updated_working_memory: z.string(),
      facts_to_embed: z.array(z.string()),
    }),
    answers: [
      {
        updated_scaffold: {
          Role: 'Manager',
          Projects: { toolstream: { stage: 2, done: false, owner: null } },
          Tags: ['a', 'b'],
        },
        updated_working_memory: 'Ada’s team — “launch” on 2026-11-15…',
        facts_to_embed: ['Prefers short emails', 'Default project is PROJ'],
      },
    ],
  },
  {
    schema: z.array(z.object({ key: z.string().regex(/^[a-z_]+$/), value: z.string() })),
    answers: [[{ key: 'home_city', value: 'Berlin' }]],
  },
];

const SPLINTERS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ',',
  ':',
  '\\',
  '/*',
  '*/',
  '//',
  '#',
  '“',
  '”',
  '\uFEFF',
  '\u0000',
  '\uD83D',
  '```',
  '...',
  'NaN',
  'None',
  '-',
  '1e999',
  '\\u12',
  '__proto__',
  '</think>',
  '<think>',
  '\n',
  '\\"',
  '{"facts":[]}',
  '[[[[',
  '💥',
];

type Mutation = (text: string, random: () => number) => string;
const place = (text: string, random: () => number): number => Math.floor(random() * (text.length + 1));

const MUTATIONS: Mutation[] = [
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 3));
  },
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + SPLINTERS[Math.floor(random() * SPLINTERS.length)] + text.slice(at);
  },
  (text, random) => text.slice(0, place(text, random)),
  (text, random) => text.slice(place(text, random)),
  (text, random) => {
    const [from, to] = [place(text, random), place(text, random)].toSorted((one, other) => one - other) as [
      number,
      number,
    ];
    return text.slice(0, to) + text.slice(from);
  },
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x10000)) + text.slice(at + 1);
  },
  (text) => text.replaceAll('"', "'"),
  (text) => text.replaceAll('"', '“'),
  (text) => text.replace(/"(\w+)":/g, '$1:'),
  (text) => text.replace(/([}\]])/g, ',$1'),
  (text) => text.replaceAll('true', 'True').replaceAll('null', 'None'),
  (text) => JSON.stringify(text.toWellFormed()),
  (text) => `Here you go:\n\`\`\`json\n${text}\n\`\`\`\nAnything else?`,
  (text) => `${text}\n${text}`,
  (text) => text.repeat(20),
  (text) => `${'['.repeat(200)}${text}`,
  (text) => text.replaceAll(',', ''),
  (text) => text.replaceAll('\\', ''),
];

const FINISHES = ['stop', 'length', 'other', 'error', 'unknown'];

describe('[T7] repairing answers', () => {
  it(`survives ${CASES} broken answers without a crash, a hang, or data that the schema forbids`, () => {
    const random = randomFrom(20_261_115);
    let understood = 0;
    let slowest = 0;
    for (let index = 0; index < CASES; index += 1) {
      const { schema, answers } = SUBJECTS[index % SUBJECTS.length] as (typeof SUBJECTS)[number];
      let text = JSON.stringify(answers[Math.floor(random() * answers.length)], null, random() < 0.5 ? 0 : 2);
      for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
        text = (MUTATIONS[Math.floor(random() * MUTATIONS.length)] as Mutation)(text, random);
      }
      const finishReason = FINISHES[Math.floor(random() * FINISHES.length)] as string;
      let parsed: ParsedAnswer<unknown> | undefined;
      const read = (): number =>
        cpuTime(() => {
          parsed = parseAnswer({ text, finishReason }, schema);
        });
      const time = read();
      // A slow reading is measured again: a pause of the machine is unlikely to occur twice.
      slowest = Math.max(slowest, time < SLOWEST ? time : Math.min(time, read()));
      if (parsed?.ok !== true) continue;
      understood += 1;
      // The schemas have no transforms, so parsing accepted data again gives the same data.
      const checked = schema.safeParse(parsed.data);
      if (!checked.success) throw new Error(`case ${index}: forbidden data from ${JSON.stringify(text)}`);
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    }
    expect(slowest).toBeLessThan(SLOWEST);
    // Some cases are repaired and some are refused; otherwise the cases would prove nothing.
    expect(understood).toBeGreaterThan(CASES * 0.1);
    expect(understood).toBeLessThan(CASES * 0.9);
  });

  it('refuses an answer that is cut at any position, or returns it completely', () => {
    for (const { schema, answers } of SUBJECTS) {
      for (const answer of answers) {
        for (const text of [
          JSON.stringify(answer),
          `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``,
          JSON.stringify(answer).replaceAll('"', "'"),
        ]) {
          for (let end = 0; end < text.length; end += 1) {
            const parsed = parseAnswer({ text: text.slice(0, end), finishReason: 'length' }, schema);
            if (parsed.ok) expect(parsed.data).toEqual(schema.parse(answer));
          }
        }
      }
    }
  });

  it('refuses an answer without one of its brackets or commas, or returns it completely', () => {
    for (const { schema, answers } of SUBJECTS) {
      for (const answer of answers) {
        for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2)]) {
          for (const match of JSON.stringify(answer) === text
            ? text.matchAll(/[{}[\],:]/g)
            : text.matchAll(/^\s*[{}[\]]|[{}[\],]$/gm)) {
            const at = match.index + match[0].length - 1;
            const parsed = parseAnswer({ text: text.slice(0, at) + text.slice(at + 1), finishReason: 'stop' }, schema);
            // Inside a string every character is content, so its loss cannot be detected.
            if (!parsed.ok || JSON.stringify(parsed.data).length === JSON.stringify(answer).length - 1) continue;
            expect(parsed.data).toEqual(schema.parse(answer));
          }
        }
      }
    }
  });

  it.each([
    ['a fence and prose', (text: string) => `Sure [here]:\n\`\`\`json\n${text}\n\`\`\`\nDone.`],
    ['trailing commas', (text: string) => text.replace(/(?<=["\d\]}lse])\n(\s*[}\]])/g, ',\n$1')],
    ['bare keys', (text: string) => text.replace(/^(\s*)"(\w+)":/gm, '$1$2:')],
    ['comments', (text: string) => text.replace(/,\n/g, ', // next\n')],
    ['missing commas at line ends', (text: string) => text.replace(/(["}\]]),\n/g, '$1\n')],
    ['a stringified answer', (text: string) => JSON.stringify(text)],
  ])('returns the same data despite %s', (_name, spoil) => {
    for (const { schema, answers } of SUBJECTS) {
      for (const answer of answers) {
        const parsed = parseAnswer({ text: spoil(JSON.stringify(answer, null, 2)), finishReason: 'stop' }, schema);
        expect(parsed).toMatchObject({ ok: true });
        if (parsed.ok) expect(parsed.data).toEqual(schema.parse(answer));
      }
    }
  });
});
