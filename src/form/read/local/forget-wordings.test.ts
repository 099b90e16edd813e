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
    const items = said.map((content) => ({ content, attribute: null, value: null, statedAt: new Date(0) }));
    const found = (await forgetsIn(text, said)).flatMap(({ about }) =>
      namesNothing(about, { attributes })
        ? [said.at(-1)]
        : meantByRequest(about, items, { attributes }).map(({ content }) => content),
    );
    // A regret and a request after it mean the same.
    expect([...new Set(found)]).toEqual(meant === null ? [] : [meant]);
  });
});

describe('requests for all of a matter', () => {
  const at = (day: string, content: string) => ({ content, attribute: null, value: null, statedAt: new Date(day) });
  const meant = (request: string, items: ReturnType<typeof at>[]): string[] =>
    meantByRequest(request, items, { attributes: attributeTable() }).map(({ content }) => content);

  it('take what names the same person, and not what names a place that is named often', () => {
    const quarrel = at('2026-05-01', 'my neighbour Osgood threw paint at our fence');
    const police = at('2026-05-02', 'the police have talked to Osgood');
    const ferry = [1, 2, 3, 4].map((day) => at(`2026-04-0${day}`, `the ferry to Harwich was late ${day}`));
    const moved = at('2026-05-03', 'my neighbour from Harwich has moved out');
    expect(meant('forget everything about my neighbour', [quarrel, police])).toEqual([quarrel.content, police.content]);
    expect(meant('forget everything about my neighbour', [moved, ...ferry])).toEqual([moved.content]);
  });

  it('take the matter of these weeks, and not one of years ago', () => {
    const before = at('2024-05-01', 'our holiday in Norway was wet');
    const now = at('2026-05-01', 'I have booked the holiday flights');
    expect(meant('forget everything about the trip', [before, now])).toEqual([now.content]);
  });
});
