import { detectPack, PACKS, templateOf, wordsOfAll } from '../language/packs/packs.ts';
import { findDates } from '../language/resolve-dates.ts';
import { timedRendering, withBlanks, withoutBlanks } from '../language/sentences.ts';
import { contentStems, saysNamesAndNumbers } from '../language/words.ts';
import { isUnverified } from '../record/block.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { defuseImages, safeJson, speakerName, textByTrust } from '../language/inert-text.ts';
import { type Quote, type Trust, trustOf, USER } from '../record/statement.ts';
import { userInFirstPerson } from '../recall/analyze-query.ts';
import { CHANGED_LATER } from '../recall/results.ts';

export type OverflowRule =
  /** The items with the lowest scores are dropped. */
  | 'drop-lowest'
  /** The oldest items are dropped. */
  | 'drop-oldest'
  /** The text is cut, with a notice. */
  | 'cut'
  /** The section is never cut, because it is the application's own text. */
  | 'keep';

interface Section {
  /** The rule unless the layout sets another one. Sections with `keep` get their tokens first. */
  overflow: OverflowRule;
  /** Whether the section can change from turn to turn even if the knowledge stays the same. */
  perTurn?: true;
  /** The switch that leaves out this section along with others. */
  tier?: 'reflections' | 'lookups';
  /** How the log describes the section's memories: found for this turn, or contained in every prompt. */
  gives?: 'found' | 'always';
}

/** The sections in the order in which they get their tokens. Later ones are cut first. */
export const SECTIONS = {
  instructions: { overflow: 'keep' },
  identity: { overflow: 'keep' },
  directives: { overflow: 'keep' },
  capabilities: { overflow: 'keep' },
  date: { overflow: 'keep', perTurn: true },
  message: { overflow: 'keep', perTurn: true },
  facts: { overflow: 'drop-lowest', gives: 'always' },
  learnings: { overflow: 'drop-lowest', gives: 'always' },
  intentions: { overflow: 'drop-lowest', perTurn: true },
  profile: { overflow: 'cut', gives: 'always' },
  workingMemory: { overflow: 'cut', gives: 'always' },
  structuredProfile: { overflow: 'drop-lowest' },
  scaffold: { overflow: 'drop-lowest' },
  learnedInfo: { overflow: 'drop-lowest' },
  userReflections: { overflow: 'cut', tier: 'reflections' },
  sessionReflections: { overflow: 'cut', tier: 'reflections' },
  agentReflections: { overflow: 'cut', tier: 'reflections' },
  memories: { overflow: 'drop-lowest', gives: 'always' },
  history: { overflow: 'drop-oldest', perTurn: true },
  earlier: { overflow: 'drop-oldest', perTurn: true },
  artifacts: { overflow: 'drop-lowest' },
  services: { overflow: 'drop-lowest', perTurn: true },
  unknown: { overflow: 'drop-lowest', perTurn: true, tier: 'lookups' },
  recall: { overflow: 'drop-lowest', perTurn: true, tier: 'lookups', gives: 'found' },
  notes: { overflow: 'drop-lowest', perTurn: true, tier: 'lookups', gives: 'found' },
  summaries: { overflow: 'drop-lowest', perTurn: true, tier: 'lookups', gives: 'found' },
  savedItems: { overflow: 'drop-lowest', perTurn: true, tier: 'lookups', gives: 'found' },
} as const;
export type SectionName = keyof typeof SECTIONS;
export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];

export function sectionOf(name: SectionName): Section {
  return SECTIONS[name];
}

/** A statement's id, its importance, and the words in turns from which it was read. */
export interface Statement {
  id: string;
  importance?: number;
  quotes: readonly Quote[];
}

