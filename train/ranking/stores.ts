import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataset } from '../../src/evaluate/datasets/load-dataset.ts';
import { liveStatements, openReplay, play } from '../../src/evaluate/replay.ts';
import type { RecallDocument } from '../../src/recall/recall-document.ts';
import { readConversations, readQuestions } from './locomo.ts';

/** A store as recall sees it, with questions whose answering documents are known. */
export interface RankingStore {
  /** The kind of store. The report has a row for each kind. */
  set: string;
  /** The conversation. Stores of one group are never on both sides of a split. */
  group: string;
  /** Whether the local embedder was trained on questions of this store. Its cosines are then too good. */
  seenByEmbedder: boolean;
  documents: RecallDocument[];
  questions: RankingQuestion[];
}

export interface RankingQuestion {
  text: string;
  /** The kind of question, as its source names it. */
  kind: string;
  /** How many documents the store had when the question was asked. */
  known: number;
  now: number;
  /** For each piece of evidence, the ordinals of the documents that contain it. Empty if nothing answers the question. */
  evidence: number[][];
  /** The ordinals of documents that the evidence has made untrue. */
  outdated?: number[];
}

interface Turn {
  id: string;
  role: 'user' | 'agent' | 'tool';
  speaker: string | null;
  session: string;
  text: string;
  time: number;
}

interface Life {
  id: string;
  language: string;
  sessions: { id: string; start: string; turns: { id: string; role: string; speaker: string; text: string }[] }[];
  memories: {
    id: string;
    type: string;
    about: string;
    text: string;
    slot: string | null;
    stated: string[];
    until: string | null;
  }[];
  questions: { after: string; kind: string; question: string; evidence: string[]; memories: string[] }[];
}

const LIVES = join(import.meta.dirname, '..', 'lives');
// The local embedder was trained on the English lives, except every fifth one (train/embedder/prepare.py).
const TAUGHT_WITH = new Set(['en', 'mixed']);

export function readLives(): Life[] {
  return readdirSync(LIVES)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(LIVES, name), 'utf8')) as Life);
}

const MINUTE = 60_000;
export const DAY: number = 1_440 * MINUTE;
// Questions of lives are asked a day after a session. Questions without a time are asked a year after the last turn.
const LATER = 365 * DAY;

function turnsOf(life: Life): Turn[] {
  const users = new Set(
    life.sessions.flatMap(({ turns }) => turns.filter(({ role }) => role === 'user').map(({ speaker }) => speaker)),
  );
  return life.sessions.flatMap((session) =>
    session.turns.map((turn, index) => ({
      id: turn.id,
      role: turn.role === 'user' ? 'user' : turn.role === 'tool' ? 'tool' : 'agent',
      speaker: turn.role === 'user' && users.size > 1 ? turn.speaker : null,
      session: session.id,
      text: turn.text,
      time: Date.parse(session.start) + index * MINUTE,
    })),
  );
}

/** The document of a turn, as `recall-document.ts` builds it from an event. */
export function turnDocument({ id, role, speaker, session, text, time }: Turn, rowId: number): RecallDocument {
  return {
    kind: 'event',
    rowId,
    id,
    text,
    type: role === 'tool' ? 'tool_result' : 'message',
    attribute: null,
    category: null,
    isPermanent: false,
    speaker: speaker ?? (role === 'tool' ? null : `\u0001${role}`),
    role: speaker !== null && role === 'user' ? null : role,
    session,
    connection: null,
    sources: [],
    time,
    until: null,
    expiresAt: null,
    successor: null,
  };
}

const MOMENTARY: ReadonlySet<string> = new Set(['episode', 'intention']);

export function memoryDocument(memory: Life['memories'][0], time: number, rowId: number): RecallDocument {
  return {
    kind: 'memory',
    rowId,
    id: memory.id,
    text: memory.text,
    type: memory.type,
    subject: memory.about,
    attribute: memory.slot,
    category: null,
    isPermanent: memory.slot !== null,
    speaker: null,
    role: null,
    session: null,
    connection: null,
    sources: memory.stated,
    time,
    // In this store nothing ends a statement, so its end is not known.
    until: MOMENTARY.has(memory.type) ? null : Infinity,
    expiresAt: null,
    successor: null,
  };
}

/** The documents of a store. `read`: the turns and the statements of the local reader, which lack much of what the questions ask for. */
const PARTS = ['turns', 'statements', 'both', 'read'] as const;
type Part = (typeof PARTS)[number];

