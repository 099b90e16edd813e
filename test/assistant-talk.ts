import { readFileSync } from 'node:fs';
import { DAY, manualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { createVarve } from '../src/varve.ts';

/** One message to an assistant, and what should come of it. */
interface Message {
  says: string;
  known?: string[];
  gone?: string[];
  either?: true;
}

/** Somebody who talks with an assistant over some days. */
export interface Persona {
  name: string;
  half: 'worked on' | 'held out' | 'unseen';
  talk: 'of themselves' | 'of things';
  messages: Message[];
}

/** How well what somebody said was remembered. */
export interface TalkScore {
  expected: number;
  found: number;
  formed: number;
  /** Of the formed and live: not from a message that says nothing, not what must be gone, no double. The upper end. */
  right: number;
  missed: string[];
  wrong: string[];
  /** Live memories that no expectation asked for: for a reader to judge. */
  beside: string[];
}

/** The people of `fixtures/assistant-talk.json`. */
export function readPersonas(): Persona[] {
  const path = new URL('./fixtures/assistant-talk.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { personas: Persona[] }).personas;
}

// Sessions of this many messages, one a day: a name that is told on Monday is known on Tuesday.
const SESSION = 9;
const FORMED = [
  'preference',
  'goal',
  'fact',
  'decision',
  'context',
  'feedback',
  'personal',
  'episode',
  'intention',
  'keyed_fact',
];

/** Lets somebody say everything to an assistant that has no model, and looks at what is known in the end. */
export async function scorePersona({ name, messages }: Persona): Promise<TalkScore> {
  const clock = manualClock(new Date('2026-11-16T09:00:00Z'));
  const varve = await createVarve({ store: ':memory:', clock });
  const saidBy = new Map<string, number>();
  try {
    for (let start = 0; start < messages.length; start += SESSION) {
      const handle = varve.for({ agent: 'assistant', user: 'somebody', session: `s${start}` });
      for (const [index, { says }] of messages.slice(start, start + SESSION).entries()) {
        const logged = await handle.logInteraction({ userMessage: says, agentResponse: 'I see.' });
        if (logged.logged) for (const { id } of logged.events) saidBy.set(id, start + index);
        await varve.drain();
        clock.advance(MINUTE);
      }
      await handle.session.close();
      await varve.drain();
      clock.advance(DAY);
    }
    const handle = varve.for({ agent: 'assistant', user: 'somebody' });
    const { items } = await handle.memories.list({ limit: 500, types: FORMED, order: 'oldest' });
    return compare(name, messages, items, (memory) => saidBy.get(memory.sourceEvents[0] ?? '') ?? -1);
  } finally {
    await varve.close();
  }
}

function compare(
  name: string,
  messages: readonly Message[],
  live: readonly Memory[],
  sourceOf: (memory: Memory) => number,
): TalkScore {
  const score: TalkScore = { expected: 0, found: 0, formed: 0, right: 0, missed: [], wrong: [], beside: [] };
  const wanted = messages.flatMap(({ known = [] }) => known);
  const unwanted = messages.flatMap(({ gone = [] }) => gone);
  for (const { says, known = [] } of messages) {
    for (const each of known) {
      score.expected += 1;
      if (live.some((memory) => matches(memory, each))) score.found += 1;
      else score.missed.push(`${name}: ${each}  <<  ${says}`);
    }
  }
  const seen = new Set<string>();
  for (const memory of live) {
    const message = messages[sourceOf(memory)];
    if (message?.either === true) continue;
    score.formed += 1;
    const text = memory.content.toLowerCase();
    const isNothing = message !== undefined && message.known === undefined && message.gone === undefined;
    const isWrong = isNothing || seen.has(text) || unwanted.some((each) => matches(memory, each));
    const line = `${name}: [${memory.type}] ${memory.content}  <<  ${message?.says ?? '?'}`;
    if (isWrong) score.wrong.push(line);
    else {
      score.right += 1;
      if (!wanted.some((each) => matches(memory, each))) score.beside.push(line);
    }
    seen.add(text);
  }
  return score;
}

/** `key=value` asks for a keyed fact; `a & b|c` for one memory that has a, and b or c. */
function matches({ content, key, value }: Memory, wanted: string): boolean {
  const [, name, worth] = /^([a-z_]+)=(.+)$/.exec(wanted) ?? [];
  if (name !== undefined && worth !== undefined)
    return key === name && (value ?? '').toLowerCase().includes(worth.toLowerCase());
  const text = content.toLowerCase();
  return wanted
    .toLowerCase()
    .split('|')
    .some((choice) => choice.split(' & ').every((part) => text.includes(part)));
}

/** The scores of several people as one. */
export function sumScores(scores: readonly TalkScore[]): TalkScore & { recall: number; precision: number } {
  const sum = scores.reduce<TalkScore>(
    (all, each) => ({
      expected: all.expected + each.expected,
      found: all.found + each.found,
      formed: all.formed + each.formed,
      right: all.right + each.right,
      missed: [...all.missed, ...each.missed],
      wrong: [...all.wrong, ...each.wrong],
      beside: [...all.beside, ...each.beside],
    }),
    { expected: 0, found: 0, formed: 0, right: 0, missed: [], wrong: [], beside: [] },
  );
  return { ...sum, recall: sum.found / sum.expected, precision: sum.right / sum.formed };
}
