// npm run demo: a conversation goes in, memories come out, questions are answered from them. No key, no network.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVarve } from 'varve';

const folder = mkdtempSync(join(tmpdir(), 'varve-demo-'));
const varve = await createVarve({ store: join(folder, 'varve.db') });
const monday = varve.for({ agent: 'assistant', user: 'priya', session: 'monday' });

title('1. A conversation goes in');
const conversation = [
  ['By the way, I moved to Berlin last month. I work at Acme as a data engineer.', 'Welcome to Berlin!'],
  ["I'm vegetarian, and I don't want answers longer than 100 words.", 'Noted, I will keep it short.'],
  ['My sister Meera works at Google. I should call her about the wedding next week.', 'Shall I remind you?'],
  ['Hi, how is it going?', 'All good. And you?'],
] as const;
for (const [userMessage, agentResponse] of conversation) {
  console.log(`   priya      ${userMessage}\n   assistant  ${agentResponse}`);
  await monday.logInteraction({ userMessage, agentResponse });
}
await monday.session.close();
await varve.drain();

title('2. Memories come out');
await printMemories();

title('3. A week later something has changed');
const friday = varve.for({ agent: 'assistant', user: 'priya', session: 'friday' });
const news = 'I moved to Munich, and I started a new job at TechCorp.';
console.log(`   priya      ${news}`);
await friday.logInteraction({ userMessage: news, agentResponse: 'Congratulations!' });
await friday.session.close();
await varve.drain();
await printMemories();

title('4. Questions are answered from them');
for (const question of [
  'Where does Priya live?',
  'What should I cook for her?',
  "What does Priya's sister do?",
  'Which football club does she support?',
]) {
  const { results, abstained } = await friday.recall(question, { limit: 1, sources: ['memories'] });
  const answer = abstained || results.length === 0 ? '(nothing is known about that)' : results[0]?.text;
  console.log(`   ${question.padEnd(38)} → ${answer}`);
}

title('5. And what was true before is still there');
const history = await friday.memories.list({ archived: 'only' });
for (const memory of history.items.filter(({ archiveReason }) => archiveReason === 'superseded')) {
  console.log(`   until ${memory.archivedAt?.toISOString().slice(0, 10)}: ${memory.content}`);
}
console.log('\nNext: npm start opens the server; the README shows the library in ten lines.');
await varve.close();
rmSync(folder, { recursive: true, force: true });

async function printMemories(): Promise<void> {
  const { items } = await varve.for({ agent: 'assistant', user: 'priya' }).memories.list({ order: 'oldest' });
  for (const { type, content, confidence } of items) console.log(`   [${type}] ${content} (${confidence})`);
}

function title(text: string): void {
  console.log(`\n${text}\n`);
}