/** A life with the statements that the product forms without a language model, instead of those that the author wrote. */
async function asRead(life: Life): Promise<Life> {
  const [conversation] = loadDataset({ name: 'lives', only: [life.id] }).conversations;
  if (conversation === undefined) throw new Error(`There is no life ${life.id}.`);
  const replay = await openReplay(conversation, { embedder: null });
  await play(replay);
  const statements = await liveStatements(replay);
  await replay.varve.close();
  const memories = statements.map(({ memory, text, turns }) => ({
    id: memory.id,
    type: memory.type,
    about: memory.subject,
    text,
    slot: memory.permanent ? memory.attribute : null,
    stated: [...turns],
    until: null,
  }));
  return { ...life, memories: memories.filter(({ stated }) => stated.length > 0) };
}

/**
 * A life as a store of its turns, of its statements, or of both. In a store of both, a statement counts as evidence like the turns that
 * state it.
 */
function lifeStore(life: Life, part: Part, set: string, seenByEmbedder: boolean): LifeStore {
  const turns = turnsOf(life);
  const place = new Map(turns.map(({ id }, index) => [id, index]));
  const toldAt = ({ stated }: Life['memories'][0]): number => Math.min(...stated.map((id) => place.get(id) ?? 0));
  const documents: RecallDocument[] = [];
  const ordinals = new Map<string, number>();
  const moments: Moment[] = [];
  const add = (document: RecallDocument): void => {
    ordinals.set(document.id, documents.length);
    documents.push(document);
  };
  for (const session of life.sessions) {
    const told = turns.filter((turn) => turn.session === session.id);
    if (part !== 'statements') for (const turn of told) add(turnDocument(turn, documents.length));
    if (part !== 'turns') {
      for (const memory of life.memories) {
        const at = turns[toldAt(memory)];
        if (at?.session === session.id) add(memoryDocument(memory, at.time, documents.length));
      }
    }
    moments.push({ session: session.id, known: documents.length, now: (told.at(-1)?.time ?? 0) + DAY });
  }
  const stating = (turn: string, memories: readonly string[]): string[] =>
    life.memories
      .filter(({ id, stated }) => (part === 'read' || memories.includes(id)) && stated.includes(turn))
      .map(({ id }) => id);
  const questions = life.questions.map((question): RankingQuestion => {
    const { known, now } = moments.find(({ session }) => session === question.after) ?? { known: 0, now: 0 };
    const pieces =
      part === 'statements'
        ? question.memories.map((id) => [id])
        : question.evidence.map((turn) => [turn, ...(part === 'turns' ? [] : stating(turn, question.memories))]);
    const evidence = pieces
      .map((ids) => ids.flatMap((id) => ordinals.get(id) ?? []).filter((ordinal) => ordinal < known))
      .filter((found) => found.length > 0);
    return { text: question.question, kind: question.kind, known, now, evidence };
  });
  const answered = questions.filter(({ kind, evidence }) => kind === 'unknown' || evidence.length > 0);
  return { set, group: life.id, seenByEmbedder, documents, questions: answered, moments };
}

/** The end of a session, and the number of documents that are known then. */
interface Moment {
  session: string;
  known: number;
  now: number;
}

interface LifeStore extends RankingStore {
  moments: Moment[];
}

// Questions of these kinds have no answer before their evidence was stated. Questions about a present or an earlier state may have had
// another answer.
const UNKNOWN_BEFORE: ReadonlySet<string> = new Set(['single', 'multi', 'time', 'who', 'apply']);

/**
 * The same store with more questions, to learn when there is no answer. Answerable questions are asked again at the end. Questions are also
 * asked before their answer was stated (`early`), and questions of another life are added (`stranger`).
 */
function askedMore(store: LifeStore, strangers: readonly RankingQuestion[]): RankingStore {
  const first = store.moments[0] as Moment;
  const last = store.moments.at(-1) as Moment;
  const questions: RankingQuestion[] = [];
  for (const question of store.questions) {
    questions.push(question);
    if (question.evidence.length === 0) continue;
    if (question.known !== last.known) questions.push({ ...question, known: last.known, now: last.now });
    const told = Math.min(...question.evidence.flat());
    const before = store.moments.findLast(({ known }) => known > 0 && known <= told);
    if (before === undefined || !UNKNOWN_BEFORE.has(question.kind)) continue;
    questions.push({ ...question, kind: 'early', known: before.known, now: before.now, evidence: [] });
  }
  for (const [index, { text }] of strangers.filter(({ evidence }) => evidence.length > 0).entries()) {
    const { known, now } = index % 2 === 0 ? last : first;
    if (known > 0) questions.push({ text, kind: 'stranger', known, now, evidence: [] });
  }
  return { ...store, questions };
}

