import { describe, expect, it } from 'vitest';
import { converse } from '../src/integrations/converse.ts';
import { openVarve } from './assemble-users.ts';

const TOLD: Record<number, { key: string; value: string }> = {
  4: { key: 'home_city', value: 'Lisbon' },
  17: { key: 'dog_name', value: 'Max' },
  30: { key: 'employer', value: 'Acme' },
};

describe('a conversation of 50 turns', () => {
  it('[K3] [E7] [Q13] keeps the system prompt byte for byte until a fact is learned, and then contains the fact', async () => {
    const { varve, clock } = await openVarve();
    const handle = varve.for({ agent: 'helper', user: 'ann', session: 'long' });
    for (let index = 0; index < 30; index += 1) {
      // All have the same importance, so that their order could change only because they are recalled.
      await handle.memories.create({ type: 'fact', content: `Has the book number ${index}`, importance: 0.5 });
    }
    await varve.drain();

    let system = '';
    let changes = 0;
    for (let turn = 0; turn < 50; turn += 1) {
      const told = TOLD[turn];
      const message = told === undefined ? `Turn ${turn}: what about book ${turn}?` : `My ${told.key} is ${told.value}`;
      const options = { message, instructions: 'You are a helper.', lookup: 'always' } as const;
      const { context } = await converse(handle, options, async ({ system, messages }) => {
        expect(messages.at(-1)?.content.endsWith(message)).toBe(true);
        return system.includes('Lisbon') ? 'You live in Lisbon.' : 'I see.';
      });
      const { report } = context;
      expect(report.stable.characters).toBe(context.system.length);
      if (context.system !== system) changes += 1;
      if (told === undefined && turn > 0 && TOLD[turn - 1] === undefined) expect(context.system).toBe(system);
      system = context.system;
      expect(report.tokens.total).toBeLessThanOrEqual(8000);
      if (told !== undefined) await handle.facts.set(told);
      clock.advance(20_000);
    }
    // There is one prompt at the start and one after each statement that was learned.
    expect(changes).toBe(1 + Object.keys(TOLD).length);
    for (const { value } of Object.values(TOLD)) expect(system).toContain(value);
    const [last] = await handle.interactions({ limit: 1 });
    expect(last?.agentResponse).toBe('You live in Lisbon.');
    await varve.close();
  });

  it('[K3] has a stable prefix before the recalled records, in the layout that puts recalled records into the system prompt', async () => {
    const { varve } = await openVarve();
    const handle = varve.for({ user: 'ann', session: 'long' });
    await handle.blocks.replace('working_memory', 'Ann is moving house.');
    await handle.notes.add({ title: 'Boxes', content: 'boxes are in the cellar' });
    await handle.notes.add({ title: 'Keys', content: 'keys are with the neighbour' });
    await varve.drain();
    const prefixes = new Set<string>();
    const systems = new Set<string>();
    for (const message of ['where are the boxes?', 'where are the keys?', 'who has them?']) {
      const { system, report } = await handle.context({
        message,
        layout: 'working-memory',
        instructions: 'Help.',
        recallLimit: 1,
      });
      prefixes.add(system.slice(0, report.stable.characters));
      systems.add(system);
    }
    expect(systems.size).toBeGreaterThan(1);
    expect([...prefixes]).toEqual(['Help.\n\n# Your Context\nAnn is moving house.']);
    await varve.close();
  });
});
