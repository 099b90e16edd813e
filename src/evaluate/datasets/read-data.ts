import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invalidInput, messageOf } from '../../errors.ts';

export interface DataPiece {
  data: unknown;
  /** The file, and the line if the file has one piece per line. */
  place: string;
  name: string;
}

/** A JSON file, or all JSON files of a folder, sorted by name. In a JSONL file, each line is one piece. */
export function jsonFiles(path: string): DataPiece[] {
  if (!existsSync(path)) {
    throw invalidInput(
      `There is no data at ${path}. Public data sets are not part of Varve: give the path of your copy.`,
    );
  }
  if (!statSync(path).isDirectory()) return filePieces(path);
  const files = readdirSync(path)
    .filter((name) => /\.jsonl?$/.test(name))
    .sort();
  if (files.length === 0) throw invalidInput(`The folder ${path} has no .json or .jsonl file.`);
  return files.flatMap((name) => filePieces(join(path, name)));
}

export function jsonBeside(path: string, names: readonly string[]): DataPiece[] {
  const found = names.map((name) => join(path, name)).find((file) => existsSync(file));
  return found === undefined ? [] : filePieces(found);
}

function filePieces(file: string): DataPiece[] {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const name = basename(file).replace(/\.jsonl?$/, '');
  if (!file.endsWith('.jsonl')) return [{ data: parsed(text, file), place: file, name }];
  return text
    .split('\n')
    .map((line, index) => ({ line, place: `${file}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => ({ data: parsed(line, place), place, name }));
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw invalidInput(`${place} is not valid JSON: ${messageOf(cause)}`);
  }
}

export function jsonObjects(path: string): DataPiece[] {
  return jsonFiles(path).flatMap((piece) => listOf(piece.data).map((data) => ({ ...piece, data })));
}

export function listOf(data: unknown): unknown[] {
  return Array.isArray(data) ? data : [data];
}

/** Reads any date format of the data sets, as UTC. Returns null for anything else. */
export function dateOf(value: unknown): Date | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const text = value.trim();
  const time = SPELLINGS.flatMap(([pattern, read]) => {
    const match = pattern.exec(text);
    return match === null ? [] : [read(...match.slice(1).map((part: string | undefined) => part ?? '0'))];
  })[0];
  if (time !== undefined) return valid(time);
  return valid(Date.parse(/[zZ]|[+-]\d{2}:?\d{2}$/.test(text) ? text : `${text} UTC`));
}

type Parts = (...parts: string[]) => number;

const utc = (year = '', month = '', ...rest: string[]): number =>
  Date.UTC(Number(year), Number(month) - 1, ...rest.map(Number));

const SPELLINGS: readonly (readonly [RegExp, Parts])[] = [
  // LoCoMo: "1:56 pm on 8 May, 2023".
  [
    /^(\d{1,2}):(\d{2})\s*(am|pm) on (\d{1,2}) (\w+),? (\d{4})$/i,
    (hour, minute, half, day, month, year) =>
      Date.parse(
        `${day} ${month} ${year} ${(Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)}:${minute} UTC`,
      ),
  ],
  // REALTALK: "29.12.2023, 16:03:22".
  [
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?\s*(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/,
    (day = '', month, year, ...time) => utc(year, month, day, ...time),
  ],
  // LongMemEval: "2023/05/20 (Sat) 02:21".
  [/^(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:\s*\(\w+\))?(?:[\sT]+(\d{1,2}):(\d{2}))?$/, utc],
  // BEAM: "March-15-2024".
  [/^([A-Za-z]+)[ -](\d{1,2})[ -](\d{4})$/, (month, day, year) => Date.parse(`${month} ${day} ${year} UTC`)],
];

function valid(time: number): Date | null {
  return Number.isNaN(time) ? null : new Date(time);
}
