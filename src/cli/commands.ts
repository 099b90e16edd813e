import type { Command } from './command.ts';

/** A command as the help lists it. */
export interface Listed {
  summary: string;
  /** Whether the command runs until it is stopped. Such a command accepts a slower start in exchange for faster work. */
  isLasting?: true;
  /** Loads the command when it is called, so that a short command does not wait for the code of all others. */
  load(): Promise<Command>;
}

const server = () => import('./commands/server-commands.ts');
const client = () => import('./commands/client-commands.ts');
const conversation = () => import('./commands/conversation-commands.ts');
const memory = () => import('./commands/memory-commands.ts');
const work = () => import('./commands/work-commands.ts');
const data = () => import('./commands/data-commands.ts');
const report = () => import('./commands/report-commands.ts');

/** All commands, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Listed>> = {
  init: { summary: 'create a folder for memory', load: async () => (await server()).init },
  serve: {
    summary: 'start the server (HTTP, MCP, background work)',
    isLasting: true,
    load: async () => (await server()).serve,
  },
  worker: {
    summary: 'do background work in a separate process',
    isLasting: true,
    load: async () => (await server()).worker,
  },
  setup: { summary: 'connect an editor or a chat client to this memory', load: async () => (await client()).setup },
  hook: { summary: 'handle the hooks of Claude Code', load: async () => (await client()).hook },
  mcp: { summary: 'serve MCP on standard input and output', isLasting: true, load: async () => (await client()).mcp },
  demo: { summary: 'watch a short demonstration', load: async () => (await import('./commands/demo.ts')).demo },
  observe: { summary: 'append an event', load: async () => (await conversation()).observe },
  remember: { summary: 'store a memory or a fact', load: async () => (await memory()).remember },
  recall: { summary: 'find the records that help to answer', load: async () => (await conversation()).recall },
  context: { summary: 'assemble the prompt of a turn', load: async () => (await conversation()).context },
  list: { summary: 'list memories, facts, events, notes', load: async () => (await memory()).list },
  show: { summary: 'show a memory, an event or a block', load: async () => (await memory()).show },
  history: { summary: 'show all changes of a memory or a block', load: async () => (await memory()).history },
  refusals: { summary: 'list refused statements with the reasons', load: async () => (await work()).refusals },
  forget: { summary: 'forget a memory or a fact (it can be restored)', load: async () => (await memory()).forget },
  forgotten: { summary: 'list and restore forgotten memories', load: async () => (await memory()).forgotten },
  erase: { summary: 'remove everything of a scope for good', load: async () => (await data()).erase },
  reflect: { summary: 'run the nightly reflection now', load: async () => (await work()).reflect },
  consolidate: { summary: 'do the waiting background work now', load: async () => (await work()).consolidate },
  jobs: { summary: 'list background work, retry dead jobs', load: async () => (await work()).jobs },
  stats: { summary: 'count the records of a scope', load: async () => (await report()).stats },
  metrics: { summary: 'show how well memory works in use', load: async () => (await report()).metrics },
  costs: { summary: 'show the use and the cost of models', load: async () => (await report()).costs },
  import: { summary: 'import memories from other programs', load: async () => (await data()).importCommand },
  export: { summary: 'write everything of a scope as NDJSON', load: async () => (await data()).exportCommand },
  migrate: {
    summary: 'migrate the store to the current schema, distribute it',
    load: async () => (await server()).migrate,
  },
  doctor: { summary: 'find and explain what is wrong', load: async () => (await report()).doctor },
  eval: {
    summary: 'measure what memory keeps and finds, and what reaches the prompt',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  calibrate: {
    summary: 'fit thresholds to the embedder',
    load: async () => (await import('./commands/calibrate.ts')).calibrateCommand,
  },
  keys: { summary: 'create, list, rotate and revoke API keys', load: async () => (await server()).keys },
};

/** A command by its name; undefined when there is none. */
export function findCommand(name: string): Listed | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}
