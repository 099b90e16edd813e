/**
 * Measures the speed of the local embedder: `node bench/local-embedder.ts`. Each row is measured in its own process, so that the time to
 * the first vector and the memory use are the same as in a real program.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createLocalEmbedder } from '../src/models/local-embedder/local-embedder.ts';
import { ms, report, summary, timeCells, type Times } from './measure.ts';

const WORDS_PER_TEXT = 25;
const LIMITS = { p50: 5, textsPerSecond: 200, firstVector: 1000 };

const SENTENCES = [
  'Caroline told me yesterday that she finally finished the painting of the lake and wants to show it at the small gallery downtown next month.',
  'The deployment failed again because the migration ran twice, so we agreed to add a lock and to write the incident report before Friday evening.',
  'My brother moved to Lisbon with his two dogs last spring, works remotely for a hospital, and plans to learn surfing once the weather improves.',
  'Please remember that I am allergic to peanuts, prefer window seats on long flights, and never want meetings scheduled before ten in the morning.',
  'We compared three suppliers for the solar panels and chose the second one, since its warranty covers storms and the installation takes only four days.',
];

interface Measurement {
  threads: number;
  firstVector: number;
  times: Times;
  textsPerSecond: number;
  rss: number;
  tokensPerText: number;
}

async function measure(threads: number): Promise<Measurement> {
  const embedder = createLocalEmbedder({ threads });
  await embedder.embed(['The first text pays for loading the model.']);
  const firstVector = performance.now();
  const texts = Array.from({ length: 100 }, (_, i) => textOf(i));
  for (const text of [...texts, ...texts]) await embedder.embed([text]);

  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (const text of texts) {
      const started = performance.now();
      await embedder.embed([text]);
      times.push(performance.now() - started);
    }
  }

  const batch = Array.from({ length: 1000 }, (_, i) => textOf(i));
  const started = performance.now();
  const { tokens } = await embedder.embed(batch);
  const textsPerSecond = batch.length / ((performance.now() - started) / 1000);
  const rss = process.memoryUsage().rss / 1e6;
  await embedder.close?.();
  return {
    threads,
    firstVector,
    times: summary(times),
    textsPerSecond,
    rss,
    tokensPerText: tokens / batch.length,
  };
}

/** 25 words, from a different position in the sentences each time. */
function textOf(index: number): string {
  const words = SENTENCES.join(' ').split(' ');
  return Array.from({ length: WORDS_PER_TEXT }, (_, i) => words[(index * 7 + i) % words.length]).join(' ');
}

function show(rows: readonly Measurement[]): void {
  report('Local embedder', {
    header: ['threads', 'p50 (95 % interval)', 'p95', 'texts a second', 'first vector', 'RSS'],
    rows: rows.map(({ threads: count, times, textsPerSecond, firstVector, rss }) => [
      String(count),
      ...timeCells(times),
      textsPerSecond.toFixed(0),
      ms(firstVector),
      `${rss.toFixed(0)} MB`,
    ]),
    note: `Texts of ${WORDS_PER_TEXT} words (${(rows[0]?.tokensPerText ?? 0).toFixed(1)} tokens). Wanted with the default of 2 threads: p50 ≤ ${LIMITS.p50} ms, ≥ ${LIMITS.textsPerSecond} texts a second, first vector ≤ ${LIMITS.firstVector} ms.`,
  });
}

const [flag, threads] = process.argv.slice(2);
if (flag === '--measure') {
  console.log(JSON.stringify(await measure(Number(threads))));
} else {
  const script = fileURLToPath(import.meta.url);
  const run = (count: number): Measurement =>
    JSON.parse(
      execFileSync(process.execPath, [script, '--measure', String(count)], { encoding: 'utf8' }),
    ) as Measurement;
  show([run(1), run(2)]);
}
