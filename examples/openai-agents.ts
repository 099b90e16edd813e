// OPENAI_API_KEY=… npm run example examples/openai-agents.ts
// The OpenAI Agents SDK with memory: a session that is logged, context about the user, and the tools.

import { Agent, type Model, Runner } from '@openai/agents-core';
import { OpenAIChatCompletionsModel } from '@openai/agents-openai';
import OpenAI from 'openai';
import { agentInstructions, createVarve, type Varve } from 'varve';
import { memoryTools, VarveSession } from 'varve/openai-agents';

/** States a fact in one session and asks for it in the next. */
export async function run(varve: Varve, model: Model): Promise<string[]> {
  const answers: string[] = [];
  for (const [session, message] of [
    ['monday', 'My dog is called Max. Please remember that.'],
    ['friday', 'What is my dog called?'],
  ] as const) {
    const handle = varve.for({ agent: 'assistant', user: 'ann', session });
    const { system } = await handle.context({ message, history: false });
    const agent = new Agent({
      name: 'assistant',
      instructions: `You are a helpful assistant.\n\n${agentInstructions()}\n\n${system}`,
      model,
      tools: memoryTools(handle),
    });
    const runner = new Runner({ tracingDisabled: true });
    const result = await runner.run(agent, message, { session: new VarveSession(handle) });
    answers.push(String(result.finalOutput));
  }
  return answers;
}

if (import.meta.main) {
  const varve = await createVarve();
  const client = new OpenAI();
  console.log(await run(varve, new OpenAIChatCompletionsModel(client, process.env['OPENAI_MODEL'] ?? 'gpt-5-mini')));
  await varve.close();
}
