import { GIVEN_NAMES } from '../../../language/entities.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { packRegExp, perPack, wordsOfAll } from '../../../language/packs/packs.ts';
import { type FilledSlot, OF_SEVERAL } from './fill-slots.ts';

const CAPITALISED = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]+)?";
const SMALL = "\\p{Ll}[\\p{L}\\p{M}'’-]+";
const HAN = '[\\p{Script=Han}\\p{Script=Katakana}ー]{1,6}?';
/** A detail of one name in the list: "Mia (7)". */
const DETAIL = '(?: ?[(（][^()（）]{1,20}[)）])?';

/** What follows a name in a sentence of a language without spaces. */
const AFTER = wordsOfAll('afterName');

const marksOf = perPack(({ script, lists, children, pets }) => {
  const and = lists['and'] ?? '(?!)';
  const isHan = script === 'han';
  const mark = isHan ? `(?:、|${and})` : `(?:,? (?:${and}) |, )`;
  return {
    split: new RegExp(`${DETAIL}${mark}`, 'u'),
    joined: new RegExp(isHan ? mark : ` (?:${and}) `, 'u'),
    // After the word for one child or animal, only the first name of a list is theirs: "I live with my son Jonas, Tom and Ann".
    ofOne: packRegExp(`(?<![\\p{L}])(?:${children}|${pets})${isHan ? 'の?' : ',? '}$`),
    capitalised: namesAround(CAPITALISED, mark),
    small: namesAround(SMALL, mark),
    han: {
      after: new RegExp(`^(?:${DETAIL}${mark}${HAN}(?=${mark}|[。！，,.!（]|${AFTER}|$))+`, 'u'),
      before: null,
    },
  };
});

/** The names of a list after one of its names, and those before it. */
function namesAround(name: string, mark: string): { after: RegExp; before: RegExp } {
  return {
    after: new RegExp(`^(?:${DETAIL}${mark}${name}(?![\\p{L}\\p{M}]))+`, 'u'),
    before: new RegExp(`(?<![\\p{L}\\p{M}])(?:${name}${DETAIL}${mark})+$`, 'u'),
  };
}

const ENDS = new RegExp(`^${DETAIL}(?:\\s*(?:[.,!;:。！，)]|$)|${AFTER})`, 'u');

/**
 * The slots of a sentence, with one slot for every name of a list. Patterns and the reading layers find the first or the last name of "Mia,
 * Jonas and Lea", or take several for one name.
 */
export function withListedNames(filled: readonly FilledSlot[], sentence: string, pack: Pack | null): FilledSlot[] {
  if (pack === null) return [...filled];
  const whole: FilledSlot[] = [];
  for (const slot of filled) {
    for (const value of listedWith(slot, filled, sentence, pack)) {
      const isSame = (other: FilledSlot): boolean =>
        other.attribute === slot.attribute &&
        other.subject === slot.subject &&
        other.value?.toLowerCase() === value?.toLowerCase();
      if (!whole.some(isSame)) whole.push({ ...slot, value });
    }
  }
  return whole;
}

/** The values of the list that contains a slot's value; that value alone if it is not in a list. */
function listedWith(
  { attribute, value, polarity, start }: FilledSlot,
  filled: readonly FilledSlot[],
  sentence: string,
  pack: Pack,
): (string | null)[] {
  const at = value === null ? -1 : sentence.toLowerCase().indexOf(value.toLowerCase(), start);
  if (value === null || at < 0 || polarity === 'denied' || !OF_SEVERAL.has(attribute)) return [value];
  const { split, joined, ofOne, ...names } = marksOf(pack);
  const isSmall = /^\p{Ll}/u.test(sentence.slice(at));
  const { after, before } = pack.script === 'han' ? names.han : isSmall ? names.small : names.capitalised;
  const end = at + value.length;
  const from = at - (before?.exec(sentence.slice(0, at))?.[0].length ?? 0);
  const to = end + (after.exec(sentence.slice(end))?.[0].length ?? 0);
  const list = sentence.slice(from, to);
  if (!joined.test(list) || ofOne.test(sentence.slice(0, from))) return [value];
  const values = list.split(split);
  const isKnown = (name: string | undefined): boolean =>
    filled.some((other) => other.attribute === attribute && other.value?.toLowerCase() === name?.toLowerCase());
  // "My dog is called Rex, Tom and Ann are friends of mine": the list of names goes on into another clause.
  if (!isKnown(values.at(-1)) && to > end && !ENDS.test(sentence.slice(to))) return [value];
  const isName = (name: string): boolean =>
    !/^\p{Ll}/u.test(name) || GIVEN_NAMES.has(name.toLowerCase()) || isKnown(name);
  return values.every(isName) ? values : [value];
}
