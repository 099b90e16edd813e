// npm run bench:recall -- --data FILE --qa FILE [--database postgres://…] [--mode hybrid|semantic|text] [--fusion …]
//   [--sources events|all]
// How much of the evidence of LoCoMo's questions is among the first results: turn level, no language model, no network.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RecallOptions } from '../src/recall/recall-options.ts';
import { createVarve } from '../src/varve.ts';
import { readConversations, readOrExit, readQuestions, type Question } from './locomo.ts';
import { ms, printTable, summary } from './measure.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    qa: { type: 'string' },
    database: { type: 'string' },
    mode: { type: 'string', default: 'hybrid' },
    fusion: { type: 'string', default: 'evidence' },
    scoring: { type: 'string', default: 'relevance' },
    // Turn level looks at turns. With `all`, a memory stands for the turns that it was learned from.
    sources: { type: 'string', default: 'events' },
  },
});
const conversations = readConversations(readOrExit(values.data, '--data'));
const questions = readQuestions(readOrExit(values.qa, '--qa'));
const folder = mkdtempSync(join(tmpdir(), 'varve-recall-'));
const varve = await createVarve({ store: values.database ?? join(folder, 'varve.db'), background: false });
// A tenant of its own for each run, so that a server can be used again.
const tenant = `locomo-${Date.now()}`;

console.log(`Observing ${conversations.length} conversations and embedding their turns …`);
for (const { id, sessions } of conversations) {
  for (const { name, events } of sessions) await varve.for({ tenant, user: id, session: name }).observe(events);
}
await varve.drain();

const options = {
  limit: 20,
  abstain: false,
  track: false,
  mode: values.mode,
  fusion: values.fusion,
  scoring: values.scoring,
  candidates: 30,
  ...(values.sources === 'all' ? { withSources: true } : { sources: ['events'] }),
} as RecallOptions;
const times: number[] = [];
const scores = new Map<number, { r5: number; r10: number; r20: number; ndcg: number; count: number }>();
const answerable: { category: number; value: number; found: boolean }[] = [];
for (const question of questions) {
  const handle = varve.for({ tenant, user: question.conversation });
  const started = performance.now();
  const recalled = await handle.recall(question.question, options);
  times.push(performance.now() - started);
  const turns = [
    ...new Set(
      recalled.results.flatMap(({ event, sources }) =>
        (event === null ? sources : [event]).map(({ metadata }) => String(metadata['turn'])),
      ),
    ),
  ];
  const found = question.evidence.some((turn) => turns.slice(0, 10).includes(turn));
  if (recalled.answerable !== null) answerable.push({ category: question.category, value: recalled.answerable, found });
  if (question.category <= 4 && question.evidence.length > 0) add(question, turns);
}

const total = [...scores.values()].reduce(
  (sum, row) => ({
    r5: sum.r5 + row.r5,
    r10: sum.r10 + row.r10,
    r20: sum.r20 + row.r20,
    ndcg: sum.ndcg + row.ndcg,
    count: sum.count + row.count,
  }),
  { r5: 0, r10: 0, r20: 0, ndcg: 0, count: 0 },
);
const NAMES = ['', '1 several pieces', '2 time', '3 open', '4 one piece'];
printTable(
  ['category', 'questions', 'R@5', 'R@10', 'R@20', 'NDCG@10'],
  [...scores]
    .sort(([one], [other]) => one - other)
    .map(([category, row]) => [
      NAMES[category] ?? '',
      String(row.count),
      ...[row.r5, row.r10, row.r20, row.ndcg].map((sum) => (sum / row.count).toFixed(3)),
    ]),
);
const speed = summary(times);
console.log(`\nrecall with the query's embedding: p50 ${ms(speed.p50)}, p95 ${ms(speed.p95)}`);
if (answerable.length > 0) {
  console.log(
    '\nAbstention: how often nothing is answered, for questions that cannot be answered (5) and that can (1–4)',
  );
  const share = (rows: typeof answerable, threshold: number): string =>
    (rows.filter(({ value }) => value < threshold).length / Math.max(rows.length, 1)).toFixed(3);
  printTable(
    ['threshold', 'silent on 5', 'hides of 1–4', 'hides of those with evidence in the top 10'],
    [0.3, 0.4, 0.5, 0.6].map((threshold) => [
      `${threshold}${threshold === 0.4 ? ' (default)' : ''}`,
      share(
        answerable.filter(({ category }) => category === 5),
        threshold,
      ),
      share(
        answerable.filter(({ category }) => category <= 4),
        threshold,
      ),
      share(
        answerable.filter(({ category, found }) => category <= 4 && found),
        threshold,
      ),
    ]),
  );
}
console.log(
  `\nR@5 ${(total.r5 / total.count).toFixed(3)} R@10 ${(total.r10 / total.count).toFixed(3)} ` +
    `R@20 ${(total.r20 / total.count).toFixed(3)} NDCG@10 ${(total.ndcg / total.count).toFixed(3)}`,
);
await varve.close();
rmSync(folder, { recursive: true, force: true });

function add({ category, evidence }: Question, turns: readonly string[]): void {
  const row = scores.get(category) ?? { r5: 0, r10: 0, r20: 0, ndcg: 0, count: 0 };
  const gold = new Set(evidence);
  const recallAt = (k: number): number => turns.slice(0, k).filter((turn) => gold.has(turn)).length / gold.size;
  const gain = turns.slice(0, 10).reduce((sum, turn, rank) => sum + (gold.has(turn) ? 1 / Math.log2(rank + 2) : 0), 0);
  const ideal = Array.from({ length: Math.min(gold.size, 10) }, (_, rank) => 1 / Math.log2(rank + 2));
  row.r5 += recallAt(5);
  row.r10 += recallAt(10);
  row.r20 += recallAt(20);
  row.ndcg += gain / ideal.reduce((sum, value) => sum + value, 0);
  row.count += 1;
  scores.set(category, row);
}
