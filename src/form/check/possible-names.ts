import { GIVEN_NAMES } from '../../language/entities.ts';
import { detectPack, packOf, packPattern } from '../../language/packs/packs.ts';
import { SEED_WORDS } from '../../language/seed-words.ts';
import { contentStems, wordSet } from '../../language/words.ts';
import { isOrdinary } from '../read/local/small-names.ts';

/**
 * The words of a text that may be the name of a person: those with a capital letter, except acronyms, words with digits, and a first word
 * that has its capital from its place alone. In doubt a word counts as a name. A `label` is the subject of a statement, without a verb.
 */
export function possibleNames(text: string, kind: 'sentence' | 'label'): string[] {
  const words = Array.from(text.matchAll(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}'’-]*/gu));
  return words.flatMap(({ 0: written, index }) => {
    const word = written.replace(/['’]s$/u, '');
    if (word === 'I' || /\p{N}/u.test(word) || isAcronym(word)) return [];
    return index === 0 && isPlainOpening(word, text.slice(word.length), kind) ? [] : [word];
  });
}

// Two capitals may be the initials of a person.
const ACRONYM = /^(?:\p{Lu}{3,6}s?|AI|CI|DB|HR|ID|IT|PC|PR|QA|TV|UI|UX)$/u;

function isAcronym(word: string): boolean {
  return ACRONYM.test(word) && !isGivenName(word);
}

// Given names that are ordinary words as well, or that look like them.
const WORDS_AS_NAMES = wordSet(`
  angel april art autumn cherry christian cliff coral crystal dean fleming ginger glory grant ivory jewel june may melody
  mercy olive robin rose sterling summer sunny`);

function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word.toLowerCase()) || WORDS_AS_NAMES.has(word.toLowerCase());
}

/** Whether the first word of a text is an ordinary word, by itself or by the words that follow it. */
function isPlainOpening(word: string, rest: string, kind: 'sentence' | 'label'): boolean {
  if (isGivenName(word) || !/^(?:A|\p{Lu}[\p{Ll}\p{M}'’-]+)$/u.test(word) || /^['’]s/u.test(rest)) return false;
  const pack = detectPack(word + rest, ENGLISH);
  if (pack !== null && isOrdinary(word, pack)) return true;
  if (pack !== ENGLISH || ENGLISH === null) return false;
  if (ORDINARY_ENDING.test(word) || [...contentStems(word)].every((stem) => ORDINARY.has(stem))) return true;
  const next = /^(?: (?:al(?:so|ways)|never|often|seldom|still|only|just|\p{Ll}+ly))* (\p{Ll}+)/u.exec(rest)?.[1];
  if (next === undefined || VERB_OF_ONE.test(next) || packPattern(ENGLISH, 'past').test(next)) return false;
  return PLURAL.test(word) || (kind === 'label' && !JOINS.test(next));
}

const ENGLISH = packOf('en');
const ORDINARY = contentStems([...SEED_WORDS].join(' '));
const ORDINARY_ENDING =
  /.{3}(?:ings?|[ts]ions?|ments?|ness|ies|ize|ify)$|^(?:short|long|few|small|larg|bigg|clear|simpl|fast|brief|bett)er$|^emojis?$/iu;
// "Wants" has one person or thing as its subject: "Wenke wants tables", but "screenshots help".
const VERB_OF_ONE = /[^s]s$/u;
// "Wenke from payroll" is a person, and "Grafana dashboard" is a thing.
const JOINS = /^(?:and|or|from|of|in|at|on|with|who|whose|the)$/u;
const PLURAL = /[bcdfgklmnprtvw]s$|(?:ch|sh|ss|x|[cgt])es$/u;
