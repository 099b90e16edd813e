import { GIVEN_NAMES } from '../../../language/given-names.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { packRegExp, perPack, wordsOfAll } from '../../../language/packs/packs.ts';
import { hasTrait, VALUE_LISTS } from '../../../record/attributes.ts';
import type { FilledSlot } from './slot-values.ts';

const CAPITALISED = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]+)?";
const SMALL = "\\p{Ll}[\\p{L}\\p{M}'’-]+";
const HAN = '[\\p{Script=Han}\\p{Script=Katakana}ー]{1,6}?';
/** A detail after a name in a list: "Mia (7)". */
const DETAIL = '(?: ?[(（][^()（）]{1,20}[)）])?';

/** The words that follow a name in languages without spaces. */
const AFTER = wordsOfAll('afterName');

/** The separators of a list. */
const listMark = perPack(({ script, lists: { and = '(?!)' } }) =>
  script === 'han' ? `(?:、|${and})` : `(?:,? (?:${and}) |, )`,
);

const marksOf = perPack((pack) => {
  const { script, lists, children, pets } = pack;
  const isHan = script === 'han';
  const mark = listMark(pack);
  return {
    split: new RegExp(`${DETAIL}${mark}`, 'u'),
    joined: new RegExp(isHan ? mark : ` (?:${lists['and'] ?? '(?!)'}) `, 'u'),
    // After the word for one child or animal, only the first name of a list is a value: "I live with my son Jonas, Tom and Ann".
    ofOne: packRegExp(`(?<![\\p{L}])(?:${children}|${pets})${isHan ? 'の?' : ',? '}$`),
    capitalised: namesAround(CAPITALISED, mark),
    small: namesAround(SMALL, mark),
    han: {
      after: new RegExp(`^(?:${DETAIL}${mark}${HAN}(?=${mark}|[。！，,.!（]|${AFTER}|$))+`, 'u'),
      before: null,
    },
  };
});

/** Patterns of the names of a list after and before one of its names. */
function namesAround(name: string, mark: string): { after: RegExp; before: RegExp } {
  return {
    after: new RegExp(`^(?:${DETAIL}${mark}${name}(?![\\p{L}\\p{M}]))+`, 'u'),
    before: new RegExp(`(?<![\\p{L}\\p{M}])(?:${name}${DETAIL}${mark})+$`, 'u'),
  };
}

const ENDS = new RegExp(`^${DETAIL}(?:\\s*(?:[.,!;:。！，)]|$)|${AFTER})`, 'u');

/** The words of the pack's lists that follow a value in an enumeration: "peanuts, latex and penicillin". */
function listedAfter(rest: string, lists: readonly string[], pack: Pack): string[] {
  const words = lists.flatMap((list) => pack.lists[list] ?? ['(?!)']).join('|');
  const mark = listMark(pack);
  const listed = packRegExp(`^(?:${mark}(?:${words})${pack.script === 'han' ? '' : '(?![\\p{L}\\p{M}-])'})+`).exec(
    rest,
  );
  return (listed?.[0] ?? '').split(new RegExp(mark, 'iu')).slice(1);
}

/**
 * The slots of a sentence, with one slot for every name of a list. In "Mia, Jonas and Lea", patterns and the reading layers find only the
 * first or the last name, or read several names as one name.
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

/** The values of the list that contains a slot's value. Only that value if it is not in a list. */
function listedWith(
  { attribute, value, polarity, start }: FilledSlot,
  filled: readonly FilledSlot[],
  sentence: string,
  pack: Pack,
): (string | null)[] {
  const at = value === null ? -1 : sentence.toLowerCase().indexOf(value.toLowerCase(), start);
  if (value === null || at < 0 || polarity === 'denied') return [value];
  const lists = VALUE_LISTS.filter((list) => hasTrait(attribute, list));
  if (lists.length > 0) return [value, ...listedAfter(sentence.slice(at + value.length), lists, pack)];
  if (!hasTrait(attribute, 'several')) return [value];
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
  // The list of names may continue into another clause: "My dog is called Rex, Tom and Ann are friends of mine".
  if (!isKnown(values.at(-1)) && to > end && !ENDS.test(sentence.slice(to))) return [value];
  const isCertain = (name: string): boolean => GIVEN_NAMES.has(name.toLowerCase()) || isKnown(name);
  // "Ich habe zwei Töchter, Ida und Romy": the word before the names may be a noun in languages that capitalise nouns.
  if (pack.capitalisesNouns === true && from < at && !isCertain(values[0] ?? '')) values.shift();
  return values.every((name) => !/^\p{Ll}/u.test(name) || isCertain(name)) ? values : [value];
}
