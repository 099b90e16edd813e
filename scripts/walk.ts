// npm run walk: counts the files of src/ that run when a memory is formed, in a recall and in a context; `--list` names them. A file counts
// if one of its functions runs, according to V8's coverage, and not if it is only loaded.
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createVarve, manualClock } from '../src/index.ts';

const src = pathToFileURL(join(import.meta.dirname, '../src/')).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** The files whose functions ran during a piece of work. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  // The context log and the access counts of the previous call are written after about 50 ms and belong to that call.
  await sleep(500);
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(
      ({ url, functions }) =>
        url.startsWith(src) &&
        functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => url.slice(src.length))
    .sort();
}

const varve = await createVarve({
  store: ':memory:',
  background: false,
  clock: manualClock(Date.parse('2026-05-04T09:00:00Z')),
});
/** Logs an exchange, and returns the function that forms memories from it. */
const say = async (user: string, userMessage: string): Promise<() => Promise<unknown>> => {
  const handle = varve.for({ agent: 'walk', user, session: 's' });
  await handle.logInteraction({ userMessage, agentResponse: 'I see.' });
  return () => handle.form();
};
// Modules that are imported on demand are loaded first.
await (
  await say('warm', 'I live in Bergen and I work at Halden Foods.')
)();
const form = await filesOf(await say('walker', 'I moved to Linz last week.'));
const handle = varve.for({ agent: 'walk', user: 'warm', session: 's' });
await handle.context({ message: 'Where could we meet?' });
const walks = {
  form,
  recall: await filesOf(() => handle.recall('Where does she live?', { track: false })),
  context: await filesOf(() => handle.context({ message: 'Where does she live?' })),
};
for (const [name, files] of Object.entries(walks)) {
  console.log(`${name}: ${files.length} files`);
  if (process.argv.includes('--list')) for (const file of files) console.log(`  ${file}`);
}
await varve.close();
