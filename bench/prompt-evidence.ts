// npm run bench:prompt [-- --lives judge --model --stores FOLDER --detail FILE]
// Like `varve eval end-to-end`, for tuning the prompt: measures whether the prompt contains the evidence of each question, by kind and by
// language.
//
// `--lives`: `tune` (ids that end in an odd digit), `judge` (the others), `all`, or ids separated by commas. Tuning uses `tune` only.
// `--model`: only lives with recorded answers of a model, which then reads the turns. `--stores`: keeps the store after each session in a
// folder and uses it again the next time. A change in how turns are read or embedded needs a new folder.

import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { shownWithInterval } from '../src/evaluate/figures.ts';
import { measurePrompt } from '../src/evaluate/measure-questions.ts';
import { openReplay, play, replay, type Replay } from '../src/evaluate/replay.ts';
import { BUDGETS, type Row } from '../src/evaluate/row.ts';
import { estimate } from '../src/evaluate/statistics.ts';
import type { Conversation } from '../src/evaluate/conversation.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import type { VarveOptions } from '../src/varve.ts';
import { ONLY_FORMATION } from '../test/form-model.ts';
import { loadLife } from '../test/recordings/life.ts';
import { replayingModel, type Recording } from '../test/recordings/recorded-model.ts';
import { printTable } from './measure.ts';

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: 'judge' },
    model: { type: 'boolean', default: false },
    stores: { type: 'string' },
    detail: { type: 'string' },
  },
});
const root = join(import.meta.dirname, '..');
const recordings = join(root, 'test/recordings');

/** The ids of the selected lives. */
function chosenLives(): string[] {
  const folder = values.model ? recordings : join(root, 'train/lives');
  const ids = globSync(join(folder, '*.json')).map((file) => basename(file, '.json'));
  const isTuned = (id: string): boolean => Number(id.slice(-1)) % 2 === 1;
  if (values.lives === 'all') return ids.sort();
  if (values.lives === 'tune') return ids.filter(isTuned).sort();
  if (values.lives === 'judge') return ids.filter((id) => !isTuned(id)).sort();
  return values.lives.split(',');
}

const rows: (Row & { group: string })[] = [];

async function ask(state: Replay, session: string): Promise<void> {
  const { id, language, questions } = state.conversation;
  for (const question of questions.filter(({ after }) => after === session)) {
    for (const row of await measurePrompt(state, question, {}))
      rows.push({ conversation: id, arm: 'all', group: language === 'en' ? 'English' : 'other languages', ...row });
  }
}

/** The reader of a life: the local reader, or the recorded model, which has recordings only for the reading of turns. */
function optionsFor(life: Conversation): VarveOptions {
  if (!values.model) return {};
  const answers = JSON.parse(readFileSync(join(recordings, `${life.id}.json`), 'utf8')) as Recording[];
  return {
    languageModel: createLanguageModel({ fast: replayingModel(answers).model, retries: 0 }),
    consolidation: { ...ONLY_FORMATION, decay: { enabled: true } },
  };
}

/** Data that the store does not contain: the time, and the turn of each event. */
interface Kept {
  now: number;
  turns: [event: string, turn: string][];
}

/** Asks the questions of a life in its stored databases. A replay creates the missing ones. */
async function askKept(life: Conversation, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const file = (session: string): string => join(folder, `${life.id}${values.model ? '-model' : ''}-${session}.db`);
  const sessions = [...new Set(life.questions.flatMap(({ after }) => after ?? []))];
  if (!sessions.every((session) => existsSync(`${file(session)}.json`))) {
    const place = mkdtempSync(join(tmpdir(), 'varve-prompt-'));
    const store = join(place, 'varve.db');
    const lived = await openReplay(life, { ...optionsFor(life), store });
    await play(lived, {
      async afterSession({ clock, turnOf }, { id }) {
        if (!sessions.includes(id)) return;
        const database = new DatabaseSync(store);
        database.exec(`VACUUM INTO '${file(id)}'`);
        database.close();
        writeFileSync(`${file(id)}.json`, JSON.stringify({ now: clock.now(), turns: [...turnOf] } satisfies Kept));
      },
    });
    await lived.varve.close();
    rmSync(place, { recursive: true, force: true });
  }
  for (const session of sessions) {
    const kept = await openReplay(life, { store: file(session) });
    const { now, turns } = JSON.parse(readFileSync(`${file(session)}.json`, 'utf8')) as Kept;
    kept.clock.set(now);
    for (const [event, turn] of turns) kept.turnOf.set(event, turn);
    await ask(kept, session);
    await kept.varve.close();
  }
}

for (const id of chosenLives()) {
  const life = loadLife(id);
  if (values.stores !== undefined) await askKept(life, values.stores);
  else await replay(life, optionsFor(life), { afterSession: (state, session) => ask(state, session.id) });
  process.stderr.write(`${id} `);
}
process.stderr.write('\n');

function line(group: string, kind: string, chosen: readonly Row[]): string[] {
  const cells = BUDGETS.map((budget) => {
    const metric = `evidence@${budget}`;
    const observed = chosen.map(({ conversation, item, values: found }) => ({
      conversation,
      item,
      value: found[metric] ?? Number.NaN,
    }));
    return shownWithInterval(metric, estimate(observed));
  });
  return [group, kind, String(chosen.length), ...cells];
}
const answerable = rows.filter(({ kind }) => kind !== 'forgotten');
printTable(
  ['lives', 'kind', 'questions', ...BUDGETS.map((budget) => `in ${budget} tokens`)],
  ['English', 'other languages', 'all'].flatMap((group) => {
    const chosen = answerable.filter((row) => group === 'all' || row.group === group);
    const kinds = [...new Set(chosen.map(({ kind }) => kind))].sort();
    if (chosen.length === 0) return [];
    return [
      ...kinds.map((kind) =>
        line(
          group,
          kind,
          chosen.filter((row) => row.kind === kind),
        ),
      ),
      line(group, 'answerable', chosen),
    ];
  }),
);
if (values.detail !== undefined) writeFileSync(values.detail, JSON.stringify(rows, null, 1));
