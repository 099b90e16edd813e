import { UNAMBIGUOUS_DAYS } from './calendar.ts';
import { PLACES } from './entities.ts';
import { GIVEN_NAMES } from './given-names.ts';
import { english } from './packs/en.ts';
import type { Pack } from './packs/pack.ts';
import {
  detectPack,
  isOrdinary,
  isTelling,
  listPattern,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  wordsOfAll,
} from './packs/packs.ts';
import { SEED_WORDS } from './seed-words.ts';
import { contentStems, withoutEnd, wordSet } from './words.ts';

export const LANGUAGES: ReadonlySet<string> = wordSet(`
  english german french spanish italian portuguese dutch swedish norwegian danish finnish icelandic polish czech slovak
  hungarian romanian bulgarian serbian croatian bosnian slovenian albanian macedonian greek turkish russian ukrainian
  belarusian lithuanian latvian estonian irish gaelic welsh catalan basque galician maltese arabic hebrew persian farsi dari
  pashto kurdish armenian georgian azeri uzbek kazakh hindi urdu punjabi bengali gujarati marathi tamil telugu kannada
  malayalam nepali sinhala chinese mandarin cantonese japanese korean vietnamese thai lao khmer burmese malay indonesian
  tagalog filipino javanese swahili amharic somali hausa yoruba igbo zulu xhosa afrikaans twi esperanto latin creole
  swissgerman luxembourgish yiddish hokkien`);

/**
 * Finds capitalised words, except acronyms, words with digits, and an ordinary first word. In doubt, a word is taken for a name. A `label`
 * is the subject of a statement, without a verb.
 */
