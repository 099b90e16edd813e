import {
  asksAboutText,
  foreignSpans,
  introducesText,
  leavesPlay,
  LONGEST_ANNOUNCEMENT,
  namesText,
  spokenFor,
} from '../../../language/foreign-text.ts';
import { anyWords, detectPack } from '../../../language/packs/packs.ts';
import { cutAt, type TextSpan } from '../../../language/sentences.ts';
import { unlessUnavailable } from '../../../models/embedder.ts';
import { MINUTE } from '../../../record/clock.ts';
import type { Event } from '../../../record/event.ts';
import { isOwnMessage, partsOf, type ReadParts, saysI, wordsOf } from './units.ts';

/** How many messages of the user may lie between an announcement of speaking for somebody and the words of that person. */
const MOST_BETWEEN = 3;
const LONGEST_PAUSE = 30 * MINUTE;
const SHORTEST_TEXT = 12;

export interface Telling {
  readParts: ReadParts;
  /** Whether the message asks to forget something. */
  isAsking: boolean;
  signal: AbortSignal | undefined;
}

/** The parts of a message that are the text which a message before announces: "I'll send you my brother's letter, please correct it". */
export async function announced(event: Event, before: readonly Event[], telling: Telling): Promise<TextSpan[]> {
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
  // "Forget what I told you about …" speaks of this conversation, unless a text was announced.
  if (!isPlain && telling.isAsking) return [];
  // A text that says nothing in the first person states nothing of the user, and reading it once more would cost a forward pass.
  if (pack?.isUninflected === true && !saysI(content, pack)) return [];
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

/** "Is this a scam?": whether a message is no more than a question or an instruction. "He has a girlfriend" may have the words of one. */
function isShortRequest(message: string): boolean {
  return message.length <= SHORT_REQUEST || /[?？:：]\s*$/u.test(message);
}

const SHORT_REQUEST = 60;

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
const SURE = 1;
/** "Is this a scam?": so short a question about a text has no text in itself, so that the next message is one unless the layers deny it. */
const BARE_QUESTION = /^\s*(?:\S+\s+){0,4}\S+[?？]\s*$/u;
const SURE_AFTER_QUESTION = -1.5;
/** Parts with these log-odds or less are the user's own. */
const OWN = -2.5;
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
    (content) => SHE_OR_HE.test(content) || leavesPlay(content) || content.toLowerCase().includes(somebody),
  );
}

const SHE_OR_HE = anyWords('sheOrHe');
