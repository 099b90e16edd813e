import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataset } from '../../src/evaluate/datasets/load-dataset.ts';
import { measureExtraction, measureScaffold } from '../../src/evaluate/measure-extraction.ts';
import type { Row } from '../../src/evaluate/row.ts';
import type { Handle } from '../../src/handle/handle.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { manualClock } from '../../src/record/clock.ts';
import { createVarve, type Varve, type VarveOptions } from '../../src/varve.ts';
import { ONLY_FORMATION } from '../form-model.ts';

/** A life: train/lives/FORMAT.md. */
export interface Life {
  id: string;
  language: string;
  sessions: {
    id: string;
    start: string;
    turns: { id: string; role: 'user' | 'assistant' | 'tool'; speaker: string; text: string }[];
  }[];
  memories: GoldMemory[];
  questions: LifeQuestion[];
}

/** A question that is asked after a session, the turns that answer it, and the memories that those turns state. */
export interface LifeQuestion {
  id: string;
  after: string;
  kind: string;
  question: string;
  evidence: string[];
  memories: string[];
}

export interface GoldMemory {
  id: string;
  about: string;
  text: string;
  slot: string | null;
  value: string | null;
  stated: string[];
  until: string | null;
  replacedBy: string | null;
}

export function loadLife(id: string): Life {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../train/lives', `${id}.json`), 'utf8')) as Life;
}

/** A life that was lived through: the open store, and which turn each event was. */
export interface Lived {
  varve: Varve;
  handle: Handle;
  turnOf: Map<string, string>;
}

/** How a life is lived: options of the store, and what happens after each session and its night. */
export interface LifeOptions extends VarveOptions {
  afterSession?: (session: string, lived: Lived, now: number) => Promise<void>;
}

const TURN = 40_000;
const NIGHT = 20 * 3_600_000;

/** Lives a life through: its turns at their own times, each session closed, a night after each. Formation and upkeep are at work. */
export async function playLife(
  life: Life,
  languageModel: LanguageModel | null,
  { afterSession, ...options }: LifeOptions = {},
): Promise<Lived> {
  const clock = manualClock(Date.parse(life.sessions[0]?.start ?? ''));
  const varve = await createVarve({
    store: ':memory:',
    background: false,
    clock,
    consolidation: { ...ONLY_FORMATION, decay: { enabled: true } },
    ...(languageModel === null ? {} : { languageModel }),
    ...options,
  });
  const turnOf = new Map<string, string>();
  const scope = { agent: 'assistant', user: life.id };
  const lived: Lived = { varve, handle: varve.for(scope), turnOf };
  const speakers = new Set(
    life.sessions.flatMap(({ turns }) => turns.filter(({ role }) => role === 'user').map(({ speaker }) => speaker)),
  );
  for (const session of life.sessions) {
    const start = Date.parse(session.start);
    const handle = varve.for({ ...scope, session: session.id });
    // Where nights are reflected on, they were, before the day begins.
    if (options.consolidation !== undefined) {
      clock.set(Math.max(clock.now(), start - TURN));
      await varve.drain();
    }
    for (const [index, turn] of session.turns.entries()) {
      clock.set(Math.max(clock.now(), start + index * TURN));
      const origin = ({ user: 'user', assistant: 'agent', tool: 'tool' } as const)[turn.role];
      const { events } = await handle.observe([
        {
          content: turn.text,
          origin,
          ...(turn.role === 'tool' ? { kind: 'tool_result' as const } : {}),
          ...(speakers.size > 1 && turn.role === 'user' ? { speaker: turn.speaker } : {}),
        },
      ]);
      turnOf.set(events[0]?.id ?? '', turn.id);
      if (index % 4 === 3) await varve.drain();
    }
    await handle.session.close();
    await varve.drain();
    clock.advance(NIGHT);
    await varve.drain();
    await afterSession?.(session.id, lived, clock.now());
  }
  return lived;
}

/** What a life has become, in counts: the definitions are those of the lives' own scorer. */
export interface LifeScore {
  holds: number;
  kept: number;
  ended: number;
  stale: number;
  statements: number;
  junk: number;
  slots: number;
  slotsRight: number;
  missed: string[];
  staleTexts: string[];
  junkTexts: string[];
}

/** Compares what is live at the end with what the life says should be: the measures of `varve eval extraction` and `scaffold`. */
export async function scoreLife(life: Life, { varve, handle, turnOf }: Lived): Promise<LifeScore> {
  const [conversation] = loadDataset({ name: 'lives', only: [life.id] }).conversations;
  if (conversation === undefined) throw new Error(`There is no life ${life.id}.`);
  const replay = { conversation, varve, clock: manualClock(0), turnOf, handle: () => handle };
  const rows = await measureExtraction(replay);
  const slots = await measureScaffold(replay);
  const having = (metric: string, value?: number): Row[] =>
    [...rows, ...slots]
      .map((row) => ({ conversation: life.id, arm: 'all', ...row }))
      .filter(({ values }) => (value === undefined ? values[metric] !== undefined : values[metric] === value));
  const texts = (found: readonly Row[], name: string): string[] => found.map(({ detail }) => String(detail?.[name]));
  return {
    holds: having('kept').length,
    kept: having('kept', 1).length,
    ended: having('stale').length,
    stale: having('stale', 1).length,
    statements: having('useful').length,
    junk: having('useful', 0).length,
    slots: having('right').length,
    slotsRight: having('right', 1).length,
    missed: texts(having('kept', 0), 'expected'),
    staleTexts: texts(having('stale', 1), 'expected'),
    junkTexts: having('useful', 0).map(({ kind, detail }) => `[${kind}] ${String(detail?.['text'])}`),
  };
}

/** The sum of scores. */
export function sumScores(scores: readonly LifeScore[]): LifeScore {
  const [first, ...others] = scores;
  if (first === undefined) throw new Error('There is no score to sum up.');
  return others.reduce<LifeScore>((sum, score) => {
    const added = Object.entries(score).map(([key, value]) => {
      const before = sum[key as keyof LifeScore];
      return [key, Array.isArray(value) ? [...(before as string[]), ...value] : (before as number) + (value as number)];
    });
    return Object.fromEntries(added) as LifeScore;
  }, first);
}
