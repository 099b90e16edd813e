import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { DemoLife } from '../http/inspector/inspector-door.ts';
import { singleLine } from '../language/words.ts';
import { type DataRequest, type Generated, type LanguageModel, NO_USAGE } from '../models/language-model.ts';
import { HOUR, manualClock, SECOND } from '../record/clock.ts';
import { createVarve, type Varve } from '../varve.ts';

/** The content of `examples/demo-life.json`: conversations with the statements that a careful reader finds in them. */
interface Life {
  person: string;
  sessions: LifeSession[];
  /** Messages for which contexts are assembled at the end, so that the inspector has some to show. */
  questions: string[];
}

interface LifeSession {
  id: string;
  start: string;
  turns: { id: string; role: 'user' | 'assistant' | 'tool'; text: string }[];
  statements: LifeStatement[];
  /** Statements that a turn ends without stating a new one. */
  ends: { turn: string; quote: string; text: string }[];
  reflections: string[];
  topics: { topic: string; summary: string }[];
  /** The agent's scaffold updates after the conversation: for each relative that it mentions, everything known by then. */
  people: Record<string, Record<string, string>>;
}

interface LifeStatement {
  turn: string;
  quote: string;
  text: string;
  replaces?: string;
  /** Marks a wrong reading, as models sometimes return it: words that nobody said, or the assistant's words as the user's. */
  isWrong?: true;
  [field: string]: unknown;
}

const PLACES = ['../../examples/demo-life.json', '../demo-life.json'];
const AGENT = 'assistant';
const TURN_EVERY = 40 * SECOND;
const NIGHT = 20 * HOUR;
const WEEK = 7 * 24 * HOUR;

export function demoLife(varve: Varve): DemoLife | null {
  const file = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path));
  if (file === undefined) return null;
  const life = JSON.parse(readFileSync(file, 'utf8')) as Life;
  const user = life.person.split(/[\s,]/, 1)[0]?.toLowerCase() ?? 'demo';
  return {
    user,
    title: `${life.person}. ${life.sessions.length} conversations from ${life.sessions[0]?.start.slice(0, 7)} to ${life.sessions.at(-1)?.start.slice(0, 7)}, replayed with their changes.`,
    sessions: life.sessions.length,
    load: (tenant, onSession) => loadLife(varve, life, { tenant, user, onSession }),
  };
}

