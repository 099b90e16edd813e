import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import { conversation, looseText, question, repaired } from '../conversation.ts';
import type { Conversation, Dataset, Question, Session } from '../conversation.ts';
import { dateOf, jsonBeside, jsonFiles, listOf, type DataPiece } from './read-data.ts';
import { parse } from '../../record/parse.ts';
import { dirname } from 'node:path';
import { statSync } from 'node:fs';

const looseIds = z
  .union([z.array(looseText), z.string(), z.null()])
  .default([])
  .transform(evidenceIds);
const turnSchema = z.looseObject({
  speaker: looseText,
  dia_id: looseText,
  text: looseText,
  clean_text: looseText,
  blip_caption: looseText,
  date_time: looseText,
});
const questionSchema = z.looseObject({
  id: looseText,
  sample_id: looseText,
  question: looseText,
  answer: looseText,

  category: z.coerce.number().catch(0),
  type: looseText,
  evidence: looseIds,
  audit: looseText,
});

// LoCoMo's paper and code number the categories differently. The data file uses the numbers of the code.
const LOCOMO_KINDS = ['', 'multi', 'time', 'open', 'single', 'unknown'];
// 1 to 3, from Lee et al. (arXiv:2502.13270, "memory probing") and MTEB's long-term memory tasks. Every question has an answer.
const REALTALK_KINDS = ['', 'multi', 'time', 'commonsense'];

/** Repairs evidence such as "D8:6; D9:17", adds captions of photos, and leaves out questions whose gold answer an audit found wrong. */
export function loadLocomo(path: string): Dataset {
  return loadSessionKeys('locomo', path, LOCOMO_KINDS);
}

/** Loads a folder of `Chat_*.json`, the chats of ten pairs of real people. */
export function loadRealtalk(path: string): Dataset {
  return loadSessionKeys('realtalk', path, REALTALK_KINDS);
}

/** Sessions are under the keys session_1, session_2, …, each with a `…_date_time`. */
export function loadSessionKeys(name: string, path: string, kinds: readonly string[]): Dataset {
  const pieces = jsonFiles(path);
  const samples = pieces
    .filter(({ data }) => hasSessions(data))
    .flatMap((piece) => listOf(piece.data).map((data) => ({ data: data as Record<string, unknown>, piece })));
  if (samples.length === 0) throw invalidInput(`${path} has no conversation with session_1, session_2, ….`);
  const outside = [...pieces, ...questionsBeside(path)].filter(({ data }) => !hasSessions(data));
  let audited = 0;
  const conversations = samples.map(({ data, piece }): Conversation => {
    const id = typeof data['sample_id'] === 'string' ? data['sample_id'] : piece.name;
    const talk = (
      typeof data['conversation'] === 'object' && data['conversation'] !== null ? data['conversation'] : data
    ) as Record<string, unknown>;
    const own = Array.isArray(data['qa']) ? [{ ...piece, data: data['qa'] }] : outside;
    const questions = own
      .flatMap(({ data: list, place }) => listOf(list).map((each) => parse(questionSchema, each, place)))
      .filter(({ sample_id }) => sample_id === '' || sample_id === id)
      .flatMap(({ category, type, evidence, audit, ...asked }, index): Question[] => {
        if (audit !== '') {
          audited += 1;
          return [];
        }
        const kind = type || (kinds[category] ?? `category ${category}`);
        const answer = kind === 'unknown' ? 'unknown' : asked.answer;
        return [question({ id: asked.id || `q${index + 1}`, kind, question: asked.question, answer, evidence })];
      });
    return conversation({ id, sessions: sessionsOf(talk, piece.place), questions });
  });
  return repaired(
    name,
    conversations,
    audited === 0 ? [] : [`${audited} questions whose gold answer is known to be wrong were left out.`],
  );
}

function hasSessions(data: unknown): boolean {
  return listOf(data).some((each) => {
    if (typeof each !== 'object' || each === null) return false;
    return 'session_1' in each || ('conversation' in each && typeof each.conversation === 'object');
  });
}

function questionsBeside(path: string): DataPiece[] {
  if (statSync(path).isDirectory()) return [];
  const folder = dirname(path);
  const stem = path.slice(folder.length + 1).replace(/\.json$/, '');
  return jsonBeside(folder, [`${stem}-qa.jsonl`, 'qa.jsonl']);
}

function sessionsOf(talk: Record<string, unknown>, place: string): Session[] {
  const speakers = new Set(
    Object.values(talk).flatMap((value) =>
      Array.isArray(value) ? value.map((each: { speaker?: unknown }) => String(each?.speaker ?? '')) : [],
    ),
  );
  // LongMemEval's pool has the same format, but its speakers are "user" and "assistant".
  const hasAgent = speakers.has('assistant');
  return Object.keys(talk)
    .filter((key) => /^session_\d+$/.test(key) && Array.isArray(talk[key]))
    .sort((one, other) => Number(one.slice(8)) - Number(other.slice(8)))
    .map((id) => ({
      id,
      start: dateOf(talk[`${id}_date_time`]),
      turns: (talk[id] as unknown[]).map((each, index) => {
        const said = parse(turnSchema, each, place);
        const words = said.clean_text || said.text;
        return {
          id: said.dia_id || `${id}.${index + 1}`,
          role: hasAgent && said.speaker === 'assistant' ? ('assistant' as const) : ('user' as const),
          speaker: said.speaker,
          text: said.blip_caption === '' ? words : `${words} [shares ${said.blip_caption}]`.trim(),
          at: dateOf(said.date_time),
        };
      }),
    }));
}

// A longer range is a typing error in the data.
const LONGEST_RANGE = 50;

/** Reads lists, texts with several ids, ranges such as "D2:3-D2:6", and misspellings such as "D:11:26" and "D30:05". */
function evidenceIds(value: readonly string[] | string | null): string[] {
  const text = typeof value === 'string' ? value : (value ?? []).join(' ');
  return [...text.matchAll(/D:?(\d+):0*(\d+)(?:\s?-\s?(?:D:?\1:)?0*(\d+))?/g)].flatMap(([, session, first, last]) => {
    const from = Number(first);
    const to = Math.min(Math.max(Number(last ?? first), from), from + LONGEST_RANGE);
    return Array.from({ length: to - from + 1 }, (_, index) => `D${session}:${from + index}`);
  });
}
