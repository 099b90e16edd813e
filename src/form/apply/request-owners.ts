import { PLACES } from '../../language/entities.ts';
import { GIVEN_NAMES } from '../../language/given-names.ts';
import { possibleNames } from '../../language/names.ts';
import type { Pack } from '../../language/packs/pack.ts';
import {
  forgetPatterns,
  isOrdinary,
  packPattern,
  packRegExp,
  perPack,
  personWord,
  plainMarks,
  relationsOf,
  topicPatterns,
  topicsNamed,
  wordsPattern,
} from '../../language/packs/packs.ts';
import { isAboutUser } from '../../language/packs/subjects.ts';
import { matchesOf, words } from '../../language/words.ts';
import { ATTRIBUTES, hasTrait } from '../../record/attributes.ts';
import { oneRelation, USER } from '../../record/statement.ts';

export interface Owned {
  text: string;
  session: string | null;
  /** `USER`, or the words for other people: "mother", "tom". */
  owners: readonly string[];
}

export interface OwnerContext {
  pack: Pack;
  /** In lower case. */
  people: readonly string[];
}

const opening = perPack((pack) =>
  packRegExp(`^[^\\p{L}]*(?:(?:${pack.lists['clauseBreak'] ?? '(?!)'}) )?${personWord(pack)}(?= \\p{L})`),
);

const ofRelation = perPack((pack) =>
  wordsPattern(`(?:${pack.my}|${pack.words.my}) (?:\\p{L}+ )?(?:${relationsOf(pack)})(?:'?s)?`, pack.script, 'giu'),
);

/**
 * Finds the other people to whom something belongs: "Tom's allergy", "the allergy of my sister", "where Rob works". A clause is also about
 * the person with whom it begins ("Tash lives in Bramley"), but a request is not ("marcus is what I want you to forget").
 */
export function ownersIn(text: string, { pack, people }: OwnerContext, kind: 'clause' | 'request'): string[] {
  if (pack.script === 'han') return [];
  const plain = plainMarks(text);
  const topics = [...topicPatterns(pack).values()];
  // "Mia" and "rob" are names, but also ordinary words.
  const isKnown = (word: string): boolean =>
    people.includes(word.toLowerCase()) ||
    (GIVEN_NAMES.has(word.toLowerCase()) &&
      (/^\p{Lu}/u.test(word) || !(isOrdinary(word, pack) || packPattern(pack, 'my').test(word))));
  const isPerson = (word: string, as: 'known' | 'owner' | 'name'): boolean => {
    const lower = word.toLowerCase();
    // "The doctor's appointment" is the user's.
    if (isRelation(lower, pack) || isKnown(word)) return relationOf(lower, pack) !== 'doctor';
    if (as === 'known' || lower.length < 3 || isOrdinary(lower, pack)) return false;
    const isName = as === 'owner' || (/^\p{Lu}\p{Ll}/u.test(word) && !PLACES.has(lower));
    return isName && !topics.some((topic) => topic.exec(word)?.[0].length === word.length);
  };
  const named = matchesOf(plain, forgetPatterns(pack).owners).flatMap((match) => {
    const [form, ...found] = match;
    const as = match.groups?.['known'] !== undefined ? 'known' : form.endsWith("'s") ? 'owner' : 'name';
    return found.filter((word) => word !== undefined && isPerson(word, as));
  });
  const [, first = ''] = (kind === 'clause' ? opening(pack).exec(plain) : null) ?? [];
  const isCapital = pack.capitalisesNouns !== true && possibleNames(text.trim(), 'sentence').includes(first);
  const begun = isCapital || isRelation(first.toLowerCase(), pack) || isKnown(first) ? [first] : [];
  // Many users leave out the apostrophe, and the "s" as well after a name that ends in one: "delete marcus number".
  const unmarked = matchesOf(plain, WORD_BEFORE).flatMap(({ 0: { length }, 1: word = '', index }) => {
    const rest = plain.slice(index + length);
    return isKnown(word) && topics.some((topic) => topic.exec(rest)?.index === 0) ? word : [];
  });
  return [
    ...new Set([...named, ...begun, ...unmarked].flatMap((word) => (word === undefined ? [] : keyOf(word, pack)))),
  ];
}