/** Uses a temporary store with a clock in the past: the worker of the server's own store would run the jobs at today's date. */
async function loadLife(
  varve: Varve,
  life: Life,
  { tenant, user, onSession }: { tenant: string; user: string; onSession(done: number): void },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-demo-'));
  const store = join(folder, 'demo.db');
  try {
    await replay(store, life, { user, onSession });
    const replayed = await createVarve({ store, background: false, embedder: null, tracing: false });
    try {
      await varve.operator.import(replayed.operator.export({}), { into: { tenant } });
    } finally {
      await replayed.close();
    }
    const today = varve.for({ tenant, agent: AGENT, user, session: 'demo-questions' });
    for (const message of life.questions) await today.context({ message });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replay(
  store: string,
  life: Life,
  { user, onSession }: { user: string; onSession(done: number): void },
): Promise<void> {
  const clock = manualClock(new Date(life.sessions[0]?.start ?? 0));
  const common = { store, clock, background: false, tracing: false } as const;
  // `reading` uses the annotations as its model. `working` does everything else without a model.
  const reading = await createVarve({
    ...common,
    languageModel: annotatingModel(life),
    formation: { writes: 'deferred', tasks: { read: 'model', decide: 'local', reflect: 'model' } },
  });
  const working = await createVarve({ ...common, formation: { writes: 'deferred', summaries: false } });
  try {
    for (const [index, { id, turns, people, ...session }] of life.sessions.entries()) {
      const start = Date.parse(session.start);
      while (clock.now() + WEEK < start) {
        clock.advance(WEEK);
        await working.drain();
      }
      clock.set(Math.max(clock.now(), start));
      const handle = working.for({ agent: AGENT, user, session: id });
      for (const { role, text } of turns) {
        const origin = ({ user: 'user', assistant: 'agent', tool: 'tool' } as const)[role];
        await handle.observe({ content: text, origin, ...(role === 'tool' ? { kind: 'tool_result' } : {}) });
        clock.advance(TURN_EVERY);
      }
      await reading.for(handle.scope).form();
      await handle.session.close();
      if (Object.keys(people).length > 0) await handle.updateUserContext({ scaffoldUpdates: people });
      await working.drain();
      clock.advance(NIGHT);
      await working.drain();
      await working.for({ agent: AGENT, user }).reflect();
      onSession(index + 1);
    }
  } finally {
    await reading.close();
    await working.close();
  }
}

function annotatingModel(life: Life): LanguageModel {
  const refused = (): never => {
    const message = 'The annotations of the demo life answer reading prompts only.';
    throw new VarveError(message, { code: 'model_unavailable' });
  };
  return {
    modelOf: () => 'demo-annotations',
    generateText: async () => refused(),
    async generate<Schema extends z.ZodType>({
      task,
      prompt,
      schema,
    }: DataRequest<Schema>): Promise<Generated<z.output<Schema>>> {
      if (task !== 'read') return refused();
      const data = schema.parse(answerTo(life, prompt.user));
      const tokens = { tokensIn: Math.ceil(prompt.user.length / 4), tokensOut: 400, estimated: true };
      return { data, model: 'demo-annotations', usage: { ...NO_USAGE, calls: 1, ...tokens }, repaired: false };
    },
  };
}

function answerTo({ sessions }: Life, prompt: string): unknown {
  const isAmending = prompt.includes('You have read these turns before.');
  const refused = section(prompt, 'refused').join('\n');
  const known = section(prompt, 'known').map((line) => line.replace(/^\d+\. /, ''));
  const numberOf = (text = ''): number | null => {
    const index = known.findIndex((line) => text !== '' && line.endsWith(singleLine(text)));
    return index < 0 ? null : index + 1;
  };
  const numbers = turnNumbers(sessions, section(prompt, 'turns'));
  const session = sessions.find(({ turns }) => turns.some(({ id }) => numbers.has(id)));
  const { statements = [], ends = [], turns = [], reflections = [], topics = [] } = session ?? {};
  const isAsked = ({ turn, text, isWrong }: LifeStatement): boolean =>
    numbers.has(turn) && (!isAmending || (isWrong !== true && refused.includes(singleLine(text))));
  const read = statements.filter(isAsked).map(({ turn, quote, replaces, isWrong: _isWrong, ...fields }) => {
    const said = isAmending ? turns.find(({ id }) => id === turn)?.text : quote;
    const target = numberOf(replaces);
    return { ...fields, turn: numbers.get(turn), quote: said, relation: target && 'replaces', known: target };
  });
  if (isAmending) return { statements: read, ends: [], forgets: [], reflections: [], topics: [] };
  return {
    statements: read,
    ends: ends.flatMap(({ turn, quote, text }) => {
      const [number, target] = [numbers.get(turn), numberOf(text)];
      return number === undefined || target === null ? [] : { known: target, turn: number, quote };
    }),
    forgets: [],
    reflections: reflections.map((text) => ({ level: 'user', text })),
    topics,
  };
}

function section(prompt: string, name: string): string[] {
  const found = new RegExp(`<(${name}-[^>]+)>\\n([\\s\\S]*?)\\n</\\1>`).exec(prompt);
  return found?.[2]?.split('\n') ?? [];
}

function turnNumbers(sessions: readonly LifeSession[], lines: readonly string[]): Map<string, number> {
  const turns = sessions.flatMap((session) => session.turns);
  const numbers = new Map<string, number>();
  for (const line of lines) {
    const match = /^(\d+)\. \[[^\]]+\] [^:]+: (.*)$/.exec(line);
    const turn = turns.find(({ text }) => singleLine(text) === match?.[2]);
    if (match !== null && turn !== undefined) numbers.set(turn.id, Number(match[1]));
  }
  return numbers;
}
