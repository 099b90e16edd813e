import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { ExpectedMemory, Turn } from '../evaluate/conversation.ts';
import type { DemoLife } from '../http/inspector/inspector-door.ts';
import { MONTHS } from '../language/calendar.ts';
import { singleLine } from '../language/words.ts';
import { type DataRequest, type Generated, type LanguageModel, NO_USAGE } from '../models/language-model.ts';
import { HOUR, manualClock, SECOND } from '../record/clock.ts';
import { createVarve, type Varve } from '../varve.ts';

/** The content of `examples/demo-life.json`: conversations, and the memories that a careful reader forms from them. */
interface Life {
  person: string;
  sessions: {
    id: string;
    start: string;
    topics: { topic: string; summary: string }[];
    /** What an assistant keeps in mind about working with the person. */
    reflections: string[];
    turns: Omit<Turn, 'at'>[];
  }[];
  memories: Annotated[];
  questions: { question: string }[];
}

interface Annotated extends Omit<ExpectedMemory, 'contains' | 'minimumImportance'> {
  type: string;
  polarity: 'positive' | 'negative';
  /** Present only if the tense does not follow from the type. */
  tense?: 'happened';
}

const PLACES = ['../../examples/demo-life.json', '../demo-life.json'];
const AGENT = 'assistant';
const TURN_EVERY = 40 * SECOND;
const NIGHT = 20 * HOUR;
const WEEK = 7 * 24 * HOUR;
// The number of contexts that are assembled at the end, so that the inspector has contexts to show.
const QUESTIONS = 3;

/** The demo life, or null if the package does not contain it. */
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

