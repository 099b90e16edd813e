import type { Handle } from '../../handle/handle.ts';
import { DAY, manualClock } from '../../record/clock.ts';
import { createVarve } from '../../varve.ts';
import type { Command } from '../command.ts';

export const demo: Command = {
  usage: 'demo',
  help: 'Replays a short conversation in a temporary memory and shows what is observed, formed and recalled.',
  examples: ['varve demo', 'varve demo --json'],
  async run(input) {
    const played = await playDemo(Date.now());
    await input.output.answer(played, () =>
      played.map(({ step, result }) => `${input.output.style('bold', step)}\n\n${result}\n`).join('\n'),
    );
  },
};

interface PlayedStep {
  step: string;
  result: string;
}

type Exchange = readonly [userMessage: string, agentResponse: string];

const FIRST: readonly Exchange[] = [
  ['By the way, I moved to Berlin last month. I work at Acme as a data engineer.', 'Welcome to Berlin!'],
  ["I'm vegetarian, and I don't want answers longer than 100 words.", 'Noted, I will keep it short.'],
  ['My sister Meera works at Google. I should call her about the wedding next week.', 'Shall I remind you?'],
  ['Hi, how is it going?', 'All good. And you?'],
];
const A_WEEK_LATER: readonly Exchange[] = [
  ['I moved to Munich, and I started a new job at TechCorp.', 'Congratulations!'],
];
const QUESTIONS = [
  'Where does Priya live?',
  'What should I cook for her?',
  "What does Priya's sister do?",
  'Which football club does she support?',
];

async function playDemo(now: number): Promise<PlayedStep[]> {
  const clock = manualClock(now - 7 * DAY);
  const varve = await createVarve({ store: { path: ':memory:' }, background: false, clock });
  const scope = { agent: 'assistant', user: 'priya' };
  const talk = async (session: string, exchanges: readonly Exchange[]): Promise<void> => {
    const handle = varve.for({ ...scope, session });
    for (const [userMessage, agentResponse] of exchanges) await handle.logInteraction({ userMessage, agentResponse });
    await handle.session.close();
    await varve.drain();
  };
  try {
    const priya = varve.for(scope);
    await talk('first', FIRST);
    const learned = await memoriesOf(priya);
    clock.set(now);
    await talk('second', A_WEEK_LATER);
    return [
      { step: `1. A conversation goes in, on ${dayOf(now - 7 * DAY)}`, result: saidIn(FIRST) },
      { step: '2. Memories come out: values, and sentences that say more than a value', result: learned },
      {
        step: `3. A week later, on ${dayOf(now)}, something has changed`,
        result: `${saidIn(A_WEEK_LATER)}\n\n${await memoriesOf(priya)}`,
      },
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
  // Summaries and reflections are left out, because they repeat the sentences of the conversations.
  const { items } = await handle.memories.list({ order: 'oldest', types: ['fact', 'preference'] });
  const values = items.filter(({ attribute }) => attribute !== null);
  const sentences = items.filter(({ attribute }) => attribute === null);
  return [...values, ...sentences]
    .map(({ attribute, content }) => `   ${(attribute ?? '(in her words)').padEnd(14)}  ${content}`)
    .join('\n');
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
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
