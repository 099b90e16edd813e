import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invalidInput, messageOf } from '../../errors.ts';

/** A piece of data and where it stands, for errors. */
export interface DataPiece {
  data: unknown;
  /** The file, and the line where it is one of many. */
  place: string;
  /** The file's name without its ending. */
  name: string;
}

/** The JSON files of a folder, by name; or the one file that is named. JSONL gives a piece for each line. */
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

/** A file that lies beside another, where it is there. */
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
    throw invalidInput(`${place} is no JSON: ${messageOf(cause)}`);
  }
}

/** A list, where some files hold one object and others a list of them. */
export function listOf(data: unknown): unknown[] {
  return Array.isArray(data) ? data : [data];
}

/** A date in one of the spellings of the data sets, as UTC; null where there is none that can be read. */
export function dateOf(value: unknown): Date | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const text = value.trim();
  // LoCoMo: "1:56 pm on 8 May, 2023". REALTALK: "29.12.2023, 16:03:22". LongMemEval: "2023/05/20 (Sat) 02:21". BEAM: "March-15-2024".
  const spoken = /^(\d{1,2}):(\d{2})\s*(am|pm) on (\d{1,2}) (\w+),? (\d{4})$/i.exec(text);
  if (spoken !== null) {
    const [, hour = '', minute = '', half = '', day, month, year] = spoken;
    const hours = (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
    return valid(Date.parse(`${day} ${month} ${year} ${hours}:${minute} UTC`));
  }
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?\s*(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (dotted !== null) {
    const [day = 1, month = 1, year = 1970, hour = 0, minute = 0, second = 0] = dotted
      .slice(1)
      .map((part) => Number(part ?? 0));
    return valid(Date.UTC(year, month - 1, day, hour, minute, second));
  }
  const slashed = /^(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:\s*\(\w+\))?(?:[\sT]+(\d{1,2}):(\d{2}))?$/.exec(text);
  if (slashed !== null) {
    const [year = 1970, month = 1, day = 1, hour = 0, minute = 0] = slashed.slice(1).map((part) => Number(part ?? 0));
    return valid(Date.UTC(year, month - 1, day, hour, minute));
  }
  const plain = text.replaceAll('-', ' ');
  return /^[A-Za-z]+ \d{1,2} \d{4}$/.test(plain)
    ? valid(Date.parse(`${plain} UTC`))
    : valid(Date.parse(/[zZ]|[+-]\d{2}:?\d{2}$/.test(text) ? text : `${text} UTC`));
}

function valid(time: number): Date | null {
  return Number.isNaN(time) ? null : new Date(time);
}
