// What one formation over a session of 45 messages costs in tokens of prompts, beside mem0's add on the same messages:
//   npm run bench:form-cost -- [--data ../shared/bench/persona-chat-dev.jsonl] [--mem0 <folder with mem0ai>]
//
// Varve's side runs the real pipeline; the model is a stand-in that counts what it is sent (system part, user part and
// the JSON schema of the answer) and answers with what the rules find, so that candidates, decisions and reflections
// have their real sizes. The user has had one session before, so that something is known already.
// mem0's side is its published system prompt by its size (7,883 tokens in 3.3.1, measured again with --mem0), plus what
// its add sends with it: the last 10 messages, 10 existing memories and the new message. Version 3 has no second call
// for updates. Tokens are estimated alike on both sides.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalDistiller } from '../src/form/local/local-distiller.ts';
import { estimateTokens } from '../src/language/token-count.ts';
import type { ProposedMemory } from '../src/models/distiller.ts';
import type { LanguageModel } from '../src/models/language-model.ts';
import { jsonSchemaOf } from '../src/models/json-schema.ts';
import { NO_USAGE } from '../src/models/usage.ts';
import { createVarve } from '../src/varve.ts';
import { printTable } from './measure.ts';

const MESSAGES = 45;
const MEM0_SYSTEM_TOKENS = 7883;

const { values } = parseArgs({ options: { data: { type: 'string' }, mem0: { type: 'string' } } });

interface Message {
  origin: 'user' | 'agent';
  content: string;
}

const SMALL_TALK = [
  'Nice to hear from you.',
  'I see, tell me more.',
  'That sounds good.',
  'Got it.',
  'And what happened then?',
];
const TOLD = [
  'I work at Acme as a product designer and I live in Hamburg.',
  'Last month I adopted a dog named Max.',
  "I don't want posts longer than 800 words.",
  'My sister works at Google in Dublin.',
  'I want to run a marathon next year.',
  'I prefer tea to coffee in the morning.',
  'The weather has been terrible here, it rained all week and the garden is a mess.',
  'I was a Director of Engineering at Stripe from 2019 to 2023.',
  'We are planning to visit Lisbon in May.',
  'I have been learning the piano for two years now.',
];

/** Two sessions of 45 messages: of the data, or made up. */
function sessions(): Message[][] {
  if (values.data === undefined) {
    return [0, 1].map((session) =>
      Array.from({ length: MESSAGES }, (_, index): Message => {
        const at = Math.floor(index / 2) + session * 5;
        return index % 2 === 0
          ? {
              origin: 'user',
              content: `${TOLD[at % TOLD.length]} ${at >= TOLD.length ? 'As I said before.' : ''}`.trim(),
            }
          : { origin: 'agent', content: `${SMALL_TALK[at % SMALL_TALK.length]} What else should I know about it?` };
      }),
    );
  }
  const lines = readFileSync(values.data, 'utf8').trim().split('\n');
  const turns = lines.flatMap((line) => (JSON.parse(line) as { turns: { speaker: number; text: string }[] }).turns);
  const all = turns.map(({ speaker, text }): Message => ({ origin: speaker === 1 ? 'user' : 'agent', content: text }));
  return [all.slice(0, MESSAGES), all.slice(MESSAGES, 2 * MESSAGES)];
}

const item = (memory: ProposedMemory): object => ({
  type: memory.type,
  text: memory.content,
  about: memory.subject ?? 'User',
  attribute: memory.attribute ?? null,
  scope: memory.levels,
  importance: memory.importance,
  confidence: memory.confidence,
  stated: memory.explicit,
  negative: memory.polarity === 'negative',
  goal_reached: memory.achievesGoal === true,
  turns: memory.turns,
  tags: memory.tags,
  names: memory.entities,
  from: memory.validFrom,
  to: memory.validTo,
  due: memory.dueAt ?? null,
  key: memory.keyed,
  extends: null,
  replaces: null,
});

