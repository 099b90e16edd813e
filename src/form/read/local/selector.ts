import type { Pack, PackWords } from '../../../language/packs/pack.ts';
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
import { fnv1a } from '../../../language/words.ts';
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
export const DIMENSIONS = 384;
/**
 * The factor for the components of the vector, which are about 0.05, while features are about 1. In a measurement, 3 was better than 6 and
 * 12.
 */
export const VECTOR_SCALE = 3;
/**
 * The weights with the vector of the sentence, and those without it. There are two sets, because an absent vector is not a vector of zeros.
 */
export type Variant = 'vector' | 'plain';

/** The probability of each class of each question. */
export type Selection = { [Name in Head]: Record<(typeof HEADS)[Name][number], number> };

/**
 * The weights of one variant in base64: a matrix of classes by inputs in int8, row by row, and a scale and a bias in float32 for each row.
 */
export interface SelectorWeights {
  matrix: string;
  scales: string;
  biases: string;
}

type Loaded = Record<'scales' | 'biases', Float32Array> & { rows: Int8Array };

function load({ matrix, scales, biases }: SelectorWeights): Loaded {
  const bytes = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64')).buffer;
  const numbers = (text: string): Float32Array => new Float32Array(bytes(text));
  return { rows: new Int8Array(bytes(matrix)), scales: numbers(scales), biases: numbers(biases) };
}

/** Answers all questions about a sentence, from its features and, if there is one, its vector. */
export type Select = (features: Float32Array, vector: Float32Array | null) => Selection;

/** Creates a selector. Training uses it to evaluate weights other than the shipped ones. */
export function createSelector(weights: Record<Variant, SelectorWeights>): Select {
  const loaded: Partial<Record<Variant, Loaded>> = {};
  return (features, vector) => {
    const variant = vector === null ? 'plain' : 'vector';
    return scoreWith((loaded[variant] ??= load(weights[variant])), features, vector);
  };
}

export const select: Select = createSelector(SELECTOR_WEIGHTS);

function scoreWith({ rows, scales, biases }: Loaded, ...[features, vector]: Parameters<Select>): Selection {
  const inputs = rows.length / biases.length;
  const filled: number[] = [];
  for (let index = 0; index < FEATURES; index += 1) if (features[index] !== 0) filled.push(index);
  let row = 0;
  const result: Record<string, Record<string, number>> = {};
  for (const [head, classes] of Object.entries(HEADS)) {
    const scores = classes.map(() => {
      const offset = row * inputs;
      let sum = 0;
      for (const index of filled) sum += (rows[offset + index] ?? 0) * (features[index] ?? 0);
      if (vector !== null) {
        let dot = 0;
        for (let index = 0; index < DIMENSIONS; index += 1)
          dot += (rows[offset + FEATURES + index] ?? 0) * (vector[index] ?? 0);
        sum += dot * VECTOR_SCALE;
      }
      const score = sum * (scales[row] ?? 0) + (biases[row] ?? 0);
      row += 1;
      return score;
    });
    result[head] = softmax(scores, classes);
  }
  return result as Selection;
}

function softmax(scores: readonly number[], classes: readonly string[]): Record<string, number> {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Object.fromEntries(classes.map((name, index) => [name, (powers[index] ?? 0) / total]));
}

const CLASSES =
  'me my we you they question ask greeting assent hedge if not past future habit change taste decision feeling joke kidding said over ended'.split(
    ' ',
  ) as (keyof PackWords)[];
const REQUESTS = ['remember', 'wish', 'reminder', 'aboutText'] as const;
const SHAPE = 34;
/** The number of buckets into which words, pairs of words and pairs of letters are hashed. */
const HASHED = 1024;
const PLAIN: number = CLASSES.length * 3 + REQUESTS.length + SHAPE;
export const FEATURES: number = PLAIN + HASHED;

/** The features of a unit: word classes, requests, punctuation, length, place in the turn, and its hashed words. */
export function featuresOf(unit: ReadUnit): Float32Array {
  const features = new Float32Array(FEATURES);
  const text = plainMarks(unit.text.slice(0, 600));
  const { pack } = unit;
  let at = 0;
  const put = (value: number | boolean): void => {
    features[at] = Number(value);
    at += 1;
  };
  const turn = plainMarks(unit.turn.slice(0, 1200));
  for (const name of CLASSES) {
    const pattern = pack === null ? null : packPattern(pack, name);
    const found = pattern?.exec(text) ?? null;
    put(found !== null);
    put(found !== null && found.index === 0);
    put(pattern !== null && unit.count > 1 && pattern.test(turn));
  }
  for (const name of REQUESTS) put(pack !== null && packPattern(pack, `request:${name}`).test(text));
  for (const value of [...marksOf(unit, text, turn), ...positionFeatures(unit)]) put(value);
  // Words and pairs of words are hashed, so that training also covers words that are in no list. In scripts without spaces, pairs of
  // letters are hashed as well.
  const tokens = tokensOf(text);
  const share = 1 / Math.sqrt(Math.max(1, tokens.length));
  for (const token of tokens) {
    const bucket = PLAIN + (fnv1a(token) % HASHED);
    features[bucket] = (features[bucket] ?? 0) + share;
  }
  return features;
}