// How many turns are joined to one long turn. The numbers are used in rotation.
const RUNS = [3, 5, 2, 6, 4];

/** Lives with long turns: several turns of a session are joined to one turn, and several lives share a store without speakers. */
function longTurnStore(lives: readonly Life[], set: string): RankingStore {
  const documents: RecallDocument[] = [];
  const ordinals = new Map<string, number>();
  let runs = 0;
  for (const life of lives) {
    for (const session of life.sessions) {
      const turns = turnsOf(life).filter((turn) => turn.session === session.id && turn.role !== 'tool');
      for (let at = 0; at < turns.length;) {
        const run = turns.slice(at, at + (RUNS[runs % RUNS.length] as number));
        runs += 1;
        at += run.length;
        for (const { id } of run) ordinals.set(`${life.id} ${id}`, documents.length);
        const first = run[0] as Turn;
        const text = run.map((turn) => turn.text).join('\n');
        const whole = { ...first, id: `${life.id} ${first.id}`, session: `${life.id} ${session.id}`, text };
        documents.push(turnDocument({ ...whole, role: 'user', speaker: null }, documents.length));
      }
    }
  }
  const now = Math.max(...documents.map(({ time }) => time)) + LATER;
  const questions = lives.flatMap((life) =>
    life.questions.map((question): RankingQuestion => {
      const places = question.evidence.flatMap((id) => ordinals.get(`${life.id} ${id}`) ?? []);
      return {
        text: question.question,
        kind: question.kind,
        known: documents.length,
        now,
        evidence: [...new Set(places)].map((ordinal) => [ordinal]),
      };
    }),
  );
  // A question that is unknown in one life may have an answer in another life of the same store.
  const answered = questions.filter(({ evidence }) => evidence.length > 0);
  return { set, group: lives.map(({ id }) => id).join(' '), seenByEmbedder: true, documents, questions: answered };
}

/** The stores of the lives of the repository. `more`: the same stores with further questions, many of which cannot be answered. */
export async function livesStores(
  lives: readonly Life[] = readLives(),
): Promise<{ stores: RankingStore[]; more: RankingStore[] }> {
  const stores: RankingStore[] = [];
  const more: RankingStore[] = [];
  const english = lives.filter(({ language }) => TAUGHT_WITH.has(language));
  const read = await Promise.all(lives.map(asRead));
  for (const part of PARTS) {
    const made = (part === 'read' ? read : lives).map((life, index) => {
      const isEnglish = TAUGHT_WITH.has(life.language);
      const seen = isEnglish && index % 5 !== 4;
      return lifeStore(life, part, `lives, ${isEnglish ? 'English' : 'other languages'}: ${part}`, seen);
    });
    stores.push(...made);
    more.push(...made.map((store, index) => askedMore(store, made[(index + 7) % made.length]?.questions ?? [])));
  }
  for (let at = 0; at + 4 <= english.length; at += 4) {
    stores.push(longTurnStore(english.slice(at, at + 4), 'long turns'));
  }
  return { stores, more };
}

/** The stores of a file in the format of LoCoMo, one for each conversation. `roles`: the speakers are user and assistant. */
function conversationStores(data: string, qa: string, set: string, roles: boolean): RankingStore[] {
  const questions = readQuestions(readFileSync(qa, 'utf8'));
  return readConversations(readFileSync(data, 'utf8')).map(({ id, sessions }) => {
    const turns = sessions.flatMap(({ name, events }) =>
      events.map((event): Turn => {
        const time = Number(event.occurredAt);
        const turn = { id: String(event.metadata?.['turn']), session: name, text: event.content, time };
        if (!roles) return { ...turn, role: 'user', speaker: event.speaker ?? null };
        return { ...turn, role: event.speaker === 'assistant' ? 'agent' : 'user', speaker: null };
      }),
    );
    const ordinals = new Map(turns.map((turn, index) => [turn.id, index]));
    const now = Math.max(...turns.map(({ time }) => time)) + LATER;
    return {
      set,
      group: id,
      seenByEmbedder: roles,
      documents: turns.map(turnDocument),
      questions: questions
        .filter(({ conversation }) => conversation === id)
        .map((question) => ({
          text: question.question,
          kind: question.category === 5 ? 'unknown' : String(question.category),
          known: turns.length,
          now,
          evidence:
            question.category === 5
              ? []
              : question.evidence.flatMap((turn) => (ordinals.has(turn) ? [[ordinals.get(turn) as number]] : [])),
        }))
        .filter(({ kind, evidence }) => kind === 'unknown' || evidence.length > 0),
    };
  });
}

