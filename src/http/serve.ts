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
  /** The port to listen on; 0 for any free port. */
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
  /**
   * Stops the server: accepts no new requests, ends streams and finishes the other requests. Requests that are still running after `grace`
   * milliseconds (default 10,000) are cut off. If a client does not read its stream to the end, the stream is closed after a second.
   */
  stop(grace?: number): Promise<void>;
}

// Only headers have this timeout. A body may arrive slowly, for example in an import.
const HEADERS_TIMEOUT = 15_000;
// By default, Node checks timeouts only every 30 s, so that headers could take 45 s.
const CHECK_TIMEOUTS_EVERY = 5_000;
const REQUEST_TIMEOUT = 30 * 60_000;
// Load balancers keep a connection for a minute. With a shorter timeout than theirs, they would send into a closed connection.
const KEEP_ALIVE_TIMEOUT = 75_000;
const DEFAULT_GRACE = 10_000;
const LAST_CALL = 100;
// How long an ended stream may stay open. Clients reconnect with their cursor, so only a client that does not read needs longer.
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
      // Waits a moment, so that connections in the backlog are accepted. They would be reset when the listener closes.
      await new Promise((resolve) => setTimeout(resolve, LAST_CALL));
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      // Also closes connections without a request, which Node does not count as idle. Browsers open such connections in advance.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      const cut = setTimeout(() => server.closeAllConnections(), grace);
      const cutStreams = setTimeout(() => streams.forEach((socket) => socket.destroy()), Math.min(STREAM_GRACE, grace));
      // Closes busy connections when they finish, because they become idle only after their response.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearTimeout(cut);
      clearTimeout(cutStreams);
      clearInterval(sweep);
      app.metrics.close();
    },
  };
}

/** Explains why the server cannot listen on an address, and what to do. */
const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) => `the port ${port} is taken. Use another: --port ${port === 65_535 ? 8787 : port + 1}`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}. To listen on all its addresses, use --host 0.0.0.0`,
  ENOTFOUND: (host) => `there is no host ${host}. To listen on all addresses of this machine, use --host 0.0.0.0`,
  EACCES: (_host, port) => `you may not use the port ${port}. Use one above 1023: --port 8787`,
};

interface Listening {
  host: string;
  port: number;
  /** The connections with an open stream of changes. */
  streams: Set<Socket>;
}

function listening(app: App, { host: hostname, port, streams }: Listening): Promise<Server> {
  const fetch = async (request: Request, { incoming, outgoing }: HttpBindings | Http2Bindings): Promise<Response> => {
    const { socket, method } = incoming;
    const response = await app.fetch(request, socket.remoteAddress ?? '');
    // Only GET returns a stream of changes. The answer to a POST may also be sent as events.
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
