import { type Http2Bindings, type HttpBindings, serve as listen } from '@hono/node-server';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { messageOf, VarveError } from '../errors.ts';
import type { ApiKey } from '../operate/api-keys.ts';
import type { Varve } from '../varve.ts';
import { type App, createApp } from './create-app.ts';
import type { InspectorOptions } from './inspector/inspector-door.ts';
import type { Log } from './log.ts';
import type { DoorSettings } from './settings.ts';

interface ServeOptions {
  varve: Varve;
  host: string;
  port: number;
  settings: DoorSettings;
  version: string;
  log: Log;
  inspector?: InspectorOptions;
  mcp?(request: Request, key: ApiKey): Promise<Response>;
}

export interface Running {
  url: string;
  port: number;
  /** Waits for running requests, at most `grace` milliseconds (default 10,000). Streams whose client does not read end after a second, or after `grace` if that is shorter. */
  stop(grace?: number): Promise<void>;
}

// Only for the headers. A body may arrive slowly, for example in an import.
const HEADERS_TIMEOUT = 15_000;
// With Node's default of 30 s, slow headers could take 45 s.
const CHECK_TIMEOUTS_EVERY = 5_000;
const REQUEST_TIMEOUT = 30 * 60_000;
// Longer than the 60 s of load balancers, which would otherwise send into a closed connection.
const KEEP_ALIVE_TIMEOUT = 75_000;
const DEFAULT_GRACE = 10_000;
const LAST_CALL = 100;
// How long an ended stream may stay open for a client that does not read.
const STREAM_GRACE = 1000;

export async function serve(options: ServeOptions): Promise<Running> {
  const { varve, host, port, settings, version, log, inspector, mcp } = options;
  const stopping = new AbortController();
  const app = createApp({ varve, settings, version, log, stopping: stopping.signal, inspector, mcp });
  const streams = new Set<Socket>();
  const server = await listening(app, { host, port, streams });
  server.headersTimeout = HEADERS_TIMEOUT;
  server.requestTimeout = REQUEST_TIMEOUT;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${bound}`,
    port: bound,
    async stop(grace = DEFAULT_GRACE) {
      stopping.abort();
      // Closing the listener resets the connections in its backlog, so they are accepted first.
      await new Promise((resolve) => setTimeout(resolve, LAST_CALL));
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      // Browsers open connections in advance. Node does not count a connection without a request as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), grace);
      const cutStreams = setTimeout(() => streams.forEach((socket) => socket.destroy()), Math.min(STREAM_GRACE, grace));
      // A busy connection becomes idle only after its response.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearTimeout(cut);
      clearTimeout(cutStreams);
      clearInterval(sweep);
      app.metrics.close();
    },
  };
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) => `the port ${port} is taken. Use another: --port ${port === 65_535 ? 8787 : port + 1}`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}. To listen on all its addresses, use --host 0.0.0.0`,
  ENOTFOUND: (host) => `there is no host ${host}. To listen on all addresses of this machine, use --host 0.0.0.0`,
  EACCES: (_host, port) => `you may not use the port ${port}. Use one above 1023: --port 8787`,
};

interface Listening {
  host: string;
  port: number;
  streams: Set<Socket>;
}

function listening(app: App, { host: hostname, port, streams }: Listening): Promise<Server> {
  const fetch = async (request: Request, { incoming, outgoing }: HttpBindings | Http2Bindings): Promise<Response> => {
    const { socket, method } = incoming;
    const response = await app.fetch(request, socket.remoteAddress ?? '');
    // Only GET returns a stream of changes. A POST to `/mcp` may also be answered with events.
    const isStream = method === 'GET' && response.headers.get('content-type') === 'text/event-stream';
    if (isStream && !outgoing.closed) {
      streams.add(socket);
      outgoing.once('close', () => streams.delete(socket));
    }
    return response;
  };
  return new Promise((resolve, reject) => {
    const serverOptions = { connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY };
    const server = listen({ fetch, hostname, port, overrideGlobalObjects: true, serverOptions }, () =>
      resolve(server),
    ) as Server;
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = REASONS[error.code ?? '']?.(hostname, port) ?? messageOf(error);
      reject(new VarveError(`Cannot listen on ${hostname}:${port}: ${reason}.`, { code: 'unsupported', cause: error }));
    });
  });
}
