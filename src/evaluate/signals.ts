import type { RecallResult } from '../recall/recall-options.ts';
import type { Question } from './conversation.ts';
import { placeValues, turnsOf } from './measure-questions.ts';
import type { Replay } from './replay.ts';
import type { Row } from './row.ts';

type Found = Omit<Row, 'conversation'>;

const CANDIDATES = 100;

/**
 * The contribution of each signal and each arm of recall, measured by leaving it out. A result's score is the sum of its signals, so the
 * ranking without one signal needs no second search; a result that only one arm has found is missing without that arm. Results below the
 * first hundred, which might move up, are not considered.
 */
export async function measureSignals(replay: Replay, question: Question): Promise<Found[]> {
  if (!question.isAnswerable || question.evidence.length === 0) return [];
  const handle = replay.handle(`ask ${question.id}`);
  const { results } = await handle.recall(question.question, {
    limit: CANDIDATES,
    abstain: false,
    track: false,
    withSources: true,
  });
  const row = (arm: string, ranked: readonly RecallResult[]): Found => ({
    arm,
    measure: 'retrieval',
    item: question.id,
    kind: question.kind,
    values: placeValues(
      ranked.slice(0, 10).map((result) => turnsOf(replay, result)),
      question.evidence,
    ),
  });
  const signals = [...new Set(results.flatMap(({ explanation }) => explanation.map(({ signal }) => signal)))].sort();
  const arms = [...new Set(results.flatMap((result) => result.arms))].sort();
  return [
    ...signals.map((signal) => row(`without signal ${signal}`, reordered(results, signal))),
    ...arms.map((arm) =>
      row(
        `without arm ${arm}`,
        results.filter((result) => result.arms.some((each) => each !== arm)),
      ),
    ),
  ];
}

function reordered(results: readonly RecallResult[], signal: string): RecallResult[] {
  const without = ({ score, explanation }: RecallResult): number =>
    score - explanation.reduce((sum, share) => sum + (share.signal === signal ? share.value * share.weight : 0), 0);
  return results.toSorted((one, other) => without(other) - without(one));
}
