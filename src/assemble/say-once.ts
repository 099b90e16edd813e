import { replaceStatements, statementsIn } from '../language/dated-line.ts';
import { bareStatement } from '../language/sentences.ts';
import { entryWithout } from './items.ts';
import type { Item, SectionName } from './section.ts';

/** What a prompt has said so far. Sections are added in the order in which they take their room. */
export interface Said {
  /** What is left of an item after what was said: the item, a shorter one, or the name of the section that has said it. */
  rest(section: SectionName, item: Item): Item | SectionName;
  add(section: SectionName, item: Item): void;
}

/** A prompt that has said nothing yet. A statement and a turn are known by their ids; a document, which is text, by its sentences. */
export function createSaid(): Said {
  const sentences = new Map<string, SectionName>();
  const statements = new Map<string, SectionName>();
  const turns = new Map<string, SectionName>();
  const quoted = createQuoted();
  const byTurns = ({ quotes = [] }: Item): SectionName | undefined =>
    quotes.length > 0 && quotes.every(({ event }) => turns.has(event)) ? turns.get(quotes[0]?.event ?? '') : undefined;
  return {
    rest(section, item) {
      // A label and its value stand for themselves, whoever else has a sentence of them.
      if (section === 'facts') return item;
      if (item.kind === 'event' && item.id !== null) {
        return turns.get(item.id) ?? quoted.mostOf(item.id, item.text.length) ?? item;
      }
      if (item.kind === 'memory') {
        const [sentence = ''] = sentencesOf(item);
        return statements.get(item.id ?? '') ?? byTurns(item) ?? sentences.get(sentence) ?? item;
      }
      return documentWithout(item, sentences);
    },
    add(section, item) {
      if (item.kind === 'event' && item.id !== null) turns.set(item.id, section);
      const ids = [...(item.kind === 'memory' && item.id !== null ? [item.id] : []), ...(item.statements ?? [])];
      for (const id of ids) statements.set(id, section);
      for (const sentence of sentencesOf(item)) if (!sentences.has(sentence)) sentences.set(sentence, section);
      // A label and a value say less than the words that they were read from.
      if (section !== 'facts') quoted.add(section, item);
    },
  };
}

/** Which words of turns were quoted. */
interface Quoted {
  add(section: SectionName, item: Item): void;
  /** The section that has quoted at least half of a turn. */
  mostOf(turn: string, length: number): SectionName | undefined;
}

function createQuoted(): Quoted {
  const spans = new Map<string, { start: number; end: number; section: SectionName }[]>();
  return {
    add(section, { quotes = [] }) {
      for (const { event, start, end } of quotes)
        spans.set(event, [...(spans.get(event) ?? []), { start, end, section }]);
    },
    mostOf(turn, length) {
      const found = (spans.get(turn) ?? []).toSorted((one, other) => one.start - other.start);
      let told = 0;
      let upTo = 0;
      for (const { start, end } of found) {
        told += Math.max(0, end - Math.max(start, upTo));
        upTo = Math.max(upTo, end);
      }
      return told * 2 >= length ? found[0]?.section : undefined;
    },
  };
}

/** What is left of a document, or the section that has said all of it. */
function documentWithout(item: Item, sentences: ReadonlyMap<string, SectionName>): Item | SectionName {
  const by = (sentence: string): SectionName | undefined => sentences.get(bareStatement(sentence));
  if (!sentencesOf(item).some((sentence) => sentences.has(sentence))) return item;
  const speaker =
    sentencesOf(item)
      .map(by)
      .find((section) => section !== undefined) ?? 'facts';
  if (item.entry !== undefined) return entryWithout(item, (sentence) => by(sentence) !== undefined) ?? speaker;
  const text = replaceStatements(item.text, (sentence) => (by(sentence) === undefined ? sentence : null));
  const rest = { ...item, text };
  return sentencesOf(rest).length === 0 ? speaker : rest;
}

// Documents stay the same for many turns, and taking them apart costs as much as all else in a turn.
const takenApart = new WeakMap<Item, string[]>();

/** What an item says, sentence by sentence. */
function sentencesOf(item: Item): string[] {
  const known = takenApart.get(item);
  if (known !== undefined) return known;
  const sentences = readSentences(item);
  takenApart.set(item, sentences);
  return sentences;
}

function readSentences(item: Item): string[] {
  if (item.kind === 'memory') {
    const whole = item.title === undefined ? item.text : `${item.title}: ${item.text}`;
    return [whole, ...(item.sentence === undefined ? [] : [item.sentence])].map(bareStatement);
  }
  if (item.entry !== undefined) {
    const { value } = item.entry;
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string').map(bareStatement) : [];
  }
  if (item.kind !== 'block') return [];
  // Titles are no statements: two documents may have the same.
  return statementsIn(item.text)
    .filter((statement) => !statement.startsWith('#'))
    .map(bareStatement);
}
