import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
  forgetPatterns,
  isFunctionWord,
  listPattern,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  topicPatterns,
  wordsOfAll,
  wordsPattern,
} from '../../language/packs/packs.ts';
import { contentStems, matchesOf } from '../../language/words.ts';
import type { MeantWords } from '../statement.ts';
import type { Heard, HeardBefore } from './request-clauses.ts';
import {
  isAlike,
  isRelation,
  ownedBy,
  type Ownership,
  ownersIn,
  relationOf,
  stemOf,
  wordsOf,
} from './request-owners.ts';

export interface RequestParts {
  own: MeantWords[];
  /** "My job can stay" and "not my sister", without the words for "keep", and the clauses that a correction replaces. */
  kept: MeantWords[];
  isCorrected: boolean;
}

/** "Delete my address. My job can stay." keeps the job. "Delete my mail, no wait, my number" keeps the mail. */
export function partsOf(told: readonly MeantWords[], turn: string): RequestParts {
  const clauses = told.flatMap((clause) => splitAside(clause, turn));
  const unsorted = { own: [...clauses], kept: [], isCorrected: false };
  const detected = detectPack(turn);
  const packs = (detected === null ? PACKS : [detected]).filter(({ script }) => script === 'latin');
  const split = clauses.flatMap((clause) => splitPart(clause, packs));
  const isOrder = (part: MeantWords): boolean => orderIn(part.text, turn) !== null && !isSparing(part, packs);
  const first = split.findIndex(isOrder);
  const left = split.map((part, index) =>
    isOrder(part)
      ? null
      : withoutKeeping(part, packs, { hasOrder: first !== -1, isAfterOrder: first !== -1 && index > first }),
  );
  // "Delete my number. No, keep it" withdraws the request.
  if (left.some((part) => part !== null && !saysAnything(part.text))) return unsorted;
  const isKept = split.map((part, index) => left[index] !== null || (!isOrder(part) && isListed(split, left, index)));
  const kept = split.flatMap((part, index) => (isKept[index] === true ? (left[index] ?? part) : []));
  const own = split.filter((_, index) => isKept[index] === false);
  const corrected = correctedAmong(own, packs, isOrder);
  const all = [...kept, ...corrected.replaced];
  return all.length === 0 ? unsorted : { own: corrected.own, kept: all, isCorrected: corrected.replaced.length > 0 };
}

/** Whether a part is in one list with a part that is kept: "The Welsh and the rest can stay". */
function isListed(split: readonly MeantWords[], left: readonly (MeantWords | null)[], index: number): boolean {
  const [part, next] = [split[index], split[index + 1]];
  const isOpen = (one: MeantWords | undefined): boolean => one !== undefined && /[^,;:.!?…]$/u.test(one.text.trimEnd());
  const isBefore = left[index + 1] != null && isOpen(part) && next !== undefined && JOINED.test(next.text);
  const isAfter = left[index - 1] != null && isOpen(split[index - 1]) && part !== undefined && JOINED.test(part.text);
  return isBefore || isAfter;
}

/** The beginning of a clause that continues the one before it: "… and my address". */
export const JOINED: RegExp = new RegExp(`^(?:${wordsOfAll('and', 'latin')}) `, 'iu');

/** Whether a clause tells the assistant not to forget something: "Don't forget my birthday". */
function isSparing({ text }: MeantWords, packs: readonly Pack[]): boolean {
  return packs.some((pack) => forgetPatterns(pack).spares.test(plainMarks(text)));
}

