import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unitsOf, type ReadUnit } from '../../src/form/read/local/units.ts';
import { HEADS, type Head } from '../../src/form/read/local/selector.ts';
import { detectPack } from '../../src/language/packs/packs.ts';
import type { Pack } from '../../src/language/packs/pack.ts';
import { isPlain, readSheets } from '../sheets/read-sheets.ts';

/** A sentence with its labels. A label of -1 is unknown, and nothing is learned from it. */
export interface Example {
  /** The life or the person. Examples of one group are never on both sides of a split. */
  group: string;
  source: 'lives' | 'talk' | 'sheets';
  language: string;
  /** The id of the turn, unique within its group. */
  turn: string;
  isTurnKept: boolean;
  unit: ReadUnit;
  labels: Record<Head, number>;
  weight: number;
}

export interface Life {
  id: string;
  language: string;
  sessions: { id: string; start: string; turns: { id: string; role: string; speaker: string; text: string }[] }[];
  memories: LifeMemory[];
}

export interface LifeMemory {
  id: string;
  type: string;
  about: string;
  text: string;
  slot: string | null;
  value: string | null;
  polarity: string;
  stated: string[];
  until: string | null;
}

interface Talk {
  id: string;
  language: string;
  turns: { asked: string | null; text: string; sentences: TalkSentence[] }[];
}

interface TalkSentence {
  text: string;
  keep: boolean;
  type: string | null;
  tense: string | null;
  about: string | null;
  request: string | null;
  foreign: string | null;
}

const folder = join(import.meta.dirname, '..');

export function readLives(): Life[] {
  return filesIn(join(folder, 'lives')).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Life);
}

/** All examples, from all sources. */
export function readExamples(lives: readonly Life[] = readLives()): Example[] {
  return [...livesExamples(lives), ...talkExamples(readTalk()), ...talkExamples(sheetsAsTalk(), 'sheets')];
}

/** The talk sheets, piece by piece. */
function sheetsAsTalk(): Talk[] {
  return readSheets().map(({ id, language, messages }) => ({
    id,
    language,
    turns: messages.map(({ asked, text, pieces }) => ({
      asked,
      text,
      sentences: pieces.map(({ start, end, type, tense, about, foreign, requests }) => ({
        text: text.slice(start, end),
        keep: type !== null,
        type,
        tense,
        about: about ?? 'User',
        foreign,
        request: requests[0] ?? null,
      })),
    })),
  }));
}

function readTalk(): Talk[] {
  const people: Talk[] = [];
  for (const file of filesIn(join(folder, 'talk', 'data'))) {
    try {
      people.push(JSON.parse(readFileSync(file, 'utf8')) as Talk);
    } catch {
      process.stderr.write(`${file} is not valid JSON and is left out.\n`);
    }
  }
  return people;
}

function filesIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => join(path, name));
}

/** People type plain sentences first, and the data has few of them. */
const PLAIN_WEIGHT = 2;

const classOf = (head: Head, name: string | null): number => (HEADS[head] as readonly string[]).indexOf(name ?? '');
const UNKNOWN: Record<Head, number> = { keep: -1, type: -1, tense: -1, request: -1, foreign: -1, about: -1 };

const STOP = new Set(
  'user the a an is are was were be has have had to of in on at for with and or but that this it their they he she his her not no from by as about who which what when will would'.split(
    ' ',
  ),
);
function bag(text: string): Set<string> {
  const han = text.replace(/[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu, '');
  if (han.length > 4) return new Set(Array.from({ length: han.length - 1 }, (_, index) => han.slice(index, index + 2)));
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP.has(word)).map((word) => word.slice(0, 5)));
}

/** The number of content words that a sentence and a memory share, divided by the smaller number of content words of the two. */
function overlap(sentence: Set<string>, memory: Set<string>): number {
  let common = 0;
  for (const word of sentence) if (memory.has(word)) common += 1;
  return common / Math.max(1, Math.min(sentence.size, memory.size));
}

/**
 * The sentences of the lives. A life says which turn states a memory. The sentence that states it is found by the words that it shares with
 * the memory.
 */
