import { type Pack, packRegExp, type PackWords, REQUEST_CONCEPTS } from './packs/pack.ts';

const WORD_CLASSES: readonly (keyof PackWords)[] = [
  'me',
  'my',
  'we',
  'you',
  'they',
  'question',
  'if',
  'past',
  'future',
  'said',
  'ask',
  'joke',
  'hedge',
  'ended',
  'assent',
];

/** A concept in a text, and where it stands. */
export interface FoundConcept {
  concept: string;
  start: number;
  end: number;
}

const conceptPatterns = new WeakMap<Pack, [concept: string, pattern: RegExp][]>();

function patternsOf(pack: Pack): [concept: string, pattern: RegExp][] {
  let patterns = conceptPatterns.get(pack);
  if (patterns === undefined) {
    // An elided article or pronoun may stand before the word: "l'effacer".
    const compiled = (words: string): RegExp =>
      packRegExp(pack.script === 'han' ? `(?:${words})` : `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'giu');
    patterns = [
      ...REQUEST_CONCEPTS.map((name): [string, RegExp] => [name, compiled(pack.requests[name])]),
      ...WORD_CLASSES.filter((name) => pack.words[name] !== '').map((name): [string, RegExp] => [
        name,
        compiled(pack.words[name]),
      ]),
    ];
    if (pack.script !== 'han') patterns.push(['kin', compiled(Object.keys(pack.relations).join('|'))]);
    conceptPatterns.set(pack, patterns);
  }
  return patterns;
}

/** The concepts of a text in the order in which they stand. */
export function conceptsIn(text: string, pack: Pack): FoundConcept[] {
  const found: FoundConcept[] = [];
  for (const [concept, pattern] of patternsOf(pack))
    for (const match of text.matchAll(pattern))
      found.push({ concept, start: match.index, end: match.index + match[0].length });
  return found.toSorted((left, right) => left.start - right.start || right.end - left.end);
}
