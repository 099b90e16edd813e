import {
  bareStatement,
  DATED_LINE,
  replaceStatements,
  splitSentences,
  statementsIn,
  withoutEmptyHeadings,
} from '../language/sentences.ts';
import { contentStems, coveredBy, saysQuoted } from '../language/words.ts';
import { isNegated } from '../language/quotes.ts';
import { CHANGED_LATER } from '../recall/results.ts';
import {
  applicationItem,
  entryWithout,
  type Item,
  type OverflowRule,
  type SectionName,
  sectionOf,
  type Statement,
} from './section.ts';
import { cachedFor } from '../record/cache.ts';
import { contentHash } from '../record/id.ts';
import { spelledKey } from '../record/attribute-table.ts';

export interface FittedSection {
  items: Item[];
  tokens: number;
  dropped: { id: string | null; reason: string }[];
  cut: boolean;
}

export interface Fitting {
  items: readonly Item[];
  rule: OverflowRule;
  budget: number;
  reason: string;
  /** The tokens of the items as they are written in the prompt. */
  measure(items: readonly Item[]): number;
}

const CUT = '[…cut to fit; more is stored]';

/** Only the rule `keep` may exceed the budget. */
export function fitSection(fitting: Fitting): FittedSection {
  const { items, rule, budget, measure } = fitting;
  const tokens = measure(items);
  if (tokens <= budget || rule === 'keep') return { items: [...items], tokens, dropped: [], cut: false };
  return rule === 'cut' ? cutToFit(fitting) : dropToFit(fitting);
}

function dropToFit({ items, rule, budget, reason, measure }: Fitting): FittedSection {
  const order = items.map((item, index) => ({ item, index }));
  order.sort((one, other) => worth(other, rule) - worth(one, rule) || one.index - other.index);
  const best = (count: number): Set<number> => new Set(order.slice(0, count).map(({ index }) => index));
  const keep = (indexes: ReadonlySet<number>): Item[] => items.filter((_item, index) => indexes.has(index));
  // The token count nearly always grows with the number of items. The loop after the binary search corrects the exceptions.
  let count = largestThat(items.length, (some) => measure(keep(best(some))) <= budget);
  while (count > 0 && measure(keep(best(count))) > budget) count -= 1;
  const chosen = best(count);
  const kept = (): Item[] => keep(chosen);
  // The first item that does not fit may just be long, so some shorter items after it are tried too.
  for (const { index } of rule === 'drop-lowest' ? order.slice(count + 1, count + 1 + MOST_TRIES) : []) {
    chosen.add(index);
    if (measure(kept()) > budget) chosen.delete(index);
  }
  const dropped = order.filter(({ index }) => !chosen.has(index)).map(({ item }) => ({ id: item.id, reason }));
  return { items: kept(), tokens: measure(kept()), dropped, cut: false };
}

const MOST_TRIES = 8;

