import { ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isNestedTooDeeply, tooDeep } from '../operate/parse-json.ts';
import type { HandleScope } from '../record/scope.ts';
import type { Varve } from '../varve.ts';
import { createMcpServer, sessionOfDay, type McpOptions } from './create-mcp-server.ts';

/** Serves MCP on the standard input and output of this process. Resolves when the client is gone. */
export async function mcpOverStdio(
  varve: Varve,
  { scope, ...options }: { scope: HandleScope } & Omit<McpOptions, 'handle'>,
): Promise<void> {
  const handle = varve.for({ ...scope, session: scope.session ?? sessionOfDay() });
  const transport = refuseDeep(new StdioServerTransport());
  const connection = serveStdio(() => createMcpServer({ handle, ...options }), { transport });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await connection.close();
}

/** Has a transport answer messages nested too deeply itself: what checks them would run out of stack. */
export function refuseDeep<Guarded extends Transport>(transport: Guarded): Guarded {
  let receive: Transport['onmessage'];
  const guard: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (!isNestedTooDeeply(message)) return receive?.(message, extra);
    if (!('id' in message) || message.id === undefined) return;
    const error = { code: ProtocolErrorCode.InvalidParams, message: tooDeep('The message').message };
    // Fails when the transport has closed: nobody is left to be told.
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {});
  };
  // Whoever serves the transport sets the property; the transport calls what it finds there.
  Object.defineProperty(transport, 'onmessage', {
    get: () => guard,
    set: (handler: Transport['onmessage']) => {
      receive = handler;
    },
  });
  return transport;
}
