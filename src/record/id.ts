import { hash, randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Prefixes of ids, one for each kind of record. */
export type IdPrefix =
  | 'evt'
  | 'mem'
  | 'blk'
  | 'ent'
  | 'job'
  | 'run'
  | 'wrk'
  | 'int'
  | 'use'
  | 'ctx'
  | 'key'
  | 'act'
  | 'hld'
  | 'ref'
  | 'era'
  | 'giv'
  | 'fgt'
  | 'whk'
  | 'whd';

/** Creates ids. Ids from one source sort in the order of their creation. */
export interface IdSource {
  next(prefix: IdPrefix): string;
}

// Crockford's base 32 alphabet in lower case. It lacks i, l, o and u, and its characters sort by their values.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

function encode(value: number, characters: number): string {
  let text = '';
  for (let rest = value, index = 0; index < characters; index += 1) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeBytes(bytes: Uint8Array, characters: number): string {
  let text = '';
  for (let index = 0; index < characters; index += 1) text += ALPHABET[(bytes[index] ?? 0) & 31];
  return text;
}

/**
 * Creates ids that sort by time: `prefix_` + 10 characters of milliseconds + 16 random characters. If the millisecond is still the same or
 * the clock has stepped back, increments the previous id instead.
 */
export function createIdSource(clock: Clock): IdSource {
  let lastTime = -1;
  let lastRandom = '';
  return {
    next(prefix) {
      const now = clock.now();
      if (now > lastTime) {
        lastTime = now;
        lastRandom = encodeBytes(randomBytes(RANDOM_CHARACTERS), RANDOM_CHARACTERS);
      } else {
        lastRandom = countUp(lastRandom);
      }
      return `${prefix}_${encode(lastTime, TIME_CHARACTERS)}${lastRandom}`;
    },
  };
}

function countUp(text: string): string {
  const last = text.length - 1;
  const value = ALPHABET.indexOf(text[last] ?? '0');
  if (last < 0) return text;
  if (value < 31) return text.slice(0, last) + ALPHABET[value + 1];
  return countUp(text.slice(0, last)) + ALPHABET[0];
}

/** Derives an id from its parts. The same parts always give the same id, so that a repeated write changes nothing. */
export function derivedId(prefix: IdPrefix, parts: readonly unknown[]): string {
  return `${prefix}_${digest(parts, TIME_CHARACTERS + RANDOM_CHARACTERS)}`;
}

/**
 * Computes a short digest of a list of JSON values. Lists that differ only in where one value ends and the next begins get different
 * digests.
 */
export function digest(parts: readonly unknown[], characters: number): string {
  return encodeBytes(hash('sha256', JSON.stringify(parts), 'buffer'), characters);
}

/** Hashes {@link comparableText}. Exact duplicates have the same hash. */
export function contentHash(content: string): string {
  return hash('sha256', comparableText(content), 'base64url').slice(0, 22);
}

/** Normalises a text for the search for duplicates: ignores case, extra white space and closing punctuation. */
export function comparableText(content: string): string {
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/(?<![.!。！])[.!。！]+$/u, '');
}

/**
 * Derives the id of a record's copy under another owner. The same record and owner always give the same id, so that a copy is made only
 * once.
 */
export function idOfCopy(id: string, owner: string): string {
  const bytes = hash('sha256', `${owner}\n${id}`, 'buffer');
  return `${id.slice(0, id.indexOf('_') + 1)}${encodeBytes(bytes, TIME_CHARACTERS + RANDOM_CHARACTERS)}`;
}
