import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { HandleScope } from '../record/scope.ts';
import type { Varve } from '../varve.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { refuseDeep } from './refuse-deep.ts';

/** Serves MCP on the standard input and output of this process. Resolves when the client is gone. */
export async function mcpOverStdio(
  varve: Varve,
  { scope, version, readOnly }: { scope: HandleScope; version: string; readOnly: boolean },
): Promise<void> {
  const handle = varve.for(scope);
  const transport = refuseDeep(new StdioServerTransport());
  const connection = serveStdio(() => createMcpServer({ handle, version, readOnly }), { transport });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await connection.close();
}
