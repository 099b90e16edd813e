import { introducedName } from '../../../language/names.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import {
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  saysAny,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { isAboutUser, reportsOthers } from '../../../language/packs/subjects.ts';
import { hasTrait } from '../../../record/attributes.ts';
import { SELECTOR_WEIGHTS } from './selector-weights.ts';
import type { FilledSlot } from './slot-values.ts';
import type { ReadUnit } from './units.ts';

/** The questions that the selector answers about a sentence, each with its classes. */
export const HEADS = {
  keep: ['no', 'yes'],
  type: [
    'fact',
    'preference',
    'goal',
    'decision',
    'context',
    'feedback',
    'personal',
    'episode',
    'intention',
    'instruction',
  ],
  tense: ['holds', 'habit', 'happened', 'planned'],
  request: ['none', 'remember', 'forget', 'wish', 'reminder'],
  foreign: ['own', 'pasted', 'quoted', 'fiction', 'hypothetical', 'joke'],
  about: ['user', 'other'],
} as const;
export type Head = keyof typeof HEADS;

/** Of a vector of the local embedder, and of a state of its reading layers. */
const DIMENSIONS = 384;
/** The components of a vector are about a tenth as large as those of a state. */
const VECTOR_SCALE = 10;

export type Selection = { [Name in Head]: Record<(typeof HEADS)[Name][number], number> };

/** In base64: an int8 matrix with one row per class and one column per input, and a float32 scale and bias for each row. */
export interface SelectorWeights {
  matrix: string;
  scales: string;
  biases: string;
}

export type Select = (inputs: Float32Array) => Selection;

/** Training uses this to evaluate weights other than the shipped ones. */
export function createSelector(weights: SelectorWeights): Select {
  const bytes = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64')).buffer;
  const rows = new Int8Array(bytes(weights.matrix));
  const [scales, biases] = [new Float32Array(bytes(weights.scales)), new Float32Array(bytes(weights.biases))];
  const scoreOf = (row: number, inputs: Float32Array): number => {
    let sum = 0;
    for (let index = 0; index < INPUTS; index += 1) sum += (rows[row * INPUTS + index] ?? 0) * (inputs[index] ?? 0);
    return sum * (scales[row] ?? 0) + (biases[row] ?? 0);
  };
  return (inputs) => {
    let row = 0;
    const answers = Object.entries(HEADS).map(([head, classes]) => [
      head,
      softmax(
        classes.map(() => scoreOf(row++, inputs)),
        classes,
      ),
    ]);
    return Object.fromEntries(answers) as Selection;
  };
}

export const select: Select = createSelector(SELECTOR_WEIGHTS);

function softmax(scores: readonly number[], classes: readonly string[]): Record<string, number> {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Object.fromEntries(classes.map((name, index) => [name, (powers[index] ?? 0) / total]));
}

export interface Seen {
  state: Float32Array;
  vector: Float32Array;
}

export function inputsOf(unit: ReadUnit, { state, vector }: Seen): Float32Array {
  const inputs = new Float32Array(INPUTS);
  inputs.set(state);
  for (const [index, value] of vector.entries()) inputs[DIMENSIONS + index] = value * VECTOR_SCALE;
  inputs.set(formOf(unit).map(Number), 2 * DIMENSIONS);
  return inputs;
}

const CLASSES = [
  ...(['me', 'my', 'we', 'you', 'they', 'question', 'ask', 'greeting', 'assent', 'hedge', 'if', 'not'] as const),
  ...(['past', 'future', 'habit', 'change', 'taste', 'decision', 'feeling', 'joke', 'kidding', 'said'] as const),
  ...(['over', 'ended'] as const),
];

