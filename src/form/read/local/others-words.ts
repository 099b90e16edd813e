import { GIVEN_NAMES } from '../../../language/entities.ts';
import {
  asksAboutText,
  type ForeignSpan,
  foreignSpans,
  introducesText,
  namesText,
} from '../../../language/foreign-text.ts';
import { isOrdinary } from '../../../language/names.ts';
import {
  anyWords,
  detectPack,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  relationsOf,
  wordsOfAll,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { cutAt, type TextSpan, withBlanks } from '../../../language/sentences.ts';
import { unlessUnavailable } from '../../../models/embedder.ts';
import type { AttributeTable } from '../../../record/attributes.ts';
import { attributeLabel } from '../../../record/statement.ts';
import { MINUTE } from '../../../record/clock.ts';
import type { Event } from '../../../record/event.ts';
import type { ReadInput } from '../reader.ts';
import { isOwnMessage, partsOf, type ReadParts, wordsOf } from './units.ts';

/**
 * The parts of a user's message that only its surroundings show to be somebody else's words: a text that the turn before announces, the
 * words of another person in a chat of several, and the product's own prompt that an application logs as a message.
 */
export async function othersWords(index: number, input: ReadInput, telling: Telling): Promise<ForeignSpan[]> {
  const event = input.turns[index] as Event;
  const { content } = event;
  const before = [...input.earlier, ...input.turns.slice(0, index)];
  const spans =
    EXERCISE.test(content) || isLabelled(event, [...input.earlier, ...input.turns], input.userNames)
      ? [{ start: 0, end: content.length }]
      : [...promptSpans(content, labelsOf(input.attributes)), ...(await announced(event, before, telling))];
  return spans.map(({ start, end }) => ({ start, end, kind: 'pasted' }));
}

/** A message with spaces in the place of the product's own prompt, which would make the words after it look like a pasted text. */
export function withoutPrompt(content: string, attributes: AttributeTable): string {
  return withBlanks(content, promptSpans(content, labelsOf(attributes)));
}

// The tags, headings and lines of the layouts (`assemble/layouts.ts`). Other tags are not listed, because a user may write them around
// their own words.
const PROMPT_BLOCK =
  /^<(memory|user_profile|facts|profile|working_memory|structured_data|learned_info|rules|memories|(?:agent|user|session)_reflections|artifacts|identity|directives|earlier_in_this_conversation|earlier_conversations|recalled|due_today|current_data|MemoryContext|RelevantFacts|context)(?: type="[^"\n]*")?>\n[\s\S]*?(?:^<\/\1>$|$(?![\s\S]))/gmu;
const PROMPT_HEADING =
  /^(?:## What I Know About You|## Rules You Have Learned|# Your Context|# Agent Identity|# Temporal Governance Directives|--- (?:WHAT YOU KNOW ABOUT THIS USER|PROFILE DATA|YOUR CAPABILITIES) ---|TENANT CONTEXT:|MEMORIES \(what you've learned about this business\):|(?:EARLIER IN THIS )?CONVERSATION:|Structured Data:|Learned Info:|Relevant Retrieved Facts:)$/u;
const BELOW_HEADING = /^\s*(?:$|[-*•{}"]|(?:User|Assistant): |\d{4}-\d\d-\d\d)/u;
const PROMPT_LINE =
  /^(?:\s*- \[[\p{L}_ ]{4,20}\] |\[\p{L}+, \p{L}+ \d{1,2}, \d{4} — \d{1,2}:\d\d\s[AP]M \S+\]$|What you remember\. It is data about the user|Verified permanent facts — treat these as ground truth)/u;
const FACT_LINE = /^\s*- ([^:\n]{2,40}): /u;

/**
 * The spans of a message that were copied from a prompt of Varve: whole blocks and single lines. `labels` are the labels of attributes, in
 * lower case.
 */
function promptSpans(message: string, labels: ReadonlySet<string>): TextSpan[] {
  const spans = [...message.matchAll(PROMPT_BLOCK)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  let start = 0;
  let isBelow = false;
  for (const line of message.split('\n')) {
    isBelow = PROMPT_HEADING.test(line) || (isBelow && BELOW_HEADING.test(line));
    const label = FACT_LINE.exec(line)?.[1]?.toLowerCase() ?? '';
    if (isBelow || PROMPT_LINE.test(line) || labels.has(label)) spans.push({ start, end: start + line.length });
    start += line.length + 1;
  }
  return spans;
}

const labels = new WeakMap<AttributeTable, ReadonlySet<string>>();

/** The labels of all attributes in all languages, in lower case. */
function labelsOf(attributes: AttributeTable): ReadonlySet<string> {
  const known = labels.get(attributes);
  if (known !== undefined) return known;
  const all = new Set(
    attributes
      .names()
      .flatMap((name) => [attributeLabel(attributes, name), ...Object.values(attributes.policyOf(name).labels)])
      .map((label) => label.toLowerCase()),
  );
  labels.set(attributes, all);
  return all;
}

/** "Exercise 3b: I am a farmer and have 18 acres …": the text of a school book. */
const EXERCISE = new RegExp(`^\\s*(?:${wordsOfAll('exercise')})\\s*\\d{1,3}\\p{L}?\\s*[).:：]`, 'iu');

/** How many messages of the user may lie between an announcement of speaking for somebody and the words of that person. */
const MOST_BETWEEN = 3;
const LONGEST_PAUSE = 30 * MINUTE;
/** A longer message contains the text itself instead of announcing it. */
const LONGEST_ANNOUNCEMENT = 240;
const SHORTEST_TEXT = 12;

interface Telling {
  readParts: ReadParts | undefined;
  /** Whether the message asks to forget something. */
  isAsking: boolean;
  signal: AbortSignal | undefined;
}

/** The parts of a message that are the text which a message before announces: "I'll send you my brother's letter, please correct it". */
async function announced(event: Event, before: readonly Event[], telling: Telling): Promise<TextSpan[]> {
  const own = before.filter(
    (other) =>
      isOwnMessage(other) &&
      other.speaker === event.speaker &&
      event.occurredAt.getTime() - other.occurredAt.getTime() <= LONGEST_PAUSE,
  );
  const last = own.at(-1);
  const { content } = event;
  if (last === undefined || content.trim().length < SHORTEST_TEXT || isAnswer(content, before.at(-1))) return [];
  const pack = detectPack(content);
  const isPlain = introducesText(last.content) || asksAboutText(last.content);
  // "Forget what I told you about …" speaks of this conversation, unless a text was announced.
  if (!isPlain && telling.isAsking) return [];
  // A text that says nothing in the first person states nothing of the user, and reading it once more would cost a forward pass.
  if (pack?.isUninflected === true && !ownVoice(pack).test(plainMarks(content).replaceAll("'", "' "))) return [];
  const all = [{ start: 0, end: content.length }];
  if (isSpokenFor(content, own)) return all;
  if (!mayAnnounce(last.content)) return [];
  // Obeying a pasted request would do harm, so the whole message counts as the announced text.
  if (isPlain && telling.isAsking) return all;
  const spans =
    introducesText(last.content) && !asksAboutText(content) ? all : await toldAfter(last.content, content, telling);
  if (spans.length === 0) return [];
  // The message before may be a text itself, which was announced in its turn; then this message is the user's own again.
  const isText = (await announced(last, before.slice(0, before.indexOf(last)), telling)).length > 0;
  return isText ? [] : spans;
}

/** Whether a message may announce a text: it is short and has no text of somebody else in itself. */
function mayAnnounce(message: string): boolean {
  if (message.length > LONGEST_ANNOUNCEMENT || foreignSpans(message).length > 0) return false;
  const colon = /[:：]\s*\S/u.exec(message)?.index ?? 0;
  return colon === 0 || !asksAboutText(message.slice(0, colon + 1));
}

const SHORT_ANSWER = 60;

/** Whether a message is a short answer to a question of the assistant, unless the assistant asked for a text. */
function isAnswer(message: string, last: Event | undefined): boolean {
  if (last?.origin !== 'agent' || !/[?？]\s*$/u.test(last.content)) return false;
  const isForText = asksAboutText(last.content) || namesText(last.content);
  return !isForText && message.length <= SHORT_ANSWER && partsOf(message).length === 1;
}

/**
 * How sure the reading layers must be, as log-odds. Of 2,716 messages of the lives (train/lives), none of which is such a text, two are
 * taken for one, and neither states anything about the user.
 */
const SURE = 1.8;
/** "Is this a scam?": so short a question about a text has no text in itself, so that the next message is one unless the layers deny it. */
const BARE_QUESTION = /^\s*(?:\S+\s+){0,4}\S+[?？]\s*$/u;
const SURE_AFTER_QUESTION = -1;
/** Parts with these log-odds or less are the user's own. */
const OWN = -4;
const OPENING = /^[^,，.!?。！？\n]{1,14}[,，]/u;

/**
 * The parts of a message that the reading layers classify as foreign where they read it as one message with the announcement. The words
 * before the first comma are a part of their own, because "Thanks, …" begins the user's own reply.
 */
async function toldAfter(announcement: string, message: string, { readParts, signal }: Telling): Promise<TextSpan[]> {
  if (readParts === undefined) return [];
  const offset = announcement.length + 2;
  const text = `${announcement}\n\n${message}`;
  const opening = offset + (OPENING.exec(message)?.[0].length ?? 0);
  const parts = partsOf(text).flatMap((part) => (opening > offset ? cutAt(part, opening) : [part]));
  const told = await unlessUnavailable(readParts(wordsOf(text, parts), { signal }));
  const odds = parts.map((_part, index) => told?.foreign[index] ?? -Infinity);
  const first = parts.findIndex(({ start }) => start >= offset);
  // A greeting before the comma ("Hi, this is Mark") says little either way.
  const rest = odds.slice(opening > offset && (odds[first] ?? 0) < 0 ? first + 1 : first);
  const mean = rest.reduce((sum, each) => sum + each, 0) / rest.length;
  const sure = BARE_QUESTION.test(announcement) && asksAboutText(announcement) ? SURE_AFTER_QUESTION : SURE;
  // Where the announcement begins with foreign words, it is a part of a game or of a text itself.
  if (first < 0 || (odds[0] ?? 0) > 0 || !(mean > sure) || (odds[first] ?? OWN) <= OWN) return [];
  return parts
    .filter((_part, index) => index >= first && (odds[index] ?? OWN) > OWN)
    .map(({ start, end }) => ({ start: start - offset, end: end - offset }));
}

/** A game in which the user speaks as somebody else: "You are the doctor, I'm the patient". */
const ROLE = new RegExp(wordsOfAll('rolePlay'), 'iu');
const I_AM = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('iPlay')})(?!\\p{Ll})`, 'iu');
const YOU_ARE = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('youPlay')})(?!\\p{Ll})`, 'iu');

const forSomebody = perPack((pack) => {
  const { my, lists, script } = pack;
  const { writesFor = '(?!)', aFriend = '(?!)', dictates = '(?!)' } = lists;
  if (script === 'han') return packRegExp(writesFor);
  const person = relationsOf(pack);
  const spoken = `(?:${writesFor}) (?:${aFriend}|(?:${my}) (${person}))(?!['\\p{L}])`;
  return packRegExp(`(?<!\\p{L})(?:${spoken}|(${person}) (?:${dictates})(?!\\p{L}))`);
});

/** For whom a message says that the next ones are written: "gran" in "I'm typing for my gran", or the word for a game; null for nobody. */
function spokenFor(message: string): string | null {
  if (message.length > LONGEST_ANNOUNCEMENT) return null;
  const plain = plainMarks(message);
  const role = ROLE.exec(plain)?.[0];
  if (role !== undefined && I_AM.test(plain) && YOU_ARE.test(plain)) return role;
  for (const pack of PACKS) {
    const match = forSomebody(pack).exec(plain);
    if (match !== null) return match[1] ?? match[2] ?? match[0];
  }
  return null;
}

/**
 * Whether a message is written for somebody else, as one of the messages before says. Once the user speaks of this person, or of anybody as
 * "she" or "he", the messages are the user's own again.
 */
function isSpokenFor(message: string, own: readonly Event[]): boolean {
  const recent = own.slice(-MOST_BETWEEN).map(({ content }) => content);
  const at = recent.findLastIndex((content) => spokenFor(content) !== null);
  const somebody = spokenFor(recent[at] ?? '')?.toLowerCase();
  if (somebody === undefined) return false;
  return ![...recent.slice(at + 1), message].some(
    (content) => SHE_OR_HE.test(content) || content.toLowerCase().includes(somebody),
  );
}

const SHE_OR_HE = anyWords('sheOrHe');

const NAME = "\\p{L}[\\p{L}\\p{M}'’.-]*(?: \\p{Lu}[\\p{L}\\p{M}'’.-]*){0,2}";
const LABEL = new RegExp(
  `^\\s*(?:\\[(${NAME})\\]|<(${NAME})>|(@?${NAME})(?: \\(\\d[^()\\n]{0,18}\\))?[:：])\\s*(?=\\S)`,
  'u',
);

/** The label at the beginning of a message that may be a name: "Ana: …", "[Ana] …", "<Ana> …", "@ana: …". */
function labelOf({ content }: Event): { name: string; rest: string } | null {
  const match = LABEL.exec(content.slice(0, 120));
  const name = match?.[1] ?? match?.[2] ?? match?.[3];
  return match === null || name === undefined ? null : { name, rest: content.slice(match[0].length) };
}

const firstOf = (name: string): string => name.replace('@', '').split(' ')[0]?.toLowerCase() ?? '';
const isCapitalised = (name: string): boolean => /^[@\p{Lu}]/u.test(name);
const isGiven = (name: string): boolean => isCapitalised(name) && GIVEN_NAMES.has(firstOf(name));

/**
 * Whether a message begins with the name of somebody else, whose words it then is. A label is a name if it is a known given name, or no
 * ordinary word in a conversation in which another message has such a name. Outside of such a conversation the message must speak in the
 * first person: "Ben: allergic to nuts" is the user's own note.
 */
function isLabelled(event: Event, turns: readonly Event[], userNames: readonly string[]): boolean {
  const label = labelOf(event);
  if (label === null || event.speaker !== null) return false;
  const { name, rest } = label;
  if (userNames.some((own) => firstOf(own) === firstOf(name))) return false;
  const isGroup = turns.some((other) => {
    const another = isOwnMessage(other) ? labelOf(other) : null;
    return another !== null && isGiven(another.name) && firstOf(another.name) !== firstOf(name);
  });
  const pack = detectPack(rest);
  const isOrdinaryWord = PACKS.some((each) => isOrdinary(firstOf(name), each));
  if (isGroup && (isGiven(name) || (isCapitalised(name) && !isOrdinaryWord))) return true;
  if (!isGiven(name) || pack === null) return false;
  // "j'habite": the pattern asks for whole words.
  const plain = plainMarks(rest).replaceAll("'", "' ");
  return ownVoice(pack).test(plain) && !apposition(pack).test(plain);
}

const ownVoice = perPack(({ words: { me, my }, script }) => wordsPattern(`${me}|${my}`, script));
const apposition = perPack((pack) => packRegExp(`^(?:${pack.my}) (?:${relationsOf(pack)})(?=[,.(]|$)`));
