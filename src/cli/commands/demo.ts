import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createVarve } from '../../varve.ts';
import { type Command, EXIT } from '../command.ts';

/** Shows what Varve does. */
export const demo: Command = {
  usage: 'demo',
  help: 'Replays a short conversation in a temporary memory and shows what is observed, formed and recalled.',
  examples: ['varve demo', 'varve demo --json'],
  async run(input) {
    const file = new URL('../../../examples/demo.ts', import.meta.url);
    if (!input.output.json && existsSync(fileURLToPath(file)) && !import.meta.url.endsWith('.js')) {
      await import(file.href);
      return EXIT.ok;
    }
    const played = await playDemo();
    await input.output.answer(played, () =>
      played.map(({ step, result }) => `${input.output.style('bold', step)}\n${result}\n`).join('\n'),
    );
    return EXIT.ok;
  },
};

/** One step of the demo and its result. */
export interface PlayedStep {
  step: string;
  result: string;
}

const TURNS: readonly { content: string; origin: 'user' | 'agent' }[] = [
  { origin: 'user', content: 'Hi! I moved to Oslo last month, and I am vegetarian.' },
  { origin: 'agent', content: 'Welcome! I will keep that in mind for restaurants.' },
  { origin: 'user', content: 'My sister Ingrid visits me in May. I prefer short answers, by the way.' },
  { origin: 'agent', content: 'Noted.' },
];

/** Plays a conversation through a memory that ends with the process. */
export async function playDemo(): Promise<PlayedStep[]> {
  const varve = await createVarve({ store: { path: ':memory:' }, background: false });
  try {
    const ana = varve.for({ user: 'ana', session: 'today' });
    await ana.observe(TURNS);
    await ana.session.close();
    await varve.drain();
    const { items } = await varve.for({ user: 'ana' }).memories.list();
    const asked = ['Where does she live?', 'Can I suggest a steak house?', 'Who visits in May?'];
    const recalled = await Promise.all(
      asked.map(async (query) => {
        const { results } = await varve.for({ user: 'ana' }).recall(query, { limit: 2 });
        return { step: `recall "${query}"`, result: results.map(({ text }) => `  ${text}`).join('\n') || '  nothing' };
      }),
    );
    return [
      { step: 'observe', result: TURNS.map(({ origin, content }) => `  ${origin}: ${content}`).join('\n') },
      { step: 'what was formed of it', result: items.map(({ type, content }) => `  [${type}] ${content}`).join('\n') },
      ...recalled,
    ];
  } finally {
    await varve.close();
  }
}
