import { splitClauses } from '../../../language/sentences.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { anyWords, listPattern, packPattern, plainMarks } from '../../../language/packs/packs.ts';
import { isOrdinary } from '../../../language/names.ts';
import { contentStems } from '../../../language/words.ts';
import { isUser, normalValue } from '../../../record/statement.ts';
import type { Memory } from '../../../record/memory.ts';
import { type Reading, type ReadInput, readStatement, type ReadStatement } from '../reader.ts';
import { fillSlots, OF_USER, PARTED, partingOf } from './fill-slots.ts';
import type { FilledSlot, SlotContext } from './slot-values.ts';
import { type ReadUnit, renderSlot, type Turn } from './units.ts';

const NOT_CERTAIN = ['if', 'hedge', 'kidding'] as const;

/** Whether a sentence is the user's own and claims what it says, so that it may change what is known. */
function isClaim({ pack, isForeign, text }: ReadUnit): boolean {
  const plain = plainMarks(text);
  return (
    !isForeign &&
    !/[?？]/u.test(text) &&
    pack !== null &&
    !NOT_CERTAIN.some((name) => packPattern(pack, name).test(plain)) &&
    !listPattern(pack, 'nearly').test(plain)
  );
}

/** In any language, because the language of a short sentence is often not recognised, and the plan must be named. */
const CALLED_OFF = anyWords('calledOff');

/** The known plans that a turn calls off: "the move to Lisbon fell through", or "we're staying in Porto" against a plan to move. */
export function calledOffIn({ units, number, event }: Turn, { known }: ReadInput): Reading['ends'] {
  return units.filter(isClaim).flatMap((unit) =>
    splitClauses(unit.text).flatMap(({ start, end }) => {
      const pack = unit.pack as Pack;
      const clause = plainMarks(unit.text.slice(start, end));
      if (!CALLED_OFF.test(clause)) return [];
      const slots = unit.filled.filter((slot) => slot.start >= start && slot.start < end);
      return known.flatMap((plan, index) =>
        isOpenPlan(plan, event.occurredAt) && (isNamedIn(plan, clause, pack) || isExcluded(plan, slots))
          ? [{ known: index + 1, quote: { turn: number, words: unit.text }, on: null }]
          : [],
      );
    }),
  );
}

/** "I quit smoking" ends "I smoke a pack a day", which has no attribute. */
export function quitIn({ units, number, event }: Turn, { known }: ReadInput): Reading['ends'] {
  return units.filter(isClaim).flatMap(({ text, pack }) => {
    if (pack === null || !listPattern(pack, 'quitsSmoking').test(plainMarks(text))) return [];
    return known.flatMap(({ subject, attribute, tense, content, statedAt }, index) => {
      const isHabit = attribute === null && isUser(subject) && (tense === 'habit' || tense === 'holds');
      const smokes = listPattern(pack, 'smokes').test(content) && !packPattern(pack, 'not').test(content);
      return isHabit && smokes && statedAt < event.occurredAt
        ? [{ known: index + 1, quote: { turn: number, words: text }, on: null }]
        : [];
    });
  });
}

function isOpenPlan({ tense, validFrom, dueAt, statedAt, archivedAt }: Memory, at: Date): boolean {
  const day = validFrom ?? dueAt;
  return tense === 'planned' && archivedAt === null && statedAt < at && (day === null || day.getTime() > at.getTime());
}

/** Whether a clause names the value of a plan, or nothing that is not in the words of the plan. */
function isNamedIn({ value, content }: Memory, clause: string, pack: Pack): boolean {
  if (value !== null && ` ${normalValue(clause)} `.includes(` ${normalValue(value)} `)) return true;
  const rest = [...contentStems(clause.replace(CALLED_OFF, ' '))];
  const stems = contentStems(content);
  return rest.length > 0 && pack.script !== 'han' && rest.every((stem) => stems.has(stem));
}

/** Whether slots of the same clause state another value of a plan's attribute, which therefore stays as it is. */
function isExcluded({ attribute, value, subject }: Memory, slots: readonly FilledSlot[]): boolean {
  return slots.some(
    (slot) =>
      slot.attribute === attribute &&
      slot.subject === subject &&
      slot.polarity === 'affirmed' &&
      slot.tense !== 'planned' &&
      normalValue(slot.value ?? '') !== normalValue(value ?? ''),
  );
}

/** What a sentence says of people and animals whose names are known: "Ana moved to Graz", "Bolt died yesterday". */
export function slotsOfKnown(unit: ReadUnit, known: readonly Memory[], context: SlotContext): FilledSlot[] {
  if (!isClaim(unit) || unit.pack === null || unit.pack.script === 'han') return [];
  return [...partedSlots(unit, unit.pack, known), ...relativeSlots(unit, unit.pack, known, context)];
}

