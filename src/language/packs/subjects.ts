import { GIVEN_NAMES } from '../given-names.ts';
import type { Pack } from './pack.ts';
import {
  isOrdinary,
  isTelling,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  saysAny,
  wordsPattern,
} from './packs.ts';

interface Match {
  0: string;
  index: number;
}

/** `people`: names of people in the user's life. `isSeveral`: whether the value is one of several, such as a child or an animal. */
interface Context {
  turn?: string;
  people?: readonly string[];
  isSeveral?: boolean;
}

function mayBeName(word: string, pack: Pack): boolean {
  const lower = word.toLowerCase();
  return GIVEN_NAMES.has(lower) || !(isOrdinary(lower, pack) || isTelling(lower, pack));
}

export function namesSomebody(text: string, pack: Pack): boolean {
  const words: string[] = text.match(/\p{L}{3,}/gu) ?? [];
  return othersOf(pack).any.test(text) || (pack.script === 'latin' && words.some((word) => mayBeName(word, pack)));
}

/**
 * Another subject than the user at the beginning of a clause. `verb`: with any verb ("Gianni ha"). `alone`: a bare name before a match
 * ("marcus" in "marcus new number"). `has`: with a verb of possession ("die hat").
 */
const otherSubject = perPack((pack) => {
  const { script, isUninflected, my, calendar, lists, requests, words } = pack;
  const never = packRegExp('(?!)');
  if (script === 'han') return { verb: packRegExp('(?!)', 'giu'), alone: never, has: never, demonstrative: never };
  const { and = '(?!)', article, others = '(?!)', does, has, theyHave, demonstrative } = lists;
  const openings = [words.greeting, words.assent, requests.lead, requests.so, requests.but, and].filter(Boolean);
  const opening = `(?<=(?:^|[.,;:!?] ?)(?:(?:${openings.join('|')})[,!.]{0,3} ){0,3})`;
  const times = [...calendar.weekdays, ...Object.values(calendar.units)].join('|');
  const thing = `(?!(?:${my}) )(?:(?:${article}) (?!(?:${times})(?![\\p{L}]))\\p{L}+|${others})`;
  const gap = `(?: (?!(?:${and}) )[\\p{L}']+){0,4}?`;
  const somebody = `(?:${thing}|(?<name>\\p{L}[\\p{L}-]{2,}?)(?:'s?)?)`;
  // In English, a name typed without an apostrophe may include the verb: "ollys moving out", "kayleighs 9".
  const short = isUninflected === true ? "|(?<short>\\p{L}{3,}?)'?s (?:\\p{L}{2,}ing|the|got|been|gone|\\d+)" : '';
  return {
    verb: packRegExp(`${opening}(?:${somebody}${gap} (?:${does})${short})(?![\\p{L}])`, 'giu'),
    has: packRegExp(
      `${opening}(?:(?:${theyHave})|(?:(?:${my}) (?:\\p{L}+ )?(?:${relationsOf(pack)})|${somebody})${gap} ?(?:${has}))(?![\\p{L}])`,
    ),
    demonstrative: packRegExp(`^${opening}(?:${demonstrative}) (?:${does}|${has})(?![\\p{L}])`),
    alone: packRegExp(`${opening}(?<article>(?:${article}) )?(?<name>\\p{L}[\\p{L}'-]{2,}) $`),
  };
});

/** Beyond the end of a subject's clause, only a given name still counts. */
function otherSubjectsIn(text: string, pack: Pack): RegExpExecArray[] {
  return [...text.matchAll(otherSubject(pack).verb)].filter(({ 0: words, index, groups }) => {
    const { name, short } = groups ?? {};
    const isOver = short === undefined && /[.,;:!?]/u.test(text.slice(index));
    if (isAboutUser(words, pack)) return false;
    if (isOver) return GIVEN_NAMES.has(name?.toLowerCase() ?? '');
    return (name ?? short) === undefined || mayBeName(name ?? short ?? '', pack);
  });
}

