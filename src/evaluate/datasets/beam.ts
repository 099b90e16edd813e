import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import { conversation, looseText, question, repaired, turn } from '../conversation.ts';
import type { Conversation, Dataset, Question, Session } from '../conversation.ts';
import { dateOf, jsonFiles, listOf } from './read-data.ts';
import { jsonIn } from '../../record/json.ts';
import { parse } from '../../record/parse.ts';

const messageSchema = z.looseObject({ role: looseText, content: looseText, id: looseText, time_anchor: looseText });

// All data sets that test an ability use the same name for it.
const KINDS: Readonly<Record<string, string>> = {
  abstention: 'unknown',
  contradiction_resolution: 'contradiction',
  event_ordering: 'order',
  information_extraction: 'single',
  instruction_following: 'instruction',
  knowledge_update: 'update',
  multi_session_reasoning: 'multi',
  preference_following: 'preference',
  summarization: 'summary',
  temporal_reasoning: 'time',
};

/**
 * Loads folders with `chat.json` and `probing_questions.json`. Of duplicate message ids, the first is used. Questions in Python dictionary
 * syntax are left out.
 */
export function loadBeam(path: string): Dataset {
  const folders = chatFolders(path);
  if (folders.length === 0) throw invalidInput(`${path} has no folder with a chat.json.`);
  const faults: string[] = [];
  let ambiguous = 0;
  const conversations = folders.map((folder): Conversation => {
    const id = basename(folder);
    const turnOf = new Map<string, string>();
    const file = join(folder, 'chat.json');
    const sessions = batchesOf(jsonFiles(file)[0]?.data).map((batch, index): Session => {
      const messages = messagesOf(batch).map((each) => parse(messageSchema, each, file));
      const anchor = messages.map(({ time_anchor }) => dateOf(time_anchor)).find((date) => date !== null) ?? null;
      const name = `s${index + 1}`;
      return {
        id: name,
        start: anchor,
        turns: messages.map((message, place) => {
          const turnId = `${name}.${place + 1}`;
          if (message.id !== '' && turnOf.has(message.id)) ambiguous += 1;
          else turnOf.set(message.id, turnId);
          return turn(turnId, message.role === 'assistant' ? 'assistant' : 'user', message.content);
        }),
      };
    });
    const questions = questionFile(folder);
    if (questions === null) faults.push(`${id} has no questions that can be read.`);
    return conversation({ id, sessions, questions: questionsOf(questions ?? {}, { turnOf, folder }) });
  });
  if (ambiguous > 0)
    faults.push(`${ambiguous} messages have a duplicate id; evidence refers to the first message with that id.`);
  return repaired('beam', conversations, faults);
}

function chatFolders(path: string): string[] {
  if (!existsSync(path))
    throw invalidInput(`There is no data at ${path}. BEAM is not part of Varve: give the path of your copy.`);
  if (existsSync(join(path, 'chat.json'))) return [path];
  if (!statSync(path).isDirectory()) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .flatMap((name) => chatFolders(join(path, name)));
}

/** The largest chats consist of plans, and each plan is a list of batches. */
function batchesOf(data: unknown): unknown[] {
  return listOf(data).flatMap((each) => {
    if (typeof each !== 'object' || each === null) return [];
    if ('turns' in each) return [each];
    return Object.values(each).flatMap((inner) => (Array.isArray(inner) ? batchesOf(inner) : []));
  });
}

function messagesOf(batch: unknown): unknown[] {
  if (Array.isArray(batch)) return batch.flatMap((each) => messagesOf(each));
  if (typeof batch !== 'object' || batch === null) return [];
  if ('role' in batch && 'content' in batch) return [batch];
  return 'turns' in batch ? messagesOf(batch.turns) : [];
}

function questionFile(folder: string): Record<string, unknown> | null {
  const file = [
    join(folder, 'probing_questions.json'),
    join(folder, 'probing_questions', 'probing_questions.json'),
  ].find((one) => existsSync(one));
  if (file === undefined) return null;
  let value: unknown = jsonFiles(file)[0]?.data;
  if (typeof value === 'object' && value !== null && 'probing_questions' in value) value = value.probing_questions;
  if (typeof value !== 'string') return value as Record<string, unknown>;
  // Python dictionaries are not parsed, because quotes within their texts look like delimiters.
  return (jsonIn(value) ?? null) as Record<string, unknown> | null;
}

function questionsOf(
  byAbility: Record<string, unknown>,
  { turnOf, folder }: { turnOf: ReadonlyMap<string, string>; folder: string },
): Question[] {
  return Object.entries(byAbility).flatMap(([ability, list]) =>
    listOf(list).flatMap((each, index): Question[] => {
      if (typeof each !== 'object' || each === null) return [];
      const item = each as Record<string, unknown>;
      const id = `${ability}-${index + 1}`;
      const place = `The question ${id} of ${folder}`;
      const kind = KINDS[ability] ?? ability;
      const asked = parse(looseText, item['question'], place);
      if (kind === 'unknown') return [question({ id, kind, question: asked, answer: 'unknown' })];
      const given = ['answer', 'ideal_response', 'ideal_answer', 'ideal_summary', 'expected_compliance']
        .map((key) => item[key])
        .find((value) => value !== undefined);
      const answer = typeof given === 'object' ? JSON.stringify(given) : parse(looseText, given, place);
      const evidence = numbersIn(item['source_chat_ids']).flatMap((number) => turnOf.get(number) ?? []);
      return [question({ id, kind, question: asked, answer, evidence })];
    }),
  );
}

function numbersIn(value: unknown): string[] {
  if (typeof value === 'number' || typeof value === 'string') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => numbersIn(each));
}