const WORD_BEFORE = /(?<![\p{L}'])(\p{L}+) (?=\p{L})/gu;

/** One key for all forms of a word that names a person: the stem of a name, or the English word for a relation. */
function keyOf(word: string, pack: Pack): string {
  const [lower = ''] = wordsOf(word);
  return oneRelation(relationOf(lower, pack) ?? stemOf(lower));
}

/** A clause about "my sister" alone is not about the user. */
export function isOfUser(text: string, pack: Pack): boolean {
  return isAboutUser(plainMarks(text).replace(ofRelation(pack), ' '), pack);
}

/** How clauses relate to the owners in one part of a request, such as Tom in "Tom's allergy". */
export interface Ownership {
  isOfOwner: boolean;
  /** The part names an owner, or something of the user's own ("my address"). */
  isLimited: boolean;
  /** The part names a topic of an owner: "Tom's birthday". */
  isOfTopic: boolean;
  isOwner(word: string): boolean;
  byOwner(clause: Owned): boolean;
  /** "Tom's allergy" does not refer to "I'm allergic to penicillin", and "my address" not to "Tash lives in Bramley". */
  byOthers(clause: Owned): boolean;
}

export function ownedBy(owners: readonly string[], part: string, all: readonly Owned[], pack: Pack): Ownership {
  const plain = plainMarks(part);
  const isMine = owners.length === 0 && namesOwnTopic(plain, pack);
  const said = new Set(wordsOf(plain).map((word) => keyOf(word, pack)));
  const meant = new Set(owners.flatMap((owner) => [owner, ...aliasesOf(owner, all, pack)]));
  const byOwner = (clause: Owned): boolean =>
    [...clause.owners, ...wordsOf(clause.text).map((word) => keyOf(word, pack))].some((word) => meant.has(word));
  return {
    isOfOwner: owners.length > 0,
    isOfTopic:
      owners.length > 0 && topicsNamed(part, pack).some((topic) => topic in ATTRIBUTES && !hasTrait(topic, 'close')),
    isLimited: isMine || owners.length > 0,
    isOwner: (word) => owners.includes(keyOf(word, pack)),
    byOwner,
    byOthers: (clause) =>
      clause.owners.length > 0 &&
      (isMine ? !clause.owners.includes(USER) : owners.length > 0 && !byOwner(clause)) &&
      !clause.owners.some((owner) => said.has(owner)),
  };
}

/** True for "my address" and "where I live". "My hamster" and "my divorce" also concern somebody else. */
function namesOwnTopic(plain: string, pack: Pack): boolean {
  const my = packRegExp(`(?<![\\p{L}])(?:${pack.my}|${pack.words.my}) (?:\\p{L}+ )?$`);
  return [...topicPatterns(pack)].some(([attribute, topic]) => {
    const { 0: match = '', index = 0 } = topic.exec(plain) ?? {};
    const isOwn = attribute in ATTRIBUTES && !hasTrait(attribute, 'close') && match !== '';
    return isOwn && (isAboutUser(match, pack) || my.test(plain.slice(0, index)));
  });
}

/** A name and a relation belong together if at most this many words separate them: "my sister is called Jess". */
const FARTHEST_APART = 3;

/** Other words for a person, from clauses where a name is near a relation. */
function aliasesOf(owner: string, all: readonly Owned[], pack: Pack): string[] {
  const names = new Set([...all.flatMap(({ owners }) => owners), owner]);
  // In "Beatrice's sister", the name and the relation are two people.
  const { owners } = forgetPatterns(pack);
  return all.flatMap(({ text }) => {
    const said = wordsOf(plainMarks(text).replace(owners, ' '));
    const at = said.findIndex((word) => keyOf(word, pack) === owner);
    const near = at < 0 ? [] : said.slice(Math.max(0, at - FARTHEST_APART), at + FARTHEST_APART + 1);
    const isOfName = !isRelation(said[at] ?? '', pack);
    return near.flatMap((word) => {
      const isName = GIVEN_NAMES.has(word) || names.has(keyOf(word, pack));
      return (isOfName ? isRelation(word, pack) : isName && !isRelation(word, pack)) ? keyOf(word, pack) : [];
    });
  });
}

/** Turns between a pronoun and the person to whom it refers, at most. */
export const FARTHEST_BACK = 3;

/**
 * The owners of each clause, latest turn first. A clause that begins with a pronoun ("his birthday is in May") is about the person last
 * mentioned in the session. A clause such as "and takes insulin" has the owners of the clause before it.
 */
export function ownersOf(turns: readonly (readonly Omit<Owned, 'owners'>[])[], context: OwnerContext): string[][][] {
  const { pack, people } = context;
  const pronoun = firstOf(pack, 'followsPerson');
  const joining = firstOf(pack, 'clauseBreak');
  let mentioned: { keys: string[]; turn: number; session: string | null } = { keys: [], turn: -1, session: null };
  const isOwned = (plain: string, own: readonly string[]): boolean =>
    own.some((owner) => owner !== USER) || plain.search(ofRelation(pack)) !== -1;
  const ownersOfTurn = (clauses: readonly Omit<Owned, 'owners'>[], turn: number): string[][] => {
    const found: string[][] = [];
    for (const [index, { text, session }] of clauses.entries()) {
      const plain = plainMarks(text);
      const own = [...ownersIn(plain, context, 'clause'), ...(isOfUser(plain, pack) ? [USER] : [])];
      const isNear = mentioned.session === session && turn - mentioned.turn <= FARTHEST_BACK;
      if (isNear && pronoun.test(plain)) own.push(...mentioned.keys);
      const isOpen = joining.test(plain) || /[^.,;:!?…]$/u.test(clauses[index - 1]?.text.trimEnd() ?? '.');
      found.push(own.length === 0 && isOpen ? (found.at(-1) ?? []) : own);
      const met = wordsOf(plain).filter(
        (word) => people.includes(word) || GIVEN_NAMES.has(word) || isRelation(word, pack),
      );
      const keys = [...own.filter((owner) => owner !== USER), ...met.map((word) => keyOf(word, pack))];
      // A relation without a possessive may not refer to a person: after "Beatrice and I met in teacher training", "she" can still be
      // Beatrice.
      const isWeak = isNear && keys.length > 0 && met.every((word) => isRelation(word, pack)) && !isOwned(plain, own);
      if (keys.length > 0) mentioned = { keys: isWeak ? [...keys, ...mentioned.keys] : keys, turn, session };
    }
    return found;
  };
  return turns.toReversed().map(ownersOfTurn).toReversed();
}

export function firstOf(pack: Pack, list: string): RegExp {
  return packRegExp(`^\\s*(?:${pack.lists[list] ?? '(?!)'})(?![\\p{L}'’])`);
}

const relationWords = perPack(
  ({ relations }) =>
    new Map([
      ...Object.entries(relations).map(([word, relation]) => [wordsOf(word)[0] ?? word, relation] as const),
      ...Object.entries(relations),
    ]),
);

/** The English word for a relation, or null for any other word. */
export function relationOf(word: string, pack: Pack): string | null {
  const relations = relationWords(pack);
  return relations.get(word) ?? relations.get(word.replace(/s$/u, '')) ?? null;
}

const SHORTEST_PART = 5;
const SHORTEST_START = 6;

/** Whether the words are forms of each other, or one contains the other: "pregnancy" and "pregnant", "Schuld" and "Steuerschuld". */
export function isAlike(word: string, said: string): boolean {
  const [short, long] = word.length < said.length ? [word, said] : [said, word];
  if (short.length >= SHORTEST_PART && (long.startsWith(short) || said.endsWith(word))) return true;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  return same >= SHORTEST_START && same * 3 >= long.length * 2;
}

export function isRelation(word: string, pack: Pack): boolean {
  return relationOf(word, pack) !== null;
}

export function stemOf(word: string): string {
  return words(word)[0] ?? word;
}

/** Lower case, without accents. "burn-out" is one word, and "l'accident" and "kev's" are reduced to their nouns. */
export function wordsOf(text: string): string[] {
  const plain = plainMarks(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, '');
  return (plain.match(/[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu) ?? []).flatMap((word) => {
    const [first = '', last = ''] = [word.split("'")[0], word.split("'").at(-1)];
    return last.length > first.length || last.length > 2 ? last : first;
  });
}
