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

export type OverflowRule =
  /** The items with the lowest scores are dropped. */
  | 'drop-lowest'
  /** The oldest items are dropped. */
  | 'drop-oldest'
  /** The text is cut, with a notice. */
  | 'cut'
  /** The section is never cut, because it is the application's own text. Other sections are cut in its place. */
  | 'keep';

/** How a section is cut, switched off and logged. */
interface Section {
  /** What happens if the section exceeds its budget, unless the layout sets another rule. Sections with `keep` get their tokens first. */
  overflow: OverflowRule;
  /** Whether the section can change from turn to turn even if the knowledge stays the same. */
  perTurn?: true;
  /** The switch that leaves out this section along with others. */
  tier?: 'reflections' | 'lookups';
  /** How the log describes the section's memories: found for this turn, or contained in every prompt. */
  gives?: 'found' | 'always';
}

/**
 * All sections that a context can have, in the order in which they get their tokens; later sections are cut first. A layout chooses which
 * of them it shows, where, and how.
 */
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
  /**
   * The text, without invisible characters. Links are removed if it is not trusted. Turns of the history stay verbatim. The layout escapes
   * the text.
   */
  text: string;
  kind: 'memory' | 'event' | 'block' | 'application';
  /** The record's id; null for the application's text. */
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

/** The gathered items of a context, by section. */
export type Material = Partial<Record<SectionName, readonly Item[]>>;

/** Creates an item from the application's own text. It is not escaped, and it is dropped last. */
export function applicationItem(text: string): Item {
  return { text, kind: 'application', id: null, trust: 'high', score: Infinity };
}

/** Converts a memory to an item. Items with the lowest `score` are dropped first. */
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
    timeZone: memory.internal['timeZone'],
    importance: memory.importance,
    quotes: memory.quotes,
    summary: text(metadata['summary']),
    note: text(metadata['note']),
  };
}

/**
 * Converts a permanent fact to an item. Its title is the attribute's name, and its label is the category. Its text is the value, or the
 * whole sentence if that says more than the value.
 */
export function factItem(fact: Memory, label: string): Item {
  const { value, content, trust } = fact;
  const text = textByTrust(value === null || saysMore(fact, label, value) ? content : value, trust);
  return { ...memoryItem(fact), text, title: label, label: fact.category ?? 'general', sentence: content };
}

// A sentence that only states a value has about this many words besides the label and the value: "User works as a bus driver."
const MOST_MORE = 1;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Checks whether a sentence says more than its field's label and value: other names or numbers, several more words, or further values
 * ("peanuts and penicillin"). Does not count the fixed words of a rendering ("Is … years old"), the user, and relative dates such as "last
 * week".
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

/** Checks whether another value comes directly before or after a value, as in a list. */
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

/** Returns an item's text. If it is a turn with a named speaker, the text follows the speaker's name. */
export function textWithSpeaker({ speaker, text }: Item): string {
  return speaker === undefined ? text : `${speaker}: ${text}`;
}

/** Creates an item from a text block. Images are removed, because its words may come from anybody. */
export function blockItem(id: string, text: string): Item {
  return { text: defuseImages(text), kind: 'block', id, trust: 'medium', score: 1 };
}

/** Converts a JSON block's entries to items with the text `"key": value`. Later entries are dropped first. */
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

/** Removes the list items that another section of the prompt already contains. Returns null if none is left. */
export function entryWithout(entry: Item, isSaid: (statement: string) => boolean): Item | null {
  const { key = '', value } = entry.entry ?? {};
  if (!Array.isArray(value)) return entry;
  const left = value.filter((item) => typeof item !== 'string' || !isSaid(item));
  if (left.length === value.length) return entry;
  return left.length === 0
    ? null
    : { ...entry, text: textByTrust(entryText(key, left), entry.trust), entry: { key, value: left } };
}

/** Converts a connection's or a user's JSON block to one item. */
export function jsonItem(id: string, content: unknown, label?: string): Item | null {
  if (typeof content !== 'object' || content === null || Object.keys(content).length === 0) return null;
  return { ...blockItem(id, safeJson(content)), label };
}

/** Converts the application's data to items, one for each field or line. */
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
