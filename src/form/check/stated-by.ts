import { directs } from '../../language/claims.ts';
import { isOfAnother, isStated } from './evidence.ts';
import { userNamesOf, usualSpeaker } from '../read/reader.ts';
import { fillSlots } from '../read/local/fill-slots.ts';
import { noteInFirstPerson } from '../../language/first-person.ts';
import type { FilledSlot } from '../read/local/slot-values.ts';
import { foreignSpans } from '../../language/foreign-text.ts';
import type { Pack } from '../../language/packs/pack.ts';
import { english } from '../../language/packs/en.ts';
import {
  anyWords,
  detectPack,
  packPattern,
  plainMarks,
  relationsOf,
  smallTalkIn,
  wordsPattern,
} from '../../language/packs/packs.ts';
import { negationsIn, numbersSaid } from '../../language/quotes.ts';
import { clausesIn, splitSentences, withoutSpans } from '../../language/sentences.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { type Event, type EventKind, toldText } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import { attributeTable } from '../../record/attribute-table.ts';
import { isUser, normalValue, type Origin } from '../../record/statement.ts';
import { namedSource, ofTool } from '../../observe/record-observation.ts';
import type { EventInput } from '../../observe/observe.ts';
import type { Scope } from '../../record/scope.ts';

export interface ToolClaim {
  text?: string | undefined;
  key?: string | undefined;
  value?: string | undefined;
  corrects?: Pick<Memory, 'content' | 'value'> | undefined;
}

interface LoggedScope {
  scope: Scope;
  events: { list(filter: { kinds: EventKind[]; session?: string; limit: number }): Promise<{ items: Event[] }> };
}

interface Provenance {
  /**
   * `user`: the user's own last turns state the content. `agent`: only the agent states it. `tool`: the agent has named a source, or the
   * content is an order or an authorisation that no turn of the user contains.
   */
  statedBy: 'user' | 'agent' | 'tool';
  /** Null if the agent has named no source. */
  source: string | null;
  /** At most one: the user's turn that states the content. */
  events: string[];
}

const LAST_TURNS = 8;

/**
 * Verifies who stated the content that an agent wants to store. A named source can only lower the trust. If a page makes the agent claim
 * "the user said so", the claim has no effect, because the user's own turns must state the content, and outside pasted text.
 */
export async function provenanceOf(
  handle: LoggedScope,
  claim: ToolClaim,
  { source, said = [] }: { source?: string | undefined; said?: readonly string[] },
): Promise<Provenance> {
  const named = namedSource(source);
  if (named !== null) return { statedBy: 'tool', source: named, events: [] };
  const states = claimTest(claim);
  if (said.some((content) => states({ content, before: null }))) return { statedBy: 'user', source: null, events: [] };
  const turn = (await lastTurns(handle)).find(states);
  if (turn !== undefined) return { statedBy: 'user', source: null, events: [turn.id] };
  // An order that no turn of the user contains may come from a page that the agent has read. It stays unverified, so that no prompt
  // presents it as the user's wish.
  return { statedBy: isDirection(claim) ? 'tool' : 'agent', source: null, events: [] };
}

interface Stating {
  statedBy?: Origin | undefined;
  source?: string | null | undefined;
  /** The origin if nothing else is known. */
  otherwise: Origin;
  /** Whether only the user's words can support the text. Default: `directs`. */
  needsUser?: (text: string) => boolean;
}

/**
 * Attributes a text that an application stores, through any interface. A text from another source, and an order or an authorisation that no
 * turn of the user contains, comes from a tool. Neither rule applies if the caller states that the user said it.
 */
export async function vouchedBy(
  handle: LoggedScope,
  text: string,
  { statedBy, source, otherwise, needsUser = directs }: Stating,
): Promise<Origin> {
  if (statedBy === undefined && namedSource(source) !== null) return 'tool';
  if (statedBy === 'user' || !needsUser(text)) return statedBy ?? otherwise;
  return (await provenanceOf(handle, { text }, {})).statedBy === 'user' ? (statedBy ?? otherwise) : 'tool';
}