function partedSlots({ text, filled }: ReadUnit, pack: Pack, known: readonly Memory[]): FilledSlot[] {
  const plain = plainMarks(text);
  return known.flatMap(({ subject, attribute, value, polarity }) => {
    if (value === null || attribute === null || !PARTED.has(attribute)) return [];
    if (!isUser(subject) || polarity !== 'affirmed') return [];
    const at = nameAt(plain, value);
    const isFilled = filled.some((slot) => slot.attribute === attribute);
    if (at < 0 || isFilled || partingOf(plain.slice(0, at), plain.slice(at + value.length), pack) !== 'parted')
      return [];
    return [{ ...OF_USER, attribute, value, polarity: 'denied', start: at, end: text.length }];
  });
}

function nameAt(text: string, name: string): number {
  const at = text.indexOf(name);
  const isWhole =
    !/[\p{L}\p{N}]$/u.test(text.slice(0, Math.max(0, at))) && !/^[\p{L}\p{N}]/u.test(text.slice(at + name.length));
  return at >= 0 && isWhole && /^\p{Lu}/u.test(name) ? at : -1;
}

const RELATED = /^User's (?<relation>.+) (?<name>\p{Lu}[\p{L}'-]+)$/u;

/** The slots of a sentence that begins with the name of a known relative, read as if the words named the relation too. */
function relativeSlots(unit: ReadUnit, pack: Pack, known: readonly Memory[], context: SlotContext): FilledSlot[] {
  const subjects = [...new Set(known.map(({ subject }) => subject))].filter((subject) => {
    const name = RELATED.exec(subject)?.groups?.['name'];
    return name !== undefined && nameAt(unit.text, name) === 0;
  });
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1) return [];
  const relation = RELATED.exec(subject)?.groups?.['relation'] ?? '';
  const word = Object.keys(pack.relations).find((each) => pack.relations[each] === relation);
  if (word === undefined) return [];
  const lead = `${pack.my.split('|')[0] ?? ''} ${word} `;
  return fillSlots(lead + unit.text, pack, context).flatMap((slot) =>
    slot.subject === subject
      ? [{ ...slot, start: Math.max(0, slot.start - lead.length), end: slot.end - lead.length }]
      : [],
  );
}

const WORD = "(?:\\p{Lu}['’])?\\p{Lu}[\\p{L}\\p{N}-]*";
const NAME = `${WORD}(?: ${WORD}){0,2}`;

/** "It's in Knivsta, not Uppsala": a name that takes the place of a known value. Null where no known value is named, or several are. */
export function replacementIn(
  unit: ReadUnit,
  { known, attributes }: ReadInput,
  { number, event }: Turn,
): ReadStatement | null {
  const { pack, text } = unit;
  const insteadOf = pack?.lists['insteadOf'];
  if (pack === null || insteadOf === undefined || !isClaim(unit)) return null;
  // "The party is in Knivsta, not Uppsala" corrects nothing.
  if (!listPattern(pack, 'correction').test(plainMarks(text))) return null;
  const newFor = (old: string): string | undefined => {
    const source = insteadOf.replaceAll('<old>', `(?:${old})(?![\\p{L}\\p{N}])`).replaceAll('<new>', `(${NAME})`);
    const name = new RegExp(source, 'u').exec(plainMarks(text))?.slice(1).find(Boolean);
    return name === undefined || isOrdinary((name.split(' ')[0] ?? '').toLowerCase(), pack) ? undefined : name;
  };
  const found = known.flatMap((memory, index) => {
    const { attribute, value, polarity, tense, sourceEvents } = memory;
    if (attribute === null || value === null || polarity !== 'affirmed' || tense === 'happened') return [];
    // A turn that is read a second time finds the new value in the place of the old one.
    const isDone = sourceEvents.includes(event.id) && newFor(NAME) === value;
    const name = isDone ? value : newFor(value.replace(/[^\p{L}\p{N} ]/gu, '.'));
    return name === undefined ? [] : [{ memory, index, name, attribute }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const { memory, index, name: value, attribute } = only;
  return readStatement({
    subject: memory.subject,
    attribute,
    value,
    type: memory.type,
    text: renderSlot({ subject: memory.subject, attribute, value, polarity: 'affirmed' }, pack, attributes),
    quotes: [{ turn: number, words: text }],
    relation: normalValue(memory.value ?? '') === normalValue(value) ? null : { kind: 'replaces', known: index + 1 },
  });
}
