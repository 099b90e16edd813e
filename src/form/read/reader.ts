import type { AttributeTable } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import { isMemoryTool } from '../../record/memory-answers.ts';
import type { Memory } from '../../record/memory.ts';
import type { Polarity, Tense } from '../../record/statement.ts';

/**
 * Reads the statements from turns, with a language model or locally without one. A reader stores nothing and knows no ids.
 * Turns and known statements have numbers, their places in the input counted from 1. What a reader says is untrusted: `resolve`,
 * `check` and `decide` come after it, and are the same for all readers.
 *
 * `read` throws `model_unavailable`, `model_answer_invalid`, `timed_out` or `cancelled`; then nothing may be changed and the
 * events stay unread. The local reader throws nothing but `cancelled`.
 */
export interface StatementReader {
  /** `local`, or the id of the model. Kept with each memory and in run logs. */
  readonly id: string;
  readonly kind: 'model' | 'local';
  read(input: ReadInput, options?: ReadOptions): Promise<Reading>;
  /** Tells the reader which of its statements were refused, and returns the corrected ones. Only a model can correct its reading. */
  amend?(input: ReadInput, refused: readonly RefusedItem[], options?: ReadOptions): Promise<ReadStatement[]>;
}

export interface ReadOptions {
  signal?: AbortSignal;
}

/** A statement of a reading that was refused, with its place in the reading. */
export type RefusedItem = Pick<Refusal, 'text' | 'reason' | 'detail'> & { index: number };

export interface ReadInput {
  turns: readonly Event[];
  /** The turns before these, which contain the questions that turns answer. Nothing is read from them. */
  earlier: readonly Event[];
  /** Statements that these turns may repeat, extend, replace or end. */
  known: readonly Memory[];
  /** Summaries of the session's topics so far, to be continued. */
  topics: readonly { topic: string; summary: string }[];
  /** What may be formed: names and meanings, from the two policy tables. */
  types: readonly { name: string; description: string }[];
  attributes: AttributeTable;
  /** IANA name, for "yesterday": days are counted from each turn's own time. */
  timeZone: string;
  /** Names of the user, besides "User". */
  userNames: readonly string[];
  wants: { reflections: boolean; topics: boolean };
}

/** The input for turns without context: no earlier turns, no known statements, and only statements are wanted. */
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

/** The result of reading turns. */
export interface Reading {
  statements: ReadStatement[];
  /** Known statements that no longer hold and that nothing replaces. */
  ends: ReadEnd[];
  /** What the user asks to forget. */
  forgets: ReadForget[];
  /** The turns that may make known statements untrue, where the reader cannot tell which: the reading layers decide. */
  changes?: number[];
  reflections: ReadReflection[];
  topics: ReadTopic[];
  /** Whether the reader's answer was cut: the statements are whole, and there may be more that it did not get to. */
  isCut?: boolean;
}

/** Where a turn says something. */
export interface ReadQuote {
  turn: number;
  /** Words of the turn, verbatim. */
  words: string;
}

/** A statement as a reader gives it. */
export interface ReadStatement {
  /** "User", "User's sister Ana", "the Rotterdam order". */
  subject: string;
  attribute: string | null;
  value: string | null;
  polarity: Polarity;
  tense: Tense;
  type: string;
  /** One sentence that stands alone, in the user's language. */
  text: string;
  quotes: ReadQuote[];
  /** ISO dates; null where the turns do not say. */
  from: string | null;
  to: string | null;
  due: string | null;
  /** 0 to 1; null: the default of its type. */
  importance: number | null;
  /** Whether the user said it outright or asked to remember it; false for what the reader concludes. */
  explicit: boolean;
  /** Whether it concerns everybody the agent talks to, and no person. */
  forEveryone: boolean;
  tags: string[];
  /** People, places, organisations and projects that it names. */
  names: string[];
  /** How it relates to a known statement. */
  relation: { kind: Relation; known: number } | null;
}

/** `reaches`: a known goal came true. */
export const RELATIONS = ['repeats', 'extends', 'replaces', 'ends', 'reaches'] as const;
export type Relation = (typeof RELATIONS)[number];

interface ReadEnd {
  known: number;
  quote: ReadQuote;
  /** ISO date from which it is over, where that lies ahead; null: it is over now. */
  on: string | null;
}

