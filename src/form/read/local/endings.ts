import type { Pack } from '../../../language/packs/pack.ts';
import {
  anyWords,
  gistOf,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  saysAny,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { continuesOthers, mayMeanSamePeople, namesSomebody } from '../../../language/packs/subjects.ts';
import { splitClauses } from '../../../language/sentences.ts';
import { dayAfterLast } from '../../../language/told-days.ts';
import { contentStems } from '../../../language/words.ts';
import { hasTrait } from '../../../record/attributes.ts';
import type { Memory } from '../../../record/memory.ts';
import { isUser, normalValue } from '../../../record/statement.ts';
import type { Reading, ReadStatement } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';
import { relativeAt, relativeSlots } from './known-names.ts';
import type { Asked } from './selector.ts';
import type { FilledSlot } from './slot-values.ts';
import { hasValue } from './statements-of-turn.ts';
import type { ClaimUnit, Turn } from './units.ts';

/** Words of all languages, because that of a short sentence is often not recognised. The sentence must also name the plan. */
const CALLED_OFF = anyWords('calledOff');

type Ends = Reading['ends'];

function endsBy({ number, input }: Turn, words: string, isOver: (one: Memory) => boolean, on?: string): Ends {
  const quote = { turn: number, words };
  return input.known.flatMap((one, index) => (isOver(one) ? [{ known: index + 1, quote, on: on ?? null }] : []));
}

/** Known plans that a turn calls off: "the move to Lisbon fell through", or "we're staying in Porto" if a move is planned. */
export function calledOffIn(claims: readonly ClaimUnit[], turn: Turn): Ends {
  return claims.flatMap((unit) =>
    splitClauses(unit.text).flatMap(({ start, end }) => {
      const clause = plainMarks(unit.text.slice(start, end));
      if (!CALLED_OFF.test(clause)) return [];
      const slots = [
        ...unit.filled.filter((slot) => slot.start >= start && slot.start < end),
        ...pronounSlots(unit, start, clause, turn),
      ];
      const isOff = (plan: Memory): boolean =>
        isOpenPlan(plan, turn.at.now) && (isNamedIn(plan, clause, unit.pack) || isExcluded(plan, slots));
      return endsBy(turn, unit.text, isOff);
    }),
  );
}

const pronounFirst = perPack(({ script, lists: { sheOrHe = '', clauseBreak = '' } }) =>
  packRegExp(script === 'han' ? '(?!)' : `^(?:(?:${clauseBreak}) )?(?:${sheOrHe})(?=[ '])`),
);

/** In "Tobi changed his mind, he's staying in Leipzig", the pronoun refers to the known person at the beginning. */
function pronounSlots(unit: ClaimUnit, start: number, clause: string, { input, at }: Turn): FilledSlot[] {
  const { pack } = unit;
  const pronoun = pronounFirst(pack).exec(clause)?.[0];
  const relative = pronoun === undefined ? null : relativeAt(unit, input.known);
  if (pronoun === undefined || relative === null) return [];
  const { name } = relative;
  // If the sentence names another person before the clause, the pronoun may mean that person.
  const before = unit.text.slice(name.length, start);
  if (/^['’]|\p{Lu}/u.test(before) || wordsPattern(relationsOf(pack)).test(before)) return [];
  // "'s" is written out as "is", because the patterns read "Tobi's" as a possessive.
  const rest = clause.slice(pronoun.length).replace(/^'s(?= )/, pack.is.split('|')[0] ?? '');
  return relativeSlots(relative, name + rest, pack, at);
}

/** "I quit smoking" ends "I smoke a pack a day", and "I don't like sushi anymore" ends "I love sushi". */
export function quitIn(claims: readonly ClaimUnit[], turn: Turn): Ends {
  return claims.flatMap((unit) => {
    const { text, pack } = unit;
    const quits = listPattern(pack, 'quitsSmoking').test(plainMarks(text));
    const thing = gistOf(endedThing(unit), pack);
    const isOver = ({ subject, attribute, tense, content, statedAt }: Memory): boolean => {
      const isHabit = attribute === null && isUser(subject) && (tense === 'habit' || tense === 'holds');
      if (!isHabit || statedAt >= turn.event.occurredAt) return false;
      if (isOnOtherDays(unit, content)) return true;
      if (packPattern(pack, 'not').test(plainMarks(content))) return false;
      if (quits && listPattern(pack, 'smokes').test(content)) return true;
      // More than half of the statement's words must be about what was given up: "I gave up meat" does not end "I cook meat for my dog".
      const gist = gistOf(content, pack);
      const isNamed = thing.length * 2 > gist.length && thing.every((stem) => gist.includes(stem));
      const isOfTaste = saysAny(pack, content, 'taste') || !saysAny(pack, text, 'taste');
      return isNamed && isOfTaste && !wordsPattern(relationsOf(pack)).test(content);
    };
    return endsBy(turn, text, isOver);
  });
}

/** "I drink coffee again" ends "I don't drink coffee any more", and "I eat meat again" ends a diet without meat. */
export function resumedIn(claims: readonly ClaimUnit[], turn: Turn): Ends {
  return claims.flatMap(({ text, pack }) => {
    const plain = plainMarks(text);
    const isResumed = listPattern(pack, 'resumes').test(plain) && saysAny(pack, plain, 'me', 'we');
    if (!isResumed || saysAny(pack, plain, 'not', 'ended')) return [];
    const said = gistOf(plain.replace(listPattern(pack, 'resumes'), ' '), pack);
    const eats = listPattern(pack, 'eats').test(plain);
    const isSaid = (thing: readonly string[]): boolean =>
      thing.length > 0 && thing.every((stem) => said.includes(stem));
    // A statement about one thing only, such as "no coffee", does not end by what else happens to it: "I spilled coffee again".
    const isWholly = (thing: readonly string[]): boolean => isSaid(thing) && (thing.length > 1 || said.length === 1);
    const isOver = ({ subject, attribute, value, tense, content, polarity, statedAt }: Memory): boolean => {
      if (!isUser(subject) || statedAt >= turn.event.occurredAt || tense === 'happened') return false;
      const known = plainMarks(content);
      if (attribute === null) return saysAny(pack, known, 'not', 'ended') && isWholly(withoutNot(known, pack));
      return eats && hasTrait(attribute, 'omits') && polarity === 'affirmed' && isSaid(withoutNot(value ?? '', pack));
    };
    return endsBy(turn, text, isOver);
  });
}

/** The stems of what a statement denies. Empty for "vegan", which names nothing that the user leaves out. */
function withoutNot(words: string, pack: Pack): string[] {
  const rest = words
    // A pattern such as "don't … any more" matches the words between, too.
    .replace(packPattern(pack, 'ended'), (ended) => ended.split(' ').slice(1, -1).join(' '))
    .replace(packPattern(pack, 'not'), ' ')
    .replace(listPattern(pack, 'excludes'), ' ');
  return rest === words ? [] : gistOf(rest, pack);
}

/** "I live in York now" ends "I've lived in Leeds for twenty years, near the canal", but not "I live in Leeds and row every Sunday". */
export function outdatedIn(claims: readonly ClaimUnit[], turn: Turn): Ends {
  const { input, at } = turn;
  return claims.flatMap(({ text, pack, filled }) => {
    const now = filled.filter(
      ({ subject, attribute, polarity, tense, isLikely, isTold }) =>
        isUser(subject) &&
        polarity === 'affirmed' &&
        tense === null &&
        isLikely !== true &&
        isTold !== true &&
        input.attributes.policyOf(attribute).values === 'one' &&
        !hasTrait(attribute, 'answer', input.attributes),
    );
    if (now.length === 0 || listPattern(pack, 'inAddition').test(plainMarks(text))) return [];
    const isOver = ({ subject, attribute, tense, content, statedAt }: Memory): boolean => {
      if (attribute !== null || tense !== 'holds' || !isUser(subject) || statedAt >= turn.event.occurredAt)
        return false;
      // Without the absolute dates that were added: "hace 20 años [1 de enero de 2006 – …]".
      const words = plainMarks(content.replaceAll(/ \[[^\]]*\]/gu, ''));
      const [old, ...others] = fillSlots(words, pack, at);
      const isChanged = now.some((slot) => slot.attribute === old?.attribute && !hasValue(slot, old.value));
      if (old === undefined || others.length > 0 || !isChanged || !isUser(old.subject)) return false;
      const rest = words.slice(words.indexOf(old.value ?? '') + (old.value ?? '').length);
      const isMore = saysAny(pack, rest, ...OTHER_CLAUSE) || listPattern(pack, 'and', 'naming').test(rest);
      return old.start === 0 && old.polarity === 'affirmed' && !isMore && !/[.!?]\s/u.test(rest);
    };
    return endsBy(turn, text, isOver);
  });
}

/** Words in a sentence that say more about the user than its first clause. */
const OTHER_CLAUSE = 'me my we they past future habit taste decision feeling said if'.split(
  ' ',
) as (keyof Pack['words'])[];

/** Moves a habit to other days: "We swim on Thursdays now". It must name the whole habit, or deny one of its days. */
function isOnOtherDays({ text, pack }: ClaimUnit, habit: string): boolean {
  const said = plainMarks(text);
  // "I swim on Mondays, so don't suggest anything then"
  const known = affirmedPart(plainMarks(habit), pack);
  const [days, knownDays] = [weekdaysIn(said, pack), weekdaysIn(known, pack)];
  if (days.length === 0 || knownDays.length === 0 || !mayMeanSamePeople(text, known, pack)) return false;
  const isOfUser = (plain: string): boolean => saysAny(pack, plain, 'me', 'we');
  if (isOfUser(known) && !isOfUser(said) && namesSomebody(text, pack)) return false;
  const [gist, knownGist] = [gistOf(text, pack), gistOf(known, pack)];
  const isFromNow = (plain: string): boolean => listPattern(pack, 'fromNow').test(plain);
  const isDenied = (plain: string): boolean => packPattern(pack, 'not').test(plain);
  if (days.some((day) => knownDays.includes(day))) {
    const clauses = splitClauses(said).map(({ start, end }) => said.slice(start, end));
    const isInstead = (clause: string): boolean =>
      isFromNow(clause) && isOfUser(clause) && weekdaysIn(clause, pack).length > 0 && !isDenied(clause);
    if (packPattern(pack, 'ended').test(said)) return knownGist.some((stem) => gist.includes(stem));
    const [denied = ''] = gistOf(clauses.some(isInstead) ? (clauses.find(isDenied) ?? '') : '', pack);
    if (knownGist.includes(denied)) return true;
  }
  if (!isFromNow(said) || listPattern(pack, 'inAddition').test(said)) return false;
  const isOther = !days.every((day) => knownDays.includes(day));
  return isOther && knownGist.length > 0 && knownGist.every((stem) => gist.includes(stem));
}

function affirmedPart(plain: string, pack: Pack): string {
  const at = packPattern(pack, 'not').exec(plain)?.index;
  return at === undefined ? plain : plain.slice(0, at);
}

const weekdayPatterns = perPack(({ script, calendar: { weekdays, shortWeekdays = [] } }) =>
  weekdays.map((names, index) =>
    wordsPattern(`(?:${[names, shortWeekdays[index]].filter(Boolean).join('|')})s?`, script),
  ),
);

function weekdaysIn(plain: string, pack: Pack): number[] {
  return weekdayPatterns(pack).flatMap((pattern, day) => (pattern.test(plain) ? day : []));
}

/** What the user has given up or no longer likes. Empty for other sentences. */
function endedThing(unit: ClaimUnit): string {
  const { text, pack } = unit;
  const plain = plainMarks(text);
  const words = pack.lists['dropped']?.replaceAll('<>', "(\\p{L}[\\p{L}\\p{N}' -]{0,48}?)") ?? '';
  const dropped = wordsPattern(words, pack.script).exec(plain);
  if (dropped !== null)
    return continuesOthers(dropped, plain, pack, unit) ? '' : (dropped.slice(1).find(Boolean) ?? '');
  const over = packPattern(pack, 'ended').exec(plain);
  if (over === null || !packPattern(pack, 'me').test(plain)) return '';
  return `${plain.slice(0, over.index)} ${over[0].split(' ').slice(1, -1).join(' ')} ${plain.slice(over.index + over[0].length)}`;
}

/**
 * For "I handed in my notice, my last day is 31 December". Without a notice, the sentence must name the job, because it could also be the
 * last day at a school or of a diet.
 */
export function leavingIn(claims: readonly ClaimUnit[], turn: Turn): { on: string; ends: Ends } | null {
  const isNotice = claims.some(
    ({ pack, text, filled }) => filled.some(isQuitting) || listPattern(pack, 'givesNotice').test(plainMarks(text)),
  );
  for (const { pack, text, filled } of claims) {
    const on = dayAfterLast(text, pack, turn.at)?.toISOString();
    if (on === undefined) continue;
    const isOver = (memory: Memory): boolean =>
      isJob(memory) && memory.tense === 'holds' && (isNotice || isNamed(memory.value ?? '', text));
    const ends = endsBy(turn, text, isOver, on);
    if (isNotice || ends.length > 0 || filled.some(isJob)) return { on, ends };
  }
  return null;
}

export function endingOn(on: string, statement: ReadStatement): ReadStatement {
  return isJob(statement) && statement.tense === 'holds' ? { ...statement, to: on } : statement;
}

/** Removes the slots that would end a job immediately. */
export function withoutQuitting<Item extends Asked>(item: Item): Item {
  return { ...item, unit: { ...item.unit, filled: item.unit.filled.filter((slot) => !isQuitting(slot)) } };
}

type Told = Pick<ReadStatement, 'subject' | 'attribute' | 'polarity'>;

function isJob({ subject, attribute, polarity }: Told): boolean {
  return hasTrait(attribute, 'firm') && isUser(subject) && polarity === 'affirmed';
}

function isQuitting(slot: Told): boolean {
  return slot.polarity === 'denied' && isJob({ ...slot, polarity: 'affirmed' });
}

function isNamed(employer: string, text: string): boolean {
  const words = ` ${normalValue(text)} `;
  const names = [employer, ...employer.split(' ').filter(({ length }) => length > 2)].map((name) => normalValue(name));
  return names.some((name) => name !== '' && words.includes(` ${name} `));
}

function isOpenPlan({ tense, validFrom, dueAt, statedAt, archivedAt }: Memory, at: Date): boolean {
  const day = validFrom ?? dueAt;
  return tense === 'planned' && archivedAt === null && statedAt < at && (day === null || day.getTime() > at.getTime());
}

function isNamedIn({ value, content }: Memory, clause: string, pack: Pack): boolean {
  // "Staying in Graz" does not call off a move to Graz.
  const isPlace = / \p{L}{1,2}$/u.test(CALLED_OFF.exec(clause)?.[0] ?? '');
  if (value !== null && ` ${normalValue(clause)} `.includes(` ${normalValue(value)} `)) return !isPlace;
  const rest = [...contentStems(clause.replace(CALLED_OFF, ' '))];
  const stems = contentStems(content);
  return rest.length > 0 && pack.script !== 'han' && rest.every((stem) => stems.has(stem));
}

/** "We're staying in Porto" rules out a move to Lisbon. */
function isExcluded({ attribute, value, subject }: Memory, slots: readonly FilledSlot[]): boolean {
  return slots.some(
    (slot) =>
      slot.attribute === attribute &&
      slot.subject === subject &&
      slot.polarity === 'affirmed' &&
      slot.tense !== 'planned' &&
      !hasValue(slot, value),
  );
}
