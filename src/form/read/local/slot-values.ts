import { GIVEN_NAMES, PLACES } from '../../../language/classify-name.ts';
import { LANGUAGES } from '../../../language/languages.ts';
import { canBeName } from '../../../language/not-a-name.ts';
import { isOccupation } from '../../../language/occupations.ts';
import { findDates, type DateContext } from '../../../language/pack-dates.ts';
import { packRegExp, wordsPattern, type Pack, type SlotRule } from '../../../language/packs/pack.ts';
import { withoutEnd } from '../../../language/without-end.ts';

export interface SlotContext extends DateContext {
  /** The assistant's message before the turn, for the first sentence of an answer; null otherwise. */
  question?: string | null;
  /** The whole turn: where it speaks of somebody else, a sentence without a subject may be about them. */
  turn?: string;
  /** The same message, for all sentences of the turn: it may speak of somebody else. */
  asked?: string | null;
}

/** A match of a pattern, and where it was found. */
export interface MatchInput {
  rule: SlotRule;
  shape: string;
  text: string;
  sentence: string;
  pack: Pack;
  context: SlotContext;
}

const PARTICLES =
  /^(?:of|the|and|&|de|da|do|di|du|del|della|der|den|van|von|la|le|el|am|an|im|upon|on|bei|y|e|’t|'t)$/i;
const NOT_PLACES =
  /^(?:i|i'm|my|the|a|an|it|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|english|german|french|spanish|ok|ai|tv|god|christmas|easter|mr|mrs|ms|dr|one|two|yes|no)$/i;

/** The words that are the value, cut from what a pattern took; null where they are none. */
export function cutValue(raw: string, shape: string, input: MatchInput, match: RegExpExecArray): string | null {
  const { pack, text } = input;
  const isBefore = match[0].startsWith(raw) && !match[0].endsWith(raw);
  switch (shape) {
    case 'name':
    case 'fullname':
      return pack.script === 'han'
        ? hanName(raw)
        : capitalised(raw, isBefore, 3, (first) =>
            // Where nouns have capitals, the noun before "my daughter" is a name only if it is known as one.
            isBefore && pack.language === 'de' && !GIVEN_NAMES.has(bareWord(first).toLowerCase())
              ? false
              : shape === 'fullname'
                ? isOwnName(bareWord(first), raw, pack)
                : isPersonName(bareWord(first)),
          );
    case 'anyname': {
      const name = capitalised(raw, false, 3, (first) => !NOT_PLACES.test(first));
      if (name !== null || pack.script === 'han') return name ?? hanName(raw);
      const words = raw.split(' ').filter((word) => /^[\p{L}'-]+$/u.test(word));
      return words.length <= 2 && /^\p{Ll}/u.test(text) && !/^(?:not|a|the|on|is|too|so)$/.test(words[0] ?? '')
        ? words.join(' ')
        : null;
    }
    case 'place': {
      if (pack.script === 'han') return hanName(raw);
      const place = capitalised(raw, isBefore, 4, (first) => !NOT_PLACES.test(bareWord(first)));
      if (place !== null) return place;
      const [first = '', second = ''] = raw.toLowerCase().split(' ');
      return PLACES.has(`${first} ${second}`)
        ? `${first} ${second}`
        : PLACES.has(bareWord(first))
          ? raw.split(' ')[0]!
          : null;
    }
    case 'org':
    case 'school': {
      if (pack.script === 'han') return hanName(raw);
      const name = capitalised(raw.replace(/^the /i, ''), isBefore, 6, (first) => !NOT_PLACES.test(bareWord(first)));
      if (shape === 'org' || name === null)
        return name !== null && input.rule.pattern.startsWith('^(?:[') && /^\p{Lu}{1,4}$/u.test(name) ? null : name;
      return wordsPattern(pack.lists['schoolWord'] ?? '', pack.script).test(name) ? name : null;
    }
    case 'job':
      return jobOf(raw, pack);
    case 'age':
      return ageOf(raw);
    case 'day': {
      const date = findDates(raw, pack, { ...input.context, prefer: 'future' })[0];
      return date?.isDay === true && date.from !== null && date.from > input.context.now ? date.written : null;
    }
    case 'car': {
      // The make is in the list, the model is the capitalised word or the number after it: "Renault Zoe".
      const rest = text.slice(text.indexOf(raw, match.index) + raw.length);
      return raw + (/^ (?:\p{Lu}[\p{L}\p{N}-]*|\d[\p{L}\p{N}]*)(?![\p{L}\p{N}])/u.exec(rest)?.[0] ?? '');
    }
    case 'words':
    case 'plain':
      return pack.script === 'han' ? raw : cutWords(raw, pack, shape === 'plain');
    case 'street': {
      const street = withoutEnd(raw.split(/ (?:and|since|so|but|und|y|et|e|en) /i)[0] ?? '', '., \t\n');
      return /\d/.test(street) && /\p{L}{3}/u.test(street) ? street : null;
    }
    default:
      return withoutEnd(raw, '., \t\n');
  }
}

/** Capitalised words at the beginning (or at the end) of a run. */
function capitalised(run: string, atEnd: boolean, limit: number, accepts: (first: string) => boolean): string | null {
  const words = run.split(' ');
  if (atEnd) words.reverse();
  const taken: string[] = [];
  for (const word of words) {
    const isName = /^(?:\p{Lu}|\d*\p{Lu})/u.test(word) && !/^I(?:'|$)/.test(word);
    if (!isName && !(PARTICLES.test(word) && taken.length > 0)) break;
    if (taken.length > 0 && NOT_PLACES.test(bareWord(word)) && !PARTICLES.test(word)) break;
    taken.push(word);
    if (taken.length === limit) break;
    if (/[.]$/.test(word) && !/^(?:mr|mrs|ms|dr|st|prof)\.$/i.test(word) && word.length > 2) break;
  }
  while (taken.length > 0 && PARTICLES.test(taken.at(-1) ?? '')) taken.pop();
  const first = atEnd ? taken.at(-1) : taken[0];
  if (first === undefined || !accepts(first.replace(/['’]s$/, ''))) return null;
  return withoutEnd((atEnd ? taken.reverse() : taken).join(' '), '.,').replace(/['’]s$/, '');
}

/** After a word of kinship nearly every capitalised word is a name, also one that ends as the names of peoples do: "Trish". */
function isPersonName(word: string): boolean {
  return (
    !NOT_PLACES.test(word) && !LANGUAGES.has(word.toLowerCase()) && !NOT_NAMES.test(word) && !/^\p{Lu}{3,}$/u.test(word)
  );
}

/** After "I am" a name must be told from what else one is; where nouns have capitals, only a known given name is certain. */
function isOwnName(word: string, run: string, pack: Pack): boolean {
  if (pack.language === 'de') return GIVEN_NAMES.has(word.toLowerCase());
  return canBeName(word) && isPersonName(word) && jobOf(run, pack) === null;
}

const NOT_NAMES =
  /^(?:myself|me|he|she|they|we|you|it's|that|this|there|what|who|when|where|why|how|and|but|so|or|not|is|was|are|at|in|on|for|with|also|just|then|now|well|oh|hi|hey|hello|sorry|thanks|please|all|some|any|every|each|his|her|our|your|their|god|mum|dad|mama|amazon|google|whatsapp|gp|uk|us|usa)$/i;

function bareWord(word: string): string {
  return withoutEnd(word, '.,').replace(/['’]s$/, '');
}

function hanName(raw: string): string | null {
  const name = raw.replace(/^(?:的|是|就|在)/u, '').trim();
  return name.length >= 1 && !/^[我你他她它这那的了]/u.test(name) ? name : null;
}

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};

/** In digits; null beyond what people reach. */
function ageOf(raw: string): string | null {
  const age = /^\d+$/.test(raw)
    ? Number(raw)
    : raw
        .toLowerCase()
        .split(/[- ]/)
        .reduce((sum, word) => sum + (NUMBER_WORDS[word] ?? Number.NaN), 0);
  return age > 2 && age < 115 ? String(age) : null;
}

const jobPatterns = new WeakMap<Pack, RegExp>();

function jobOf(raw: string, pack: Pack): string | null {
  if (pack.language === 'en') {
    const head =
      raw.split(
        / (?:at|for|in|with|of|from|and|who|that|by|on|since|now|so|but|because|to|as|again|here|too|like|no|not|you|i|yet|anyway)\b/i,
      )[0] ?? '';
    const words = withoutEnd(head.replace(/^(?:an?|the|my|your) /i, ''), '.,').split(' ');
    // "the only QS": short words and plain adjectives before the noun are part of a title, whole sentences are not.
    return words.length <= 4 &&
      isOccupation(words.join(' ')) &&
      !/\b(?:quaker|lover|believer|beginner|starter|morning person|newcomer|stranger|loser|winner|smoker|drinker|eater|reader|sleeper|reader)$/i.test(
        words.join(' '),
      ) &&
      !/^(?:bit|big|huge|good|bad|real|great|better|proper|total|terrible|slow|fast)$/i.test(words[0] ?? '')
      ? words.join(' ')
      : null;
  }
  if (pack.script === 'han') return raw;
  let jobs = jobPatterns.get(pack);
  if (jobs === undefined) {
    jobs = packRegExp(`^(?:[\\p{L}-]+ )?(?:${pack.lists['job'] ?? '(?!)'})(?![\\p{L}])`);
    jobPatterns.set(pack, jobs);
  }
  return jobs.exec(raw)?.[0] ?? null;
}

function cutWords(raw: string, pack: Pack, isShort: boolean): string | null {
  const stop = new RegExp(`(?:^| )(?:${pack.lists['stop'] ?? '(?!)'})(?![\\p{L}])`, 'iu').exec(raw);
  const words = withoutEnd(stop === null ? raw : raw.slice(0, stop.index), '.,! \t\n').trim();
  if (
    words === '' ||
    /^(?:it|that|this|them|everything|nothing|something|you|him|her|a|an|the|these|those|what|stuff|things|mostly)$/i.test(
      words,
    )
  )
    return null;
  return isShort && words.split(' ').length > 2 ? null : words;
}