/** The features of punctuation, digits, capitals and length. */
function marksOf({ pack }: ReadUnit, text: string, turn: string): (number | boolean)[] {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const size = pack?.script === 'han' || (pack === null && /\p{Lo}/u.test(text)) ? text.length / 2 : words;
  const capitals = (text.match(/(?<=[\p{L}\p{N},;:] )\p{Lu}\p{Ll}/gu) ?? []).length;
  return [
    /[?？]\s*["')]*$/u.test(text),
    /[?？]/u.test(turn),
    /[!！]/u.test(text),
    /\d/.test(text),
    /\d{1,2}[:.]\d\d|\d ?(?:am|pm|h|uhr|点|時)\b/iu.test(text),
    /[€$£₦₹¥]|\d ?(?:k|euro|eur|pounds|dollars|元|円|块|quid|bucks)\b/iu.test(text),
    pack !== null && calendarPatterns(pack).months.test(text),
    pack !== null && calendarPatterns(pack).weekdays.test(text),
    capitals > 0,
    Math.min(capitals, 4) / 4,
    /["“”„«»「」]/u.test(text),
    /[;:]/.test(text),
    (text.match(/,/g)?.length ?? 0) / 4,
    /\p{Extended_Pictographic}/u.test(text),
    /[😂🤣😅😆😉]/u.test(text),
    /\.\.\.|…/.test(text),
    /https?:|www\.|@\w/.test(text),
    /[{}<>=\\|]/.test(text),
    Math.log1p(size) / 3,
    size <= 2,
    size <= 4,
    size >= 10,
    size >= 20,
  ];
}

function positionFeatures(unit: ReadUnit): (number | boolean)[] {
  const { pack } = unit;
  return [
    unit.index === 0,
    unit.index === unit.count - 1,
    unit.count === 1,
    Math.log1p(unit.turn.length) / 6,
    unit.asked !== null,
    unit.asked !== null && /[?？]\s*\S{0,3}$/u.test(unit.asked),
    unit.isForeign,
    unit.hasForeign,
    Math.min(unit.filled.length, 3),
    pack === null,
    pack !== null && pack.language !== 'en',
  ];
}

const calendarPatterns = perPack(({ calendar: { months, weekdays }, script }) => {
  const anyOf = (names: readonly string[]): RegExp =>
    packRegExp(script === 'han' ? `(?:${names.join('|')})` : `(?<![\\p{L}])(?:${names.join('|')})s?(?![\\p{L}])`);
  return { months: anyOf(months), weekdays: anyOf(weekdays) };
});

function tokensOf(text: string): string[] {
  const lower = text.toLowerCase();
  const words = lower.match(/[\p{L}\p{N}']+/gu) ?? [];
  const tokens: string[] = words.map((word) => (/^\d+$/.test(word) ? '#' : word));
  for (let index = 0; index + 1 < Math.min(words.length, 60); index += 1)
    tokens.push(`${tokens[index]} ${tokens[index + 1]}`);
  if (words.length > 0) tokens.push(`^${words[0]}`);
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text.slice(0, 24))) {
    for (let index = 0; index + 1 < Math.min(lower.length, 120); index += 1)
      tokens.push(`=${lower.slice(index, index + 2)}`);
  }
  return tokens;
}

/** A request to the memory, other than a request to forget. */
export type Request = 'remember' | 'wish' | 'reminder';

/** A sentence with its request and with the answers of the selector. */
export interface Asked {
  unit: ReadUnit;
  request: Request | null;
  selection: Selection;
  hasVector: boolean;
}

/** The request in a sentence, by the phrases of its language. Null if there is none. */
export function requestOf({ pack, isForeign, text: words }: ReadUnit): Request | null {
  if (pack === null || isForeign) return null;
  const text = plainMarks(words.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  if (says('reminder')) return 'reminder';
  if (/[?？]\s*$/.test(text)) return null;
  if (says('remember') && !says('delayed') && !says('recalls')) return 'remember';
  return (says('wish') || isStandingOrder(pack, text)) && !reportsOthers(text, pack) ? 'wish' : null;
}

/** Whether a sentence orders something for all cases of a kind: "never forward bank mails", "anything above 5000 needs my ok". */
export function isStandingOrder(pack: Pack | null, text: string): boolean {
  return pack !== null && listPattern(pack, 'standing').test(text.slice(0, 600));
}

/**
 * The probability from which a sentence is kept. It was chosen on the conversations of train/lives, as a balance between missed statements
 * and irrelevant ones (train/README.md).
 */
const KEEP = { vector: 0.58, plain: 0.62 };
const SLOT_NEEDS = 0.12;
const LIKELY_NEEDS = 0.45;
const WISH_NEEDS = 0.3;
const ORDER_NEEDS = 0.12;
const PLAIN_NEEDS = 0.35;
/** The probability from which a plain sentence about something that the user gave up is kept: "I gave up coffee." */
const GIVEN_UP_NEEDS = 0.25;
const CONSTRAINT_NEEDS = 0.12;
export const LEAST_OWN = 0.45;
/** The slots that are certain enough to be kept although the sentence itself is not kept. */
export function certainSlots({ unit, selection }: Asked): FilledSlot[] {
  const needs = (slot: FilledSlot): number => (slot.isLikely === true ? LIKELY_NEEDS : SLOT_NEEDS);
  return selection.foreign.own < LEAST_OWN ? [] : unit.filled.filter((slot) => selection.keep.yes >= needs(slot));
}

/** Whether a sentence tells its reader something about the reader, as pasted texts do, and nothing about its author: "Your parcel is here." */
export function tellsReader({ unit: { pack, text }, request }: Asked): boolean {
  if (pack === null || request !== null) return false;
  const plain = plainMarks(text).trimStart();
  return listPattern(pack, 'addressed').exec(plain)?.index === 0 && !isAboutUser(plain, pack);
}

const dismissal = perPack(({ script, words: { assent }, lists: { dismisses = '(?!)' } }) =>
  packRegExp(script === 'han' ? dismisses : `^(?:(?:${assent})[,!.]* )?(?:${dismisses})(?: [^\\s.,;:!?]+){0,7}[.!…]*$`),
);

/** Whether a sentence only says that something does not matter: "Never mind my birthday". */
export function isDismissal({ pack, text }: ReadUnit): boolean {
  return pack !== null && dismissal(pack).test(plainMarks(text).trimStart());
}

/** Whether a sentence is kept in its own words. */
export function isKept({ selection, request, hasVector, unit }: Asked): boolean {
  if (selection.foreign.own < LEAST_OWN) return false;
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
      : KEEP[hasVector ? 'vector' : 'plain'];
  return selection.keep.yes >= needed;
}

const constraint = perPack(({ is, script, lists: { are, diet, being, intolerance, danger } }) => {
  const words = [diet, being, intolerance, `(?:${danger})\\p{L}*`].filter(Boolean).join('|');
  // In scripts without spaces, the selector decides alone.
  const source = `\\p{L}(?:${is}| (?:${are}))(?: \\p{L}+){0,3}? (?:${words})(?![\\p{L}])`;
  return packRegExp(script === 'han' ? '(?!)' : source);
});

/**
 * Whether a sentence states what a person cannot eat. Such a sentence is worth keeping beside a request: "Could you suggest a dinner? Rui
 * is lactose intolerant."
 */
function isConstraint({ pack, text, isForeign }: ReadUnit): boolean {
  if (pack === null || isForeign || /[?？]/u.test(text)) return false;
  const plain = plainMarks(text);
  return constraint(pack).test(plain) && !saysAny(pack, plain, 'hedge', 'if', 'joke', 'said', 'question', 'you', 'ask');
}

/** "J'ai" has no space after the pronoun, and in "Ho smesso", the verb alone names the user. */
const opensWithUser = perPack(({ my, i, iAm, words: { greeting, me } }) =>
  packRegExp(`^(?:(?:${greeting})[,!.]* )?(?:${my}|${i}|${iAm}|${me})(?: |(?<=')\\p{L})`),
);

const givesUp = perPack(({ script, common, lists: { quitsSmoking, dropped } }) => {
  const thing = `(?!(?:${common || '(?!)'})(?![\\p{L}]))\\p{L}+`;
  return wordsPattern([quitsSmoking, dropped?.replaceAll('<>', thing)].filter(Boolean).join('|'), script);
});

/** Whether a sentence says that somebody gave something up. */
function saysGivenUp({ pack, text }: ReadUnit): boolean {
  return pack !== null && givesUp(pack).test(plainMarks(text));
}

/** Whether a turn is one plain sentence in the first person, for which a lower probability is enough: "My boss is called Henrik." */
function isPlainStatement({ pack, text, count }: ReadUnit): boolean {
  if (pack === null || pack.script === 'han' || count > 1) return false;
  const plain = plainMarks(text);
  return (
    (opensWithUser(pack).test(plain) || givesUp(pack).exec(plain)?.index === 0) &&
    !listPattern(pack, 'workThing').test(plain) &&
    !saysAny(pack, plain, 'hedge', 'if', 'joke', 'said', 'question', 'they', 'ask', 'feeling')
  );
}
