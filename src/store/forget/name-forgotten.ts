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
  texts: readonly string[];
  matters: readonly { text: string }[];
  /** Ids of memories that are being forgotten. */
  gone?: ReadonlySet<string | undefined>;
}

/**
 * Recognises sentences in which an assistant refers to a forgotten statement in other words ("The Greens are your party"), by its
 * distinctive words and long numbers. Ignores words that the user's turns or live statements still contain, so call this after the
 * forgotten words were removed from them.
 *
 * Keyed by the statement's text. Leaves out statements without such a word in the assistant's texts.
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

function namingStems(sentence: string): Set<string> {
  const names = sentence.match(/(?<=[\p{L}\p{N},;:]\s)\p{Lu}[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  return new Set([...distinctiveStems(sentence), ...contentStems(names.join(' ')), ...tellingNumbers(sentence)]);
}

/** Four or more digits: shorter numbers occur in many other sentences. */
function tellingNumbers(text: string): string[] {
  return [...longNumbers(text)].filter((digits) => digits.length >= 4);
}

const MOST_TEXTS = 10_000;
/** Cached, because each turn of an assistant is compared with all records of its owner. */
const distinctiveOnce = cached(MOST_TEXTS, (text) => {
  // `distinctiveStems` tests only whole words: "joined" is in no list of frequent words, but its stem "join" is.
  const isRare = (stem: string): boolean => !SEED_WORDS.has(stem) && !isTelling(stem, english);
  return new Set([...[...distinctiveStems(text)].filter(isRare), ...tellingNumbers(text)]);
});
const namingOnce = cached(MOST_TEXTS, namingStems);

const MOST_SAYING = 50;

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
  // Summaries and merged texts do not count: they repeat the forgotten statements until they are redacted.
  return memories.some(
    ({ id, type, source_type }) =>
      !gone.has(id) && source_type !== 'consolidation' && memoryType(memoryTypes, type).comparable,
  );
}