function formOf(unit: ReadUnit): (number | boolean)[] {
  const { turn, pack, index, count, asked, isForeign, hasForeign, filled } = unit;
  const text = plainMarks(unit.text.slice(0, 600));
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const size = pack?.script === 'han' || (pack === null && /\p{Lo}/u.test(text)) ? text.length / 2 : words;
  return [
    ...CLASSES.map((name) => pack !== null && packPattern(pack, name).test(text)),
    pack !== null && calendarPatterns(pack).months.test(text),
    pack !== null && calendarPatterns(pack).weekdays.test(text),
    /\d/.test(text),
    /\d{1,2}[:.]\d\d|\d ?(?:am|pm|h|uhr|点|時)\b/iu.test(text),
    /[?？]\s*["')]*$/u.test(text),
    /[!！]/u.test(text),
    Math.log1p(size) / 3,
    Math.log1p(turn.length) / 6,
    index === 0,
    index === count - 1,
    count === 1,
    asked !== null,
    isForeign,
    hasForeign,
    Math.min(filled.length, 3) / 3,
    pack === null,
    pack !== null && pack.language !== 'en',
  ];
}

const calendarPatterns = perPack(({ calendar: { months, weekdays }, script }) => {
  const anyOf = (names: readonly string[]): RegExp =>
    packRegExp(script === 'han' ? `(?:${names.join('|')})` : `(?<![\\p{L}])(?:${names.join('|')})s?(?![\\p{L}])`);
  return { months: anyOf(months), weekdays: anyOf(weekdays) };
});

/** Inputs of the state, the vector and `formOf`. */
export const INPUTS: number = 2 * DIMENSIONS + CLASSES.length + 17;

function certainly<Name extends string>(classes: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(classes.map((name, index) => [name, index === 0 ? 1 : 0])) as Record<Name, number>;
}

/** For a sentence that the local model has not read: only a plain first-person statement, a slot or a request is then kept. */
export const UNREAD: Selection = {
  keep: { no: 0.6, yes: 0.4 },
  type: certainly(HEADS.type),
  tense: certainly(HEADS.tense),
  request: certainly(HEADS.request),
  foreign: certainly(HEADS.foreign),
  about: { user: 1, other: 0 },
};

/** A request to the memory, other than a request to forget. */
export type Request = 'remember' | 'wish' | 'reminder';

export interface Asked {
  unit: ReadUnit;
  request: Request | null;
  selection: Selection;
}

export function requestOf({ pack, isForeign, text: words }: ReadUnit): Request | null {
  if (pack === null || isForeign) return null;
  const text = plainMarks(words.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  if (says('reminder')) return 'reminder';
  if (/[?？]\s*$/.test(text)) return null;
  if (says('remember') && !says('delayed') && !says('recalls')) return 'remember';
  return (says('wish') || isStandingOrder(pack, text)) && !reportsOthers(text, pack) ? 'wish' : null;
}

/** An order for all cases of a kind: "never forward bank mails", "anything above 5000 needs my ok". */
export function isStandingOrder(pack: Pack | null, text: string): boolean {
  return pack !== null && listPattern(pack, 'standing').test(text.slice(0, 600));
}

/**
 * Probability from which a sentence is kept. It balances missed against irrelevant statements on the conversations of train/lives
 * (train/README.md).
 */
const KEEP = 0.58;
const SLOT_NEEDS = 0.12;
const LIKELY_NEEDS = 0.45;
const WISH_NEEDS = 0.25;
const ORDER_NEEDS = 0.12;
const PLAIN_NEEDS = 0.3;
/** For a plain sentence about something that the user gave up: "I gave up coffee." */
const GIVEN_UP_NEEDS = 0.2;
const CONSTRAINT_NEEDS = 0.12;
const LEAST_OWN = 0.45;
/** For a sentence next to a foreign text: the form of the message and the reading layers have already separated the two. */
const LEAST_OWN_BESIDE = 0.2;

/** False for a quotation, a hypothesis or a joke. */
export function isOwn({ unit, selection }: Pick<Asked, 'unit' | 'selection'>): boolean {
  return selection.foreign.own >= (unit.hasForeign && !unit.isForeign ? LEAST_OWN_BESIDE : LEAST_OWN);
}

export function certainSlots({ unit, selection }: Asked): FilledSlot[] {
  const { pack, text } = unit;
  const name = pack === null ? null : introducedName(plainMarks(text), pack);
  // "hey so im mari" can mean nothing else.
  const needs = ({ isLikely, attribute, value }: FilledSlot): number =>
    hasTrait(attribute, 'own') && value === name ? 0 : isLikely === true ? LIKELY_NEEDS : SLOT_NEEDS;
  return isOwn({ unit, selection }) ? unit.filled.filter((slot) => selection.keep.yes >= needs(slot)) : [];
}

/** Pasted texts often inform their reader and do not mention their author: "Your parcel is here." */
export function tellsReader({ unit: { pack, text }, request }: Asked): boolean {
  if (pack === null || request !== null) return false;
  const plain = plainMarks(text).trimStart();
  return listPattern(pack, 'addressed').exec(plain)?.index === 0 && !isAboutUser(plain, pack);
}

const dismissal = perPack(({ script, words: { assent }, lists: { dismisses = '(?!)' } }) =>
  packRegExp(script === 'han' ? dismisses : `^(?:(?:${assent})[,!.]* )?(?:${dismisses})(?: [^\\s.,;:!?]+){0,7}[.!…]*$`),
);

/** For example "Never mind my birthday". */
export function isDismissal({ pack, text }: ReadUnit): boolean {
  return pack !== null && dismissal(pack).test(plainMarks(text).trimStart());
}

export function isKept({ selection, request, unit }: Asked): boolean {
  if (!isOwn({ unit, selection }) || isNumber(unit)) return false;
  if (request === 'wish')
    return (
      Math.max(selection.keep.yes, selection.request.wish) >=
      (isStandingOrder(unit.pack, plainMarks(unit.text)) ? ORDER_NEEDS : WISH_NEEDS)
    );
  if (/[?？]\s*$/u.test(unit.text) && selection.keep.yes < 0.8) return false;
  const needed = isConstraint(unit)
    ? CONSTRAINT_NEEDS
    : isPlainStatement(unit)
      ? saysGivenUp(unit)
        ? GIVEN_UP_NEEDS
        : PLAIN_NEEDS
      : KEEP;
  return selection.keep.yes >= needed;
}

/** For example "123" or "message 7". */
function isNumber({ text, pack }: ReadUnit): boolean {
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  return pack === null && words < 2 && /\d/.test(text) && !/\p{Lo}/u.test(text);
}

const constraint = perPack(({ is, script, lists: { are, diet, being, intolerance, danger } }) => {
  const words = [diet, being, intolerance, `(?:${danger})\\p{L}*`].filter(Boolean).join('|');
  // In scripts without spaces, only the selector's probability counts.
  const source = `\\p{L}(?:${is}| (?:${are}))(?: \\p{L}+){0,3}? (?:${words})(?![\\p{L}])`;
  return packRegExp(script === 'han' ? '(?!)' : source);
});

/** What a person cannot eat is worth keeping even next to a request: "Could you suggest a dinner? Rui is lactose intolerant." */
function isConstraint({ pack, text, isForeign }: ReadUnit): boolean {
  if (pack === null || isForeign || /[?？]/u.test(text)) return false;
  const plain = plainMarks(text);
  return constraint(pack).test(plain) && !saysAny(pack, plain, 'hedge', 'if', 'joke', 'said', 'question', 'you', 'ask');
}

/** "J'ai" has no space after the pronoun. In "Ho smesso", the verb alone shows that the user is the subject. */
const opensWithUser = perPack(({ my, i, iAm, words: { greeting, me } }) =>
  packRegExp(`^(?:(?:${greeting})[,!.]* )?(?:${my}|${i}|${iAm}|${me})(?: |(?<=')\\p{L})`),
);

const givesUp = perPack(({ script, common, lists: { quitsSmoking, dropped } }) => {
  const thing = `(?!(?:${common || '(?!)'})(?![\\p{L}]))\\p{L}+`;
  return wordsPattern([quitsSmoking, dropped?.replaceAll('<>', thing)].filter(Boolean).join('|'), script);
});

function saysGivenUp({ pack, text }: ReadUnit): boolean {
  return pack !== null && givesUp(pack).test(plainMarks(text));
}

/** A turn of one plain sentence in the first person needs a lower probability: "My boss is called Henrik." */
function isPlainStatement({ pack, text, count }: ReadUnit): boolean {
  if (pack === null || pack.script === 'han' || count > 1) return false;
  const plain = plainMarks(text);
  return (
    (opensWithUser(pack).test(plain) || givesUp(pack).exec(plain)?.index === 0) &&
    !listPattern(pack, 'workThing').test(plain) &&
    !saysAny(pack, plain, 'hedge', 'if', 'joke', 'said', 'question', 'they', 'ask', 'feeling')
  );
}
