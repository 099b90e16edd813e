// node train/reader/examples.ts > FILE: what train.py learns from, one example a line. A text in another language is glossed here, as the
// embedder glosses it, so that the layers only ever see English words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitSentences } from '../../src/language/sentences.ts';
import { createGlossary, wordsOfGloss } from '../../src/models/local-embedder/glossary.ts';
import { SLOTS } from '../../src/models/local-embedder/memory-layout.ts';

/** A piece of text; 1 where the answer is yes, 0 where it is no, null where it is not known. */
type Part = [text: string, label: 0 | 1 | null];

interface Example {
  task: 'foreign' | 'request';
  /** Examples of one group are never on both sides of a split. */
  group: string;
  source: string;
  language: string;
  parts: Part[];
  /** What the user said before, the latest turn first; sentences of one turn share its number. Only for requests. */
  said: { turn: number; parts: Part[] }[];
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
  const renewed = (parts: Part[]): Part[] => parts.map(([, label]) => [glossed[next++] ?? '', label]);
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

/** The parts of a text that are marked, with what stands between them. */
function placed(text: string, marked: readonly Marked[], isForeign: (part: Marked) => boolean): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const part of marked) {
    const start = text.indexOf(part.text, at);
    if (start < 0) continue;
    if (start > at) parts.push([text.slice(at, start), null]);
    at = start + part.text.length;
    parts.push([part.text, isForeign(part) ? 1 : 0]);
  }
  return at < text.length ? [...parts, [text.slice(at), null]] : parts;
}

const foreign = (group: string, source: string, language: string, parts: Part[]): void =>
  write({ task: 'foreign', group, source, language, parts, said: [] });

/** A turn that states something asks for nothing, whatever was said before it. */
function ordinary(group: string, language: string, text: string, before: readonly { text: string }[]): void {
  const parts = splitSentences(text).map(({ text: words }): Part => [words, 0]);
  const said = before.slice(-MOST_BEFORE).map((turn, number) => ({
    turn: number,
    parts: splitSentences(turn.text).map(({ text: words }): Part => [words, 0]),
  }));
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

for (const { text } of filesOf('lives', '.json')) {
  const life = JSON.parse(text) as {
    id: string;
    language: string;
    memories: { stated: string[]; about: string; polarity: string; slot: string | null; value: string | null }[];
    sessions: { turns: { id: string; role: string; text: string }[] }[];
  };
  const stating = new Set(life.memories.flatMap(({ stated }) => stated));
  const own = life.sessions.flatMap(({ turns }) => turns).filter(({ role }) => role === 'user');
  for (const [place, turn] of own.entries()) {
    const facts = life.memories.filter(
      ({ stated, about, polarity, slot }) =>
        stated.includes(turn.id) && slot !== null && about === 'User' && polarity !== 'negative',
    );
    const values = facts.map(({ slot, value }): SlotValue => {
      const start = turn.text.toLowerCase().indexOf(value!.toLowerCase());
      return { slot: slot!, start, end: start + value!.length };
    });
    // A value that the turn says in other words cannot be marked.
    if (values.every(({ start }) => start >= 0)) slots(life.id, 'sentences', life.language, turn.text, values);
    if (!stating.has(turn.id)) continue;
    foreign(life.id, 'lives', life.language, [[turn.text, 0]]);
    ordinary(life.id, life.language, turn.text, own.slice(0, place));
  }
}

interface Request {
  language?: string;
  said: string[];
  request: string;
  span: string | null;
  forgets: number[];
  /** The words that are meant, in turns that also say something else. */
  words?: string[];
  self: boolean;
  kind: 'forget' | 'keep_not' | 'take_back' | 'none';
}

/** Whether a sentence of a turn that is meant is meant itself: all of them are, unless the author marked the words. */
function isMeant(
  turn: string,
  { start, end }: { start: number; end: number },
  marked: readonly string[] = [],
): boolean {
  const places = marked.map((words) => ({ from: turn.indexOf(words), words })).filter(({ from }) => from >= 0);
  return places.length === 0 || places.some(({ from, words }) => from < end && from + words.length > start);
}

for (const { name, text } of filesOf('requests', '.jsonl')) {
  for (const [number, item] of (linesOf(text) as Request[]).entries()) {
    // Neighbouring lines share people and turns.
    const group = `r${name}${Math.floor(number / 20)}`;
    const language = item.language ?? name.slice(0, 2);
    const asks = item.kind === 'forget' || item.kind === 'keep_not';
    const start = item.span === null ? -1 : item.request.indexOf(item.span);
    const end = start + (item.span?.length ?? 0);
    const parts = splitSentences(item.request).map(({ text: words, span }): Part => [
      words,
      asks && start >= 0 && span.start < end && span.end > start ? 1 : 0,
    ]);
    // Of a bare "forget that" it is not known what it means.
    const isKnown = item.kind !== 'take_back' && (item.forgets.length > 0 || item.kind === 'none' || item.self);
    const said = item.said
      .map((words, turn) => ({
        turn,
        parts: splitSentences(words).map(({ text: sentence, span }): Part => [
          sentence,
          isKnown ? (item.forgets.includes(turn) && isMeant(words, span, item.words) ? 1 : 0) : null,
        ]),
      }))
      .toReversed();
    write({ task: 'request', group, source: item.kind, language, parts, said });
    for (const [turn, words] of item.said.entries())
      ordinary(
        group,
        language,
        words,
        item.said.slice(0, turn).map((earlier) => ({ text: earlier })),
      );
    if (item.kind === 'forget') {
      for (const words of item.said) foreign(group, 'requests', language, [[words, 0]]);
    }
  }
}

const MARK = /\[(?<slot>[a-z_]+)=(?<words>[^[\]]+)\]/gu;

/** A turn, word by word, each with the number of the slot whose value it belongs to, 0 for none. */
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