/** Counts what it is asked, and answers with what the rules find. */
function countingModel(messages: () => readonly Message[], asked: Record<string, number>): LanguageModel {
  const distiller = createLocalDistiller();
  const answer = async (task: string): Promise<unknown> => {
    if (task === 'decide') return { decisions: [] };
    if (task === 'reflect') return { agent: [], user: ['User likes to talk about work and plans.'], session: [] };
    const turns = messages().map((message) => ({
      ...message,
      kind: 'message' as const,
      speaker: null,
      category: null,
      occurredAt: new Date(),
    }));
    const { output } = await distiller.extract({ turns, existing: [], types: [], today: '2026-11-15' });
    return { memories: output.new.map(item), outdated: [] };
  };
  return {
    modelOf: () => 'counting',
    generateText: () => Promise.reject(new Error('No text is asked for here.')),
    async generate({ task, prompt, schema }) {
      const tokens =
        estimateTokens(prompt.system) +
        estimateTokens(prompt.user) +
        estimateTokens(JSON.stringify(jsonSchemaOf(schema)));
      asked[task] = (asked[task] ?? 0) + tokens;
      return {
        data: schema.parse(await answer(task)) as never,
        model: 'counting',
        usage: { ...NO_USAGE, calls: 1, tokensIn: tokens },
        repaired: false,
      };
    },
  };
}

function mem0SystemTokens(): number {
  if (values.mem0 === undefined) return MEM0_SYSTEM_TOKENS;
  const source = readFileSync(join(values.mem0, 'node_modules/mem0ai/dist/oss/index.mjs'), 'utf8');
  const begin = source.indexOf('ADDITIVE_EXTRACTION_PROMPT = `');
  return estimateTokens(source.slice(begin + 30, source.indexOf('`;', begin)));
}

/** What mem0 sends for adding messages `size` at a time: its prompt, the last 10 messages, 10 memories, the new ones. */
function mem0Tokens(
  messages: readonly Message[],
  memories: readonly string[],
  size: number,
): { calls: number; tokens: number } {
  const system = mem0SystemTokens();
  const existing = estimateTokens(JSON.stringify(memories.slice(0, 10).map((text, id) => ({ id: String(id), text }))));
  // Headings, dates and empty sections.
  const frame = 40;
  let tokens = 0;
  let calls = 0;
  for (let start = 0; start < messages.length; start += size) {
    const said = messages.slice(start, start + size);
    const before = messages.slice(Math.max(0, start - 10), start);
    const text = [...before, ...said].map(({ origin, content }) => `${origin}: ${content.slice(0, 300)}\n`).join('');
    tokens += system + existing + frame + estimateTokens(text);
    calls += 1;
  }
  return { calls, tokens };
}

const folder = mkdtempSync(join(tmpdir(), 'varve-form-cost-'));
const asked: Record<string, number> = {};
const [first = [], second = []] = sessions();
let current: readonly Message[] = first;
const varve = await createVarve({
  store: join(folder, 'cost.db'),
  background: false,
  languageModel: countingModel(() => current, asked),
  formation: { writes: 'deferred', tasks: { keyed_facts: 'local' } },
});
const user = { user: 'ana', agent: 'bot' };
await varve.for({ ...user, session: 'one' }).observe(first);
await varve.for({ ...user, session: 'one' }).form();
await varve.drain();
for (const task of Object.keys(asked)) delete asked[task];
current = second;
const handle = varve.for({ ...user, session: 'two' });
await handle.observe(second);
const formed = await handle.form();
const known = (await handle.memories.list({ limit: 50 })).items.map(({ content }) => content);
await varve.close();
rmSync(folder, { recursive: true });

const ours = Object.values(asked).reduce((sum, tokens) => sum + tokens, 0);
const rows = [
  ...Object.entries(asked).map(([task, tokens]) => [`varve: ${task}`, '1', String(tokens), '']),
  ['varve: one formation', String(formed.modelCalls), String(ours), '100 %'],
  ...[
    { size: 1, name: 'mem0: add for each message' },
    { size: 2, name: 'mem0: add for each exchange' },
    { size: MESSAGES, name: 'mem0: one add of all messages' },
  ].map(({ size, name }) => {
    const { calls, tokens } = mem0Tokens(second, known, size);
    return [name, String(calls), String(tokens), `${((tokens / ours) * 100).toFixed(0)} %`];
  }),
];
const transcript = estimateTokens(second.map(({ content }) => content).join('\n'));
console.log(
  `A session of ${MESSAGES} messages, ${transcript} tokens; ${known.length} memories known, ${formed.added.length} new.`,
);
printTable(['', 'calls', 'prompt tokens', 'of varve'], rows);
const perMessage = mem0Tokens(second, known, 1).tokens;
console.log(
  `One formation costs ${((ours / perMessage) * 100).toFixed(1)} % of mem0's add for each message (goal: 50 %).`,
);
