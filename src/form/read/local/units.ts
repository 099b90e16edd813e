import { type ForeignSpan, foreignSpans, isForeignAt } from '../../../language/foreign-text.ts';
import type { DateContext } from '../../../language/pack-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, listPattern, plainMarks, saysAny } from '../../../language/packs/packs.ts';
import { introductionLanguage } from '../../../language/names.ts';
import { isSaidAfter } from '../../../language/packs/subjects.ts';
import { intersects, splitLong, splitSentences, type TextSpan, withoutSpans } from '../../../language/sentences.ts';
import { markTakenBack } from '../../../language/corrections.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { isNameOfUser, isSameSubject, USER } from '../../../record/statement.ts';
import type { Reading, ReadInput } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';
import type { FilledSlot, SlotContext } from './slot-values.ts';

export interface ToldMessage {
  /** Each with the mean of its words' states in the last layer. */
  parts: (TextSpan & { state: Float32Array })[];
  foreign: ForeignSpan[];
  /** Log-odds that a part asks to forget something or withdraws such a request. */
  asking: (TextSpan & { odds: number })[];
  /** Log-odds that the message makes an earlier statement untrue. */
  changes: number;
  values: (TextSpan & { attribute: string; probability: number })[];
}

export interface Turn {
  /** `reading`: everything read from the turns so far. */
  input: ReadInput;
  reading: Reading;
  event: Event;
  /** Counted from 1. */
  number: number;
  units: ReadUnit[];
  /** The person whom "I" means: the user, or one of several speakers. */
  speaker: string;
  pack: Pack | null;
  /** The language of most of the user's recent turns. Null if there are too few. */
  usualPack: Pack | null;
  /** A day without a year is resolved to the next such day. */
  at: DateContext;
  /** Empty if the reading layers do not read the turn. */
  told: ToldMessage;
}

export function isOwnMessage({ kind, origin }: Event): boolean {
  return kind === 'message' && origin === 'user';
}

export interface ReadUnit extends TextSpan {
  text: string;
  index: number;
  count: number;
  turn: string;
  /** The assistant's message before the turn, if the turn answers one. */
  asked: string | null;
  pack: Pack | null;
  /** Nothing is learned from a foreign unit: it is pasted or quoted, or the user takes it back. */
  isForeign: boolean;
  /** The following words take the unit back, or the unit takes back the words before it. */
  isTakenBack: boolean;
  /** The turn has a pasted or quoted span. */
  hasForeign: boolean;
  filled: FilledSlot[];
  /** Spans of the unit that are not its author's words. */
  foreign: TextSpan[];
}

export interface TurnContext extends Pick<SlotContext, 'now' | 'timeZone' | 'people' | 'values'> {
  asked: string | null;
  /** The language of the preceding turns, for a turn that is too short to detect its language. */
  fallback: Pack | null;
  /** Spans that the reading layers classify as foreign, in addition to those that the form of the text shows. */
  told?: readonly ForeignSpan[];
  /** The text is the user's own although it looks pasted. */
  isOwnText?: boolean;
}

export type ClaimUnit = ReadUnit & { pack: Pack };

/** Only the user's own claims may change known statements. */
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
/** Characters of a turn that are searched for another person. A sentence without a subject may be about that person. */
const TOLD_OTHERS = 1_500;

/** A very long sentence without punctuation is split into clauses. */
export function unitsOf(turn: string, context: TurnContext): Pick<Turn, 'pack' | 'units'> {
  const readable = turn.slice(0, READ);
  const byForm = context.isOwnText === true ? [] : foreignSpans(turn);
  const spans = [...byForm, ...(context.told ?? [])].toSorted((one, other) => one.start - other.start);
  const own = spans.length === 0 ? readable : withoutSpans(readable, spans);
  const pack = introductionLanguage(own) ?? detectPack(own.trim() === '' ? readable : own, context.fallback);
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

/** The user, unless the turn names another speaker. */
export function speakerOf({ speaker }: Event, { userNames }: ReadInput): string {
  return speaker === null || speaker === '' || isNameOfUser(speaker, userNames) ? USER : speaker;
}

/** Another speaker's "I" means that speaker, so the statements about the speaker and the speaker's people are rewritten. */
export function asKnownTo(speaker: string, known: readonly Memory[]): readonly Memory[] {
  if (speaker === USER) return known;
  const own = `${speaker}'s `;
  return known.flatMap((memory) => {
    const { subject } = memory;
    if (isSameSubject(subject, speaker)) return { ...memory, subject: USER };
    return subject.startsWith(own) ? { ...memory, subject: `User's ${subject.slice(own.length)}` } : [];
  });
}
