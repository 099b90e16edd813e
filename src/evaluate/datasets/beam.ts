import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { invalidInput } from '../../errors.ts';
import {
  conversation,
  looseText,
  repaired,
  type Conversation,
  type Dataset,
  type Question,
  type Session,
  type Turn,
} from '../conversation.ts';
import { dateOf, jsonFiles, listOf } from './read-data.ts';
import { parse } from '../../record/parse.ts';

const messageSchema = z.looseObject({ role: looseText, content: looseText, id: looseText, time_anchor: looseText });
type Message = z.infer<typeof messageSchema>;

/** A name for each of the ten abilities, which is the same in all data sets that test the ability. */
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
 * BEAM: a folder of conversations, each a folder with `chat.json` and `probing_questions.json` (which may be in a folder of the same name).
 * Known faults: duplicate message ids (the first one counts), `source_chat_ids` as a list, a number, or an object of lists, and questions
 * in the syntax of a Python dictionary, which are left out.
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
        turns: messages.map((message, place): Turn => {
          const turnId = `${name}.${place + 1}`;
          if (message.id !== '' && turnOf.has(message.id)) ambiguous += 1;
          else turnOf.set(message.id, turnId);
          return toTurn(turnId, message);
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

function toTurn(id: string, { role, content }: Message): Turn {
  const isAgent = role === 'assistant';
  return { id, role: isAgent ? 'assistant' : 'user', speaker: isAgent ? 'Assistant' : 'User', text: content, at: null };
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

/** The batches of a chat. The largest chats have plans, each a list of batches. */
function batchesOf(data: unknown): unknown[] {
  return listOf(data).flatMap((each) => {
    if (typeof each !== 'object' || each === null) return [];
    if ('turns' in each) return [each];
    return Object.values(each).flatMap((inner) => (Array.isArray(inner) ? batchesOf(inner) : []));
  });
}

/** The messages of a batch, at any depth of nested lists. */
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
  try {
    return JSON.parse(value) as Record<string, unknown>;
  } catch {
    // The syntax of a Python dictionary cannot be parsed reliably: quotes within texts look like delimiters.
    return null;
  }
}

function questionsOf(
  byAbility: Record<string, unknown>,
  { turnOf, folder }: { turnOf: ReadonlyMap<string, string>; folder: string },
): Question[] {
  return Object.entries(byAbility).flatMap(([ability, list]) =>
    listOf(list).flatMap((each, index): Question[] => {
      if (typeof each !== 'object' || each === null) return [];
      const item = each as Record<string, unknown>;
      const place = `The question ${ability}-${index + 1} of ${folder}`;
      const kind = KINDS[ability] ?? ability;
      const isAnswerable = kind !== 'unknown';
      const answer = ['answer', 'ideal_response', 'ideal_answer', 'ideal_summary', 'expected_compliance']
        .map((key) => item[key])
        .find((value) => value !== undefined);
      return [
        {
          id: `${ability}-${index + 1}`,
          after: null,
          kind,
          question: parse(looseText, item['question'], place),
          answer: isAnswerable
            ? typeof answer === 'object'
              ? JSON.stringify(answer)
              : parse(looseText, answer, place)
            : 'unknown',
          isAnswerable,
          evidence: isAnswerable ? numbersIn(item['source_chat_ids']).flatMap((id) => turnOf.get(id) ?? []) : [],
          memories: [],
        },
      ];
    }),
  );
}

function numbersIn(value: unknown): string[] {
  if (typeof value === 'number' || typeof value === 'string') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((each) => numbersIn(each));
}