export interface Item {
  /** Without invisible characters, and without links if it is not trusted. Not escaped yet. Turns of the history stay verbatim. */
  text: string;
  kind: 'memory' | 'event' | 'block' | 'application';
  /** The record's id. Null for the application's text. */
  id: string | null;
  trust: Trust;
  /** Items with the lowest score are dropped first. */
  score: number;
  /** The type of a memory, the category of a fact, the speaker of a turn, or the name of a service or a connection. */
  label?: string;
  /** For a turn: the name of its speaker, if it has one. */
  speaker?: string;
  title?: string;
  url?: string;
  date?: Date;
  /** For a memory: when it was stated. Its `date` is the time since when it is true, if that was stated. */
  statedAt?: Date;
  /** The time zone in which the date's day is written. Default: UTC. */
  timeZone?: unknown;
  importance?: number;
  summary?: string;
  /** For a memory: the words of turns that it quotes. */
  quotes?: readonly Quote[];
  /** For a text document: the statements on which each sentence is based, by the sentence's hash. */
  restsOn?: ReadonlyMap<string, readonly Statement[]>;
  /** For a turn: the memories that were formed from it. */
  statements?: readonly string[];
  /** The sentence that states a fact. The fact itself is shown as a label and a value. */
  sentence?: string;
  /** For an entry of a JSON block: its key and its value. */
  entry?: { key: string; value: unknown };
  note?: string;
}

export type Material = Partial<Record<SectionName, readonly Item[]>>;

/** The application's own text is not escaped, and it is dropped last. */
export function applicationItem(text: string): Item {
  return { text, kind: 'application', id: null, trust: 'high', score: Infinity };
}

/** Marks a statement that repeats what was changed later, as recall marks a turn. */
export function markedChanged<Statement extends Pick<Memory, 'content'>>(statement: Statement): Statement {
  return { ...statement, content: statement.content + CHANGED_LATER };
}

export function memoryItem(memory: Memory, score: number = memory.importance): Item {
  const { trust, metadata } = memory;
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? textByTrust(value, trust) : undefined;
  return {
    text: textByTrust(timedRendering(memory), trust),
    kind: 'memory',
    id: memory.id,
    trust,
    score,
    label: memory.type,
    title: text(memory.title),
    url: memory.url === null || trust === 'low' ? undefined : memory.url,
    date: memory.validFrom ?? memory.statedAt,
    statedAt: memory.statedAt,
    timeZone: memory.internal['timeZone'],
    importance: memory.importance,
    quotes: memory.quotes,
    summary: text(metadata['summary']),
    note: text(metadata['note']),
  };
}

/** The title is the attribute's name. The text is the value, or the whole sentence if that says more. */
export function factItem(fact: Memory, label: string): Item {
  const { value, content, trust } = fact;
  const text = textByTrust(value === null || saysMore(fact, label, value) ? content : value, trust);
  return { ...memoryItem(fact), text, title: label, label: fact.category ?? 'general', sentence: content };
}

// A sentence that only states a value has about this many words besides the label and the value: "User works as a bus driver."
const MOST_MORE = 1;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Whether a sentence has other names, numbers, values or several more words. Does not count the words of a rendering ("Is … years old"),
 * the user, and relative dates such as "last week".
 */
function saysMore({ attribute, statedAt, ...fact }: Memory, label: string, value: string): boolean {
  const rendering = PACKS.map((pack) => templateOf(pack, attribute ?? '') ?? '').join(' ');
  const field = `${USER} ${label} ${value} ${rendering}`;
  const content = userInFirstPerson(fact.content);
  const isMore = (sentence: string): boolean => {
    if (!saysNamesAndNumbers(field, sentence)) return true;
    // In these scripts, stems are pairs of characters, so every word has several stems and they cannot be counted as words.
    if (WITHOUT_SPACES.test(sentence)) return false;
    const said = contentStems(field);
    const more = [...contentStems(sentence)].filter((stem) => !said.has(stem)).length;
    return more > MOST_MORE || (more > 0 && isInList(sentence, value));
  };
  if (!isMore(content)) return false;
  const pack = detectPack(content);
  if (pack === null) return true;
  const days = findDates(content, pack, { now: statedAt, timeZone: 'UTC', prefer: 'past' });
  return isMore(
    withBlanks(
      content,
      days.filter(({ relative, start, end }) => relative && !/\d/u.test(content.slice(start, end))),
    ),
  );
}

