// node bench/documents.ts [LIFE …]: how many sentences of working memory and profile, written without a language model, say as present
// what the life itself says has ended. A dated quotation says what somebody said on that day, which stays true.
import { loadDataset } from '../src/evaluate/datasets/load-dataset.ts';
import { openReplay, play } from '../src/evaluate/replay.ts';
import { covers } from '../src/evaluate/says.ts';

const only = process.argv.slice(2);
const { conversations } = loadDataset({ name: 'lives', ...(only.length === 0 ? {} : { only }) });
const SAYS = 0.6;
const DATED = /^(?:- )?\[?\d{4}-\d{2}-\d{2}\]?|\(\d{4}-\d{2}-\d{2}\)\.?$/u;
let [sentences, ended, dated] = [0, 0, 0];
for (const life of conversations) {
  const lived = await openReplay(life, {});
  await play(lived);
  const found: string[] = [];
  for (const kind of ['working_memory', 'profile'] as const) {
    for (const { text, restsOn, stale } of await lived.handle().blocks.basis(kind)) {
      if (stale) continue;
      sentences += 1;
      const events = new Set<string>();
      for (const id of restsOn) {
        const memory = id.startsWith('mem_') ? await lived.handle().memories.get(id) : null;
        for (const event of memory?.sourceEvents ?? [id]) events.add(lived.turnOf.get(event) ?? '');
      }
      const over = life.memories.find(
        (memory) =>
          memory.until !== null &&
          memory.stated.some((turn) => events.has(turn)) &&
          covers(memory.text, text) >= SAYS &&
          !life.memories.some(({ id, text: next }) => id === memory.replacedBy && covers(next, text) >= SAYS),
      );
      if (over === undefined) continue;
      if (DATED.test(text)) dated += 1;
      else found.push(`${kind}: ${text} ← ${over.text} (until ${over.until})`);
    }
  }
  ended += found.length;
  console.log(`${life.id}: ${found.length}${found.map((line) => `\n  ${line}`).join('')}`);
  await lived.varve.close();
}
console.log(JSON.stringify({ lives: conversations.length, sentences, ended, dated }));
