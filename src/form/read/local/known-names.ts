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
import { withoutEnd } from '../../../language/words.ts';
import { type AttributeTable, ENDING_LISTS, hasTrait } from '../../../record/attributes.ts';
import type { Memory } from '../../../record/memory.ts';
import { isUser, normalValue } from '../../../record/statement.ts';
import type { ReadInput } from '../reader.ts';
import { fillSlots, OF_USER } from './fill-slots.ts';
import type { FilledSlot, SlotContext } from './slot-values.ts';
import { hasValue } from './statements-of-turn.ts';
import { type ClaimUnit, isClaim, type ReadUnit } from './units.ts';

const MOST_PEOPLE = 40;

/** Names of people in the user's life, in lower case, from known statements and from turns such as "my sister Ana". */
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

export function slotsOfKnown(unit: ReadUnit, input: ReadInput, context: SlotContext): FilledSlot[] {
  if (!isClaim(unit)) return [];
  const relative = unit.pack.script === 'han' ? null : relativeAt(unit, input.known);
  const ofRelative = relative === null ? [] : relativeSlots(relative, unit.text, unit.pack, context);
  return [
    ...partedSlots(unit, input),
    ...arrivedSlots(unit, input),
    ...exchangedSlots(unit, input, context),
    ...ofRelative,
  ];
}

/** "Meine Freundin Ute" is a friend if the user has or had a husband or a wife, and in "Ute und ich spielen Karten". */
export function isFriend({ attribute, value }: FilledSlot, unit: ReadUnit, known: readonly Memory[]): boolean {
  const { text, pack } = unit;
  const { mayBeFriend, doneTogether = '(?!)' } = pack?.lists ?? {};
  if (pack === null || value === null || attribute !== 'partner_name' || mayBeFriend === undefined) return false;
  const name = `(?:${mayBeFriend}),? ${namePattern(value)}`;
  if (!wordsPattern(name).test(plainMarks(text))) return false;
  const hasPartner = known.some(
    (one) =>
      isUser(one.subject) &&
      one.polarity === 'affirmed' &&
      ((one.attribute === attribute && !hasValue(one, value)) ||
        (one.attribute === 'relationship_status' && listPattern(pack, 'partnered').test(one.value ?? ''))),
  );
  return hasPartner || wordsPattern(doneTogether.replaceAll('<>', name)).test(plainMarks(text));
}

const arrival = perPack(({ script, lists: { arrived = '(?!)', and = '(?!)' } }) => {
  const place = "(\\p{L}[\\p{L}'-]*(?: \\p{L}[\\p{L}'-]*){0,3}?)(?= *(?:[.,;:!]|$)| (?:" + and + ') )';
  return wordsPattern(arrived.replaceAll('<>', place), script);
});

/** "We're in Bristol now" after "We're moving to Bristol". A part of the town that was mentioned with the plan will do, too. */
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

/** Denies the known values that a sentence ends. One word of the value is enough: "sold the Ibiza" ends "Seat Ibiza". */
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
    const parts = hasTrait(attribute, 'town') ? [] : partsOfName(value);
    const name = [value, ...parts].find((each) => lists.some((list) => isEndedBy(each, list)));
    if (name === undefined) return [];
    // The house number need not be said: "we don't live in Plymouth Road".
    const unsaid = hasTrait(attribute, 'place') ? null : name;
    const ended = /\d/.test(value) && nameAt(plain, value, true) < 0 ? unsaid : value;
    return [{ ...OF_USER, attribute, value: ended, polarity: 'denied', start: 0, end: text.length }];
  });
}

const MOST_NAME_WORDS = 6;

/** "Cardiff Metropolitan" and every other run of words of "Cardiff Metropolitan University", the longest first. */
function partsOfName(name: string): string[] {
  const words = name.split(' ').slice(0, MOST_NAME_WORDS);
  return words
    .flatMap((_, from) => words.slice(from).map((__, more) => words.slice(from, from + more + 1).join(' ')))
    .filter((part) => part !== name && part.length > 2)
    .toSorted((one, other) => other.length - one.length);
}

/**
 * "Instead of" some word. Most messages have no such words, so that no pattern is made for the known values. The word has a limited
 * length, because a text without spaces would otherwise take quadratic time.
 */
const exchanges = perPack(({ script, lists: { inPlaceOf = '(?!)' } }) =>
  wordsPattern(inPlaceOf.replaceAll('<>', '[\\p{L}\\p{N}]{1,40}'), script),
);

/** A pattern of a name's letters and digits in lower case. Any character may stand for its other characters. */
function namePattern(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, '.');
}

/** "Statt des Polo fahren wir jetzt einen Skoda" is read without the known value, which it ends. */
function exchangedSlots({ text, pack, filled }: ClaimUnit, { known }: ReadInput, context: SlotContext): FilledSlot[] {
  const plain = plainMarks(text);
  const { inPlaceOf } = pack.lists;
  if (inPlaceOf === undefined || !exchanges(pack).test(plain) || packPattern(pack, 'passing').test(plain)) return [];
  return known.flatMap(({ subject, attribute, value, polarity }) => {
    if (value === null || attribute === null || !isUser(subject) || polarity !== 'affirmed') return [];
    const names = [value, value.split(' ').at(-1) ?? value].map(namePattern);
    const words = wordsPattern(inPlaceOf.replaceAll('<>', `(?:${names.join('|')})`), pack.script).exec(plain);
    if (words === null || filled.some((slot) => slot.attribute === attribute && !hasValue(slot, value))) return [];
    const [before, after] = [plain.slice(0, words.index), plain.slice(words.index + words[0].length)];
    const rest = `${withoutEnd(before, ' ,')} ${after.replace(/^[ ,]+/, '')}`.trim();
    const slots = fillSlots(pack.script === 'han' ? rest.replace(' ', '') : rest, pack, context);
    const isNew = (slot: FilledSlot): boolean =>
      slot.attribute === attribute && isUser(slot.subject) && slot.polarity === 'affirmed' && !hasValue(slot, value);
    const now = slots.filter(isNew).map((slot) => ({ ...slot, start: 0, end: text.length }));
    const old = { ...OF_USER, attribute, value, polarity: 'denied' as const, start: 0, end: text.length };
    return now.length === 0 ? [] : [...now, old];
  });
}

/** The offset of a name as whole words, or -1. Unless `isThing` is set, the name must be capitalised. */
function nameAt(text: string, name: string, isThing = false): number {
  const at = isThing ? text.toLowerCase().indexOf(name.toLowerCase()) : text.indexOf(name);
  const isWhole =
    !/[\p{L}\p{N}]$/u.test(text.slice(0, Math.max(0, at))) && !/^[\p{L}\p{N}]/u.test(text.slice(at + name.length));
  return at >= 0 && (isWhole || /^\p{Lo}/u.test(name)) && (isThing || /^[\p{Lu}\p{Lo}]/u.test(name)) ? at : -1;
}

const RELATED = /^User's (?<relation>.+) (?<name>\p{Lu}[\p{L}'-]+)$/u;

type Relative = Record<'subject' | 'name' | 'lead', string>;

/** The known relative or friend whose name begins the sentence. Null if there are several. `lead`: the words for the relation. */
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

/** The words are read as if they also stated the relation. */
export function relativeSlots({ subject, lead }: Relative, words: string, pack: Pack, at: SlotContext): FilledSlot[] {
  return fillSlots(lead + words, pack, at)
    .filter((slot) => slot.subject === subject)
    .map((slot) => ({ ...slot, start: Math.max(0, slot.start - lead.length), end: slot.end - lead.length }));
}