function isInList(sentence: string, value: string): boolean {
  const at = sentence.toLowerCase().indexOf(value.toLowerCase());
  if (at < 0) return false;
  return AND_AFTER.test(sentence.slice(at + value.length)) || AND_BEFORE.test(sentence.slice(0, at));
}

const AND_AFTER = new RegExp(`^(?:,| (?:${wordsOfAll('and')})(?= )) ?\\p{L}`, 'iu');
const AND_BEFORE = new RegExp(`\\p{L}(?:,| (?:${wordsOfAll('and')})) $`, 'iu');

export function turnItem(event: Event, score: number): Item {
  return {
    text: withoutBlanks(event.content),
    kind: 'event',
    id: event.id,
    trust: trustOf(event.origin),
    score,
    label: event.origin === 'agent' ? 'agent' : 'user',
    speaker: event.speaker === null ? undefined : speakerName(event),
    date: event.occurredAt,
  };
}

export function textWithSpeaker({ speaker, text }: Item): string {
  return speaker === undefined ? text : `${speaker}: ${text}`;
}

/** Removes images, because the words of a block may come from anybody. */
export function blockItem(id: string, text: string): Item {
  return { text: defuseImages(text), kind: 'block', id, trust: 'medium', score: 1 };
}

/** Each item has the text `"key": value`. Later entries are dropped first. */
export function entryItems(id: string, content: unknown): Item[] {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).map(([key, given], index) => {
    const trust = isUnverified(given) ? 'low' : 'medium';
    const value: unknown = isUnverified(given) ? given.value : given;
    const text = textByTrust(entryText(key, value), trust);
    return { ...blockItem(id, text), trust, entry: { key, value }, score: -index };
  });
}

function entryText(key: string, value: unknown): string {
  return `${safeJson(key)}: ${defuseImages(safeJson(value))}`;
}

/**
 * Removes the list items and the single values that another section of the prompt already contains. `key` is passed for a single value: the
 * key of its entry, which is a name if the entry is about a person (`"ana": { "home_city": "Leeds" }`). Returns null if nothing is left.
 */
export function entryWithout(entry: Item, isSaid: (text: string, key?: string) => boolean): Item | null {
  const { key = '', value } = entry.entry ?? {};
  const isSaidOf = (one: unknown): boolean =>
    (typeof one === 'string' || typeof one === 'number') && isSaid(String(one), key);
  if (isSaidOf(value)) return null;
  if (typeof value !== 'object' || value === null) return entry;
  const left = Array.isArray(value)
    ? value.filter((item) => typeof item !== 'string' || !isSaid(item))
    : Object.fromEntries(Object.entries(value).filter(([, one]) => !isSaidOf(one)));
  const { length } = Object.keys(left);
  if (length === Object.keys(value).length) return entry;
  return length === 0
    ? null
    : { ...entry, text: textByTrust(entryText(key, left), entry.trust), entry: { key, value: left } };
}

export function jsonItem(id: string, content: unknown, label?: string): Item | null {
  if (typeof content !== 'object' || content === null || Object.keys(content).length === 0) return null;
  return { ...blockItem(id, safeJson(content)), label };
}

export function fieldItems(
  data: Readonly<Record<string, unknown>> | readonly string[] | string,
  about: { label?: string; trust: Trust; score: (text: string) => number },
): Item[] {
  const { label, trust } = about;
  const given = typeof data === 'string' ? data.split('\n') : data;
  const fields: [string | undefined, unknown][] = Array.isArray(given)
    ? given.map((line) => [undefined, line])
    : Object.entries(given);
  return fields
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([title, value]) => {
      const text = textByTrust(typeof value === 'string' ? value : safeJson(value), trust);
      const line = title === undefined || label === undefined ? text : `${title}: ${text}`;
      return { ...applicationItem(line), trust, score: about.score(`${title ?? ''} ${text}`), label, title };
    });
}