/**
 * Replays a life into a temporary store, with a clock that follows the life's dates, and imports the result. In the server's own store
 * the worker would run these jobs at today's date.
 */
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
    for (const { question } of life.questions.slice(-QUESTIONS)) await today.context({ message: question });
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
  // The first instance reads with the annotations in place of a model; the second does all other
  // work without a model, and adds no quotations to the topics that were read.
  const reading = await createVarve({
    ...common,
    languageModel: annotatingModel(life),
    formation: { writes: 'deferred', tasks: { read: 'model', decide: 'local', reflect: 'model' } },
  });
  const working = await createVarve({ ...common, formation: { writes: 'deferred', summaries: false } });
  try {
    for (const [index, session] of life.sessions.entries()) {
      const start = Date.parse(session.start);
      while (clock.now() + WEEK < start) {
        clock.advance(WEEK);
        await working.drain();
      }
      clock.set(Math.max(clock.now(), start));
      const handle = working.for({ agent: AGENT, user, session: session.id });
      for (const { role, text } of session.turns) {
        const origin = ({ user: 'user', assistant: 'agent', tool: 'tool' } as const)[role];
        await handle.observe({ content: text, origin, ...(role === 'tool' ? { kind: 'tool_result' } : {}) });
        clock.advance(TURN_EVERY);
      }
      await reading.for(handle.scope).form();
      await handle.session.close();
      const people = peopleOf(life, index);
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

/**
 * The scaffold updates of an agent after a conversation: the relatives whom the conversation mentions, with all that is known of them then.
 * An update replaces the whole entry of its key.
 */
function peopleOf(life: Life, last: number): Record<string, Record<string, string>> {
  const people: Record<string, Record<string, string>> = {};
  const mentioned = new Set<string>();
  const heard = new Set(life.sessions.slice(0, last + 1).flatMap(({ turns }) => turns.map(({ id }) => id)));
  const current = `${life.sessions[last]?.id}.`;
  for (const { about, slot, value, stated, until } of life.memories) {
    const [, relation, name] = /^User's (.+) (\S+)$/.exec(about) ?? [];
    const said = stated.filter((turn) => heard.has(turn));
    if (relation === undefined || name === undefined || said.length === 0) continue;
    const key = name.toLowerCase();
    const person = (people[key] ??= { relation });
    if (said.some((turn) => turn.startsWith(current))) mentioned.add(key);
    const isOver = until !== null && heard.has(until);
    if (slot !== null && value !== null && !isOver) person[slot] = value;
  }
  return Object.fromEntries(Object.entries(people).filter(([key]) => mentioned.has(key)));
}

/** Wrong readings as models sometimes return them: one with words that nobody said, one with the assistant's words as the user's. */
const CARELESS = [
  ['s4', 'User flies to Perth in the spring.', 'I shall fly to Perth in the spring', 'user'],
  ['s5', 'User eats oily fish twice a week.', 'beans, veg, oily fish', 'assistant'],
] as const;

/** Answers the reading prompt from the annotations of a life, in the format of a language model's answer. */
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

const TYPES: Readonly<Record<string, string>> = { instruction: 'preference' };
const TENSES: Readonly<Record<string, string>> = { episode: 'happened', intention: 'planned' };

function answerTo(life: Life, prompt: string): unknown {
  const turns = life.sessions.flatMap((session) => session.turns);
  const isAmending = prompt.includes('You have read these turns before.');
  const numbers = turnNumbers(turns, section(prompt, 'turns'));
  const known = section(prompt, 'known').map((line) => line.replace(/^\d+\. /, ''));
  const numberOf = (text: string): number | null => {
    const index = known.findIndex((line) => line.endsWith(singleLine(text)));
    return index < 0 ? null : index + 1;
  };
  const refused = section(prompt, 'refused').join('\n');
  const statements = life.memories.flatMap((memory) => {
    const said = memory.stated.find((turn) => numbers.has(turn));
    const turn = turns.find(({ id }) => id === said);
    const isSaidAgain = memory.stated[0] !== said;
    if (said === undefined || turn === undefined || isSaidAgain || turn.role !== 'user') return [];
    if (isAmending && !refused.includes(singleLine(memory.text))) return [];
    const replaced = replacedIn(life, memory.id);
    const target = replaced === undefined ? null : numberOf(replaced.text);
    const due = memory.type === 'intention' || memory.slot === 'appointment' ? dateIn(memory.text) : null;
    return {
      text: memory.text,
      about: memory.about,
      attribute: memory.slot,
      value: memory.value,
      denied: memory.polarity === 'negative',
      tense: memory.tense ?? TENSES[memory.type] ?? 'holds',
      type: TYPES[memory.type] ?? memory.type,
      turn: numbers.get(said),
      quote: isAmending ? turn.text : quoteFor(memory.text, turn.text),
      due,
      relation: target === null ? null : 'replaces',
      known: target,
    };
  });
  const careless = CARELESS.flatMap(([session, text, quote, role]) => {
    const turn = turns.find(
      ({ id, role: who, text: said }) =>
        id.startsWith(`${session}.`) && numbers.has(id) && who === role && (role === 'user' || said.includes(quote)),
    );
    return turn === undefined || isAmending ? [] : { text, turn: numbers.get(turn.id), quote, type: 'fact' };
  });
  const ends = life.memories.flatMap(({ id: own, text, until, replacedBy }) => {
    const number = until === null ? undefined : numbers.get(until);
    const target = numberOf(text);
    const turn = turns.find(({ id }) => id === until);
    const isReplaced = replacedBy !== null && replacedIn(life, replacedBy)?.id === own;
    if (isAmending || isReplaced || number === undefined || target === null || turn?.role !== 'user') return [];
    return { known: target, turn: number, quote: quoteFor(text, turn.text) };
  });
  const session = life.sessions.find((each) => !isAmending && each.turns.some(({ id }) => numbers.has(id)));
  return {
    statements: [...statements, ...careless],
    ends,
    forgets: [],
    reflections: (session?.reflections ?? []).map((text) => ({ level: 'user', text })),
    topics: session?.topics ?? [],
  };
}

/** The memory that another memory replaces. An answer can name only one; the other obsolete memories are in `ends`. */
function replacedIn(life: Life, by: string): Annotated | undefined {
  return life.memories.find(({ replacedBy }) => replacedBy === by);
}

/** The lines between the fences of a part of the prompt. */
function section(prompt: string, name: string): string[] {
  const found = new RegExp(`<(${name}-[^>]+)>\\n([\\s\\S]*?)\\n</\\1>`).exec(prompt);
  return found?.[2]?.split('\n') ?? [];
}

function turnNumbers(turns: readonly Omit<Turn, 'at'>[], lines: readonly string[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const line of lines) {
    const match = /^(\d+)\. \[[^\]]+\] [^:]+: (.*)$/.exec(line);
    const turn = turns.find(({ text }) => singleLine(text) === match?.[2]);
    if (match !== null && turn !== undefined) numbers.set(turn.id, Number(match[1]));
  }
  return numbers;
}

/** The sentence of a turn that shares the most words with a statement. */
function quoteFor(statement: string, turn: string): string {
  const words = wordsOf(statement);
  const parts = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(turn)];
  const shared = parts.map(({ segment }) => [...wordsOf(segment)].filter((word) => words.has(word)).length);
  const best = shared.indexOf(Math.max(...shared));
  return (parts[best]?.segment ?? turn).trim();
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
}

function dateIn(text: string): string | null {
  const found = new RegExp(`\\b(\\d{1,2} (?:${MONTHS.join('|')}) \\d{4})`).exec(text);
  return found === null ? null : new Date(`${found[1]} UTC`).toISOString().slice(0, 10);
}
