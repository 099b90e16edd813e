// node train/reader/examples.ts > FILE: writes the training examples of train.py, one per line. Texts in other languages are glossed here
// as the embedder glosses them, so that the layers only see English words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitClauses, type TextSpan } from '../../src/language/sentences.ts';
import { contentStems, coveredBy } from '../../src/language/words.ts';
import { createGlossary, wordsOfGloss } from '../../src/models/local-embedder/token-windows.ts';
import { SLOTS } from '../../src/models/local-embedder/memory-layout.ts';
import { isPlain, piecesOf, readSheets, type Sheet } from '../sheets/read-sheets.ts';

/** The answers to questions about a part of a text: 1 for yes, 0 for no. A question without an answer is not learned from this part. */
interface Labels {
  /** Whether the author only quotes or pastes the part. */
  foreign?: 0 | 1;
  /** Whether the part asks to forget something, or not to keep it. */
  asks?: 0 | 1;
  /** Whether a request means the part. */
  meant?: 0 | 1;
  /** Whether the part withdraws an earlier request. */
  back?: 0 | 1;
  /** Whether the part makes an earlier statement untrue. */
  changes?: 0 | 1;
  /** Whether the message makes the part untrue. */
  ends?: 0 | 1;
}

type Part = [text: string, labels: Labels];

interface Example {
  task: 'foreign' | 'request' | 'change';
  /** Examples of one group are never on both sides of a split. */
  group: string;
  source: string;
  language: string;
  parts: Part[];
  /** The clauses of the user's earlier turns, the latest turn first. Only for requests and changes. */
  said: { parts: Part[] }[];
}

const TRAIN = join(import.meta.dirname, '..');
const filesOf = (folder: string, ending: string): { name: string; text: string }[] =>
  readdirSync(join(TRAIN, folder))
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => ({ name: name.slice(0, -ending.length), text: readFileSync(join(TRAIN, folder, name), 'utf8') }));
const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
const glossary = createGlossary(() =>
  filesOf('lexicons', '.tsv')
    .map(({ text }) => text)
    .join(''),
);

function write(example: Example): void {
  const texts = [...example.parts, ...example.said.flatMap(({ parts }) => parts)].map(([text]) => text);
  const glossed = example.language === 'en' ? texts : glossary.glossTogether([texts])[0]!.map(({ text }) => text);
  let next = 0;
  const renewed = (parts: Part[]): Part[] => parts.map(([, labels]) => [glossed[next++] ?? '', labels]);
  const parts = renewed(example.parts);
  const said = example.said.map((turn) => ({ ...turn, parts: renewed(turn.parts) }));
  if (parts.length > 0) process.stdout.write(`${JSON.stringify({ ...example, parts, said })}\n`);
}

interface Marked {
  text: string;
  own?: boolean;
  foreign?: string;
  request?: string;
  about?: string | null;
  slot?: string | null;
  value?: string | null;
  denied?: boolean;
}

/** The marked parts of a text, and the text between them. */
function placed(text: string, marked: readonly Marked[], isForeign: (part: Marked) => boolean): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const part of marked) {
    const start = text.indexOf(part.text, at);
    if (start < 0) continue;
    if (start > at) parts.push([text.slice(at, start), {}]);
    at = start + part.text.length;
    parts.push([part.text, { foreign: isForeign(part) ? 1 : 0 }]);
  }
  return at < text.length ? [...parts, [text.slice(at), {}]] : parts;
}

const foreign = (group: string, source: string, language: string, parts: Part[]): void =>
  write({ task: 'foreign', group, source, language, parts, said: [] });

const clausesOf = (text: string, labelsOf: (clause: TextSpan) => Labels): Part[] =>
  splitClauses(text).map((span) => [text.slice(span.start, span.end), labelsOf(span)]);

/** Writes a turn that is not a request, with the turns before it. */
function ordinary(group: string, language: string, text: string, before: readonly { text: string }[]): void {
  const parts = clausesOf(text, () => ({ asks: 0, meant: 0, back: 0 }));
  const said = before.slice(-MOST_BEFORE).map((turn) => ({ parts: clausesOf(turn.text, () => ({ meant: 0 })) }));
  write({ task: 'request', group, source: 'ordinary', language, parts, said: said.toReversed() });
}

