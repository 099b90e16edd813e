import {
  asksAboutText,
  type ForeignSpan,
  foreignSpans,
  introducesText,
  leavesPlay,
  LONGEST_ANNOUNCEMENT,
  namesText,
  promptSpans,
  saysI,
  SHE_OR_HE,
  spokenFor,
} from '../../../language/foreign-text.ts';
import { firstName, labelOf } from '../../../language/names.ts';
import {
  detectPack,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  wordsOfAll,
} from '../../../language/packs/packs.ts';
import { cutAt, splitSentences, type TextSpan } from '../../../language/sentences.ts';
import { unlessUnavailable } from '../../../models/embedder.ts';
import { MINUTE } from '../../../record/clock.ts';
import type { Event } from '../../../record/event.ts';
import type { ReadInput } from '../reader.ts';
import { partsOf, type ReadParts, wordsOf } from './reading-layers.ts';
import { isOwnMessage } from './units.ts';

/**
 * A textbook exercise, or a message labelled with another person's name, is foreign as a whole. Otherwise the foreign parts are spans of
 * the product's own prompt, and texts that an earlier turn announced.
 */
export async function othersWords(index: number, input: ReadInput, telling: Telling): Promise<ForeignSpan[]> {
  const event = input.turns[index] as Event;
  const { content } = event;
  const isOthers = EXERCISE.test(content) || isLabelled(event, [...input.earlier, ...input.turns], input.userNames);
  const before = [...input.earlier, ...input.turns.slice(0, index)];
  const spans = isOthers
    ? [{ start: 0, end: content.length }]
    : [...promptSpans(content, input.attributes), ...(await announced(event, before, telling))];
  return spans.map(({ start, end }) => ({ start, end, kind: 'pasted' }));
}

/** For example "Exercise 3b: I am a farmer and have 18 acres …". */
const EXERCISE = new RegExp(`^\\s*(?:${wordsOfAll('exercise')})\\s*\\d{1,3}\\p{L}?\\s*[).:：]`, 'iu');

/**
 * Whether another person's name labels the message. Unless another message is labelled with a given name, it must be a known given name,
 * and the message in the first person: "Ben: allergic to nuts" is the user's own note.
 */
function isLabelled(event: Event, turns: readonly Event[], userNames: readonly string[]): boolean {
  const label = labelOf(event.content);
  if (label === null || event.speaker !== null) return false;
  const { first, rest } = label;
  if (userNames.some((own) => firstName(own) === first)) return false;
  const labels = turns.filter(isOwnMessage).map(({ content }) => labelOf(content));
  if (label.mayBeName && labels.some((other) => other?.isGiven === true && other.first !== first)) return true;
  const pack = detectPack(rest);
  if (!label.isGiven || pack === null) return false;
  return saysI(rest, pack) && !apposition(pack).test(plainMarks(rest).replaceAll("'", "' "));
}

const apposition = perPack((pack) => packRegExp(`^(?:${pack.my}) (?:${relationsOf(pack)})(?=[,.(]|$)`));

/** How many of the user's last messages may announce that the user speaks for another person. */
const MOST_BETWEEN = 3;
const LONGEST_PAUSE = 30 * MINUTE;
const SHORTEST_TEXT = 12;

interface Telling {
  readParts: ReadParts;
  isAsking: boolean;
  signal: AbortSignal | undefined;
}

/** Parts that an earlier message announced as a text: "I'll send you my brother's letter, please correct it". */
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
  const isPlain = introducesText(last.content) || (asksAboutText(last.content) && isShortRequest(last.content));
  // "Forget what I told you about …" refers to this conversation, unless a text was announced.
  if (!isPlain && telling.isAsking) return [];
  // A text that never uses the first person states nothing about the user, so it is not worth another forward pass.
  if (pack?.isUninflected === true && !saysI(content, pack)) return [];
  const all = [{ start: 0, end: content.length }];
  if (isSpokenFor(content, own)) return all;
  if (!mayAnnounce(last.content)) return [];
  // Following a request in a pasted text would do harm, so after "translate the next message" the whole message is the text.
  const isText = telling.isAsking
    ? isPlain && (introducesText(last.content) || namesText(last.content))
    : introducesText(last.content) && !asksAboutText(content);
  const spans = isText ? all : await toldAfter(last.content, content, telling);
  if (spans.length === 0) return [];
  // If the previous message was the announced text, this message is the user's own again.
  const isAnnounced = (await announced(last, before.slice(0, before.indexOf(last)), telling)).length > 0;
  return isAnnounced ? [] : spans;
}

