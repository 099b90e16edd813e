import type { Pack } from '../../language/packs/pack.ts';
import { forgetPatterns, packPattern, plainMarks, relationsOf, wordsPattern } from '../../language/packs/packs.ts';
import { USER } from '../../record/statement.ts';
import type { Heard, HeardBefore, ReadClause } from './request-clauses.ts';
import { FARTHEST_BACK, firstOf } from './request-owners.ts';
import { type Naming, packOfRequest } from './request-words.ts';

/** Log-odds above which the layers are sure that a request means a clause. */
export const SURELY_MEANT = 3;
/** The layers reject a clause below these log-odds. */
export const UNRELATED = -5;

interface FollowedRequest {
  before: HeardBefore;
  heard: readonly ReadClause[];
  isProtected(clause: Heard): boolean;
}

/**
 * Adds turns that are meaningless without a clause to forget: after "my flatmate Tom never does the dishes", also "he's got a girlfriend
 * though". "He" refers to the nearest turn that names a person, "it" to the turn before, and neither to another session. A request about
 * one matter ("Owen's arrest") does not include "he has two dogs".
 */
export function withFollowUps(
  meant: readonly Heard[],
  { before, heard, isProtected }: FollowedRequest,
  matter: Naming['matter'],
): Heard[] {
  const all = new Set(meant);
  const pack = packOfRequest([], before.all);
  if (pack === null) return [...all];
  const namesPerson = (turn: readonly Heard[]): boolean => {
    const text = plainMarks(turn.map((clause) => clause.text).join(''));
    const isNamed = before.people.some((name) => text.toLowerCase().includes(name));
    return isNamed || packPattern(pack, 'they').test(text) || wordsPattern(relationsOf(pack)).test(text);
  };
  const oddsOf = (turn: readonly Heard[]): number =>
    Math.max(-Infinity, ...heard.flatMap(({ clause, read }) => (turn.includes(clause) ? read : [])));
  const turns = turnsOf(before);
  for (const [index, turn] of turns.entries()) {
    const nearby = turns
      .slice(Math.max(0, index - FARTHEST_BACK), index)
      .filter(([first]) => first?.session === turn[0]?.session);
    const last = nearby.at(-1);
    const text = plainMarks(turn.map((clause) => clause.text).join(''));
    const isOfPerson = firstOf(pack, 'followsPerson').test(text) && (matter === null || oddsOf(turn) > SURELY_MEANT);
    const isOfThing = firstOf(pack, 'followsThing').test(text) && !namesPerson(turn) && oddsOf(turn) > UNRELATED;
    const antecedent = isOfPerson ? (nearby.findLast(namesPerson) ?? last) : isOfThing ? last : undefined;
    const forgotten = antecedent?.filter((clause) => all.has(clause)) ?? [];
    if (forgotten.length === 0 || !isOfSame(turn.slice(0, 1), forgotten)) continue;
    for (const clause of beforeOwn(turn)) if (!isProtected(clause)) all.add(clause);
  }
  for (const clause of [...correctionsOf([...all], before, pack), ...passagesOf([...all], before)])
    if (!isProtected(clause)) all.add(clause);
  return [...all];
}

/** The turns in the order in which they were said. `before.all` begins with the latest clause. */
function turnsOf({ all }: HeardBefore): Heard[][] {
  return [...Map.groupBy(all, ({ source }) => source).values()].toReversed();
}

/** The first sentences of turns that correct the last of these clauses: "no wait, the 29th". */
export function correctionsOf(clauses: readonly Heard[], before: HeardBefore, pack: Pack | null): Heard[] {
  const turns = turnsOf(before);
  const corrected = new Set(clauses);
  for (const [index, turn] of turns.entries()) {
    const last = turns[index - 1]?.at(-1);
    const text = plainMarks(turn.map((clause) => clause.text).join('')).trimStart();
    const isCorrecting = pack !== null && forgetPatterns(pack).corrects.exec(text)?.index === 0;
    if (!isCorrecting || last === undefined || !corrected.has(last) || last.session !== turn[0]?.session) continue;
    const end = turn.findIndex((clause) => ENDS_SENTENCE.test(clause.text.trimEnd()));
    for (const clause of turn.slice(0, end === -1 ? undefined : end + 1)) corrected.add(clause);
  }
  return [...corrected].slice(clauses.length);
}

const ENDS_SENTENCE = /[.!?…。！？]$/u;

/** The passages of others that these clauses introduce: "Message from Nico: …". */
function passagesOf(clauses: readonly Heard[], before: HeardBefore): Heard[] {
  return turnsOf(before).flatMap((turn) => {
    const passage = turn.findIndex(({ isOwn }) => !isOwn);
    const introduction = turn[passage - 1];
    return introduction !== undefined && clauses.includes(introduction)
      ? turn.slice(passage).filter(({ isOwn }) => !isOwn)
      : [];
  });
}

/** Whether no clause belongs to somebody else: in "they say I passed", after "Tom brings the cats", "they" are the cats. */
function isOfSame(clauses: readonly Heard[], as: readonly Heard[]): boolean {
  const others = (of: readonly Heard[]): string[] =>
    of.flatMap(({ owners }) => owners.filter((owner) => owner !== USER));
  const [own, known] = [others(clauses), others(as)];
  return own.length === 0 || known.length === 0 || own.some((owner) => known.includes(owner));
}

/** The clauses of a turn before a further sentence that is about the user alone: "He took the cat. So I live by myself now." */
function beforeOwn(turn: readonly Heard[]): Heard[] {
  const isOwn = ({ owners }: Heard): boolean => owners.length > 0 && owners.every((owner) => owner === USER);
  const end = turn.findIndex(
    (clause, index) => isOwn(clause) && ENDS_SENTENCE.test(turn[index - 1]?.text.trimEnd() ?? ''),
  );
  return turn.slice(0, end === -1 ? undefined : end);
}
