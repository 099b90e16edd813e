import { type ForeignSpan, foreignSpans, isForeignAt } from '../../../language/foreign-text.ts';
import type { DateContext } from '../../../language/pack-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, listPattern, plainMarks, saysAny } from '../../../language/packs/packs.ts';
import { isSaidAfter } from '../../../language/packs/subjects.ts';
import { intersects, splitLong, splitSentences, type TextSpan, withoutSpans } from '../../../language/sentences.ts';
import { markTakenBack } from '../../../language/corrections.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { isNameOfUser, isSameSubject, USER } from '../../../record/statement.ts';
import type { Reading, ReadInput } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';
import type { FilledSlot, SlotContext } from './slot-values.ts';

/** How the reading layers classify a message. */
export interface ToldMessage {
  /** The message's parts, each with the mean of its words' states in the last layer. */
  parts: (TextSpan & { state: Float32Array })[];
  foreign: ForeignSpan[];
  /** The message's parts, each with its log-odds of asking to forget something or withdrawing such a request. */
  asking: (TextSpan & { odds: number })[];
  /** The log-odds that the message makes an earlier statement untrue. */
  changes: number;
  /** The words that are probably values of the user's attributes. */
  values: (TextSpan & { attribute: string; probability: number })[];
}

/** A turn that the local reader reads. */
export interface Turn {
  /** The reader's input, and everything read from the turns so far. */
  input: ReadInput;
  reading: Reading;
  event: Event;
  /** The number of the turn, counted from 1. */
  number: number;
  units: ReadUnit[];
  /** The person whom "I" means: the user, or one of several speakers. */
  speaker: string;
  pack: Pack | null;
  /** The time and the time zone of the turn. A day without a year is resolved to the next such day. */
  at: DateContext;
  /** The local embedder's classification of the turn. Empty if its reading layers do not read the turn. */
  told: ToldMessage;
}

export function isOwnMessage({ kind, origin }: Event): boolean {
  return kind === 'message' && origin === 'user';
}

/** A sentence, or a part of a long one, with its place in the turn and its context. */
export interface ReadUnit extends TextSpan {
  text: string;
  index: number;
  /** The number of units of the turn, and the text of the turn. */
  count: number;
  turn: string;
  /** The assistant's message before the turn, if the turn answers one. */
  asked: string | null;
  pack: Pack | null;
  /** Whether nothing is learned from the unit, because it is pasted or quoted, or because the user takes it back. */
  isForeign: boolean;
  /** Whether the following words take the unit back, or the unit takes back the words before it. */
  isTakenBack: boolean;
  /** Whether the turn has a pasted or quoted span. */
  hasForeign: boolean;
  filled: FilledSlot[];
  /** The spans of the unit that are not its author's words. */
  foreign: TextSpan[];
}

export interface TurnContext extends Pick<SlotContext, 'now' | 'timeZone' | 'people' | 'values'> {
  /** The assistant's message before the turn. Null if there is none. */
  asked: string | null;
  /** The language of the preceding turns, for a turn that is too short to detect its language. */
  fallback: Pack | null;
  /** The spans that the reading layers classify as foreign, in addition to those that the form of the text shows. */
  told?: readonly ForeignSpan[];
  /** Whether the text is the user's own although it has the form of a pasted one. */
  isOwnText?: boolean;
}

export type ClaimUnit = ReadUnit & { pack: Pack };

/** Checks whether a sentence is the user's own claim. Only claims may change known statements. */
export function isClaim(unit: ReadUnit): unit is ClaimUnit {
  const { pack, isForeign, text } = unit;
  const plain = plainMarks(text);
  return (
    !isForeign &&
    !/[?？]/u.test(text) &&
    pack !== null &&
    !isSaidAfter(plain, pack) &&
    !saysAny(pack, plain, 'if', 'hedge', 'kidding') &&
    !listPattern(pack, 'nearly', 'believed').test(plain)
  );
}

export const READ = 24_000;
const MOST_UNITS = 120;
/** Another person is searched for in this many characters of a turn. A sentence without a subject may be about that person. */
const TOLD_OTHERS = 1_500;

/** Splits a turn into sentences, and a very long sentence without punctuation into clauses. */
export function unitsOf(turn: string, context: TurnContext): Pick<Turn, 'pack' | 'units'> {
  const readable = turn.slice(0, READ);
  const byForm = context.isOwnText === true ? [] : foreignSpans(turn);
  const spans = [...byForm, ...(context.told ?? [])].toSorted((one, other) => one.start - other.start);
  const own = spans.length === 0 ? readable : withoutSpans(readable, spans);
  const pack = detectPack(own.trim() === '' ? readable : own, context.fallback);
  const sentences = splitSentences(readable)
    .slice(0, MOST_UNITS)
    .flatMap(({ span }) => splitLong(readable, span, pack));
  const pieces = markTakenBack(readable, sentences).slice(0, MOST_UNITS);
  const slots = { ...context, prefer: 'future' as const, turn: own.slice(0, TOLD_OTHERS) };
  const units = pieces.map(({ start, end, isTakenBack }, index) => {
    const text = readable.slice(start, end);
    const isForeign = isTakenBack || isForeignAt(spans, start, end);
    const foreign = spans
      .filter((span) => intersects(span, { start, end }))
      .map((span) => ({ start: span.start - start, end: span.end - start }));
    const at = { ...slots, question: index === 0 ? context.asked : null };
    const filled = isForeign || pack === null ? [] : fillSlots(text, pack, at);
    return {
      text,
      start,
      end,
      index,
      count: pieces.length,
      turn,
      asked: context.asked,
      pack,
      isForeign,
      isTakenBack,
      hasForeign: spans.length > 0,
      filled: filled.filter((slot) => !foreign.some((span) => intersects(span, slot))),
      foreign,
    };
  });
  return { pack, units };
}

/** Returns the person whom "I" means: the turn's speaker, or the user if the turn names no speaker or one of the user's names. */
export function speakerOf({ speaker }: Event, { userNames }: ReadInput): string {
  return speaker === null || speaker === '' || isNameOfUser(speaker, userNames) ? USER : speaker;
}

/**
 * Returns the known statements about a speaker and the speaker's people, rewritten as statements about the user. Another speaker's words
 * are read with only these statements, because they say nothing about the user.
 */
export function asKnownTo(speaker: string, known: readonly Memory[]): readonly Memory[] {
  if (speaker === USER) return known;
  const own = `${speaker}'s `;
  return known.flatMap((memory) => {
    const { subject } = memory;
    if (isSameSubject(subject, speaker)) return { ...memory, subject: USER };
    return subject.startsWith(own) ? { ...memory, subject: `User's ${subject.slice(own.length)}` } : [];
  });
}
