import { contentStems } from '../../language/words.ts';
import type { Pack } from '../../language/packs/pack.ts';
import {
  detectPack,
  forgetPatterns,
  listPattern,
  orderIn,
  PACKS,
  plainMarks,
  wordsOfAll,
} from '../../language/packs/packs.ts';
import type { MeantWords } from '../statement.ts';

/** The clauses of a request, sorted by what they say about what is meant. */
export interface RequestParts {
  /** Those that ask, and what stands around them. */
  own: MeantWords[];
  /** Those that name what stays: "my job can stay", "not my sister", and what a correction replaces. Without the words that say so. */
  kept: MeantWords[];
  /** Whether the request corrects itself. */
  isCorrected: boolean;
}

/**
 * Sorts the clauses of a request: "Delete my address. My job can stay." asks for the first clause and keeps the second. "Delete my mail,
 * no wait, my number" asks for the number and keeps the mail.
 */
export function partsOf(clauses: readonly MeantWords[], turn: string): RequestParts {
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
  // "Delete my number. No, keep it" takes the request back.
  if (left.some((part) => part !== null && !saysAnything(part.text))) return unsorted;
  const isKept = split.map((part, index) => left[index] !== null || (!isOrder(part) && isListed(split, left, index)));
  const kept = split.flatMap((part, index) => (isKept[index] === true ? (left[index] ?? part) : []));
  const own = split.filter((_, index) => isKept[index] === false);
  const corrected = correctedAmong(own, packs, isOrder);
  const all = [...kept, ...corrected.replaced];
  return all.length === 0 ? unsorted : { own: corrected.own, kept: all, isCorrected: corrected.replaced.length > 0 };
}

/** "The Welsh and the rest can stay": whether a part belongs to a list with a part that is kept. */
function isListed(split: readonly MeantWords[], left: readonly (MeantWords | null)[], index: number): boolean {
  const [part, next] = [split[index], split[index + 1]];
  const isOpen = (one: MeantWords | undefined): boolean => one !== undefined && /[^,;:.!?…]$/u.test(one.text.trimEnd());
  const isBefore = left[index + 1] != null && isOpen(part) && next !== undefined && JOINED.test(next.text);
  const isAfter = left[index - 1] != null && isOpen(split[index - 1]) && part !== undefined && JOINED.test(part.text);
  return isBefore || isAfter;
}

/** "… and my address": the beginning of a clause that goes on with the one before it. */
export const JOINED: RegExp = new RegExp(`^(?:${wordsOfAll('and', 'latin')}) `, 'iu');

/**
 * Clauses that were split at a word of another language, joined again: "ma" is "but" in Italian and "my" in French ("oublie ma grossesse").
 */
export function joinedIn(clauses: readonly MeantWords[], turn: string): MeantWords[] {
  const pack = detectPack(turn);
  if (pack === null || pack.script !== 'latin') return [...clauses];
  const breaks = listPattern(pack, 'clauseBreak');
  const joined: MeantWords[] = [];
  for (const clause of clauses) {
    const last = joined.at(-1);
    const isBroken =
      last?.end === clause.start && /[^,;:.!?…]\s$/u.test(last.text) && breaks.exec(clause.text)?.index !== 0;
    if (last !== undefined && isBroken)
      joined[joined.length - 1] = { ...last, end: clause.end, text: last.text + clause.text };
    else joined.push(clause);
  }
  return joined;
}

/** "Don't forget my birthday": whether a clause orders not to forget something. */
function isSparing({ text }: MeantWords, packs: readonly Pack[]): boolean {
  return packs.some((pack) => forgetPatterns(pack).spares.test(plainMarks(text)));
}

/** A clause without the words that say that something stays; null for a clause that does not say so. */
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

/** The parts of a clause before and after a word such as "except", or a correction. */
function splitPart(clause: MeantWords, packs: readonly Pack[]): MeantWords[] {
  const text = plainMarks(clause.text);
  const places = packs.flatMap((pack) => {
    const { excepts, corrects } = forgetPatterns(pack);
    return [excepts, corrects].flatMap((pattern) => pattern.exec(text)?.index ?? []);
  });
  const at = Math.min(...places);
  if (places.length === 0 || !saysAnything(text.slice(0, at))) return [clause];
  return [
    { ...clause, end: clause.start + at, text: clause.text.slice(0, at) },
    { ...clause, start: clause.start + at, text: clause.text.slice(at) },
  ];
}

function saysAnything(text: string): boolean {
  return contentStems(text).size > 0;
}

/** What a correction leaves: the order with what stands after the correction, and what stood before it. */
function correctedAmong(
  own: readonly MeantWords[],
  packs: readonly Pack[],
  isOrder: (part: MeantWords) => boolean,
): { own: MeantWords[]; replaced: MeantWords[] } {
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
    const after = own.slice(at).map((part) => ({ ...part, text: withoutAll(part.text, [corrects, meant]) }));
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

function withoutAll(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((left, pattern) => {
    const found = pattern.exec(left);
    return found === null ? left : `${left.slice(0, found.index)} ${left.slice(found.index + found[0].length)}`;
  }, plainMarks(text));
}

/** The words of an order, without what it names: "delete". */
function orderOf(text: string, pack: Pack): string {
  const plain = plainMarks(text).trim();
  const found = forgetPatterns(pack).order.exec(plain);
  if (found === null) return '';
  return found.slice(1).reduce<string>((left, group) => (group ? left.replace(group, '') : left), found[0]);
}
