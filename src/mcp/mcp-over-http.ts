import { createMcpHandler } from '@modelcontextprotocol/server';
import { limitHandle, scopeFor } from '../http/access.ts';
import type { ApiKey } from '../operate/api-key.ts';
import type { Varve } from '../varve.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { DEFAULT_USER } from './default-user.ts';

/** Answers MCP over streamable HTTP for a key: `/mcp?user=ana`. Each request stands alone, so any number of clients may connect. */
export function createMcpOverHttp(varve: Varve, version: string): (request: Request, key: ApiKey) => Promise<Response> {
  return async (request, key) => {
    const search = new URL(request.url).searchParams;
    const part = (name: string): string | undefined => search.get(name) ?? undefined;
    const user = part('user') ?? (key.users === null ? DEFAULT_USER : undefined);
    const scope = scopeFor(key, {
      agent: part('agent'),
      user,
      session: part('session'),
      connection: part('connection'),
    });
    const handle = limitHandle(varve.for(scope), key);
    const handler = createMcpHandler(() => createMcpServer({ handle, version, readOnly: key.access === 'read' }));
    return handler.fetch(request, { authInfo: { token: '', clientId: key.id, scopes: [key.access] } });
  };
}
