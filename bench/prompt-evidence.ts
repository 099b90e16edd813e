// npm run bench:prompt [-- --lives judge --budgets 500,1000,2000,4000 --model --stores FOLDER --detail FILE]
// Whether the prompt has the evidence: lives of train/lives are lived through, each question is asked after its session, and the turns
// that answer it are looked for in the context, at several budgets. A turn is there when its beginning stands in the prompt, or when one
// line of the prompt has 60 % of the telling words of a memory that the turn states (the definition of the lives' own scorer). `by id`
// counts a turn that stands in the prompt or that a statement in the prompt rests on, whatever its words.
//
// `--lives`: `tune` (ids that end in an odd digit), `judge` (the others), `all`, or ids with commas. Whatever is tuned is tuned on `tune`.
// `--model`: only lives with recorded answers of a model, read by it. `--stores`: keeps the stores after each session in a folder and
// asks them again the next time; whatever changes how turns are read or embedded needs a new folder.

import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import type { ContextReport } from '../src/assemble/context-report.ts';
import type { Handle } from '../src/handle/handle.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { manualClock } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { ONLY_FORMATION } from '../test/form-model.ts';
import { covers } from '../src/evaluate/says.ts';
import { loadLife, playLife, type Life, type LifeQuestion } from '../test/recordings/life.ts';
import { replayingModel, type Recording } from '../test/recordings/recorded-model.ts';
import { printTable } from './measure.ts';

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: 'judge' },
    budgets: { type: 'string', default: '500,1000,2000,4000' },
    model: { type: 'boolean', default: false },
    stores: { type: 'string' },
    detail: { type: 'string' },
  },
});
const budgets = values.budgets.split(',').map(Number);
const root = join(import.meta.dirname, '..');
const recordings = join(root, 'test/recordings');

/** The ids of the lives that are asked for. */
function chosenLives(): string[] {
  const folder = values.model ? recordings : join(root, 'train/lives');
  const ids = globSync(join(folder, '*.json')).map((file) => basename(file, '.json'));
  const isTuned = (id: string): boolean => Number(id.slice(-1)) % 2 === 1;
  if (values.lives === 'all') return ids.sort();
  if (values.lives === 'tune') return ids.filter(isTuned).sort();
  if (values.lives === 'judge') return ids.filter((id) => !isTuned(id)).sort();
  return values.lives.split(',');
}

/** One question at one budget. */
interface Answer {
  life: string;
  group: 'English' | 'other languages';
  kind: string;
  question: string;
  budget: number;
  /** The share of its evidence that is in the prompt; of a question without an answer, 0. */
  found: number;
  missed: string[];
  /** The share of its evidence that is in the prompt by id: the turn, or a statement that rests on it. */
  told: number;
  tokens: number;
  milliseconds: number;
  nothingKnown: boolean;
  prompt: string;
}

const answers: Answer[] = [];

async function askAfter(life: Life, session: string, varve: Varve): Promise<void> {
  const turns = life.sessions.flatMap((each) => each.turns);
  for (const question of life.questions.filter(({ after }) => after === session)) {
    const handle = varve.for({ agent: 'assistant', user: life.id, session: `ask-${question.id}` });
    for (const budget of budgets) {
      const context = await handle.context({ message: question.question, budget, unlogged: true });
      const prompt = [context.system, context.user, ...context.messages.map(({ content }) => content)].join('\n');
      const told = await toldTurns(handle, context.report);
      const isTold = (turn: string): boolean => told.has(turns.find(({ id }) => id === turn)?.text ?? '');
      const missed = question.evidence.filter((turn) => !isInPrompt(life, question, turn, prompt));
      answers.push({
        life: life.id,
        group: life.language === 'en' ? 'English' : 'other languages',
        kind: question.kind,
        question: question.question,
        budget,
        found: question.evidence.length === 0 ? 0 : 1 - missed.length / question.evidence.length,
        missed,
        told: question.evidence.filter(isTold).length / Math.max(1, question.evidence.length),
        tokens: context.report.tokens.total,
        milliseconds: context.report.milliseconds,
        nothingKnown: context.user.includes('Nothing is known about'),
        prompt,
      });
    }
  }
}

/** The texts of the turns that a prompt tells: those that stand in it, and those that its statements rest on. */
async function toldTurns(handle: Handle, report: ContextReport): Promise<Set<string>> {
  const ids = report.sections.flatMap((section) => section.ids);
  const memories = await Promise.all(
    ids.filter((id) => id.startsWith('mem_')).map((id) => handle.memories.get(id).catch(() => null)),
  );
  const events = [
    ...ids.filter((id) => id.startsWith('evt_')),
    ...memories.flatMap((memory) => memory?.sourceEvents ?? []),
  ];
  const found = await Promise.all([...new Set(events)].map((id) => handle.events.get(id).catch(() => null)));
  return new Set(found.flatMap((event) => event?.content ?? []));
}

