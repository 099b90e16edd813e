// OPENAI_API_KEY=… npm run example examples/mastra.ts
// An agent of Mastra with Varve as its memory: the conversation is logged, memory is in the prompt, and the agent has the memory tools.

import { Agent } from '@mastra/core/agent';
import { createVarve, type Varve } from 'varve';
import { VarveMemory } from 'varve/mastra';

type Model = ConstructorParameters<typeof Agent>[0]['model'];

/** States a fact in one thread and asks for it in the next. */
export async function run(varve: Varve, model: Model): Promise<string[]> {
  const agent = new Agent({
    id: 'assistant',
    name: 'assistant',
    instructions: 'You are a helpful assistant.',
    model,
    memory: new VarveMemory({ varve, agent: 'assistant' }),
  });
  const answers: string[] = [];
  for (const [thread, message] of [
    ['monday', 'My dog is called Max. Please remember that.'],
    ['friday', 'What is my dog called?'],
  ] as const) {
    const { text } = await agent.generate(message, { memory: { thread, resource: 'ann' } });
    answers.push(text);
  }
  return answers;
}

if (import.meta.main) {
  const varve = await createVarve();
  const url = process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1';
  const id = `openai/${process.env['OPENAI_MODEL'] ?? 'gpt-5-mini'}` as const;
  console.log(await run(varve, { id, url, apiKey: process.env['OPENAI_API_KEY'] }));
  await varve.close();
}
