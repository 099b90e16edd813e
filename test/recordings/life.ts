import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Handle } from '../../src/handle/handle.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { manualClock } from '../../src/record/clock.ts';
import type { Memory } from '../../src/record/memory.ts';
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

const NO_STATEMENTS = new Set(['summary', 'reflection', 'pattern', 'note', 'saved_item', 'learning']);

/** Compares what is live at the end with what the life says should be. */
export async function scoreLife(life: Life, { handle, turnOf }: Lived): Promise<LifeScore> {
  const live: Memory[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page: { items: Memory[]; cursor: string | null } = await handle.memories.list({
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    });
    live.push(...page.items);
    cursor = page.cursor;
  }
  const statements = live.filter((memory) => !NO_STATEMENTS.has(memory.type) && memory.sourceEvents.length > 0);
  const turnsOf = (memory: Memory): string[] => memory.sourceEvents.flatMap((id) => turnOf.get(id) ?? []);
  const texts = new Map(life.sessions.flatMap(({ turns }) => turns.map(({ id, text }) => [id, flat(text)])));
  const rests = (gold: GoldMemory, memory: Memory): boolean =>
    gold.stated.some((turn) => turnsOf(memory).includes(turn));
  const says = (gold: GoldMemory, memory: Memory): boolean => {
    if (!rests(gold, memory)) return false;
    const value = gold.value?.toLowerCase();
    if (
      value !== undefined &&
      (memory.value?.toLowerCase().includes(value) === true || memory.content.toLowerCase().includes(value))
    )
      return true;
    const quoted = flat(memory.content);
    const isQuote = quoted.length > 7 && gold.stated.some((turn) => texts.get(turn)?.includes(quoted) === true);
    return covers(gold.text, memory.content) >= (isQuote ? 0.25 : 0.6);
  };
  const together = (gold: GoldMemory): boolean =>
    covers(
      gold.text,
      statements
        .filter((memory) => rests(gold, memory))
        .map(({ content, value }) => `${content} ${value ?? ''}`)
        .join(' '),
    ) >= 0.6;
  const holds = life.memories.filter(({ until }) => until === null);
  const ended = life.memories.filter(({ until }) => until !== null);
  const missed = holds.filter((gold) => !statements.some((memory) => says(gold, memory)) && !together(gold));
  const stale = ended.filter((gold) => {
    const next = life.memories.find(({ id }) => id === gold.replacedBy);
    if (next !== undefined && statements.some((memory) => says(next, memory) && says(gold, memory))) return false;
    return statements.some((memory) => says(gold, memory));
  });
  const stated = new Set(life.memories.flatMap((gold) => gold.stated));
  const junk = statements.filter((memory) => !turnsOf(memory).some((turn) => stated.has(turn)));
  const slots = holds.filter(
    ({ slot, about }) =>
      slot !== null &&
      /^(?:user|nutzer|usuari|utilisateur|用户|ユーザー|usuário)/i.test(about) &&
      !/['’]s /.test(about),
  );
  const facts = await handle.facts.list();
  const isRight = (gold: GoldMemory): boolean =>
    facts.some(({ value }) => {
      const [one, other] = [(value ?? '\0').toLowerCase(), (gold.value ?? '').toLowerCase()];
      return one.includes(other) || other.includes(one);
    });
  return {
    holds: holds.length,
    kept: holds.length - missed.length,
    ended: ended.length,
    stale: stale.length,
    statements: statements.length,
    junk: junk.length,
    slots: slots.length,
    slotsRight: slots.filter(isRight).length,
    missed: missed.map(({ text }) => text),
    staleTexts: stale.map(({ text }) => text),
    junkTexts: junk.map(({ type, content }) => `[${type}] ${content}`),
  };
}

const STOP = new Set(
  "user user's users a an the is are was were be been has have had do does did to of in on at for with and or but that this it its their they them he she his her not no from by as about into who which what when will would wants want likes like prefers".split(
    ' ',
  ),
);

function flat(text: string): string {
  return text
    .toLowerCase()
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The share of the telling words of one text that another has; pairs of characters in scripts without spaces. */
export function covers(gold: string, text: string): number {
  const [needed, given] = [bag(gold), bag(text)];
  let shared = 0;
  for (const word of needed) if (given.has(word)) shared += 1;
  return needed.size === 0 ? 0 : shared / needed.size;
}

function bag(text: string): Set<string> {
  const signs = text.replace(/[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, '');
  if (signs.length > 5)
    return new Set(Array.from({ length: signs.length - 1 }, (_, index) => signs.slice(index, index + 2)));
  const words =
    text
      .toLowerCase()
      .replace(/[’']s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP.has(word)).map(stem));
}

function stem(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  return word.replace(/(?:ingly|edly|ings|ing|ied|ies|ed|es|s|ly)$/, (ending) =>
    word.length - ending.length >= 3 ? '' : ending,
  );
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