export function possibleNames(text: string, kind: 'sentence' | 'label'): string[] {
  const words = Array.from(text.matchAll(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}'’-]*/gu));
  return words.flatMap(({ 0: written, index }) => {
    const word = written.replace(/['’]s$/u, '');
    if (word === 'I' || /\p{N}/u.test(word) || (ACRONYM.test(word) && !isGivenName(word))) return [];
    return index === 0 && isPlainOpening(word, text.slice(word.length), kind) ? [] : [word];
  });
}

// Two capitals may be the initials of a person.
const ACRONYM = /^(?:\p{Lu}{3,6}s?|AI|CI|DB|HR|ID|IT|PC|PR|QA|TV|UI|UX)$/u;

const WORDS_AS_NAMES = wordSet(`
  angel april art autumn cherry christian cliff coral crystal dean fleming ginger glory grant ivory jewel june may melody
  mercy olive robin rose sterling summer sunny`);

function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word.toLowerCase()) || WORDS_AS_NAMES.has(word.toLowerCase());
}

function isPlainOpening(word: string, rest: string, kind: 'sentence' | 'label'): boolean {
  if (isGivenName(word) || !/^(?:A|\p{Lu}[\p{Ll}\p{M}'’-]+)$/u.test(word) || /^['’]s/u.test(rest)) return false;
  const pack = detectPack(word + rest, english);
  if (pack !== null && isOrdinary(word, pack)) return true;
  if (pack !== english) return false;
  if (ORDINARY_ENDING.test(word) || [...contentStems(word)].every((stem) => ORDINARY.has(stem))) return true;
  const next = /^(?: (?:al(?:so|ways)|never|often|seldom|still|only|just|\p{Ll}+ly))* (\p{Ll}+)/u.exec(rest)?.[1];
  if (next === undefined || VERB_OF_ONE.test(next) || packPattern(english, 'past').test(next)) return false;
  return PLURAL.test(word) || (kind === 'label' && !JOINS.test(next));
}

const ORDINARY = contentStems([...SEED_WORDS].join(' '));
const ORDINARY_ENDING =
  /.{3}(?:ings?|[ts]ions?|ments?|ness|ies|ize|ify)$|^(?:short|long|few|small|larg|bigg|clear|simpl|fast|brief|bett)er$|^emojis?$/iu;
// A verb in "-s" has one person or thing as its subject: "Wenke wants tables", but "screenshots help".
const VERB_OF_ONE = /[^s]s$/u;
// "Wenke from payroll" is a person, and "Grafana dashboard" is a thing.
const JOINS = /^(?:and|or|from|of|in|at|on|with|who|whose|the)$/u;
const PLURAL = /[bcdfgklmnprtvw]s$|(?:ch|sh|ss|x|[cgt])es$/u;

// Capitalised words after "I'm" that are not names: creeds, star signs, titles, and origins without a typical ending.
const GROUPS = wordSet(`
  dutch swiss greek czech thai french german english spanish arab turk pole dane swede scot brit aussie kiwi
  catholic protestant christian muslim jewish jew hindu buddhist sikh atheist agnostic mormon lutheran orthodox
  democrat republican labour tory liberal virgo libra scorpio aries taurus gemini cancer sagittarius capricorn aquarius
  pisces team type gen generation asian african european latino latina hispanic black white filipino filipina vegan
  vegetarian native mr mrs ms dr prof god christmas easter may
  ${UNAMBIGUOUS_DAYS.join(' ')} ok okay yes no not ai chatgpt claude gpt
  ceo cto cfo coo vp pm po hr it qa phd mba md gp dj`);
// Words that are capitalised only because they begin a sentence: "Actually, my dog …".
const OPENERS = wordSet(`
  actually also and anyway apparently basically besides but correction currently earlier finally fortunately frankly fyi hello
  hey hi honestly hopefully however lately like luckily meanwhile nowadays now oh oops recently remember sadly so sometimes
  sorry still thankfully then though today tomorrow tonight unfortunately update usually wait well yeah yep yesterday yup`);
const OF_A_PLACE = /(?:ish|ese|[^aeiou]ian|nian|ean|ican|rian|lian|tian|sian|ch|sch)$/;

/** Checks whether a capitalised word after "I'm" or a relation can be a name: "Tomás", not "Dutch" or "INTJ". */
export function canBeName(word: string): boolean {
  const lower = word.toLowerCase();
  if (GROUPS.has(lower) || OPENERS.has(lower)) return false;
  if (GIVEN_NAMES.has(lower)) return true;
  if (!/^\p{Lu}[\p{L}'’-]+$/u.test(word) || /^\p{Lu}{2,}$/u.test(word)) return false;
  return !PLACES.has(lower) && !LANGUAGES.has(lower) && !OF_A_PLACE.test(lower);
}

const AGENT_NOUN = /^[a-zà-öø-ÿ-]{3,}(?:er|or|ist|ician|arian|eer|ant|man|woman|smith|wright)$/;
const OTHERS = wordSet(`
  nurse chef cook ceo cto cfo coo vp director student pilot attorney intern founder cofounder co-founder clerk model
  mechanic coach judge vet guard cop surgeon secretary executive representative dev developer pm sre devops analyst
  paramedic librarian physician midwife au-pair nanny diplomat politician freelance freelancer sister registrar associate
  partner principal head lead professor prof lecturer postdoc phd apprentice rep agent priest pastor rabbi imam monk
  soldier sailor marine officer trader temp critic clinician technician musician magician mathematician electrician
  beautician optician statistician guide host hostess steward stewardess barista maid butler
  postie cabbie sparky chippy brickie trucker treasurer qs surveyor millwright chairman sexton verger paralegal carer caretaker janitor postwoman
  postman conductor roofer joiner glazier grader shepherd vicar nun imam florist undertaker`);
const OTHERWISE = wordSet(`
  mother father brother sister daughter grandmother grandfather stepmother stepfather lover hater vegetarian member
  christian person human woman man runner reader gamer hunter sleeper riser eater drinker smoker swimmer walker hiker
  dreamer believer supporter follower fan owner user customer subscriber beginner learner newcomer foreigner stranger
  teenager preteen minor senior junior elder loner introvert extrovert thinker talker listener speaker player lifter
  worker survivor donor sponsor voter bachelor widower sinner winner loser quitter hoarder collector libertarian humanitarian
  yorker presbyterian unitarian pescatarian flexitarian fruitarian centenarian octogenarian disciplinarian
  amateur major minor newlywed giant infant elephant restaurant distant important pleasant reluctant ignorant expectant
  rather bigger smaller older younger taller shorter better worse former late early over under after before ever never
  partner other another either neither number matter corner letter paper water dinner summer winter
  chocoholic foodie vegan minimalist optimist pessimist realist perfectionist feminist atheist racist sexist
  pacifist romantic enthusiast traditionalist idealist materialist narcissist masochist hedonist purist`);

export function isOccupation(phrase: string): boolean {
  const head = phrase
    .toLowerCase()
    .replace(/^(?:now )?(?:an?|the|also an?) /, '')
    .split(/(?:,| (?:at|for|in|with|of|from|and|who|that|by|on|since)\b)/)[0]
    ?.trim();
  const words = head?.split(/\s+/) ?? [];
  const last = withoutEnd(words.at(-1) ?? '', '.!');
  // "A Londoner" is a person from London, not an occupation.
  if (words.length > 5 || OTHERWISE.has(last) || PLACES.has(last.replace(/e?r$/, '')))
    return words.length > 1 && isJobPair(words);
  return OTHERS.has(last) || AGENT_NOUN.test(last);
}

/** "social worker" and "ward sister", but not "hard worker" and "my sister". */
function isJobPair(words: readonly string[]): boolean {
  return /^(?:social worker|care worker|support worker|construction worker|factory worker|office worker|postal worker|key worker|ward sister|(?:managing|senior|junior|general|equity|law) partner|shop owner|business owner|restaurant owner|home owner|(?:football|basketball|baseball|soccer|tennis|hockey|chess|poker|rugby) player|(?:project|team|crew|staff) member|youth worker|public speaker|day trader|bounty hunter|head hunter)$/.test(
    words.slice(-2).join(' '),
  );
}

/**
 * "senior product manager" in "a senior product manager at Tado". With `mayBeOthers`, an ordinary word before the occupation means that it
 * is another person's: "dear teacher".
 */
export function jobOf(raw: string, pack: Pack, mayBeOthers = false): string | null {
  const titled = titlePatterns(pack);
  if (titled === null) return pack.script === 'han' ? raw : listedJob(raw, pack, mayBeOthers);
  const head = raw.split(titled.end)[0] ?? '';
  const words = withoutEnd(head.replace(/^(?:an?|the|my|your) /i, ''), '.,').split(' ');
  const title = words.join(' ');
  // A few words before the noun can be part of a title ("the only QS"), but whole sentences cannot.
  const isTitle = words.length <= 4 && isOccupation(title);
  return isTitle && !titled.no.test(title) && !titled.noStart.test(words[0] ?? '') ? title : null;
}

export function isRole(words: string, pack: Pack): boolean {
  return jobOf(words, pack) !== null || listPattern(pack, 'employed').test(words);
}

/** For languages whose jobs are recognised by their form: the words that end a title, and nouns and first words that only look like one. */
const titlePatterns = perPack(({ lists: { jobEnd, noJob, noJobStart } }) =>
  jobEnd === undefined
    ? null
    : {
        end: new RegExp(` (?:${jobEnd})\\b`, 'i'),
        no: new RegExp(`\\b(?:${noJob})$`, 'i'),
        noStart: new RegExp(`^(?:${noJobStart})$`, 'i'),
      },
);

const listedTitle = perPack(({ lists: { job = '(?!)' } }) =>
  packRegExp(`^(?:(?<lead>[\\p{L}-]+) )?(?<job>${job})(?![\\p{L}])`),
);

/** Finds a listed job with the word before it, unless that is an ordinary word. */
function listedJob(raw: string, pack: Pack, mayBeOthers: boolean): string | null {
  const { 0: title, groups } = listedTitle(pack).exec(raw) ?? {};
  const lead = groups?.['lead'];
  if (lead === undefined || !isOrdinary(lead.toLowerCase(), pack)) return title ?? null;
  const isOther = mayBeOthers || packPattern(pack, 'not').test(lead);
  return isOther ? null : (groups?.['job'] ?? null);
}

const NAME = "\\p{L}[\\p{L}\\p{M}'’.-]*(?: \\p{Lu}[\\p{L}\\p{M}'’.-]*){0,2}";
const LABEL = new RegExp(
  `^\\s*(?:\\[(${NAME})\\]|<(${NAME})>|(@?${NAME})(?: \\(\\d[^()\\n]{0,18}\\))?[:：])\\s*(?=\\S)`,
  'u',
);

interface Label {
  first: string;
  isGiven: boolean;
  mayBeName: boolean;
  rest: string;
}

/** Finds a label at the beginning of a message that may be a name: "Ana: …", "[Ana] …", "<Ana> …", "@ana: …". */
export function labelOf(text: string): Label | null {
  const [whole = '', ...names] = LABEL.exec(text.slice(0, 120)) ?? [];
  const name = names.find(Boolean);
  if (name === undefined) return null;
  const first = firstName(name);
  const isCapitalised = /^[@\p{Lu}]/u.test(name);
  const isWord = PACKS.some((pack) => isOrdinary(first, pack));
  const isGiven = GIVEN_NAMES.has(first) && (isCapitalised || !isWord);
  return { first, isGiven, mayBeName: isGiven || (isCapitalised && !isWord), rest: text.slice(whole.length) };
}

export function firstName(name: string): string {
  return name.replace('@', '').split(' ')[0]?.toLowerCase() ?? '';
}

// Names typed in lower case: "im ana from graz". The words around a name and the lists of ordinary words show where it begins and ends.

interface Small {
  raw: string;
  text: string;
  match: RegExpExecArray;
  pack: Pack;
}

export const PARTICLES: RegExp = new RegExp(`^(?:${wordsOfAll('nameParticle')})$`, 'iu');

const patternsOf = perPack(({ lists, partners, children }) => {
  const whole = (list = '(?!)'): RegExp => packRegExp(`^(?:${list})$`);
  const last = (list = '(?!)'): RegExp => packRegExp(`(?<![\\p{L}])(?:${list})\\s*$`);
  return {
    does: whole(`${lists['does'] ?? '(?!)'}|${lists['and'] ?? '(?!)'}`),
    firmWord: whole(lists['firmWord']),
    mate: last(lists['mate']),
    naming: last(lists['naming']),
    relative: last(`(?:${partners}|${children})(?: (?:la|el|der|die))?`),
    placeCue: last(lists['placeCue']),
    moveCue: last(lists['moveCue']),
    firmCue: last(lists['firmCue']),
  };
});

/** Returns the first words of a run that are a known value in lower case: "ya no trabajo en zara". */
export function knownName(run: string, values: readonly string[] = []): string | null {
  const words = run.split(' ');
  for (let count = Math.min(words.length, 4); count > 0; count -= 1) {
    const name = withoutEnd(words.slice(0, count).join(' '), '.,');
    if (values.includes(name.toLowerCase())) return name;
  }
  return null;
}

export function isGuessed(value: string, values: readonly string[] = []): boolean {
  const lower = value.toLowerCase();
  const isKnown = GIVEN_NAMES.has(lower) || PLACES.has(withoutEnd(lower, '.,')) || values.includes(lower);
  return /^\p{Ll}/u.test(value) && !isKnown;
}

/** Checks whether no word is capitalised except "I". A name must then not be an ordinary word. */
function isTypedSmall(text: string, { capitalised }: Pack): boolean {
  const words: string[] = text.match(/\p{L}+/gu) ?? [];
  const others = words.filter((word) => word.toLowerCase() !== capitalised);
  const isSmall = (word: string | undefined): boolean => word !== undefined && /^\p{Ll}/u.test(word);
  const beginsSmall = isSmall(words[0]) || (capitalised !== undefined && words.includes(capitalised));
  return beginsSmall && !others.some((word) => /\p{Lu}/u.test(word));
}

/** Returns the words before the first ordinary word that does not match `also`. Empty if the text is not typed in lower case. */
function nameWords({ raw, text, pack }: Small, also?: RegExp): string[] {
  if (!isTypedSmall(text, pack)) return [];
  const words = raw.split(' ').map((word) => withoutEnd(word, '.,'));
  // In English, content words are ordinary too: users also move "to decaf". Elsewhere, frequent content words include names of places. A
  // single letter is an abbreviation: "in leeds w my partner".
  const isWord = (word: string): boolean =>
    /^\p{L}\/?$/u.test(word) ||
    isOrdinary(word, pack) ||
    (pack.language === 'en' && isTelling(word, pack) && !PLACES.has(word));
  const end = words.findIndex((word, index) => isWord(word) && !(index > 0 && also?.test(word)));
  return end < 0 ? words : words.slice(0, end);
}

export function leadOf({ text, match }: Pick<Small, 'text' | 'match'>): string {
  return text.slice(match.index, match.indices?.groups?.['v']?.[0] ?? match.index + match[0].length);
}

/**
 * Accepts a known given name, or a word that is not ordinary after "called", between commas, in "my wife lupita says" or in "hi, i'm
 * lupita".
 */
export function smallPerson(cut: Small, { isOwn, isPet }: { isOwn: boolean; isPet: boolean }): string | null {
  const { raw, text } = cut;
  const introduced = isOwn ? introducedName(text, cut.pack) : null;
  if (introduced !== null && introduced === withoutEnd(raw.split(' ')[0] ?? '', '.,')) return introduced;
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

const introductions = perPack(({ script, lists: { introducesSelf } }) =>
  packRegExp(
    introducesSelf === undefined || script === 'han'
      ? '(?!)'
      : `^(?:${introducesSelf})(?<name>\\p{L}[\\p{L}-]{2,11})(?![\\p{L}'-])`,
  ),
);

/** The name in "hi, i'm lupita", if it is typed in lower case. Null for "hi, i'm late". */
export function introducedName(text: string, pack: Pack): string | null {
  const name = introductions(pack).exec(text)?.groups?.['name'] ?? '';
  if (!/^\p{Ll}/u.test(name)) return null;
  return GIVEN_NAMES.has(name) || !isPredicate(name, pack) ? name : null;
}

/**
 * The language of a message that is only such an introduction. An unknown name is often a word of another language, by which `detectPack`
 * would decide: "mari" is French. "hey im urlaub" is German, because both words are.
 */
export function introductionLanguage(text: string): Pack | null {
  const plain = plainMarks(text).trim();
  const found = PACKS.find((pack) => {
    const name = introducedName(plain, pack);
    const [before = '', last = ''] = withoutEnd(plain, '.! ').split(' ').slice(-2);
    const isOther = (other: Pack): boolean =>
      other !== pack && isTelling(last, other) && other.common.split('|').includes(before);
    return name !== null && last === name && !PACKS.some(isOther);
  });
  return found ?? null;
}

/** Checks for a word that can follow "I am" without being a name. */
function isPredicate(word: string, pack: Pack): boolean {
  const isWhole = (...lists: string[]): boolean => listPattern(pack, ...lists).exec(word)?.[0] === word;
  const isWord = isOrdinary(word, pack) || isTelling(word, pack) || isWhole('noOwnName', 'being', 'diet', 'condition');
  const isSeed = pack === english && [...contentStems(word)].every((stem) => ORDINARY.has(stem));
  return isWord || isSeed || GROUPS.has(word) || PLACES.has(word) || LANGUAGES.has(word) || jobOf(word, pack) !== null;
}

const PLACE_OPENING = new RegExp(`^(?:${wordsOfAll('placeOpening')})$`, 'u');

/** Finds a known place in lower case, or any word after phrases that only a place follows: "live in", "im from". */
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

/** After "i moved to", a place is certain even in lower case. */
export function isMove(lead: string, pack: Pack): boolean {
  return patternsOf(pack).moveCue.test(lead);
}

/** Finds the name of a firm in lower case: words before a kind of firm ("balgillo care home"), or a single word after "work at". */
export function smallOrganisation(cut: Small): string | null {
  const { firmWord, firmCue } = patternsOf(cut.pack);
  const isNamed = !cut.raw.startsWith('the ');
  const words = nameWords(isNamed ? cut : { ...cut, raw: cut.raw.slice(4) }, firmWord);
  const kind = words.findLastIndex((word, index) => index > 0 && firmWord.test(word));
  if (kind > 0) return words.slice(0, kind + 1).join(' ');
  return isNamed && words.length === 1 && firmCue.test(leadOf(cut)) ? (words[0] ?? null) : null;
}

export function smallTitle(cut: Small): string | null {
  const words = nameWords(cut);
  const end = words.findIndex((word) => PARTICLES.test(word));
  const name = (end < 0 ? words : words.slice(0, end)).slice(0, 4).join(' ');
  return name.length < 3 ? null : name;
}