const MOST_BEFORE = 4;

for (const { name, text } of filesOf('reader/data', '.jsonl')) {
  for (const [number, item] of (linesOf(text) as { language: string; text: string; parts: Marked[] }[]).entries())
    foreign(
      `${name}${number % 10}`,
      'foreign',
      item.language,
      placed(item.text, item.parts, ({ own }) => own !== true),
    );
}

const BROUGHT = new Set(['pasted', 'quoted', 'fiction']);
for (const { text } of filesOf('talk/data', '.json')) {
  const { id, language, turns } = JSON.parse(text) as {
    id: string;
    language: string;
    turns: { text: string; sentences: Marked[] }[];
  };
  for (const [place, turn] of turns.entries()) {
    foreign(
      id,
      'talk',
      language,
      placed(turn.text, turn.sentences, ({ foreign: kind }) => BROUGHT.has(kind ?? '')),
    );
    const values = turn.sentences.flatMap(({ slot, value, about, denied }): SlotValue[] => {
      const start = slot && value && about === 'User' && denied !== true ? turn.text.indexOf(value) : -1;
      return start < 0 ? [] : [{ slot: slot!, start, end: start + value!.length }];
    });
    slots(id, 'sentences', language, turn.text, values);
    const asks = turn.sentences.some(({ request }) => request === 'forget');
    if (!asks) ordinary(id, language, turn.text, turns.slice(0, place));
  }
}

interface LifeMemory {
  text: string;
  stated: string[];
  until: string | null;
  about: string;
  polarity: string;
  slot: string | null;
  value: string | null;
}

const MOST_EARLIER = 7;

/**
 * Writes a turn of a life, with the turns before it and the earlier turns whose statements it ends. In such an earlier turn, only the
 * clause that shares the most words with the statement is labelled as ended, and its other clauses have no label.
 */
function changeInLife(
  life: { id: string; language: string; memories: LifeMemory[] },
  turn: { id: string; text: string },
  before: readonly { id: string; text: string }[],
): void {
  const ended = life.memories.filter(({ until }) => until === turn.id);
  const stating = new Set(ended.flatMap(({ stated }) => stated));
  const shown = before.filter(({ id }, index) => stating.has(id) || index >= before.length - MOST_EARLIER);
  const said = shown.slice(-MOST_EARLIER - 3).map(({ id, text }) => {
    const spans = splitClauses(text);
    const lasting = new Set(
      ended
        .filter(({ stated }) => stated.includes(id))
        .map((memory) => {
          const shared = spans.map(({ start, end }) =>
            coveredBy(contentStems(memory.text), contentStems(text.slice(start, end))),
          );
          return shared.indexOf(Math.max(...shared));
        }),
    );
    return {
      parts: spans.map(({ start, end }, index): Part => [
        text.slice(start, end),
        lasting.has(index) ? { ends: 1 } : stating.has(id) ? {} : { ends: 0 },
      ]),
    };
  });
  const parts = clausesOf(turn.text, () => ({ changes: ended.length > 0 ? 1 : 0 }));
  const source = ended.length > 0 ? 'life-change' : 'life-none';
  write({ task: 'change', group: life.id, source, language: life.language, parts, said: said.toReversed() });
}

/** Beginnings of requests, which precede the words that a request means. */
const FORGET = ['', 'Forget this: ', 'please delete ', "I don't want you to know "];

/**
 * Writes a question or a statement of a life as a request that means its turns, among all turns of the user. The layers learn from these
 * examples which turns the words are about. In a turn of many clauses, it is not known which of them is meant.
 */
