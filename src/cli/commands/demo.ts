import type { Handle } from '../../handle/handle.ts';
import { createVarve } from '../../varve.ts';
import { type Command, EXIT } from '../command.ts';

export const demo: Command = {
  usage: 'demo',
  help: 'Replays a short conversation in a temporary memory and shows what is observed, formed and recalled.',
  examples: ['varve demo', 'varve demo --json'],
  async run(input) {
    const played = await playDemo();
    await input.output.answer(played, () =>
      played.map(({ step, result }) => `${input.output.style('bold', step)}\n\n${result}\n`).join('\n'),
    );
    return EXIT.ok;
  },
};

/** One step of the demo and its result. */
interface PlayedStep {
  step: string;
  result: string;
}

type Exchange = readonly [userMessage: string, agentResponse: string];

const MONDAY: readonly Exchange[] = [
  ['By the way, I moved to Berlin last month. I work at Acme as a data engineer.', 'Welcome to Berlin!'],
  ["I'm vegetarian, and I don't want answers longer than 100 words.", 'Noted, I will keep it short.'],
  ['My sister Meera works at Google. I should call her about the wedding next week.', 'Shall I remind you?'],
  ['Hi, how is it going?', 'All good. And you?'],
];
const FRIDAY: readonly Exchange[] = [['I moved to Munich, and I started a new job at TechCorp.', 'Congratulations!']];
const QUESTIONS = [
  'Where does Priya live?',
  'What should I cook for her?',
  "What does Priya's sister do?",
  'Which football club does she support?',
];

/** Plays two conversations through a temporary store that ends with the process. */
async function playDemo(): Promise<PlayedStep[]> {
  const varve = await createVarve({ store: { path: ':memory:' }, background: false });
  const scope = { agent: 'assistant', user: 'priya' };
  const talk = async (session: string, exchanges: readonly Exchange[]): Promise<void> => {
    const handle = varve.for({ ...scope, session });
    for (const [userMessage, agentResponse] of exchanges) await handle.logInteraction({ userMessage, agentResponse });
    await handle.session.close();
    await varve.drain();
  };
  try {
    const priya = varve.for(scope);
    await talk('monday', MONDAY);
    const learned = await memoriesOf(priya);
    await talk('friday', FRIDAY);
    return [
      { step: '1. A conversation goes in', result: saidIn(MONDAY) },
      { step: '2. Memories come out', result: learned },
      { step: '3. A week later something has changed', result: `${saidIn(FRIDAY)}\n\n${await memoriesOf(priya)}` },
      { step: '4. Questions are answered from them', result: await answersOf(priya) },
      { step: '5. And what was true before is still there', result: await historyOf(priya) },
    ];
  } finally {
    await varve.close();
  }
}

function saidIn(exchanges: readonly Exchange[]): string {
  return exchanges.map(([user, agent]) => `   priya      ${user}\n   assistant  ${agent}`).join('\n');
}

async function memoriesOf(handle: Handle): Promise<string> {
  const { items } = await handle.memories.list({ order: 'oldest' });
  return items.map(({ type, content, confidence }) => `   [${type}] ${content} (${confidence})`).join('\n');
}

async function answersOf(handle: Handle): Promise<string> {
  const lines: string[] = [];
  for (const question of QUESTIONS) {
    const { results } = await handle.recall(question, { limit: 1, sources: ['memories'] });
    lines.push(`   ${question.padEnd(38)} → ${results[0]?.text ?? '(nothing is known about that)'}`);
  }
  return lines.join('\n');
}

async function historyOf(handle: Handle): Promise<string> {
  const { items } = await handle.memories.list({ archived: 'only' });
  return items
    .filter(({ archiveReason }) => archiveReason === 'superseded')
    .map(({ archivedAt, content }) => `   until ${archivedAt?.toISOString().slice(0, 10)}: ${content}`)
    .join('\n');
}