/**
 * "Is this a scam?" asks about a text. A longer message ("Marcus wants me to meet his kids. Is that too soon?") must be one sentence or
 * name a text, and a standing wish ("always summarise articles in bullet points") announces none.
 */
function isShortRequest(message: string): boolean {
  const pack = detectPack(message);
  if (pack !== null && packPattern(pack, 'request:wish').test(plainMarks(message))) return false;
  const isAlone = splitSentences(message).length === 1 || namesText(message);
  return message.length <= SHORT_REQUEST || (isAlone && /[?？:：]\s*$/u.test(message));
}

const SHORT_REQUEST = 60;

function mayAnnounce(message: string): boolean {
  if (message.length > LONGEST_ANNOUNCEMENT || foreignSpans(message).length > 0) return false;
  const colon = /[:：]\s*\S/u.exec(message)?.index ?? 0;
  return colon === 0 || !asksAboutText(message.slice(0, colon + 1));
}

const SHORT_ANSWER = 60;

/** False if the assistant's question asked for a text. */
function isAnswer(message: string, last: Event | undefined): boolean {
  if (last?.origin !== 'agent' || !/[?？]\s*$/u.test(last.content)) return false;
  const isForText = asksAboutText(last.content) || namesText(last.content);
  return !isForText && message.length <= SHORT_ANSWER && partsOf(message).length === 1;
}

/**
 * Mean log-odds above which a message is an announced text. Of 2,716 messages in train/lives, 2 are wrongly above it, and neither states
 * anything about the user.
 */
const ANNOUNCED = 1;
/** "Is this a scam?" does not contain the text, so the next message is the text unless its log-odds are clearly negative. */
const BARE_QUESTION = /^\s*(?:\S+\s+){0,4}\S+[?？]\s*$/u;
const ANNOUNCED_BY_QUESTION = -3.2;
/** Log-odds up to which a part is the user's own. */
const OWN = -3.2;
const OPENING = /^[^,，.!?。！？\n]{1,14}[,，]/u;

/** Reads both as one text. The words before the first comma are a separate part, because "Thanks, …" begins the user's reply. */
async function toldAfter(announcement: string, message: string, { readParts, signal }: Telling): Promise<TextSpan[]> {
  if (readParts === undefined) return [];
  const offset = announcement.length + 2;
  const text = `${announcement}\n\n${message}`;
  const opening = offset + (OPENING.exec(message)?.[0].length ?? 0);
  const parts = partsOf(text).flatMap((part) => (opening > offset ? cutAt(part, opening) : [part]));
  const told = await unlessUnavailable(readParts(wordsOf(text, parts), { signal }));
  const odds = parts.map((_part, index) => told?.foreign[index] ?? -Infinity);
  const first = parts.findIndex(({ start }) => start >= offset);
  // If the words before the comma look like the user's own ("Hi, this is Mark"), they are left out of the mean.
  const rest = odds.slice(opening > offset && (odds[first] ?? 0) < 0 ? first + 1 : first);
  const mean = rest.reduce((sum, each) => sum + each, 0) / rest.length;
  const sure = BARE_QUESTION.test(announcement) && asksAboutText(announcement) ? ANNOUNCED_BY_QUESTION : ANNOUNCED;
  // An announcement that begins with foreign words is itself part of role play or of a pasted text, so it announces nothing.
  if (first < 0 || (odds[0] ?? 0) > 0 || !(mean > sure) || (odds[first] ?? OWN) <= OWN) return [];
  return parts
    .filter((_part, index) => index >= first && (odds[index] ?? OWN) > OWN)
    .map(({ start, end }) => ({ start: start - offset, end: end - offset }));
}

/** Once the user names this person, or says "she" or "he", the messages are the user's own again. */
function isSpokenFor(message: string, own: readonly Event[]): boolean {
  const recent = own.slice(-MOST_BETWEEN).map(({ content }) => content);
  const at = recent.findLastIndex((content) => spokenFor(content) !== null);
  const somebody = spokenFor(recent[at] ?? '')?.toLowerCase();
  if (somebody === undefined) return false;
  return ![...recent.slice(at + 1), message].some(
    (content) => SHE_OR_HE.test(content) || leavesPlay(content) || content.toLowerCase().includes(somebody),
  );
}