function namedInLife(
  life: { id: string; language: string },
  own: readonly { id: string; text: string }[],
  named: Named,
): void {
  const meant = (text: string): Labels => (splitClauses(text).length <= FEW_CLAUSES ? { meant: 1 } : {});
  const said = own.map(({ id, text }) => ({
    parts: clausesOf(text, () => (named.turns.includes(id) ? meant(text) : { meant: 0 })),
  }));
  if (!said.some(({ parts }) => parts.some(([, labels]) => labels.meant === 1))) return;
  const words = `${FORGET[(named.text.length + own.length) % FORGET.length]}${named.text}`;
  const parts: Part[] = clausesOf(words, () => ({}));
  write({ task: 'request', group: life.id, source: 'named', language: life.language, parts, said: said.toReversed() });
}

interface Named {
  text: string;
  turns: readonly string[];
}

const FEW_CLAUSES = 3;

const questionsOf = new Map(
  filesOf('embedder/own', '.jsonl').map(({ name, text }) => [
    name,
    (linesOf(text) as { turn: string; q: string[] }[]).flatMap(({ turn, q }): Named[] =>
      q.map((question) => ({ text: question, turns: [turn] })),
    ),
  ]),
);

for (const { text } of filesOf('lives', '.json')) {
  const life = JSON.parse(text) as {
    id: string;
    language: string;
    memories: LifeMemory[];
    sessions: { turns: { id: string; role: string; text: string }[] }[];
  };
  const stating = new Set(life.memories.flatMap(({ stated }) => stated));
  const own = life.sessions.flatMap(({ turns }) => turns).filter(({ role }) => role === 'user');
  const stated = life.memories.map((memory): Named => ({ text: memory.text, turns: memory.stated }));
  for (const named of [...stated, ...(questionsOf.get(life.id) ?? [])]) namedInLife(life, own, named);
  for (const [place, turn] of own.entries()) {
    const facts = life.memories.filter(
      ({ stated, about, polarity, slot }) =>
        stated.includes(turn.id) && slot !== null && about === 'User' && polarity !== 'negative',
    );
    const values = facts.map(({ slot, value }): SlotValue => {
      const start = turn.text.toLowerCase().indexOf(value!.toLowerCase());
      return { slot: slot!, start, end: start + value!.length };
    });
    // A value that the turn expresses in other words cannot be marked.
    if (values.every(({ start }) => start >= 0)) slots(life.id, 'sentences', life.language, turn.text, values);
    changeInLife(life, turn, own.slice(0, place));
    if (!stating.has(turn.id)) continue;
    foreign(life.id, 'lives', life.language, [[turn.text, { foreign: 0 }]]);
    ordinary(life.id, life.language, turn.text, own.slice(0, place));
  }
}

interface Request {
  language?: string;
  said: string[];
  request: string;
  span: string | null;
  forgets: number[];
  /** The words that are meant, in turns that also contain other words. */
  words?: string[];
  self: boolean;
  kind: 'forget' | 'keep_not' | 'take_back' | 'none';
}

/** Whether a clause is meant: at least half of it is marked, or it contains at least half of a mark. */
function isMeant(turn: string, clause: TextSpan, marked: readonly string[]): 0 | 1 {
  return marked.some((words) => {
    const from = turn.indexOf(words);
    const shared = Math.min(clause.end, from + words.length) - Math.max(clause.start, from);
    return from >= 0 && shared * 2 >= Math.min(words.length, clause.end - clause.start);
  })
    ? 1
    : 0;
}

/** The marked words that a turn contains. */
function marksIn(turn: string, marked: readonly string[] = []): string[] {
  return marked.filter((words) => turn.includes(words));
}

/** The clauses of an earlier turn. They have no labels if it is not known what the request means, as for a bare "forget that". */
function saidTurn(item: Request, words: string, turn: number): { parts: Part[] } {
  const isKnown = item.kind !== 'take_back' && (item.forgets.length > 0 || item.kind === 'none' || item.self);
  if (!isKnown) return { parts: clausesOf(words, () => ({})) };
  if (!item.forgets.includes(turn)) return { parts: clausesOf(words, () => ({ meant: 0 })) };
  const marks = marksIn(words, item.words);
  return { parts: clausesOf(words, (clause) => ({ meant: marks.length === 0 ? 1 : isMeant(words, clause, marks) })) };
}