function isInPrompt(life: Life, question: LifeQuestion, turn: string, prompt: string): boolean {
  const text = life.sessions.flatMap(({ turns }) => turns).find(({ id }) => id === turn)?.text ?? '\0';
  if (prompt.includes(text.slice(0, 60))) return true;
  const stated = life.memories.filter(({ id, stated }) => question.memories.includes(id) && stated.includes(turn));
  return stated.some((gold) => prompt.split('\n').some((line) => covers(gold.text, line) >= 0.6));
}

/** Where the store of a life after a session is kept. */
function storeFile(folder: string, life: Life, session: string): string {
  return join(folder, `${life.id}${values.model ? '-model' : ''}-${session}.db`);
}

/** Lives a life through and asks its questions on the way. */
async function live(life: Life): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-prompt-'));
  const store = join(folder, 'varve.db');
  const recorded = values.model
    ? replayingModel(JSON.parse(readFileSync(join(recordings, `${life.id}.json`), 'utf8')) as Recording[])
    : null;
  const lived = await playLife(
    life,
    recorded === null ? null : createLanguageModel({ fast: recorded.model, retries: 0 }),
    {
      store,
      // The recorded model has read turns and nothing else: documents are written without it, or not at all.
      consolidation: recorded === null ? {} : { ...ONLY_FORMATION, decay: { enabled: true } },
      async afterSession(session, { varve }, now) {
        if (!life.questions.some(({ after }) => after === session)) return;
        if (values.stores === undefined) return askAfter(life, session, varve);
        const file = storeFile(values.stores, life, session);
        const database = new DatabaseSync(store);
        database.exec(`VACUUM INTO '${file}'`);
        database.close();
        writeFileSync(`${file}.time`, String(now));
      },
    },
  );
  await lived.varve.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Asks the questions of a life in its kept stores; lives it through first where they are not there. */
async function askKept(life: Life, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sessions = [...new Set(life.questions.map(({ after }) => after))];
  if (!sessions.every((session) => existsSync(`${storeFile(folder, life, session)}.time`))) await live(life);
  for (const session of sessions) {
    const store = storeFile(folder, life, session);
    const clock = manualClock(Number(readFileSync(`${store}.time`, 'utf8')));
    const varve = await createVarve({ store, background: false, clock });
    await askAfter(life, session, varve);
    await varve.close();
  }
}

for (const id of chosenLives()) {
  const life = loadLife(id);
  await (values.stores === undefined ? live(life) : askKept(life, values.stores));
  process.stderr.write(`${id} `);
}
process.stderr.write('\n');

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
const share = (number: number): string => number.toFixed(3).replace(/^0/, '');
const rows: string[][] = [];
const addRow = (group: string, kind: string, chosen: readonly Answer[]): void => {
  if (chosen.length === 0) return;
  const at = (budget: number): Answer[] => chosen.filter((answer) => answer.budget === budget);
  const shares = budgets.map((budget) => share(mean(at(budget).map(({ found }) => found))));
  const silent = mean(chosen.map(({ nothingKnown }) => Number(nothingKnown)));
  const told = budgets.map((budget) => share(mean(at(budget).map((answer) => answer.told))));
  rows.push([group, kind, String(chosen.length / budgets.length), ...shares, told.join(' '), share(silent)]);
};
const groups = new Map<string, Answer[]>([
  ['English', answers.filter(({ group }) => group === 'English')],
  ['other languages', answers.filter(({ group }) => group !== 'English')],
  ['all', answers],
]);
for (const [group, chosen] of groups) {
  const kinds = [...new Set(chosen.map(({ kind }) => kind))].sort();
  for (const kind of kinds) {
    addRow(
      group,
      kind,
      chosen.filter((answer) => answer.kind === kind),
    );
  }
  addRow(
    group,
    'answerable',
    chosen.filter(({ kind }) => kind !== 'unknown'),
  );
}
printTable(
  ['lives', 'kind', 'questions', ...budgets.map((budget) => `in ${budget}`), 'by id', '"nothing known"'],
  rows,
);
for (const budget of budgets) {
  const chosen = answers.filter((answer) => answer.budget === budget);
  const times = chosen.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  const half = times[Math.floor(times.length / 2)] ?? 0;
  console.log(`${budget}: ${Math.round(mean(chosen.map(({ tokens }) => tokens)))} tokens, p50 ${half.toFixed(1)} ms`);
}
if (values.detail !== undefined) writeFileSync(values.detail, JSON.stringify(answers, null, 1));
