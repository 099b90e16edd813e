import { foreignSpans, isForeignAt, type ForeignSpan } from '../../../language/foreign-text.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, packPattern } from '../../../language/packs/packs.ts';
import { splitSentences } from '../../../language/split-sentences.ts';
import { fillSlots, type FilledSlot } from './fill-slots.ts';
import type { Unit } from './features.ts';

/** A turn taken apart. */
export interface TurnUnits {
  pack: Pack | null;
  spans: ForeignSpan[];
  units: ReadUnit[];
}

export interface ReadUnit extends Unit {
  filled: FilledSlot[];
  /** Places in the sentence that are not its author's words. */
  foreign: { start: number; end: number }[];
}

export interface TurnContext {
  /** The assistant's message before the turn; null where there is none. */
  asked: string | null;
  /** The language of the turns before, for a turn too short to tell. */
  fallback: Pack | null;
  now: Date;
  timeZone: string;
}

const READ = 24_000;
const MOST_UNITS = 120;
/** How much of a turn is looked through for somebody else whom a sentence without a subject may be about. */
const TOLD_OTHERS = 1_500;
const LONGEST_WORDS = 36;
const CLAUSE_START =
  /(?<!\s)\s+(?=(?:and|but|so|because|then|also|und|aber|weil|dann|pero|porque|mais|parce que|e poi|ma|perché|en toen|maar|want)\s)|(?<=[,;，；])\s*/giu;

/** Splits a turn into sentences, or into clauses where a sentence is as long as speech without any mark. */
export function unitsOf(turn: string, context: TurnContext): TurnUnits {
  const readable = turn.slice(0, READ);
  const spans = foreignSpans(turn);
  const own = spans.length === 0 ? readable : withoutSpans(readable, spans);
  const pack = packOfTurn(own.trim() === '' ? readable : own, context.fallback);
  const pieces = splitSentences(readable)
    .slice(0, MOST_UNITS)
    .flatMap(({ span }) => splitLong(readable, span.start, span.end))
    .slice(0, MOST_UNITS);
  const slots = {
    now: context.now,
    timeZone: context.timeZone,
    prefer: 'future' as const,
    asked: context.asked,
    turn: own.slice(0, TOLD_OTHERS),
  };
  const units = pieces.map(([start, end], index) => {
    const text = readable.slice(start, end);
    const isForeign = isForeignAt(spans, start, end);
    const filled =
      isForeign || pack === null
        ? []
        : fillSlots(text, pack, {
            ...slots,
            question: index === 0 ? context.asked : null,
          }).filter((slot) => !spans.some((span) => start + slot.start < span.end && start + slot.end > span.start));
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
      hasForeign: spans.length > 0,
      slots: filled.length,
      filled,
      foreign: spans.flatMap((span) =>
        span.start < end && span.end > start ? [{ start: span.start - start, end: span.end - start }] : [],
      ),
    };
  });
  return { pack, spans, units };
}

const SHORT_REQUEST = 40;

/** The language of a turn; of a short request to forget its own, also where the turns before were in another: "vergiss das". */
function packOfTurn(text: string, fallback: Pack | null): Pack | null {
  const pack = detectPack(text, fallback);
  if (fallback === null || text.length > SHORT_REQUEST) return pack;
  const alone = detectPack(text);
  return alone !== null && alone !== pack && packPattern(alone, 'request:forget').test(text) ? alone : pack;
}

function withoutSpans(text: string, spans: readonly ForeignSpan[]): string {
  let rest = '';
  let position = 0;
  for (const { start, end } of spans) {
    if (start > position) rest += text.slice(position, start);
    position = Math.max(position, end);
  }
  return rest + text.slice(position);
}

function splitLong(text: string, start: number, end: number): [number, number][] {
  const sentence = text.slice(start, end);
  const words = sentence.split(/\s+/).length;
  const isLong = words > LONGEST_WORDS || (words * 12 < sentence.length && sentence.length > 120);
  if (!isLong) return [[start, end]];
  const cuts: number[] = [];
  let last = 0;
  for (const match of sentence.matchAll(CLAUSE_START)) {
    const at = match.index + match[0].length;
    if (sentence.slice(last, at).split(/\s+/).length < 9 && at - last < 60) continue;
    cuts.push(at);
    last = at;
  }
  const pieces: [number, number][] = [];
  let from = 0;
  for (const cut of [...cuts, sentence.length]) {
    const piece = sentence.slice(from, cut);
    const lead = piece.length - piece.trimStart().length;
    const body = piece.trim();
    if (body !== '') pieces.push([start + from + lead, start + from + lead + body.length]);
    from = cut;
  }
  return pieces;
}
