import { inverseDocumentFrequency, type LexicalMatch } from './lexical-index.ts';

const K1 = 1.2;
const B = 0.75;

/** BM25 of every session as one long document, read off the term masks of its turns. */
export function matchSessions(
  match: LexicalMatch,
  sessions: Int32Array,
  sessionWordCounts: Float32Array,
): Float32Array {
  const sessionCount = sessionWordCounts.length;
  const termCount = match.termWeights.length;
  const frequencies = new Uint16Array(sessionCount * termCount);
  for (const ordinal of match.matched) {
    const session = sessions[ordinal] as number;
    if (session < 0) continue;
    const mask = match.termMasks[ordinal] as number;
    const offset = session * termCount;
    for (let term = 0; term < termCount; term += 1) {
      if ((mask & (1 << term)) !== 0) frequencies[offset + term] = (frequencies[offset + term] as number) + 1;
    }
  }
  const averageWords = sessionWordCounts.reduce((sum, count) => sum + count, 0) / Math.max(1, sessionCount);
  const scores = new Float32Array(sessionCount);
  for (let term = 0; term < termCount; term += 1) {
    let sessionsWithTerm = 0;
    for (let session = 0; session < sessionCount; session += 1)
      if ((frequencies[session * termCount + term] as number) > 0) sessionsWithTerm += 1;
    if (sessionsWithTerm === 0) continue;
    const weight = inverseDocumentFrequency(sessionCount, sessionsWithTerm);
    for (let session = 0; session < sessionCount; session += 1) {
      const frequency = frequencies[session * termCount + term] as number;
      if (frequency === 0) continue;
      const lengthNorm = 1 - B + (B * (sessionWordCounts[session] as number)) / averageWords;
      scores[session] = (scores[session] as number) + (weight * frequency * (K1 + 1)) / (frequency + K1 * lengthNorm);
    }
  }
  return scores;
}

/** Highest standardised similarity of any turn, per session. */
export function bestPerSession(standardised: Float32Array, sessions: Int32Array, sessionCount: number): Float32Array {
  const best = new Float32Array(sessionCount).fill(Number.NEGATIVE_INFINITY);
  for (let ordinal = 0; ordinal < standardised.length; ordinal += 1) {
    const session = sessions[ordinal] as number;
    const value = standardised[ordinal] as number;
    if (session >= 0 && value > (best[session] as number)) best[session] = value;
  }
  return best;
}