/** Bisects, assuming that all numbers below one that fits also fit. */
function largestThat(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function worth({ item, index }: { item: Item; index: number }, rule: OverflowRule): number {
  return rule === 'drop-oldest' && item.score !== Infinity ? index : item.score;
}

function cutToFit({ items, budget, reason, measure }: Fitting): FittedSection {
  const kept: Item[] = [];
  for (const [index, item] of items.entries()) {
    if (measure([...kept, item]) <= budget) {
      kept.push(item);
      continue;
    }
    const shortened = cutItem(item, (text) => measure([...kept, { ...item, text }]) <= budget);
    if (shortened !== null) kept.push(shortened);
    const dropped = items.slice(shortened === null ? index : index + 1).map(({ id }) => ({ id, reason }));
    return { items: kept, tokens: measure(kept), dropped, cut: shortened !== null };
  }
  return { items: kept, tokens: measure(kept), dropped: [], cut: false };
}

// If less than this many characters of a text would remain, it is dropped instead.
const SHORTEST = 40;

function cutItem(item: Item, fits: (text: string) => boolean): Item | null {
  const document = item.kind === 'block' ? cutDocument(item, fits, CUT) : null;
  if (document !== null) return { ...item, text: document };
  // Cuts within a sentence only if the text has no separate lines or sentences.
  if (item.kind === 'block' && statementsIn(item.text).length > 1) return null;
  const length = largestThat(item.text.length, (characters) => fits(cutText(item.text, characters, CUT)));
  const text = cutText(item.text, length, CUT);
  return length < SHORTEST || !fits(text) ? null : { ...item, text };
}

/** A line of at least this importance is kept in preference to newer lines. */
const IMPORTANT = 0.8;

/** Keeps prose first, then important lines, then the newest ones, as the working memory does. Returns null if nothing fits. */
export function cutDocument(
  { text, restsOn }: Pick<Item, 'text' | 'restsOn'>,
  fits: (text: string) => boolean,
  notice: string,
): string | null {
  const lines = text.split('\n').filter((line) => line !== notice);
  const parts = lines.flatMap((line, place): (Item & { place: number; isTitle: boolean })[] => {
    const [, day, listed = ''] = DATED_LINE.exec(line) ?? [];
    const behind = restsOn?.get(contentHash(listed)) ?? [];
    const isImportant = behind.some(({ importance = 0 }) => importance >= IMPORTANT);
    const isTitle = line.startsWith('#') || line.trim() === '';
    const score = day === undefined ? Infinity : Date.parse(day) * (isImportant ? 2 : 1);
    const spans = day === undefined && !isTitle ? splitSentences(line).map(({ span }) => span) : [];
    // A list item's bullet belongs to its first sentence.
    const starts = spans.length < 2 ? [0] : spans.map(({ start }, index) => (index === 0 ? 0 : start));
    return starts.map((start, index) => {
      const part = applicationItem(line.slice(start, starts[index + 1]));
      return { ...part, score, place, isTitle };
    });
  });
  const titles = parts.filter(({ isTitle }) => isTitle);
  const written = (kept: readonly Item[]): string => {
    const chosen = new Set<Item>([...kept, ...titles]);
    const shown = Map.groupBy(
      parts.filter((part) => chosen.has(part)),
      ({ place }) => place,
    );
    const join = (line: readonly Item[]): string => line.map((part) => part.text).join('');
    const whole = [...shown.values()].map((line) => join(line).trimEnd()).join('\n');
    return `${withoutEmptyHeadings(whole).trimEnd()}\n${notice}`;
  };
  const { items } = dropToFit({
    items: parts.filter(({ isTitle }) => !isTitle),
    rule: 'drop-lowest',
    budget: 0,
    reason: '',
    measure: (some) => Number(some.length > 0 && !fits(written(some))),
  });
  return items.length === 0 ? null : written(items);
}

/** Never splits a surrogate pair. */
export function cutText(text: string, characters: number, notice: string): string {
  if (text.length <= characters) return text;
  const end = /[\uD800-\uDBFF]/.test(text[characters - 1] ?? '') ? characters - 1 : characters;
  return `${text.slice(0, end).trimEnd()}\n${notice}`;
}

/** Finds repeated statements in a prompt. Add sections in the order in which they get their tokens. */
export interface Said {
  /** Returns the new part of an item, or the name of the section that already contains all of it. */
  rest(section: SectionName, item: Item): Item | SectionName;
  add(section: SectionName, item: Item): void;
}

/** Identifies statements and turns by their ids, and hand-written text by its words. */
export function createSaid(): Said {
  const sentences = new Map<string, SectionName>();
  const statements = new Map<string, SectionName>();
  const lasting: Lasting[] = [];
  const turns = new Map<string, SectionName>();
  const quoted = new Map<string, QuotedWords[]>();
  const byTurns = ({ quotes = [] }: Item): SectionName | undefined =>
    quotes.length > 0 && quotes.every(({ event }) => turns.has(event)) ? turns.get(quotes[0]?.event ?? '') : undefined;
  const bySections = ({ text, restsOn }: Sentence): SectionName | undefined => {
    const isSaid = restsOn.length > 0 && restsOn.every(({ id }) => statements.has(id));
    return (isSaid ? statements.get(restsOn[0]?.id ?? '') : undefined) ?? sentences.get(text);
  };
  const byMeaning = (words: string, key: string): SectionName | undefined =>
    tellingOf(lasting, words, key) ?? sentences.get(bareStatement(`${wordsOfKey(key)}: ${words}`));
  const byWords = (words: string): SectionName | undefined =>
    [...sentences].find(([text]) => text.includes(words))?.[1];
  return {
    rest(section, item) {
      // Facts are shown even if another section contains a sentence with the same content. The running conversation stays whole.
      if (section === 'facts' || section === 'history') return item;
      if (item.kind === 'event' && item.id !== null) {
        return turns.get(item.id) ?? mostlyQuotedBy(quoted.get(item.id) ?? [], wordsOfTurn(item.text)) ?? item;
      }
      if (section === 'summaries') return withoutQuotations(item, (words) => byWords(bareStatement(words)));
      if (item.kind === 'memory') {
        const [sentence] = sentencesOf(item).values();
        return (sentence === undefined ? undefined : bySections(sentence)) ?? byTurns(item) ?? item;
      }
      return item.entry === undefined
        ? documentWithout(item, bySections)
        : entryWithoutSaid(item, bySections, byMeaning);
    },
    add(section, item) {
      // The section `earlier` shows only the beginnings of turns.
      if (section === 'earlier') return;
      if (item.kind === 'event' && item.id !== null) {
        turns.set(item.id, section);
        sentences.set(bareStatement(item.text), section);
      }
      for (const id of item.statements ?? []) statements.set(id, section);
      for (const sentence of sentencesOf(item).values()) {
        const { text, restsOn } = sentence;
        if (!sentences.has(text)) sentences.set(text, section);
        // A section that changes from turn to turn must not change the documents in the system prompt.
        if (item.trust !== 'low' && !sectionOf(section).perTurn) lasting.push({ sentence, section });
        for (const { id, quotes } of restsOn) {
          statements.set(id, section);
          // A fact's label and value say less than the words from which they were read, so these words do not count as shown.
          for (const { event, start, end } of section === 'facts' ? [] : quotes)
            quoted.set(event, [...(quoted.get(event) ?? []), { start, end, section, statement: text }]);
        }
      }
    },
  };
}

/** A sentence in a section that stays the same from turn to turn. */
interface Lasting {
  sentence: Sentence;
  section: SectionName;
}

const stemsOf = cachedFor(({ text }: Sentence) => contentStems(text));

const wordsOfKey = (key: string): string => spelledKey(key).replaceAll('_', ' ');

/** The section with a sentence that has the words of a value and of its key. Both or neither of them must be negated. */
function tellingOf(lasting: readonly Lasting[], words: string, key: string): SectionName | undefined {
  if ([wordsOfKey(key), words].some((part) => contentStems(part).size === 0)) return undefined;
  const wanted = contentStems(`${wordsOfKey(key)} ${words}`);
  const last = words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .findLast((word) => word !== '');
  return lasting.find(
    ({ sentence }) =>
      coveredBy(wanted, stemsOf(sentence)) === 1 &&
      isNegated(sentence.text.split(last ?? '', 1)[0] ?? '') === isNegated(words),
  )?.section;
}

interface QuotedWords {
  start: number;
  end: number;
  section: SectionName;
  statement: string;
}

/** Removes the marks that were added to the turn: "(changed later)" and the day of its statement. */
function wordsOfTurn(text: string): string {
  const words = text.replace(CHANGED_LATER, '');
  const mark = words.lastIndexOf(' (');
  return mark >= 0 && /^ \((?:planned for )?\d{4}-\d{2}-\d{2}\)$/.test(words.slice(mark))
    ? words.slice(0, mark)
    : words;
}

// If more than a tenth of a turn is not quoted elsewhere, the turn is still shown, because the rest may explain the quotes.
const TOLD = 0.9;

function mostlyQuotedBy(quoted: readonly QuotedWords[], text: string): SectionName | undefined {
  // Several statements can be read from the same words, so they are checked together.
  const found = quoted
    .filter(({ start, end }) => {
      const same = quoted.filter((other) => other.start < end && other.end > start);
      return saysQuoted(same.map(({ statement }) => statement).join(' '), text.slice(start, end));
    })
    .toSorted((one, other) => one.start - other.start);
  let rest = '';
  let upTo = 0;
  for (const { start, end } of found) {
    rest += text.slice(upTo, Math.max(start, upTo));
    upTo = Math.max(upTo, end);
  }
  rest += text.slice(upTo);
  // A date or a number outside all quotes may be the answer, so the turn is still shown.
  return rest.length <= text.length * (1 - TOLD) && !/\p{N}/u.test(rest) ? found[0]?.section : undefined;
}

/** Removes the quotations that another section contains. Returns that section's name if nothing is left. */
function withoutQuotations(item: Item, bySections: (words: string) => SectionName | undefined): Item | SectionName {
  let by: SectionName | undefined;
  const left = item.text.split('\n').filter((line) => {
    const quoted = /^[^“]*“(.+)”$/u.exec(line)?.[1];
    const said = quoted === undefined ? undefined : bySections(quoted);
    by ??= said;
    // A forgotten quotation leaves an empty line.
    return said === undefined && line.trim() !== '';
  });
  return left.length === 0 && by !== undefined ? by : { ...item, text: left.join('\n') };
}

/** Keeps only the new sentences. Returns the name of the section that contains all of them if none is new. */
function documentWithout(item: Item, bySections: (sentence: Sentence) => SectionName | undefined): Item | SectionName {
  const sentences = sentencesOf(item);
  const said = new Map<string, SectionName>();
  for (const [words, sentence] of sentences) {
    const by = bySections(sentence);
    if (by !== undefined) said.set(words, by);
  }
  const [by] = said.values();
  if (by === undefined) return item;
  if (said.size === sentences.size) return by;
  const rest = replaceStatements(item.text, (words) => (said.has(words) ? null : words));
  return { ...item, text: withoutEmptyHeadings(rest) };
}

function entryWithoutSaid(
  item: Item,
  bySections: (sentence: Sentence) => SectionName | undefined,
  byMeaning: (words: string, key: string) => SectionName | undefined,
): Item | SectionName {
  let by: SectionName = 'scaffold';
  const left = entryWithout(item, (words, key) => {
    const found = key === undefined ? bySections({ text: bareStatement(words), restsOn: [] }) : byMeaning(words, key);
    by = found ?? by;
    return found !== undefined;
  });
  return left ?? by;
}

interface Sentence {
  text: string;
  restsOn: readonly Statement[];
}

// Documents stay the same for many turns, and splitting them into sentences costs as much as the rest of a turn.
const takenApart = new WeakMap<Item, ReadonlyMap<string, Sentence>>();

function sentencesOf(item: Item): ReadonlyMap<string, Sentence> {
  const known = takenApart.get(item);
  if (known !== undefined) return known;
  const sentences = new Map(
    readSentences(item).map(([words, restsOn]) => [words, { text: bareStatement(words), restsOn }]),
  );
  takenApart.set(item, sentences);
  return sentences;
}

function readSentences({ kind, id, title, text, entry, restsOn, ...memory }: Item): [string, readonly Statement[]][] {
  if (kind === 'memory') {
    const { quotes = [], sentence } = memory;
    const statement = id === null ? [] : [{ id, quotes }];
    const whole = title === undefined ? text : `${title}: ${text}`;
    return [whole, ...(sentence === undefined ? [] : [sentence])].map((words) => [words, statement]);
  }
  if (entry !== undefined) {
    const items: unknown[] = Array.isArray(entry.value) ? entry.value : [];
    return items.filter((each) => typeof each === 'string').map((words) => [words, []]);
  }
  if (kind !== 'block') return [];
  // Two documents may have the same title.
  return statementsIn(text)
    .filter((words) => !words.startsWith('#'))
    .map((words) => [words, restsOn?.get(contentHash(words)) ?? []]);
}
