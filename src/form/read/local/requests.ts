import { civilDateAt, instantAt } from '../../../language/calendar.ts';
import { orderIn } from '../../../language/forget-words.ts';
import { namesText } from '../../../language/foreign-text.ts';
import { findDates, timeIn } from '../../../language/pack-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { packPattern, plainMarks } from '../../../language/packs/packs.ts';
import type { ReadForget } from '../reader.ts';
import type { ReadUnit, Turn } from './units.ts';

/** What a sentence asks of the memory besides forgetting; null if it asks nothing. */
export type Request = 'remember' | 'wish' | 'reminder';

/** The request that a sentence makes, by the phrases of its language. */
export function requestOf({ pack, isForeign, text: words }: ReadUnit): Request | null {
  if (pack === null || isForeign) return null;
  const text = plainMarks(words.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  if (says('reminder')) return 'reminder';
  if (/[?？]\s*$/.test(text)) return null;
  if (says('remember') && !says('delayed') && !says('recalls')) return 'remember';
  return says('wish') ? 'wish' : null;
}

/** The log-odds of the reading layers above which a sentence may ask to forget something. What was said before it decides. */
const MAY_ASK = -5;
const SURELY_ASKS = 3;

/** The sentence of a turn that most probably asks to forget something, or takes such a request back; null if none may. */
export function forgetIn({ number, units, told }: Turn): ReadForget | null {
  const isOwn = !units.some(({ isForeign }) => isForeign);
  const likely = units
    .filter((unit) => !unit.isForeign && !isHeaded(unit))
    .map((unit) => {
      const { text, start, end } = unit;
      const parts = told.asking.filter((part) => part.start < end && part.end > start);
      // An order in plain words may ask, whatever the layers make of it alone.
      const least = isOwn && orderIn(text, unit.turn) !== null ? MAY_ASK : -Infinity;
      return { unit, text, odds: Math.max(least, ...parts.map(({ odds }) => odds)) };
    })
    .toSorted((one, other) => other.odds - one.odds)[0];
  // "From now on …" is a wish unless it surely asks to forget something.
  const isWish = likely !== undefined && requestOf(likely.unit) === 'wish' && likely.odds < SURELY_ASKS;
  return likely === undefined || likely.odds < MAY_ASK || isWish
    ? null
    : { quote: { turn: number, words: likely.text }, about: likely.text, known: [], odds: likely.odds };
}

/** "Ana's mail: …": whether a short head before a colon says that the words are a text of somebody else. */
function isHeaded({ turn, start, text }: ReadUnit): boolean {
  const head = /^[^\n:：]{1,60}(?=[:：]\s)/u.exec(turn.slice(0, start) + text)?.[0];
  return head !== undefined && (namesText(head) || /\p{L}['’]s |\p{L} \p{Lu}\p{Ll}/u.test(head));
}

/** When a reminder is due; null where the sentence does not say. */
export function dueOf(unit: ReadUnit, now: Date, timeZone: string): Date | null {
  if (unit.pack === null) return null;
  const dates = findDates(unit.text, unit.pack, { now, timeZone, prefer: 'future' });
  const day = dates.find(({ to }) => to === null || to.getTime() > now.getTime())?.from ?? null;
  return withTime(day, unit.text, unit.pack, timeZone);
}

/** A day with the time of day that the words name: "on Monday at 14:00". */
export function withTime(day: Date | null, words: string, pack: Pack | null, timeZone: string): Date | null {
  const time = day === null || pack === null ? null : timeIn(plainMarks(words), pack);
  return day === null || time === null ? day : instantAt(civilDateAt(day, timeZone), time, timeZone);
}
