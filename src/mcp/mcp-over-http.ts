import { createMcpHandler } from '@modelcontextprotocol/server';
import { invalidInput, type VarveError } from '../errors.ts';
import { limitHandle, scopeFor } from '../http/access.ts';
import type { ApiKey } from '../operate/api-key.ts';
import type { Varve } from '../varve.ts';
import { toolsNamed } from '../tools/agent-tools.ts';
import { createMcpServer, sessionOfDay } from './create-mcp-server.ts';

/** Answers MCP over streamable HTTP for a key: `/mcp?user=ana`. Each request stands alone, so any number of clients may connect. */
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

/** Without a name all clients of a key would write into one memory. */
function namesNobody(): VarveError {
  return invalidInput(
    'Say whose memory it is: /mcp?user=<name>, or /mcp?session=<name> for a conversation without a user, or use a key for one user.',
    { field: 'user' },
  );
}
