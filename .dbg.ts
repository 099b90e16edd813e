import { createVarve } from './src/index.ts';
const [, , ...says] = process.argv;
const v = await createVarve({ store: ':memory:', background: false });
const h = v.for({ agent: 'a', user: 'u', session: 's' });
for (const s of says) { await h.observe([{ content: s, origin: 'user' }]); await v.drain(); }
const c = v.for({ agent: 'a', user: 'u' });
for (const m of (await c.memories.list({ limit: 100, archived: 'include' } as never)).items) console.log(m.archivedAt ? 'ENDED' : 'live ', m.type, m.tense, m.subject, m.attribute, '=', m.value, m.polarity, '|', m.content);
await v.close();
