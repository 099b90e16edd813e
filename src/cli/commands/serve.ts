import { HOUR } from '../../record/clock.ts';
import {
  calledAs,
  type Command,
  type CommandInput,
  portOf,
  textOption,
  untilStopped,
  UsageError,
  version,
} from '../command.ts';
import { openMemory, placeOf, scopeOf } from '../open-memory.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const LINK_WORKS_FOR = HOUR;

/** Starts the server. */
export const serve: Command = {
  usage: 'serve [--port 8787] [--host 127.0.0.1] [--no-worker]',
  help: 'Starts the server: the inspector at /, HTTP under /v1, its reference at /docs, MCP at /mcp?user=<name>, background work inside. The first start makes the folder and a key, and shows the key once.',
  options: {
    port: { type: 'string', short: 'p', value: 'number', help: 'default: $PORT or 8787; 0 for any' },
    host: { type: 'string', value: 'address', help: 'default: $HOST or 127.0.0.1, which only this machine reaches' },
    'no-worker': { type: 'boolean', help: 'leave background work to `varve worker`' },
    log: { type: 'string', value: 'level', help: 'debug, info, warn, error or silent (default: $VARVE_LOG or info)' },
  },
  examples: [
    'varve serve',
    'varve serve --port 9000',
    'DATABASE_URL=postgres://… varve serve --host 0.0.0.0 --no-worker',
  ],
  async run(input) {
    const [
      { serve: listen },
      { settingsFrom },
      { createLog, LOG_LEVELS },
      { createMcpOverHttp },
      { createSignInLink },
      { demoLife },
    ] = await Promise.all([
      import('../../http/serve.ts'),
      import('../../http/settings.ts'),
      import('../../http/log.ts'),
      import('../../mcp/mcp-over-http.ts'),
      import('../../http/inspector/inspector-door.ts'),
      import('../demo-life.ts'),
    ]);
    // Asked for first: a supervisor may want it to stop while it still starts.
    const stopped = untilStopped();
    const place = placeOf(input);
    const host = textOption(input, 'host') ?? process.env['HOST'] ?? '127.0.0.1';
    const port = portOf(input);
    const wanted = textOption(input, 'log') ?? process.env['VARVE_LOG'] ?? 'info';
    const level = LOG_LEVELS.find((known) => known === wanted);
    if (level === undefined) throw new UsageError(`There is no log level ${wanted}: ${LOG_LEVELS.join(', ')}.`);
    const log = createLog(level);
    const isLocal = LOOPBACK.has(host);
    const varve = await openMemory(input, { embeds: 'all', background: input.options['no-worker'] !== true });
    try {
      const settings = settingsFrom(process.env, { local: isLocal });
      const mcp = createMcpOverHttp(varve, version());
      const { tenant = 'default' } = scopeOf(input);
      // Whoever reads this terminal runs the server; on other addresses the link could be read on its way.
      const link = isLocal ? createSignInLink({ now: Date.now, lifetime: LINK_WORKS_FOR, tenant }) : undefined;
      const inspector = { link, demo: demoLife(varve) ?? undefined };
      const running = await listen({ varve, host, port, settings, version: version(), log, inspector, mcp });
      const secret = await firstKey(input, varve);
      const page = link === undefined ? `${running.url}/` : `${running.url}/#/sign-in/${link.code}`;
      await input.output.answer(
        { url: running.url, inspector: page, store: place.isPostgres ? 'postgres' : place.store, key: secret },
        () =>
          welcome({ url: running.url, page, store: place.isPostgres ? 'PostgreSQL' : place.store, secret, isLocal }),
      );
      log('info', 'listening', { port: running.port, store: place.isPostgres ? 'postgres' : 'sqlite' });
      const clearing = setInterval(
        () => void varve.operator.answers.clear().catch(() => log('warn', 'clearing failed')),
        3_600_000,
      );
      const signal = await stopped;
      log('info', 'stopping', { signal });
      clearInterval(clearing);
      await running.stop();
      log('info', 'stopped');
    } finally {
      await varve.close();
    }
  },
};

/** The first start makes a key, so that there is a way in. Its secret is shown now and never again. */
async function firstKey(input: CommandInput, varve: Awaited<ReturnType<typeof openMemory>>): Promise<string | null> {
  if (await varve.operator.keys.any()) return null;
  const { tenant = 'default' } = scopeOf(input);
  const { secret } = await varve.operator.keys.create(tenant, { name: 'first start', access: 'admin' }, 'cli');
  return secret;
}

function welcome({
  url,
  page,
  store,
  secret,
  isLocal,
}: {
  url: string;
  page: string;
  store: string;
  secret: string | null;
  isLocal: boolean;
}): string {
  const lines = [
    `Inspector: ${page}`,
    ...(isLocal ? ['  (this link signs you in, once, within the hour)'] : []),
    `Varve listens on ${url}`,
    `Memory is kept in ${store}`,
  ];
  if (!isLocal) lines.push('Other machines can reach it: put TLS in front.');
  if (secret === null) return [...lines, `Reference: ${url}/docs (any name, a key as password)`].join('\n');
  const auth = `-H "Authorization: Bearer $VARVE_KEY"`;
  return [
    ...lines,
    '',
    'An API key, shown this once:',
    `  ${secret}`,
    '',
    'What to try next:',
    '  the inspector (the link above), which offers a demo life as long as nothing is remembered',
    `  export VARVE_KEY=${secret}`,
    `  curl ${auth} -H "Content-Type: application/json" '${url}/v1/events?user=ana&session=s1' \\`,
    `    -d '{"content":"I moved to Oslo last month."}'`,
    `  curl ${auth} -H "Content-Type: application/json" '${url}/v1/recall?user=ana' -d '{"query":"where does she live?"}'`,
    `  ${url}/docs in a browser: any name, the key as password`,
    `  ${calledAs()} setup claude-code   (or claude-desktop, cursor, vs-code, zed, codex)`,
  ].join('\n');
}
