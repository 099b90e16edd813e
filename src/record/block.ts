import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { countWords, isObject } from './parse.ts';
import type { Scope } from './scope.ts';

interface BlockKind {
  description: string;
  format: 'text' | 'json';
  wordLimit: number | null;
}

/** The kinds of blocks. */
export type BlockKindName = 'working_memory' | 'scaffold' | 'tier_notes' | 'learned_info' | 'profile' | 'reflections';

export const BLOCK_KINDS: Readonly<Record<BlockKindName, BlockKind>> = {
  working_memory: {
    description: 'What the user is working on and concerned with at present.',
    format: 'text',
    wordLimit: 500,
  },
  scaffold: {
    description: 'Structured values about the user, under keys that the agent chooses.',
    format: 'json',
    wordLimit: null,
  },
  tier_notes: {
    description:
      'How certain each entry of the scaffold is, when it was last confirmed, and which of the last changes were refused.',
    format: 'json',
    wordLimit: null,
  },
  learned_info: {
    description: 'Facts that were learned about a user or a connection.',
    format: 'json',
    wordLimit: null,
  },
  profile: { description: 'A description of the user in six sections.', format: 'text', wordLimit: 550 },
  reflections: {
    description: 'The merged reflections of an agent, a user or a session.',
    format: 'text',
    wordLimit: 1000,
  },
};

/** What a sentence is based on: the ids of statements and events, each with a hash of its text and dates at the time of writing. */
export interface SentenceBasis {
  rests: Readonly<Record<string, string>>;
  /** When the sentence becomes stale even if its sources stay the same, such as after the day of a plan. Milliseconds since 1970. */
  until?: number;
}

/**
 * The sources of a document, keyed by the hash of each sentence or, in a JSON document, by the key of each entry. Text that a person wrote
 * has none. The empty key lists the records that were considered and left out.
 */
export type Basis = Readonly<Record<string, SentenceBasis>>;

export const basisSchema: z.ZodType<Basis, Basis> = z.record(
  z.string(),
  z.strictObject({ rests: z.record(z.string(), z.string()), until: z.number().optional() }),
);

/** A scaffold entry's value from a page, a mail or a tool. Prompts mark it as unverified. */
export interface UnverifiedValue {
  value: unknown;
  unverified: true;
  source: string;
}

export function isUnverified(value: unknown): value is UnverifiedValue {
  return isObject(value) && value['unverified'] === true && 'value' in value;
}

/** A short document that every context contains. */
export interface Block {
  id: string;
  scope: Scope;
  kind: BlockKindName;
  /** A text or a JSON object, depending on the kind. */
  content: unknown;
  basis: Basis;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export function blockWordLimit(kind: BlockKindName, scope: Scope): number | null {
  if (kind === 'reflections' && (scope.user !== null || scope.session !== null)) return 400;
  return BLOCK_KINDS[kind].wordLimit;
}

const BLOCK_LIMIT = 256 * 1024;

export const blockKindSchema: z.ZodType<BlockKindName> = z.enum(
  Object.keys(BLOCK_KINDS) as [BlockKindName, ...BlockKindName[]],
);

export function serializeBlock(kind: BlockKindName, scope: Scope, content: unknown): string {
  const text = BLOCK_KINDS[kind].format === 'json' ? serializeJson(kind, content) : content;
  if (typeof text !== 'string') throw invalidInput(`The block ${kind} holds text, not ${typeof content}.`);
  if (text.length > BLOCK_LIMIT) throw invalidInput(`The block ${kind} is larger than 256 KiB.`);
  if (text.includes('\0')) throw invalidInput(`The block ${kind} contains a NUL character.`);
  const limit = blockWordLimit(kind, scope);
  const words = limit === null ? 0 : countWords(text);
  if (limit !== null && words > limit) {
    throw invalidInput(`The block ${kind} has ${words} words; at most ${limit} are allowed.`, { words, limit });
  }
  return text.toWellFormed();
}

function serializeJson(kind: BlockKindName, content: unknown): string {
  const parsed = z.record(z.string(), z.json()).safeParse(content);
  if (!parsed.success) throw invalidInput(`The block ${kind} holds a JSON object; this value is none.`);
  return JSON.stringify(parsed.data);
}
