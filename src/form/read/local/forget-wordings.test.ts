import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attributeTable } from '../../../record/attributes.ts';
import { meantByRequest, namesNothing } from '../../meant-by-request.ts';
import { turnsAlone } from '../reader.ts';
import { createLocalReader } from './local-reader.ts';

type Wordings = Record<string, { ask: string[]; not: string[]; back: string[] }>;

/** What was said, and requests of which each means one of its turns, or none. */
type Told = { said: string[]; meant: string | null; requests: string[] };

const { wordings, told } = JSON.parse(
  readFileSync(new URL('../../../../test/talk/forget-wordings.json', import.meta.url), 'utf8'),
) as { wordings: Wordings; told: Told[] };

/** What a turn asks to forget, and whether it takes a request back. */
async function forgetsIn(content: string, said: string[] = []): Promise<{ about: string; takenBack?: boolean }[]> {
  const at = new Date('2026-11-15T10:00:00Z');
  const scope = { tenant: 't', agent: null, user: 'kim', session: 's', connection: null };
  const none = { position: 0, speaker: null, category: null, refersTo: null, interaction: null, channel: null };
  const turn = {
    ...none,
    id: 'evt_1',
    scope,
    kind: 'message' as const,
    origin: 'user' as const,
    context: null,
    metadata: {},
    occurredAt: at,
    recordedAt: at,
    processedAt: null,
  };
  const earlier = said.map((words, index) => ({ ...turn, id: `evt_0${index}`, content: words }));
  const input = turnsAlone([{ ...turn, content }], { attributes: attributeTable(), settings: { timeZone: 'UTC' } });
  return (await createLocalReader().read({ ...input, earlier })).forgets;
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

describe.each(told)('requests after $said', ({ said, meant, requests }) => {
  it.each(requests)('mean what they name: %s', async (text) => {
    const attributes = attributeTable();
    const items = said.map((content) => ({ content, attribute: null, value: null }));
    const found = (await forgetsIn(text, said)).flatMap(({ about }) =>
      namesNothing(about, { attributes })
        ? [said.at(-1)]
        : meantByRequest(about, items, { attributes }).map(({ content }) => content),
    );
    // A regret and a request after it mean the same.
    expect([...new Set(found)]).toEqual(meant === null ? [] : [meant]);
  });
});
