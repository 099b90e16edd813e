// node test/recordings/record.ts LIFE FOLDER: replays a test conversation (train/lives/LIFE.json); a person writes the model's answers by
// hand. Requests and answers are files in FOLDER; the recording is written to test/recordings/LIFE.json at the end.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLanguageModel } from '../../src/models/create-language-model.ts';
import { loadLife, playLife, scoreLife } from './life.ts';
import { askingModel } from './recorded-model.ts';

const [id = '', folder = ''] = process.argv.slice(2);
const life = loadLife(id);
const asking = askingModel(folder);
const lived = await playLife(life, createLanguageModel({ fast: asking.model, timeout: 7_200_000, retries: 0 }));
writeFileSync(join(import.meta.dirname, `${id}.json`), `${JSON.stringify(asking.recordings, null, 1)}\n`);
const score = await scoreLife(lived);
const refused = await lived.handle().refusals.list({ limit: 200 });
writeFileSync(
  join(folder, 'score.json'),
  JSON.stringify(
    {
      calls: asking.calls,
      characters: asking.characters,
      sessions: life.sessions.length,
      ...score,
      refused: refused.items.map(
        ({ what, reason, text, detail }) => `${what} ${reason} ${detail ?? ''}: ${text ?? ''}`,
      ),
    },
    null,
    1,
  ),
);
writeFileSync(join(folder, 'done'), '');
await lived.varve.close();