/** Removes the words for "keep" and "stay". Null for a clause without such words. */
function withoutKeeping(
  part: MeantWords,
  packs: readonly Pack[],
  { hasOrder, isAfterOrder }: { hasOrder: boolean; isAfterOrder: boolean },
): MeantWords | null {
  const text = plainMarks(part.text);
  if (/\?[\s"'»”]*$/u.test(text)) return null;
  for (const pack of packs) {
    const { keeps, stays, spares, excepts, nots } = forgetPatterns(pack);
    const isDenied = listPattern(pack, 'negation').test(text);
    const excepted = excepts.exec(text);
    const isExcepted = excepted !== null && !saysAnything(text.slice(0, excepted.index));
    const plain = isDenied ? null : (keeps.exec(text) ?? stays.exec(text));
    const limited = isAfterOrder ? (isExcepted ? excepted : nots.exec(text)) : null;
    const found = plain ?? (hasOrder ? spares.exec(text) : null) ?? limited;
    if (found === null) continue;
    return { ...part, text: `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}` };
  }
  return null;
}

const ASIDE = /(?<=[^\s(–—-])\s+(?=[(–—-])/gu;

/** Splits a clause before an order that follows in brackets or after a dash: "I have OCD (don't save that)". */
function splitAside(clause: MeantWords, turn: string): MeantWords[] {
  const places = matchesOf(clause.text, ASIDE).map(({ index, 0: { length } }) => index + length);
  const at = places.find((place) => orderIn(clause.text.slice(place), turn) !== null);
  return at === undefined ? [clause] : splitAt(clause, at);
}

function splitAt(clause: MeantWords, at: number): MeantWords[] {
  return [
    { ...clause, end: clause.start + at, text: clause.text.slice(0, at) },
    { ...clause, start: clause.start + at, text: clause.text.slice(at) },
  ];
}

/** Splits at a word such as "except", or at the beginning of a correction. */
function splitPart(clause: MeantWords, packs: readonly Pack[]): MeantWords[] {
  const text = plainMarks(clause.text);
  const places = packs.flatMap((pack) => {
    const { excepts, corrects } = forgetPatterns(pack);
    return [excepts, corrects].flatMap((pattern) => pattern.exec(text)?.index ?? []);
  });
  const at = Math.min(...places);
  return places.length === 0 || !saysAnything(text.slice(0, at)) ? [clause] : splitAt(clause, at);
}

export function saysAnything(text: string): boolean {
  return contentStems(text).size > 0;
}

/** `own`: the order with the words after the correction. `replaced`: the words before it. */
function correctedAmong(own: readonly MeantWords[], packs: readonly Pack[], isOrder: (part: MeantWords) => boolean) {
  const none = { own: [...own], replaced: [] };
  const ordered = own.findIndex(isOrder);
  const order = own[ordered];
  if (order === undefined) return none;
  for (const pack of packs) {
    const { corrects, meant } = forgetPatterns(pack);
    const at = own.findIndex(
      ({ text }, index) => index > ordered && (corrects.test(plainMarks(text)) || meant.test(plainMarks(text))),
    );
    if (at === -1) continue;
    const without = (text: string): string => plainMarks(text).replace(corrects, ' ').replace(meant, ' ');
    const after = own.slice(at).map((part) => ({ ...part, text: without(part.text) }));
    const telling = after.findIndex(({ text }) => saysAnything(text));
    const target = after[telling];
    if (target === undefined) continue;
    const asked = isOrder(target)
      ? target.text
      : `${orderOf(order.text, pack)} ${target.text.replace(/^[\s,;.…]+/u, '')}`;
    const replaced = [...own.slice(ordered, at), ...after.slice(0, telling)];
    return { own: [{ ...target, text: asked }, ...after.slice(telling + 1)], replaced };
  }
  return none;
}

/** The verb of an order without its object: "delete". */
function orderOf(text: string, pack: Pack): string {
  const plain = plainMarks(text).trim();
  const found = forgetPatterns(pack).order.exec(plain);
  if (found === null) return '';
  return found.slice(1).reduce<string>((left, group) => (group ? left.replace(group, '') : left), found[0]);
}

/** A request too short to detect its language takes that of the earlier clauses. */
export function packOfRequest(asking: readonly string[], before: readonly Heard[]): Pack | null {
  return detectPack(asking.join(' '), detectPack(before.map(({ text }) => text).join('\n')));
}

export function isQuestion(text: string): boolean {
  return /[?？]\s*$/u.test(text);
}

/** A person, a topic of the language pack, or another word that a request names. */
interface Thing {
  isPerson: boolean;
  /** Such as Tom in "Tom's allergy". */
  isOwner: boolean;
  /** Empty for a word that the user has never said. */
  covers: ReadonlySet<Heard>;
}

/** The earlier clauses that a request names. A request may have several parts: "forget tom and my phone number". */
export interface Naming {
  /** Clauses that contain everything that some part names. */
  exactly: Heard[];
  /** Clauses that contain most of what some part names. */
  most: Heard[];
  isEmpty: boolean;
  /** Set if every part names something in another person's life: a relative ("Beatrice's husband") or anything else ("Tom's debts"). */
  matter: 'relative' | 'other' | null;
  /** Some part has a word that was never said, or words that no single clause contains. The reading layers then find its clauses. */
  isPartly: boolean;
  /** "Tom's allergy" cannot refer to a clause about somebody else. */
  mayMean(clause: Heard): boolean;
  /** The clause shares only the owner with the request: "Tom is a chef" does not mention "Tom's birthday". */
  hasOnlyOwner(clause: Heard): boolean;
}

/** "Forget the christmas present for anneke" names the clauses with all these words, "forget tom" all with that name, in any case. */
export function namedBy(
  asking: readonly string[],
  before: HeardBefore,
  pack: Pack | null = packOfRequest(asking, before.all),
): Naming {
  if (pack === null || pack.script === 'han')
    return {
      exactly: [],
      most: [],
      isEmpty: true,
      matter: null,
      isPartly: true,
      mayMean: () => true,
      hasOnlyOwner: () => false,
    };
  const joined = everywhere(wordsPattern(pack.lists['and'] ?? '', pack.script));
  const parts = asking.flatMap((text) => plainMarks(text).split(joined)).filter((text) => text.trim() !== '');
  const context = { pack, people: before.people };
  let owners: string[] = [];
  const telling = parts.flatMap((text) => {
    const own = ownersIn(text, context, 'request');
    // In "Marcus's number and his birthday", the pronoun refers to the owner in the part before.
    owners = own.length === 0 && forgetPatterns(pack).theirs.test(text) ? owners : own;
    const owned = ownedBy(owners, text, before.all, pack);
    const things = thingsIn(
      text,
      pack,
      { ...before, all: before.all.filter((clause) => !owned.byOthers(clause)) },
      owned,
    );
    // In "where my brother lives", the words besides the person are too common to find a clause.
    if (things.length > 0 && things.every(({ isOwner }) => isOwner) && namesDoing(text, pack))
      things.push({ isPerson: false, isOwner: false, covers: new Set() });
    return things.length > 0 || owned.isLimited ? { things, owned } : [];
  });
  const named = telling.map(({ things }) => things).filter(({ length }) => length > 0);
  // "Bruno and the police" refers to the clauses about both, if there are any. "My address and my number" refers to the clauses about
  // either.
  const joint = named.length > 1 ? bestOf(named.flat(), before) : null;
  const found = joint?.isExact === true ? [joint] : named.map((things) => bestOf(things, before));
  return {
    exactly: [...new Set(found.flatMap(({ best, isExact }) => (isExact ? best : [])))],
    most: [...new Set(found.flatMap(({ best }) => best))],
    isEmpty: found.length === 0,
    matter: matterOf(named),
    isPartly: found.some(({ isExact }) => !isExact),
    mayMean: (clause) => telling.length === 0 || telling.some(({ owned }) => !owned.byOthers(clause)),
    hasOnlyOwner: (clause) =>
      telling.length > 0 &&
      telling.every(({ things, owned }) => {
        const covering = things.filter(({ covers }) => covers.has(clause));
        return owned.isOfTopic && owned.byOwner(clause) && covering.every(({ isOwner }) => isOwner);
      }),
  };
}

/** True for "where Tom works", and false for "everything that concerns Tom" (in Italian "che riguarda Tom"). */
function namesDoing(text: string, pack: Pack): boolean {
  const { doers, ofMemory } = forgetPatterns(pack);
  return matchesOf(text, doers).some(
    ([, ...words]) => !words.some((word) => word !== undefined && ofMemory.test(word)),
  );
}

function matterOf(named: readonly (readonly Thing[])[]): Naming['matter'] {
  const matters = named.map((things) => things.filter(({ isOwner }) => !isOwner));
  const isOwned = named.every((things, index) => {
    const others = matters[index]?.length ?? 0;
    return others > 0 && others < things.length;
  });
  if (named.length === 0 || !isOwned) return null;
  return matters.flat().every(({ isPerson }) => isPerson) ? 'relative' : 'other';
}

/** Finds the clauses with the most named words. In "the clinic of Gonzalo", another clause of the same turn may name the person. */
function bestOf(named: readonly Thing[], { all }: HeardBefore): { best: Heard[]; isExact: boolean } {
  const isOfThing = new Set(named.flatMap(({ isPerson, covers }) => (isPerson ? [] : [...covers])));
  const widened = ({ isPerson, isOwner, covers }: Thing): Thing => {
    const turns = new Set([...covers].map(({ source }) => source));
    const beside = isPerson ? all.filter((clause) => isOfThing.has(clause) && turns.has(clause.source)) : [];
    return { isPerson, isOwner, covers: new Set([...covers, ...beside]) };
  };
  const things = named.filter(({ covers }) => covers.size > 0).map(widened);
  const counts = new Map<Heard, number>();
  for (const { covers } of things) for (const clause of covers) counts.set(clause, (counts.get(clause) ?? 0) + 1);
  const people = things.filter(({ isPerson }) => isPerson);
  const ofPeople = [...counts].filter(([clause]) => people.every(({ covers }) => covers.has(clause)));
  const among = ofPeople.length > 0 ? ofPeople : [...counts];
  const most = Math.max(0, ...among.map(([, count]) => count));
  return { best: among.flatMap(([clause, count]) => (count === most ? clause : [])), isExact: most === named.length };
}

function thingsIn(text: string, pack: Pack, before: HeardBefore, owned: Ownership): Thing[] {
  const plain = plainMarks(text);
  const { topics, matched } = topicsIn(plain, pack, before, owned);
  const { order, ofMemory } = forgetPatterns(pack);
  const framing = [everywhere(ofMemory), everywhere(packPattern(pack, 'request:polite')), ...matched];
  const rest = framing.reduce<string>((left, pattern) => left.replace(pattern, ' '), withoutOrder(plain, order));
  const naming = wordsOf(rest).filter((word) => isRelation(word, pack) || !isFunctionWord(word, pack));
  const said = naming.map((word): Thing => {
    const isOwner = owned.isOwner(word);
    const isPerson = isOwner || before.people.includes(word) || isRelation(word, pack);
    const covers = isOwner ? before.all.filter(owned.byOwner) : saying(word, isPerson, pack, before);
    return { isPerson, isOwner, covers: new Set(covers) };
  });
  return [...topics, ...said];
}

export function everywhere(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, 'giu');
}

/** Words inside the order stay: "my number" in "take my number out of your notes". */
function withoutOrder(text: string, order: RegExp): string {
  const match = order.exec(text);
  return match === null ? text : `${match.slice(1).join(' ')} ${text.slice(match[0].length)}`;
}

/** "Epilepsy" belongs to the topic "health", but if the user has mentioned epilepsy, the word stands only for that condition. */
function topicsIn(
  text: string,
  pack: Pack,
  { all, values }: HeardBefore,
  { isOfOwner, byOwner }: Ownership,
): { topics: Thing[]; matched: string[] } {
  const found = new Map<string, Set<Heard>>();
  const said = values.flatMap(wordsOf);
  for (const [topic, pattern] of topicPatterns(pack)) {
    const { 0: match, index = 0 } = pattern.exec(text) ?? {};
    if (match === undefined || (!isOfOwner && isTheirs(text.slice(0, index), pack))) continue;
    // A topic's first word is its name ("health"). Its other words may stand for a part of the topic.
    const name = /^[^|()]*/u.exec(pack.topics[topic] ?? '')?.[0] ?? '';
    const isName = wordsPattern(name, pack.script).test(match);
    const isValue = wordsOf(match).some((word) => said.some((each) => each === word || isAlike(word, each)));
    const covers = all.filter((clause) =>
      isOfOwner && pattern.test(clause.text) ? byOwner(clause) : clause.topics.includes(topic),
    );
    if ((isValue && !isName) || covers.length === 0) continue;
    found.set(match, new Set([...(found.get(match) ?? []), ...covers]));
  }
  const topics = [...found.values()].map((covers): Thing => ({ isPerson: false, isOwner: false, covers }));
  return { topics, matched: [...found.keys()] };
}

/** Whether the word before a topic assigns it to another person: "her name". */
function isTheirs(before: string, pack: Pack): boolean {
  const last = before.trimEnd().split(' ').at(-1) ?? '';
  return forgetPatterns(pack).theirs.exec(last)?.[0].length === last.length && last !== '';
}

/** Clauses with the word in the same form or, if there are none, in other forms or within longer words. */
function saying(word: string, isPerson: boolean, pack: Pack, { all, namesOf }: HeardBefore): Heard[] {
  const stem = stemOf(word);
  const having = (isSame: (said: string) => boolean): Heard[] =>
    all.filter(({ isOwn, text }) => isOwn && wordsOf(text).some(isSame));
  if (isPerson) {
    const relation = relationOf(word, pack);
    const names = relation === null ? [] : namesOf(relation);
    const found = having((said) => stemOf(said) === stem || names.includes(said));
    return relation === null ? found : found.filter((clause) => !isOfNamesake(clause, { relation, names, pack, all }));
  }
  const ways = [
    (said: string) => said === word,
    (said: string) => stemOf(said) === stem,
    (said: string) => isAlike(word, said),
  ];
  return ways.map(having).find(({ length }) => length > 0) ?? [];
}

/** "My colleague Anja" is not the sister Anja. For a bare name, the latest earlier clause that names a relation decides. */
function isOfNamesake(
  clause: Heard,
  of: { relation: string; names: readonly string[]; pack: Pack; all: readonly Heard[] },
): boolean {
  const { relation, names, pack, all } = of;
  // `all` begins with the latest clause.
  for (const { text } of [clause, ...all.slice(all.indexOf(clause) + 1)]) {
    const said = wordsOf(text);
    const relations = said.flatMap((word) => relationOf(word, pack) ?? []);
    if (relations.includes(relation)) return false;
    const isNamed = said.some(
      (word, index) => names.includes(word) && relationOf(said[index - 1] ?? '', pack) !== null,
    );
    if (isNamed) return true;
  }
  return false;
}
