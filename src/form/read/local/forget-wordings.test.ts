import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attributeTable } from '../../../record/attributes.ts';
import { turnsAlone } from '../reader.ts';
import { createLocalReader } from './local-reader.ts';

type Wordings = Record<string, { ask: string[]; not: string[]; back: string[] }>;

const { wordings } = JSON.parse(
  readFileSync(new URL('../../../../test/talk/forget-wordings.json', import.meta.url), 'utf8'),
) as { wordings: Wordings };

/** What a turn asks to forget, and whether it takes a request back. */
async function forgetsIn(content: string): Promise<{ takenBack?: boolean }[]> {
  const at = new Date('2026-11-15T10:00:00Z');
  const scope = { tenant: 't', agent: null, user: 'kim', session: 's', connection: null };
  const none = { position: 0, speaker: null, category: null, refersTo: null, interaction: null, channel: null };
  const turn = {
    ...none,
    id: 'evt_1',
    scope,
    kind: 'message' as const,
    origin: 'user' as const,
    content,
    context: null,
  };
  const turns = [{ ...turn, metadata: {}, occurredAt: at, recordedAt: at, processedAt: null }];
  const input = turnsAlone(turns, { attributes: attributeTable(), settings: { timeZone: 'UTC' } });
  return (await createLocalReader().read(input)).forgets;
}

describe.each(Object.entries(wordings))('requests to forget as they are worded in %s', (_, { ask, not, back }) => {
  it.each(ask)('asks to forget: %s', async (text) => {
    expect(await forgetsIn(text)).toMatchObject([{ about: expect.any(String) }]);
  });
  it.each(not)('asks nothing: %s', async (text) => {
    expect(await forgetsIn(text)).toEqual([]);
  });
  it.each(back)('takes a request back: %s', async (text) => {
    expect(await forgetsIn(text)).toMatchObject([{ takenBack: true }]);
  });
});
