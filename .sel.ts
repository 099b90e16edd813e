import { createLocalEmbedder } from './src/models/local-embedder/local-embedder.ts';
import { tellMessage, stateOf } from './src/form/read/local/reading-layers.ts';
import { unitsOf } from './src/form/read/local/units.ts';
import { inputsOf, select } from './src/form/read/local/selector.ts';
const e = createLocalEmbedder({ threads: 1 });
for (const text of process.argv.slice(2)) {
  const told = await tellMessage(text, e.readParts, {});
  const { units } = unitsOf(text, { asked: null, fallback: null, now: new Date(), timeZone: 'UTC', told: told.foreign } as never);
  for (const u of units) {
    const { vectors } = await e.embed([u.text]);
    const s = select(inputsOf(u, { state: stateOf(told, u)!, vector: vectors[0]! }));
    const r = (o: Record<string, number>) => Object.entries(o).filter(([, v]) => v > 0.1).map(([k, v]) => `${k} ${v.toFixed(2)}`).join(' ');
    console.log(u.text, '|', u.pack?.language, u.isForeign, '|', r(s.keep), '|', r(s.type), '|', r(s.tense), '|', r(s.request), '|', r(s.foreign), '|', r(s.about));
  }
}
await e.close?.();
