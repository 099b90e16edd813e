import { namesText } from '../../../language/foreign-text.ts';
import { isOrdinary } from '../../../language/names.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import {
  detectPack,
  orderIn,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
} from '../../../language/packs/packs.ts';
import { REMOVED } from '../../../language/privacy-policy.ts';
import { type EmbedOptions, unlessUnavailable } from '../../../models/embedder.ts';
import type { Event } from '../../../record/event.ts';
import { USER } from '../../../record/statement.ts';
import {
  emptyReading,
  type ReadForget,
  type Reading,
  type ReadInput,
  readStatement,
  type ReadStatement,
  type StatementReader,
} from '../reader.ts';
import { calledOffIn, quitIn, replacementIn, slotsOfKnown } from './known-changes.ts';
import { readObserved, topicsOf } from './observed.ts';
import { type FilledSlot, withListedNames } from './slot-values.ts';
import { othersWords, withoutPrompt } from './others-words.ts';
import { featuresOf, type Select, select } from './selector.ts';
import {
  type Asked,
  contextOf,
  correctionOf,
  type Kept,
  REMEMBERED,
  type Request,
  statementsOf,
} from './statements-of-turn.ts';
import {
  isOwnMessage,
  taggedSlots,
  type ReadParts,
  type ReadUnit,
  tellMessage,
  type ToldMessage,
  type Turn,
  unitsOf,
  UNTOLD,
} from './units.ts';

export interface LocalReaderOptions {
  /** Unit vectors of texts by the local embedder. If it is absent or fails, plain features decide alone, and fewer sentences are kept. */
  embed?: ((texts: string[], options: EmbedOptions) => Promise<Float32Array[]>) | null;
  /** Classifies the parts of a message as foreign or as requests to forget. If it is absent or fails, no request to forget is recognised. */
  readParts?: ReadParts | undefined;
  /** The selector. Training measures other weights through it. */
  select?: Select;
}

/** The probability from which on a sentence is kept. It balances missed statements against junk, measured on the lives (train/README.md). */
const KEEP = { vector: 0.58, plain: 0.62 };
const SLOT_NEEDS = 0.12;
const LIKELY_NEEDS = 0.45;
const WISH_NEEDS = 0.3;
const PLAIN_NEEDS = 0.35;
const CONSTRAINT_NEEDS = 0.12;
const LEAST_OWN = 0.45;
/** The log-odds of the reading layers above which a turn may make known statements untrue. */
const MAY_CHANGE = 5;

/**
 * Reads without a model: it keeps the sentences that a small trained selector chooses, in the user's own words, and the attributes that
 * patterns or the reading layers fill. It makes no inferences, rewrites nothing and replaces only slots.
 */
export function createLocalReader({
  embed = null,
  readParts,
  select: ask = select,
}: LocalReaderOptions = {}): StatementReader {
  return {
    id: 'local',
    kind: 'local',
    async read(input, { signal } = {}) {
      signal?.throwIfAborted();
      const turns = await Promise.all(
        input.turns.map(async (event, index) => {
          if (!isOwnMessage(event)) return readableTurn(event, index, input, UNTOLD);
          const told =
            readParts === undefined
              ? UNTOLD
              : ((await unlessUnavailable(
                  tellMessage(withoutPrompt(event.content, input.attributes), readParts, { signal }),
                )) ?? UNTOLD);
          const isAsking = told.asking.some(({ odds }) => odds > 0);
          const others = await othersWords(index, input, { readParts, isAsking, signal });
          return readableTurn(event, index, input, { ...told, foreign: [...told.foreign, ...others] });
        }),
      );
      const texts = turns.flatMap((turn) => turn.units.map((unit) => unit.text));
      const vectors = embed === null || texts.length === 0 ? null : await unlessUnavailable(embed(texts, { signal }));
      signal?.throwIfAborted();
      let place = 0;
      const reading = emptyReading();
      for (const turn of turns) {
        const asked = turn.units.map((unit) => {
          const vector = vectors?.[place] ?? null;
          place += 1;
          return {
            unit: { ...unit, filled: filledIn(unit, turn, input) },
            request: requestOf(unit),
            selection: ask(featuresOf(unit), vector),
            hasVector: vector !== null,
          };
        });
        readTurn(turn, asked, input, reading);
      }
      const types = new Set(input.types.map(({ name }) => name));
      reading.statements = reading.statements.map((statement) =>
        types.has(statement.type) || types.size === 0 ? statement : { ...statement, type: 'fact' },
      );
      if (input.wants.topics) reading.topics = topicsOf(reading.statements, input.turns, input.timeZone);
      return reading;
    },
  };
}

