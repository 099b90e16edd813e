import { singleLine } from '../../language/words.ts';
import type { AttributeTable } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import { isMemoryTool } from '../../record/memory-answers.ts';
import type { Memory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import type { Polarity, Tense } from '../../record/statement.ts';

/**
 * Reads statements from turns. A reader stores nothing and knows no ids: it refers to turns and known statements by their places in the
 * input, counted from 1. Its result is untrusted, and the stages resolve, check, compare and decide follow.
 *
 * `read` throws `model_unavailable`, `model_answer_invalid`, `timed_out` or `cancelled`; then nothing may be changed, and the events stay
 * unread. The local reader throws only `cancelled`.
 */
export interface StatementReader {
  /** `local`, or the model's id. Stored with each memory and in the log of runs. */
  readonly id: string;
  readonly kind: 'model' | 'local';
  read(input: ReadInput, options?: ReadOptions): Promise<Reading>;
  /** Tells a model which of its statements were refused, and returns those that it corrected. */
  amend?(input: ReadInput, refused: readonly RefusedItem[], options?: ReadOptions): Promise<ReadStatement[]>;
}

export interface ReadOptions {
  signal?: AbortSignal;
}

/** `index`: the statement's place in the reading. */
export type RefusedItem = Pick<Refusal, 'text' | 'reason' | 'detail'> & { index: number };

export interface ReadInput {
  turns: readonly Event[];
  /** Turns before these, with the questions that `turns` answer. No statements are read from them. */
  earlier: readonly Event[];
  /** Ids of turns that are the user's own words although they look pasted. */
  ownTexts?: ReadonlySet<string>;
  /** The known statements that these turns may repeat, extend, replace or end. */
  known: readonly Memory[];
  /** Known topics, which the reader may continue. */
  topics: readonly { topic: string; summary: string }[];
  types: readonly { name: string; description: string }[];
  attributes: AttributeTable;
  /** IANA time zone for turns that have none of their own. "Yesterday" is resolved in it, from the time of each turn. */
  timeZone: string;
  /** Besides "User". */
  userNames: readonly string[];
  wants: { reflections: boolean; topics: boolean };
}

/** Input without context, from which only statements are read. */
export function turnsAlone(
  turns: readonly Event[],
  { attributes, settings }: { attributes: AttributeTable; settings: { timeZone: string } },
): ReadInput {
  return {
    turns,
    earlier: [],
    known: [],
    topics: [],
    types: [],
    attributes,
    timeZone: settings.timeZone,
    userNames: [],
    wants: { reflections: false, topics: false },
  };
}

export interface Reading {
  statements: ReadStatement[];
  /** Known statements that are over and have no successor. */
  ends: ReadEnd[];
  forgets: ReadForget[];
  /** Turns that may make some known statement untrue, if the reader cannot tell which. */
  changes?: number[];
  reflections: ReadReflection[];
  topics: ReadTopic[];
  /** The answer was cut off. The statements in it are complete, but more may be missing. */
  isCut?: boolean;
}

export interface ReadQuote {
  turn: number;
  /** Verbatim. */
  words: string;
}

export interface ReadStatement {
  /** For example "User", "User's sister Ana" or "the Rotterdam order". */
  subject: string;
  attribute: string | null;
  value: string | null;
  polarity: Polarity;
  tense: Tense;
  type: string;
  /** One sentence in the user's language that can be understood without the turns. */
  text: string;
  quotes: ReadQuote[];
  /** ISO dates. Null if the turns contain none. */
  from: string | null;
  to: string | null;
  due: string | null;
  /** From 0 to 1. If null, the type's default is used. */
  importance: number | null;
  /** False if the reader inferred the statement. */
  explicit: boolean;
  /** The statement is about all users of the agent, and about no person. */
  forEveryone: boolean;
  tags: string[];
  names: string[];
  /** `known`: the number of the known statement. */
  relation: { kind: Relation; known: number } | null;
}

/** `reaches`: the known statement is a goal, and it came true. */
export const RELATIONS = ['repeats', 'extends', 'replaces', 'ends', 'reaches'] as const;
export type Relation = (typeof RELATIONS)[number];

interface ReadEnd {
  known: number;
  quote: ReadQuote;
  /** ISO date from which the known statement is no longer true. Null if it has already ended. */
  on: string | null;
  isReached?: boolean;
}

/** `about`: the words of the request. `known`: the numbers of the statements that the reader takes it to mean. */
export interface ReadForget {
  quote: ReadQuote;
  about: string;
  known: number[];
  /** Withdraws an earlier request: "Actually, keep it". */
  takenBack?: boolean;
}

export interface ReadReflection {
  level: 'agent' | 'user' | 'session';
  text: string;
}

export interface ReadTopic {
  topic: string;
  summary: string;
  turns: number[];
}

export function emptyReading(): Reading {
  return { statements: [], ends: [], forgets: [], reflections: [], topics: [] };
}

export function readStatement(
  fields: Pick<ReadStatement, 'text' | 'type' | 'quotes'> & Partial<ReadStatement>,
): ReadStatement {
  return {
    subject: 'User',
    attribute: null,
    value: null,
    polarity: 'affirmed',
    tense: 'holds',
    from: null,
    to: null,
    due: null,
    importance: null,
    explicit: true,
    forEveryone: false,
    tags: [],
    names: [],
    relation: null,
    ...fields,
  };
}

/** Why an item of a reading was not stored. */
export type RefusalReason =
  /** A field is missing or invalid. */
  | 'malformed'
  /** There is no quote, or no turn contains its words. */
  | 'quote_not_found'
  /** The quoted words come from pasted text, a tool, the agent or another person, who may not make this statement. */
  | 'not_the_users_own'
  /** The text is an instruction that does not come from the user. */
  | 'instruction_from_outside'
  /** The quoted words repeat a recalled memory. */
  | 'recalled_text'
  /** Nobody said a number, a name or an address in the item. */
  | 'value_not_said'
  /** The sentence claims far more than its quote. */
  | 'says_more_than_quote'
  | 'too_long'
  /** The privacy policy forbids storing the item. The text of the item is not kept. */
  | 'private'
  /** The user asked to forget this, and has not repeated it since. */
  | 'forgotten'
  /** A known statement of higher trust or rank, or a later one of the same rank, contradicts the item. */
  | 'outranked'
  /** The reading has more items than a formation may store. */
  | 'excess'
  /** The known statement does not exist or is unrelated to the quoted words, or a request to forget matches nothing. */
  | 'unknown_target'
  /** The setting `requestsToForget` leaves requests to forget to the application. */
  | 'needs_confirmation'
  /** A model's reading without any items ends no permanent facts and no health facts that the local reader has read. */
  | 'empty_reading'
  /** The item repeats a known reflection. */
  | 'repeated';

export interface Refusal {
  what: 'statement' | 'end' | 'forget' | 'reflection' | 'topic';
  reason: RefusalReason;
  /** The item's text. Null if it must not be stored. */
  text: string | null;
  detail: string | null;
  /** The ids of the events that the item cited. */
  events: string[];
}

export function refusal(
  what: Refusal['what'],
  reason: RefusalReason,
  text: string | null,
  { detail = null, events = [] }: { detail?: string | null; events?: readonly { id: string }[] } = {},
): Refusal {
  const ids = [...new Set(events.map(({ id }) => id))];
  return { what, reason, text: text?.slice(0, 1000).toWellFormed() ?? null, detail, events: ids };
}

/** The result of a formation. Lists of strings are ids of memories, unless stated otherwise. */
export interface FormResult {
  /** The id of the run in revisions, usage and the audit log. Null if there was nothing to form. */
  run: string | null;
  /** How many events were read. 0 if another formation had already read them. */
  events: number;
  /** Statements that this run stored. `formed` also lists those that were stored right after the turns were logged. */
  added: string[];
  /** Known statements whose words were replaced by new ones. */
  updated: string[];
  /** Statements that were replaced or ended, and drafts that a later reading replaced. */
  retired: string[];
  /** Known statements that were repeated. */
  confirmed: string[];
  /** What was forgotten at the user's request, as ids of the records that `forgotten.list()` returns. */
  forgotten: string[];
  /** Memories that were restored because the user withdrew a request to forget. */
  restored: string[];
  goalsReached: string[];
  reflections: string[];
  topics: string[];
  refused: Refusal[];
  /** How many times a language model was called. */
  modelCalls: number;
  /** Whether there are unread events left for another formation. */
  hasMore: boolean;
}

/** The answer of `form()`. */
export interface FormedSession extends FormResult {
  /** All live memories that were formed from the session so far, oldest first; at most 1,000. */
  formed: string[];
}

export function nothingFormed(): FormResult {
  return {
    run: null,
    events: 0,
    added: [],
    updated: [],
    retired: [],
    confirmed: [],
    forgotten: [],
    restored: [],
    goalsReached: [],
    reflections: [],
    topics: [],
    refused: [],
    modelCalls: 0,
    hasMore: false,
  };
}

const USUAL_SHARE = 0.75;

/**
 * The speaker of at least three quarters of the turns, such as the owner of a phone that a child borrows. Empty if a turn has no speaker or
 * one of the user's names, as the user's own turns in a group chat have.
 */
export function usualSpeaker(speakers: readonly (string | null)[], names: readonly string[]): string[] {
  const own = new Set(names.map((name) => name.toLowerCase()));
  if (speakers.some((speaker) => speaker === null || own.has(speaker.toLowerCase()))) return [];
  const turns = [...Map.groupBy(speakers, (speaker) => speaker ?? '')];
  return turns.flatMap(([speaker, { length }]) => (length >= speakers.length * USUAL_SHARE ? speaker : []));
}

/** The user id of the scope, and the names that the user has stated. */
export function userNamesOf(scope: Scope, said: readonly Memory[]): string[] {
  const own = said.filter(({ polarity }) => polarity === 'affirmed').flatMap(({ value }) => value ?? []);
  return [...new Set([...(scope.user === null ? [] : [scope.user]), ...own])];
}

export function usesModel<Task extends string>(
  { languageModel, settings }: { languageModel: object | null; settings: { tasks: Partial<Record<Task, string>> } },
  task: Task,
): boolean {
  return languageModel !== null && settings.tasks[task] !== 'local';
}

const LONGEST_VALUE = 60;
const LONGEST_REQUEST = 80;
const MOST_VALUES = 3;
const MOST_WORDS = 30;
const SECRET = /pass(?:word|wd)?|secret|token|api.?key|authorization|credential|cookie/i;

/** One episode for each tool call, with the request for which the tool was called. The results of tools are not read. */
export function toolEpisodes(events: readonly Event[]): ReadStatement[] {
  return events.flatMap((event, index) =>
    callsOf(event)
      .filter(({ name }) => !isMemoryTool(name))
      .map(({ name, input }) => {
        const detail = describeInput(input);
        const request = requestBefore(events, index);
        const text = `Agent ran ${humanName(name)}${detail === '' ? '' : ` (${detail})`} for User${request === null ? '' : ` because User asked "${request}"`}.`;
        return readStatement({
          type: 'episode',
          subject: 'Agent',
          tense: 'happened',
          text: text.split(' ').slice(0, MOST_WORDS).join(' '),
          quotes: [{ turn: index + 1, words: '' }],
          from: event.occurredAt.toISOString(),
          importance: 0.4,
          explicit: false,
          tags: ['tool', name],
        });
      }),
  );
}

function callsOf({ metadata, origin }: Event): { name: string; input: Record<string, unknown> }[] {
  const used = metadata['toolsUsed'];
  if (origin !== 'agent' || !Array.isArray(used)) return [];
  return used.flatMap((use: Partial<Record<'tool' | 'arguments', unknown>> | null) => {
    const input = typeof use?.arguments === 'object' ? use.arguments : null;
    return typeof use?.tool === 'string' ? { name: use.tool, input: { ...input } } : [];
  });
}

function requestBefore(events: readonly Event[], index: number): string | null {
  const asked = events.slice(0, index).findLast((event) => event.origin === 'user' && event.kind === 'message');
  return asked === undefined ? null : singleLine(asked.content, LONGEST_REQUEST).toWellFormed();
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .filter(([key, value]) => !SECRET.test(key) && ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, MOST_VALUES)
    .map(([key, value]) => `${humanName(key)}: ${singleLine(String(value), LONGEST_VALUE)}`)
    .join(', ');
}

function humanName(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .toLowerCase()
    .slice(0, LONGEST_VALUE);
}
