import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KeyAccess } from '../../operate/api-keys.ts';
import { HOUR } from '../../record/clock.ts';
import type { Varve } from '../../varve.ts';
import { calledAs, type Command, type CommandInput, untilStopped, UsageError, version } from '../command.ts';
import { flag, listOption, numberOption, oneOf, portOf, textOption, valued, wholeOption } from '../command.ts';
import { openMemory, scopeOf, storePlace, withMemory } from '../open-memory.ts';
import { countTable } from '../output.ts';
import { CLIENTS } from '../setup/clients.ts';
import { trust } from '../trust.ts';

export const init: Command = {
  usage: 'init [--here]',
  help: 'Creates a folder for memory: ~/.varve for the person, or with --here ./.varve for this project. Every command that runs in the folder of the project then uses ./.varve.',
  options: { here: flag('create ./.varve in this folder') },
  examples: ['varve init', 'varve init --here', 'varve init --database postgres://localhost/varve'],
  async run(input) {
    const chosen =
      input.options['here'] === true ? { ...input, options: { ...input.options, data: resolve('.varve') } } : input;
    const place = storePlace(chosen);
    const isMade = !existsSync(place.folder);
    const isNew = place.isPostgres || !existsSync(place.store);
    await withMemory(chosen, { creates: true }, async () => {});
    // Safe to trust: this process has just made the folder.
    if (!place.isPostgres && isMade) trust(place.folder);
    const where = place.isPostgres ? 'PostgreSQL' : place.store;
    await input.output.answer({ store: where, created: isNew }, () =>
      [
        isNew ? `Memory is kept in ${where}.` : `Memory already exists in ${where}.`,
        '',
        'What to try next:',
        `  ${calledAs()} remember "I live in Oslo"`,
        `  ${calledAs()} recall "where do I live?"`,
        `  ${calledAs()} setup claude-code       for your editor or chat client`,
        `  ${calledAs()} serve                   for programs`,
      ].join('\n'),
    );
  },
};

export const migrate: Command = {
  usage: 'migrate [--distribute]',
  help: 'Migrates the store to the current schema and ends. With --distribute it distributes the tables of a PostgreSQL store by tenant over the workers of a Citus cluster; --database names the coordinator. Stop every other process that uses the store first. A distributed store stays distributed.',
  options: { distribute: flag('distribute the tables by tenant over the workers of a Citus cluster') },
  examples: ['varve migrate', 'varve migrate --distribute --database postgres://coordinator/varve'],
  async run(input) {
    const distribute = input.options['distribute'] === true;
    if (distribute && !storePlace(input).isPostgres) {
      throw new UsageError('Only a PostgreSQL store can be distributed: name the coordinator with --database.');
    }
    const [schema, problems] = await withMemory(input, { distribute, creates: true }, async ({ operator }) => {
      const found = await operator.examineStore();
      return [(await operator.status()).schemaVersion, found] as const;
    });
    await input.output.answer({ schema, distributed: distribute, problems }, () =>
      [
        `The store is at schema ${schema}${distribute ? ', its tables distributed by tenant' : ''}.`,
        ...problems.map(({ problem, remedy }) => `${problem} → ${remedy}`),
      ].join('\n'),
    );
  },
};

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const LINK_WORKS_FOR = HOUR;

