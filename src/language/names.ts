import { UNAMBIGUOUS_DAYS } from './calendar.ts';
import { PLACES } from './entities.ts';
import { GIVEN_NAMES } from './given-names.ts';
import { english } from './packs/en.ts';
import type { Pack } from './packs/pack.ts';
import {
  detectPack,
  isOrdinary,
  LANGUAGES,
  listPattern,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
} from './packs/packs.ts';
import { SEED_WORDS } from './seed-words.ts';
import { contentStems, withoutEnd, wordSet } from './words.ts';

/**
 * The words of a text that may be the name of a person: those with a capital letter, except acronyms, words with digits, and a
 * first word that is capitalised only because of its position. In doubt, a word counts as a name. A `label` is the subject of a
 * statement, without a verb.
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

// Given names that are also ordinary words or look like ordinary words.
const WORDS_AS_NAMES = wordSet(`
  angel april art autumn cherry christian cliff coral crystal dean fleming ginger glory grant ivory jewel june may melody
  mercy olive robin rose sterling summer sunny`);

function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word.toLowerCase()) || WORDS_AS_NAMES.has(word.toLowerCase());
}

/** Whether the first word of a text is an ordinary word, by itself or by the words that follow it. */
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
// "Wants" has one person or thing as its subject: "Wenke wants tables", but "screenshots help".
const VERB_OF_ONE = /[^s]s$/u;
// "Wenke from payroll" is a person, and "Grafana dashboard" is a thing.
const JOINS = /^(?:and|or|from|of|in|at|on|with|who|whose|the)$/u;
const PLURAL = /[bcdfgklmnprtvw]s$|(?:ch|sh|ss|x|[cgt])es$/u;

// Capitalised words that are not names, although they can follow "I'm": creeds, star signs, titles, and origins without a typical ending.
const GROUPS = wordSet(`
  dutch swiss greek czech thai french german english spanish arab turk pole dane swede scot brit aussie kiwi
  catholic protestant christian muslim jewish jew hindu buddhist sikh atheist agnostic mormon lutheran orthodox
  democrat republican labour tory liberal virgo libra scorpio aries taurus gemini cancer sagittarius capricorn aquarius
  pisces team type gen generation asian african european latino latina hispanic black white filipino filipina vegan
  vegetarian native mr mrs ms dr prof god christmas easter may
  ${UNAMBIGUOUS_DAYS.join(' ')} ok okay yes no not ai chatgpt claude gpt
  ceo cto cfo coo vp pm po hr it qa phd mba md gp dj`);
// Words with a capital because they open a sentence: "Actually, my dog …".
const OPENERS = wordSet(`
  actually also and anyway apparently basically besides but correction currently earlier finally fortunately frankly fyi hello
  hey hi honestly hopefully however lately like luckily meanwhile nowadays now oh oops recently remember sadly so sometimes
  sorry still thankfully then though today tomorrow tonight unfortunately update usually wait well yeah yep yesterday yup`);
const OF_A_PLACE = /(?:ish|ese|[^aeiou]ian|nian|ean|ican|rian|lian|tian|sian|ch|sch)$/;

/** Whether a capitalised word after "I'm" or a word of kinship can be somebody's name: "Tomás", not "Dutch" or "INTJ". */
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
// Words with the ending of an agent noun that are not occupations.
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

/** Whether a phrase such as "senior product manager at Tado" says what somebody does for a living. */
export function isOccupation(phrase: string): boolean {
  const head = phrase
    .toLowerCase()
    .replace(/^(?:now )?(?:an?|the|also an?) /, '')
    .split(/(?:,| (?:at|for|in|with|of|from|and|who|that|by|on|since)\b)/)[0]
    ?.trim();
  const words = head?.split(/\s+/) ?? [];
  const last = withoutEnd(words.at(-1) ?? '', '.!');
  // "A Londoner" says where somebody lives.
  if (words.length > 5 || OTHERWISE.has(last) || PLACES.has(last.replace(/e?r$/, '')))
    return words.length > 1 && isJobPair(words);
  return OTHERS.has(last) || AGENT_NOUN.test(last);
}

/** Whether the last two words name a job: "social worker" and "ward sister" do, "hard worker" and "my sister" do not. */
function isJobPair(words: readonly string[]): boolean {
  return /^(?:social worker|care worker|support worker|construction worker|factory worker|office worker|postal worker|key worker|ward sister|(?:managing|senior|junior|general|equity|law) partner|shop owner|business owner|restaurant owner|home owner|(?:football|basketball|baseball|soccer|tennis|hockey|chess|poker|rugby) player|(?:project|team|crew|staff) member|youth worker|public speaker|day trader|bounty hunter|head hunter)$/.test(
    words.slice(-2).join(' '),
  );
}

/**
 * The occupation with which words begin: "senior product manager" in "a senior product manager at Tado". With `mayBeOthers`, an ordinary word
 * before the occupation shows that another person has it: "to the teacher", "dear teacher".
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

const listedTitle = perPack(({ lists: { job = '(?!)' } }) =>
  packRegExp(`^(?:(?<lead>[\\p{L}-]+) )?(?<job>${job})(?![\\p{L}])`),
);

/** A job of the pack's list, with the word before it unless that is an ordinary word. */
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
  /** Whether the label is a known given name, or may be any name. */
  isGiven: boolean;
  mayBeName: boolean;
  /** The message without the label. */
  rest: string;
}

/** The label at the beginning of a message that may be a name: "Ana: …", "[Ana] …", "<Ana> …", "@ana: …". */
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

/** The first of the names of a person, in lower case: "ana" for "@Ana Berg". */
export function firstName(name: string): string {
  return name.replace('@', '').split(' ')[0]?.toLowerCase() ?? '';
}
