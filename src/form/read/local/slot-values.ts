import { GIVEN_NAMES } from '../../../language/given-names.ts';
import {
  canBeName,
  jobOf,
  knownName,
  LANGUAGES,
  PARTICLES,
  smallOrganisation,
  smallPerson,
  smallPlace,
  smallTitle,
} from '../../../language/names.ts';
import type { DateContext } from '../../../language/pack-dates.ts';
import { type Pack, PRODUCTS, type SlotRule } from '../../../language/packs/pack.ts';
import {
  isOrdinary,
  listPattern,
  packRegExp,
  perPack,
  templateOf,
  wordsOfAll,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { TextSpan } from '../../../language/sentences.ts';
import { sideOfDays } from '../../../language/told-days.ts';
import { ENGLISH_NUMBERS, withoutEnd } from '../../../language/words.ts';
import { type AttributeTable, hasTrait, VALUE_LISTS } from '../../../record/attributes.ts';
import { attributeLabel } from '../../../record/attribute-table.ts';
import { isUser, type Polarity, type Tense } from '../../../record/statement.ts';

export interface FilledSlot extends TextSpan {
  subject: string;
  attribute: string;
  /** Null if the words deny the attribute without naming a value: "I quit my job". */
  value: string | null;
  polarity: Polarity;
  tense: Tense | null;
  from: Date | null;
  /** Uncertain: the sentence needs a higher probability from the selector. */
  isLikely?: boolean;
  /** Denied by a plain negation, so it may never have held: "I'm not allergic to nuts". */
  isNever?: boolean;
  /** Found by the reading layers. Such a value never replaces an explicit statement of the user. */
  isTold?: boolean;
}

export interface SlotContext extends DateContext {
  /** The assistant's message before the turn, for the first sentence of an answer. Null for other sentences. */
  question?: string | null;
  /** The whole turn. If it mentions another person, a sentence without a subject may be about that person. */
  turn?: string;
  /** The assistant's message for all sentences of the turn, because it may mention another person. */
  asked?: string | null;
  /** Names of people in the user's life, and known values of attributes, in lower case. */
  people?: readonly string[];
  values?: readonly string[];
}

export interface MatchInput {
  rule: SlotRule;
  shape: string;
  text: string;
  sentence: string;
  pack: Pack;
  context: SlotContext;
  starts: readonly number[];
}

const oneOf = (words: string): RegExp => new RegExp(`^(?:${words})$`, 'iu');
const NOT_PLACES = oneOf(wordsOfAll('noPlace'));
const NOT_NAMES = oneOf(wordsOfAll('noName'));
/** Their full stop does not end a name: "Dr. Osei", "St. Ives". */
const ABBREVIATED = oneOf(`(?:${wordsOfAll('honorific')}|${wordsOfAll('placeOpening')})\\.`);
const NO_VALUE = oneOf(wordsOfAll('noValue'));
const STREETS = oneOf(wordsOfAll('streetName'));
/** Users "move to" programs and "live in" them, but a program is not a place. */
const PRODUCT = oneOf(PRODUCTS);
const POLITE_END = new RegExp(`,? (?:${wordsOfAll('politeEnd')})$`, 'i');
const STREET_END = new RegExp(` (?:${wordsOfAll('streetEnd')}) `, 'i');
const NAME_LEAD = new RegExp(`^(?:${wordsOfAll('nameLead')})`, 'u');
const NO_NAME_START = new RegExp(`^(?:${wordsOfAll('noNameStart')})`, 'u');

const patternsOf = perPack(({ lists: { nounCue = '(?!)', stop = '(?!)' } }) => {
  return {
    // After these words, a capitalised noun may be a common noun and not a name: "because my daughter".
    nounCue: packRegExp(`(?<![\\p{L}])(?:${nounCue})\\s*$`),
    stop: packRegExp(`(?:^| )(?:${stop})(?![\\p{L}])`),
  };
});

interface Cut extends MatchInput {
  raw: string;
  match: RegExpExecArray;
  isHan: boolean;
  /** The value precedes the words that introduce it: "Ana is my sister". */
  isBefore: boolean;
}

/** Null if the matched words contain no value. */
export function cutValue(raw: string, shape: string, input: MatchInput, match: RegExpExecArray): string | null {
  const isBefore = match[0].startsWith(raw) && !match[0].endsWith(raw);
  const cut = CUTS[shape];
  if (cut === undefined) return withoutEnd(raw, '., \t\n');
  if (NAMED.has(shape) && !/^\p{Lu}/u.test(raw)) {
    const known = knownName(raw, input.context.values);
    if (known !== null) return known;
  }
  const value = cut({ ...input, shape, raw, match, isBefore, isHan: input.pack.script === 'han' });
  // The next sentence may begin in lower case: "i live in portland. cant sleep". "D.C." keeps its full stop.
  return value?.replace(/(?<=\p{Ll}{3})\.$/u, '') ?? null;
}

const NAMED: ReadonlySet<string> = new Set(['place', 'town', 'org']);

const isNoPlace = (word: string): boolean => NOT_PLACES.test(bareWord(word));

/** False for a day or a street. */
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
    return name;
  },
  school({ raw, pack, isBefore }) {
    const name = organisationName(raw, isBefore);
    return name !== null && wordsPattern(pack.lists['schoolWord'] ?? '', pack.script).test(name) ? name : null;
  },
  job: ({ raw, pack, rule }) => jobOf(raw, pack, rule.likely !== undefined || rule.alone === true),
  age: ({ raw }) => ageOf(raw),
  day({ raw, pack, context, text }) {
    const date = findDates(raw, pack, { ...context, prefer: 'future' })[0];
    // "Passed my test on 12 October", said in November, is about the past.
    const isPast = sideOfDays(text, pack, { ...context, prefer: 'future' }) === 'past';
    return date?.isDay === true && date.from !== null && date.from > context.now && !isPast ? date.written : null;
  },
  car({ raw, text, match }) {
    // The rule matches the make. The model is the capitalised word or the number after it: "Renault Zoe".
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
    const { currency = '(?!)', measure = '(?!)' } = lists;
    const units = [...Object.values(calendar.units), currency, measure].join('|');
    const isCounted = packRegExp(`\\d ?(?:${units})(?![\\p{L}])`).test(raw);
    return /\d/.test(street) && /\p{L}{3}/u.test(street) && !isCounted ? street : null;
  },
};