/** Orders and authorisations that no turn of the user contains stay unverified, and do not become part of documents. */
export async function withoutOrders<Input extends EventInput>(
  handle: LoggedScope,
  inputs: readonly Input[],
): Promise<Input[]> {
  const checked: Input[] = [];
  for (const input of inputs) {
    const { kind, origin, content, metadata = {} } = input;
    const mayOrder = isStated(input) && (origin === 'agent' || origin === 'system');
    const by = mayOrder
      ? await vouchedBy(handle, toldText({ kind, content, metadata }), { otherwise: origin })
      : origin;
    checked.push(by === origin ? input : ofTool(input, 'the agent, and no turn of the user'));
  }
  return checked;
}

/** `before`: the agent's message right before the turn. */
interface SaidTurn {
  content: string;
  before: string | null;
}

async function lastTurns(handle: LoggedScope): Promise<(SaidTurn & Pick<Event, 'id'>)[]> {
  const { session } = handle.scope;
  // A client without a session is compared with the user's last turns of any session.
  const { items } = await handle.events.list({
    kinds: ['message'],
    session: session ?? undefined,
    limit: LAST_TURNS * 2,
  });
  const names = userNamesOf(handle.scope, []);
  const speakers = items.flatMap(({ origin, speaker }) => (origin === 'user' ? [speaker] : []));
  const own = [...names, ...usualSpeaker(speakers, names)];
  return items
    .flatMap((event, index) => {
      const last = items[index + 1];
      const isOwn = event.origin === 'user' && !isOfAnother(event, own);
      return isOwn ? { ...event, before: last?.origin === 'agent' ? last.content : null } : [];
    })
    .slice(0, LAST_TURNS);
}

/** Whether a claim tells the agent what to do or what it may do, in its text or in its key and value. */
function isDirection({ text, key, value }: ToolClaim): boolean {
  const keyed = key === undefined ? [] : [`${wordsOfKey(key)}: ${value ?? ''}`, wordsOfKey(key)];
  return [text, value, ...keyed].some((words) => words !== undefined && directs(words));
}

function wordsOfKey(key: string): string {
  return key.replaceAll('_', ' ');
}

/** A value that occurs only in a question, a denial or another context is not stated. */
function claimTest(claim: ToolClaim): (turn: SaidTurn) => boolean {
  const isDirecting = isDirection(claim);
  const { text, key, value } = claim;
  const parts: ((turn: ReadTurn) => boolean)[] = [];
  if (key !== undefined && value !== undefined) parts.push(keyedTest(key, value, { text, isDirecting }));
  const whole = text ?? (key === undefined ? value : undefined);
  if (whole !== undefined) {
    const sentences = splitSentences(whole.slice(0, LONGEST_TEXT)).map((sentence) => sentence.text);
    // With a key and a value, the text need not be in the user's words, but it may add little to them.
    const beside = key === undefined || isDirecting ? null : contentStems(`${wordsOfKey(key)} ${value ?? ''}`);
    parts.push(...sentences.map((sentence) => textTest(sentence, beside)));
  }
  const isCorrected = isDirecting ? (): boolean => false : correctionTest(claim);
  return ({ content, before }) => {
    const turn = readTurn(content, before);
    return (parts.length > 0 && parts.every((isStated) => isStated(turn))) || isCorrected(turn);
  };
}

const LONGEST_TEXT = 5000;
const LONGEST_TURN = 20_000;
const MOST_SENTENCES = 200;

interface Segment {
  text: string;
  stems: ReadonlySet<string>;
  negations: number;
  /** Words for relatives and other people, such as "sister". */
  relations: readonly string[];
}

interface ReadSentence {
  text: string;
  segments: readonly Segment[];
  slots: readonly FilledSlot[];
}

interface ReadTurn {
  sentences: readonly ReadSentence[];
  /** All sentences as one, because a claim may combine several of them: "I have a parrot. Her name is Kiki." */
  joined: ReadSentence;
  before: string | null;
}

