// Talk sheets: what invented people type to an assistant over some weeks, with a label for every piece (GUIDE.md).
// node train/sheets/read-sheets.ts FILE…: checks sheets, and prints what is wrong.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SLOTS } from '../../src/models/local-embedder/memory-layout.ts';

export const TYPES = [
  'fact',
  'personal',
  'preference',
  'instruction',
  'goal',
  'decision',
  'intention',
  'episode',
  'context',
  'feedback',
] as const;
export const TENSES = ['holds', 'habit', 'happened', 'planned'] as const;
const FOREIGN = ['pasted', 'quoted', 'fiction', 'hypothetical', 'joke'] as const;
const REQUESTS = ['remember', 'reminder', 'wish', 'forget'] as const;

/** What a label says about a piece. A piece with a type is worth keeping. */
export interface Label {
  type: (typeof TYPES)[number] | null;
  tense: (typeof TENSES)[number] | null;
  foreign: (typeof FOREIGN)[number] | null;
  requests: (typeof REQUESTS)[number][];
  /** Whom or what the piece is about, if not the user. */
  about: string | null;
  denied: boolean;
  slots: { slot: string; value: string }[];
  /** The names of the earlier pieces that are no longer true because of this one: "3b" is the second piece of message 3. */
  ends: string[];
}

export interface Piece extends Label {
  name: string;
  /** The number of the message, counted from 1, and the place of the words in it. */
  message: number;
  start: number;
  end: number;
}

export interface Sheet {
  /** A sheet with "-p" in its id has messages of different people, which have nothing to do with each other (PLAIN.md). */
  id: string;
  language: string;
  person: string;
  messages: { at: Date; asked: string | null; text: string; pieces: Piece[] }[];
  /** Requests to forget and questions, each with the names of the pieces that it means or that answer it. */
  forget: { text: string; pieces: string[] }[];
  not: string[];
  ask: { text: string; pieces: string[] }[];
}

const KEYED = [...SLOTS, 'about', 'ends'];
const WORDS: readonly string[] = [...TYPES, ...TENSES, ...FOREIGN, ...REQUESTS, 'denied'];
const BETWEEN = new RegExp(`\\s+(?=(?:${KEYED.join('|')})=|(?:${WORDS.join('|')})(?:\\s|$))`);

function oneOf<Name extends string>(names: readonly Name[], words: readonly string[]): Name | null {
  return names.find((name) => words.includes(name)) ?? null;
}

function readLabel(text: string, complain: (problem: string) => void): Label {
  const parts = text.trim().split(BETWEEN).filter(Boolean);
  const keyed = parts.flatMap((part) => {
    const [, key, value] = /^([a-z_]+)=([\s\S]+)$/.exec(part) ?? [];
    return key === undefined || value === undefined ? [] : { key, value: value.trim() };
  });
  for (const { key } of keyed) if (!KEYED.includes(key)) complain(`unknown key ${key}`);
  const words = parts.filter((part) => !part.includes('='));
  for (const word of words) if (!WORDS.includes(word)) complain(`unknown label “${word}”`);
  return {
    type: oneOf(TYPES, words),
    tense: oneOf(TENSES, words),
    foreign: oneOf(FOREIGN, words),
    requests: REQUESTS.filter((name) => words.includes(name)),
    about: keyed.find(({ key }) => key === 'about')?.value ?? null,
    denied: words.includes('denied'),
    slots: keyed.flatMap(({ key, value }) => (SLOTS.includes(key) ? { slot: key, value } : [])),
    ends: keyed.flatMap(({ key, value }) => (key === 'ends' ? value.split(/[,\s]+/).filter(Boolean) : [])),
  };
}

