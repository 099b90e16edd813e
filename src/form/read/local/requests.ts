import { findDates } from '../../../language/pack-dates.ts';
import { type Pack, plainMarks, wordsPattern } from '../../../language/packs/pack.ts';
import { packPattern } from '../../../language/packs/packs.ts';
import { conceptsIn } from '../../../language/request-concepts.ts';
import { withoutEnd } from '../../../language/words.ts';
import { normalValue } from '../../../record/attributes.ts';
import { isUser } from '../../../record/statement.ts';
import { isStatement } from '../../meant-by-request.ts';
import { type ReadForget, type ReadInput, readStatement, type ReadStatement } from '../reader.ts';
import { guessRequest } from './request-head.ts';
import { type ReadUnit, renderSlot } from './units.ts';

/** What a sentence asks of the memory; null where it asks nothing of it. */
export type Request = 'remember' | 'forget' | 'take-back' | 'wish' | 'reminder';

/** A request, and how sure the reader is that it is one. */
export interface FoundRequest {
  request: Request | null;
  sure: number;
}

/**
 * How sure the head must be: alone, where the words of the request name something that was said, and where a sentence begins with the verb
 * ("Erase that last message"). What is obeyed wrongly is worse than what is missed: at 0.8 and 0.5 one everyday sentence of a hundred that
 * named something known was obeyed.
 */
export const SURE = 0.9;
export const SURE_IF_GROUNDED = 0.7;
const SURE_IF_PLAIN = 0.65;

/** How sure the head must be of a sentence; `usual` where it does not begin with a verb of forgetting. */
function neededFor(text: string, pack: Pack, usual: number): number {
  const first = conceptsIn(text.trimStart().slice(0, 40), pack)[0];
  const begins = first !== undefined && first.start === 0 && (first.concept === 'forget' || first.concept === 'drop');
  // "Forget it, never mind" drops a task.
  const isPlain = begins && !/^\S+ \S{1,5},/.test(text.trimStart());
  return isPlain ? SURE_IF_PLAIN : usual;
}

// "When I say X, remember Y" and "remember later": an order for another time is not a request of now.
const DELAYED =
  /\b(?:later|not now|not yet|when(?:ever)? (?:i|you|he|she|they|someone) (?:say|ask|mention|see|hear)s?|next time (?:i|you)|if (?:i|you|he|she|anyone) (?:say|ask|mention)s?|once (?:i|you) (?:say|ask))\b/i;
const RECALLS =
  /^(?:do|did|can|don't|didn't|u) (?:you|u)? ?(?:still )?(?:remember|recall)\b|\bremember (?:when|how|what|who|where|why|the time|me|if|to)\b|\bi (?:still |can't |don't |do )?remember\b|[?？]\s*$/i;