function cutPersonName(cut: Cut): string | null {
  const { raw, shape, pack, isBefore, isHan, rule, text, match } = cut;
  if (isHan) return listPattern(pack, 'health', 'condition').test(raw) ? null : hanName(raw);
  const name = capitalised(raw, isBefore, 3, (word) => {
    const first = bareWord(word);
    if (!GIVEN_NAMES.has(first.toLowerCase())) {
      // German capitalises all nouns, so a noun before "my daughter" is a name only if it is a known given name. In other languages, the
      // word may be capitalised because it begins the sentence: "Like my wife".
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

/** The capitalised words at the beginning or the end of a run. Null if `accepts` rejects the first of them. */
function capitalised(run: string, atEnd: boolean, limit: number, accepts: (first: string) => boolean): string | null {
  const words = run.split(' ');
  if (atEnd) words.reverse();
  const taken: string[] = [];
  for (const word of words) {
    if (!mayGoOn(word, taken.length === 0)) break;
    taken.push(word);
    if (taken.length === limit) break;
    if (/[.]$/.test(word) && !ABBREVIATED.test(word) && word.length > 2) break;
  }
  while (taken.length > 0 && PARTICLES.test(taken.at(-1) ?? '')) taken.pop();
  const first = atEnd ? taken.at(-1) : taken[0];
  if (first === undefined || !accepts(first.replace(/['’]s$/, ''))) return null;
  return withoutEnd((atEnd ? taken.reverse() : taken).join(' '), '.,').replace(/['’]s$/, '');
}

/** Whether a word can begin or continue a name. A particle such as "van" can only continue one. */
function mayGoOn(word: string, isFirst: boolean): boolean {
  const isName = /^(?:\p{Lu}|\d*\p{Lu})/u.test(word) && !/^I(?:'|$)/.test(word);
  if (isFirst) return isName;
  return PARTICLES.test(word) || (isName && !isNoPlace(word));
}

/** Nearly every capitalised word after a relation ("my sister Trish") is a name, even one that ends like a nationality. */
function isPersonName(word: string): boolean {
  return (
    !NOT_PLACES.test(word) && !LANGUAGES.has(word.toLowerCase()) && !NOT_NAMES.test(word) && !/^\p{Lu}{3,}$/u.test(word)
  );
}

/** Whether a capitalised word after "I am" is a name. German capitalises all nouns, so only a known given name is certain there. */
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

/** In digits. Null for an implausible age. */
function ageOf(raw: string): string | null {
  const words = raw.toLowerCase().split(/[- ]/);
  const age = words.reduce((sum, word) => sum + (ENGLISH_NUMBERS.get(word) ?? Number(word)), 0);
  return age > 2 && age < 115 ? String(age) : null;
}

function cutWords(raw: string, pack: Pack, isShort: boolean): string | null {
  const stop = patternsOf(pack).stop.exec(raw);
  const words = withoutEnd(stop === null ? raw : raw.slice(0, stop.index), '.,! \t\n').trim();
  if (words === '' || NO_VALUE.test(words)) return null;
  return isShort && words.split(' ').length > 2 ? null : words;
}

/** For example "Lives in Graz" or "User's sister Ana: Lives in Graz". */
export function renderSlot(
  slot: Pick<FilledSlot, 'subject' | 'attribute' | 'value' | 'polarity' | 'isNever'>,
  pack: Pack,
  attributes: AttributeTable,
): string {
  // A condition is rendered with "has" ("Has diabetes"), or with "is" if the whole value is an adjective or a noun for a person ("Is
  // diabetic"). "Coeliac disease" only contains an adjective.
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

/** "User's son Max" becomes "Sohn Max" in German. */
export function ownSubject(subject: string, pack: Pack): string {
  const [, whose] = /^User's (.+)$/u.exec(subject) ?? [];
  if (whose === undefined || pack.language === 'en') return subject;
  const [word = '', relation = ''] =
    Object.entries(pack.relations)
      .filter(([, name]) => whose === name || whose.startsWith(`${name} `))
      .toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  return word === '' ? subject : word.charAt(0).toUpperCase() + word.slice(1) + whose.slice(relation.length);
}

const CAPITALISED = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]+)?";
const SMALL = "\\p{Ll}[\\p{L}\\p{M}'’-]+";
const HAN = '[\\p{Script=Han}\\p{Script=Katakana}ー]{1,6}?';
/** A detail after a name in a list: "Mia (7)". */
const DETAIL = '(?: ?[(（][^()（）]{1,20}[)）])?';

const AFTER = wordsOfAll('afterName');

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

function namesAround(name: string, mark: string): { after: RegExp; before: RegExp } {
  return {
    after: new RegExp(`^(?:${DETAIL}${mark}${name}(?![\\p{L}\\p{M}]))+`, 'u'),
    before: new RegExp(`(?<![\\p{L}\\p{M}])(?:${name}${DETAIL}${mark})+$`, 'u'),
  };
}

const ENDS = new RegExp(`^${DETAIL}(?:\\s*(?:[.,!;:。！，)]|$)|${AFTER})`, 'u');

/** The words of the given lists that follow a value: "peanuts, latex and penicillin". */
function listedAfter(rest: string, lists: readonly string[], pack: Pack): string[] {
  const words = lists.flatMap((list) => pack.lists[list] ?? ['(?!)']).join('|');
  const mark = listMark(pack);
  const listed = packRegExp(`^(?:${mark}(?:${words})${pack.script === 'han' ? '' : '(?![\\p{L}\\p{M}-])'})+`).exec(
    rest,
  );
  return (listed?.[0] ?? '').split(new RegExp(mark, 'iu')).slice(1);
}

/** In "Mia, Jonas and Lea", patterns and reading layers find only the first or the last name, or read several names as one. */
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
  // The apparent enumeration may run into another clause: "My dog is called Rex, Tom and Ann are friends of mine".
  if (!isKnown(values.at(-1)) && to > end && !ENDS.test(sentence.slice(to))) return [value];
  const isCertain = (name: string): boolean => GIVEN_NAMES.has(name.toLowerCase()) || isKnown(name);
  return namesOf(values, isCertain, pack.capitalisesNouns === true) ?? [value];
}

/** Null if a word may not be a name. Where nouns are capitalised, the first may be one: "zwei Töchter, Ida und Romy". */
function namesOf(words: string[], isCertain: (name: string) => boolean, mayBeNoun: boolean): string[] | null {
  const names = mayBeNoun && !isCertain(words[0] ?? '') ? words.slice(1) : words;
  return names.every((name) => !/^\p{Ll}/u.test(name) || isCertain(name)) ? names : null;
}
