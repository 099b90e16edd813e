import { describe, expect, it } from 'vitest';
import { createLocalDistiller } from '../../form/local/local-distiller.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import { localReflection } from './local-reflection.ts';

const NOW = Date.UTC(2026, 0, 5, 22);
const said = (content: string): Event =>
  ({ kind: 'message', origin: 'user', speaker: null, content, category: null, occurredAt: new Date(NOW) }) as Event;
const live = (content: string): Memory =>
  ({ type: 'preference', content, key: null, metadata: {}, state: null }) as unknown as Memory;

async function learnings(lines: readonly string[], memories: Memory[] = []): Promise<string[]> {
  const day = { messages: lines.map(said), memories, until: NOW, profile: { text: '', version: 0 } } as never;
  const options = { wordLimit: 550, types: [], now: NOW, timeZone: 'UTC' };
  return (await localReflection(createLocalDistiller(), day, options)).learnings.map(({ rule }) => rule);
}

const DUTCH = 'User wants the agent to answer in Dutch.';
const ENGLISH = 'User wants the agent to answer in English.';

describe('a reflection by rules', () => {
  it('[K10] learns what was asked for last', async () => {
    expect(await learnings(['answer in Dutch from now on'])).toEqual([DUTCH]);
    expect(await learnings(['answer in Dutch from now on', 'hm', 'back to English please'])).toEqual([ENGLISH]);
  });

  it('[K10] learns nothing that what is live takes back', async () => {
    expect(await learnings(['answer in Dutch from now on'], [live(ENGLISH)])).toEqual([]);
    expect(await learnings(['answer in Dutch from now on'], [live(DUTCH)])).toEqual([DUTCH]);
  });
});
