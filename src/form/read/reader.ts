import { singleLine } from '../../language/words.ts';
import type { AttributeTable } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import { isMemoryTool } from '../../record/memory-answers.ts';
import type { Memory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import type { Polarity, Tense } from '../../record/statement.ts';

/**
 * Reads statements from turns, with a language model or locally without one. A reader stores nothing and knows no ids: it refers to turns
 * and known statements by their places in the input, counted from 1. The result is untrusted. Whichever reader is used, the
 * stages resolve, check, compare and decide come after it.
 *
 * `read` throws `model_unavailable`, `model_answer_invalid`, `timed_out` or `cancelled`. In that case nothing may be changed, and the
 * events stay unread. The local reader throws only `cancelled`.
 */
export interface StatementReader {
  /** `local`, or the model's id. It is stored with each memory and in the log of runs. */
  readonly id: string;
  readonly kind: 'model' | 'local';
  read(input: ReadInput, options?: ReadOptions): Promise<Reading>;
  /** Tells the reader which of its statements were refused, and returns the statements that it corrected. Only a model can do so. */
  amend?(input: ReadInput, refused: readonly RefusedItem[], options?: ReadOptions): Promise<ReadStatement[]>;
}

export interface ReadOptions {
  signal?: AbortSignal;
}

/** A refused statement. `index` is its place in the reading. */
export type RefusedItem = Pick<Refusal, 'text' | 'reason' | 'detail'> & { index: number };

export interface ReadInput {
  turns: readonly Event[];
  /** The turns before these. They contain the questions that `turns` answer, but no statements are read from them. */
  earlier: readonly Event[];
  /** The ids of the turns that are the user's own words although they look pasted. */
  ownTexts?: ReadonlySet<string>;
  /** The known statements that these turns may repeat, extend, replace or end. */
  known: readonly Memory[];
  /** The known topics with their summaries. The reader may continue them. */
  topics: readonly { topic: string; summary: string }[];
  /** The memory types that a reader may form. */
  types: readonly { name: string; description: string }[];
  attributes: AttributeTable;
  /** The IANA time zone of turns that have none of their own. "Yesterday" is resolved in it, from the time of each turn. */
  timeZone: string;
  /** The user's names, besides "User". */
  userNames: readonly string[];
  wants: { reflections: boolean; topics: boolean };
}

/** Returns the input for turns without context: no earlier turns and no known statements. Only statements are read. */
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
  /** Known statements that are no longer true, without a new statement in their place. */
  ends: ReadEnd[];
  /** The requests to forget. */
  forgets: ReadForget[];
  /**
   * Turns that may make some known statements untrue, if the reader cannot tell which. The reading layers of the local embedder find such
   * turns.
   */
  changes?: number[];
  reflections: ReadReflection[];
  topics: ReadTopic[];
  /** Whether the reader's answer was cut off. The statements in it are complete, but more may be missing. */
  isCut?: boolean;
}

export interface ReadQuote {
  turn: number;
  /** The words of the turn, verbatim. */
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
  /** Whether the user said it explicitly or asked to remember it. False if the reader inferred it. */
  explicit: boolean;
  /** Whether the statement is about all users of the agent, and about no person. */
  forEveryone: boolean;
  tags: string[];
  /** The people, places, organisations and projects that the statement names. */
  names: string[];
  /** The relation to a known statement, and its number. */
  relation: { kind: Relation; known: number } | null;
}

/** How a statement relates to a known one. `reaches`: the known one is a goal, and it came true. */
export const RELATIONS = ['repeats', 'extends', 'replaces', 'ends', 'reaches'] as const;
export type Relation = (typeof RELATIONS)[number];

interface ReadEnd {
  known: number;
  quote: ReadQuote;
  /** The ISO date from which the known statement is no longer true, if that date is in the future. Null if it has already ended. */
  on: string | null;
  /** Whether the known statement is a goal or plan that came true. */
  isReached?: boolean;
}

/**
 * A request to forget. `known` contains the numbers of the statements to which the reader thinks it refers. `about` contains the words of
 * the request.
 */
export interface ReadForget {
  quote: ReadQuote;
  about: string;
  known: number[];
  /** Whether the turn withdraws an earlier request: "Actually, keep it". */
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

/** Returns a statement with the given fields, and defaults for the others. */
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
  /** The quoted words come from pasted text, a tool, the agent or another person. None of these may make this statement. */
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
  /**
   * The item refers to a known statement that does not exist, or that has nothing to do with the quoted words. A request to forget gets
   * this reason if it matches nothing.
   */
  | 'unknown_target'
  /** The setting `requestsToForget` lets the application handle requests to forget. */
  | 'needs_confirmation'
  /** A model's reading without any items does not end permanent facts and facts about health that the local reader has read. */
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

/** Returns a refusal with its text and its sources. */
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
  /**
   * New statements. The local reader's statements, stored right after the turns were logged, are not among them. Without a model, the list
   * is therefore often empty: `memories.list()` returns all statements.
   */
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

const MOST_TURNS = 0.75;

/**
 * Returns the speaker of at least three quarters of the turns: the owner of a phone that a child sometimes borrows. Returns none if a turn
 * has no speaker or the user's name as its speaker, as the user's own turns in a group chat have.
 */
export function usualSpeaker(speakers: readonly (string | null)[], names: readonly string[]): string[] {
  const own = new Set(names.map((name) => name.toLowerCase()));
  if (speakers.some((speaker) => speaker === null || own.has(speaker.toLowerCase()))) return [];
  const turns = [...Map.groupBy(speakers, (speaker) => speaker ?? '')];
  return turns.flatMap(([speaker, { length }]) => (length >= speakers.length * MOST_TURNS ? speaker : []));
}

/** Returns the names of the user: the id in the scope, and the names that the user has stated. */
export function userNamesOf(scope: Scope, said: readonly Memory[]): string[] {
  const own = said.filter(({ polarity }) => polarity === 'affirmed').flatMap(({ value }) => value ?? []);
  return [...new Set([...(scope.user === null ? [] : [scope.user]), ...own])];
}

/** Checks whether the language model does a task, and not the local reader. */
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

/**
 * Returns one episode for each tool call of the agent, with the request for which the tool was called. The results of tools are not read.
 */
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

/** Returns the last message of the user before an event. */
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