function readTurn(content: string, before: string | null): ReadTurn {
  const turn = content.slice(0, LONGEST_TURN);
  const own = withoutSpans(turn, foreignSpans(turn));
  const pack = detectPack(own, english);
  const said = splitSentences(own)
    .slice(0, MOST_SENTENCES)
    .filter(({ text }) => isClaimed(text, pack));
  const sentences = said.map(({ text }, index) => readSentence(text, pack, index === 0 ? before : null));
  const all = sentences.map(({ text }) => text).join(' ');
  const joined = { text: all, segments: [segmentOf(all, pack)], slots: sentences.flatMap(({ slots }) => slots) };
  return { sentences, joined, before };
}

const NOT_CERTAIN = ['hedge', 'if', 'kidding', 'over'] as const;

/** Questions, guesses, conditions, jokes and sentences about something that is over are not assertions. */
function isClaimed(sentence: string, pack: Pack | null): boolean {
  if (/[?？]["'”’»)]*\s*$/u.test(sentence)) return false;
  if (pack === null) return true;
  const plain = plainMarks(sentence).replace(/^[^\p{L}\p{N}]+/u, '');
  if (pack.script === 'latin' && packPattern(pack, 'question').exec(plain)?.index === 0) return false;
  return (
    packPattern(pack, 'request:wish').test(plain) || !NOT_CERTAIN.some((name) => packPattern(pack, name).test(plain))
  );
}

function readSentence(text: string, pack: Pack | null, question: string | null): ReadSentence {
  const clauses = clausesIn(text);
  return {
    text,
    segments: [text, ...(clauses.length > 1 ? clauses : [])].map((segment) => segmentOf(segment, pack)),
    slots: pack === null ? [] : fillSlots(text, pack, { ...AT, question, turn: text }),
  };
}

/** The dates of slots are not compared, so any time serves. */
const AT = { now: new Date(0), timeZone: 'UTC', prefer: 'future' } as const;

function segmentOf(text: string, pack: Pack | null): Segment {
  const numbers = [...numbersSaid(text)].map(String);
  return {
    text,
    // With numbers, so that "the 4th of May" matches "4 May".
    stems: new Set([...contentStems(text), ...numbers]),
    negations: negationsIn(withoutLead(text, pack)),
    relations: relationsIn(text, pack),
  };
}

/** A leading "No," denies another message and not the sentence that follows. */
function withoutLead(text: string, pack: Pack | null): string {
  const lead = pack === null ? null : packPattern(pack, 'corrects').exec(plainMarks(text));
  if (lead?.index !== 0) return text;
  const rest = text.slice(lead[0].length);
  return /^\s*[,;:.!，。]/u.test(rest) ? rest : text;
}

function relationsIn(text: string, pack: Pack | null): string[] {
  if (pack === null) return [];
  const pattern = wordsPattern(relationsOf(pack), pack.script, 'giu');
  return (plainMarks(text).toLowerCase().match(pattern) ?? []).map((word) => pack.relations[word] ?? word);
}

/** A segment states a claim if it has the claim's words, as many negations, and no word for a relative that the claim lacks. */
function hasSegment(
  sentences: readonly ReadSentence[],
  { negations, relations }: { negations: number; relations: ReadonlySet<string> },
  hasWords: (segment: Segment) => boolean,
): boolean {
  return sentences
    .flatMap(({ segments }) => segments)
    .some(
      (segment) =>
        segment.negations === negations &&
        segment.relations.every((relation) => relations.has(relation)) &&
        hasWords(segment),
    );
}

/** Fraction of a claim's content words that the user's clause must contain. */
const COVERED = 0.8;
/** Fraction of a key's words that the clause must contain besides the value. */
const KEY_WORDS = 0.5;
/** Words in keys that carry no information about their values. */
const OF_KEYS = /\b(?:name|number|value|current|main|preferred|type|info|details?|is|has|of|the)\b/gi;
const NO = /^(?:false|off|disabled|none|0)$/i;

function keyedTest(
  key: string,
  value: string,
  { text, isDirecting }: { text: string | undefined; isDirecting: boolean },
): (turn: ReadTurn) => boolean {
  const table = attributeTable();
  const attribute = table.resolve(key) ?? key;
  const isSingle = table.isKnown(attribute) && table.policyOf(attribute).values === 'one';
  const isPlanned = text !== undefined && slotsOfClaim(text).some(({ tense }) => tense === 'planned');
  const ofAttribute = (slot: FilledSlot): boolean =>
    isUser(slot.subject) && (slot.attribute === attribute || (!table.isKnown(attribute) && standsFor(slot, key)));
  const isThis = (slot: FilledSlot): boolean =>
    ofAttribute(slot) && slot.polarity === 'affirmed' && (slot.tense === 'planned') === isPlanned && holds(slot, value);
  const ofKey = contentStems(wordsOfKey(key).replace(OF_KEYS, ' '));
  const labels = table.isKnown(attribute) ? Object.values(table.policyOf(attribute).labels).map(contentStems) : [];
  const ofValue = contentStems(value);
  const isBare = ofValue.size === 0 || smallTalkIn(value) !== null || NO.test(value.trim());
  const negations = negationsIn(`${wordsOfKey(key)} ${value}`) + Number(NO.test(value.trim()));
  const ownRelations = relationsIn(value, detectPack(value, english));
  const relations = new Set([...relationsIn(wordsOfKey(key), english), ...ownRelations]);
  const isCovered = ({ stems }: Segment): boolean =>
    isBare || isDirecting
      ? coveredBy(new Set([...ofKey, ...(isBare ? [] : ofValue)]), stems) >= COVERED
      : coveredBy(ofValue, stems) >= COVERED &&
        (ofKey.size === 0 || [ofKey, ...labels].some((words) => coveredBy(words, stems) >= KEY_WORDS));
  return ({ sentences, joined, before }) => {
    if (!isDirecting && sentences.some(({ slots }) => slots.some(isThis))) return true;
    const slots = sentences.flatMap((sentence) => sentence.slots).filter(ofAttribute);
    // The user states another value: "I live in Bergen. Minsk is a nice city."
    if (isSingle && slots.some((slot) => slot.polarity === 'affirmed' && !holds(slot, value))) return false;
    if (hasSegment([...sentences, joined], { negations, relations }, isCovered)) return true;
    if (isBare || isDirecting) return false;
    const isAsked = before === null || !/[?？]/u.test(before) || coveredBy(ofKey, contentStems(before)) >= KEY_WORDS;
    return (table.isKnown(attribute) || before !== null) && isAsked && sentences.some((each) => isAnswer(each, value));
  };
}

/** Whether a key that the agent made up stands for the slot's attribute, as `dietary_restrictions` does for `diet`. */
function standsFor({ attribute }: FilledSlot, key: string): boolean {
  return attribute.length >= 4 && key.split('_').some((word) => word.startsWith(attribute));
}

/** Whether two values are equal, or one contains the other: "Graz" and "Graz, Austria", "4 May" and "the 4th of May". */
function holds({ value: said }: FilledSlot, value: string): boolean {
  if (said === null) return false;
  const [one, other] = [` ${normalValue(said)} `, ` ${normalValue(value)} `];
  if (one.includes(other) || other.includes(one)) return true;
  const numbers = [...numbersSaid(said)].map(String);
  return coveredBy(contentStems(value), new Set([...contentStems(said), ...numbers])) === 1;
}

/** Whether a sentence contains nothing but the value: "Wels.", "Actually, it is Wels." */
function isAnswer({ text }: ReadSentence, value: string): boolean {
  const pack = detectPack(text, english);
  const rest = withoutLead(text, pack);
  const stems = contentStems(rest);
  return negationsIn(rest) === 0 && stems.size > 0 && coveredBy(stems, contentStems(value)) === 1;
}

/** An agent's text refers to the user in the third person or leaves the subject out. */
export function slotsOfClaim(text: string): FilledSlot[] {
  const pack = detectPack(text, english);
  if (pack === null) return [];
  const [first = '', ...rest] = text;
  const wordings = [text, noteInFirstPerson(text), `I ${first.toLowerCase()}${rest.join('')}`];
  return wordings.map((wording) => fillSlots(wording, pack, AT)).find((slots) => slots.length > 0) ?? [];
}

/** `beside`: the words of the key and the value that come with the text; null for a text alone. */
function textTest(text: string, beside: ReadonlySet<string> | null): (turn: ReadTurn) => boolean {
  const plain = text.replace(/\b(?:the )?user(?:['’]s)?\b/gi, ' ');
  const all = contentStems(plain);
  const stems = beside === null ? all : new Set([...all].filter((stem) => !beside.has(stem)));
  const negations = negationsIn(plain);
  const relations = new Set(relationsIn(plain, detectPack(plain, english)));
  const claimed = slotsOfClaim(text);
  const verbatim = normalValue(text);
  if (beside !== null && stems.size === 0) return () => true;
  return ({ sentences, joined }) => {
    const slots = sentences.flatMap((sentence) => sentence.slots);
    const said = claimed.map((slot) => slots.some((other) => isSame(other, slot)));
    if (claimed.length > 0 && said.every(Boolean)) return coveredBy(all, joined.segments[0]?.stems ?? all) >= KEY_WORDS;
    // The turn fills the same attribute for another person, with another value, or denies it.
    if (claimed.some((slot, index) => said[index] === false && slots.some((other) => isOther(other, slot))))
      return false;
    return hasSegment(
      [...sentences, joined],
      { negations, relations },
      (segment) =>
        ` ${normalValue(segment.text)} `.includes(` ${verbatim} `) ||
        (beside !== null && beside.size > 0 && coveredBy(stems, segment.stems) >= KEY_WORDS) ||
        (all.size >= 2 && coveredBy(all, segment.stems) >= COVERED),
    );
  };
}

/** One clause must contain all new words, and the sentence must mention the memory and mark a correction: "I'm at Siemens now." */
function correctionTest({ text, key, value, corrects }: ToolClaim): (turn: ReadTurn) => boolean {
  if (corrects === undefined) return () => false;
  const known = `${corrects.content} ${corrects.value ?? ''} ${wordsOfKey(key ?? '')}`;
  const told = `${text ?? ''} ${value ?? ''}`;
  const old = contentStems(known);
  const added = new Set([...contentStems(told)].filter((stem) => !old.has(stem)));
  const relations = relationsIn(`${known} ${told}`, detectPack(known, english));
  if (added.size === 0 || negationsIn(told) > negationsIn(known)) return () => false;
  return ({ sentences }) =>
    sentences.some(({ text: sentence, segments, slots }) => {
      const [whole, ...clauses] = segments;
      if (whole === undefined || !whole.relations.every((relation) => relations.includes(relation))) return false;
      const isOtherwise = slots.some(
        (slot) => slot.attribute === key && slot.polarity === 'affirmed' && value !== undefined && !holds(slot, value),
      );
      const isTold = (clauses.length > 0 ? clauses : [whole]).some(
        ({ negations, stems }) => negations === 0 && coveredBy(added, stems) === 1,
      );
      const isAbout = [...whole.stems].some((stem) => old.has(stem) && !added.has(stem));
      return isTold && isAbout && !isOtherwise && (whole.negations > 0 || CORRECTS.test(plainMarks(sentence)));
    });
}

const CORRECTS = anyWords('corrected');

function isSame(one: FilledSlot, other: FilledSlot): boolean {
  const { subject, attribute, polarity, tense, value } = other;
  const isEqual = one.subject === subject && one.attribute === attribute && one.polarity === polarity;
  return isEqual && (one.tense === 'planned') === (tense === 'planned') && holds(one, value ?? '');
}

function isOther(one: FilledSlot, other: FilledSlot): boolean {
  return one.attribute === other.attribute && !isSame(one, other);
}
