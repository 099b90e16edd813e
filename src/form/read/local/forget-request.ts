import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, packPattern, packRegExp, perPack, plainMarks } from '../../../language/packs/packs.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import type { Meanable } from '../../matter.ts';
import {
  ANY,
  type AskedIn,
  HALF,
  isMoreThanGreeting,
  meantByRequest,
  namesNothing,
  namesTopic,
  tellingStems,
} from '../../meant-by-request.ts';
import type { Reading, ReadInput } from '../reader.ts';
import type { Kept } from './statements-of-turn.ts';
import { correctionStart } from '../../forget-phrases.ts';
import { deniesItself, forgetObject, type ForgetObject } from './requests.ts';
import { isOwnMessage, type ReadUnit, type Turn } from './units.ts';

/** Reads a request to forget: what it means, and which statements of its own turn are not formed. */
export function forget(turn: Turn, unit: ReadUnit, input: ReadInput, { reading, kept }: TurnReading): void {
  const quote = { turn: turn.number, words: unit.text };
  const said = plainMarks(turn.event.content.slice(0, unit.start));
  const object = forgetObject(unit, said);
  if (object === null) return;
  const before = meanableBefore(turn, input, reading);
  // "Take the vanilla off" is work on a list if the user has written a list with vanilla.
  const meanable = object.needsObject ? before.filter(({ content }) => !isTask(content)) : before;
  const asked = { attributes: input.attributes, pack: unit.pack };
  const isGrounded: IsGrounded = (words, least = 1) => meantByRequest(words, meanable, { ...asked, least }).length > 0;
  const isAll = unit.pack !== null && packPattern(unit.pack, 'request:all').test(unit.text);
  // Statements of this turn do not count as told before.
  const earlier = meanable.filter((item) => !('turn' in item) || item.turn !== turn.number);
  const isTold: IsGrounded = (words, least = ANY) => meantByRequest(words, earlier, { ...asked, least }).length > 0;
  const told =
    toldBefore(turn, unit, object, isAll).find((words) => isTold(words)) ??
    alludedTo(plainMarks(turn.event.content.slice(0, unit.start + object.clause)), object, isTold, asked);
  const { points, about } = aboutOf({ ...object, told }, isGrounded, asked);
  const isSaidAgain = points && reading.forgets.some(({ quote: { turn: other } }) => other === turn.number);
  const inTurn = told === undefined ? meantInTurn(turn, unit, { ...object, points, isGrounded, asked }) : null;
  if (inTurn !== null) {
    // Neither what the turn says before the request nor what the sentence says after it is formed.
    if (inTurn.isBefore) dropOwnTurn(turn, { reading, kept });
    reading.forgets.push({ quote: { ...quote, words: inTurn.words }, about: inTurn.about, known: [] });
    return;
  }
  if (about === null || (about === '' && isSaidAgain)) return;
  const corrected = about === '' ? correctedBy(turn, unit) : null;
  if (corrected !== null) {
    // "Scratch that, the meeting is at four": only what the new words replace is forgotten.
    const replaced = earlier.findLast(({ content }) => replaces(corrected, content, unit.pack));
    if (replaced !== undefined) reading.forgets.push({ quote, about: replaced.content, known: [], isToldBefore: true });
    return;
  }
  const isAllusion = about === said.trim() || namesNothing(about, asked);
  const isToldBefore = about !== '' && (about === told || (isAllusion && isTold(about, 1)));
  pushForget(turn, unit, input, { reading, kept }, { about, said: said.trim(), isToldBefore, isAll });
}

/** The words after a request in its own sentence that give a new value; null where none follow. */
function correctedBy({ event: { content } }: Turn, { pack, text, start }: ReadUnit): string | null {
  const [own = ''] = content.slice(start).split(/[.!?\n]/u);
  const at = pack === null ? null : correctionStart(own, pack);
  return at === null || at < text.length ? null : own.slice(at);
}

/** Whether new words speak of the same as earlier ones, beside the value: "the meeting is at four" and "the meeting is at three". */
function replaces(words: string, earlier: string, pack: Pack | null): boolean {
  const letters = (text: string): string => text.replace(/\p{N}+/gu, ' ');
  const [now, then] = [tellingStems(letters(words), pack), tellingStems(letters(earlier), pack)];
  return now.size > 0 && [...now].filter((stem) => then.has(stem)).length * 2 >= now.size;
}