/** "Carlos tiene un", "marcus" before "new number". The verb may be the first word of the match. */
export function hasOtherSubject(before: string, match: string, pack: Pack): boolean {
  const verb = /^\p{L}+/u.exec(match)?.[0] ?? '';
  const last = otherSubjectsIn(packPattern(pack, 'past').test(verb) ? before + verb : before, pack).at(-1);
  if (last !== undefined) {
    // After a conjunction, the subject may be the user again: "Marta è partita e vivo a Torino". "Lavoro" may also be a noun.
    const rest = before.slice(last.index + last[0].length);
    const isJoined = saysAny(pack, rest, 'request:but', 'request:so') || listPattern(pack, 'and').test(rest);
    return !isAboutUser(isJoined ? rest + match : rest, pack);
  }
  const { article, name = '' } = otherSubject(pack).alone.exec(before)?.groups ?? {};
  if (isAboutUser(match, pack)) return false;
  const owner = /^(.+?)'?s'?$/u.exec(name)?.[1] ?? '';
  const isOwner = pack.isUninflected === true && owner !== '' && (article !== undefined || mayBeName(owner, pack));
  return isOwner || GIVEN_NAMES.has(name.toLowerCase()) || GIVEN_NAMES.has(owner.toLowerCase());
}

/**
 * "ollys moving out, got a place in Worthing": the last person mentioned decides. If the value is one of several, a person at the beginning
 * of the previous sentence is enough.
 */
export function continuesOthers(
  match: Match,
  text: string,
  pack: Pack,
  { turn = text, people = [], isSeveral = false }: Context,
): boolean {
  const isUsers = (part: string): boolean => isAboutUser(part, pack);
  if (isUsers(match[0])) return false;
  if (isSeveral && isHadByOthers(match, text, pack)) return true;
  const before = text.slice(0, match.index);
  const isHan = pack.script === 'han';
  const verb = /^\p{L}+/u.exec(match[0])?.[0] ?? '';
  const isDone = packPattern(pack, 'past').test(verb);
  if (isHan ? listPattern(pack, 'namedTopic').test(before) : hasOtherSubject(before, match[0], pack)) return true;
  const patterns = [othersOf(pack).subjects, ...people.map(nameOf)];
  const othersIn = (part: string): RegExpExecArray[] => [
    ...patterns.flatMap((pattern) => [...part.matchAll(pattern)]),
    ...otherSubjectsIn(part, pack),
  ];
  const last = Math.max(-1, ...othersIn(before).map((found) => found.index + found[0].length));
  const isBegun = !isDone && !isSeveral && !isHan && /\p{L}/u.test(before);
  if (last >= 0 || isBegun) return last >= 0 && !isUsers(before.slice(last));
  if (isUsers(before)) return false;
  // The previous sentence counts if it begins with another person: "my brother rang. started at Halfords". In Chinese and Japanese, several
  // sentences in a row may omit the subject.
  const hasSubject = (part: string): boolean => isUsers(part) || othersIn(part).length > 0;
  const opening =
    sentencesBefore(text, turn).findLast((part) => (isHan ? hasSubject(part) : /\p{L}/u.test(part))) ?? '';
  return othersIn(opening.trim() + (isSeveral ? '' : '.')).some(({ index }) => index === 0);
}

/**
 * "My dad fell, broken hip": a clause without a subject continues the one before it. A name joined to the user ("me and Marcus") is no
 * child or animal.
 */
export function isOfOthers(match: Match, text: string, pack: Pack, context: Context): boolean {
  const before = text.slice(0, match.index).split(/[.,;:!]/u);
  const clause = before.at(-1)?.trimStart() ?? '';
  const isFragment = hidesPerson(pack) || !/\p{L}/u.test(clause);
  if (context.isSeveral === true && (isJoinedToUser(match, text, pack) || isHadByOthers(match, text, pack)))
    return true;
  return hasOtherSubject(clause, '', pack) || (isFragment && continuesOthers(match, text, pack, context));
}

/** "Die hat zwei Jungs, Mats und Linus". A list of names after the clause belongs to it. */
function isHadByOthers({ 0: words, index }: Match, text: string, pack: Pack): boolean {
  const isList = namesOnly(pack);
  const clauses = text.slice(0, index).split(CLAUSE_END);
  while (clauses.length > 1 && isList.test(clauses.at(-1) ?? '')) clauses.pop();
  const [rest = '', list = ''] = text.slice(index).split(CLAUSE_END);
  // "Nuria tiene dos hijas, Lola y Vera": before a list of names, the clause may begin with the person to whom they belong.
  const isSubject = clauses.at(-1)?.trim() === '' && /\p{L}/u.test(list) && isList.test(list);
  const clause = (clauses.at(-1) ?? '') + (isSubject ? rest : (words.split(CLAUSE_END)[0] ?? ''));
  const { 0: subject, groups } = otherSubject(pack).has.exec(clause.trimStart()) ?? {};
  if (subject === undefined || saysAny(pack, subject, 'me', 'we')) return false;
  return groups?.['name'] === undefined || mayBeName(groups['name'], pack);
}

