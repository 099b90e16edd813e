// npm run train:languages: writes src/language/packs/telling-words.json, the words that identify a language if the function words of a text
// do not. The words of a language are taken from its lexicon, if they are in no other lexicon and are not English.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'lexicons');
const TARGET = join(import.meta.dirname, '../src/language/packs/telling-words.json');
/** How many words of a language are written. Lexicons begin with the most frequent words. */
const MOST = 3000;
const LONGEST = 12;
/** An English word must be in at least this many lexicons. */
const LEXICONS = 3;

const entries = new Map(
  readdirSync(FOLDER).map((file): [language: string, entries: [word: string, english: string][]] => [
    file.slice(0, 2),
    readFileSync(join(FOLDER, file), 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [word, english] = line.split('\t');
        return word === undefined || english === undefined ? [] : [[word.normalize('NFC'), english]];
      }),
  ]),
);
/** English words, with the number of lexicons that contain them. */
const english = new Map<string, number>();
for (const words of entries.values())
  for (const word of new Set(words.flatMap(([, gloss]) => gloss.split(' '))))
    english.set(word, (english.get(word) ?? 0) + 1);
const languagesOf = new Map<string, Set<string>>();
for (const [language, words] of entries)
  for (const [word] of words) languagesOf.set(word, (languagesOf.get(word) ?? new Set()).add(language));
const plain = (word: string): string => word.normalize('NFD').replace(/\p{Mn}/gu, '');

const telling: Record<string, string> = Object.fromEntries(
  [...entries].map(([language, words]) => [
    language,
    words
      .map(([word]) => word)
      .filter((word) => /^\p{Script=Latin}{3,}$/u.test(word) && word.length <= LONGEST)
      .filter((word) => languagesOf.get(word)?.size === 1 && !english.has(plain(word)))
      .slice(0, MOST)
      .join(' '),
  ]),
);
telling['en'] = [...english]
  .filter(([word, lexicons]) => lexicons >= LEXICONS && /^[a-z]{3,12}$/u.test(word) && !languagesOf.has(word))
  .toSorted(([, one], [, other]) => other - one)
  .slice(0, MOST)
  .map(([word]) => word)
  .join(' ');
writeFileSync(
  TARGET,
  `${JSON.stringify(Object.fromEntries(Object.entries(telling).filter(([, words]) => words !== '')), null, 1)}\n`,
);
for (const [language, words] of Object.entries(telling)) console.log(language, words.split(' ').length, words.length);
