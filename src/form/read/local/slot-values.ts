import { PLACES } from '../../../language/entities.ts';
import { GIVEN_NAMES } from '../../../language/given-names.ts';
import { canBeName, isOccupation } from '../../../language/names.ts';
import type { DateContext } from '../../../language/pack-dates.ts';
import { type Pack, PRODUCTS, type SlotRule } from '../../../language/packs/pack.ts';
import {
  isOrdinary,
  isTelling,
  LANGUAGES,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  templateOf,
  wordsOfAll,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import { sideOfDays } from '../../../language/told-days.ts';
import type { TextSpan } from '../../../language/sentences.ts';
import { ENGLISH_NUMBERS, withoutEnd } from '../../../language/words.ts';
import { type AttributeTable, hasTrait, VALUE_LISTS } from '../../../record/attributes.ts';
import { attributeLabel, isUser, type Polarity, type Tense } from '../../../record/statement.ts';

/** An attribute with the value that a sentence gives it, and the place of the words. */
export interface FilledSlot extends TextSpan {
  subject: string;
  attribute: string;
  /** Null if the words deny the attribute without naming a value: "I quit my job". */
  value: string | null;
  polarity: Polarity;
  /** Null if the sentence does not show the tense. */
  tense: Tense | null;
  from: Date | null;
  /** Whether the slot is only probable, so that the selector must give the sentence a higher probability. */
  isLikely?: boolean;
  /** Whether a plain negation denies the slot, so that it may never have held: "I'm not allergic to nuts". */
  isNever?: boolean;
  /** Whether the reading layers found the slot. Such a value never replaces an explicit statement of the user. */
  isTold?: boolean;
}

export interface SlotContext extends DateContext {
  /** The assistant's message before the turn, for the first sentence of an answer. Null for other sentences. */
  question?: string | null;
  /** The whole turn. If it mentions another person, a sentence without a subject may be about that person. */
  turn?: string;
  /** The assistant's message before the turn, for all sentences of the turn, because it may mention another person. */
  asked?: string | null;
  /** The names of people in the user's life, and the known values of attributes, in lower case. */
  people?: readonly string[];
  values?: readonly string[];
}

/** The rule of a match, and the sentence in which it was found. */
export interface MatchInput {
  rule: SlotRule;
  shape: string;
  text: string;
  sentence: string;
  pack: Pack;
  context: SlotContext;
  /** The offsets at which matches in the sentence begin. */
  starts: readonly number[];
}

const oneOf = (words: string): RegExp => new RegExp(`^(?:${words})$`, 'iu');
const PARTICLES = oneOf(wordsOfAll('nameParticle'));
const NOT_PLACES = oneOf(wordsOfAll('noPlace'));
const NOT_NAMES = oneOf(wordsOfAll('noName'));
const NO_VALUE = oneOf(wordsOfAll('noValue'));
const STREETS = oneOf(wordsOfAll('streetName'));
/** Users "move to" programs and "live in" them, but a program is not a place. */
const PRODUCT = oneOf(PRODUCTS);
const POLITE_END = new RegExp(`,? (?:${wordsOfAll('politeEnd')})$`, 'i');
const STREET_END = new RegExp(` (?:${wordsOfAll('streetEnd')}) `, 'i');
const NAME_LEAD = new RegExp(`^(?:${wordsOfAll('nameLead')})`, 'u');
const NO_NAME_START = new RegExp(`^(?:${wordsOfAll('noNameStart')})`, 'u');

/** Patterns of the lists of a pack, for whole words, for the words before a value, and for the words of a value. */
const patternsOf = perPack(({ lists, partners, children }) => {
  const whole = (list = '(?!)'): RegExp => packRegExp(`^(?:${list})$`);
  const last = (list = '(?!)'): RegExp => packRegExp(`(?<![\\p{L}])(?:${list})\\s*$`);
  const { job = '(?!)', stop = '(?!)' } = lists;
  return {
    does: whole(`${lists['does'] ?? '(?!)'}|${lists['and'] ?? '(?!)'}`),
    firmWord: whole(lists['firmWord']),
    mate: last(lists['mate']),
    naming: last(lists['naming']),
    relative: last(`(?:${partners}|${children})(?: (?:la|el|der|die))?`),
    placeCue: last(lists['placeCue']),
    moveCue: last(lists['moveCue']),
    firmCue: last(lists['firmCue']),
    // Words that precede a capitalised noun which may be an object and not a name: "because my daughter".
    nounCue: last(lists['nounCue']),
    job: packRegExp(`^(?:(?<lead>[\\p{L}-]+) )?(?<job>${job})(?![\\p{L}])`),
    stop: packRegExp(`(?:^| )(?:${stop})(?![\\p{L}])`),
  };
});

/** The input for cutting a value: the matched words and their place. */
interface Cut extends MatchInput {
  raw: string;
  match: RegExpExecArray;
  isHan: boolean;
  /** Whether the value is before the words that introduce it: "Ana is my sister". */
  isBefore: boolean;
}

/** Cuts the value from the words that a pattern matched. Null if they contain none. */
export function cutValue(raw: string, shape: string, input: MatchInput, match: RegExpExecArray): string | null {
  const isBefore = match[0].startsWith(raw) && !match[0].endsWith(raw);
  const cut = CUTS[shape];
  if (cut === undefined) return withoutEnd(raw, '., \t\n');
  if (NAMED.has(shape) && !/^\p{Lu}/u.test(raw)) {
    const known = knownName(raw, input.context);
    if (known !== null) return known;
  }
  const value = cut({ ...input, shape, raw, match, isBefore, isHan: input.pack.script === 'han' });
  // A sentence may end before a word in lower case: "i live in portland. cant sleep". "D.C." keeps its point.
  return value?.replace(/(?<=\p{Ll}{3})\.$/u, '') ?? null;
}

const NAMED: ReadonlySet<string> = new Set(['place', 'town', 'org']);

/** The first words of a run, if they are a known value in lower case: "ya no trabajo en zara". */
function knownName(run: string, { values = [] }: SlotContext): string | null {
  const words = run.split(' ');
  for (let count = Math.min(words.length, 4); count > 0; count -= 1) {
    const name = withoutEnd(words.slice(0, count).join(' '), '.,');
    if (values.includes(name.toLowerCase())) return name;
  }
  return null;
}

const isNoPlace = (word: string): boolean => NOT_PLACES.test(bareWord(word));

/** Whether a name can be a town or a country, and is not a day or a street. */
export function isPlaceName(name: string): boolean {
  return !isNoPlace(name.split(' ')[0] ?? '') && !name.split(/[ -]/u).some((word) => STREETS.test(bareWord(word)));
}

const CUTS: Readonly<Record<string, (cut: Cut) => string | null>> = {
  name: cutPersonName,
  fullname: cutPersonName,
  called: (cut) => organisationName(cut.raw, false) ?? smallTitle(cut),
  wholename({ raw, pack }) {
    const name = capitalised(raw, false, 3, (first) => isOwnName(bareWord(first), raw, pack));
    return name?.includes(' ') === true ? name : null;
  },
  anyname(cut) {
    const name = capitalised(cut.raw, false, 3, (first) => !NOT_PLACES.test(first));
    return name ?? (cut.isHan ? hanName(cut.raw) : smallPerson(cut, { isOwn: false, isPet: true }));
  },
  town: cutPlace,
  place: cutPlace,
  org(cut) {
    const { raw, rule, isHan, isBefore } = cut;
    const name = isHan ? hanName(raw) : (organisationName(raw, isBefore) ?? (isBefore ? null : smallOrganisation(cut)));
    // "I'm at Anna's now" is a visit to a person.
    if (rule.likely !== undefined && name !== null && GIVEN_NAMES.has(name.toLowerCase())) return null;
    const isOfLetters = name !== null && rule.pattern.startsWith('^(?:[') && /^\p{Lu}{1,4}$/u.test(name);
    return isOfLetters && !isHan ? null : name;
  },
  school({ raw, pack, isHan, isBefore }) {
    if (isHan) return hanName(raw);
    const name = organisationName(raw, isBefore);
    return name !== null && wordsPattern(pack.lists['schoolWord'] ?? '', pack.script).test(name) ? name : null;
  },
  job: ({ raw, pack, rule }) => jobOf(raw, pack, rule),
  age: ({ raw }) => ageOf(raw),
  day({ raw, pack, context, text }) {
    const date = findDates(raw, pack, { ...context, prefer: 'future' })[0];
    // "Passed my test on 12 October", said in November, is about the past.
    const isPast = sideOfDays(text, pack, { ...context, prefer: 'future' }) === 'past';
    return date?.isDay === true && date.from !== null && date.from > context.now && !isPast ? date.written : null;
  },
  car({ raw, text, match }) {
    // The make is in the list. The model is the capitalised word or the number after it: "Renault Zoe".
    const rest = text.slice(text.indexOf(raw, match.index) + raw.length);
    return raw + (/^ (?:\p{Lu}[\p{L}\p{N}-]*|\d[\p{L}\p{N}]*)(?![\p{L}\p{N}])/u.exec(rest)?.[0] ?? '');
  },
  clause: ({ raw, isHan }) => (isHan ? raw : withoutEnd(raw.replace(POLITE_END, ''), '., ')),
  length: ({ raw }) => raw.toLowerCase(),
  words: ({ raw, pack, isHan }) => (isHan ? raw : cutWords(raw, pack, false)),
  plain: ({ raw, pack, isHan }) => (isHan ? raw : cutWords(raw, pack, true)),
  street({ raw, pack: { calendar, lists } }) {
    const street = withoutEnd(raw.split(STREET_END)[0] ?? '', '., \t\n');
    // A number of minutes, miles or euros is not a house number.
    const units = `${Object.values(calendar.units).join('|')}|${lists['currency'] ?? '€'}|min\\p{L}*|h(?:ou)?rs?|km|k|miles?|m|%|am|pm`;
    const isCounted = packRegExp(`\\d ?(?:${units})(?![\\p{L}])`).test(raw);
    return /\d/.test(street) && /\p{L}{3}/u.test(street) && !isCounted ? street : null;
  },
};

/** Whether a name in lower case is a guess, because it is not a known given name, place or value. */
export function isGuessed(value: string, values: readonly string[] = []): boolean {
  const lower = value.toLowerCase();
  const isKnown = GIVEN_NAMES.has(lower) || PLACES.has(withoutEnd(lower, '.,')) || values.includes(lower);
  return /^\p{Ll}/u.test(value) && !isKnown;
}

function cutPersonName(cut: Cut): string | null {
  const { raw, shape, pack, isBefore, isHan, rule, text, match } = cut;
  if (isHan) return listPattern(pack, 'health', 'condition').test(raw) ? null : hanName(raw);
  const name = capitalised(raw, isBefore, 3, (word) => {
    const first = bareWord(word);
    if (!GIVEN_NAMES.has(first.toLowerCase())) {
      // In German, all nouns are capitalised, so the noun before "my daughter" is a name only if it is a known given name. In other
      // languages, the word may be capitalised because it begins the sentence: "Like my wife".
      if (isBefore && (pack.capitalisesNouns === true || isOrdinary(first.toLowerCase(), pack))) return false;
      if (pack.capitalisesNouns === true && jobOf(first, pack) !== null) return false;
      if (!isBefore && patternsOf(pack).nounCue.test(text.slice(0, text.indexOf(raw, match.index)))) return false;
    }
    return shape === 'fullname' ? isOwnName(first, raw, pack) : isPersonName(first);
  });
  if (name !== null || isBefore) return name;
  return smallPerson(cut, { isOwn: shape === 'fullname', isPet: hasTrait(rule.attribute, 'animal') });
}

function cutPlace(cut: Cut): string | null {
  if (cut.isHan) return hanName(cut.raw);
  const place =
    capitalised(cut.raw, cut.isBefore, 4, (first) => !isNoPlace(first)) ?? (cut.isBefore ? null : smallPlace(cut));
  return place === null || PRODUCT.test(place.split(' ')[0] ?? '') || !isPlaceName(place) ? null : place;
}

function organisationName(raw: string, isBefore: boolean): string | null {
  return capitalised(raw.replace(/^the /i, ''), isBefore, 6, (first) => !isNoPlace(first));
}

/** The capitalised words at the beginning or at the end of a run. */
function capitalised(run: string, atEnd: boolean, limit: number, accepts: (first: string) => boolean): string | null {
  const words = run.split(' ');
  if (atEnd) words.reverse();
  const taken: string[] = [];
  for (const word of words) {
    if (!mayGoOn(word, taken.length === 0)) break;
    taken.push(word);
    if (taken.length === limit) break;
    if (/[.]$/.test(word) && !/^(?:mr|mrs|ms|dr|st|prof)\.$/i.test(word) && word.length > 2) break;
  }
  while (taken.length > 0 && PARTICLES.test(taken.at(-1) ?? '')) taken.pop();
  const first = atEnd ? taken.at(-1) : taken[0];
  if (first === undefined || !accepts(first.replace(/['’]s$/, ''))) return null;
  return withoutEnd((atEnd ? taken.reverse() : taken).join(' '), '.,').replace(/['’]s$/, '');
}

/** Whether a word can be the first word of a name, or a later one, which may be a particle such as "van". */
function mayGoOn(word: string, isFirst: boolean): boolean {
  const isName = /^(?:\p{Lu}|\d*\p{Lu})/u.test(word) && !/^I(?:'|$)/.test(word);
  if (isFirst) return isName;
  return PARTICLES.test(word) || (isName && !isNoPlace(word));
}

/**
 * Whether a capitalised word after a word for a relative is a name. Nearly every such word is, even if it ends like a nationality: "Trish".
 */
function isPersonName(word: string): boolean {
  return (
    !NOT_PLACES.test(word) && !LANGUAGES.has(word.toLowerCase()) && !NOT_NAMES.test(word) && !/^\p{Lu}{3,}$/u.test(word)
  );
}

/** Whether a capitalised word after "I am" is a name. In German, where all nouns are capitalised, only a known given name is certain. */
function isOwnName(word: string, run: string, pack: Pack): boolean {
  if (pack.capitalisesNouns === true) return GIVEN_NAMES.has(word.toLowerCase());
  return canBeName(word) && isPersonName(word) && jobOf(run, pack) === null;
}

function bareWord(word: string): string {
  return withoutEnd(word, '.,').replace(/['’]s$/, '');
}

function hanName(raw: string): string | null {
  const name = raw.replace(NAME_LEAD, '').trim();
  return name.length >= 1 && !NO_NAME_START.test(name) ? name : null;
}

/** The age in digits. Null for a number that is not a plausible age. */
function ageOf(raw: string): string | null {
  const age = /^\d+$/.test(raw)
    ? Number(raw)
    : raw
        .toLowerCase()
        .split(/[- ]/)
        .reduce((sum, word) => sum + (ENGLISH_NUMBERS.get(word) ?? Number.NaN), 0);
  return age > 2 && age < 115 ? String(age) : null;
}

function jobOf(raw: string, pack: Pack, rule?: SlotRule): string | null {
  const titled = titlePatterns(pack);
  if (titled === null) return pack.script === 'han' ? raw : listedJob(raw, pack, rule);
  const head = raw.split(titled.end)[0] ?? '';
  const words = withoutEnd(head.replace(/^(?:an?|the|my|your) /i, ''), '.,').split(' ');
  const title = words.join(' ');
  // A few words before the noun can be part of a title ("the only QS"), but whole sentences cannot.
  const isTitle = words.length <= 4 && isOccupation(title);
  return isTitle && !titled.no.test(title) && !titled.noStart.test(words[0] ?? '') ? title : null;
}

/** Whether words say in which role somebody works for a firm: a job, or a word such as "employee". */
export function isRole(words: string, pack: Pack): boolean {
  return jobOf(words, pack) !== null || listPattern(pack, 'employed').test(words);
}

/**
 * For languages whose jobs are recognised by their form: the words that end a title, and the nouns and first words that only look like one.
 */
const titlePatterns = perPack(({ lists: { jobEnd, noJob, noJobStart } }) =>
  jobEnd === undefined
    ? null
    : {
        end: new RegExp(` (?:${jobEnd})\\b`, 'i'),
        no: new RegExp(`\\b(?:${noJob})$`, 'i'),
        noStart: new RegExp(`^(?:${noJobStart})$`, 'i'),
      },
);

/** A job of the pack's list, with the word before it unless that is an ordinary word. */
function listedJob(raw: string, pack: Pack, rule?: SlotRule): string | null {
  const { 0: title, groups } = patternsOf(pack).job.exec(raw) ?? {};
  const lead = groups?.['lead'];
  if (lead === undefined || !isOrdinary(lead.toLowerCase(), pack)) return title ?? null;
  // Without a verb that makes the user the subject, an ordinary word before the job shows another person: "to the teacher", "dear teacher".
  const isOther = rule?.likely !== undefined || rule?.alone === true || packPattern(pack, 'not').test(lead);
  return isOther ? null : (groups?.['job'] ?? null);
}

function cutWords(raw: string, pack: Pack, isShort: boolean): string | null {
  const stop = patternsOf(pack).stop.exec(raw);
  const words = withoutEnd(stop === null ? raw : raw.slice(0, stop.index), '.,! \t\n').trim();
  if (words === '' || NO_VALUE.test(words)) return null;
  return isShort && words.split(' ').length > 2 ? null : words;
}

/** Words in lower case that may be a name, with their place. */
type Small = Pick<Cut, 'raw' | 'text' | 'match' | 'pack'>;

/**
 * Whether a text is typed in lower case. Its first letter is in lower case or it contains the word "i", and no word is capitalised except
 * "I". In such a text, a name is recognised only by the words around it, and if it is not an ordinary word.
 */
function isTypedSmall(text: string, { capitalised }: Pack): boolean {
  const words: string[] = text.match(/\p{L}+/gu) ?? [];
  const others = words.filter((word) => word.toLowerCase() !== capitalised);
  const isSmall = (word: string | undefined): boolean => word !== undefined && /^\p{Ll}/u.test(word);
  const beginsSmall = isSmall(words[0]) || (capitalised !== undefined && words.includes(capitalised));
  return beginsSmall && !others.some((word) => /\p{Lu}/u.test(word));
}

/** The words before the first ordinary word that does not match `also`. Empty if the text is not typed in lower case. */
function nameWords({ raw, text, pack }: Small, also?: RegExp): string[] {
  if (!isTypedSmall(text, pack)) return [];
  const words = raw.split(' ').map((word) => withoutEnd(word, '.,'));
  // In English, content words are ordinary too, because users also move "to decaf". In other languages, the frequent content words include
  // names of places. A single letter is an abbreviation: "in leeds w my partner".
  const isWord = (word: string): boolean =>
    /^\p{L}\/?$/u.test(word) ||
    isOrdinary(word, pack) ||
    (pack.language === 'en' && isTelling(word, pack) && !PLACES.has(word));
  const end = words.findIndex((word, index) => isWord(word) && !(index > 0 && also?.test(word)));
  return end < 0 ? words : words.slice(0, end);
}

/** The words between the beginning of a match and its value. */
function leadOf({ raw, text, match }: Small): string {
  const start = match.indices?.groups?.['v']?.[0] ?? text.indexOf(raw, match.index);
  return text.slice(match.index, start);
}

/**
 * A person's name in lower case: a known given name, or a word that is not ordinary in one of three places. It follows "called", or stands
 * between commas, or stands between a word for a partner or a child and a verb: "my wife lupita says".
 */
export function smallPerson(cut: Small, { isOwn, isPet }: { isOwn: boolean; isPet: boolean }): string | null {
  const { raw, text } = cut;
  const { mate, naming, does, relative } = patternsOf(cut.pack);
  const first = nameWords(cut)[0];
  const lead = leadOf(cut);
  // "my boy kwame" may be a friend.
  if (first === undefined || first.length < 3 || mate.test(lead)) return null;
  if (GIVEN_NAMES.has(first.toLowerCase())) return first;
  if (isOwn) return null;
  if (naming.test(lead)) return first;
  if (isPet) return null;
  const after = text.slice(text.indexOf(raw, cut.match.index) + raw.length);
  if (raw === first && /,\s*$/.test(lead)) return after.startsWith(',') ? first : null;
  const second = raw.split(' ')[1] ?? '';
  return does.test(second) && relative.test(lead) ? first : null;
}

/** First words of place names that are not a place by themselves: "san sebastián", "new york". */
const PLACE_OPENING = new RegExp(`^(?:${wordsOfAll('placeOpening')})$`, 'u');

/** A place in lower case: a known one, or one after words that only a place follows: "live in", "im from". */
export function smallPlace(cut: Small): string | null {
  const { raw, pack } = cut;
  const [one = '', two = ''] = raw.toLowerCase().split(' ');
  if (PLACE_OPENING.test(one) && /^\p{L}{3}/u.test(two) && isTypedSmall(cut.text, pack))
    return withoutEnd(`${one} ${two}`, '.,');
  if (PLACES.has(withoutEnd(one, '.,').replace(/'s$/, ''))) return raw.split(' ')[0] ?? null;
  const words = nameWords(cut);
  const isShort = words.length === 1 || words.length === 2;
  const { placeCue, moveCue } = patternsOf(pack);
  const lead = leadOf(cut);
  return isShort && (placeCue.test(lead) || moveCue.test(lead)) ? words.join(' ') : null;
}

/** Whether words end with a verb of moving, after which a place is certain even in lower case: "i moved to". */
export function isMove(lead: string, pack: Pack): boolean {
  return patternsOf(pack).moveCue.test(lead);
}

/**
 * The name of a firm in lower case: words that are not ordinary, followed by a kind of firm ("balgillo care home"), or one such word after
 * "work at".
 */
export function smallOrganisation(cut: Small): string | null {
  const { firmWord, firmCue } = patternsOf(cut.pack);
  const isNamed = !cut.raw.startsWith('the ');
  const words = nameWords(isNamed ? cut : { ...cut, raw: cut.raw.slice(4) }, firmWord);
  const kind = words.findLastIndex((word, index) => index > 0 && firmWord.test(word));
  if (kind > 0) return words.slice(0, kind + 1).join(' ');
  return isNamed && words.length === 1 && firmCue.test(leadOf(cut)) ? (words[0] ?? null) : null;
}

/** The name of a person or a thing in lower case, of up to four words. */
export function smallTitle(cut: Small): string | null {
  const words = nameWords(cut);
  const end = words.findIndex((word) => PARTICLES.test(word));
  const name = (end < 0 ? words : words.slice(0, end)).slice(0, 4).join(' ');
  return name.length < 3 ? null : name;
}

const CAPITALISED = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]+)?";
const SMALL = "\\p{Ll}[\\p{L}\\p{M}'’-]+";
const HAN = '[\\p{Script=Han}\\p{Script=Katakana}ー]{1,6}?';
/** A detail after a name in a list: "Mia (7)". */
const DETAIL = '(?: ?[(（][^()（）]{1,20}[)）])?';

/** The words that follow a name in languages without spaces. */
const AFTER = wordsOfAll('afterName');

/** The separators of a list. */
const listMark = perPack(({ script, lists: { and = '(?!)' } }) =>
  script === 'han' ? `(?:、|${and})` : `(?:,? (?:${and}) |, )`,
);

const marksOf = perPack((pack) => {
  const { script, lists, children, pets } = pack;
  const isHan = script === 'han';
  const mark = listMark(pack);
  return {
    split: new RegExp(`${DETAIL}${mark}`, 'u'),
    joined: new RegExp(isHan ? mark : ` (?:${lists['and'] ?? '(?!)'}) `, 'u'),
    // After the word for one child or animal, only the first name of a list is a value: "I live with my son Jonas, Tom and Ann".
    ofOne: packRegExp(`(?<![\\p{L}])(?:${children}|${pets})${isHan ? 'の?' : ',? '}$`),
    capitalised: namesAround(CAPITALISED, mark),
    small: namesAround(SMALL, mark),
    han: {
      after: new RegExp(`^(?:${DETAIL}${mark}${HAN}(?=${mark}|[。！，,.!（]|${AFTER}|$))+`, 'u'),
      before: null,
    },
  };
});

/** Patterns of the names of a list after and before one of its names. */
function namesAround(name: string, mark: string): { after: RegExp; before: RegExp } {
  return {
    after: new RegExp(`^(?:${DETAIL}${mark}${name}(?![\\p{L}\\p{M}]))+`, 'u'),
    before: new RegExp(`(?<![\\p{L}\\p{M}])(?:${name}${DETAIL}${mark})+$`, 'u'),
  };
}

const ENDS = new RegExp(`^${DETAIL}(?:\\s*(?:[.,!;:。！，)]|$)|${AFTER})`, 'u');

/** The words of the pack's lists that follow a value in an enumeration: "peanuts, latex and penicillin". */
function listedAfter(rest: string, lists: readonly string[], pack: Pack): string[] {
  const words = lists.flatMap((list) => pack.lists[list] ?? []).join('|');
  if (words === '') return [];
  const next = packRegExp(`^${listMark(pack)}(?<v>(?:${words})${pack.script === 'han' ? '' : '(?![\\p{L}\\p{M}-])'})`);
  const found: string[] = [];
  for (let left = rest; found.length < MOST_LISTED;) {
    const { 0: listed = '', groups } = next.exec(left) ?? {};
    if (groups?.['v'] === undefined) break;
    found.push(groups['v']);
    left = left.slice(listed.length);
  }
  return found;
}

const MOST_LISTED = 12;

/**
 * The slots of a sentence, with one slot for every name of a list. In "Mia, Jonas and Lea", patterns and the reading layers find only the
 * first or the last name, or read several names as one name.
 */
export function withListedNames(filled: readonly FilledSlot[], sentence: string, pack: Pack | null): FilledSlot[] {
  if (pack === null) return [...filled];
  const whole: FilledSlot[] = [];
  for (const slot of filled) {
    for (const value of listedWith(slot, filled, sentence, pack)) {
      const isSame = (other: FilledSlot): boolean =>
        other.attribute === slot.attribute &&
        other.subject === slot.subject &&
        other.value?.toLowerCase() === value?.toLowerCase();
      if (!whole.some(isSame)) whole.push({ ...slot, value });
    }
  }
  return whole;
}

/** The values of the list that contains a slot's value. Only that value if it is not in a list. */
function listedWith(
  { attribute, value, polarity, start }: FilledSlot,
  filled: readonly FilledSlot[],
  sentence: string,
  pack: Pack,
): (string | null)[] {
  const at = value === null ? -1 : sentence.toLowerCase().indexOf(value.toLowerCase(), start);
  if (value === null || at < 0 || polarity === 'denied') return [value];
  const lists = VALUE_LISTS.filter((list) => hasTrait(attribute, list));
  if (lists.length > 0) return [value, ...listedAfter(sentence.slice(at + value.length), lists, pack)];
  if (!hasTrait(attribute, 'several')) return [value];
  const { split, joined, ofOne, ...names } = marksOf(pack);
  const isSmall = /^\p{Ll}/u.test(sentence.slice(at));
  const { after, before } = pack.script === 'han' ? names.han : isSmall ? names.small : names.capitalised;
  const end = at + value.length;
  const from = at - (before?.exec(sentence.slice(0, at))?.[0].length ?? 0);
  const to = end + (after.exec(sentence.slice(end))?.[0].length ?? 0);
  const list = sentence.slice(from, to);
  if (!joined.test(list) || ofOne.test(sentence.slice(0, from))) return [value];
  const values = list.split(split);
  const isKnown = (name: string | undefined): boolean =>
    filled.some((other) => other.attribute === attribute && other.value?.toLowerCase() === name?.toLowerCase());
  // The list of names may continue into another clause: "My dog is called Rex, Tom and Ann are friends of mine".
  if (!isKnown(values.at(-1)) && to > end && !ENDS.test(sentence.slice(to))) return [value];
  const isCertain = (name: string): boolean => GIVEN_NAMES.has(name.toLowerCase()) || isKnown(name);
  return namesOf(values, isCertain, pack.capitalisesNouns === true) ?? [value];
}

/**
 * The names of a list. Null if a word of the list may not be a name. In a language that capitalises nouns, the first word may be one: "Ich
 * habe zwei Töchter, Ida und Romy".
 */
function namesOf(words: string[], isCertain: (name: string) => boolean, mayBeNoun: boolean): string[] | null {
  const names = mayBeNoun && !isCertain(words[0] ?? '') ? words.slice(1) : words;
  return names.every((name) => !/^\p{Ll}/u.test(name) || isCertain(name)) ? names : null;
}

/** Renders a slot as a sentence: "Lives in Graz", "User's sister Ana: Lives in Graz". */
export function renderSlot(
  slot: Pick<FilledSlot, 'subject' | 'attribute' | 'value' | 'polarity' | 'isNever'>,
  pack: Pack,
  attributes: AttributeTable,
): string {
  // A condition is rendered with "has" ("Has diabetes"), or with "is" if it is an adjective or a noun for a person ("Is diabetic").
  // "Coeliac disease" contains "coeliac", but nobody is a disease.
  const being = listPattern(pack, 'being').exec(slot.value ?? '')?.[0];
  const isBeing = hasTrait(slot.attribute, 'condition') && being !== undefined && being.length === slot.value?.length;
  const template =
    templateOf(pack, isBeing ? 'being' : slot.attribute) ??
    `${attributeLabel(attributes, slot.attribute, pack.language)}: {value}`;
  const sentence = template.replace('{value}', () => slot.value ?? '');
  const not = slot.isNever === true ? pack.notSo : pack.notAnyMore;
  const denied = slot.polarity === 'denied' ? `${not}: ${sentence}` : sentence;
  return isUser(slot.subject) ? denied : `${ownSubject(slot.subject, pack)}: ${denied}`;
}

/** The subject of a rendering in the language of the rendering: "User's son Max" is "Sohn Max" in German. */
function ownSubject(subject: string, pack: Pack): string {
  const [, whose] = /^User's (.+)$/u.exec(subject) ?? [];
  if (whose === undefined || pack.language === 'en') return subject;
  const [word = '', relation = ''] =
    Object.entries(pack.relations)
      .filter(([, name]) => whose === name || whose.startsWith(`${name} `))
      .toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  return word === '' ? subject : word.charAt(0).toUpperCase() + word.slice(1) + whose.slice(relation.length);
}
