// npm run example examples/anthropic-memory.ts
// A backend for Anthropic's memory tool: pass each `tool_use` of the tool `memory` to execute().

import { anthropicMemory, type MemoryCommand } from 'varve/anthropic-memory';
import { createVarve, type Varve } from 'varve';

/** Commands of a model in two conversations. */
const COMMANDS: readonly MemoryCommand[] = [
  { command: 'view', path: '/memories' },
  { command: 'create', path: '/memories/customers/ann.md', file_text: 'Prefers e-mail.\nLives in Lisbon.' },
  { command: 'str_replace', path: '/memories/customers/ann.md', old_str: 'Lisbon', new_str: 'Porto' },
  { command: 'view', path: '/memories/customers/ann.md' },
  { command: 'view', path: '/memories/../../etc/passwd' },
];

/** Carries out the commands, and returns the texts for the model. */
export async function run(varve: Varve): Promise<string[]> {
  const memory = anthropicMemory(varve.for({ agent: 'claude', user: 'ann' }));
  const answers: string[] = [];
  for (const command of COMMANDS) answers.push(await memory.execute(command));
  return answers;
}

if (import.meta.main) {
  const varve = await createVarve({ store: ':memory:' });
  console.log((await run(varve)).join('\n\n'));
  await varve.close();
}
