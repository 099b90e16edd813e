// npm run bench:peers -- --modules FOLDER [--dataset lives --path … --limit 10 --only a02 --peers varve,mem0,plain --ballast 5000 --out FILE]
// Compares retrieval and speed of Varve and other memories on the same turns, with the same embedder and the same questions. A peer is one
// file in this folder. Its packages are not dependencies of Varve: the script prints the command that installs them in a separate folder.
// A question is timed at its position in the conversation (`search`: after new turns, in a process that has just started), and five more
// times at the end (`again`: in a process that has run for a while).
// `--ballast` is the number of turns about other topics before the conversation. It shows the effect of the size of the store.

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Conversation } from '../../src/evaluate/conversation.ts';
import { type DatasetName, loadDataset } from '../../src/evaluate/datasets/load-dataset.ts';
import { shown, shownWithInterval } from '../../src/evaluate/figures.ts';
import { placeValues } from '../../src/evaluate/measure-questions.ts';
import { difference, estimate, type Observation } from '../../src/evaluate/statistics.ts';
import { cachedEmbedder, type Embedder } from '../../src/models/embedder.ts';
import { createLocalEmbedder } from '../../src/models/local-embedder/local-embedder.ts';
import { ms, printTable, summary } from '../measure.ts';
import type { Peer, PeerTurn } from './peer.ts';

const { values } = parseArgs({
  options: {
    dataset: { type: 'string', default: 'lives' },
    path: { type: 'string' },
    only: { type: 'string' },
    limit: { type: 'string' },
    seed: { type: 'string', default: '1' },
    peers: { type: 'string', default: 'varve,mem0' },
    ballast: { type: 'string', default: '0' },
    modules: { type: 'string' },
    out: { type: 'string' },
  },
});

const TIMES_AGAIN = 5;
const METRICS = ['recall@5', 'recall@10', 'ndcg@5', 'mrr'];

interface Measured {
  peer: Peer;
  values: Map<string, Observation[]>;
  adds: number[];
  searches: number[];
  again: number[];
}

async function loadPeers(): Promise<Peer[]> {
  const known = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.ts') && !['peer.ts', 'run.ts'].includes(name))
    .map((name) => name.slice(0, -3));
  const wanted = values.peers.split(',');
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) fail(`There is no peer ${unknown}. Known peers: ${known.join(', ')}.`);
  const peers = await Promise.all(wanted.map(async (name) => ((await import(`./${name}.ts`)) as { peer: Peer }).peer));
  const modules = values.modules === undefined ? null : resolve(values.modules);
  const missing = peers.filter(
    ({ install }) => install !== null && (modules === null || !existsSync(join(modules, 'node_modules'))),
  );
  if (missing.length > 0) {
    fail(
      `Install the packages of ${missing.map(({ name }) => name).join(', ')} in a separate folder, then give --modules FOLDER:\n${missing.map(({ install }) => `  ${install}`).join('\n')}`,
    );
  }
  return peers;
}

function fail(text: string): never {
  console.error(text);
  process.exit(2);
}

/** The turns of a conversation in order, each with its time and session. */
function turnsOf({ sessions }: Conversation): (PeerTurn & { session: string })[] {
  let at = sessions[0]?.start?.getTime() ?? Date.UTC(2026, 0, 5);
  return sessions.flatMap(({ id: session, start, turns }) => {
    at = Math.max(at, start?.getTime() ?? at);
    return turns.map(({ id, role, text }) => {
      at += 40_000;
      return {
        id,
        role: role === 'user' ? ('user' as const) : ('assistant' as const),
        text,
        at: new Date(at),
        session,
      };
    });
  });
}

const WHO = ['The neighbour', 'A colleague', 'My cousin', 'The plumber', 'Our teacher', 'A friend', 'The baker'];
const DID = ['talked about', 'wants to sell', 'is learning about', 'worries about', 'is proud of', 'bought', 'lost'];
const WHAT = ['a rescue dog', 'old cameras', 'the garden', 'night trains', 'chess openings', 'a boiler', 'her cello'];

/** Turns that answer no question, before the conversation begins. */
function ballastTurns(count: number, before: Date): PeerTurn[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `ballast ${index}`,
    role: 'user' as const,
    text: `${WHO[index % 7]} ${DID[(index * 3) % 7]} ${WHAT[(index * 5) % 7]} in week ${index % 53}, number ${index}.`,
    at: new Date(before.getTime() - (count - index) * 60_000),
  }));
}