/** The slots of a sentence: by patterns, by the reading layers, and by what is known of the people in it. */
function filledIn(unit: ReadUnit, { event, told }: Turn, { known, timeZone }: ReadInput): FilledSlot[] {
  const at = { now: event.occurredAt, timeZone, prefer: 'future' as const };
  const slots = [...unit.filled, ...taggedSlots(unit, told.values), ...slotsOfKnown(unit, known, at)];
  return withListedNames(slots, unit.text, unit.pack);
}

function readableTurn(event: Event, index: number, input: ReadInput, told: ToldMessage): Turn {
  const before = [...input.earlier, ...input.turns.slice(0, index)];
  if (!isOwnMessage(event)) return { event, number: index + 1, units: [], speaker: USER, pack: null, told };
  const last = before.at(-1);
  const asked = last !== undefined && last.origin === 'agent' && last.kind === 'message' ? last.content : null;
  const own = before.filter(isOwnMessage);
  const fallback = own.slice(-3).reduce<Pack | null>((pack, { content }) => detectPack(content, pack), null);
  const { units, pack } = unitsOf(event.content, {
    asked,
    fallback,
    now: event.occurredAt,
    timeZone: input.timeZone,
    told: told.foreign,
    people: peopleOf(
      input.known,
      own.map(({ content }) => content.slice(0, 1_500)),
      fallback,
    ),
    values: input.known.flatMap(({ attribute, value }) =>
      attribute === null || value === null ? [] : [value.toLowerCase()],
    ),
  });
  return { event, number: index + 1, units, pack, speaker: speakerOf(event, input), told };
}

const NAMED_PEOPLE: ReadonlySet<string> = new Set(['partner_name', 'child_name', 'pet_name', 'manager_name']);
const MOST_PEOPLE = 40;

/**
 * Names of people in the user's life, in lower case: the subjects of known statements, and people who are named in turns with their
 * relation.
 */
export function peopleOf(
  known: readonly { subject: string; attribute: string | null; value: string | null }[],
  turns: readonly string[],
  pack: Pack | null,
): string[] {
  const names = known.flatMap(({ subject, attribute, value }) => [
    subject.startsWith("User's ")
      ? (subject
          .split(' ')
          .slice(1)
          .findLast((word) => /^\p{Lu}/u.test(word)) ?? '')
      : '',
    attribute !== null && NAMED_PEOPLE.has(attribute) ? (value ?? '') : '',
  ]);
  if (pack !== null && pack.script !== 'han') {
    const named = packRegExp(`(?:${pack.my}) (?:${relationsOf(pack)}),? (\\p{L}[\\p{L}-]+)`);
    for (const turn of turns) names.push(named.exec(turn)?.[1] ?? '');
  }
  return [...new Set(names.map((name) => name.toLowerCase()))]
    .filter((name) => name.length > 2 && (pack === null || !isOrdinary(name, pack)))
    .slice(-MOST_PEOPLE);
}

/** In talk of several people "I" is the speaker, who is the user only under one of the user's names. */
function speakerOf(event: Event, { turns, earlier, userNames }: ReadInput): string {
  if (event.speaker === null || event.speaker === '') return USER;
  const isUsers = (name: string): boolean => userNames.some((other) => other.toLowerCase() === name.toLowerCase());
  const speakers = new Set(
    [...earlier, ...turns].filter(({ origin }) => origin === 'user').map(({ speaker }) => speaker ?? ''),
  );
  return speakers.size < 2 || isUsers(event.speaker) ? USER : event.speaker;
}

