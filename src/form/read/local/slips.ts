import { PLACES } from '../../../language/entities.ts';
import { GIVEN_NAMES } from '../../../language/given-names.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { isOrdinary, listPattern, packRegExp, perPack } from '../../../language/packs/packs.ts';
import { withoutEnd } from '../../../language/words.ts';
import { hasTrait } from '../../../record/attributes.ts';
import type { FilledSlot } from './slot-values.ts';

/** Words that may separate a value from the marker after it, or the marker from the new value. */
const MOST_WORDS_BEFORE = 3;
const MOST_WORDS_AFTER = 2;
const MOST_WORDS_OF_VALUE = 5;

const patternsOf = perPack(({ script, i, iAm, my, words: { we, they }, lists }) => {
  const { slip = '(?!)', perhapsSlip = '(?!)', slipLead = '(?!)', and = '(?!)' } = lists;
  const isHan = script === 'han';
  const end = isHan ? '' : '(?![\\p{L}\\p{N}])';
  return {
    marker: packRegExp(
      `(?<=[\\p{L}\\p{N}"'])[ ,;:.…–—(，、。；-]{1,4}(?:(?:${slip}|${perhapsSlip})${end}[ ,;:.!…–—，、。-]{0,4}){1,4}(?:(?:${slipLead})${isHan ? '' : ' '})?`,
    ),
    certain: packRegExp(`${isHan ? '' : '(?<![\\p{L}])'}(?:${slip})${end}`),
    // An address may come before the subject: "no, Tom, I'm fine".
    subject: packRegExp(`^(?:\\p{L}+[,，、] ?)?(?:${i}|${iAm}|${my}|${we}|${they})${end}`),
    // Words in lower case after a name may make the name the subject of another clause: "sorry, York is where I work".
    goesOn: packRegExp(
      isHan ? '^(?:[^\\p{L}\\p{N}]|$|です|だ|に|で|。|了)' : `^ ?(?:[^\\p{L}\\p{N}\\s'-]|- |$|(?:${and})${end})`,
    ),
  };
});

/** The marker that corrects the value before it ("no wait," in "I work at Google, no wait, at Meta"). */
interface Slip {
  start: number;
  end: number;
  /** False for "sorry", which may also be an apology for something else. */
  isCertain: boolean;
}

function slipIn(text: string, pack: Pack): Slip | null {
  const { marker, certain } = patternsOf(pack);
  const match = marker.exec(text);
  if (match === null) return null;
  const end = match.index + match[0].length;
  return end >= text.length ? null : { start: match.index, end, isCertain: certain.test(match[0]) };
}

/** Whether a marker directly after the offset `end` certainly withdraws the value that ends there. */
export function isWithdrawnAt(end: number, text: string, pack: Pack): boolean {
  const slip = slipIn(text, pack);
  return slip !== null && slip.isCertain && slip.start === end;
}

/**
 * "I live in Paris, sorry, I mean Lyon" is read as "I live in Lyon". If the corrected sentence does not fill the same slot and the marker
 * is certain, the slot stays empty.
 */
export function withoutSlips(
  filled: readonly FilledSlot[],
  text: string,
  pack: Pack,
  fill: (words: string) => FilledSlot[],
): FilledSlot[] {
  const slip = filled.length === 0 ? null : slipIn(text, pack);
  if (slip === null) return [...filled];
  const tail = text.slice(slip.end);
  const isClause = patternsOf(pack).subject.test(tail);
  // "I speak French, actually I also speak Spanish", "I live in Leeds, wait, I'll check"
  if (listPattern(pack, 'inAddition').test(tail) || (isClause && !slip.isCertain)) return [...filled];
  const said = filled
    .flatMap((slot) => {
      const at = slot.polarity === 'affirmed' ? placeOf(slot, text, slip.start) : -1;
      const between = text.slice(at + writtenValue(slot, text).length, slip.start);
      const isNear = at >= 0 && !/[,;:.()，。、；]/u.test(between.trim()) && wordsIn(between) <= MOST_WORDS_BEFORE;
      return isNear ? { slot, at, between } : [];
    })
    .toSorted((one, other) => other.at - one.at);
  for (const one of said) {
    const corrected = correctedBy(one, { slip, text, pack, fill });
    if (corrected !== null) return corrected;
  }
  const [last] = said;
  if (last === undefined) return [...filled];
  if (isClause) {
    // "I live in Leeds, no wait, I moved to York"
    const isSaidAgain = ({ attribute, subject }: FilledSlot): boolean =>
      filled.some((slot) => slot.start >= slip.end && slot.attribute === attribute && slot.subject === subject);
    return filled.filter((slot) => slot !== last.slot || !isSaidAgain(slot));
  }
  // "I work at Google, sorry, at the bank" repeats the preposition.
  const isRepeated = /[,.–—-] *$/u.test(text.slice(0, slip.end)) && headBefore(tail, text.slice(0, last.at)) !== null;
  if (!slip.isCertain && !isRepeated) return [...filled];
  // Slots filled from the same words, such as a home town and a home country, are withdrawn together.
  return filled.filter((slot) => !said.some((one) => one.slot === slot && one.at === last.at));
}

