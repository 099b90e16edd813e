import {
  asksAboutText,
  type ForeignSpan,
  introductionEnd,
  namesText,
  withoutPrompt,
} from '../../../language/foreign-text.ts';
import { zoneOf } from '../../../language/calendar.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import {
  anyWords,
  gistOf,
  detectPack,
  isOrdinary,
  listPattern,
  orderIn,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  saysAny,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { continuesOthers, mayMeanSamePeople, namesSomebody, partingOf } from '../../../language/packs/subjects.ts';
import { REMOVED } from '../../../language/privacy-policy.ts';
import { dayAfterLast } from '../../../language/told-days.ts';
import { intersects, splitClauses } from '../../../language/sentences.ts';
import { contentStems } from '../../../language/words.ts';
import { type Embedder, type EmbedOptions, unlessUnavailable } from '../../../models/embedder.ts';
import { type AttributeTable, ENDING_LISTS, hasTrait } from '../../../record/attributes.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { isUser, normalValue, USER } from '../../../record/statement.ts';
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
  announced,
  type ClaimUnit,
  isClaim,
  isOwnMessage,
  othersByForm,
  type ReadParts,
  type ReadUnit,
  taggedSlots,
  type Telling,
  tellMessage,
  type ToldMessage,
  type Turn,
  unitsOf,
  UNTOLD,
} from './units.ts';
import { fillSlots, OF_USER } from './fill-slots.ts';
import { readObserved } from './observed.ts';
import {
  type Asked,
  certainSlots,
  featuresOf,
  isKept,
  requestOf,
  select,
  type Select,
  tellsReader,
} from './selector.ts';
import { type FilledSlot, type SlotContext, withListedNames } from './slot-values.ts';
import {
  asKnownTo,
  contextOf,
  correctionOf,
  hasValue,
  isCorrecting,
  isDangling,
  isPlainPlan,
  joinsLast,
  type Kept,
  ownWords,
  movedBy,
  redatedBy,
  REMEMBERED,
  speakerOf,
  statementsOf,
  withValue,
} from './statements-of-turn.ts';

export interface LocalReaderOptions {
  /**
   * Returns the unit vectors of texts from the local embedder. If the function is absent or fails, the other features decide alone, and
   * fewer sentences are kept.
   */
  embed?: ((texts: string[], options: EmbedOptions) => Promise<Float32Array[]>) | null;
  /**
   * Classifies the parts of a message by the reading layers of the local embedder. If the function is absent or fails, only plain orders to
   * forget are recognised, and foreign text only by its form.
   */
  readParts?: ReadParts;
  /** The selector. Training uses this option to evaluate other weights. */
  select?: Select;
}

/** The log-odds of the reading layers above which a turn may make known statements untrue. */
const MAY_CHANGE = 2.5;

/**
 * Creates the reader that works without a language model. It keeps the sentences that a small trained selector chooses, in the user's own
 * words, and the attributes that patterns or the reading layers fill. It makes no inferences.
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
      const vectors = embed === null || texts.length === 0 ? null : await unlessUnavailable(embed(texts, { signal }));
      signal?.throwIfAborted();
      let place = 0;
      for (const turn of turns) {
        const asked = turn.units.map((unit) => {
          const vector = vectors?.[place] ?? null;
          place += 1;
          return {
            unit: { ...unit, filled: filledIn(unit, turn) },
            request: requestOf(unit),
            selection: ask(featuresOf(unit), vector),
            hasVector: vector !== null,
          };
        });
        readTurn(turn, asked);
      }
      const types = new Set(input.types.map(({ name }) => name));
      reading.statements = reading.statements.map((statement) =>
        types.has(statement.type) || types.size === 0 ? statement : { ...statement, type: 'fact' },
      );
      return reading;
    },
  };
}

/** The reader on a local embedder. Its vectors are used only if `embeds` is true. */
export function readerOn({ embed, readParts }: Embedder, embeds: boolean): StatementReader {
  const vectorsOf: LocalReaderOptions['embed'] = async (texts, options) => (await embed(texts, options)).vectors;
  return createLocalReader({ embed: embeds ? vectorsOf : null, readParts });
}

