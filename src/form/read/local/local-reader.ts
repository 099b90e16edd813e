import { zoneOf } from '../../../language/calendar.ts';
import { asksAboutText, introductionEnd, namesText, withoutPrompt } from '../../../language/foreign-text.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, listPattern, orderIn, packPattern, plainMarks } from '../../../language/packs/packs.ts';
import { REMOVED } from '../../../language/privacy-policy.ts';
import { intersects } from '../../../language/sentences.ts';
import { type Embedder, type EmbedOptions, unlessUnavailable } from '../../../models/embedder.ts';
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
import {
  correctingIn,
  correctionOf,
  joinsLast,
  movedBy,
  redatedBy,
  replacementIn,
  restatementIn,
} from './earlier-statements.ts';
import { calledOffIn, endingOn, leavingIn, outdatedIn, quitIn, resumedIn, withoutQuitting } from './endings.ts';
import { isFriend, peopleOf, slotsOfKnown } from './known-names.ts';
import { type FilledSlot, withListedNames } from './slot-values.ts';
import { readObserved } from './observed.ts';
import { othersWords } from './others-words.ts';
import { type ReadParts, stateOf, taggedSlots, tellMessage, UNTOLD } from './reading-layers.ts';
import {
  type Asked,
  certainSlots,
  inputsOf,
  isDismissal,
  isKept,
  requestOf,
  type Select,
  select,
  tellsReader,
  UNREAD,
} from './selector.ts';
import {
  askedBefore,
  contextOf,
  hasValue,
  isDangling,
  isPlainPlan,
  type Kept,
  ownWords,
  REMEMBERED,
  statementsOf,
} from './statements-of-turn.ts';
import {
  asKnownTo,
  isClaim,
  isOwnMessage,
  type ReadUnit,
  speakerOf,
  type ToldMessage,
  type Turn,
  unitsOf,
} from './units.ts';

export interface LocalReaderOptions {
  /** Returns unit vectors. */
  embed?: (texts: string[], options: EmbedOptions) => Promise<Float32Array[]>;
  /** Without the reading layers or `embed`, only plain statements, slots and plain requests are recognised. */
  readParts?: ReadParts;
  /** Training evaluates other weights with this option. */
  select?: Select;
}

/** Log-odds above which a turn may make known statements untrue. */
const MAY_CHANGE = -1;

/** Keeps the sentences that a small trained selector chooses, in the user's own words, and fills attributes. Infers nothing. */
export function createLocalReader({
  embed = async () => [],
  readParts,
  select: ask = select,
}: LocalReaderOptions = {}): StatementReader {
  return {
    id: 'local',
    kind: 'local',
    async read(input, { signal } = {}) {
      signal?.throwIfAborted();
      const reading = emptyReading();
      const turns = await Promise.all(
        input.turns.map(async (event, index) => {
          if (!isOwnMessage(event)) return readableTurn(index, input, reading, UNTOLD);
          const text = withoutPrompt(event.content, input.attributes);
          const told = (await unlessUnavailable(tellMessage(text, readParts, { signal }))) ?? UNTOLD;
          const isAsking = told.asking.some(({ odds }) => odds > 0);
          const others = await othersWords(index, input, { readParts, isAsking, signal });
          return readableTurn(index, input, reading, { ...told, foreign: [...told.foreign, ...others] });
        }),
      );
      const texts = turns.flatMap((turn) => turn.units.map((unit) => unit.text));
      const vectors = texts.length === 0 ? [] : ((await unlessUnavailable(embed(texts, { signal }))) ?? []);
      signal?.throwIfAborted();
      let place = 0;
      for (const turn of turns) {
        const asked = turn.units.map((unit) => {
          const [state, vector] = [stateOf(turn.told, unit), vectors[place]];
          place += 1;
          return {
            unit: { ...unit, filled: filledIn(unit, turn) },
            request: requestOf(unit),
            selection: state === null || vector === undefined ? UNREAD : ask(inputsOf(unit, { state, vector })),
          };
        });
        readTurn(turn, asked);
      }
      return reading;
    },
  };
}

