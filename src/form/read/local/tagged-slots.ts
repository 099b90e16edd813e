import type { Pack } from '../../../language/packs/pack.ts';
import { packPattern, perPack, plainMarks, wordsPattern } from '../../../language/packs/packs.ts';
import { USER } from '../../../record/statement.ts';
import type { FilledSlot } from './fill-slots.ts';
import type { ReadUnit, ToldMessage } from './units.ts';

/** How probable a value must be: of unseen plain sentences 97 of 100 values are then right (train/README.md). */
const SURE = 0.95;
/** In longer turns and sentences the layers take too much for the user's that belongs to somebody else. */
const MOST_SENTENCES = 2;
const MOST_WORDS = 18;
const MOST_CHARACTERS = 40;

/** One may shop at a firm and own a flat in a town: such a value needs a word for its attribute, or another slot, in its sentence. */
const PLACES: ReadonlySet<string> = new Set(['employer', 'school', 'home_city', 'home_country', 'hometown', 'address']);

const topicsOf = perPack(
  ({ topics, script }) =>
    new Map(Object.entries(topics).map(([attribute, words]) => [attribute, wordsPattern(words, script)])),
);

/**
 * The slots of a plain sentence that the reading layers tell, beside those that a pattern has found. They count as likely, and they replace
 * nothing that the user's words state for certain.
 */
export function taggedSlots(unit: ReadUnit, values: ToldMessage['values']): FilledSlot[] {
  const { pack } = unit;
  if (pack === null || !isPlain(unit, pack)) return [];
  const tagged = values.flatMap(({ start, end, attribute, probability }): FilledSlot[] => {
    if (start < unit.start || end > unit.end || probability < SURE) return [];
    const place = trimmed(unit.text, start - unit.start, end - unit.start);
    const isTaken = unit.filled.some((other) => place.start < other.end && place.end > other.start);
    if (place.start === place.end || isTaken) return [];
    const value = unit.text.slice(place.start, place.end);
    return [
      {
        subject: USER,
        attribute,
        value,
        polarity: 'affirmed',
        tense: null,
        from: null,
        ...place,
        isLikely: true,
        isTold: true,
      },
    ];
  });
  const hasOther = [...unit.filled, ...tagged].some(({ attribute }) => !PLACES.has(attribute));
  const isSaid = (attribute: string): boolean => topicsOf(pack).get(attribute)?.test(plainMarks(unit.text)) === true;
  return tagged.filter(({ attribute }) => !PLACES.has(attribute) || hasOther || isSaid(attribute));
}

const VETOES = ['hedge', 'if', 'kidding', 'said', 'question', 'they', 'ask', 'over', 'not', 'ended'] as const;

/** Whether a sentence is short, its author's own, and no question, condition, denial or report of somebody else. */
function isPlain({ text, count, isForeign, foreign }: ReadUnit, pack: Pack): boolean {
  if (isForeign || foreign.length > 0 || count > MOST_SENTENCES) return false;
  const isLong = pack.script === 'han' ? text.length > MOST_CHARACTERS : text.split(/\s+/u).length > MOST_WORDS;
  const plain = plainMarks(text);
  return !isLong && !/[?？]/u.test(text) && !VETOES.some((name) => packPattern(pack, name).test(plain));
}

const OPENS = /[\p{L}\p{N}+$€£¥₦₹#]/u;
const CLOSES = /[\p{L}\p{N}\p{M}%$€£¥)]/u;

/** The words without the marks of punctuation around them. */
function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  while (start < end && !OPENS.test(text.charAt(start))) start += 1;
  while (end > start && !CLOSES.test(text.charAt(end - 1))) end -= 1;
  return { start, end };
}
