import type { SignalName } from './candidate-signals.ts';

/**
 * Learned with a listwise softmax on two-person chats (weight 1) and, at weight 0.3 each, the same turns shuffled and nameless, single
 * statements, many short dialogues in one store, interleaved group chat, assistant transcripts, an assistant among many people, hearsay.
 */
export const RANKING_WEIGHTS: Readonly<Record<SignalName, number>> = {
  meaning: 0.57,
  words: 4.14,
  length: 0.48,
  asking: -0.81,
  speaker: 3.39,
  time: 1.57,
  hasTime: 0.31,
  hasNumber: 0.83,
  date: 4.94,
  secondPrevious: 0.11,
  answerMeaning: 0.19,
  windowWords: 2.95,
  sessionWords: 0.49,
  sessionMeaning: 0.29,
  // Not learned: LoCoMo has no permanent facts. What is asked for comes before what only has the query's words, and before
  // what is said of the user's relatives.
  keyed: 6,
  relative: -3,
};
