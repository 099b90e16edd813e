// Prints a random sample of sentences from the comments, messages and summaries of src and from the docs, so that a reader can count those
// that need a second reading.
//   node scripts/sample-sentences.ts [how many, default 200] [seed]
import { readFileSync, globSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface Sentence {
  place: string;
  text: string;
}

/** A comment, or a text in quotes that begins with a capital and has four words or more. */
const IN_CODE =
  /\/\*\*?([\s\S]*?)\*\/|(?:^|[ \t])\/\/(.*(?:\n[ \t]*\/\/.*)*)|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/gm;
const MESSAGE = /^[A-Z`"$“](?:\S*\s+){3}\S/;

function inCode(file: string): Sentence[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(IN_CODE)].flatMap((match) => {
    const [, block, line, quoted, template] = match;
    const message = quoted ?? template;
    if (message !== undefined && !MESSAGE.test(message)) return [];
    const text = (block ?? line ?? message ?? '').replaceAll(/\n[ \t]*(?:\*|\/\/) ?/g, ' ');
    return sentences(`${file}:${source.slice(0, match.index).split('\n').length}`, text);
  });
}

function inDocs(file: string): Sentence[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const prose = source.replaceAll(/^ *```[\s\S]*?^ *```/gm, (code) => code.replaceAll(/[^\n]/g, ''));
  const paragraphs = prose.matchAll(/(?:^(?!#|\s*$|\s*\|).*\n?)+|(?<=\|)[^|\n]+(?=\|)/gm);
  return [...paragraphs].flatMap((match) =>
    sentences(`${file}:${prose.slice(0, match.index).split('\n').length}`, match[0]),
  );
}

function sentences(place: string, text: string): Sentence[] {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?:])\s+(?=[A-Z`"“])/)
    .map((each) => ({ place, text: each.trim() }))
    .filter(({ text: each }) => each.split(' ').length > 3);
}

/** A deterministic generator of numbers below 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const count = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? randomInt(2 ** 31));
const random = seeded(seed);
const code = globSync('{src,web/src}/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => !file.includes('.test.'));
const docs = globSync('{README,CONTRIBUTING,SECURITY,docs/**/*}.md', { cwd: ROOT });
const all = [...code.toSorted().flatMap(inCode), ...docs.toSorted().flatMap(inDocs)];
console.log(`${all.length} sentences, ${count} of them with the seed ${seed}:`);
for (let index = 1; index <= count; index += 1) {
  const [chosen] = all.splice(Math.floor(random() * all.length), 1);
  if (chosen !== undefined) console.log(`${index} ${chosen.place}: ${chosen.text}`);
}