/** What a turn is read into: the sentences of the turn that are kept become statements when all of it is read. */
export interface TurnReading {
  reading: Reading;
  kept: Kept[];
}

/** "I moved to Graz. Forget that.": nothing that this turn has said so far is formed. */
function dropOwnTurn({ number }: Turn, { reading, kept }: TurnReading): void {
  kept.length = 0;
  reading.statements = reading.statements.filter(({ quotes }) => quotes[0]?.turn !== number);
}

/** Adds a request that names its object, or that refers to what was said just before. */
function pushForget(
  turn: Turn,
  unit: ReadUnit,
  input: ReadInput,
  { reading, kept }: TurnReading,
  { about, said, isToldBefore, isAll }: { about: string; said: string; isToldBefore: boolean; isAll: boolean },
): void {
  const pointsBack = about === '' && unit.index === 0;
  if (pointsBack && isTask(lastOwn(turn, input)?.content ?? '')) return;
  // "I moved to Graz. Forget that.": what this turn says before the request is not formed at all.
  if (about === '' || about === said || isToldBefore) dropOwnTurn(turn, { reading, kept });
  const meant = pointsBack
    ? saidLast(turn, input)
    : meantByRequest(about, input.known, { attributes: input.attributes, pack: unit.pack });
  const known = input.known.flatMap((memory, index) => (meant.includes(memory) ? [index + 1] : []));
  const quote = { turn: turn.number, words: unit.text };
  const isDenial = deniesItself(unit);
  reading.forgets.push({
    quote,
    about: about === '' && !pointsBack ? said : about,
    known,
    isToldBefore,
    isAll,
    isDenial,
  });
}

/**
 * "The loan is paid back, you can delete that": the clause before the request that contains a word of an earlier statement. One word is
 * enough for a request to remove something. A request not to keep something needs more, because it often means its own turn.
 */
function alludedTo(
  before: string,
  { candidates: [own = ''], isDenied, isIdiom }: ForgetObject,
  isTold: IsGrounded,
  asked: AskedIn,
): string | undefined {
  if (isIdiom && !namesNothing(own, asked) && !namesTopic(own, asked)) return undefined;
  return before
    .split(CLAUSE_END)
    .find((clause) => !namesNothing(clause, asked) && isTold(clause, isDenied ? HALF : ANY));
}

/** Withdraws an earlier request, unless the turn keeps something else: "Delete what you know of my therapy. The allergy, keep that." */
export function takeBack(turn: Turn, { text, pack }: ReadUnit, input: ReadInput, reading: Reading): void {
  const asked = { attributes: input.attributes, pack };
  const meanable = meanableBefore(turn, input, reading);
  const here = reading.forgets.filter(({ quote }) => quote.turn === turn.number);
  const forgotten = new Set(here.flatMap(({ about }) => meantByRequest(about, meanable, asked)));
  const kept = here.length === 0 ? [] : meantByRequest(text, meanable, asked);
  if (kept.length > 0 && !kept.some((item) => forgotten.has(item))) return;
  reading.forgets.push({ quote: { turn: turn.number, words: text }, about: text, known: [], takenBack: true });
}

type IsGrounded = (words: string, least?: number) => boolean;

/**
 * "I shouldn't have told you about Danny. That's his business. Forget it.": the clauses that refer to something told before; with "forget
 * all you know of him" also the names in the turn.
 */
function toldBefore(
  { event }: Turn,
  { pack, text, start }: ReadUnit,
  { candidates }: ForgetObject,
  isAll: boolean,
): string[] {
  if (pack === null) return [];
  const clauses = plainMarks(event.content.slice(0, start + text.length)).split(CLAUSE_END);
  // "Delete all about my ex. I mean, all about Markus.": the request is repeated in other words.
  const explained = patternsOf(pack).again.exec(plainMarks(event.content.slice(start + text.length)))?.[1];
  const told = [
    ...(explained === undefined ? [] : [explained]),
    ...clauses.filter((clause) => packPattern(pack, 'request:told').test(clause)),
    // "The row with the neighbour is settled, you can forget that whole story."
    ...(isAll ? clauses : []),
  ];
  if (!packPattern(pack, 'they').test(candidates[0] ?? '')) return told;
  return [...told, ...clauses.flatMap((clause) => clause.match(NAME) ?? [])];
}

