import { anyWords, plainMarks, wordsOfAll } from './packs/packs.ts';
import { splitSentences, type TextSpan } from './sentences.ts';

// "Pretend we are at a job interview.", "Let's do some improv." An order that the assistant alone plays somebody is no such opening: the
// user who asks "Pretend you are a lawyer" still speaks of themself.
const OPENS_PLAY = anyWords('opensPlay');
/** Words by which somebody leaves a play or a quotation: "out of character", "by the way". */
const LEAVES = anyWords('leavesPlay');
/** "As Walter White says: …", "From the terms and conditions: …", "Tom on the phone: …". */
const HEAD = `(?:${wordsOfAll('quotesHead', 'latin')})`;
const QUOTED_HEAD = new RegExp(
  `^["“„«(]?(?:${HEAD}|\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+){0,2},? (?:${wordsOfAll('speaksBy', 'latin')}))[^:：.!?\\n]{0,60}[:：]\\s*(?=\\S)|^(?:${wordsOfAll('quotesHead', 'han')})[^:：。\\n]{0,30}[:：]\\s*(?=\\S)`,
  'iu',
);

/** Whether a message begins a play in which the user speaks as somebody else, and does not leave it. */
export function opensPlay(message: string): boolean {
  const plain = plainMarks(message);
  const opening = OPENS_PLAY.exec(plain);
  return opening !== null && !LEAVES.test(plain.slice(opening.index + opening[0].length));
}

/** Whether a message leaves a play or a quotation. */
export function leavesPlay(message: string): boolean {
  return LEAVES.test(plainMarks(message));
}

/**
 * The spans of a message in which its author plays somebody or quotes somebody without quotation marks: from the opening to the end of the
 * message, or to the sentence with which the author leaves the play. A quotation ends at an empty line, too.
 */
export function playedSpans(text: string): TextSpan[] {
  const plain = plainMarks(text);
  const isPlayed = OPENS_PLAY.test(plain);
  if (!isPlayed && !/[:：]/u.test(plain)) return [];
  const spans: TextSpan[] = [];
  let open: { start: number; isQuoted: boolean } | null = null;
  const close = (end: number): void => {
    if (open !== null && end > open.start) spans.push({ start: open.start, end });
    open = null;
  };
  let last = 0;
  for (const { span } of splitSentences(plain)) {
    const sentence = plain.slice(span.start, span.end);
    const opened = open as { start: number; isQuoted: boolean } | null;
    if (opened?.isQuoted === true && /\n\s*\n/u.test(plain.slice(last, span.start))) close(last);
    last = span.end;
    if (open !== null) {
      if (LEAVES.test(sentence)) close(span.start);
      continue;
    }
    const head = QUOTED_HEAD.exec(sentence);
    const play = isPlayed ? OPENS_PLAY.exec(sentence) : null;
    if (head !== null) open = { start: span.start + head[0].length, isQuoted: true };
    else if (play !== null && !sentence.includes('?'))
      open = { start: span.start + play.index + play[0].length, isQuoted: false };
  }
  close(text.length);
  return spans;
}

/** Where the author of a message leaves the play that the message has opened; infinite where the author does not. */
export function playLeftAt(text: string): number {
  const end = OPENS_PLAY.test(plainMarks(text)) ? playedSpans(text).at(-1)?.end : undefined;
  return end === undefined || end === text.length ? Infinity : end;
}
