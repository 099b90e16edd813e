// OPENAI_BASE_URL=… OPENAI_API_KEY=… npm run example examples/ai-sdk.ts
// Any AI SDK model with memory: middleware adds memory to the prompt, and tools let the model search and save.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, streamText, wrapLanguageModel, type LanguageModel } from 'ai';
import { memoryMiddleware, memoryTools } from 'varve/ai-sdk';
import { agentInstructions, createVarve, type Varve } from 'varve';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];

/** States a fact in one session and asks for it in the next, once with streaming. */
export async function run(varve: Varve, model: Exclude<LanguageModel, string>): Promise<string[]> {
  const remembering = (session: string): ReturnType<typeof wrapLanguageModel> =>
    wrapLanguageModel({
      model: model as Model,
      middleware: memoryMiddleware(varve.for({ agent: 'assistant', user: 'ann', session }), { channel: 'cli' }),
    });
  const instructions = `You are a helpful assistant.\n\n${agentInstructions()}`;
  const told = await generateText({
    model: remembering('monday'),
    instructions,
    prompt: 'My dog is called Max. Please remember that.',
    tools: memoryTools(varve.for({ agent: 'assistant', user: 'ann', session: 'monday' })),
    stopWhen: isStepCount(5),
  });
  const asked = streamText({ model: remembering('friday'), instructions, prompt: 'What is my dog called?' });
  let answer = '';
  for await (const piece of asked.textStream) answer += piece;
  return [told.text, answer];
}

if (import.meta.main) {
  const varve = await createVarve();
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1',
    apiKey: process.env['OPENAI_API_KEY'],
  });
  console.log(await run(varve, provider.languageModel(process.env['OPENAI_MODEL'] ?? 'gpt-5-mini')));
  await varve.close();
}
