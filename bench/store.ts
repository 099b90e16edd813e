// npm run bench:store [-- --size 1000000]: measures the overhead of the store over raw SQLite with the same writes and reads.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { createVarve, type Varve } from '../src/varve.ts';
import { goal, measure, ms, report, timeCells, timeGoal, type Times } from './measure.ts';

const { values } = parseArgs({ options: { size: { type: 'string', default: '100000' } } });
const largest = Number(values.size);
const folder = mkdtempSync(join(tmpdir(), 'varve-bench-'));
const text = (index: number): string =>
  `I moved to a flat in street ${index % 977} and work on project ${index % 89} with my team now.`;

/** Opens SQLite itself, with hand-written statements that write the same rows into the same tables and indexes. */
async function openRaw(
  path: string,
): Promise<{ insert(index: number): void; window(): unknown[]; batch(size: number, start: number): void }> {
  await (await createVarve({ store: path, embedder: null, background: false })).close();
  const database = new DatabaseSync(path);
  database.exec(
    'pragma synchronous = full; pragma secure_delete = on; pragma temp_store = memory; pragma cache_size = -16000',
  );
  const owner = database.prepare(
    "insert into owners values ('bench', 'o', null, 'ana', 1, 0, 1) on conflict do update set version = version + 1",
  );
  const session = database.prepare(
    `insert into sessions values ('bench', 'o', null, 'ana', 's', 'open', 1, 1, 1, 0, 1, 9.5, '{}')
     on conflict do update set event_count = event_count + excluded.event_count, messages_since = messages_since + 1,
       weighted_tokens_since = weighted_tokens_since + 9.5, last_event_at = excluded.last_event_at`,
  );
  const insert = database.prepare(
    `insert into events (tenant_id, owner_key, id, user_id, session_id, position, sequence, kind, origin, content,
       metadata, occurred_at, recorded_at, attempts)
     values ('bench', 'o', ?, 'ana', 's', ?, ?, 'message', 'user', ?, '{}', ?, ?, 0)`,
  );
  const index = database.prepare('insert into event_text (rowid, words) values (?, ?)');
  const window = database.prepare(
    `select * from events where tenant_id = 'bench' and owner_key = 'o' and session_id = 's'
       and (position = 0 or position >= ?) order by position`,
  );
  let count = 0;
  const one = (content: string): void => {
    const { lastInsertRowid } = insert.run(`evt_${count}`, count, count, content, Date.now(), Date.now());
    index.run(lastInsertRowid, content);
    count += 1;
  };
  const inTransaction = (work: () => void): void => {
    database.exec('begin immediate');
    owner.run();
    session.run();
    work();
    database.exec('commit');
  };
  return {
    insert: (place) => inTransaction(() => one(text(place))),
    window: () => window.all(count - 19),
    batch: (size, start) =>
      inTransaction(() => {
        for (let place = start; place < start + size; place += 1) one(text(place));
      }),
  };
}

const rows: string[][] = [];
function row(name: string, ours: Times, raw: Times | null, wanted: string): void {
  rows.push([
    name,
    ...timeCells(ours),
    raw === null ? '' : ms(raw.p50),
    raw === null ? '' : `${(ours.p50 / raw.p50).toFixed(1)}×`,
    wanted,
  ]);
}

const path = join(folder, 'varve.db');
await (await createVarve({ store: path, embedder: null, background: false })).close();
const opening = await measure(30, async () =>
  (await createVarve({ store: path, embedder: null, background: false })).close(),
);
row('open an existing store', opening, null, timeGoal(opening, { p50: 50 }));
const within = ({ ours, raw: theirs }: { ours: Times; raw: Times }, most: number): string =>
  goal(`≤ ${most} ms, ≤ 3×`, ours.p50 <= most && ours.p50 <= theirs.p50 * 3);

