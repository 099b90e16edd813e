import type { SignalName } from '../../src/recall/candidate-signals.ts';
import { label } from './words.ts';

/** What each signal of recall measures, for readers who do not know the ranking. A new signal needs a line here. */
const MEASURES: Readonly<Record<SignalName, string>> = {
  meaning: 'Similar meaning',
  words: 'Same words as the question',
  otherForms: 'Other forms of the same words',
  bm25: 'Rare words in common',
  otherLanguageMeaning: 'Similar meaning, in a question of another language',
  otherLanguageWords: 'Same words, in a question of another language',
  otherLanguageForms: 'Other forms of words, in a question of another language',
  otherLanguageBm25: 'Rare words in common, in a question of another language',
  length: 'Longer than other turns',
  asking: 'Is itself a question',
  speaker: 'Said by or about the person in question',
  agentTurn: 'Said by the assistant',
  agentAsked: 'The question asks what the assistant said',
  toolTurn: 'Result of a tool',
  statement: 'A memory, and not a turn of a conversation',
  sameMatter: 'Another record of the same statement is similar',
  hasSameMatter: 'There are other records of the same statement',
  time: 'Names a time, and the question asks when',
  hasTime: 'Names a time',
  hasNumber: 'Contains a number',
  date: 'Close to the date in the question',
  anchor: 'About the event that the question counts from',
  fresh: 'From the last few days',
  lateNow: 'Recent, and the question asks about now',
  latePast: 'Recent, and the question asks about the past',
  lateNear: 'Recent, and similar to the question',
  nearMeaning: 'A neighbouring turn has a similar meaning',
  nearShort: 'A short turn beside one of similar meaning',
  answerMeaning: 'Answers a question of similar meaning',
  windowWords: 'Neighbouring turns have the other words',
  sessionWords: 'The conversation has the same words',
  sessionMeaning: 'The conversation has a similar meaning',
  keyed: 'The fact that the question asks for',
  relative: 'About a relative, but the question is about the user',
  othersWords: 'Text of somebody else that the user pasted',
};

/** The name of a signal. Adjustments after the ranking, such as `replaced`, have no entry and are shown by their own name. */
export function signalName(signal: string): string {
  return Object.hasOwn(MEASURES, signal) ? MEASURES[signal as SignalName] : label(signal);
}
