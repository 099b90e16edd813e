import { english } from '../../language/packs/en.ts';
import { isTelling } from '../../language/packs/packs.ts';
import { SEED_WORDS } from '../../language/seed-words.ts';
import { contentStems } from '../../language/words.ts';
import { cached } from '../../record/cache.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import type { Parts, Writer } from '../database.ts';
import { rowsBy } from '../rows.ts';
import { memoryType } from '../record-rows.ts';
import { distinctiveStems, longNumbers } from './hide-words.ts';
import type { Says } from './redact-blocks.ts';

interface Naming {
  /** The turns of the assistant. */
  texts: readonly string[];
  /** The forgotten statements. */
  matters: readonly { text: string }[];
  /** Ids of memories that are being forgotten. */
  gone?: ReadonlySet<string | undefined>;
}

/**
 * Returns functions that recognise sentences in which an assistant refers to a forgotten statement in other words ("The Greens are your
 * party"). They look for the statement's distinctive words and long numbers. Words that the user's turns or live statements still contain
 * are not used; the forgotten words must have been removed from these before.
 *
 * The result is keyed by the statement's text, and has only statements with such a word in one of the assistant's texts.
 */
export async function namingTests(
  writer: Writer,
  parts: Parts,
  owner: Scope,
  { texts, matters, gone = new Set() }: Naming,
): Promise<Map<string, Says>> {
  const tests = new Map<string, Says>();
  if (texts.length === 0) return tests;
  const heard = new Set(texts.flatMap((text) => [...contentStems(text), ...tellingNumbers(text)]));
  const stillSaid = new Map<string, boolean>();
  for (const { text } of matters) {
    const own = [...distinctiveOnce(text)].filter((stem) => heard.has(stem));
    for (const stem of own)
      if (!stillSaid.has(stem)) stillSaid.set(stem, await isStillSaid(writer, parts, owner, { word: stem, gone }));
    const telling = own.filter((stem) => stillSaid.get(stem) === false);
    if (telling.length === 0) continue;
    tests.set(text, (sentence) => {
      const stems = namingOnce(sentence);
      return telling.some((stem) => stems.has(stem));
    });
  }
  return tests;
}

/** Returns the stems in a sentence that may refer to a statement: rare words, long numbers, and capitalised words after the first. */
function namingStems(sentence: string): Set<string> {
  const names = sentence.match(/(?<=[\p{L}\p{N},;:]\s)\p{Lu}[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  return new Set([...distinctiveStems(sentence), ...contentStems(names.join(' ')), ...tellingNumbers(sentence)]);
}

/** Finds numbers of four or more digits. Shorter ones occur in many other sentences. */
function tellingNumbers(text: string): string[] {
  return [...longNumbers(text)].filter((digits) => digits.length >= 4);
}

const MOST_TEXTS = 10_000;
/**
 * Returns a text's rare words and long numbers. The result is cached, because each turn of an assistant is compared with all records of its
 * owner.
 */
const distinctiveOnce = cached(MOST_TEXTS, (text) => {
  // Tests stems as well, because `distinctiveStems` tests only whole words: "joined" is in no list of frequent words, but its stem "join"
  // is.
  const isRare = (stem: string): boolean => !SEED_WORDS.has(stem) && !isTelling(stem, english);
  return new Set([...[...distinctiveStems(text)].filter(isRare), ...tellingNumbers(text)]);
});
const namingOnce = cached(MOST_TEXTS, namingStems);

const MOST_SAYING = 50;

/** Checks whether a word still occurs in a turn of the user, or in a live statement that is not being forgotten. */
async function isStillSaid(
  writer: Writer,
  { database, memoryTypes }: Parts,
  owner: Scope,
  { word, gone }: { word: string; gone: ReadonlySet<string | undefined> },
): Promise<boolean> {
  const { tenant } = owner;
  const search = { tenant, owners: [ownerKey(owner)], words: [word], archived: false, limit: MOST_SAYING };
  const rowsOf = async (kind: 'memory' | 'event'): Promise<number[]> =>
    (await database.text.search(writer, { ...search, kind })).map(({ rowId }) => rowId);
  const turns = await rowsBy(writer, tenant, 'events', { row_id: await rowsOf('event') }, ['origin']);
  if (turns.some(({ origin }) => origin === 'user')) return true;
  const columns = ['id', 'type', 'source_type'] as const;
  const memories = await rowsBy(writer, tenant, 'memories', { row_id: await rowsOf('memory') }, columns);
  // Skips summaries and merged texts: they repeat the forgotten statements until they are redacted.
  return memories.some(
    ({ id, type, source_type }) =>
      !gone.has(id) && source_type !== 'consolidation' && memoryType(memoryTypes, type).comparable,
  );
}
