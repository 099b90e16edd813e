import type { QueryContext } from './candidate-signals.ts';
import { highest } from './highest.ts';
import { RANKING_WEIGHTS } from './ranking-weights.ts';

// Most of a BM25 value is coverage; the factors were checked to lose no result against scoring every document.
const COVERAGE_IN_BM25 = 0.6;
const NEIGHBOUR_SHARE = 0.5;

/** Picks what deserves a full look: a cheap score of every document, with the same weights for the signals that decide most. */
export function selectCandidates(context: QueryContext, count: number): number[] {
  const { view, meaning, analysis, dates, sessionWords, allowed, asked } = context;
  const { previous, next, sessions, speakerNumbers, cohesion } = view;
  const { bm25, totalWeight } = context.match;
  const weights = RANKING_WEIGHTS;
  const lexical = totalWeight === 0 ? 0 : (COVERAGE_IN_BM25 * weights.words) / totalWeight;
  const near = NEIGHBOUR_SHARE * cohesion.neighbour * lexical;
  const session = cohesion.session * weights.sessionWords;
  const about = view.speakers.findIndex((speaker) => analysis.about.has(speaker.name));
  const speaker = about < 0 ? 0 : weights.speaker * analysis.aboutCertainty;
  const rough = new Float32Array(meaning.length);
  for (let ordinal = 0; ordinal < rough.length; ordinal += 1) {
    if (allowed[ordinal] !== 1) {
      rough[ordinal] = Number.NaN;
      continue;
    }
    const before = previous[ordinal] as number;
    const after = next[ordinal] as number;
    const beforeWords = before < 0 ? 0 : (bm25[before] as number);
    const afterWords = after < 0 ? 0 : (bm25[after] as number);
    let score = weights.meaning * (meaning[ordinal] as number) + lexical * (bm25[ordinal] as number);
    score +=
      near * (beforeWords > afterWords ? beforeWords : afterWords) +
      (session === 0 ? 0 : session * (sessionWords[sessions[ordinal] as number] ?? 0));
    if (speakerNumbers[ordinal] === about) score += speaker;
    if (dates !== null) score += weights.date * (dates[ordinal] as number);
    rough[ordinal] = score;
  }
  for (const ordinal of asked) rough[ordinal] = (rough[ordinal] as number) + weights.keyed;
  return highest(rough, count);
}
