import { z } from 'zod';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { parseAnswer } from '../src/models/parse-answer.ts';
import { measure, ms, report, summary, timeCells } from './measure.ts';
import { json, startProtocolServer } from '../test/protocol-server.ts';
import { estimateTokens } from '../src/language/words.ts';

// Measures the overhead of `generate` over the provider's own call, against a server on this machine. The goal is less than 2 ms.
// Run: node bench/models.ts

const schema = z.object({
  facts: z.array(
    z.object({ content: z.string(), importance: z.number(), tags: z.array(z.string()), turns: z.array(z.number()) }),
  ),
});
const answer = {
  facts: Array.from({ length: 20 }, (_, index) => ({
    content: `The user likes number ${index} and lives in a city by the sea.`,
    importance: 0.5,
    tags: ['home', 'likes'],
    turns: [1, 2],
  })),
};
const prompt = { system: 'Extract facts.', user: 'I live in a city by the sea. '.repeat(100) };

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const server = await startProtocolServer();
server.otherwise({ chat: json(answer) });
const provider = server.languageModel();
const model = createLanguageModel({ fast: provider });
const messages = [
  { role: 'system' as const, content: prompt.system },
  { role: 'user' as const, content: [{ type: 'text' as const, text: prompt.user }] },
];
const bare = (): PromiseLike<unknown> =>
  provider.doGenerate({ prompt: messages, responseFormat: { type: 'json', schema: {}, name: 'read' } });
const whole = (): Promise<unknown> => model.generate({ task: 'read', schema, prompt });

for (let warm = 0; warm < 200; warm += 1) await (warm % 2 === 0 ? bare() : whole());
const [bareTimes, wholeTimes]: [number[], number[]] = [[], []];
// The two alternate, so that the load of the machine affects both alike.
for (let round = 0; round < 1000; round += 1) {
  bareTimes.push(await timed(bare));
  wholeTimes.push(await timed(whole));
}
await server.close();

const text = JSON.stringify(answer);
const broken = `Sure:\n\`\`\`json\n${JSON.stringify(answer, null, 2).replaceAll('"', "'")}\n\`\`\``;
const megabyte = 'I live in a city by the sea. '.repeat(36_158);
const [one, other] = [summary(bareTimes), summary(wholeTimes)];
const rows = [
  ["the provider's own call", one],
  ['generate', other],
  ['reading an answer of 20 facts', await measure(500, () => parseAnswer({ text, finishReason: 'stop' }, schema))],
  ['repairing it', await measure(500, () => parseAnswer({ text: broken, finishReason: 'stop' }, schema))],
  ['estimating the tokens of 1 MB', await measure(100, () => estimateTokens(megabyte))],
] as const;
report('Calls of a language model', {
  header: ['', 'p50 (95 % interval)', 'p95'],
  rows: rows.map(([name, times]) => [name, ...timeCells(times)]),
  note: `A provider on this machine. Overhead of generate: p50 ${ms(other.p50 - one.p50)}, p95 ${ms(other.p95 - one.p95)}; the goal is less than 2 ms.`,
});