/** The foreign parts of a user's message that are recognised by its form, or because an earlier turn announces them. */
async function othersWords(index: number, input: ReadInput, telling: Telling): Promise<ForeignSpan[]> {
  const event = input.turns[index] as Event;
  const before = [...input.earlier, ...input.turns.slice(0, index)];
  const byForm = othersByForm(event, [...input.earlier, ...input.turns], input);
  const isWhole = byForm.some(({ start, end }) => start === 0 && end === event.content.length);
  const spans =
    isWhole || !before.some(isOwnMessage) ? byForm : [...byForm, ...(await announced(event, before, telling))];
  return spans.map(({ start, end }) => ({ start, end, kind: 'pasted' }));
}

/** The slots of a sentence: those of the patterns, those of the reading layers, and those about known people and values. */
function filledIn(unit: ReadUnit, { input, at, told, speaker }: Turn): FilledSlot[] {
  const ofKnown = slotsOfKnown(unit, { ...input, known: asKnownTo(speaker, input.known) }, at);
  const slots = [...unit.filled, ...taggedSlots(unit, told.values, at), ...ofKnown];
  return withListedNames(slots, unit.text, unit.pack);
}

function readableTurn(index: number, input: ReadInput, reading: Reading, told: ToldMessage): Turn {
  const event = input.turns[index] as Event;
  const before = [...input.earlier, ...input.turns.slice(0, index)];
  const at = { now: event.occurredAt, timeZone: zoneOf(event, input.timeZone), prefer: 'future' as const };
  const turn = { input, reading, event, number: index + 1, at, told };
  if (!isOwnMessage(event)) return { ...turn, units: [], speaker: USER, pack: null };
  const last = before.at(-1);
  const asked = last !== undefined && last.origin === 'agent' && last.kind === 'message' ? last.content : null;
  const own = before.filter(isOwnMessage);
  const fallback = own.slice(-3).reduce<Pack | null>((pack, { content }) => detectPack(content, pack), null);
  const texts = own.map(({ content }) => content.slice(0, 1_500));
  const people = peopleOf(input.known, texts, fallback, input.attributes);
  const values = input.known.flatMap(({ attribute, value }) =>
    attribute === null ? [] : (value?.toLowerCase() ?? []),
  );
  const isOwnText = input.ownTexts?.has(event.id) === true;
  const units = unitsOf(event.content, { ...at, asked, fallback, people, values, told: told.foreign, isOwnText });
  return { ...turn, ...units, speaker: speakerOf(event, input) };
}

const MOST_PEOPLE = 40;