export function readerOn({ embed, readParts }: Embedder): StatementReader {
  return createLocalReader({ embed: async (texts, options) => (await embed(texts, options)).vectors, readParts });
}

function filledIn(unit: ReadUnit, { input, at, told, speaker }: Turn): FilledSlot[] {
  const ofKnown = slotsOfKnown(unit, { ...input, known: asKnownTo(speaker, input.known) }, at);
  // "I've given up padel" names a sport, but denies it.
  const isDenied = ({ attribute, value }: FilledSlot): boolean =>
    ofKnown.some((slot) => slot.polarity === 'denied' && slot.attribute === attribute && hasValue(slot, value));
  const tagged = taggedSlots(unit, told.values, at).filter((slot) => !isDenied(slot));
  const slots = [...unit.filled, ...ofKnown, ...tagged].filter((slot) => !isFriend(slot, unit, input.known));
  return withListedNames(slots, unit.text, unit.pack);
}

function readableTurn(index: number, input: ReadInput, reading: Reading, told: ToldMessage): Turn {
  const event = input.turns[index] as Event;
  const earlier = [...input.earlier, ...input.turns.slice(0, index)];
  const at = { now: event.occurredAt, timeZone: zoneOf(event, input.timeZone), prefer: 'future' as const };
  const turn = { input, reading, event, number: index + 1, at, told };
  if (!isOwnMessage(event)) return { ...turn, units: [], speaker: USER, pack: null, usualPack: null };
  const last = earlier.at(-1);
  const asked = last !== undefined && last.origin === 'agent' && last.kind === 'message' ? last.content : null;
  const own = earlier.filter(isOwnMessage);
  const before = own.slice(-3).reduce<Pack | null>((pack, { content }) => detectPack(content, pack), null);
  const fallback = before ?? (detectPack(event.content) === null ? knownPack(input) : null);
  const texts = own.map(({ content }) => content.slice(0, 1_500));
  const people = peopleOf(input.known, texts, fallback, input.attributes);
  const values = input.known.flatMap(({ attribute, value }) =>
    attribute === null ? [] : (value?.toLowerCase() ?? []),
  );
  const isOwnText = input.ownTexts?.has(event.id) === true;
  const units = unitsOf(event.content, { ...at, asked, fallback, people, values, told: told.foreign, isOwnText });
  return { ...turn, ...units, speaker: speakerOf(event, input), usualPack: usualPackOf(own) };
}

const RECENT_TURNS = 9;
const LEAST_TURNS = 3;

/** The language of more than half of the last turns. */
function usualPackOf(own: readonly Event[]): Pack | null {
  const recent = own.slice(-RECENT_TURNS).flatMap(({ content }) => detectPack(content) ?? []);
  const isUsual = (pack: Pack): boolean => recent.filter((one) => one === pack).length * 2 > recent.length;
  return recent.length < LEAST_TURNS ? null : (recent.find(isUsual) ?? null);
}

/** The language of what is known in the user's own words, for a short message at the beginning of a session. */
function knownPack({ known }: ReadInput): Pack | null {
  return detectPack(known.flatMap(({ attribute, content }) => (attribute === null ? content : [])).join('\n'));
}