async function measurePeer(peer: Peer, conversation: Conversation, measured: Measured): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `varve-peer-${peer.name}-`));
  // All peers share one model but have separate caches; otherwise the first peer would compute the vectors of the others. No peer may close
  // the model.
  const embedder: Embedder = { ...cachedEmbedder(shared, { size: 50_000 }), close: async () => {} };
  const memory = await peer.open({ folder, modules: resolve(values.modules ?? '.'), embedder, user: conversation.id });
  const turns = turnsOf(conversation);
  // The vectors of questions are computed first, so that the time of a search excludes the embedder. The time to add a turn includes the
  // embedder.
  await embedder.embed(conversation.questions.map(({ question }) => question));
  await memory.add(ballastTurns(Number(values.ballast), turns[0]?.at ?? new Date(0)));
  const bySession = Map.groupBy(turns, ({ session }) => session);
  const last = conversation.sessions.at(-1)?.id;
  const asked = conversation.questions.filter(({ isAnswerable, evidence }) => isAnswerable && evidence.length > 0);
  for (const { id } of conversation.sessions) {
    const some = bySession.get(id) ?? [];
    const started = performance.now();
    await memory.add(some);
    measured.adds.push((performance.now() - started) / Math.max(1, some.length));
    for (const question of asked.filter(({ after }) => (after ?? last) === id)) {
      const begun = performance.now();
      const found = await memory.search(question.question, 10);
      measured.searches.push(performance.now() - begun);
      const scores = placeValues(
        found.map((turn) => [turn]),
        question.evidence,
      );
      for (const metric of METRICS) {
        const list = measured.values.get(metric) ?? [];
        list.push({ conversation: conversation.id, item: question.id, value: scores[metric] ?? Number.NaN });
        measured.values.set(metric, list);
      }
    }
  }
  for (let round = 0; round < TIMES_AGAIN; round += 1) {
    for (const { question } of asked) {
      const begun = performance.now();
      await memory.search(question, 10);
      measured.again.push(performance.now() - begun);
    }
  }
  await memory.close();
  rmSync(folder, { recursive: true, force: true });
}

const peers = await loadPeers();
const dataset = loadDataset({
  name: values.dataset as DatasetName,
  path: values.path,
  only: values.only?.split(','),
  limit: values.limit === undefined ? undefined : Number(values.limit),
  seed: Number(values.seed),
});
const shared = createLocalEmbedder();
const results: Measured[] = peers.map((peer) => ({ peer, values: new Map(), adds: [], searches: [], again: [] }));
for (const conversation of dataset.conversations) {
  process.stderr.write(`${conversation.id} `);
  // The peers run one after the other, because parallel searches would slow each other down.
  for (const measured of results) await measurePeer(measured.peer, conversation, measured);
}
process.stderr.write('\n');
await shared.close?.();

printTable(
  ['peer', ...METRICS, 'add a turn, p50', 'search p50', 'p95', 'again p50'],
  results.map(({ peer, values: found, adds, searches, again }) => [
    peer.name,
    ...METRICS.map((metric) => shownWithInterval(metric, estimate(found.get(metric) ?? []))),
    ms(summary(adds).p50),
    ms(summary(searches).p50),
    ms(summary(searches).p95),
    ms(summary(again).p50),
  ]),
);
const [first, ...others] = results;
for (const other of others) {
  for (const metric of METRICS) {
    const change = difference(other.values.get(metric) ?? [], first?.values.get(metric) ?? []);
    console.log(
      `${first?.peer.name} − ${other.peer.name}, ${metric}: ${shown(metric, change.mean)} (${shown(metric, change.low)} to ${shown(metric, change.high)}), p ${change.p.toFixed(3)}`,
    );
  }
}
if (values.out !== undefined) {
  const report = {
    kind: 'peers',
    dataset: dataset.name,
    conversations: dataset.conversations.length,
    questions: first?.searches.length ?? 0,
    ballast: Number(values.ballast),
    embedder: shared.id,
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}`,
    date: new Date().toISOString(),
    command: `npm run bench:peers -- ${process.argv
      .slice(2)
      .filter(
        (word, index, all) =>
          !['--out', '--modules'].includes(word) && !['--out', '--modules'].includes(all[index - 1] ?? ''),
      )
      .join(' ')} --modules FOLDER`,
    peers: results.map(({ peer, values: found, adds, searches, again }) => ({
      name: peer.name,
      figures: Object.fromEntries(METRICS.map((metric) => [metric, estimate(found.get(metric) ?? [])])),
      add: summary(adds),
      search: summary(searches),
      again: summary(again),
    })),
  };
  writeFileSync(values.out, `${JSON.stringify(report, null, 1)}\n`);
}
process.exit(0);
