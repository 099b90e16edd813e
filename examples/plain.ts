// npm run example examples/plain.ts
// One turn with memory and any model: context → your call → observe.

import { agentInstructions, converse, createVarve, type ConversationPrompt, type Varve } from 'varve';

/** Has three turns in two sessions, and returns the answers. */
export async function run(varve: Varve, model: (prompt: ConversationPrompt) => Promise<string>): Promise<string[]> {
  const instructions = `You are a helpful assistant.\n\n${agentInstructions({ tools: false })}`;
  const answers: string[] = [];
  for (const [session, message] of [
    ['monday', 'Hi, I moved to Lisbon last month.'],
    ['monday', 'Remember that I am allergic to peanuts.'],
    ['friday', 'Where should I have dinner near home?'],
  ] as const) {
    const handle = varve.for({ agent: 'assistant', user: 'ann', session });
    if (session === 'monday' && message.includes('peanuts')) {
      await handle.facts.set({ key: 'allergies', value: 'peanuts', category: 'health' });
    }
    const { text, context } = await converse(handle, { message, instructions, timeZone: 'Europe/Lisbon' }, model);
    answers.push(text);
    console.log(`${message}\n→ ${text}   (${context.report.tokens.total} tokens)`);
  }
  return answers;
}

if (import.meta.main) {
  const varve = await createVarve({ store: ':memory:' });
  // Put your model here. This one only reads its prompt.
  await run(varve, async ({ system }) => (system.includes('peanuts') ? 'Somewhere without peanuts.' : 'Noted.'));
  await varve.close();
}