/**
 * The clauses of a request, with labels for those that ask, those that withdraw a request, and those that the request itself means ("don't
 * keep this: …").
 */
function ownParts(item: Request): Part[] {
  const { request, kind, self } = item;
  const start = item.span === null ? -1 : request.indexOf(item.span);
  const end = start + (item.span?.length ?? 0);
  const marks = self ? marksIn(request, item.words) : [];
  return clausesOf(request, (clause) => {
    const isAsking = start >= 0 && clause.start < end && clause.end > start ? 1 : 0;
    // If the author marked nothing, the clauses beside the request are meant, unless they are questions.
    const isUnmarked = self && marks.length === 0;
    const isOpen = isUnmarked && (isAsking === 1 || request.slice(0, clause.end).trimEnd().endsWith('?'));
    return {
      asks: kind === 'forget' || kind === 'keep_not' ? isAsking : 0,
      back: kind === 'take_back' ? isAsking : 0,
      ...(isOpen ? {} : { meant: isUnmarked ? 1 : isMeant(request, clause, marks) }),
    };
  });
}

function requestExamples(group: string, source: string, item: Request & { language: string }): void {
  const said = item.said.map((words, turn) => saidTurn(item, words, turn)).toReversed();
  write({ task: 'request', group, source, language: item.language, parts: ownParts(item), said });
}

for (const { name, text } of filesOf('requests', '.jsonl')) {
  for (const [number, item] of (linesOf(text) as Request[]).entries()) {
    // Adjacent lines share people and turns, so they are in one group.
    const group = `r${name}:${Math.floor(number / 20)}`;
    const language = item.language ?? name.slice(0, 2);
    requestExamples(group, (item.words ?? []).length > 0 ? 'marked' : item.kind, { ...item, language });
    for (const [turn, words] of item.said.entries())
      ordinary(
        group,
        language,
        words,
        item.said.slice(0, turn).map((earlier) => ({ text: earlier })),
      );
    if (item.kind === 'forget') {
      for (const words of item.said) foreign(group, 'requests', language, [[words, { foreign: 0 }]]);
    }
  }
}

/** The messages of a user, and requests to forget some of their words. Each request is made after all messages. */
interface CrowdedStore {
  language: string;
  said: string[];
  requests: { text: string; asks: string; forget: { message: number | 'self'; words: string }[] }[];
  none: string[];
}

for (const { name, text } of filesOf('crowded', '.json')) {
  for (const [number, store] of (JSON.parse(text) as CrowdedStore[]).entries()) {
    const group = `w${name}:${number}`;
    const { language, said } = store;
    for (const { text: request, asks, forget } of store.requests) {
      const forgets = forget.flatMap(({ message }) => (message === 'self' ? [] : message));
      const turns = said.map((words, turn) => {
        const marks = forget.flatMap((mark) => (mark.message === turn ? mark.words : []));
        return { parts: clausesOf(words, (clause) => ({ meant: isMeant(words, clause, marks) })) };
      });
      const own = forget.flatMap(({ message, words }) => (message === 'self' ? words : []));
      const item = { said, request, span: asks, forgets, words: own, self: own.length > 0, kind: 'forget' as const };
      const example = { task: 'request' as const, group, source: 'crowded', language };
      write({ ...example, parts: ownParts(item), said: turns.toReversed() });
    }
    for (const request of store.none) {
      const item = { said, request, span: null, forgets: [], self: false, kind: 'none' as const, language };
      requestExamples(group, 'crowded-none', item);
    }
    for (const [turn, words] of said.entries()) {
      const before = said.slice(0, turn).map((earlier) => ({ text: earlier }));
      ordinary(group, language, words, before);
    }
  }
}

/** Plain facts with the phrases that name them, and templates of requests in which such a phrase replaces {x}. */
interface PlainTalk extends Record<'np' | 'clause' | 'bare' | 'all' | 'none_np' | 'none', string[]> {
  facts: { said: string; np: string[]; clause: string[] }[];
}

const PLAIN_EACH = 700;

