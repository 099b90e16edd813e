import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import type { StatementDraft } from '../statement-draft.ts';

// How "they took me off it" is said of me.
const PARTICIPLES: Readonly<Record<string, string>> = {
  took: 'taken',
  taken: 'taken',
  put: 'put',
  gave: 'given',
  given: 'given',
  let: 'let',
  laid: 'laid',
};
const AFFECTED =
  /^((?:the|my|our|they|he|she|\p{Lu}[\p{L}&.-]*)(?: (?!has|have|just|finally|already|never|not)[\p{L}&.-]+){0,3}?)(?: has| have|'ve)?(?: just| finally| already| now)? (rejected|hired|fired|promoted|offered|invited|accepted|dumped|diagnosed|prescribed|referred|evicted|sacked|ghosted|transferred|scammed|sued|nominated|took|taken|put|gave|given|let|laid) me\b(.{0,90}?)[.!:(\s]*$/iu;
const LASTING: Readonly<Record<string, RegExp>> = {
  taken: /^ (?:off|on) \S/,
  put: /^ on \S/,
  given: /^ (?:a raise|a promotion|the job|notice|the sack|a diagnosis|\d+ (?:weeks|days|months))/,
  let: /^ go\b/,
  laid: /^ off\b/,
  offered: /^ (?:the|an?|\d)/,
};

/** "Ecosia rejected me", "the doctor has taken me off bisoprolol": what others did to the speaker. */
export function affectedRule(text: string, speaker: string): StatementDraft | null {
  if (!/\bme\b/.test(text)) return null;
  const match = AFFECTED.exec(withoutLeadIn(text).replace(/[\s:;=]+[()<>/\\|3DPp]+\s*$/, ''));
  if (match === null) return null;
  const [, by = '', said = '', rest = ''] = match;
  const verb = PARTICIPLES[said.toLowerCase()] ?? said.toLowerCase();
  if (LASTING[verb]?.test(rest) === false || /\b(?:it|this|that|you|there)\b/i.test(rest)) return null;
  const who = /^(?:they|he|she)$/i.test(by)
    ? ''
    : ` by ${by.replace(/^(?:my|our) /i, 'their ').replace(/^The /, 'the ')}`;
  return {
    type: 'fact',
    subject: speaker,
    predicate: `was ${verb}${rest.trimEnd()}${who}`,
    polarity: verb === 'taken' && /^ off\b/.test(rest) ? 'negative' : 'positive',
    importance: 0.6,
    confidence: 'high',
    ownWords: ['taken', 'given'],
  };
}
