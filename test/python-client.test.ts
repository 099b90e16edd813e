import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverPlace, type ServerPlace, type ServerProcess, startServer } from './server-process.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Why the Python client cannot be tested here; null if it can. */
function missingPython(): string | null {
  const asked = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], { encoding: 'utf8' });
  if (asked.error !== undefined) return 'there is no python3';
  return asked.stdout.trim() === 'True' ? null : 'python3 is older than 3.9';
}

it('the Python client matches the OpenAPI description', () => {
  execFileSync(process.execPath, ['scripts/python-client.ts', '--check'], { cwd: ROOT, stdio: 'pipe' });
});

const missing = missingPython();
if (missing !== null) console.log(`Python client: not tried, ${missing}.`);

describe.skipIf(missing !== null)('the Python client', () => {
  let place: ServerPlace;
  let server: ServerProcess;
  beforeAll(async () => {
    place = await serverPlace();
    server = await startServer(place);
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });

  it('passes its own tests against a running server', () => {
    const ran = spawnSync('python3', ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-v'], {
      cwd: `${ROOT}/clients/python`,
      env: {
        ...process.env,
        PYTHONPATH: 'src',
        PYTHONDONTWRITEBYTECODE: '1',
        VARVE_URL: server.url,
        VARVE_KEY: server.key ?? '',
      },
      encoding: 'utf8',
      timeout: 60_000,
    });
    const skipped = [...ran.stderr.matchAll(/skipped ['"](.+)['"]$/gm)].map(([, reason = '']) => reason);
    for (const reason of new Set(skipped)) console.log(`Python client: a part is not tried, ${reason}.`);
    expect(ran.stderr).toMatch(/Ran 1[6-9] tests[\s\S]*\nOK/);
    // Only the adapters may be skipped, and only if their framework is not installed.
    expect(skipped.filter((reason) => reason !== 'langchain-core is not installed')).toEqual([]);
  }, 90_000);
});
