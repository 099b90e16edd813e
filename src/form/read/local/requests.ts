import { namesText } from '../../../language/foreign-text.ts';
import { findDates } from '../../../language/pack-dates.ts';
import { packRegExp, plainMarks, wordsPattern, type Pack } from '../../../language/packs/pack.ts';
import { packPattern } from '../../../language/packs/packs.ts';
import type { ReadUnit } from './units.ts';

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
      name === 'lead' ? packRegExp(`^(?:\\s|(?:${source})(?![\\p{L}]))*$`) : wordsPattern(source, pack.script, 'giu');
    patterns.set(name, pattern);
  }
  return pattern;
}

/** Whether what stands before a verb leaves it an order of the user's. */
function isOrder(before: string, pack: Pack): boolean {
  const own = new RegExp(
    `(?<![\\p{L}])(?:${pack.words.me}|${pack.words.we})(?: \\S+){0,2}? (?:${pack.words.said})(?![\\p{L}])`,
    'giu',
  );
  if (packPattern(pack, 'said').test(before.replace(own, ' '))) return false;
  if (pack.script === 'han') return true;
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
  // A comma ends the object, unless the next thing of the user's follows it.
  const after =
    /[.;!?。！？]|,(?! (?:and |und |y |et |e |en )?(?:my|our|mein|mi|mon|ma|meu|minha|il mio|la mia|mijn)(?!\p{L}))/u.exec(
      rest,
    );
  const own = after === null ? rest : rest.slice(0, after.index);
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
