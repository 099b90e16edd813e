import { type Pack, plainMarks } from '../../../language/packs/pack.ts';
import { conceptsIn } from '../../../language/request-concepts.ts';
import { contentStems } from '../../../language/words.ts';
import { REQUEST_WEIGHTS } from './request-weights.ts';
import { hash, type Unit } from './selector.ts';

/** What a sentence asks of the memory, as far as forgetting goes. */
export const REQUEST_KINDS = ['none', 'forget', 'keep_not', 'take_back'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Weights of the head: for each kind a row of int8, base64, with its scale and its bias. */
export interface RequestWeights {
  rows: string;
  scales: readonly number[];
  biases: readonly number[];
}

/** Buckets that features are hashed into. */
export const REQUEST_BUCKETS = 16_384;

const LONGEST = 400;
const AROUND = 160;

/** A sentence's features for the head: concepts, alone, in order and in pairs; those around it and in the turns before; its shape. */
export function requestFeatures(unit: Unit, said: readonly string[]): Map<number, number> {
  const features = new Map<number, number>();
  const { pack } = unit;
  if (pack === null) return features;
  const put = (names: readonly string[], weight: number): void => {
    const share = weight / Math.sqrt(Math.max(1, names.length));
    for (const name of names) {
      const bucket = hash(name) % REQUEST_BUCKETS;
      features.set(bucket, (features.get(bucket) ?? 0) + share);
    }
  };
  const conceptsOf = (text: string): string[] => conceptsIn(plainMarks(text), pack).map(({ concept }) => concept);
  const unique = (names: readonly string[], mark: string): string[] => [...new Set(names)].map((name) => mark + name);
  const text = unit.text.slice(0, LONGEST);
  const slots = slotsOf(plainMarks(text), pack);
  const own = [...new Set(slots.flat())].filter((name) => !MARKS.has(name)).toSorted();
  put(unique(own, 'has '), 2);
  put(runs(slots, [0, 1]), 2);
  put(runs(slots, [0, 2]), 1);
  put(
    runs(slots, [0, 1, 2]).filter((run) => run.split(' ').some((name) => TRIGGERS.has(name))),
    2,
  );
  put(formsOf(plainMarks(text), pack), 2);
  put(
    own.flatMap((left, index) => own.slice(index + 1).map((right) => `${left} & ${right}`)),
    1.5,
  );
  put(unique(conceptsOf(unit.turn.slice(Math.max(0, unit.start - AROUND), unit.start)), 'before '), 1);
  put(unique(conceptsOf(unit.turn.slice(unit.end, unit.end + AROUND)), 'after '), 1);
  // An earlier request is no evidence for or against this one.
  const told = said
    .map((each) => conceptsOf(each.slice(0, LONGEST)))
    .filter((names) => !names.some((name) => ASKS.has(name)));
  put(unique(told.at(-1) ?? [], 'last '), 1);
  put(unique(told.slice(-3, -1).flat(), 'earlier '), 0.5);
  const shape = shapeOf(unit, text);
  put(shape, 2);
  if (shape.includes('asks')) put(unique(own, 'asked '), 1.5);
  put(groundOf(text, said), 1);
  put([pack.language], 0.5);
  return features;
}

const ASKS = new Set(['forget', 'drop']);
const MARKS = new Set(['^', '$', ',', '_']);

/** A text as a sequence: the concepts of each of its words, marks of clauses, and "_" for words that have no concept. */
function slotsOf(text: string, pack: Pack): string[][] {
  const slots: string[][] = [['^']];
  let end = 0;
  const gap = (to: number): void => {
    const between = text.slice(end, to);
    if (/[\p{L}\p{N}]/u.test(between)) slots.push(['_']);
    if (/[,;.:!?…–—、，。！？]/u.test(between)) slots.push([',']);
  };
  for (const { concept, start, end: to } of conceptsIn(text, pack)) {
    if (start < end) {
      const last = slots.at(-1);
      if (last !== undefined && !last.includes(concept)) last.push(concept);
      end = Math.max(end, to);
      continue;
    }
    gap(start);
    slots.push([concept]);
    end = to;
  }
  gap(text.length);
  slots.push(['$']);
  return slots;
}

const INFLECTED = new Set(['forget', 'drop', 'keep', 'gone', 'back']);

/** The words of the verbs as they are written: "olvida" asks, "olvidaste" does not. */
function formsOf(text: string, pack: Pack): string[] {
  return conceptsIn(text, pack)
    .filter(({ concept }) => INFLECTED.has(concept))
    .flatMap(({ start, end }) => {
      const form = `${pack.language} ${text.slice(start, end).toLowerCase()}`;
      return start === 0 ? [form, `^ ${form}`] : [form];
    });
}

/** Every way to choose a concept of each of several slots at these distances: "forget 1 point". */
function runs(slots: readonly (readonly string[])[], places: readonly number[]): string[] {
  const last = places.at(-1) ?? 0;
  const found = new Set<string>();
  for (let at = 0; at + last < slots.length; at += 1) {
    let names = [''];
    for (const place of places)
      names = names.flatMap((name) => (slots[at + place] ?? []).map((each) => `${name}${place} ${each} `));
    for (const name of names) found.add(name);
  }
  return [...found];
}

function shapeOf({ pack, index, count, hasForeign, turn, start }: Unit, text: string): string[] {
  const size = pack?.script === 'han' ? text.length / 2 : (text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0);
  const shape = [
    `size ${[2, 4, 7, 12, 20].filter((step) => size > step).length}`,
    `from start ${Math.min(index, 2)}`,
    `from end ${Math.min(count - 1 - index, 2)}`,
    `of ${Math.min(count, 4)}`,
    `foreign ${hasForeign}`,
  ];
  const has = (name: string, isSo: boolean): unknown => isSo && shape.push(name);
  has('asks', /[?？]\s*\S{0,2}$/u.test(text));
  has('quotes', /["“”„«»「」『』‘]/u.test(turn));
  has('lines', turn.includes('\n'));
  has('colon', /[:：]/u.test(text));
  has('after colon', /[:：]\s*\S{0,2}$/u.test(turn.slice(Math.max(0, start - 8), start)));
  has('marks', /[{}<>=\\|_*#]/.test(turn));
  has('digits', /\d/.test(text));
  return shape;
}

/** How many telling words a sentence shares with what was said before it. */
function groundOf(text: string, said: readonly string[]): string[] {
  const stems = contentStems(text);
  const shared = said
    .slice(-3)
    .map((each) => [...contentStems(each.slice(0, LONGEST))].filter((stem) => stems.has(stem)).length);
  const most = Math.min(2, Math.max(0, ...shared));
  return [`shares ${most}`, `tells ${Math.min(5, stems.size)}`, `shares ${most} of ${Math.min(3, stems.size)}`];
}

/** Concepts without which a sentence asks for nothing: what the head makes of all others is chance. */
const TRIGGERS = new Set(['forget', 'drop', 'keep', 'memory', 'private', 'gone']);

/** "Is this polite: please delete my number": what a longer sentence announces is a text, and no order. */
function isAnnounced({ turn, start, text }: Unit, pack: Pack): boolean {
  const announced = /^([^\n]{0,200}[\p{L}\p{N}?)])[:：]\s/u.exec(turn.slice(0, start) + text);
  const [, announcing = ''] = announced ?? [];
  if (pack.script !== 'han' && announcing.split(/\s+/).length > MOST_ANNOUNCING) return true;
  return conceptsIn(plainMarks(announcing), pack).some(({ concept }) => ANNOUNCES.has(concept));
}

const MOST_ANNOUNCING = 3;
const ANNOUNCES = new Set(['quote', 'said', 'task', 'text']);

function mayAsk(unit: Unit): boolean {
  const { pack, isForeign, text } = unit;
  if (pack === null || isForeign || isAnnounced(unit, pack)) return false;
  const concepts = new Set(conceptsIn(plainMarks(text.slice(0, LONGEST)), pack).map(({ concept }) => concept));
  return [...TRIGGERS].some((name) => concepts.has(name)) || (concepts.has('know') && concepts.has('not'));
}

/** The probability of each kind of request. */
export type RequestGuess = Record<RequestKind, number>;

/** A head with weights of its own. */
export function createRequestHead(weights: RequestWeights): (unit: Unit, said: readonly string[]) => RequestGuess {
  let rows: Int8Array | undefined;
  return (unit, said) => {
    if (!mayAsk(unit)) return { none: 1, forget: 0, keep_not: 0, take_back: 0 };
    rows ??= new Int8Array(Buffer.from(weights.rows, 'base64'));
    const features = requestFeatures(unit, said);
    const powers = REQUEST_KINDS.map((_, kind) => {
      let sum = 0;
      for (const [bucket, value] of features) sum += (rows?.[kind * REQUEST_BUCKETS + bucket] ?? 0) * value;
      return Math.exp(sum * (weights.scales[kind] ?? 0) + (weights.biases[kind] ?? 0));
    });
    const total = powers.reduce((sum, power) => sum + power, 0);
    return Object.fromEntries(REQUEST_KINDS.map((name, kind) => [name, (powers[kind] ?? 0) / total])) as RequestGuess;
  };
}

/** What a sentence asks, by the shipped weights. */
export const guessRequest: ReturnType<typeof createRequestHead> = createRequestHead(REQUEST_WEIGHTS);
