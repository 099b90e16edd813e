import type { CommandInput } from './command.ts';
import { good, note, type Finding } from './finding.ts';
import { portOf } from './port-of.ts';

/** Who listens on the port of the server: Varve, another program or nobody. */
export async function examineServer(input: CommandInput): Promise<Finding> {
  const port = portOf(input);
  const url = `http://127.0.0.1:${port}`;
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) });
    const { status } = (await answer.json()) as { status?: unknown };
    if (status === 'ok') return good('server', `answers at ${url}`);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code === 'ECONNREFUSED') return good('server', `not running, port ${port} is free`);
  }
  return note('server', `port ${port} is taken by another program`, 'varve serve --port <another>');
}
