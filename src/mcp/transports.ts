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

/** MCP over streamable HTTP: `/mcp?user=ana`. Stateless, so any process can answer any request. */
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

// Without a user or a session, all clients of a key would share one memory.
function namesNobody(): VarveError {
  return invalidInput(
    'The request names no user: use /mcp?user=<name>, or /mcp?session=<name> for a conversation without a user, or use a key that is limited to one user.',
    { field: 'user' },
  );
}

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

/** Rejects messages that are nested too deeply, because their validation would overflow the stack. */
function refuseDeep<Guarded extends Transport>(transport: Guarded): Guarded {
  let receive: Transport['onmessage'];
  const guard: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (!isNestedTooDeeply(message)) return receive?.(message, extra);
    if (!('id' in message) || message.id === undefined) return;
    const error = { code: ProtocolErrorCode.InvalidParams, message: tooDeep('The message').message };
    // Sending fails only if the transport has closed, and then nobody is waiting.
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {});
  };
  // The server sets `onmessage` and the transport calls it, so an accessor can put `guard` between them.
  Object.defineProperty(transport, 'onmessage', {
    get: () => guard,
    set: (handler: Transport['onmessage']) => {
      receive = handler;
    },
  });
  return transport;
}