function livesExamples(lives: readonly Life[]): Example[] {
  const examples: Example[] = [];
  for (const life of lives) {
    let fallback: Pack | null = null;
    for (const session of life.sessions) {
      let asked: string | null = null;
      const start = new Date(session.start);
      for (const turn of session.turns) {
        if (turn.role !== 'user') {
          asked = turn.role === 'assistant' ? turn.text : asked;
          continue;
        }
        fallback = detectPack(turn.text, fallback);
        const { units } = unitsOf(turn.text, { asked, fallback, now: start, timeZone: 'UTC' });
        const memories = life.memories.filter((memory) => memory.stated.includes(turn.id));
        const bags = memories.map((memory) => bag(`${memory.text} ${memory.value ?? ''}`));
        for (const unit of units) {
          const words = bag(unit.text);
          const shares = bags.map((memory) => overlap(words, memory));
          const best = shares.indexOf(Math.max(...shares));
          const isSaid = memories.length > 0 && (units.length === 1 || (shares[best] ?? 0) >= 0.25);
          const memory = isSaid ? memories[best] : undefined;
          examples.push({
            group: life.id,
            source: 'lives',
            language: life.language,
            turn: turn.id,
            isTurnKept: memories.length > 0,
            unit,
            // A sentence of such a turn that shares too few words with any memory may or may not be part of the statement, so its weight is
            // low.
            weight: memories.length > 0 && !isSaid ? 0.35 : 1,
            labels: {
              ...UNKNOWN,
              keep: isSaid ? 1 : 0,
              type: memory === undefined ? -1 : classOf('type', memory.type),
              about:
                memory === undefined
                  ? -1
                  : Number(
                      !/^(?:user|nutzer\w*|usuari\w*|utilisat\w*|gebruiker|utente|用户|ユーザー|użytkownik\w*|사용자)$/i.test(
                        memory.about,
                      ),
                    ),
            },
          });
        }
        asked = null;
      }
    }
  }
  return examples;
}

/**
 * The sentences of the talk, which are labelled one by one. The units of the local reader take the labels of the sentences that they
 * overlap.
 */
function talkExamples(people: readonly Talk[], source: Example['source'] = 'talk'): Example[] {
  const examples: Example[] = [];
  for (const person of people) {
    let fallback: Pack | null = null;
    person.turns.forEach((turn, turnIndex) => {
      fallback = detectPack(turn.text, fallback);
      const context = { asked: turn.asked, fallback, now: new Date('2026-04-15T12:00:00Z'), timeZone: 'UTC' };
      const { units } = unitsOf(turn.text, context);
      const places: { start: number; end: number; sentence: TalkSentence }[] = [];
      let position = 0;
      for (const sentence of turn.sentences ?? []) {
        const start = turn.text.indexOf(sentence.text, position);
        if (start < 0) continue;
        places.push({ start, end: start + sentence.text.length, sentence });
        position = start + sentence.text.length;
      }
      for (const unit of units) {
        const inside = places.filter((place) => place.start < unit.end && place.end > unit.start);
        if (inside.length === 0) continue;
        const longest = (list: typeof inside): TalkSentence | undefined =>
          list.toSorted(
            (left, right) =>
              Math.min(right.end, unit.end) -
              Math.max(right.start, unit.start) -
              Math.min(left.end, unit.end) +
              Math.max(left.start, unit.start),
          )[0]?.sentence;
        const kept = inside.filter(({ sentence }) => sentence.keep);
        const main = longest(kept.length > 0 ? kept : inside);
        if (main === undefined) continue;
        const request = inside.map(({ sentence }) => sentence.request).find((name) => name) ?? null;
        const foreign = longest(inside)?.foreign ?? null;
        examples.push({
          group: person.id,
          source,
          language: person.language,
          turn: String(turnIndex),
          isTurnKept: (turn.sentences ?? []).some(({ keep }) => keep),
          unit,
          weight: isPlain(person) ? PLAIN_WEIGHT : 1,
          labels: {
            keep: Number(kept.length > 0),
            type: kept.length > 0 ? classOf('type', main.type) : -1,
            tense: kept.length > 0 ? classOf('tense', main.tense) : -1,
            request: Math.max(0, classOf('request', request ?? 'none')),
            foreign: Math.max(0, classOf('foreign', foreign ?? 'own')),
            about: kept.length > 0 && main.about ? Number(!/^user$/i.test(main.about)) : -1,
          },
        });
      }
    });
  }
  return examples;
}
