import { replaceStatements, statementsIn } from '../language/dated-line.ts';
import { bareStatement } from '../language/sentences.ts';
import { contentHash } from '../record/memory.ts';
import type { Quote } from '../record/statement.ts';
import { entryWithout } from './items.ts';
import type { Item, SectionName, Statement } from './section.ts';

/** What a prompt has said so far. Sections are added in the order in which they take their room. */
export interface Said {
  /** What is left of an item after what was said: the item, a shorter one, or the name of the section that has said it. */
  rest(section: SectionName, item: Item): Item | SectionName;
  add(section: SectionName, item: Item): void;
}

/** A prompt that has said nothing yet. What was said is known by the ids of statements and turns; what somebody wrote by hand, by its words. */
export function createSaid(): Said {
  const sentences = new Map<string, SectionName>();
  const statements = new Map<string, SectionName>();
  const turns = new Map<string, SectionName>();
  const quoted = createQuoted();
  const byTurns = ({ quotes = [] }: Item): SectionName | undefined =>
    quotes.length > 0 && quotes.every(({ event }) => turns.has(event)) ? turns.get(quotes[0]?.event ?? '') : undefined;
  const bySections = ({ text, restsOn }: Sentence): SectionName | undefined => {
    const isSaid = restsOn.length > 0 && restsOn.every(({ id }) => statements.has(id));
    return (isSaid ? statements.get(restsOn[0]?.id ?? '') : undefined) ?? sentences.get(text);
  };
  return {
    rest(section, item) {
      // A label and its value stand for themselves, whoever else has a sentence of them.
      if (section === 'facts') return item;
      if (item.kind === 'event' && item.id !== null) {
        return turns.get(item.id) ?? quoted.mostOf(item.id, item.text.length) ?? item;
      }
      if (item.kind === 'memory') {
        const [sentence] = sentencesOf(item).values();
        return (sentence === undefined ? undefined : bySections(sentence)) ?? byTurns(item) ?? item;
      }
      return documentWithout(item, bySections);
    },
    add(section, item) {
      // Of earlier turns only the beginnings stand there.
      if (section === 'earlier') return;
      if (item.kind === 'event' && item.id !== null) turns.set(item.id, section);
      for (const id of item.statements ?? []) statements.set(id, section);
      for (const { text, restsOn } of sentencesOf(item).values()) {
        if (!sentences.has(text)) sentences.set(text, section);
        for (const { id, quotes } of restsOn) {
          statements.set(id, section);
          // A label and a value say less than the words that they were read from.
          if (section !== 'facts') quoted.add(section, quotes);
        }
      }
    },
  };
}

/** Which words of turns were quoted. */
interface Quoted {
  add(section: SectionName, quotes: readonly Quote[]): void;
  /** The section that has quoted nearly all of a turn. */
  mostOf(turn: string, length: number): SectionName | undefined;
}

// A turn that says a little more than what was quoted of it is shown: the rest may be what makes sense of the quotes.
const TOLD = 0.9;

function createQuoted(): Quoted {
  const spans = new Map<string, { start: number; end: number; section: SectionName }[]>();
  return {
    add(section, quotes) {
      for (const { event, start, end } of quotes) {
        spans.set(event, [...(spans.get(event) ?? []), { start, end, section }]);
      }
    },
    mostOf(turn, length) {
      const found = (spans.get(turn) ?? []).toSorted((one, other) => one.start - other.start);
      let told = 0;
      let upTo = 0;
      for (const { start, end } of found) {
        told += Math.max(0, end - Math.max(start, upTo));
        upTo = Math.max(upTo, end);
      }
      return told >= length * TOLD ? found[0]?.section : undefined;
    },
  };
}

/** What is left of a document, or the section that has said all of it. */
function documentWithout(item: Item, bySections: (sentence: Sentence) => SectionName | undefined): Item | SectionName {
  const sentences = sentencesOf(item);
  const said = new Map(
    [...sentences].flatMap(([words, sentence]) => {
      const by = bySections(sentence);
      return by === undefined ? [] : [[words, by] as const];
    }),
  );
  const [by] = said.values();
  if (by === undefined) return item;
  if (item.entry !== undefined) return entryWithout(item, (words) => said.has(words)) ?? by;
  if (said.size === sentences.size) return by;
  return { ...item, text: replaceStatements(item.text, (words) => (said.has(words) ? null : words)) };
}

/** A sentence, bare of what does not make it another one, and the statements behind it. */
interface Sentence {
  text: string;
  restsOn: readonly Statement[];
}

// Documents stay the same for many turns, and taking them apart costs as much as all else in a turn.
const takenApart = new WeakMap<Item, ReadonlyMap<string, Sentence>>();

/** What an item says, sentence by sentence, by the words of each. */
function sentencesOf(item: Item): ReadonlyMap<string, Sentence> {
  const known = takenApart.get(item);
  if (known !== undefined) return known;
  const sentences = new Map(
    readSentences(item).map(([words, restsOn]) => [words, { text: bareStatement(words), restsOn }]),
  );
  takenApart.set(item, sentences);
  return sentences;
}

function readSentences({
  kind,
  id,
  title,
  text,
  sentence,
  quotes = [],
  entry,
  restsOn,
}: Item): [string, readonly Statement[]][] {
  if (kind === 'memory') {
    const statement = id === null ? [] : [{ id, quotes }];
    const whole = title === undefined ? text : `${title}: ${text}`;
    return [whole, ...(sentence === undefined ? [] : [sentence])].map((words) => [words, statement]);
  }
  if (entry !== undefined) {
    const items: unknown[] = Array.isArray(entry.value) ? entry.value : [];
    return items.filter((each) => typeof each === 'string').map((words) => [words, []]);
  }
  if (kind !== 'block') return [];
  // Titles are no statements: two documents may have the same.
  return statementsIn(text)
    .filter((words) => !words.startsWith('#'))
    .map((words) => [words, restsOn?.get(contentHash(words)) ?? []]);
}