/**
 * The names of people in the user's life, in lower case: from the subjects and values of known statements, and from turns that name a
 * person after a relation.
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

function readTurn(turn: Turn, asked: readonly Asked[]): void {
  const { event, input, reading } = turn;
  const redated = redatedBy(turn);
  if (event.kind !== 'message' || redated !== null) {
    reading.statements.push(...(redated === null ? readObserved(event, turn.number, input) : [redated]));
    return;
  }
  const claims = asked.map(({ unit }) => unit).filter(isClaim);
  const moved = claims.flatMap((unit) => {
    const statement = movedBy(turn, unit);
    return statement === null ? [] : [{ unit, statement }];
  });
  reading.statements.push(...moved.map(({ statement }) => statement));
  const others = asked.filter((item) => !moved.some(({ unit }) => unit.index === item.unit.index));
  const leaving = leavingIn(claims, turn);
  const kept = keptIn(turn, leaving === null ? others : others.map(leaving.withoutQuitting));
  const statements = statementsOf(turn, kept);
  reading.statements.push(...(leaving === null ? statements : statements.map(leaving.withEnd)));
  reading.ends.push(...calledOffIn(claims, turn), ...quitIn(claims, turn), ...(leaving?.ends ?? []));
  const forget = forgetIn(turn);
  if (forget !== null) reading.forgets.push(forget);
  // If the user leaves a job on a later day, the reading layers are not asked, because they would end the job immediately.
  const isOwn = turn.units.some((unit) => (unit.pack === null ? !unit.isForeign : isClaim(unit)));
  const mayChange =
    isOwn && forget === null && leaving === null && moved.length === 0 && turn.told.changes > MAY_CHANGE;
  if (mayChange) (reading.changes ??= []).push(turn.number);
}

/** The sentences and slots of a turn that are kept. Corrections of earlier statements are added to the reading. */
function keptIn(turn: Turn, asked: readonly Asked[]): Kept[] {
  const { statements } = turn.reading;
  const isRemembered = asked.some(({ request, unit }) => request === 'remember' && isBareRequest(unit));
  const kept: Kept[] = [];
  for (const item of asked) {
    const { unit, request } = item;
    const here = kept.length > 0 && isCorrecting(unit) ? statementsOf(turn, kept.slice(-1)) : [];
    const correction =
      (isCorrecting(unit) ? correctionOf(unit, turn, here) : null) ??
      (kept.length > 0 ? null : replacementIn(unit, turn));
    if (correction !== null) {
      // The statements of the sentence that is corrected are complete, so that the sentence itself is no longer needed.
      if (kept.pop() !== undefined) statements.push(...here);
      statements.push(correction);
    } else if (request === 'remember' && isBareRequest(unit)) {
      if (asked.length === 1) keepLastTurn(turn);
    } else if (!unit.isForeign) {
      const wanted = { ...item, isWanted: request === 'remember' || request === 'reminder' || isRemembered };
      const before = asked[unit.index - 1]?.unit.text ?? '';
      const joins = (): boolean => joinsLast(ownWords(turn, [wanted]), turn, before);
      const isSure = isKept(wanted) || isPlainPlan(wanted, turn.at);
      kept.push(...keptOf(wanted, asked, kept.at(-1), isSure, joins));
    }
  }
  return kept;
}

/**
 * What is kept of a sentence: its words with the sentence that they refer to, or only its slots. Nothing is kept here if the words were
 * added to an earlier statement.
 */
function keptOf(
  item: Kept,
  asked: readonly Asked[],
  last: Kept | undefined,
  isSure: boolean,
  joins: () => boolean,
): Kept[] {
  const { unit, isWanted } = item;
  if (!isWanted && tellsReader(item)) return [];
  if (isWanted || isSure) {
    const context = contextOf(item, asked, last);
    const isAlone = context.length === 0 && last?.unit.index !== unit.index - 1 && isDangling(item);
    if (isAlone && joins()) return [];
    // If the words that a sentence refers to are missing, only its slots are kept, unless the sentence is a reminder or answers a question.
    if (!isAlone || item.request === 'reminder' || /[?？]/u.test(unit.asked ?? '')) return [...context, item];
  }
  const filled = certainSlots(item);
  return filled.length === 0 ? [] : [{ ...item, unit: { ...unit, filled }, isSlotOnly: true }];
}

/** Whether a sentence is only a request to remember, such as "Write that down.", so that another sentence contains what to remember. */
function isBareRequest(unit: ReadUnit): boolean {
  if (unit.filled.length > 0 || unit.pack === null) return false;
  const rest = plainMarks(unit.text).replace(packPattern(unit.pack, 'request:remember'), ' ');
  const left = rest.match(unit.pack.script === 'han' ? /[\p{L}\p{N}]/gu : /[\p{L}\p{N}]+/gu)?.length ?? 0;
  return left <= (unit.pack.script === 'han' ? 2 : 1);
}

/** Keeps the user's previous turn, because the current turn only asks to remember it. */
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

/**
 * The pattern covers all languages, because the language of a short sentence is often not recognised. That is safe, because the sentence
 * must also name the plan.
 */
const CALLED_OFF = anyWords('calledOff');

type Ends = Reading['ends'];

/** The ends of the known statements that some words of a turn end. */
function endsBy({ number, input }: Turn, words: string, isOver: (one: Memory) => boolean, on?: string): Ends {
  const quote = { turn: number, words };
  return input.known.flatMap((one, index) => (isOver(one) ? [{ known: index + 1, quote, on: on ?? null }] : []));
}

