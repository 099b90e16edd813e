// node test/recordings/record-consolidation.ts LIFE FOLDER: replays a life with recorded readings; a person writes the answers of the
// consolidation model by hand. Requests and answers are files in FOLDER; the recording is written to
// test/recordings/consolidation/LIFE.json.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLanguageModel } from '../../src/models/create-language-model.ts';
import { loadLife, playLife } from './life.ts';
import { askingModel, joined, replayingModel, type Recording } from './recorded-model.ts';

const [id = '', folder = ''] = process.argv.slice(2);
const life = loadLife(id);
const here = import.meta.dirname;
const readings = replayingModel(JSON.parse(readFileSync(join(here, `${id}.json`), 'utf8')) as Recording[]);
const asking = askingModel(folder);
const model = createLanguageModel({ fast: joined(readings, asking), timeout: 7_200_000, retries: 0 });
const lived = await playLife(life, model, { consolidation: {} });
mkdirSync(join(here, 'consolidation'), { recursive: true });
writeFileSync(join(here, 'consolidation', `${id}.json`), `${JSON.stringify(asking.recordings, null, 1)}\n`);
for (const kind of ['profile', 'working_memory', 'reflections'] as const)
  writeFileSync(join(folder, `${kind}.txt`), String((await lived.handle().blocks.read(kind))?.content ?? ''));
writeFileSync(
  join(folder, 'done'),
  JSON.stringify({ sessions: life.sessions.length, tasks: asking.tasks, missing: readings.missing }),
);
await lived.varve.close();
