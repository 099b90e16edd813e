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
 * Finds the parts of a user's message that are another person's words. A textbook exercise, or a message that begins with another person's
 * name as a label, is foreign as a whole. Otherwise the foreign parts are spans copied from the product's own prompt, and texts that an
 * earlier turn announced.
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

/** Matches the beginning of a textbook exercise: "Exercise 3b: I am a farmer and have 18 acres …". */
const EXERCISE = new RegExp(`^\\s*(?:${wordsOfAll('exercise')})\\s*\\d{1,3}\\p{L}?\\s*[).:：]`, 'iu');

/**
 * Checks whether a message begins with another person's name as a label, so that the words are that person's. If another message of the
 * conversation is labelled with a given name, the label may be any given name or any capitalised word that is not ordinary. Otherwise, the
 * label must be a known given name and the message in the first person: "Ben: allergic to nuts" is the user's own note.
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

/** Only this many of the user's last messages are searched for an announcement that the user speaks for another person. */
const MOST_BETWEEN = 3;
const LONGEST_PAUSE = 30 * MINUTE;
const SHORTEST_TEXT = 12;

interface Telling {
  readParts: ReadParts;
  /** Whether the message asks to forget something. */
  isAsking: boolean;
  signal: AbortSignal | undefined;
}

/** Finds the parts of a message that an earlier message announced as a text: "I'll send you my brother's letter, please correct it". */
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
  // Following a request in a pasted text would do harm. After "translate the next message", the whole message is therefore treated as the
  // text.
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
 * Checks whether a message only asks or instructs something about a text, such as "Is this a scam?". A longer message may contain such
 * words by chance ("Marcus wants me to meet his kids. Is that too soon?"), so it must be one sentence or name a text. A standing wish
 * ("always summarise articles in bullet points") announces no text.
 */
function isShortRequest(message: string): boolean {
  const pack = detectPack(message);
  if (pack !== null && packPattern(pack, 'request:wish').test(plainMarks(message))) return false;
  const isAlone = splitSentences(message).length === 1 || namesText(message);
  return message.length <= SHORT_REQUEST || (isAlone && /[?？:：]\s*$/u.test(message));
}

const SHORT_REQUEST = 60;

/** Checks whether a message may announce a text: it is short and contains no foreign text itself. */
function mayAnnounce(message: string): boolean {
  if (message.length > LONGEST_ANNOUNCEMENT || foreignSpans(message).length > 0) return false;
  const colon = /[:：]\s*\S/u.exec(message)?.index ?? 0;
  return colon === 0 || !asksAboutText(message.slice(0, colon + 1));
}

const SHORT_ANSWER = 60;

/** Checks whether a message is a short answer to the assistant's question. False if the assistant asked for a text. */
function isAnswer(message: string, last: Event | undefined): boolean {
  if (last?.origin !== 'agent' || !/[?？]\s*$/u.test(last.content)) return false;
  const isForText = asksAboutText(last.content) || namesText(last.content);
  return !isForText && message.length <= SHORT_ANSWER && partsOf(message).length === 1;
}

/**
 * Above this mean of the log-odds, a message is an announced text. None of the 2,716 messages in train/lives is one. Two of them are
 * wrongly above the threshold, but neither states anything about the user.
 */
const ANNOUNCED = 1;
/**
 * A very short question about a text ("Is this a scam?") does not contain the text. The next message is then taken for the text unless the
 * log-odds are clearly negative.
 */
const BARE_QUESTION = /^\s*(?:\S+\s+){0,4}\S+[?？]\s*$/u;
const ANNOUNCED_BY_QUESTION = -1.5;
/** A part with log-odds of at most this value is the user's own. */
const OWN = -2.5;
const OPENING = /^[^,，.!?。！？\n]{1,14}[,，]/u;

/**
 * Lets the reading layers read the announcement and the message as one text, and returns the parts of the message that they classify as
 * foreign. The words before the first comma are a separate part, because "Thanks, …" begins the user's own reply.
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

/**
 * Whether the user writes a message on behalf of another person, as a previous message announced. Once the user names this person, or says
 * "she" or "he", the messages are the user's own again.
 */
function isSpokenFor(message: string, own: readonly Event[]): boolean {
  const recent = own.slice(-MOST_BETWEEN).map(({ content }) => content);
  const at = recent.findLastIndex((content) => spokenFor(content) !== null);
  const somebody = spokenFor(recent[at] ?? '')?.toLowerCase();
  if (somebody === undefined) return false;
  return ![...recent.slice(at + 1), message].some(
    (content) => SHE_OR_HE.test(content) || leavesPlay(content) || content.toLowerCase().includes(somebody),
  );
}
