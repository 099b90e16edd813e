import { createMcpHandler, ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { invalidInput, type VarveError } from '../errors.ts';
import { limitHandle, scopeFor } from '../http/access.ts';
import type { ApiKey } from '../operate/api-keys.ts';
import { isNestedTooDeeply, tooDeep } from '../record/json.ts';
import type { HandleScope } from '../record/scope.ts';
import { toolsNamed } from '../tools/agent-tools.ts';
import type { Varve } from '../varve.ts';
import { createMcpServer, type McpOptions, sessionOfDay } from './create-mcp-server.ts';

/** Handles MCP over streamable HTTP for a key: `/mcp?user=ana`. Requests are stateless, so any number of clients may connect. */
export function createMcpOverHttp(varve: Varve, version: string): (request: Request, key: ApiKey) => Promise<Response> {
  return async (request, key) => {
    const search = new URL(request.url).searchParams;
    const part = (name: string): string | undefined => search.get(name) ?? undefined;
    const scope = scopeFor(key, {
      agent: part('agent'),
      user: part('user'),
      session: part('session'),
      connection: part('connection'),
    });
    if (scope.user === null && scope.session == null) throw namesNobody();
    const handle = limitHandle(varve.for({ ...scope, session: scope.session ?? sessionOfDay() }), key);
    const tools = toolsNamed(part('tools'));
    const readOnly = key.access === 'read';
    const handler = createMcpHandler(() => createMcpServer({ handle, version, readOnly, tools }));
    return handler.fetch(request, { authInfo: { token: '', clientId: key.id, scopes: [key.access] } });
  };
}

/**
 * Makes the error for a request that names neither a user nor a session. If such requests were allowed, all clients of a key would share
 * one memory.
 */
function namesNobody(): VarveError {
  return invalidInput(
    'The request names no user: use /mcp?user=<name>, or /mcp?session=<name> for a conversation without a user, or use a key that is limited to one user.',
    { field: 'user' },
  );
}

/** Serves MCP on this process's standard input and output until the client disconnects. */
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

/** Makes the transport reject messages that are nested too deeply. Otherwise their validation would overflow the stack. */
function refuseDeep<Guarded extends Transport>(transport: Guarded): Guarded {
  let receive: Transport['onmessage'];
  const guard: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (!isNestedTooDeeply(message)) return receive?.(message, extra);
    if (!('id' in message) || message.id === undefined) return;
    const error = { code: ProtocolErrorCode.InvalidParams, message: tooDeep('The message').message };
    // Ignores the error: sending fails only if the transport has closed, and then nobody is waiting.
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {});
  };
  // Intercepts this property, which the server sets and the transport calls.
  Object.defineProperty(transport, 'onmessage', {
    get: () => guard,
    set: (handler: Transport['onmessage']) => {
      receive = handler;
    },
  });
  return transport;
}