/** A request to forget. `known` are the statements that the reader takes to be meant; `about` are the words of the request. */
export interface ReadForget {
  quote: ReadQuote;
  about: string;
  known: number[];
  /** "Actually, keep it": withdraws the last request. */
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

/** A reading without any content. */
export function emptyReading(): Reading {
  return { statements: [], ends: [], forgets: [], reflections: [], topics: [] };
}

/** A statement with the given fields, and default values in the others. */
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

/** Why something that a reader gave was not stored. */
export type RefusalReason =
  /** It is not a statement: a field is missing or unreadable. */
  | 'malformed'
  /** No quote was given, or the quoted words are in no turn. */
  | 'quote_not_found'
  /** The speaker of the quoted turn may not say this: pasted text, a tool, the agent, another person. */
  | 'not_the_users_own'
  /** A tool or a document tells its reader what to do. */
  | 'instruction_from_outside'
  /** The quoted turn repeats a recalled memory. */
  | 'recalled_text'
  /** A number or a name of the value is in no turn. */
  | 'value_not_said'
  /** The sentence says far more than its quote. */
  | 'says_more_than_quote'
  | 'too_long'
  /** The privacy policy drops it. Its text is not kept. */
  | 'private'
  /** The user asked to forget it, and has not said it again since. */
  | 'forgotten'
  /** A known statement of higher rank says otherwise. */
  | 'outranked'
  /** More statements than a stretch of this size can hold. */
  | 'excess'
  /** It names a known statement that does not exist, or that it may not change. */
  | 'unknown_target'
  /** It repeats a known reflection. */
  | 'repeated';

/** What was refused, as it is kept and listed. */
export interface Refusal {
  what: 'statement' | 'end' | 'forget' | 'reflection' | 'topic';
  reason: RefusalReason;
  /** Its text; null where the text must not be stored. */
  text: string | null;
  detail: string | null;
  /** Ids of the events that it cited. */
  events: string[];
}

/** A refusal with its text and its sources. */
export function refusal(
  what: Refusal['what'],
  reason: RefusalReason,
  text: string | null,
  { detail = null, events = [] }: { detail?: string | null; events?: readonly { id: string }[] } = {},
): Refusal {
  const ids = [...new Set(events.map(({ id }) => id))];
  return { what, reason, text: text?.slice(0, 1000).toWellFormed() ?? null, detail, events: ids };
}

/** What a formation did. All lists hold ids of memories. */
export interface FormResult {
  /** The id of the run in revisions, usage and the audit log; null when there was nothing to form. */
  run: string | null;
  /** How many events were read; 0 when another formation was first. */
  events: number;
  added: string[];
  /** Known statements that now say more. */
  updated: string[];
  /** Statements that no longer hold: replaced, ended, or drafts that a better reading has replaced. */
  retired: string[];
  /** Known statements that were said again. */
  confirmed: string[];
  /** What the user asked to forget: the ids of the records that `forgotten.list()` returns. */
  forgotten: string[];
  /** Memories that were restored because the user withdrew a request to forget. */
  restored: string[];
  goalsReached: string[];
  reflections: string[];
  topics: string[];
  refused: Refusal[];
  /** Calls of a language model. */
  modelCalls: number;
  /** Whether events are left for another formation. */
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

/** Whether the language model, rather than the local reader, does a task. */
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

/** What the agent did with its tools, and for which request: one episode for each call. What a tool answered is not read. */
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
  return used.flatMap((use: unknown) => {
    if (typeof use !== 'object' || use === null || !('tool' in use) || typeof use.tool !== 'string') return [];
    const input =
      'arguments' in use && typeof use.arguments === 'object' ? (use.arguments as Record<string, unknown>) : {};
    return [{ name: use.tool, input: input ?? {} }];
  });
}

/** What the user asked for, in the same exchange or just before. */
function requestBefore(events: readonly Event[], index: number): string | null {
  const asked = events.slice(0, index).findLast((event) => event.origin === 'user' && event.kind === 'message');
  return asked === undefined ? null : oneLine(asked.content, LONGEST_REQUEST).toWellFormed();
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .filter(([key, value]) => !SECRET.test(key) && ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, MOST_VALUES)
    .map(([key, value]) => `${humanName(key)}: ${oneLine(String(value), LONGEST_VALUE)}`)
    .join(', ');
}

function humanName(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .toLowerCase()
    .slice(0, LONGEST_VALUE);
}

/** A text without line breaks, so that no part of it looks like another item of a list. */
export function oneLine(text: string, limit: number = Infinity): string {
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
