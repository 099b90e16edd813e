import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AssembledContext } from '../src/assemble/assemble.ts';
import { type LayoutName, LAYOUTS } from '../src/assemble/layouts.ts';
import type { Handle } from '../src/handle/handle.ts';
import type { Varve } from '../src/varve.ts';
import { hostileUser, MESSAGE, openVarve, OPTIONS, richUser } from './assemble-users.ts';

const SERVICES = {
  blog: {
    title: 'blog analytics, last 7 days',
    about: ['traffic'],
    load: async () => ['Total views: 315 (previous week: 840, change: -62.5%)', 'Posts published this week: 0'],
  },
  billing: { about: ['invoice'], load: async () => ({ plan: 'Pro' }) },
};

describe('the layouts, as golden files', () => {
  let varve: Varve;
  const users: Record<string, Handle> = {};

  beforeAll(async () => {
    ({ varve } = await openVarve());
    users['rich'] = await richUser(varve);
    users['empty'] = varve.for({ agent: 'new', user: 'nobody', session: 'first' });
    users['hostile'] = await hostileUser(varve);
  });
  afterAll(() => varve.close());

  const assembled = (user: string, layout: LayoutName): Promise<AssembledContext> =>
    (users[user] as Handle).context({
      ...OPTIONS,
      layout,
      services: SERVICES,
      structuredProfile: async () => (user === 'empty' ? null : { Business: 'Mumbai Bakery', Plan: 'Pro' }),
    });

  for (const layout of Object.keys(LAYOUTS) as LayoutName[]) {
    for (const user of ['rich', 'empty', 'hostile']) {
      it(`renders ${layout} for a ${user} user as in the golden file`, async () => {
        const { system, user: turn, messages, report } = await assembled(user, layout);
        expect(report.failed).toEqual([]);
        const history = messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
        const text = `${system}\n\n=== history ===\n${history}\n\n=== user ===\n${turn}\n`;
        await expect(text).toMatchFileSnapshot(`golden/${layout}-${user}.txt`);
      });
    }
  }

  it('[T12] has its parts in order, without empty ones', async () => {
    const { system } = await assembled('rich', 'working-memory');
    const labels = [
      '# Your Context',
      'Structured Data:',
      'Learned Info:',
      'Relevant Retrieved Facts:',
      '# Agent Identity',
      '# Temporal Governance Directives',
      'Your Artifacts',
    ];
    const places = labels.map((label) => system.split('\n').indexOf(label));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const empty = await assembled('empty', 'working-memory');
    expect(empty.system).not.toMatch(/Your Context|Structured Data|Learned Info|Retrieved Facts/);
  });

  it('[Q6] shows memories as `- [TYPE] content` lines, the most important first', async () => {
    const { system } = await assembled('rich', 'memory-list');
    const lines = system.split('\n').filter((line) => line.startsWith('- ['));
    expect(lines[0]).toBe('- [PREFERENCE] Dislikes corporate buzzwords. Prefers direct, punchy writing.');
    expect(lines[1]).toBe('- [GOAL] Also open to "Head of Platform" roles at larger companies if comp > $300k.');
  });

  it('[K7] [K11] shows all facts by category and the profile below them', async () => {
    const { system } = await assembled('rich', 'facts-and-profile');
    expect(system).toContain(
      [
        '## What I Know About You',
        'Verified permanent facts — treat these as ground truth.',
        '',
        '*Location*',
        '- Address: 124 Avenue Perretti, Neuilly-sur-Seine',
        '- Office: La Défense, Paris',
        '',
        '*Personal*',
        '- Partner: Ana',
      ].join('\n'),
    );
    expect(system.indexOf('## Your Memory of This User (narrative)')).toBeGreaterThan(system.indexOf('- Partner: Ana'));
  });

  it('[K2] puts notes, summaries and saved items before the message, each in its block', async () => {
    const { user } = await assembled('rich', 'facts-and-profile');
    const types = [...user.matchAll(/<context type="(\w+)">/g)].map(([, type]) => type);
    expect(types).toEqual(['notes', 'summaries', 'read_later', 'follow_ups']);
    expect(user).toContain('- "Sourdough at home" (https://example.com/sourdough)\n  Summary: A starter in five days.');
    expect(user.endsWith(MESSAGE)).toBe(true);
  });

  it('[K18] shows due intentions, and learnings as rules', async () => {
    const { system, user } = await assembled('rich', 'varve');
    const due = /<due_today>[\s\S]*<\/due_today>/.exec(user)?.[0];
    expect(due).toContain('Call the dentist');
    expect(due).not.toContain('Renew the passport');
    expect(system).toMatch(/<rules>\n- Always confirm before deleting any item\.\n<\/rules>/);
  });

  it('[E7] is XML by agent, user and session, with reflections that are not merged yet', async () => {
    const { system } = await assembled('rich', 'reflections-xml');
    expect(system).toContain(
      [
        '  <UserMemory>',
        '    Be concise &amp; skip pleasantries.',
        '    Recent:',
        '    - Prefers numbers to words.',
        '  </UserMemory>',
      ].join('\n'),
    );
    expect(system.match(/<(Agent|User|Session)Memory>/g)).toHaveLength(3);
  });

  it('[K3] has the date and time in the user’s turn, in their time zone, and not in the system prompt', async () => {
    const { system, user } = await assembled('rich', 'facts-and-profile');
    expect(user.startsWith('[Friday, April 24, 2026 — 09:15 AM Europe/Paris]')).toBe(true);
    expect(system).not.toMatch(/2026|09:15/);
  });
});