const CLAUSE_END = /[.,;:!?]/u;

/** Only names and conjunctions, or a conjunction with two words: "und eine Tochter". */
const namesOnly = perPack(({ lists: { and = '(?!)' } }) =>
  packRegExp(
    `^(?:(?:\\s|(?:${and})(?!\\p{L})|\\p{Lu}[\\p{L}'’-]*(?![\\p{L}'’-]))*|\\s*(?:${and}) [\\p{L}\\p{N}]+ \\p{L}+\\s*)$`,
    'u',
  ),
);

function sentencesBefore(sentence: string, turn: string): string[] {
  const at = Math.max(0, turn.indexOf(sentence));
  return plainMarks(turn.slice(Math.max(0, at - NEAR), at)).split(/[.!?。！？\n]+/);
}

/** In characters. A sentence without a subject takes it from a previous sentence at most this far away. */
const NEAR = 160;

export function beginsWithDemonstrative(text: string, pack: Pack): boolean {
  return otherSubject(pack).demonstrative.test(text) && !isAboutUser(text, pack);
}

/** Without the person in the verb, a clause without a subject has the subject of the preceding words. */
export function hidesPerson({ isUninflected, script }: Pack): boolean {
  return isUninflected === true || script === 'han';
}

export function isAboutUser(text: string, pack: Pack): boolean {
  return saysAny(pack, text, 'me', 'my', 'we');
}

function nameOf(name: string): RegExp {
  return wordsPattern(`${name.replace(/[^\p{L}\p{N} -]/gu, '.')}(?:'?s)?`, 'latin', 'giu');
}

const othersOf = perPack((pack) => {
  const {
    script,
    my,
    words: { they },
    partners,
    children,
    lists: { others = '(?!)', topic = '' },
  } = pack;
  const words = relationsOf(pack);
  const users = `(?:${my})${script === 'han' ? '' : ' (?:\\p{L}+ )?'}(?:${words})`;
  return {
    any: wordsPattern(words, script),
    users: wordsPattern(users, script),
    // Without "my", a relation is a person only at the beginning of a clause: "mum's moved out". In Japanese, a particle marks the subject
    // or owner.
    subjects: wordsPattern(
      script === 'han'
        ? `(?:${my})?(?:${they}|${words}|${partners}|${children}|${others})(?:${topic})`
        : `${they}|${users}(?:'?s)?|(?<=(?:^|[.,;!?]) ?)(?:${words})(?:'?s)?`,
      script,
      'giu',
    ),
  };
});

export function speaksOfOthers(text: string, pack: Pack): boolean {
  return packPattern(pack, 'they').test(text) || othersOf(pack).any.test(text);
}

/** A doctor who comments on the user does not count as another person. */
export function isAboutOthers(clause: string, pack: Pack): boolean {
  return packPattern(pack, 'they').test(clause) || othersOf(pack).users.test(clause);
}

const besideUser = perPack(({ words: { me }, lists: { and = '(?!)' } }) => ({
  before: packRegExp(`(?<![\\p{L}'])(?:${me})(?:, \\p{L}+)*,? (?:${and}) $`),
  after: packRegExp(`^(?:, \\p{L}+)*,? (?:${and}) (?:${me})(?![\\p{L}'])`),
}));

/** "me and Marcus got a dog", "Lou und ich". */
function isJoinedToUser({ 0: name, index: start }: Match, text: string, pack: Pack): boolean {
  const { before, after } = besideUser(pack);
  return before.test(text.slice(0, start)) || after.test(text.slice(start + name.length)) || isAboutUser(name, pack);
}

/**
 * Words before a name. `ofOther`: "Dr" or "my dentist is", so that the name is not the user's. `ofKin`: a relation other than a child or a
 * pet ("my youngest sister"). `owned`: "my". `roughly`: "about".
 */