/** The known plans that a turn calls off: "the move to Lisbon fell through", or "we're staying in Porto" if a move is planned. */
function calledOffIn(claims: readonly ClaimUnit[], turn: Turn): Ends {
  return claims.flatMap((unit) =>
    splitClauses(unit.text).flatMap(({ start, end }) => {
      const clause = plainMarks(unit.text.slice(start, end));
      if (!CALLED_OFF.test(clause)) return [];
      const slots = [
        ...unit.filled.filter((slot) => slot.start >= start && slot.start < end),
        ...pronounSlots(unit, start, clause, turn),
      ];
      const isOff = (plan: Memory): boolean =>
        isOpenPlan(plan, turn.at.now) && (isNamedIn(plan, clause, unit.pack) || isExcluded(plan, slots));
      return endsBy(turn, unit.text, isOff);
    }),
  );
}

const pronounFirst = perPack(({ script, lists: { sheOrHe = '', clauseBreak = '' } }) =>
  packRegExp(script === 'han' ? '(?!)' : `^(?:(?:${clauseBreak}) )?(?:${sheOrHe})(?=[ '])`),
);

/**
 * The slots of a clause whose pronoun means the person with whose name the sentence begins: "Tobi changed his mind, he's staying in
 * Leipzig".
 */
function pronounSlots(unit: ClaimUnit, start: number, clause: string, { input, at }: Turn): FilledSlot[] {
  const { pack } = unit;
  const pronoun = pronounFirst(pack).exec(clause)?.[0];
  const relative = pronoun === undefined ? null : relativeAt(unit, input.known);
  if (pronoun === undefined || relative === null) return [];
  const { subject, name, lead } = relative;
  // If the sentence names another person before the clause, the pronoun may mean that person.
  const before = unit.text.slice(name.length, start);
  if (/^['’]|\p{Lu}/u.test(before) || wordsPattern(relationsOf(pack)).test(before)) return [];
  // "'s" is written out as "is", because the patterns read "Tobi's" as a possessive.
  const rest = clause.slice(pronoun.length).replace(/^'s(?= )/, pack.is.split('|')[0] ?? '');
  const told = lead + name + rest;
  return fillSlots(told, pack, at).filter((slot) => slot.subject === subject);
}

/**
 * The known habits and tastes without an attribute that a turn ends: "I quit smoking" ends "I smoke a pack a day", "I dropped pottery" ends
 * "pottery every Tuesday", and "I don't like sushi anymore" ends "I love sushi".
 */
function quitIn(claims: readonly ClaimUnit[], turn: Turn): Ends {
  return claims.flatMap((unit) => {
    const { text, pack } = unit;
    const quits = listPattern(pack, 'quitsSmoking').test(plainMarks(text));
    const thing = gistOf(endedThing(unit), pack);
    const isOver = ({ subject, attribute, tense, content, statedAt }: Memory): boolean => {
      const isHabit = attribute === null && isUser(subject) && (tense === 'habit' || tense === 'holds');
      if (!isHabit || statedAt >= turn.event.occurredAt) return false;
      if (isOnOtherDays(unit, content)) return true;
      if (packPattern(pack, 'not').test(plainMarks(content))) return false;
      if (quits && listPattern(pack, 'smokes').test(content)) return true;
      // The thing must be most of what the statement names: "I gave up meat" does not end "I cook meat for my dog".
      const gist = gistOf(content, pack);
      const isNamed = thing.length * 2 > gist.length && thing.every((stem) => gist.includes(stem));
      const isOfTaste = saysAny(pack, content, 'taste') || !saysAny(pack, text, 'taste');
      return isNamed && isOfTaste && !wordsPattern(relationsOf(pack)).test(content);
    };
    return endsBy(turn, text, isOver);
  });
}

/**
 * Whether a sentence gives the same habit other days: "We swim on Thursdays now", or "I can't do Monday swimming any more". It must name all
 * of the habit, or deny one of its days.
 */
function isOnOtherDays({ text, pack }: ClaimUnit, habit: string): boolean {
  const said = plainMarks(text);
  // "I swim on Mondays, so don't suggest anything then"
  const known = affirmedPart(plainMarks(habit), pack);
  const [days, knownDays] = [weekdaysIn(said, pack), weekdaysIn(known, pack)];
  if (days.length === 0 || knownDays.length === 0 || !mayMeanSamePeople(text, known, pack)) return false;
  const isOfUser = (plain: string): boolean => saysAny(pack, plain, 'me', 'we');
  if (isOfUser(known) && !isOfUser(said) && namesSomebody(text, pack)) return false;
  const [gist, knownGist] = [gistOf(text, pack), gistOf(known, pack)];
  const isFromNow = (plain: string): boolean => listPattern(pack, 'fromNow').test(plain);
  const isDenied = (plain: string): boolean => packPattern(pack, 'not').test(plain);
  if (days.some((day) => knownDays.includes(day))) {
    const clauses = splitClauses(said).map(({ start, end }) => said.slice(start, end));
    const isInstead = (clause: string): boolean =>
      isFromNow(clause) && isOfUser(clause) && weekdaysIn(clause, pack).length > 0 && !isDenied(clause);
    if (packPattern(pack, 'ended').test(said)) return knownGist.some((stem) => gist.includes(stem));
    const [denied = ''] = gistOf(clauses.some(isInstead) ? (clauses.find(isDenied) ?? '') : '', pack);
    if (knownGist.includes(denied)) return true;
  }
  if (!isFromNow(said) || listPattern(pack, 'inAddition').test(said)) return false;
  const isOther = !days.every((day) => knownDays.includes(day));
  return isOther && knownGist.length > 0 && knownGist.every((stem) => gist.includes(stem));
}

/** The words of a sentence before its first negation. */
function affirmedPart(plain: string, pack: Pack): string {
  const at = packPattern(pack, 'not').exec(plain)?.index;
  return at === undefined ? plain : plain.slice(0, at);
}

const weekdayPatterns = perPack(({ script, calendar: { weekdays, shortWeekdays = [] } }) =>
  weekdays.map((names, index) =>
    wordsPattern(`(?:${[names, shortWeekdays[index]].filter(Boolean).join('|')})s?`, script),
  ),
);

/** The numbers of the weekdays in a text. */
function weekdaysIn(plain: string, pack: Pack): number[] {
  return weekdayPatterns(pack).flatMap((pattern, day) => (pattern.test(plain) ? day : []));
}

/** The words for what the user has given up or no longer likes. Empty for other sentences. */
function endedThing(unit: ClaimUnit): string {
  const { text, pack } = unit;
  const plain = plainMarks(text);
  const words = pack.lists['dropped']?.replaceAll('<>', "(\\p{L}[\\p{L}\\p{N}' -]{0,48}?)") ?? '';
  const dropped = wordsPattern(words, pack.script).exec(plain);
  if (dropped !== null)
    return continuesOthers(dropped, plain, pack, unit) ? '' : (dropped.slice(1).find(Boolean) ?? '');
  const over = packPattern(pack, 'ended').exec(plain);
  if (over === null || !packPattern(pack, 'me').test(plain)) return '';
  return `${plain.slice(0, over.index)} ${over[0].split(' ').slice(1, -1).join(' ')} ${plain.slice(over.index + over[0].length)}`;
}

/** A job that ends on a later day. */
interface Leaving {
  ends: Ends;
  /** Adds the day on which the job ends to a statement about the job. */
  withEnd: (statement: ReadStatement) => ReadStatement;
  /** Removes the slots of a sentence that would end the job immediately. */
  withoutQuitting: <Item extends Asked>(item: Item) => Item;
}

/**
 * Finds a job that the user leaves on a later day: "I handed in my notice, my last day is 31 December". The sentence with the day must name
 * the job, or the turn must give notice, because the day may also be the last one at a school or of a diet.
 */
function leavingIn(claims: readonly ClaimUnit[], turn: Turn): Leaving | null {
  const isNotice = claims.some(
    ({ pack, text, filled }) => filled.some(isQuitting) || listPattern(pack, 'givesNotice').test(plainMarks(text)),
  );
  for (const { pack, text, filled } of claims) {
    const on = dayAfterLast(text, pack, turn.at)?.toISOString();
    if (on === undefined) continue;
    const isOver = (memory: Memory): boolean =>
      isJob(memory) && memory.tense === 'holds' && (isNotice || isNamed(memory.value ?? '', text));
    const ends = endsBy(turn, text, isOver, on);
    if (!isNotice && ends.length === 0 && !filled.some(isJob)) continue;
    return {
      ends,
      withEnd: (statement) => (isJob(statement) && statement.tense === 'holds' ? { ...statement, to: on } : statement),
      withoutQuitting: (item) => ({
        ...item,
        unit: { ...item.unit, filled: item.unit.filled.filter((slot) => !isQuitting(slot)) },
      }),
    };
  }
  return null;
}

type Told = Pick<ReadStatement, 'subject' | 'attribute' | 'polarity'>;

function isJob({ subject, attribute, polarity }: Told): boolean {
  return hasTrait(attribute, 'firm') && isUser(subject) && polarity === 'affirmed';
}

function isQuitting(slot: Told): boolean {
  return slot.polarity === 'denied' && isJob({ ...slot, polarity: 'affirmed' });
}

/** Whether a text names an employer, by the whole name or a word of it. */
function isNamed(employer: string, text: string): boolean {
  const words = ` ${normalValue(text)} `;
  const names = [employer, ...employer.split(' ').filter(({ length }) => length > 2)].map((name) => normalValue(name));
  return names.some((name) => name !== '' && words.includes(` ${name} `));
}

function isOpenPlan({ tense, validFrom, dueAt, statedAt, archivedAt }: Memory, at: Date): boolean {
  const day = validFrom ?? dueAt;
  return tense === 'planned' && archivedAt === null && statedAt < at && (day === null || day.getTime() > at.getTime());
}

/** Whether a clause names the value of a plan, or has only content words of the plan. */
function isNamedIn({ value, content }: Memory, clause: string, pack: Pack): boolean {
  // "Staying in Graz" does not call off a move to Graz.
  const isPlace = / \p{L}{1,2}$/u.test(CALLED_OFF.exec(clause)?.[0] ?? '');
  if (value !== null && ` ${normalValue(clause)} `.includes(` ${normalValue(value)} `)) return !isPlace;
  const rest = [...contentStems(clause.replace(CALLED_OFF, ' '))];
  const stems = contentStems(content);
  return rest.length > 0 && pack.script !== 'han' && rest.every((stem) => stems.has(stem));
}

/**
 * Whether a clause calls off a plan by affirming another value of its attribute, as "we're staying in Porto" calls off a move to Lisbon.
 */
function isExcluded({ attribute, value, subject }: Memory, slots: readonly FilledSlot[]): boolean {
  return slots.some(
    (slot) =>
      slot.attribute === attribute &&
      slot.subject === subject &&
      slot.polarity === 'affirmed' &&
      slot.tense !== 'planned' &&
      !hasValue(slot, value),
  );
}

/** The slots of a sentence about people, animals and things that are known by name: "Ana moved to Graz", "Bolt died yesterday". */
function slotsOfKnown(unit: ReadUnit, input: ReadInput, context: SlotContext): FilledSlot[] {
  if (!isClaim(unit)) return [];
  const own = [...partedSlots(unit, input), ...arrivedSlots(unit, input)];
  return unit.pack.script === 'han' ? own : [...own, ...relativeSlots(unit, input.known, context)];
}

const arrival = perPack(({ script, lists: { arrived = '(?!)', and = '(?!)' } }) => {
  const place = "(\\p{L}[\\p{L}'-]*(?: \\p{L}[\\p{L}'-]*){0,3}?)(?= *(?:[.,;:!]|$)| (?:" + and + ') )';
  return wordsPattern(arrived.replaceAll('<>', place), script);
});

/**
 * The slot of a planned home at which a sentence says that the user has arrived: "We're in Bristol now" after "We're moving to Bristol". The
 * sentence may also name a part of the town that the plan names.
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

/** The denied slots of known values that a sentence ends, by the whole name or a word of it: "sold the Ibiza" ends "Seat Ibiza". */
function partedSlots(unit: ClaimUnit, { known, attributes }: ReadInput): FilledSlot[] {
  const { text, pack, filled } = unit;
  const plain = plainMarks(text);
  return known.flatMap(({ subject, attribute, value, polarity }) => {
    const list = ENDING_LISTS.find((each) => hasTrait(attribute, each, attributes));
    if (value === null || attribute === null || list === undefined || !isUser(subject)) return [];
    if (polarity !== 'affirmed' || filled.some((slot) => slot.attribute === attribute)) return [];
    const isEnded = (name: string): boolean => {
      const at = nameAt(plain, name, list !== 'parted');
      if (at < 0) return false;
      const [before, after] = [plain.slice(0, at), plain.slice(at + name.length)];
      if (list === 'parted') return partingOf(before, after, pack) === 'parted';
      const words = listPattern(pack, list).exec(`${before}<>${after}`);
      return words !== null && !continuesOthers(words, plain, pack, unit);
    };
    const parts = hasTrait(attribute, 'town') ? [] : value.split(' ').filter(({ length }) => length > 2);
    const name = [value, ...parts].find(isEnded);
    if (name === undefined) return [];
    // The house number need not be said: "we don't live in Plymouth Road".
    const unsaid = hasTrait(attribute, 'place') ? null : name;
    const ended = /\d/.test(value) && nameAt(plain, value, true) < 0 ? unsaid : value;
    return [{ ...OF_USER, attribute, value: ended, polarity: 'denied', start: 0, end: text.length }];
  });
}

/** The offset at which a text contains a name as whole words, or -1. A person's name must be capitalised. */
function nameAt(text: string, name: string, isThing = false): number {
  const at = isThing ? text.toLowerCase().indexOf(name.toLowerCase()) : text.indexOf(name);
  const isWhole =
    !/[\p{L}\p{N}]$/u.test(text.slice(0, Math.max(0, at))) && !/^[\p{L}\p{N}]/u.test(text.slice(at + name.length));
  return at >= 0 && (isWhole || /^\p{Lo}/u.test(name)) && (isThing || /^\p{Lu}/u.test(name)) ? at : -1;
}

const RELATED = /^User's (?<relation>.+) (?<name>\p{Lu}[\p{L}'-]+)$/u;

type Relative = Record<'subject' | 'name' | 'lead', string>;

/**
 * The known relative or friend with whose name a sentence begins, with the words for the relation. Null if there is none, or more than one.
 */
function relativeAt({ text, pack }: ClaimUnit, known: readonly Memory[]): Relative | null {
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

/** The slots of a sentence that begins with the name of a known relative. The sentence is read as if it also named the relation. */
function relativeSlots(unit: ClaimUnit, known: readonly Memory[], context: SlotContext): FilledSlot[] {
  const relative = relativeAt(unit, known);
  if (relative === null) return [];
  const { subject, lead } = relative;
  return fillSlots(lead + unit.text, unit.pack, context).flatMap((slot) =>
    slot.subject === subject
      ? [{ ...slot, start: Math.max(0, slot.start - lead.length), end: slot.end - lead.length }]
      : [],
  );
}

const WORD = "(?:\\p{Lu}['’])?\\p{Lu}[\\p{L}\\p{N}-]*";
const NAME = `${WORD}(?: ${WORD}){0,2}`;

/**
 * The statement that replaces a known value by the name in a correction: "It's in Knivsta, not Uppsala". Null if the correction names no
 * known value, or several.
 */
function replacementIn(unit: ReadUnit, { input, number, event }: Turn): ReadStatement | null {
  const { pack, text } = unit;
  const insteadOf = pack?.lists['insteadOf'];
  if (pack === null || insteadOf === undefined || !isClaim(unit)) return null;
  // "The party is in Knivsta, not Uppsala" is not a correction.
  if (!listPattern(pack, 'correction').test(plainMarks(text))) return null;
  const newFor = (old: string): string | undefined => {
    const source = insteadOf.replaceAll('<old>', `(?:${old})(?![\\p{L}\\p{N}])`).replaceAll('<new>', `(${NAME})`);
    const name = new RegExp(source, 'u').exec(plainMarks(text))?.slice(1).find(Boolean);
    return name === undefined || isOrdinary((name.split(' ')[0] ?? '').toLowerCase(), pack) ? undefined : name;
  };
  const found = input.known.flatMap((memory, index) => {
    const { attribute, value, polarity, tense, sourceEvents } = memory;
    if (attribute === null || value === null || polarity !== 'affirmed' || tense === 'happened') return [];
    // When a turn is read a second time, the known statement already has the new value.
    const isDone = sourceEvents.includes(event.id) && newFor(NAME) === value;
    const name = isDone ? value : newFor(value.replace(/[^\p{L}\p{N} ]/gu, '.'));
    return name === undefined ? [] : [{ memory, index, name }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const { memory, index, name } = only;
  const relation = hasValue(memory, name) ? null : ({ kind: 'replaces', known: index + 1 } as const);
  return withValue(memory, name, { pack, input, quote: { turn: number, words: text }, relation });
}

/**
 * The log-odds of the reading layers from which a sentence may ask to forget something. `tellRequest` then decides, with the earlier turns.
 */
const MAY_ASK = -5;
/** The log-odds from which a sentence that expresses a wish asks to forget. */
const WISH_ASKS = 3;

/** The sentence of a turn that most probably asks to forget something or withdraws such a request. Null if there is none. */
function forgetIn({ number, units, told }: Turn): ReadForget | null {
  const isOwn = !units.some(({ isForeign }) => isForeign);
  const likely = units
    // "my pin is [password removed]" is not a request: the redaction has added the verb.
    .filter((unit) => !unit.isForeign && !isIntroduced(unit) && unit.text.search(REMOVED) === -1)
    .map((unit) => {
      const { text } = unit;
      const parts = told.asking.filter((part) => intersects(part, unit));
      // A plain order may be a request even if the layers give low log-odds.
      const least = isOwn && orderIn(text, unit.turn) !== null ? MAY_ASK : -Infinity;
      return { unit, text, odds: Math.max(least, ...parts.map(({ odds }) => odds)) };
    })
    .toSorted((one, other) => other.odds - one.odds)[0];
  // "From now on …" is a wish, unless the sentence orders to forget something ("I want you to forget …") or the log-odds are high.
  const isOrder = likely !== undefined && orderIn(likely.text, likely.unit.turn) !== null;
  const isWish = likely !== undefined && !isOrder && requestOf(likely.unit) === 'wish' && likely.odds < WISH_ASKS;
  return likely === undefined || likely.odds < MAY_ASK || isWish
    ? null
    : { quote: { turn: number, words: likely.text }, about: likely.text, known: [] };
}

/** Whether a unit belongs to a text that the message introduces: "Is this a scam?", followed by a blank line and the text. */
function isIntroduced(unit: ReadUnit): boolean {
  const end = introductionEnd(unit.turn);
  return isHeaded(unit) || (end > 0 && unit.start >= end);
}

/**
 * Whether a short heading before a colon introduces a text of another person: "Ana's mail: …". A heading in the first person does so only if
 * it names a text: "About the money between me and Gethin: …" is the user's own.
 */
function isHeaded({ turn, start, text, pack }: ReadUnit): boolean {
  const head = /^[^\n:：]{1,60}(?=[:：]\s)/u.exec(turn.slice(0, start) + text)?.[0];
  if (head === undefined) return false;
  const isOwn = pack !== null && listPattern(pack, 'firstPerson').test(head);
  return namesText(head) || asksAboutText(head) || (!isOwn && /\p{L}['’]s |\p{L} \p{Lu}\p{Ll}/u.test(head));
}
