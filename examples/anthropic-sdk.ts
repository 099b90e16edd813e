// ANTHROPIC_API_KEY=… npm run example examples/anthropic-sdk.ts
// Anthropic's SDK with its own memory tool. The files of the tool are in Varve: they belong to one user, keep their history, and are found
// by recall.

import Anthropic from '@anthropic-ai/sdk';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { createVarve, type Varve } from 'varve';
import { anthropicMemory } from 'varve/anthropic-memory';

/** Lets Claude save the user's statement, and returns its answer. */
export async function run(varve: Varve, client: Anthropic): Promise<string> {
  const memory = betaMemoryTool(anthropicMemory(varve.for({ agent: 'claude', user: 'ann' })).handlers);
  const message = await client.beta.messages.toolRunner({
    model: process.env['ANTHROPIC_MODEL'] ?? 'claude-sonnet-5',
    max_tokens: 1024,
    betas: ['context-management-2025-06-27'],
    messages: [{ role: 'user', content: 'Remember that I live in Porto.' }],
    tools: [memory],
  });
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

if (import.meta.main) {
  const varve = await createVarve();
  console.log(await run(varve, new Anthropic()));
  await varve.close();
}