/** The value as it occurs in the text, without the year if the text gives none. Empty if it does not occur. */
function writtenValue({ value }: FilledSlot, text: string): string {
  const has = (words: string): boolean => text.toLowerCase().includes(words.toLowerCase());
  return [value ?? '', (value ?? '').replace(/,? \d{4}$/u, '')].find(has) ?? '';
}

function placeOf(slot: FilledSlot, text: string, before: number): number {
  const written = writtenValue(slot, text);
  return written === '' ? -1 : text.slice(0, before).toLowerCase().lastIndexOf(written.toLowerCase());
}

function wordsIn(text: string): number {
  return text.split(' ').filter(Boolean).length;
}

interface Correcting {
  slip: Slip;
  text: string;
  pack: Pack;
  fill: (words: string) => FilledSlot[];
}

function correctedBy(
  { slot, at, between }: { slot: FilledSlot; at: number; between: string },
  { slip, text, pack, fill }: Correcting,
): FilledSlot[] | null {
  const [lead, tail] = [text.slice(0, at), text.slice(slip.end)];
  const wordings: { head: string; rest: string; verb?: string }[] = [
    { head: lead, rest: tail },
    // "I work at the Met, no, at Kew", "I work at Google, no, for Meta"
    { head: headBefore(tail, lead) ?? lead.slice(0, lead.trimEnd().lastIndexOf(' ') + 1), rest: tail },
    // "I live in Paris, no, I live in Lyon"
    { head: text.slice(0, slot.start), rest: tail },
    // The verb may follow the value: "パリに住んでいます、いや、リヨンです".
    { head: lead, rest: withoutEnd(tail, '。.!！ ').replace(/(?:です|だよ|だ|に|で)$/u, ''), verb: between },
  ];
  for (const { head, rest, verb = '' } of wordings) {
    const slots = fill(head + rest + verb);
    const isCorrected = slots.some((other) => {
      const start = placeOf(other, head + rest, head.length + rest.length);
      const isSame = other.attribute === slot.attribute && other.subject === slot.subject && other.tense === slot.tense;
      return isSame && other.polarity === 'affirmed' && isPlainValue({ ...other, start }, head, rest, pack);
    });
    if (!isCorrected) continue;
    const original = (offset: number): number =>
      offset <= head.length ? offset : Math.min(text.length, offset - head.length + slip.end);
    return slots.map((each) => ({ ...each, start: original(each.start), end: original(each.end) }));
  }
  return null;
}

/** The lead before a preposition that the text repeats: "at" in "at Google, sorry, at the bank". */
function headBefore(text: string, lead: string): string | null {
  const [preposition = ''] = /^\p{Ll}+ /u.exec(text) ?? [];
  const at = preposition === '' ? -1 : lead.lastIndexOf(` ${preposition}`);
  return at < 0 || wordsIn(lead.slice(at)) > 2 ? null : lead.slice(0, at + 1);
}

/** Whether the words after the marker begin with the value and the value ends a clause, so that the correction can mean nothing else. */
function isPlainValue(slot: FilledSlot, head: string, rest: string, pack: Pack): boolean {
  const { attribute, start } = slot;
  const value = writtenValue(slot, head + rest);
  if (value === '' || start < head.length) return false;
  const before = (head + rest).slice(head.length, start);
  const isOwnClause = patternsOf(pack).subject.test(rest);
  if (/[,;:.]/u.test(before) || (!isOwnClause && wordsIn(before) > MOST_WORDS_AFTER)) return false;
  const after = (head + rest).slice(start + value.length);
  if (wordsIn(value) > MOST_WORDS_OF_VALUE || !patternsOf(pack).goesOn.test(after)) return false;
  const first = (value.split(' ')[0] ?? '').toLowerCase();
  // "Sorry, Tom" does not correct the name of a town.
  const isPerson = GIVEN_NAMES.has(first) && !PLACES.has(value.toLowerCase());
  if (isPerson && hasTrait(attribute, 'place')) return false;
  const isNamed = /^[\p{Lu}\p{Lo}\p{N}]/u.test((head + rest).slice(start));
  return isNamed || (!isOrdinary(first, pack) && !listPattern(pack, 'noValue').test(value)) || isListed(value, pack);
}

function isListed(value: string, pack: Pack): boolean {
  return (
    listPattern(pack, 'allergen', 'drug', 'language', 'diet', 'condition').exec(value)?.[0].length === value.length
  );
}
