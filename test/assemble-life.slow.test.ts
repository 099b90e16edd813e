import { expect, it } from 'vitest';
import { loadLife, playLife } from './recordings/life.ts';

it('a prompt after a life of 90 messages has the evidence, and each statement once', { timeout: 300_000 }, async () => {
  const life = loadLife('d02');
  const lived = await playLife(life, null, { consolidation: {} });
  const handle = lived.handle();
  const sentences = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .flatMap((line) => line.replace(/^- (?:\d{4}-\d\d-\d\d: |\[\w+\] |user: )?/, '').split(/(?<=[.!?])\s+/))
      .filter((sentence) => sentence.length > 20);
  const all = new Map((await handle.memories.list({ limit: 200 })).items.map((memory) => [memory.id, memory]));
  let [found, asked] = [0, 0];
  for (const { question, evidence, after } of life.questions.filter(({ kind }) => kind !== 'unknown')) {
    if (after !== life.sessions.at(-1)?.id) continue;
    const { system, user, report } = await handle.context({ message: question, budget: 2000 });
    const ids = report.sections.flatMap((section) => section.ids.filter((id) => all.has(id)));
    expect(new Set(ids).size).toBe(ids.length);
    for (const part of [system, /<recalled>[\s\S]*<\/recalled>/.exec(user)?.[0] ?? '']) {
      const said = sentences(part);
      expect(said.filter((sentence, index) => said.indexOf(sentence) !== index)).toEqual([]);
    }
    const turns = life.sessions.flatMap((session) => session.turns).filter(({ id }) => evidence.includes(id));
    asked += turns.length;
    found += turns.filter(({ text }) => `${system}\n${user}`.includes(text.slice(0, 60))).length;
  }
  expect(asked).toBeGreaterThan(3);
  expect(found / asked).toBeGreaterThan(0.7);
  await lived.varve.close();
});