const patternsOf = perPack(({ i, words: { ask }, requests: { again } }) => ({
  again: packRegExp(`^[\\s.!?,;–—-]*(?:${again || '(?!)'})[,:]? ([^.!?\\n]{3,120})`),
  task: packRegExp(`^(?:(?:${i}) )?(?:${ask})(?![\\p{L}])`),
}));
const CLAUSE_END = /[,;.:!?–—…、，。]/u;
const NAME = /\p{Lu}\p{L}+/gu;

/** The object of a request; empty if it refers to what was said just before, null if nothing is requested. */
function aboutOf(
  { candidates, needsObject, isIdiom, near, ahead, told }: ForgetObject & { told?: string },
  isGrounded: IsGrounded,
  asked: AskedIn,
): { points: boolean; about: string | null } {
  const isNothing = (words: string): boolean => namesNothing(words, asked);
  const [first = ''] = candidates;
  const points = !needsObject && [near ?? first, first].some(isNothing);
  // A partial match is enough only for the words of the request itself and of its clause.
  const grounded =
    candidates.slice(0, 2).find((words) => isGrounded(words)) ??
    told ??
    candidates.find((words) => isGrounded(words)) ??
    candidates.slice(0, 2).find((words) => isGrounded(words, HALF));
  if (grounded !== undefined || isIdiom) return { points, about: grounded ?? (points ? '' : null) };
  const named =
    candidates.find((words) => namesTopic(words, asked)) ??
    (points ? ahead : candidates).find((words) => !isNothing(words));
  return { points, about: named ?? '' };
}

/** "Calculate the fare", "shopping list: eggs, flour, milk": a task or a list, which tells nothing of the user. */
function isTask(content: string): boolean {
  const pack = detectPack(content);
  return LIST.test(content) || (pack !== null && patternsOf(pack).task.test(content));
}

const LIST = /^[^:,.]{1,40}:[^,]+,[^,]+,|^\s*[<{[]/u;

function lastOwn(turn: Turn, { earlier, turns }: ReadInput): Event | undefined {
  return [...earlier, ...turns.slice(0, turn.number - 1)].findLast(isOwnMessage);
}

/** "Don't keep this: I take sertraline.", "I applied elsewhere, but don't save that": the object is beside the request. */
function meantInTurn(
  { event }: Turn,
  { text, start }: ReadUnit,
  object: ForgetObject & { points: boolean; isGrounded: IsGrounded; asked: AskedIn },
): { words: string; about: string; isBefore: boolean } | null {
  const { following, clause, near, points, isDenied, isGrounded, asked } = object;
  const lead = text.slice(0, following ?? 0);
  const after = text.slice(lead.length).replace(/^[\s:]+/u, '');
  if ((points || isDenied) && lead !== '' && isMoreThanGreeting(after) && !isGrounded(lead))
    return { words: lead, about: after, isBefore: false };
  const own = plainMarks(event.content.slice(0, start + clause)).trim();
  // "Never mind what I said there, …" tells nothing itself.
  const isNamed = namesNothing(own, asked) || isGrounded(own) || isGrounded(near ?? '', HALF);
  const isMeant = clause > 0 && points && isMoreThanGreeting(own) && !isNamed;
  return isMeant ? { words: text.slice(clause), about: own, isBefore: true } : null;
}

/** The known statements from the user's previous turn. */
function saidLast(turn: Turn, input: ReadInput): Memory[] {
  const last = lastOwn(turn, input);
  return input.known.filter(({ sourceEvents }) => last !== undefined && sourceEvents.includes(last.id));
}

/** What a request can mean: known statements, statements of these turns, and earlier messages. */
function meanableBefore(turn: Turn, input: ReadInput, reading: Reading): Meanable[] {
  const now = reading.statements.map(({ attribute, value, text, quotes }) => ({
    attribute,
    value,
    content: text,
    statedAt: turn.event.occurredAt,
    turn: quotes[0]?.turn,
  }));
  const spoken = [...input.earlier, ...input.turns.slice(0, turn.number - 1)]
    .filter(isOwnMessage)
    .map(({ content, occurredAt }) => ({ attribute: null, value: null, content, statedAt: occurredAt }));
  return [...input.known, ...now, ...spoken];
}