export const beforeName: (pack: Pack) => Record<'ofOther' | 'ofKin' | 'owned' | 'roughly', RegExp> = perPack((pack) => {
  const { my, topics, children, pets, script } = pack;
  const { honorific = '(?!)', roughly = '(?!)' } = pack.lists;
  const start = script === 'han' ? '' : '(?<![\\p{L}])';
  const ownName = `(?:${topics['name'] ?? '(?!)'})(?![\\p{L}])`;
  return {
    ofOther: packRegExp(`(?<![\\p{L}])(?:(?:${honorific})\\.? $|(?:${my}) (?!${ownName})\\p{L}[^.,;:!]*$)`),
    ofKin: packRegExp(
      `(?<![\\p{L}])(?!(?:${children}|${pets})(?![\\p{L}]))(?:${relationsOf(pack)})${script === 'han' ? 'の?' : ',? '}$`,
    ),
    owned: packRegExp(`(?<![\\p{L}])(?:${my}) $`),
    roughly: packRegExp(`${start}(?:${roughly}) ?$`),
  };
});

const namedPattern = perPack(({ my, lists: { naming } }) =>
  packRegExp(`(?<![\\p{L}])(?:${my}) (?:\\p{L}+ )??(?<noun>\\p{L}+) (?:\\p{L}+ )?(?:${naming ?? '(?!)'}) $`),
);

/** A thing, not a person or an animal: "my boat is called". */
export function namesThing(before: string, pack: Pack): boolean {
  const noun = namedPattern(pack).exec(before)?.groups?.['noun'];
  if (noun === undefined) return false;
  const somebody = `${pack.partners}|${pack.pets}|${pack.children}|${relationsOf(pack)}`;
  return !wordsPattern(somebody, pack.script).test(noun);
}

/** "broke up with my boyfriend Javier", "my cat Milo ran away". In the lists, `<>` stands for the name. */
export function partingOf(before: string, after: string, pack: Pack): 'parted' | 'lost' | null {
  const lists = ['parted', 'lost'] as const;
  return lists.find((list) => listPattern(pack, list).test(`${before}<>${after}`)) ?? null;
}

/** "My dentist, who is from Turin, " before "says". */
const ownSubject = perPack(({ my, script }) =>
  packRegExp(script === 'han' ? '(?!)' : `^(?:\\p{L}+,? )?(?:${my}) \\p{L}+(?:,[^.;!?]*,)? $`),
);

/** "my neighbour Geoffrey says you must never …". */
export function reportsOthers(text: string, pack: Pack): boolean {
  const before = text.slice(0, packPattern(pack, 'said').exec(text)?.index ?? 0);
  const subject = before.split(CLAUSE_END).at(-1) ?? '';
  const name = before.trimEnd().split(' ').at(-1) ?? '';
  const isOther =
    speaksOfOthers(before, pack) ||
    ownSubject(pack).test(before) ||
    (/^\p{Lu}[\p{L}-]*$/u.test(name) && mayBeName(name, pack));
  return isOther && !saysAny(pack, subject, 'me', 'we');
}

const saidAfter = perPack(({ words: { said }, lists, i, script }) => ({
  tag: packRegExp(
    lists['saidAfter'] ?? `[,;–—-] ?(?:(?:${said})(?:[ -]\\p{L}+){0,3}|(?:\\p{L}+ ){1,3}(?:${said}))[.!]*$`,
  ),
  own: wordsPattern(i, script),
}));

/** Checks whether a sentence ends by naming another speaker: "I live in Vienna now, she writes", but not "As I said". */
export function isSaidAfter(words: string, pack: Pack): boolean {
  const { tag, own } = saidAfter(pack);
  const said = tag.exec(words)?.[0];
  return said !== undefined && (pack.script === 'han' || !own.test(said));
}

const OWNED = /(?<![\p{L}])\p{Lu}[\p{L}-]+(?=['’]s(?![\p{L}]))/gu;

/** "Tim's lessons are on Friday" and "Mia's lessons" concern different people, as do "I swim on Friday" and "I take my son to swimming". */
export function mayMeanSamePeople(one: string, other: string, pack: Pack): boolean {
  const relatives = wordsPattern(relationsOf(pack) || '(?!)', pack.script, 'giu');
  const isIn =
    (text: string) =>
    (name: string): boolean =>
      text.toLowerCase().includes(name.toLowerCase());
  const namedIn = (text: string): string[] => [
    ...(text.match(OWNED) ?? []),
    ...(plainMarks(text).match(relatives) ?? []),
  ];
  return namedIn(one).every(isIn(other)) && namedIn(other).every(isIn(one));
}
