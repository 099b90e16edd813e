import { splitSentences, type TextSpan } from './sentences.ts';
import { estimateTokens } from './token-count.ts';

/** Up to here a text is one passage. Six sentences in one vector blur what each of them says. */
const MOST_TOKENS = 120;
/** What the passages of a longer text aim at. */
const USUAL_TOKENS = 90;
/** A last sentence up to this long is said again at the start of the next passage, which may refer to it. */
const MOST_OVERLAP = 24;
/** A text of so few characters has no more than `MOST_TOKENS`, in any script. */
const SURELY_SHORT = 100;

interface Piece extends TextSpan {
  tokens: number;
}

/**
 * Cuts a text into the passages that are embedded and matched: whole sentences, about 60 to 120 tokens, each a little into
 * the one before. A short text is one passage. The same text always gives the same passages, so that a passage is known by
 * its number; a change here needs all events to be embedded again.
 */
export function passagesOf(text: string): TextSpan[] {
  const whole = { start: 0, end: text.length };
  if (text.length <= SURELY_SHORT) return [whole];
  const total = estimateTokens(text);
  if (total <= MOST_TOKENS) return [whole];
  const sentences = splitSentences(text).flatMap(({ span }) => cutLong(text, span));
  // A text of nothing but list markers has no sentence.
  const pieces = sentences.length > 0 ? sentences : cutLong(text, whole);
  // Equal shares: the last passage would else be what happens to remain.
  const share = total / Math.ceil(total / USUAL_TOKENS);
  const passages: TextSpan[] = [];
  let open: Piece[] = [];
  let size = 0;
  for (const piece of pieces) {
    if (open.length > 0 && (size + piece.tokens > MOST_TOKENS || size + piece.tokens / 2 > share)) {
      passages.push(spanOf(open));
      const last = open.at(-1);
      open = last !== undefined && last.tokens <= MOST_OVERLAP && open.length > 1 ? [last] : [];
      size = open[0]?.tokens ?? 0;
    }
    open.push(piece);
    size += piece.tokens;
  }
  passages.push(spanOf(open));
  return passages;
}

function spanOf(pieces: readonly Piece[]): TextSpan {
  return { start: pieces[0]?.start ?? 0, end: pieces.at(-1)?.end ?? 0 };
}

/** A sentence as it is, or in parts where it is longer than a passage: between words, or anywhere in a word without end. */
function cutLong(text: string, span: TextSpan): Piece[] {
  const tokens = estimateTokens(text.slice(span.start, span.end));
  if (tokens <= MOST_TOKENS) return [{ ...span, tokens }];
  const parts = Math.ceil(tokens / USUAL_TOKENS);
  const length = Math.ceil((span.end - span.start) / parts);
  const pieces: Piece[] = [];
  for (let start = span.start; start < span.end;) {
    const end = wordEnd(text, start, Math.min(start + length, span.end), span.end);
    pieces.push({ start, end, tokens: tokens / parts });
    start = end;
    while (start < span.end && /\s/u.test(text[start] ?? '')) start += 1;
  }
  return pieces;
}

/** The last end of a word in the second half of a stretch; else its own end, but never between the halves of a character. */
function wordEnd(text: string, start: number, end: number, last: number): number {
  if (end >= last) return last;
  for (let at = end; at > start + (end - start) / 2; at -= 1) if (/\s/u.test(text[at] ?? '')) return at;
  return /[\uDC00-\uDFFF]/u.test(text[end] ?? '') ? end + 1 : end;
}