interface PairLine {
  text: string;
  who: string;
  kind: 'chat' | 'assistant';
  questions: string[];
}

/** Short dialogues of named people or with an assistant, many of them in one store (Synthetic-Persona-Chat and RealMem). */
function dialogueStores(folder: string): RankingStore[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name): RankingStore => {
      const lines = readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as PairLine);
      const sessions = dialoguesOf(lines);
      const documents = lines.map(({ text, who }, index) => {
        const isAgent = who === 'Assistant';
        const time = Date.UTC(2025, 0, 1) + (sessions[index] as number) * DAY + index * MINUTE;
        const turn: Turn = {
          id: String(index),
          role: isAgent ? 'agent' : 'user',
          speaker: isAgent ? null : who,
          session: String(sessions[index]),
          text,
          time,
        };
        return turnDocument(turn, index);
      });
      const now = Math.max(...documents.map(({ time }) => time)) + LATER;
      const questions = lines.flatMap((line, index) =>
        line.questions.map((text) => ({ text, kind: 'single', known: lines.length, now, evidence: [[index]] })),
      );
      const set = lines.some(({ kind }) => kind === 'assistant') ? 'dialogues: assistant' : 'dialogues: two people';
      return { set, group: name, seenByEmbedder: true, documents, questions };
    });
}

/** Dialogues with additional questions that name the wrong person of the two and therefore cannot be answered. */
export function twistedStores(stores: readonly RankingStore[]): RankingStore[] {
  return stores
    .filter(({ set }) => set === 'dialogues: two people')
    .map((store) => {
      const speakerOf = (ordinal: number): string => store.documents[ordinal]?.speaker ?? '';
      const questions = store.questions.flatMap((question): RankingQuestion[] => {
        const [[told = 0] = []] = question.evidence;
        const session = store.documents[told]?.session;
        const people = new Set(store.documents.flatMap((one) => (one.session === session ? [one.speaker ?? ''] : [])));
        const other = [...people].find((name) => name !== speakerOf(told));
        const isNamed = question.text.includes(speakerOf(told));
        if (other === undefined || !isNamed || question.text.includes(other)) return [];
        const text = question.text.replaceAll(speakerOf(told), other);
        return [question, { ...question, text, kind: 'twisted', evidence: [] }];
      });
      return { ...store, questions };
    });
}

/** The number of the dialogue of each line. A new dialogue begins when a third person speaks. */
function dialoguesOf(lines: readonly PairLine[]): number[] {
  let dialogue = 0;
  let people = new Set<string>();
  return lines.map(({ who }) => {
    if (!people.has(who) && people.size === 2) {
      dialogue += 1;
      people = new Set();
    }
    people.add(who);
    return dialogue;
  });
}

/**
 * The stores of public data below a folder. LoCoMo is only for measurements: weights that were learned from it may not be shipped (CC BY-NC
 * 4.0).
 */
export function publicStores(folder: string): { learned: RankingStore[]; measured: RankingStore[] } {
  const at = (...parts: string[]): string => join(folder, ...parts);
  const learned: RankingStore[] = [];
  const measured: RankingStore[] = [];
  if (existsSync(at('bench', 'longmemeval-dev', 'pool.json'))) {
    const [data, qa] = [at('bench', 'longmemeval-dev', 'pool.json'), at('bench', 'longmemeval-dev', 'qa.jsonl')];
    learned.push(...conversationStores(data, qa, 'LongMemEval', true));
  }
  if (existsSync(at('embedder', 'pairs'))) learned.push(...dialogueStores(at('embedder', 'pairs')));
  if (existsSync(at('bench', 'locomo-dev.json'))) {
    measured.push(
      ...conversationStores(at('bench', 'locomo-dev.json'), at('bench', 'locomo-dev-qa.jsonl'), 'LoCoMo', false),
    );
  }
  return { learned, measured };
}