/** Writes plain requests, which people type first when they try out a memory: "I live in Berlin.", "Please forget where I live." */
function plainRequests(language: string, talk: PlainTalk): void {
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;
  for (let number = 0; number < PLAIN_EACH; number += 1) {
    const fact = pick(talk.facts);
    const kind = pick([
      'np',
      'np',
      'np',
      'np',
      'clause',
      'clause',
      'clause',
      'bare',
      'all',
      'none_np',
      'none',
    ] as const);
    const phrase = pick(kind === 'clause' ? fact.clause : fact.np);
    const others = Array.from({ length: Math.floor(random() * 4) }, () => pick(talk.facts)).filter(
      (other, index, all) =>
        other !== fact && ![...other.np, ...other.clause].includes(phrase) && all.indexOf(other) === index,
    );
    const facts = kind === 'bare' ? [...others, fact] : [...others, fact].toSorted(() => random() - 0.5);
    // Two facts are joined to one turn, and only one of them is meant.
    const joins = facts.length > 2 && kind !== 'bare' && random() < 0.4;
    const said = facts.map((each) => each.said);
    if (joins) said.splice(0, 2, `${said[0]} ${said[1]}`);
    const request = pick(talk[kind]).replace('{x}', phrase);
    const isNone = kind === 'none_np' || kind === 'none';
    const meant = isNone
      ? []
      : said.flatMap((turn, index) => (kind === 'all' || turn.includes(fact.said) ? index : []));
    const words = isNone ? [] : kind === 'all' ? said : [fact.said];
    requestExamples(`p${language}:${number % 50}`, isNone ? 'plain-none' : 'plain', {
      language,
      said,
      request,
      span: isNone ? null : request,
      forgets: meant,
      words,
      self: false,
      kind: isNone ? 'none' : 'forget',
    });
  }
}

for (const { name, text } of filesOf('plain', '.json')) plainRequests(name, JSON.parse(text) as PlainTalk);

interface Change {
  language: string;
  said: string[];
  message: string;
  /** The turns with statements that no longer hold, and the words of these statements. */
  ends: number[];
  words: string[];
  kind: 'change' | 'end' | 'correction' | 'none';
}

for (const { name, text } of filesOf('changes', '.jsonl')) {
  for (const [number, item] of (linesOf(text) as Change[]).entries()) {
    const said = item.said.map((words, turn) => ({
      parts: clausesOf(words, (clause) => ({
        ends: item.ends.includes(turn) ? isMeant(words, clause, item.words) : 0,
      })),
    }));
    const parts = clausesOf(item.message, () => ({ asks: 0, back: 0, changes: item.kind === 'none' ? 0 : 1 }));
    const group = `c${name}:${Math.floor(number / 20)}`;
    const source = item.kind === 'none' ? 'change-none' : 'change';
    write({ task: 'change', group, source, language: item.language, parts, said: said.toReversed() });
  }
}

/** A piece of a sheet is marked in a clause if it shares at least half of the shorter of the two. */
function overlaps(clause: TextSpan, pieces: readonly TextSpan[]): 0 | 1 {
  return pieces.some(({ start, end }) => {
    const shared = Math.min(clause.end, end) - Math.max(clause.start, start);
    return shared * 2 >= Math.min(end - start, clause.end - clause.start);
  })
    ? 1
    : 0;
}