function readTurn(turn: Turn, asked: readonly Asked[]): void {
  const { event, input, reading } = turn;
  const redated = redatedBy(turn);
  if (event.kind !== 'message' || redated !== null) {
    reading.statements.push(...(redated === null ? readObserved(event, turn.number, input) : [redated]));
    return;
  }
  const claims = asked.map(({ unit }) => unit).filter(isClaim);
  const moved = new Map<number, ReadStatement>();
  for (const unit of claims) {
    const statement = movedBy(turn, unit);
    if (statement !== null) moved.set(unit.index, statement);
  }
  reading.statements.push(...moved.values());
  const others = asked.filter(({ unit }) => !moved.has(unit.index));
  const leaving = leavingIn(claims, turn);
  const statements = statementsOf(turn, keptIn(turn, leaving === null ? others : others.map(withoutQuitting)));
  reading.statements.push(...(leaving === null ? statements : statements.map((each) => endingOn(leaving.on, each))));
  const ends = [calledOffIn, quitIn, resumedIn, outdatedIn].flatMap((endsIn) => endsIn(claims, turn));
  reading.ends.push(...ends, ...(leaving?.ends ?? []));
  const forget = forgetIn(turn);
  if (forget !== null) reading.forgets.push(forget);
  // If the user leaves a job on a later day, reporting the turn as a change would end the job immediately.
  const isOwn = turn.units.some((unit) => (unit.pack === null ? !unit.isForeign : isClaim(unit)));
  // The layers also read words that the user takes back. Those must not end a statement that still holds.
  const isTakenBack = turn.units.some((unit) => unit.isTakenBack);
  const mayChange =
    isOwn && !isTakenBack && forget === null && leaving === null && moved.size === 0 && turn.told.changes > MAY_CHANGE;
  if (mayChange) (reading.changes ??= []).push(turn.number);
}

/** Log-odds above which a sentence only asks to forget something or withdraws such a request, so that no statement is read from it. */
const SURELY_ASKS = 5;

function asksToForget({ told }: Turn, { unit, request }: Asked): boolean {
  return request === null && told.asking.some((part) => part.odds > SURELY_ASKS && intersects(part, unit));
}

/** Corrections of earlier statements go directly to the reading. */
function keptIn(turn: Turn, asked: readonly Asked[]): Kept[] {
  const { statements } = turn.reading;
  const isRemembered = asked.some(({ request, unit }) => request === 'remember' && isBareRequest(unit));
  const kept: Kept[] = [];
  for (const item of asked) {
    const { unit, request } = item;
    if (asksToForget(turn, item)) continue;
    const here = correctingIn(unit) === null ? [] : statementsOf(turn, kept.slice(-1));
    const correction =
      correctionOf(unit, turn, here) ??
      (kept.length > 0 ? null : (replacementIn(unit, turn) ?? restatementIn(unit, turn)));
    if (correction !== null) {
      // `here` has the statements of the corrected sentence, so the sentence itself is no longer needed.
      if (kept.pop() !== undefined) statements.push(...here);
      statements.push(correction);
    } else if (request === 'remember' && isBareRequest(unit)) {
      if (asked.length === 1) keepLastTurn(turn);
    } else if (!unit.isForeign) {
      const wanted = { ...item, isWanted: request === 'remember' || request === 'reminder' || isRemembered };
      const before = askedBefore(unit, asked)?.unit.text ?? '';
      const joins = (): boolean => joinsLast(ownWords(turn, [wanted]), turn, before);
      const isSure = isKept(wanted) || isPlainPlan(wanted, turn.at);
      kept.push(...keptOf(wanted, asked, kept.at(-1), isSure, joins));
    }
  }
  return kept;
}

/** The sentence with those that it refers to, or only its slots if its words were joined to an earlier statement or lack their context. */
function keptOf(
  item: Kept,
  asked: readonly Asked[],
  last: Kept | undefined,
  isSure: boolean,
  joins: () => boolean,
): Kept[] {
  const { unit, isWanted } = item;
  if (!isWanted && (tellsReader(item) || isDismissal(unit))) return [];
  if (isWanted || isSure) {
    const context = contextOf(item, asked, last);
    const isAlone = context.length === 0 && last?.unit.index !== unit.index - 1 && isDangling(item);
    // If the words that a sentence refers to are missing, only its slots are kept, unless it is a reminder or answers a question.
    const isOwnStatement = !isAlone || item.request === 'reminder' || /[?？]/u.test(unit.asked ?? '');
    if (!(isAlone && joins()) && isOwnStatement) return [...context, item];
  }
  const filled = certainSlots(item);
  return filled.length === 0 ? [] : [{ ...item, unit: { ...unit, filled }, isSlotOnly: true }];
}

