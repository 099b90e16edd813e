// node bench/documents.ts [LIFE …]: examines the working memory and the profile that are written without a language model. Counts the
// sentences of these documents that state a memory of the life that has ended, and the memories that still hold and are stated. Empty
// documents would be perfect by the first number, so both numbers have to be read together.
import { loadDataset } from '../src/evaluate/datasets/load-dataset.ts';
import { openReplay, play, turnTexts } from '../src/evaluate/replay.ts';
import { covers, says } from '../src/evaluate/says.ts';

const only = process.argv.slice(2);
const { conversations } = loadDataset({ name: 'lives', ...(only.length === 0 ? {} : { only }) });
const SAYS = 0.6;
let [sentences, ended, holding, said] = [0, 0, 0, 0];
for (const life of conversations) {
  const lived = await openReplay(life, {});
  await play(lived);
  const found: string[] = [];
  const holds = life.memories.filter(({ until }) => until === null);
  const texts = turnTexts(life);
  const saidHere = new Set<string>();
  for (const kind of ['working_memory', 'profile'] as const) {
    for (const { text, restsOn, stale } of await lived.handle().blocks.basis(kind)) {
      if (stale) continue;
      sentences += 1;
      const events = new Set<string>();
      let value: string | null = null;
      for (const id of restsOn) {
        const memory = id.startsWith('mem_') ? await lived.handle().memories.get(id) : null;
        value ??= memory?.value ?? null;
        for (const event of memory?.sourceEvents ?? [id]) events.add(lived.turnOf.get(event) ?? '');
      }
      for (const memory of holds)
        if (says(memory, { text, value, turns: [...events] }, (turn) => texts.get(turn))) saidHere.add(memory.id);
      const over = life.memories.find(
        (memory) =>
          memory.until !== null &&
          memory.stated.some((turn) => events.has(turn)) &&
          covers(memory.text, text) >= SAYS &&
          !life.memories.some(({ id, text: next }) => id === memory.replacedBy && covers(next, text) >= SAYS),
      );
      if (over !== undefined) found.push(`${kind}: ${text} ← ${over.text} (until ${over.until})`);
    }
  }
  ended += found.length;
  holding += holds.length;
  said += saidHere.size;
  console.log(`${life.id}: ${found.length}${found.map((line) => `\n  ${line}`).join('')}`);
  await lived.varve.close();
}
console.log(JSON.stringify({ lives: conversations.length, sentences, ended, holding, said }));