/** Writes the messages, requests and questions of a sheet. */
function sheetExamples(sheet: Sheet): void {
  const group = `sheet-${sheet.id}`;
  const { language, messages } = sheet;
  const pieces = piecesOf(sheet);
  const texts = messages.map(({ text }) => text);
  const placesIn = (message: number, names: readonly string[]) =>
    names.flatMap((name) => pieces.get(name) ?? []).filter((piece) => piece.message === message + 1);
  const turns = (names: readonly string[], question: 'meant' | 'ends') =>
    texts.map((text, message) => ({
      parts: clausesOf(text, (clause) => ({ [question]: overlaps(clause, placesIn(message, names)) })),
    }));
  for (const { text, pieces: names } of sheet.forget)
    write({
      task: 'request',
      group,
      source: 'sheet-crowded',
      language,
      parts: clausesOf(text, () => ({ asks: 1, back: 0, meant: 0 })),
      said: turns(names, 'meant').toReversed(),
    });
  for (const request of sheet.not)
    requestExamples(group, 'sheet-crowded-none', {
      said: texts,
      request,
      span: null,
      forgets: [],
      self: false,
      kind: 'none',
      language,
    });
  for (const { text, pieces: names } of sheet.ask) {
    if (names.length === 0) continue;
    const parts: Part[] = clausesOf(`${FORGET[text.length % FORGET.length]}${text}`, () => ({}));
    write({ task: 'request', group, source: 'sheet-named', language, parts, said: turns(names, 'meant').toReversed() });
  }
  for (const [place, { text, pieces: own }] of messages.entries()) {
    const asks = own.some(({ requests }) => requests.includes('forget'));
    const before = isPlain(sheet) ? [] : texts.slice(0, place);
    if (!asks)
      ordinary(
        group,
        language,
        text,
        before.map((earlier) => ({ text: earlier })),
      );
    const values = own.flatMap((piece) =>
      piece.denied
        ? []
        : piece.slots.flatMap(({ slot, value }): SlotValue[] => {
            const start = text.indexOf(value, piece.start);
            return start < 0 || start >= piece.end ? [] : [{ slot, start, end: start + value.length }];
          }),
    );
    slots(group, 'sheets', language, text, values);
    const marked = own.map((piece) => ({
      text: text.slice(piece.start, piece.end),
      foreign: piece.foreign ?? undefined,
    }));
    foreign(
      group,
      'talk',
      language,
      placed(text, marked, ({ foreign: kind }) => BROUGHT.has(kind ?? '')),
    );
    if (isPlain(sheet)) continue;
    const ends = own.flatMap((piece) => piece.ends);
    const changing = own.filter((piece) => piece.ends.length > 0);
    const said = turns(ends, 'ends')
      .slice(0, place)
      .filter(({ parts }, index) => index >= place - MOST_EARLIER || parts.some(([, labels]) => labels.ends === 1));
    const parts = clausesOf(text, (clause) => ({
      ...(asks ? {} : { asks: 0 }),
      back: 0,
      changes: overlaps(clause, changing),
    }));
    const source = ends.length > 0 ? 'sheet-change' : 'sheet-none';
    write({ task: 'change', group, source, language, parts, said: said.slice(-MOST_EARLIER - 5).toReversed() });
  }
}

for (const sheet of readSheets(join(TRAIN, 'sheets'))) sheetExamples(sheet);

const MARK = /\[(?<slot>[a-z_]+)=(?<words>[^[\]]+)\]/gu;

/** Writes a turn word by word. Each word has the number of the slot to whose value it belongs, or 0. */
function slots(group: string, source: string, language: string, text: string, values: readonly SlotValue[]): void {
  const glossed = language === 'en' ? { text, stretches: [] } : glossary.glossTogether([[text]])[0]![0]!;
  const words = wordsOfGloss(glossed).map(({ text: word, start, end }) => [
    word,
    SLOTS.indexOf(values.find((value) => value.start < end && value.end > start)?.slot ?? '') + 1,
  ]);
  process.stdout.write(`${JSON.stringify({ task: 'slots', group, source, language, parts: words, said: [] })}\n`);
}

interface SlotValue {
  slot: string;
  start: number;
  end: number;
}

for (const { name, text } of filesOf('marked', '.txt')) {
  for (const [number, line] of text.split('\n').filter(Boolean).entries()) {
    const turn = line.split(' ||| ').at(-1)!;
    const values: SlotValue[] = [];
    let plain = '';
    let read = 0;
    for (const { 0: mark, index, groups } of turn.matchAll(MARK)) {
      plain += turn.slice(read, index);
      values.push({ slot: groups!['slot']!, start: plain.length, end: plain.length + groups!['words']!.length });
      plain += groups!['words']!;
      read = index + mark.length;
    }
    slots(`s${name}${number % 10}`, 'slots', name.slice(0, 2), plain + turn.slice(read), values);
  }
}
