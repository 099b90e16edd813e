import { hash, randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** The prefixes of ids, one for each kind of record. */
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

/** Creates ids that sort in the order of their creation. */
export interface IdSource {
  next(prefix: IdPrefix): string;
}

// Crockford's base 32 in lower case. Its characters sort by their values.
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

/** `prefix_`, 10 characters of milliseconds, 16 random ones. If the time has not advanced, the previous id is incremented. */
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

/** The same parts always give the same id, so that a repeated write changes nothing. */
export function derivedId(prefix: IdPrefix, parts: readonly unknown[]): string {
  return `${prefix}_${digest(parts, TIME_CHARACTERS + RANDOM_CHARACTERS)}`;
}

/** The parts are hashed as JSON, so that ["ab", "c"] and ["a", "bc"] have different digests. */
export function digest(parts: readonly unknown[], characters: number): string {
  return encodeBytes(hash('sha256', JSON.stringify(parts), 'buffer'), characters);
}

/** Texts with the same hash are exact duplicates, apart from case, white space and closing punctuation. */
export function contentHash(content: string): string {
  return hash('sha256', comparableText(content), 'base64url').slice(0, 22);
}

export function comparableText(content: string): string {
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/(?<![.!。！])[.!。！]+$/u, '');
}

/** The id of a record's copy under another owner. It is derived, so that each record is copied only once. */
export function idOfCopy(id: string, owner: string): string {
  const bytes = hash('sha256', `${owner}\n${id}`, 'buffer');
  return `${id.slice(0, id.indexOf('_') + 1)}${encodeBytes(bytes, TIME_CHARACTERS + RANDOM_CHARACTERS)}`;
}