export const serve: Command = {
  usage: 'serve [--port 8787] [--host 127.0.0.1] [--no-worker]',
  help: 'Starts the server: the inspector at /, HTTP under /v1, the docs at /docs, MCP at /mcp?user=<name>, and background work in the same process. The first start creates the folder and a key, and shows the key once.',
  options: {
    port: valued('number', 'default: $PORT or 8787; 0 for any', { short: 'p' }),
    host: valued('address', 'default: $HOST or 127.0.0.1, which only this machine reaches'),
    'no-worker': flag('leave background work to `varve worker`'),
    log: valued('level', 'debug, info, warn, error or silent (default: $VARVE_LOG or info)'),
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
      import('../../mcp/transports.ts'),
      import('../../http/inspector/inspector-door.ts'),
      import('../demo-life.ts'),
    ]);
    // Before anything else, because a supervisor may stop the process while it is starting.
    const stopped = untilStopped();
    const place = storePlace(input);
    const host = textOption(input, 'host') ?? process.env['HOST'] ?? '127.0.0.1';
    const port = portOf(input);
    const level = textOption(input, 'log') ?? process.env['VARVE_LOG'] ?? 'info';
    const log = createLog(oneOf('log level', LOG_LEVELS, level));
    const isLocal = LOOPBACK.has(host);
    const varve = await openMemory(input, { embeds: 'all', background: input.options['no-worker'] !== true });
    try {
      const settings = settingsFrom(process.env, { local: isLocal });
      const mcp = createMcpOverHttp(varve, version());
      const { tenant } = scopeOf(input);
      // The link signs in as an administrator, so only the loopback address offers it, where nobody on the network can read it.
      const link = isLocal ? createSignInLink({ now: Date.now, lifetime: LINK_WORKS_FOR, tenant }) : undefined;
      const inspector = { link, demo: demoLife(varve) ?? undefined };
      const running = await listen({ varve, host, port, settings, version: version(), log, inspector, mcp });
      const secret = await firstKey(varve, tenant);
      const { url } = running;
      const page = link === undefined ? `${url}/` : `${url}/#/sign-in/${link.code}`;
      const [store, storeName] = place.isPostgres ? ['postgres', 'PostgreSQL'] : [place.store, place.store];
      await input.output.answer({ url, inspector: page, store, key: secret }, () =>
        welcome({ url, page, store: storeName, secret, isLocal, setup: setupCommand(input) }),
      );
      log('info', 'listening', { port: running.port, store: place.isPostgres ? 'postgres' : 'sqlite' });
      const clear = (): Promise<void> => varve.operator.answers.clear().catch(() => log('warn', 'clearing failed'));
      const clearing = setInterval(() => void clear(), HOUR);
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

/** No request is accepted without a key, so the first start creates one. Returns its secret, which is shown only once. */
async function firstKey({ operator: { keys: all } }: Varve, tenant: string): Promise<string | null> {
  if (await all.any()) return null;
  return (await all.create(tenant, { name: 'first start', access: 'admin' }, 'cli')).secret;
}

interface Welcome {
  url: string;
  page: string;
  store: string;
  secret: string | null;
  isLocal: boolean;
  setup: string;
}

function setupCommand(input: CommandInput): string {
  const given = ['data', 'database', 'config', 'tenant'].flatMap((name) => {
    const value = textOption(input, name);
    return value === undefined ? [] : [` --${name} ${/^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value)}`];
  });
  return `${calledAs()} setup <${Object.keys(CLIENTS).join('|')}>${given.join('')}`;
}

function welcome({ url, page, store, secret, isLocal, setup }: Welcome): string {
  const lines = [
    `Inspector: ${page}`,
    ...(isLocal ? ['  (this link signs you in once, within one hour)'] : []),
    `Varve listens on ${url}`,
    `Memory is kept in ${store}`,
  ];
  if (!isLocal) lines.push('Other machines can reach this server: put a TLS proxy in front of it.');
  if (secret === null) return [...lines, `Docs: ${url}/docs`].join('\n');
  const auth = `-H "Authorization: Bearer $VARVE_KEY"`;
  return [
    ...lines,
    '',
    'An API key, which is shown only once:',
    `  ${secret}`,
    '',
    'What to try next:',
    '  the inspector (the link above), which offers a demo life as long as nothing is remembered',
    `  export VARVE_KEY=${secret}`,
    `  curl ${auth} -H "Content-Type: application/json" '${url}/v1/events?user=ana&session=s1' \\`,
    `    -d '{"content":"I moved to Oslo last month."}'`,
    `  curl ${auth} -X POST '${url}/v1/form?user=ana&session=s1'   # waits until the turn has been read`,
    `  curl ${auth} -H "Content-Type: application/json" '${url}/v1/recall?user=ana' -d '{"query":"where does she live?"}'`,
    `  the docs at ${url}/docs`,
    `  ${setup}`,
  ].join('\n');
}

export const worker: Command = {
  usage: 'worker [--once] [--concurrency 4]',
  help: 'Does background work (forming memories, embedding, consolidation, maintenance) until it is stopped. Any number of workers may share a store. With --once it runs the jobs that are due and ends.',
  options: {
    once: flag('run the jobs that are due, and end'),
    concurrency: valued('number', 'jobs at the same time (default 4)'),
  },
  examples: ['varve worker', 'varve worker --once', 'DATABASE_URL=postgres://… varve worker --concurrency 8'],
  async run(input) {
    const concurrency = wholeOption(input, 'concurrency', 1, 1000);
    if (input.options['once'] === true) {
      const counts = await withMemory(input, { embeds: 'all', creates: true }, (varve) => varve.drain());
      await input.output.answer(counts, () => countTable(counts));
      return;
    }
    const stopped = untilStopped();
    const varve = await openMemory(input, { embeds: 'all', background: { concurrency } });
    input.output.note('Working. Stop with Ctrl-C.');
    // Neither a listener for signals nor a waiting worker keeps the process alive.
    const staying = setInterval(() => {}, HOUR);
    await stopped;
    clearInterval(staying);
    await varve.close();
  },
};

function namesOf(part: string, names: readonly string[] | null): string[] {
  return (names ?? []).map((name) => `${part} ${name}`);
}

export const keys: Command = {
  usage: 'keys [list | create <name> | rotate <id> | revoke <id> | acts]',
  help: 'Creates, lists, rotates and revokes API keys of the server. A secret is shown once and only its hash is kept. `acts` is the audit trail.',
  options: {
    access: valued('level', 'read, write (default) or admin'),
    'for-user': valued('name', 'reaches only this user; can be given more than once', { multiple: true }),
    'for-agent': valued('name', 'reaches only this agent', { multiple: true }),
    rate: valued('number', 'the most requests a second'),
    expires: valued('time', 'such as 2027-01-01'),
  },
  examples: [
    'varve keys create "my app"',
    'varve keys create ana --for-user ana --access write --rate 50',
    'varve keys revoke key_01k…',
  ],
  async run(input) {
    const [action = 'list', word] = input.words;
    const { tenant } = scopeOf(input);
    return withMemory(input, { creates: action === 'create' }, async (varve) => {
      const { keys: all, acts } = varve.operator;
      const shown = (made: Awaited<ReturnType<typeof all.create>>): Promise<void> =>
        input.output.answer(
          made,
          () => `${made.key.id}  ${made.key.access}\n${made.secret}\n(this secret is shown only once)`,
        );
      if (action === 'list') {
        const items = await all.list(tenant);
        const day = (time: Date): string => time.toISOString().slice(0, 10);
        const rows = items.map(({ id, access, users, agents, revokedAt, expiresAt, createdAt, name }) => {
          const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now();
          const state = revokedAt === null ? (isOver ? 'expired' : 'live') : 'revoked';
          const reach = [...namesOf('user', users), ...namesOf('agent', agents)].join(', ') || 'all users and agents';
          const until = expiresAt === null ? 'no expiry' : `until ${day(expiresAt)}`;
          return [id, access, state, reach, day(createdAt), until, name];
        });
        return input.output.rows({ items }, rows, 'There are no keys. Create one with: varve keys create <name>.');
      }
      if (action === 'acts') {
        const { items } = await acts.list(tenant);
        const rows = items.map(({ at, actor, act, subject }) => {
          return [at.toISOString().slice(0, 19), act, actor, subject ?? ''];
        });
        return input.output.rows({ items }, rows);
      }
      if (word === undefined)
        throw new UsageError('The command is not complete: give create <name>, rotate <id> or revoke <id>.');
      if (action === 'rotate') return shown(await all.rotate(tenant, word, 'cli'));
      if (action === 'revoke') {
        const key = await all.revoke(tenant, word, 'cli');
        return input.output.answer(key, () => `${key.id} is revoked.`);
      }
      if (action !== 'create')
        throw new UsageError(`There is no command varve keys ${action}: give create, list, rotate, revoke or acts.`);
      const key = {
        name: word,
        access: textOption(input, 'access') as KeyAccess | undefined,
        users: listOption(input, 'for-user'),
        agents: listOption(input, 'for-agent'),
        rate: numberOption(input, 'rate'),
        expiresAt: textOption(input, 'expires'),
      };
      return shown(await all.create(tenant, key, 'cli'));
    });
  },
};