/** A message without its labels, and its pieces. */
function readMessage(number: number, labelled: string, complain: (problem: string) => void) {
  const pieces: Piece[] = [];
  let text = '';
  let read = 0;
  for (const match of labelled.matchAll(/([^{}]*)\{([^{}]*)\}/g)) {
    const words = match[1] ?? '';
    const joined = text === '' ? words.trimStart() : words.startsWith('\n') ? words : ` ${words.trimStart()}`;
    const start = text.length + joined.length - joined.trimStart().length;
    text = (text + joined).trimEnd();
    const name = `${number}${String.fromCharCode(97 + pieces.length)}`;
    const label = readLabel(match[2] ?? '', (problem) => complain(`${name}: ${problem}`));
    pieces.push({ name, message: number, start, end: text.length, ...label });
    read = match.index + match[0].length;
  }
  const rest = labelled.slice(read).trim();
  if (rest !== '') complain(`message ${number}: no label after “${rest.slice(0, 40)}”`);
  return { text, pieces };
}

type Section = 'talk' | 'forget' | 'not' | 'ask';

/** Reads a sheet. `complain` receives what cannot be understood. */
export function readSheet(file: string, complain: (problem: string) => void = () => undefined): Sheet {
  const sheet: Sheet = { id: '', language: '', person: '', messages: [], forget: [], not: [], ask: [] };
  let section = 'talk' as Section;
  let day = null as Date | null;
  let asked = null as string | null;
  const message = { number: 0, text: '', at: new Date(0), asked: null as string | null };
  const close = (): void => {
    const { number, at, text } = message;
    message.number = 0;
    if (number === 0) return;
    if (number !== sheet.messages.length + 1) complain(`message ${number} follows message ${sheet.messages.length}`);
    sheet.messages.push({ at, asked: message.asked, ...readMessage(number, text, complain) });
  };
  for (const line of file.split('\n')) {
    const heading = /^(FORGET|NOT|ASK)\s*$/.exec(line)?.[1];
    const [, number, words] = /^(\d+): ?(.*)$/.exec(line) ?? [];
    const item = /^- (.+)$/.exec(line)?.[1];
    if (heading !== undefined) {
      close();
      section = heading.toLowerCase() as Section;
    } else if (section !== 'talk') {
      const [text = '', names] = (item ?? '').split(/\s*=>\s*/);
      if (item === undefined) {
        if (line.trim() !== '') complain(`${section}: not understood: ${line.slice(0, 60)}`);
      } else if (section === 'not') sheet.not.push(item.trim());
      else if (names === undefined) complain(`${section}: no “=>” in “${text.slice(0, 50)}”`);
      else {
        const pieces = (names.split('|')[0] ?? '').trim().split(/[,\s]+/);
        sheet[section].push({ text: text.trim(), pieces: pieces[0] === 'none' ? [] : pieces });
      }
    } else if (line.startsWith('=== ')) sheet.id = line.slice(4).trim();
    else if (message.number === 0 && line.startsWith('language: ')) sheet.language = line.slice(10).trim();
    else if (message.number === 0 && line.startsWith('person: ')) sheet.person = line.slice(8).trim();
    else if (/^\[\d{4}-\d\d-\d\d \d\d:\d\d\]\s*$/.test(line)) {
      close();
      day = new Date(`${line.slice(1, 11)}T${line.slice(12, 17)}:00Z`);
    } else if (line.startsWith('A: ')) {
      close();
      asked = line.slice(3).trim();
    } else if (number !== undefined) {
      close();
      if (day === null) complain(`message ${number} has no [date time] before it`);
      // The messages of a visit are a minute apart.
      day = new Date((day?.getTime() ?? 0) + 60_000);
      Object.assign(message, { number: Number(number), text: words ?? '', at: day, asked });
      asked = null;
    } else if (message.number > 0) message.text += `\n${line}`;
    else if (line.trim() !== '') complain(`not understood: ${line.slice(0, 60)}`);
  }
  close();
  return sheet;
}

/** All sheets of a folder. */
export function readSheets(folder: string = import.meta.dirname): Sheet[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()
    .map((name) => readSheet(readFileSync(join(folder, name), 'utf8')));
}