/** A request without content of its own: "Write that down." */
function isBareRequest(unit: ReadUnit): boolean {
  if (unit.filled.length > 0 || unit.pack === null) return false;
  const rest = plainMarks(unit.text).replace(packPattern(unit.pack, 'request:remember'), ' ');
  const left = rest.match(unit.pack.script === 'han' ? /[\p{L}\p{N}]/gu : /[\p{L}\p{N}]+/gu)?.length ?? 0;
  return left <= (unit.pack.script === 'han' ? 2 : 1);
}

/** For a turn that only asks to remember the previous one. */
function keepLastTurn({ input, reading, number }: Turn): void {
  const index = input.turns.slice(0, number - 1).findLastIndex(isOwnMessage);
  const event = input.turns[index];
  if (event === undefined) return;
  const own = reading.statements.filter(({ quotes }) => quotes[0]?.turn === index + 1);
  for (const statement of own) Object.assign(statement, { importance: REMEMBERED, explicit: true });
  const { content: text } = event;
  if (own.length > 0 || text.length > 400) return;
  const quotes = [{ turn: index + 1, words: text }];
  reading.statements.push(readStatement({ text, type: 'fact', quotes, importance: REMEMBERED }));
}

/** Log-odds below which a sentence asks to forget nothing. Above them, `tellRequest` decides from the earlier turns. */
const MAY_ASK = -5;
/** A sentence that expresses a wish counts as a request to forget only from these log-odds. */
const WISH_ASKS = 3;

function forgetIn({ number, units, told }: Turn): ReadForget | null {
  const isOrder = (unit: ReadUnit): boolean => orderIn(unit.text, unit.turn) !== null;
  // Words such as "scratch that" withdraw the words before them and also ask to forget them.
  const isElsewhere = (unit: ReadUnit): boolean => unit.isForeign && !(unit.isTakenBack && isOrder(unit));
  const isOwn = !units.some(({ isForeign, isTakenBack }) => isForeign && !isTakenBack);
  const likely = units
    // "my pin is [password removed]" is not a request: the redaction has added the verb.
    .filter((unit) => !isElsewhere(unit) && !isIntroduced(unit) && unit.text.search(REMOVED) === -1)
    .map((unit) => {
      const parts = told.asking.filter((part) => intersects(part, unit));
      // A plain order counts as a possible request even if the layers give it low log-odds.
      const least = isOwn && isOrder(unit) ? MAY_ASK : -Infinity;
      return { unit, odds: Math.max(least, ...parts.map(({ odds }) => odds)) };
    })
    .toSorted((one, other) => other.odds - one.odds)[0];
  if (likely === undefined || likely.odds < MAY_ASK) return null;
  const { unit, odds } = likely;
  // "From now on …" is a wish. It asks to forget something only if it orders so ("I want you to forget …") or if the log-odds are high.
  if (!isOrder(unit) && odds < WISH_ASKS && requestOf(unit) === 'wish') return null;
  return { quote: { turn: number, words: unit.text }, about: unit.text, known: [] };
}

/** Whether the message introduces the sentence as a text: "Is this a scam?", followed by a blank line and the text. */
function isIntroduced(unit: ReadUnit): boolean {
  const end = introductionEnd(unit.turn);
  return isHeaded(unit) || (end > 0 && unit.start >= end);
}

/** "Ana's mail: …" introduces another person's text, "About the money between me and Gethin: …" the user's own words. */
function isHeaded({ turn, start, text, pack }: ReadUnit): boolean {
  const head = /^[^\n:：]{1,60}(?=[:：]\s)/u.exec(turn.slice(0, start) + text)?.[0];
  if (head === undefined) return false;
  const isOwn = pack !== null && listPattern(pack, 'firstPerson').test(head);
  return namesText(head) || asksAboutText(head) || (!isOwn && /\p{L}['’]s |\p{L} \p{Lu}\p{Ll}/u.test(head));
}