/** The request that a sentence makes, by the phrases of its language. */
function requestOf({ pack, isForeign, text: words }: ReadUnit): Request | null {
  if (pack === null || isForeign) return null;
  const text = plainMarks(words.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  if (says('reminder')) return 'reminder';
  if (/[?？]\s*$/.test(text)) return null;
  if (says('remember') && !says('delayed') && !says('recalls')) return 'remember';
  return says('wish') ? 'wish' : null;
}

function readTurn(turn: Turn, asked: readonly Asked[], input: ReadInput, reading: Reading): void {
  const { event } = turn;
  if (event.kind !== 'message') {
    reading.statements.push(...readObserved(event, turn.number, input));
    return;
  }
  const isRemembered = asked.some(({ request, unit }) => request === 'remember' && isBareRequest(unit));
  const kept: Kept[] = [];
  for (const item of asked) {
    const { unit, request } = item;
    const correction = kept.length === 0 ? correctedBy(unit, turn, input, reading) : null;
    if (correction !== null) {
      reading.statements.push(correction);
      continue;
    }
    if (unit.isForeign) continue;
    if (request === 'remember' && isBareRequest(unit)) {
      if (asked.length === 1) keepLastTurn(turn, input, reading);
      continue;
    }
    const isWanted = request === 'remember' || request === 'reminder' || isRemembered;
    if (isWanted || isKept(item)) {
      kept.push(...contextOf(item, asked[unit.index - 1], kept.at(-1)), { ...item, isWanted });
      continue;
    }
    const filled = certainSlots(item);
    if (filled.length > 0) kept.push({ ...item, unit: { ...unit, filled }, isWanted, isSlotOnly: true });
  }
  reading.statements.push(...statementsOf(turn, kept, input));
  reading.ends.push(...calledOffIn(turn, input), ...quitIn(turn, input));
  const forget = forgetIn(turn);
  if (forget !== null) reading.forgets.push(forget);
  if (forget === null && turn.told.changes > MAY_CHANGE) (reading.changes ??= []).push(turn.number);
}

function correctedBy(unit: ReadUnit, turn: Turn, input: ReadInput, reading: Reading): ReadStatement | null {
  return correctionOf(unit, reading.statements, input, turn.number) ?? replacementIn(unit, input, turn);
}

/** The slots of a sentence whose words are not kept. */
function certainSlots({ unit, selection }: Asked): FilledSlot[] {
  const needs = (slot: FilledSlot): number => (slot.isLikely === true ? LIKELY_NEEDS : SLOT_NEEDS);
  return selection.foreign.own < LEAST_OWN ? [] : unit.filled.filter((slot) => selection.keep.yes >= needs(slot));
}

function isKept({ selection, request, hasVector, unit }: Asked): boolean {
  if (selection.foreign.own < LEAST_OWN) return false;
  if (request === 'wish') return Math.max(selection.keep.yes, selection.request.wish) >= WISH_NEEDS;
  if (/[?？]\s*$/u.test(unit.text) && selection.keep.yes < 0.8) return false;
  const needed = isConstraint(unit)
    ? CONSTRAINT_NEEDS
    : isPlainStatement(unit)
      ? PLAIN_NEEDS
      : KEEP[hasVector ? 'vector' : 'plain'];
  return selection.keep.yes >= needed;
}

const constraint = perPack(({ is, script, lists: { diet = '(?!)', being = '(?!)' } }) => {
  const words = `${diet}|${being}|allerg\\p{L}+|alérg\\p{L}+|\\p{L}*intol[eé]r\\p{L}+|\\p{L}*unverträglich\\p{L}*`;
  // Scripts without spaces are left to the selector.
  return packRegExp(
    script === 'han'
      ? '(?!)'
      : `\\p{L}(?:${is}| are| sind| son| sont| sono| são| zijn)(?: \\p{L}+){0,3}? (?:${words})(?![\\p{L}])`,
  );
});

/** "Could you suggest a dinner? Rui is lactose intolerant.": what somebody cannot eat is worth keeping beside a request. */
function isConstraint({ pack, text, isForeign }: ReadUnit): boolean {
  if (pack === null || isForeign || /[?？]/u.test(text)) return false;
  const plain = plainMarks(text);
  const says = (name: keyof Pack['words']): boolean => packPattern(pack, name).test(plain);
  return (
    constraint(pack).test(plain) && !(['hedge', 'if', 'joke', 'said', 'question', 'you', 'ask'] as const).some(says)
  );
}

/** "My boss is called Henrik.": for a turn of one plain sentence about the user a lower probability is enough. */
function isPlainStatement({ pack, text, count }: ReadUnit): boolean {
  if (pack === null || pack.script === 'han' || count > 1) return false;
  const plain = plainMarks(text);
  const says = (name: keyof Pack['words']): boolean => packPattern(pack, name).test(plain);
  return (
    packRegExp(`^(?:(?:${pack.words.greeting})[,!.]* )?(?:${pack.my}|${pack.i}|${pack.iAm}) `).test(plain) &&
    !(['hedge', 'if', 'joke', 'said', 'question', 'they', 'ask', 'feeling'] as const).some(says)
  );
}

/** "Write that down.": what is to be remembered is in another sentence. */
function isBareRequest(unit: ReadUnit): boolean {
  if (unit.filled.length > 0 || unit.pack === null) return false;
  const rest = plainMarks(unit.text).replace(packPattern(unit.pack, 'request:remember'), ' ');
  const left = rest.match(unit.pack.script === 'han' ? /[\p{L}\p{N}]/gu : /[\p{L}\p{N}]+/gu)?.length ?? 0;
  return left <= (unit.pack.script === 'han' ? 2 : 1);
}

/** A bare request to remember, in a turn of its own, means the turn before it. */
function keepLastTurn(turn: Turn, input: ReadInput, reading: Reading): void {
  const index = input.turns.slice(0, turn.number - 1).findLastIndex(isOwnMessage);
  const event = input.turns[index];
  if (event === undefined) return;
  const own = reading.statements.filter(({ quotes }) => quotes[0]?.turn === index + 1);
  for (const statement of own) Object.assign(statement, { importance: REMEMBERED, explicit: true });
  if (own.length > 0 || event.content.length > 400) return;
  reading.statements.push(
    readStatement({
      text: event.content,
      type: 'fact',
      quotes: [{ turn: index + 1, words: event.content }],
      importance: REMEMBERED,
    }),
  );
}

/** The log-odds of the reading layers above which a sentence may ask to forget something. What was said before it decides. */
const MAY_ASK = -5;
const SURELY_ASKS = 3;

/** The sentence of a turn that most probably asks to forget something, or takes such a request back; null if none may. */
function forgetIn({ number, units, told }: Turn): ReadForget | null {
  const isOwn = !units.some(({ isForeign }) => isForeign);
  const likely = units
    // "my pin is [password removed]" asks nothing: the redaction has written the verb.
    .filter((unit) => !unit.isForeign && !isHeaded(unit) && unit.text.search(REMOVED) === -1)
    .map((unit) => {
      const { text, start, end } = unit;
      const parts = told.asking.filter((part) => part.start < end && part.end > start);
      // An order in plain words may ask, whatever the layers make of it alone.
      const least = isOwn && orderIn(text, unit.turn) !== null ? MAY_ASK : -Infinity;
      return { unit, text, odds: Math.max(least, ...parts.map(({ odds }) => odds)) };
    })
    .toSorted((one, other) => other.odds - one.odds)[0];
  // "From now on …" is a wish unless it surely asks to forget something.
  const isWish = likely !== undefined && requestOf(likely.unit) === 'wish' && likely.odds < SURELY_ASKS;
  return likely === undefined || likely.odds < MAY_ASK || isWish
    ? null
    : { quote: { turn: number, words: likely.text }, about: likely.text, known: [], odds: likely.odds };
}

/** "Ana's mail: …": whether a short head before a colon says that the words are a text of somebody else. */
function isHeaded({ turn, start, text }: ReadUnit): boolean {
  const head = /^[^\n:：]{1,60}(?=[:：]\s)/u.exec(turn.slice(0, start) + text)?.[0];
  return head !== undefined && (namesText(head) || /\p{L}['’]s |\p{L} \p{Lu}\p{Ll}/u.test(head));
}