/** Whether a sheet, or a file of the talk (q*), has plain messages that have nothing to do with each other. */
export function isPlain({ id }: { id: string }): boolean {
  return /-p\d|^q\d/.test(id);
}

export function piecesOf({ messages }: Sheet): Map<string, Piece> {
  return new Map(messages.flatMap(({ pieces }) => pieces).map((piece) => [piece.name, piece]));
}

/** All pieces that these pieces made untrue, directly or in several steps. */
export function endedBy(names: readonly string[], pieces: ReadonlyMap<string, Piece>): string[] {
  const older = names.flatMap((name) => pieces.get(name)?.ends ?? []);
  return older.length === 0 ? [] : [...older, ...endedBy(older, pieces)];
}

/** What a second look finds: labels that contradict each other, references that lead nowhere, and what the guide asks for in numbers. */
function problemsOf(sheet: Sheet): string[] {
  const problems: string[] = [];
  const pieces = piecesOf(sheet);
  const all = [...pieces.values()];
  for (const piece of all) {
    const { name, type, tense, foreign, slots, ends } = piece;
    const words = sheet.messages[piece.message - 1]?.text.slice(piece.start, piece.end) ?? '';
    if ((type === null) !== (tense === null)) problems.push(`${name}: type and tense belong together`);
    if (foreign !== null && (type !== null || slots.length > 0)) problems.push(`${name}: ${foreign}, but kept`);
    if (slots.length > 0 && type === null) problems.push(`${name}: a slot without a type`);
    for (const { value } of slots)
      if (!words.includes(value)) problems.push(`${name}: “${value}” does not stand in “${words.slice(0, 60)}”`);
    for (const other of ends) {
      const target = pieces.get(other);
      if (target === undefined) problems.push(`${name}: ends=${other} does not exist`);
      else if (target.message > piece.message || other === name) problems.push(`${name}: ends=${other} is not earlier`);
      else if (target.type === null) problems.push(`${name}: ends=${other}, but that piece is not worth keeping`);
    }
  }
  for (const { text, pieces: names } of [...sheet.forget, ...sheet.ask])
    for (const name of names) if (!pieces.has(name)) problems.push(`“${text.slice(0, 40)}”: ${name} does not exist`);
  if (isPlain(sheet)) return problems;
  const wanted: [string, number, number, number][] = [
    ['messages', sheet.messages.length, 24, 34],
    ['percent not worth keeping', (100 * all.filter(({ type }) => type === null).length) / all.length, 38, 90],
    ['pieces with ends', all.filter(({ ends }) => ends.length > 0).length, 5, 99],
    ['slots', all.reduce((sum, { slots }) => sum + slots.length, 0), 8, 24],
    ['pieces that are not the user’s own word', all.filter(({ foreign }) => foreign !== null).length, 5, 99],
    ['pieces about others', all.filter(({ about }) => about !== null).length, 4, 99],
    ['answers to A:', sheet.messages.filter(({ asked }) => asked !== null).length, 5, 99],
    ['FORGET', sheet.forget.length, 5, 6],
    ['NOT', sheet.not.length, 4, 6],
    ['ASK', sheet.ask.length, 6, 8],
    ['ASK => none', sheet.ask.filter(({ pieces: names }) => names.length === 0).length, 2, 3],
  ];
  for (const [what, value, least, most] of wanted)
    if (value < least || value > most) problems.push(`${what}: ${value}, wanted ${least} to ${most}`);
  return problems;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const path of process.argv.slice(2)) {
    const problems: string[] = [];
    const sheet = readSheet(readFileSync(path, 'utf8'), (problem) => problems.push(problem));
    problems.push(...problemsOf(sheet));
    const good = `good, ${sheet.messages.length} messages, ${piecesOf(sheet).size} pieces`;
    console.log(`${path}: ${problems.length === 0 ? good : `\n  ${problems.join('\n  ')}`}`);
  }
}