/** The request that a sentence makes: to forget by the learned head, the others by the phrases of its language. */
export function requestOf(unit: ReadUnit, said: readonly string[]): FoundRequest {
  const { pack } = unit;
  if (pack === null || unit.isForeign) return { request: null, sure: 0 };
  const text = plainMarks(unit.text.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  const other = ((): Request | null => {
    if (says('reminder')) return 'reminder';
    if (says('remember') && !DELAYED.test(text) && !RECALLS.test(text)) return 'remember';
    return says('wish') && !/[?？]\s*$/.test(text) ? 'wish' : null;
  })();
  const guess = guessRequest(unit, said);
  const sure = 1 - guess.none;
  if (sure < neededFor(text, pack, other === null ? SURE_IF_GROUNDED : SURE)) return { request: other, sure: 1 };
  return { request: guess.take_back > Math.max(guess.forget, guess.keep_not) ? 'take-back' : 'forget', sure };
}

/** What a request to forget means: words that name it, or the turn itself. Null where it is too doubtful to be obeyed. */
export type ForgetObject = Pick<ReadForget, 'about' | 'of'> & { quote: string };

/**
 * What a request to forget is about, in its own words: those of its sentence, else those of the rest of its turn, where they name
 * something that was said. "I applied elsewhere, but don't save that" means the turn itself.
 */
export function forgetObject(
  unit: ReadUnit,
  sure: number,
  { isGrounded, isNothing }: { isGrounded(words: string): boolean; isNothing(words: string): boolean },
): ForgetObject | null {
  const pack = unit.pack as Pack;
  const text = plainMarks(unit.text);
  const clause = requestClause(text, pack);
  const asked = text.slice(clause);
  if (isGrounded(asked)) return { about: asked, quote: unit.text, of: 'named' };
  const before = plainMarks(unit.turn.slice(0, unit.start + clause)).trim();
  const isOwn = isTelling(before, isNothing) && !isGrounded(before);
  if (sure < neededFor(text, pack, SURE) && !isGrounded(before)) return null;
  if (isOwn && isStatement(before)) return { about: before, quote: unit.text.slice(clause), of: 'own turn' };
  if (isGrounded(text)) return { about: text, quote: unit.text, of: 'named' };
  if (isGrounded(before)) return { about: before, quote: unit.text, of: 'named' };
  const points = conceptsIn(text, pack).some(({ concept }) => concept === 'just' || concept === 'point');
  return { about: asked, quote: unit.text, of: points ? 'named or last' : 'named' };
}

/** Where the clause begins in which something is asked: at the first that has a word of requests. */
function requestClause(text: string, pack: Pack): number {
  const asking = conceptsIn(text, pack).filter(({ concept }) => ASKS.has(concept));
  const starts = [0, ...[...text.matchAll(CLAUSE)].map(({ index, 0: mark }) => index + mark.length)];
  const first = asking.map(({ start }) => starts.findLast((each) => each <= start) ?? 0);
  return first.length === 0 ? 0 : Math.min(...first);
}

const ASKS = new Set(['forget', 'drop', 'keep', 'memory', 'private', 'gone']);

/** Where a clause begins: at a mark, or at a conjunction. */
const CLAUSE = /[,;.:!?–—…、，。]\s*| (?=(?:but|aber|pero|mas|mais|ma|però|maar) )|(?<=けど)|(?=でも)/gu;

/** Whether words before a request can be what it means: fewer are a greeting. */
function isTelling(words: string, isNothing: (words: string) => boolean): boolean {
  const signs = words.match(/\p{Lo}/gu)?.length ?? 0;
  return (signs >= 5 || (words.match(/[\p{L}\p{N}]+/gu) ?? []).length >= 3) && !isNothing(words);
}

/** When a reminder is due; null where the sentence does not say. */
export function dueOf(unit: ReadUnit, now: Date, timeZone: string): Date | null {
  if (unit.pack === null) return null;
  const dates = findDates(unit.text, unit.pack, { now, timeZone, prefer: 'future' });
  return dates.find(({ to }) => to === null || to.getTime() > now.getTime())?.from ?? null;
}

const OPENING: Readonly<Record<string, string>> = {
  en: "(?:no|nope|sorry|wait|oops|correction|actually)[,.!]* +(?:sorry,? |wait,? |actually,? )?(?:it's |it is |it was |i meant |i mean |make (?:it|that) |that should be |should be )?|i meant |i mean |make (?:it|that) |correction:? ",
  de: '(?:nein|nee|sorry|halt|moment|quatsch)[,.!]* +(?:es ist |ich meinte |ich meine )?|ich meinte |ich meine ',
  es: '(?:no|perdón|espera)[,.!]* +(?:es |era |quise decir |digo )?|quise decir |digo ',
  fr: "(?:non|pardon|attends)[,.!]* +(?:c'est |je voulais dire )?|je voulais dire ",
  pt: '(?:não|desculpa|espera)[,.!]* +(?:é |era |quis dizer )?|quis dizer ',
  it: '(?:no|scusa|aspetta)[,.!]* +(?:è |era |volevo dire )?|volevo dire ',
  nl: '(?:nee|sorry|wacht)[,.!]* +(?:het is |ik bedoel |ik bedoelde )?|ik bedoel(?:de)? ',
};
const MOST_WORDS = 4;

/**
 * "No, Thursday": a short answer that puts another value in the place of the one just given. Only where one slot of the last turns
 * has a value of the same kind (a weekday for a weekday, a number for a number, a name for a name): otherwise null.
 */
export function correctionOf(
  unit: ReadUnit,
  said: readonly ReadStatement[],
  input: ReadInput,
  turn: number,
): ReadStatement | null {
  const { pack } = unit;
  const opening = pack === null ? undefined : OPENING[pack.language];
  if (pack === null || opening === undefined || unit.isForeign || unit.text.length > 80) return null;
  const match = new RegExp(`^(?:${opening})(.+)$`, 'iu').exec(plainMarks(unit.text));
  const value = withoutEnd(match?.[1] ?? '', '.! \t\n').trim();
  if (value === '' || value.includes('?') || value.split(' ').length > MOST_WORDS) return null;
  const kind = kindOf(value, pack);
  if (kind === null) return null;
  const recent = said.filter(
    ({ quotes, value: old }) => old !== null && turn - (quotes[0]?.turn ?? 0) <= 2 && turn > (quotes[0]?.turn ?? 0),
  );
  const [own, ...others] = recent.filter(({ value: old }) => kindOf(old ?? '', pack) === kind);
  if (own !== undefined && others.length === 0 && own.attribute !== null) {
    return corrected(
      { subject: own.subject, attribute: own.attribute, type: own.type },
      value,
      unit,
      input,
      turn,
      null,
    );
  }
  const lastTurns = [...input.earlier, ...input.turns.slice(0, turn - 1)]
    .filter(({ origin }) => origin === 'user')
    .slice(-2);
  const matches = input.known
    .map((memory, index) => ({ memory, number: index + 1 }))
    .filter(({ memory }) => memory.attribute !== null && memory.value !== null && kindOf(memory.value, pack) === kind)
    .filter(({ memory }) => memory.sourceEvents.some((id) => lastTurns.some((event) => event.id === id)));
  const [only] = matches;
  if (only === undefined || matches.length > 1 || own !== undefined) return null;
  if (normalValue(only.memory.value ?? '') === normalValue(value)) return null;
  return corrected(
    { subject: only.memory.subject, attribute: only.memory.attribute as string, type: only.memory.type },
    value,
    unit,
    input,
    turn,
    only.number,
  );
}

function corrected(
  of: { subject: string; attribute: string; type: string },
  value: string,
  unit: ReadUnit,
  input: ReadInput,
  turn: number,
  known: number | null,
): ReadStatement {
  const slot = {
    ...of,
    value,
    polarity: 'affirmed' as const,
    tense: null,
    from: null,
    start: 0,
    end: unit.text.length,
  };
  return readStatement({
    ...of,
    value,
    text: renderSlot(slot, unit.pack as Pack, input.attributes),
    quotes: [{ turn, words: unit.text }],
    relation: known === null ? null : { kind: 'replaces', known },
  });
}

/** What sort of value it is: only the same sort takes its place. */
function kindOf(value: string, pack: Pack): string | null {
  const plain = plainMarks(value);
  if (wordsPattern(pack.calendar.weekdays.join('|'), pack.script).test(plain)) return 'weekday';
  if (wordsPattern(pack.calendar.months.join('|'), pack.script).test(plain) && /\d/.test(plain)) return 'date';
  if (/^[€$£]?\d[\d.,:]*\s?(?:\p{L}{1,8}|[€$£])?$/u.test(plain)) return 'number';
  return isUser(plain) || !/^\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}$/u.test(plain) ? null : 'name';
}
