import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { enqueueJobs } from '../src/store/queue/enqueue.ts';
import { DAY, MINUTE } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import { type Database, EVERY_TENANT } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { createVarve } from '../src/varve.ts';
import { bundleChild, startChild, startChildFromSource } from './child-process.ts';
import type { OneJob } from './fixtures/one-job.ts';
import { killPoints, type KillPoint, type Statements } from './kill-points.ts';
import { anaOf, KILL_SCENES, openOptions, SCENE_TIME, type KillScene } from './kill-scenes.ts';
import { nothingHalfDone } from './nothing-half-done.ts';
import { copyablePostgres, copyableSqlite, type CopyableStore } from './prepared-store.ts';
import { idsIn, storeState, type StateOptions, type StoreState } from './store-state.ts';

const postgresUrl = inject('postgresUrl');
const DATABASES = [
  { name: 'SQLite', skip: false, create: copyableSqlite, killsPerJob: 8, atLeast: 100 },
  {
    name: 'PostgreSQL',
    skip: postgresUrl === null,
    create: () => copyablePostgres(postgresUrl ?? ''),
    killsPerJob: 4,
    atLeast: 40,
  },
];
const LANES = 3;
// The time is longer than a lease, so the jobs of the killed process are free again.
const LATER = SCENE_TIME + 2 * MINUTE;

process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'varve-test-compile-cache');

for (const database of DATABASES) {
  describe.skipIf(database.skip)(`a job that is killed at a statement, on ${database.name}`, () => {
    let kills = 0;
    beforeAll(() => bundleChild('one-job'));

    it.each(KILL_SCENES.map((scene) => ({ ...scene, scene })))(
      '$proves $name: killed with −9 and resumed, it leaves what an undisturbed run leaves',
      { timeout: 120_000 },
      async ({ scene }) => {
        const prepared = await database.create();
        const known = await prepare(scene, prepared.options);
        const options = { known, now: SCENE_TIME };
        const before = await inStore(prepared.options, (store) => storeState(store, options));

        const undisturbed = await prepared.copy();
        const { run } = await runJob(scene, undisturbed.options, null);
        const expected = await finish(scene, undisturbed.options, options);
        expect(expected).not.toEqual(before);
        await undisturbed.drop();

        // A process that dies between two commits leaves the same state as the first commit.
        const betweenCommits = new Map<number, StoreState>([[0, before]]);
        await inLanes(killPoints(run, database.killsPerJob), async (point) => {
          const { commits, left, resumed } = await killAndResume(scene, prepared, point, options);
          kills += 1;
          const where = `${point.when} statement ${point.at}: ${point.statement}`;
          if (commits > 0) {
            if (!betweenCommits.has(commits)) betweenCommits.set(commits, left);
            expect(left, `left by a kill ${where}`).toEqual(betweenCommits.get(commits));
          }
          expect(resumed, `resumed after a kill ${where}`).toEqual(expected);
        });
        await prepared.drop();
      },
    );

    it(`[T6] [E6] was killed at least ${database.atLeast} times`, () => {
      expect(kills).toBeGreaterThanOrEqual(database.atLeast);
    });
  });
}

/** Fills a store for a scene, with only the job of the scene in the queue. Returns the ids that all copies share. */
async function prepare(scene: KillScene, store: StoreOptions): Promise<Set<string>> {
  const options = openOptions(scene, SCENE_TIME - 100 * DAY);
  const varve = await createVarve({ store, ...options });
  await scene.prepare({ ana: anaOf(varve), of: (session) => anaOf(varve, session), clock: options.clock });
  await varve.close();
  return inStore(store, async (opened) => {
    const deps = { clock: { now: () => SCENE_TIME }, ids: createIdSource({ now: () => SCENE_TIME - DAY }) };
    await opened.write(EVERY_TENANT, async (writer) => {
      await sql`delete from jobs where kind <> ${scene.name} or ${scene.job !== null}`.execute(writer);
      if (scene.job !== null) await enqueueJobs(writer, [scene.job], deps);
    });
    return idsIn(opened);
  });
}

/** Runs the job in a separate process, which dies at the point if one is given. */
async function runJob(
  { name, readsTurns = false }: KillScene,
  store: StoreOptions,
  kill: KillPoint | null,
): Promise<{ run: Statements; commits: number }> {
  const job: OneJob = { store, scene: name, kill };
  const start = readsTurns ? startChildFromSource : startChild;
  const child = start('one-job', JSON.stringify(job));
  const code = await child.ended;
  const said = JSON.parse(child.lines.at(-1) ?? 'null') as Statements & { commits?: number };
  expect({ code, signal: child.process.signalCode }).toEqual(
    kill === null ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
  );
  return { run: said, commits: said.commits ?? 0 };
}

async function killAndResume(
  scene: KillScene,
  prepared: CopyableStore,
  point: KillPoint,
  options: StateOptions,
): Promise<{ commits: number; left: StoreState; resumed: StoreState }> {
  const copy = await prepared.copy();
  const { commits } = await runJob(scene, copy.options, point);
  const left = await inStore(copy.options, async (store) => {
    await nothingHalfDone(store);
    return storeState(store, options);
  });
  const resumed = await finish(scene, copy.options, options);
  await copy.drop();
  return { commits, left, resumed };
}

/** Lets a later process finish the work, checks the result, and reads the state. */
async function finish(scene: KillScene, store: StoreOptions, options: StateOptions): Promise<StoreState> {
  const varve = await createVarve({ store, ...openOptions(scene, LATER) });
  await scene.run?.(varve);
  await varve.drain();
  // As on the schedule, a consolidation that has changed records is followed by one that finds nothing to do.
  if (scene.job?.kind === 'consolidate') await anaOf(varve).consolidation.run();
  expect(await scene.look(anaOf(varve), (session) => anaOf(varve, session))).toEqual(scene.sees);
  await varve.close();
  if (scene.erases !== undefined && 'path' in store) expect(bytesOf(store.path)).not.toContain(scene.erases);
  return inStore(store, async (opened) => {
    const { rows } = await opened.read(EVERY_TENANT, (reader) =>
      sql`select kind, state, last_error from jobs where state = 'dead' or (state in ('waiting', 'running') and run_at <= ${LATER})`.execute(
        reader,
      ),
    );
    expect(rows).toEqual([]);
    await nothingHalfDone(opened);
    return storeState(opened, options);
  });
}

/** The content of the files of a store, read as text. */
function bytesOf(path: string): string {
  const folder = dirname(path);
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'latin1'))
    .join('\n');
}

async function inStore<Result>(options: StoreOptions, work: (store: Database) => Promise<Result>): Promise<Result> {
  const store = await openStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
