import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

// `npm run check`: checks types, lint and format. The type check of the inspector, followed by lint and format, runs in parallel with the
// type check of the rest, each with half of the cores. More checkers in one type check would repeat work and wait for each other.
const checkers = String(Math.max(1, Math.floor(availableParallelism() / 2)));

async function passes(command: string, ...parameters: string[]): Promise<boolean> {
  const [code] = (await once(spawn(command, parameters, { stdio: 'inherit' }), 'exit')) as [number | null];
  return code === 0;
}

const results = await Promise.all([
  passes('tsc', '--checkers', checkers),
  passes('tsc', '-p', 'web', '--checkers', checkers).then(
    async (isRight) => isRight && (await passes('oxlint')) && passes('oxfmt', '--check'),
  ),
]);
process.exitCode = results.every((isRight) => isRight) ? 0 : 1;
