import { SEED_WORDS } from '../language/seed-words.ts';
import { contentStems, coveredBy, isContentWord } from '../language/words.ts';
import { normalValue } from '../record/attributes.ts';

/** What tells whether a sentence says something that is to be out of sight. */
export interface Matter {
  value: string | null;
  /** Sentences that say it: the statement, and the words that it was read from. */
  texts: readonly string[];
}

/** A sentence that has so many of the words of another says what that says. */
const SAYS_IT = 0.8;
/** Of the reply to a turn fewer words are enough: it is about that turn. */
const REPLY_SAYS_IT = 0.34;

export interface Sayer {
  /** Whether a sentence says it. */
  says(sentence: string): boolean;
  /** Whether a sentence of the direct reply takes it up. */
  takesUp(sentence: string): boolean;
  /** Whether nothing but the value itself tells it: a name, a number, an address. */
  isTelling: boolean;
}

/** Decides by the value where that tells enough by itself, else by the words of the statement and of its sources. */
export function sayerOf({ value, texts }: Matter): Sayer {
  const stems = texts.map(contentStems).filter((each) => each.size > 0);
  const isTelling = value !== null && tells(value);
  const namesValue = isTelling ? valueFinder(value) : (): boolean => false;
  const shares = (sentence: string, least: number): boolean => {
    const own = contentStems(sentence);
    return stems.some((each) => {
      if (coveredBy(each, own) >= least) return true;
      const shared = [...own].filter((stem) => each.has(stem)).length;
      return shared >= 2 && shared / own.size >= SAYS_IT;
    });
  };
  return {
    isTelling,
    says: (sentence) => namesValue(sentence) || shares(sentence, SAYS_IT),
    takesUp: (sentence) => namesValue(sentence) || shares(sentence, REPLY_SAYS_IT),
  };
}

const NO_CASE = /\p{Lo}/u;

/** Whether a value names its matter by itself. "Halden Foods" does; "tea" and "42" stand in many other sentences. */
function tells(value: string): boolean {
  const normal = normalValue(value);
  if (normal.length < 3 || /^\d{1,3}$/.test(normal)) return NO_CASE.test(value) && normal.length >= 2;
  return /\p{Lu}|@|\d\D*\d\D*\d\D*\d/u.test(value) || NO_CASE.test(value) || normal.includes(' ');
}

function valueFinder(value: string): (sentence: string) => boolean {
  const normal = normalValue(value);
  const digits = value.replace(/\D/g, '');
  const name = leadingName(value);
  const isNumber = digits.length >= 6 && digits.length >= normal.replace(/[^\p{L}\p{N}]/gu, '').length - 2;
  return (sentence) => {
    if (isNumber && sentence.replace(/\D/g, '').includes(digits)) return true;
    const plain = ` ${normalValue(sentence)} `;
    if (name !== null && plain.includes(` ${name} `)) return true;
    return NO_CASE.test(normal) ? plain.includes(normal) : plain.includes(` ${normal} `);
  };
}

const SHORTEST_NAME = 5;

/** The word by which a name of several words is known: "Zorbex" of "Zorbex Foods". Null where it is an ordinary word. */
function leadingName(value: string): string | null {
  const [first = '', ...rest] = value.trim().split(/\s+/);
  if (rest.length === 0 || !/^\p{Lu}/u.test(first)) return null;
  const normal = normalValue(first);
  const isOrdinary = SEED_WORDS.has(normal) || !isContentWord(normal);
  return normal.length < SHORTEST_NAME || isOrdinary ? null : normal;
}
