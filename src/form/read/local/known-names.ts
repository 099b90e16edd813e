import type { Pack } from '../../../language/packs/pack.ts';
import {
  isOrdinary,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { continuesOthers, partingOf } from '../../../language/packs/subjects.ts';
import { type AttributeTable, ENDING_LISTS, hasTrait } from '../../../record/attributes.ts';
import type { Memory } from '../../../record/memory.ts';
import { isUser, normalValue } from '../../../record/statement.ts';
import type { ReadInput } from '../reader.ts';
import { fillSlots, OF_USER } from './fill-slots.ts';
import type { FilledSlot, SlotContext } from './slot-values.ts';
import { hasValue } from './statements-of-turn.ts';
import { type ClaimUnit, isClaim, type ReadUnit } from './units.ts';

const MOST_PEOPLE = 40;

/**
 * Collects the names of people in the user's life, in lower case: from the subjects and values of known statements, and from turns in which
 * a name follows a relation ("my sister Ana").
 */
export function peopleOf(
  known: readonly Pick<Memory, 'subject' | 'attribute' | 'value'>[],
  turns: readonly string[],
  pack: Pack | null,
  attributes?: AttributeTable,
): string[] {
  const names = known.flatMap(({ subject, attribute, value }) => {
    const [owner, ...words] = subject.split(' ');
    const name = owner === "User's" ? words.findLast((word) => /^\p{Lu}/u.test(word)) : undefined;
    return [name ?? '', hasTrait(attribute, 'close', attributes) ? (value ?? '') : ''];
  });
  if (pack !== null && pack.script !== 'han') {
    const named = packRegExp(`(?:${pack.my}) (?:${relationsOf(pack)}),? (\\p{L}[\\p{L}-]+)`);
    for (const turn of turns) names.push(named.exec(turn)?.[1] ?? '');
  }
  return [...new Set(names.map((name) => name.toLowerCase()))]
    .filter((name) => name.length > 2 && (pack === null || !isOrdinary(name, pack)))
    .slice(-MOST_PEOPLE);
}

/** Fills the slots of a sentence that names known people, animals or things: "Ana moved to Graz", "Bolt died yesterday". */
export function slotsOfKnown(unit: ReadUnit, input: ReadInput, context: SlotContext): FilledSlot[] {
  if (!isClaim(unit)) return [];
  const relative = unit.pack.script === 'han' ? null : relativeAt(unit, input.known);
  const ofRelative = relative === null ? [] : relativeSlots(relative, unit.text, unit.pack, context);
  return [...partedSlots(unit, input), ...arrivedSlots(unit, input), ...ofRelative];
}

const arrival = perPack(({ script, lists: { arrived = '(?!)', and = '(?!)' } }) => {
  const place = "(\\p{L}[\\p{L}'-]*(?: \\p{L}[\\p{L}'-]*){0,3}?)(?= *(?:[.,;:!]|$)| (?:" + and + ') )';
  return wordsPattern(arrived.replaceAll('<>', place), script);
});

/**
 * Fills the user's home if a sentence reports arriving where a move was planned: "We're in Bristol now" after "We're moving to Bristol".
 * The sentence may also name a part of the town that was mentioned with the plan.
 */
function arrivedSlots(unit: ClaimUnit, { known, attributes }: ReadInput): FilledSlot[] {
  const { text, pack, filled } = unit;
  const plain = plainMarks(text);
  if (packPattern(pack, 'passing').test(plain)) return [];
  const place = arrival(pack).exec(plain)?.slice(1).find(Boolean);
  if (place === undefined) return [];
  // One word may follow the name: "the Bristol flat".
  const places = [place, place.replace(/ \S+$/u, '')];
  const names = ({ value }: Memory): boolean => places.some((name) => normalValue(name) === normalValue(value ?? ''));
  const plan = known.find(
    (one) =>
      one.tense === 'planned' &&
      isUser(one.subject) &&
      one.polarity === 'affirmed' &&
      hasTrait(one.attribute, 'town', attributes) &&
      hasTrait(one.attribute, 'lasting', attributes) &&
      (names(one) ||
        known.some(
          (other) => isOfSameTurn(one, other) && places.some((name) => nameAt(other.content, name, true) >= 0),
        )),
  );
  if (plan === undefined || plan.attribute === null || filled.some(({ attribute }) => attribute === plan.attribute))
    return [];
  return [{ ...OF_USER, attribute: plan.attribute, value: plan.value, start: 0, end: text.length }];
}

function isOfSameTurn(one: Memory, other: Memory): boolean {
  return one !== other && other.sourceEvents.some((id) => one.sourceEvents.includes(id));
}

const laughter = perPack(({ words: { joke }, script }) =>
  script === 'han' ? packRegExp('(?!)') : packRegExp(` (?:${joke})(?![\\p{L}\\p{N}])`, 'giu'),
);

/**
 * Fills denied slots for the known values that a sentence ends. The sentence may name the whole value or one word of it: "sold the Ibiza"
 * ends "Seat Ibiza".
 */
function partedSlots(unit: ClaimUnit, { known, attributes }: ReadInput): FilledSlot[] {
  const { text, pack, filled } = unit;
  // Laughter ends a clause, as a comma does: "I'm not vegan lol I had bacon".
  const plain = plainMarks(text).replace(laughter(pack), ',');
  return known.flatMap(({ subject, attribute, value, polarity }) => {
    const lists = ENDING_LISTS.filter((each) => hasTrait(attribute, each, attributes));
    if (value === null || attribute === null || lists.length === 0 || !isUser(subject)) return [];
    const isMany = attributes.policyOf(attribute).values === 'many';
    const isSaid = filled.some((slot) => slot.attribute === attribute && (!isMany || hasValue(slot, value)));
    if (polarity !== 'affirmed' || isSaid) return [];
    const isEndedBy = (name: string, list: (typeof ENDING_LISTS)[number]): boolean => {
      const at = nameAt(plain, name, list !== 'parted');
      if (at < 0) return false;
      const [before, after] = [plain.slice(0, at), plain.slice(at + name.length)];
      if (list === 'parted') return partingOf(before, after, pack) === 'parted';
      const words = listPattern(pack, list).exec(`${before}<>${after}`);
      return words !== null && !continuesOthers(words, plain, pack, unit);
    };
    const parts = hasTrait(attribute, 'town') ? [] : value.split(' ').filter(({ length }) => length > 2);
    const name = [value, ...parts].find((each) => lists.some((list) => isEndedBy(each, list)));
    if (name === undefined) return [];
    // The house number need not be said: "we don't live in Plymouth Road".
    const unsaid = hasTrait(attribute, 'place') ? null : name;
    const ended = /\d/.test(value) && nameAt(plain, value, true) < 0 ? unsaid : value;
    return [{ ...OF_USER, attribute, value: ended, polarity: 'denied', start: 0, end: text.length }];
  });
}

/** Returns the offset of a name in a text, as whole words, or -1. Unless `isThing` is set, the name must be capitalised. */
function nameAt(text: string, name: string, isThing = false): number {
  const at = isThing ? text.toLowerCase().indexOf(name.toLowerCase()) : text.indexOf(name);
  const isWhole =
    !/[\p{L}\p{N}]$/u.test(text.slice(0, Math.max(0, at))) && !/^[\p{L}\p{N}]/u.test(text.slice(at + name.length));
  return at >= 0 && (isWhole || /^\p{Lo}/u.test(name)) && (isThing || /^\p{Lu}/u.test(name)) ? at : -1;
}

const RELATED = /^User's (?<relation>.+) (?<name>\p{Lu}[\p{L}'-]+)$/u;

type Relative = Record<'subject' | 'name' | 'lead', string>;

/**
 * Finds the known relative or friend whose name begins the sentence, with the words for the relation. Null if there is none, or more than
 * one.
 */
export function relativeAt({ text, pack }: ClaimUnit, known: readonly Memory[]): Relative | null {
  const subjects = [...new Set(known.map(({ subject }) => subject))].filter((subject) => {
    const name = RELATED.exec(subject)?.groups?.['name'];
    return name !== undefined && nameAt(text, name) === 0;
  });
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1) return null;
  const { relation = '', name = '' } = RELATED.exec(subject)?.groups ?? {};
  const word = Object.keys(pack.relations).find((each) => pack.relations[each] === relation);
  return word === undefined ? null : { subject, name, lead: `${pack.my.split('|')[0] ?? ''} ${word} ` };
}

/** Fills the slots of words that begin with a known relative's name. The words are read as if they also stated the relation. */
export function relativeSlots({ subject, lead }: Relative, words: string, pack: Pack, at: SlotContext): FilledSlot[] {
  return fillSlots(lead + words, pack, at)
    .filter((slot) => slot.subject === subject)
    .map((slot) => ({ ...slot, start: Math.max(0, slot.start - lead.length), end: slot.end - lead.length }));
}
