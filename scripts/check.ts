import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

// `npm run check`: types, lint and format. The type check of the inspector and what follows it run beside the type check of all else, each
// with half of the cores: the checkers of one type check repeat much of each other's work, and wait for each other.
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
