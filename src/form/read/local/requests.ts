import { namesText } from '../../../language/foreign-text.ts';
import { findDates } from '../../../language/pack-dates.ts';
import { type Pack, packRegExp, plainMarks, wordsPattern } from '../../../language/packs/pack.ts';
import { packPattern } from '../../../language/packs/packs.ts';
import { withoutEnd } from '../../../language/words.ts';
import { normalValue } from '../../../record/attributes.ts';
import { isUser } from '../../../record/statement.ts';
import { type ReadInput, readStatement, type ReadStatement } from '../reader.ts';
import { type ReadUnit, renderSlot } from './units.ts';

/** What a sentence asks of the memory; null where it asks nothing of it. */
export type Request = 'remember' | 'forget' | 'take-back' | 'wish' | 'reminder';

// "When I say X, remember Y" and "remember later": an order for another time is not a request of now.
const DELAYED =
  /\b(?:later|not now|not yet|when(?:ever)? (?:i|you|he|she|they|someone) (?:say|ask|mention|see|hear)s?|next time (?:i|you)|if (?:i|you|he|she|anyone) (?:say|ask|mention)s?|once (?:i|you) (?:say|ask))\b/i;
const RECALLS =
  /^(?:do|did|can|don't|didn't|u) (?:you|u)? ?(?:still )?(?:remember|recall)\b|\bremember (?:when|how|what|who|where|why|the time|me|if|to)\b|\bi (?:still |can't |don't |do )?remember\b|[?？]\s*$/i;

/** The request that a sentence makes, by the phrases of its language. */
export function requestOf(unit: ReadUnit): Request | null {
  const { pack } = unit;
  if (pack === null || unit.isForeign) return null;
  const text = plainMarks(unit.text.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  if (says('takeBack')) return 'take-back';
  if (forgetPhrase(unit, pack) !== null && !says('notForget') && !DELAYED.test(text)) return 'forget';
  if (says('reminder')) return 'reminder';
  if (says('remember') && !DELAYED.test(text) && !RECALLS.test(text)) return 'remember';
  return says('wish') && !/[?？]\s*$/.test(text) ? 'wish' : null;
}

/** A request to forget in a sentence: where its phrase stands. */
interface ForgetPhrase {
  start: number;
  end: number;
  /** "Forget the cheese shop": an idiom as often as a request. */
  isIdiom: boolean;
}

/**
 * The phrase by which a sentence asks to forget: in the user's own words, and as an order, which begins its clause but for words of
 * courtesy. "I always forget my keys" and "she said: forget it" ask nothing.
 */
function forgetPhrase(unit: ReadUnit, pack: Pack): ForgetPhrase | null {
  const text = plainMarks(unit.text.slice(0, 600));
  for (const name of ['forget', 'forgetNamed'] as const) {
    for (const match of text.matchAll(globalPattern(pack, name))) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (unit.foreign.some((span) => start < span.end && end > span.start)) continue;
      // "Delete the second paragraph" is work on a text.
      if (name === 'forgetNamed' && namesText(text.slice(end))) continue;
      if (isOrder(text.slice(0, start), pack)) return { start, end, isIdiom: name === 'forgetNamed' };
    }
  }
  return null;
}

const globalPatterns = new WeakMap<Pack, Map<string, RegExp>>();

function globalPattern(pack: Pack, name: 'forget' | 'forgetNamed' | 'lead'): RegExp {
  let patterns = globalPatterns.get(pack);
  if (patterns === undefined) globalPatterns.set(pack, (patterns = new Map()));
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    const source = pack.requests[name];
    pattern =
      name === 'lead'
        ? packRegExp(`^(?:[\\s¿¡]|(?:${source})(?![\\p{L}]))*$`)
        : wordsPattern(source, pack.script, 'giu');
    patterns.set(name, pattern);
  }
  return pattern;
}

/** "One more thing: forget my number." */
const MOST_ANNOUNCING = 3;

/** Whether what stands before a verb leaves it an order of the user's. */
function isOrder(before: string, pack: Pack): boolean {
  const own = packRegExp(
    `(?<![\\p{L}])(?:${pack.words.me}|${pack.words.we})(?: \\S+){0,2}? (?:${pack.words.said})(?![\\p{L}])`,
    'giu',
  );
  if (packPattern(pack, 'said').test(before.replace(own, ' '))) return false;
  if (pack.script === 'han') return true;
  // "Is this polite: please delete my number": what a longer sentence announces is a text, and no order.
  const announced = before.lastIndexOf(':');
  if (announced >= 0 && before.slice(0, announced).trim().split(/\s+/).length > MOST_ANNOUNCING) return false;
  const clause = before.split(/[,;.:!?–—()]/u).at(-1) ?? '';
  return globalPattern(pack, 'lead').test(clause);
}

/** What a request to forget is about, in its own words: "my phone number". Empty where it points at what was said before. */
export interface ForgetObject {
  about: string;
  /** Only something that was said lately can be meant. */
  isIdiom: boolean;
}

/** What is to be forgotten, by the clause of the request, else by the clauses before it: "the medication I told you about, wipe that". */
export function forgetObject(unit: ReadUnit, before: string, namesNothing: (words: string) => boolean): ForgetObject {
  const { pack } = unit;
  const phrase = pack === null ? null : forgetPhrase(unit, pack);
  if (phrase === null) return { about: unit.text, isIdiom: false };
  const text = plainMarks(unit.text);
  const rest = text.slice(phrase.start);
  const length = phrase.end - phrase.start;
  // A comma ends the object, unless the next thing of the user's follows it.
  const after =
    /[.;!?。！？]|,(?! (?:and |und |y |et |e |en )?(?:my|our|mein|mi|mon|ma|meu|minha|il mio|la mia|mijn)(?!\p{L}))/u.exec(
      rest.slice(length),
    );
  const own = after === null ? rest : rest.slice(0, length + after.index);
  for (const words of [own, `${text.slice(0, phrase.start)} ${own}`, before]) {
    if (words.trim() !== '' && !namesNothing(words)) return { about: words.trim(), isIdiom: phrase.isIdiom };
  }
  return { about: '', isIdiom: phrase.isIdiom };
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
