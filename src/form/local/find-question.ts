import { splitSentences } from '../../language/split-sentences.ts';
import { straightApostrophes } from '../../language/straight-apostrophes.ts';
import type { Turn } from '../../models/distiller.ts';

const COUNTER_QUESTION = /^(?:(?:so|and|oh),? )?(?:(?:what|how) about (?:you|yourself)|and (?:you|yourself)|you)\s*\?/i;

/** The question that a turn answers: the last one of the turn before, or the one it hands back ("And you?"). */
export function findQuestion(turn: Turn, before: readonly Turn[]): string | null {
  const previous = before.at(-1);
  if (
    previous === undefined ||
    isSameSpeaker(previous, turn) ||
    previous.origin === 'tool' ||
    previous.origin === 'document'
  )
    return null;
  const asked = lastQuestion(previous.content);
  if (asked === null) return null;
  if (!COUNTER_QUESTION.test(asked)) return asked;
  const earlier = before.at(-2);
  return earlier === undefined ? null : lastQuestion(earlier.content);
}

/** What the other said last, when the turn only agrees ("Me too!"). People only: an agent has no likes. */
export function findEchoed(turn: Turn, before: readonly Turn[]): string | null {
  const previous = before.at(-1);
  if (previous === undefined || isSameSpeaker(previous, turn) || previous.origin !== 'user') return null;
  const said = splitSentences(straightApostrophes(previous.content.slice(-400))).filter(
    ({ text }) => !text.includes('?'),
  );
  return said.at(-1)?.text ?? null;
}

function lastQuestion(text: string): string | null {
  const questions = splitSentences(straightApostrophes(text.slice(-600))).filter(({ text: sentence }) =>
    /\?\W*$/.test(sentence),
  );
  const asked = questions.at(-1)?.text ?? null;
  if (asked === null || COUNTER_QUESTION.test(asked)) return asked;
  return /[,;] ?(?:what|how) about you\?$/i.test(asked) ? 'what about you?' : asked;
}

function isSameSpeaker(left: Turn, right: Turn): boolean {
  return left.origin === right.origin && left.speaker === right.speaker;
}
