import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, packPattern, packRegExp, perPack, plainMarks } from '../../../language/packs/packs.ts';
import type { TextSpan } from '../../../language/sentences.ts';
import type { Event } from '../../../record/event.ts';
import {
  type AskedIn,
  DOUBTED,
  HALF,
  isMoreThanGreeting,
  type Meanable,
  meantByRequest,
  namesNothing,
  namesTopic,
  tellingStems,
  WHOLE,
} from '../../meant-by-request.ts';
import type { Reading, ReadInput } from '../reader.ts';
import type { Kept } from './statements-of-turn.ts';
import { correctionStart } from '../../forget-phrases.ts';
import { deniesItself, forgetObject, type ForgetObject } from './requests.ts';
import { askingOdds, isOwnMessage, type ReadUnit, type Turn } from './units.ts';

/** Reads a request to forget: its words, and whether it is about its own turn. Nothing is then formed from that turn. */
export function forget(turn: Turn, unit: ReadUnit, input: ReadInput, { reading, kept }: TurnReading): void {
  const quote = { turn: turn.number, words: unit.text };
  const said = plainMarks(turn.event.content.slice(0, unit.start));
  const object = forgetObject(unit, said);
  if (object === null) return;
  const asked = { attributes: input.attributes, pack: unit.pack };
  const before = meanableBefore(turn, input, reading);
  // "Take the vanilla off" is work on a list if the user has written a list with vanilla.
  const meanable = object.needsObject ? before.filter(({ content }) => !isTask(content)) : before;
  const isGrounded: IsGrounded = (words, least = WHOLE) =>
    meantByRequest(words, meanable, { ...asked, least }).length > 0;
  const { points, about } = aboutOf(object, isGrounded, asked);
  const own = ownWords(turn, unit, { ...object, points, isGrounded, asked });
  if (own !== null) {
    if (own.span.start === 0) dropOwnTurn(turn, { reading, kept });
    reading.forgets.push({ quote: { ...quote, words: own.request }, about: own.words, known: [], own: own.span });
    return;
  }
  const isSaidAgain = points && reading.forgets.some((request) => request.quote.turn === turn.number);
  if (about === null || (about === '' && isSaidAgain)) return;
  const corrected = about === '' ? correctedBy(turn, unit) : null;
  if (corrected !== null) {
    // "Scratch that, the meeting is at four": only what the new words replace is forgotten.
    const replaced = before.findLast(({ content }) => replaces(corrected, content, unit.pack));
    if (replaced !== undefined) reading.forgets.push({ quote, about: replaced.content, known: [] });
    return;
  }
  const pointsBack = about === '' && unit.index === 0;
  if (pointsBack && isTask(lastOwn(turn, input)?.content ?? '')) return;
  // "I moved to Graz. Forget that.": what this turn says before the request is not formed at all.
  if (about === '' || about === said.trim()) dropOwnTurn(turn, { reading, kept });
  const isAll = unit.pack !== null && packPattern(unit.pack, 'request:all').test(unit.text);
  reading.forgets.push({ quote, about, known: [], isAll, isDenial: deniesItself(unit) });
}

/** The words after a request in its own sentence that give a new value; null where none follow. */
function correctedBy({ event: { content } }: Turn, { pack, text, start }: ReadUnit): string | null {
  const [own = ''] = content.slice(start).split(/[.!?\n]/u);
  const at = pack === null ? null : correctionStart(own, pack);
  return at === null || at < text.length ? null : own.slice(at);
}

/** Whether new words are about the same thing as earlier ones, apart from the value: "the meeting is at four" and "… at three". */
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

const taskOf = perPack(({ i, words: { ask } }) => packRegExp(`^(?:(?:${i}) )?(?:${ask})(?![\\p{L}])`));

/** The object of a request; empty if it refers to what was said just before, null if nothing is requested. */
function aboutOf(
  { candidates, needsObject, isIdiom, near, ahead }: ForgetObject,
  isGrounded: IsGrounded,
  asked: AskedIn,
): { points: boolean; about: string | null } {
  const isNothing = (words: string): boolean => namesNothing(words, asked);
  const [first = ''] = candidates;
  const points = !needsObject && [near ?? first, first].some(isNothing);
  // A partial match is enough only for the words of the request itself and of its clause.
  const grounded =
    candidates.find((words) => isGrounded(words)) ?? candidates.slice(0, 2).find((words) => isGrounded(words, HALF));
  if (grounded !== undefined || isIdiom) return { points, about: grounded ?? (points ? '' : null) };
  const named =
    candidates.find((words) => namesTopic(words, asked)) ??
    (points ? ahead : candidates).find((words) => !isNothing(words));
  return { points, about: named ?? '' };
}

/** "Calculate the fare", "shopping list: eggs, flour, milk": a task or a list, which states nothing about the user. */
function isTask(content: string): boolean {
  const pack = detectPack(content);
  return LIST.test(content) || (pack !== null && taskOf(pack).test(content));
}

const LIST = /^[^:,.]{1,40}:[^,]+,[^,]+,|^\s*[<{[]/u;

function lastOwn(turn: Turn, { earlier, turns }: ReadInput): Event | undefined {
  return [...earlier, ...turns.slice(0, turn.number - 1)].findLast(isOwnMessage);
}

/** "Don't keep this: I take sertraline.", "I applied elsewhere, but don't save that": the words of its own turn that a request means. */
function ownWords(
  turn: Turn,
  unit: ReadUnit,
  object: ForgetObject & { points: boolean; isGrounded: IsGrounded; asked: AskedIn },
): { request: string; words: string; span: TextSpan } | null {
  // "Put that somewhere you won't lose it." is not a request to forget.
  const asking = askingOdds(turn, unit);
  if (asking.length > 0 && Math.max(...asking) < DOUBTED) return null;
  const { event } = turn;
  const { text, start } = unit;
  const { following, clause, near, points, isDenied, isGrounded, asked } = object;
  const lead = text.slice(0, following ?? 0);
  const colon = /^[\s:]*/u.exec(text.slice(lead.length))?.[0].length ?? 0;
  const after = text.slice(lead.length + colon);
  if ((points || isDenied) && lead !== '' && isMoreThanGreeting(after) && !isGrounded(lead))
    return { request: lead, words: after, span: { start: start + lead.length + colon, end: start + text.length } };
  const before = plainMarks(event.content.slice(0, start + clause)).trim();
  // "Never mind what I said there, …" names nothing, and words that were said before are not new in this turn.
  const isNamed = namesNothing(before, asked) || isGrounded(before, HALF) || isGrounded(near ?? '', HALF);
  if (!points || !isMoreThanGreeting(before) || isNamed) return null;
  return { request: text.slice(clause), words: before, span: { start: 0, end: start + clause } };
}

/** What a request can mean: known statements, statements of the turns before it, and earlier messages. */
function meanableBefore(turn: Turn, input: ReadInput, reading: Reading): Meanable[] {
  const now = reading.statements
    .filter(({ quotes }) => quotes[0]?.turn !== turn.number)
    .map(({ attribute, value, text }) => ({ attribute, value, content: text }));
  const spoken = [...input.earlier, ...input.turns.slice(0, turn.number - 1)]
    .filter(isOwnMessage)
    .map(({ content }) => ({ attribute: null, value: null, content }));
  return [...input.known, ...now, ...spoken];
}
