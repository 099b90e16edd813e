import type { Command } from './command.ts';

export interface Listed {
  summary: string;
  /** Whether the command runs until it is stopped. Such a command starts more slowly and then works faster. */
  isLasting?: true;
  /** Loads the code at the call, so that a short command does not wait for the code of the others. */
  load(): Promise<Command>;
}

const server = () => import('./commands/server-commands.ts');
const client = () => import('./commands/client-commands.ts');
const conversation = () => import('./commands/conversation-commands.ts');
const memory = () => import('./commands/memory-commands.ts');
const work = () => import('./commands/work-commands.ts');
const data = () => import('./commands/data-commands.ts');
const report = () => import('./commands/report-commands.ts');

function listed<Name extends string>(
  summary: string,
  load: () => Promise<Readonly<Record<Name, Command>>>,
  name: Name,
  more: Pick<Listed, 'isLasting'> = {},
): Listed {
  return { summary, ...more, load: async () => (await load())[name] };
}

export const COMMANDS: Readonly<Record<string, Listed>> = {
  init: listed('create a folder for memory', server, 'init'),
  serve: listed('start the server (HTTP, MCP, background work)', server, 'serve', { isLasting: true }),
  worker: listed('do background work in a separate process', server, 'worker', { isLasting: true }),
  setup: listed('connect an editor or a chat client to this memory', client, 'setup'),
  hook: listed('handle the hooks of Claude Code', client, 'hook'),
  mcp: listed('serve MCP on standard input and output', client, 'mcp', { isLasting: true }),
  demo: listed('watch a short demonstration', () => import('./commands/demo.ts'), 'demo'),
  observe: listed('append an event', conversation, 'observe'),
  remember: listed('store a memory or a fact', memory, 'remember'),
  recall: listed('find the records that help to answer', conversation, 'recall'),
  context: listed('assemble the prompt of a turn', conversation, 'context'),
  list: listed('list memories, facts, events, notes', memory, 'list'),
  show: listed('show a memory, an event or a block', memory, 'show'),
  history: listed('show all changes of a memory or a block', memory, 'history'),
  refusals: listed('list refused statements with the reasons', work, 'refusals'),
  forget: listed('forget a memory or a fact (it can be restored)', memory, 'forget'),
  forgotten: listed('list and restore forgotten memories', memory, 'forgotten'),
  erase: listed('remove all records of a scope for good', data, 'erase'),
  reflect: listed('run the nightly reflection now', work, 'reflect'),
  consolidate: listed('do the waiting background work now', work, 'consolidate'),
  jobs: listed('list background work, retry dead jobs', work, 'jobs'),
  stats: listed('count the records of a scope', report, 'stats'),
  metrics: listed('show how well memory works in use', report, 'metrics'),
  costs: listed('show the use and the cost of models', report, 'costs'),
  import: listed('import memories from other programs', data, 'importCommand'),
  export: listed('write all records of a scope as NDJSON', data, 'exportCommand'),
  migrate: listed('migrate the store to the current schema, distribute it', server, 'migrate'),
  doctor: listed('find and explain what is wrong', report, 'doctor'),
  eval: listed(
    'measure what memory keeps and finds, and what reaches the prompt',
    () => import('./commands/eval.ts'),
    'evalCommand',
  ),
  calibrate: listed('fit thresholds to the embedder', () => import('./commands/calibrate.ts'), 'calibrateCommand'),
  keys: listed('create, list, rotate and revoke API keys', server, 'keys'),
};

export function findCommand(name: string): Listed | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}
