import { straightApostrophes } from '../../../language/straight-apostrophes.ts';
import { splitSentences } from '../../../language/split-sentences.ts';
import type { Turn } from '../../../models/distiller.ts';
import { classifySentence } from '../classify-sentence.ts';
import { USER } from '../../slot.ts';
import { readAsked } from '../rules/asked-rule.ts';
import { standingWishes } from '../rules/standing-wish.ts';
import { wordCount } from './merge-texts.ts';

const REQUEST =
  /^(?:(?:please|now|then|also|ok|okay|great|hi|hey|hello)[,!]? )*(?:(?:can|could|would|will) you|i (?:need|want|would like|'d like) you to|let's|please|help me|write|draft|create|make|send|book|find|fix|add|update|publish|plan|prepare|schedule|translate|summari[sz]e|build|change|remove|review|design|set up|show me|give me)\b/i;
const DONE =
  /^(?:done|finished|ready|i(?:'ve| have) (?!a\b|the\b|no\b)|i (?:sent|published|created|added|booked|fixed|updated|wrote|drafted|scheduled|changed|removed|found|prepared|deployed)\b|here(?:'s| is| are) (?:the|your)\b|(?:it|your [\p{L} ]{2,30}|the [\p{L} ]{2,30}) (?:is|are|has been|have been) (?:now )?(?:done|ready|sent|published|booked|fixed|live|updated|scheduled|finished)\b)/iu;
const SHORTEST_REQUEST = 4;
// What is done with one answer, or kept elsewhere: nothing to have in mind.
const ONE_OFF =
  /^(?:(?:please|now|then|also|ok|okay|great|hi|hey|hello|(?:can|could|would|will) (?:you|u)|help me)[,!]? )*(?:please )?(?:remind|remember|note|set (?:an?|the|my) (?:\p{L}+ )?(?:reminder|alarm|timer)|tell|explain|translate|summari[sz]e|convert|calculate|define|spell|repeat|show me|give me|make (?:it|this|that|the \p{L}+) (?:a bit |a little |slightly |much )?(?:\p{L}+er|more|less)|wake|call me|let me know|check|look up)\b/iu;

/**
 * What is being worked on in a session and how far it is, in the words that were used: the last request of the user's,
 * and the agent's report or the question it waits for. Null when nothing was asked for, or it does not fit.
 */
export function sessionStatus(turns: readonly Turn[], wordLimit: number): string | null {
  const asked = turns.findLastIndex((turn) => turn.origin === 'user' && requestOf(turn) !== null);
  const turn = turns[asked];
  const request = turn === undefined ? null : requestOf(turn);
  if (request === null) return null;
  const outcome = outcomeOf(turns.slice(asked + 1));
  const whole = `User asked: "${request}"${outcome === null ? '' : ` ${outcome}`}`;
  if (wordCount(whole) <= wordLimit) return whole;
  const short = `User asked: "${request}"`;
  return wordCount(short) <= wordLimit ? short : null;
}

function requestOf({ content, kind }: Turn): string | null {
  if (kind !== 'message') return null;
  const requests = splitSentences(straightApostrophes(content.slice(0, 2_000))).filter(
    ({ text }) =>
      REQUEST.test(text) &&
      wordCount(text) >= SHORTEST_REQUEST &&
      !isHypothetical(text) &&
      !ONE_OFF.test(text) &&
      readAsked(text) === null &&
      // How the agent should work from now on is no work of this session.
      standingWishes(text, USER).length === 0,
  );
  return requests.at(-1)?.text.replace(/"/g, "'") ?? null;
}

function isHypothetical(text: string): boolean {
  const kind = classifySentence(text);
  return kind === 'hypothetical' || kind === 'jest' || kind === 'quotation' || kind === 'unkept';
}

function outcomeOf(after: readonly Turn[]): string | null {
  const answer = after.findLast((turn) => turn.origin === 'agent' && turn.kind === 'message');
  if (answer === undefined) return 'It is not answered yet.';
  const sentences = splitSentences(straightApostrophes(answer.content.slice(0, 2_000))).map(({ text }) =>
    text.replace(/"/g, "'"),
  );
  const done = sentences.find((text) => DONE.test(text));
  if (done !== undefined) return `Agent reported: "${done}"`;
  const question = sentences.at(-1);
  return question !== undefined && /\?\W*$/.test(question) ? `Agent waits for an answer: "${question}"` : null;
}
