import type { ReadSentence } from './read-turn.ts';
import { readAsked, type Asked } from './rules/asked-rule.ts';

const WORK_REQUEST =
  /^(?:(?:please|pls|hi|hey|ok|now|so|and|can you|could you|would you)[,!]? )*(?:write|draft|create|make|translate|summari[sz]e|fix|build|implement|design|generate|explain|rewrite|refactor|convert|solve|code)\b/i;

const MATERIAL_REQUEST =
  /\b(?:summari[sz]e|translate|proofread|review|read|check|analy[sz]e|explain|rewrite|rephrase|reply to|respond to|answer|fix|edit|correct|shorten|improve|look at|make sense of)\b[^.?!]{0,30}\b(?:this|these|below|following|attached|it)\b/i;

/** What each sentence asks to be remembered. After "save this:" it is in the sentences that follow. */
export function findAsked(sentences: readonly ReadSentence[]): (Asked | null)[] {
  let open: Asked | null = null;
  let working = false;
  let reading = false;
  return sentences.map(({ text, kind }) => {
    const isStated = kind !== 'jest' && kind !== 'quotation' && kind !== 'unkept';
    // What a text says that is to be summarised, nobody asks for.
    const asked = isStated && !reading ? readAsked(text) : null;
    working ||= WORK_REQUEST.test(text);
    reading ||= MATERIAL_REQUEST.test(text);
    if (asked?.text === '') open = asked;
    // "Write a function. Note that the input is a list": how the work is meant.
    if (asked !== null) return asked.text === '' || (asked.mild && working) ? null : asked;
    return open !== null && isStated && kind !== 'question' ? { ...open, text: text.replace(/[.!\s]+$/, '') } : null;
  });
}