const varve: Varve = await createVarve({ store: path, embedder: null, background: false });
const handle = varve.for({ tenant: 'bench', user: 'ana', session: 's' });
const raw = await openRaw(join(folder, 'raw.db'));

// The two alternate, so that the load of the machine affects both alike.
const appends = await sideBySide(
  600,
  (index) => handle.observe({ content: text(index) }),
  (index) => raw.insert(index),
);
row('append one event, durable', appends.ours, appends.raw, within(appends, 1));
const windows = await sideBySide(
  2000,
  () => handle.session.window(),
  () => raw.window(),
);
row('read a session (20 turns)', windows.ours, windows.raw, within(windows, 1));
const batchSize = 1000;
const batches = await sideBySide(
  15,
  (index) =>
    handle.observe(Array.from({ length: batchSize }, (_, place) => ({ content: text(index * batchSize + place) }))),
  (index) => raw.batch(batchSize, index * batchSize),
);
row(`append ${batchSize} events`, batches.ours, batches.raw, within(batches, 100));

const parallel = await measure(15, () =>
  Promise.all(Array.from({ length: 100 }, (_, place) => handle.observe({ content: text(place) }))),
);
row('100 appends at the same time', parallel, null, '');
report('Store, beside raw SQLite with the same rows', {
  header: ['', 'p50 (95 % interval)', 'p95', 'raw SQLite p50', 'ratio', 'goal'],
  rows,
  note: `Batches: ${Math.round(batchSize / (batches.ours.p50 / 1000)).toLocaleString('en')} events a second (goal 10,000). A single append takes mostly the time of the flush to the disk.`,
});

const growth: string[][] = [];
let stored = 0;
for (const size of [1000, 10_000, 100_000, 1_000_000].filter((step) => step <= largest)) {
  await fill(size);
  const owner = varve.for({ tenant: 'bench', user: `user-${Math.floor(size / 2000)}` });
  const { memory } = await owner.memories.create({ type: 'fact', content: `Knows the number ${size}.` });
  const create = await measure(150, (index) =>
    owner.memories.create({ type: 'fact', content: `${text(index)} ${size}` }),
  );
  const get = await measure(500, () => owner.memories.get(memory.id));
  const list = await measure(300, () => owner.memories.list({ order: 'important', limit: 20 }));
  const append = await measure(150, (index) => owner.observe({ content: text(index) }));
  growth.push([size.toLocaleString('en'), ms(create.p50), ms(get.p50), ms(list.p50), ms(append.p50)]);
}
report('Store, by its size', { header: ['memories', 'create', 'get', 'top 20', 'append event'], rows: growth });
await varve.close();
rmSync(folder, { recursive: true, force: true });

async function sideBySide(
  count: number,
  ours: (index: number) => unknown,
  theirs: (index: number) => unknown,
): Promise<{ ours: Times; raw: Times }> {
  const chunk = Math.ceil(count / 5);
  const times = { ours: [] as Times[], raw: [] as Times[] };
  for (let round = 0; round < 5; round += 1) {
    times.ours.push(await measure(chunk, (index) => ours(round * chunk * 2 + index)));
    times.raw.push(await measure(chunk, (index) => theirs(round * chunk * 2 + index)));
  }
  const middle = (all: Times[]): Times => all.toSorted((one, other) => one.p50 - other.p50)[2] as Times;
  return { ours: middle(times.ours), raw: middle(times.raw) };
}

async function fill(size: number): Promise<void> {
  const perUser = 1000;
  while (stored < size) {
    const owner = varve.for({ tenant: 'bench', user: `user-${Math.floor(stored / perUser)}` });
    const next = Math.min(perUser, size - stored);
    const start = stored;
    for (let place = 0; place < next; place += 100) {
      await Promise.all(
        Array.from({ length: Math.min(100, next - place) }, (_, index) =>
          owner.memories.create({ type: 'fact', content: `${text(start + place + index)} ${start + place + index}` }),
        ),
      );
    }
    stored += next;
  }
}
