import type { AssembledContext } from '../assemble/assemble.ts';
import type { ContextOptions } from '../assemble/context-options.ts';
import type { ContextReport } from '../assemble/context-report.ts';
import type { Handle } from '../handle/handle.ts';
import type { RecallOptions, RecallResult } from '../recall/recall-options.ts';
import type { Question, Turn } from './conversation.ts';
import { ndcgAt, precisionAt, reciprocalRank } from './metrics.ts';
import { turnTexts, type Replay } from './replay.ts';
import { BUDGETS, type Found, type Row } from './row.ts';
import { flat, isSaidIn, quotedShare, sayTogether, tellingWords, type SaidStatement } from './says.ts';

/** The options of recall and of contexts when an arm asks a question. */
export interface AskOptions {
  recall?: RecallOptions;
  context?: ContextOptions;
}

const LIMIT = 10;

export async function measureRetrieval(replay: Replay, question: Question, ask: AskOptions): Promise<Found[]> {
  if (question.isAnswerable && question.evidence.length === 0) return [];
  const handle = replay.handle(`ask ${question.id}`);
  const options = { limit: LIMIT, track: false, withSources: true, ...ask.recall };
  const started = performance.now();
  const recalled = await handle.recall(question.question, options);
  const milliseconds = performance.now() - started;
  const open = recalled.abstained ? await handle.recall(question.question, { ...options, abstain: false }) : recalled;
  const turns = open.results.map((result) => turnsOf(replay, result));
  const silent = recalled.abstained ? 1 : 0;
  return [
    {
      measure: 'retrieval',
      item: question.id,
      kind: question.kind,
      values: {
        ...(question.isAnswerable
          ? { ...placeValues(turns, question.evidence), silentOnAnswerable: silent }
          : unanswerableValues(replay, question, { results: open.results, silent })),
        ...(recalled.answerable === null ? {} : { confidence: recalled.answerable }),
        milliseconds,
      },
      detail: { question: question.question, evidence: question.evidence, found: turns },
    },
  ];
}

/** Abstaining is not enough for forgotten statements: recall must not return them even when forced to answer. */
function unanswerableValues(
  replay: Replay,
  question: Question,
  { results, silent }: { results: readonly RecallResult[]; silent: number },
): Record<string, number> {
  const needed = neededIn(replay, question);
  if (question.kind !== 'forgotten' || needed.length === 0) return { silentOnUnanswerable: silent };
  const given = results.flatMap(({ text, sources }) => [text, ...sources.map(({ content }) => content)]);
  return { leaked: 1 - missingFrom(given.join('\n'), needed).length / needed.length };
}

function turnsOf({ turnOf }: Replay, result: RecallResult): string[] {
  if (result.event !== null) return named(turnOf, [result.event.id]);
  return named(turnOf, [result.memory.id, ...result.memory.sourceEvents]);
}

function named(turnOf: ReadonlyMap<string, string>, ids: readonly string[]): string[] {
  return ids.flatMap((id) => turnOf.get(id) ?? []);
}

/** Rank metrics count a result as its first turn of evidence that no earlier result contained. Recall counts all of its turns. */
export function placeValues(
  turns: readonly (readonly string[])[],
  evidence: readonly string[],
): Record<string, number> {
  const wanted = new Set(evidence);
  const seen = new Set<string>();
  const places = turns.map((some, index) => {
    const fresh = some.find((turn) => wanted.has(turn) && !seen.has(turn));
    for (const turn of some) seen.add(turn);
    return fresh ?? `result ${index + 1}`;
  });
  const recall = (k: number): number => {
    const within = new Set(turns.slice(0, k).flat());
    return evidence.filter((turn) => within.has(turn)).length / wanted.size;
  };
  return {
    'precision@5': precisionAt(places, wanted, 5),
    'ndcg@5': ndcgAt(places, wanted, 5),
    'recall@5': recall(5),
    'recall@10': recall(10),
    mrr: reciprocalRank(places, wanted),
  };
}

export async function measurePrompt(replay: Replay, question: Question, ask: AskOptions): Promise<Found[]> {
  const needed = neededIn(replay, question);
  const isForgotten = question.kind === 'forgotten';
  if ((!question.isAnswerable && !isForgotten) || needed.length === 0) return [];
  const handle = replay.handle(`ask ${question.id}`);
  const values: Record<string, number> = {};
  const missed: Record<string, string[]> = {};
  for (const budget of BUDGETS) {
    const context = await contextFor(handle, question, ask, budget);
    const missing = missingFrom(promptOf(context), needed, await statementsIn(replay, context.report));
    if (isForgotten) values['leakedInPrompt'] = 1 - missing.length / needed.length;
    else values[`evidence@${budget}`] = 1 - missing.length / needed.length;
    if (missing.length > 0) missed[budget] = missing;
    if (budget !== 2000) continue;
    const { injected, raw } = context.report.saving;
    values['tokens'] = injected;
    if (raw > budget) values['saved'] = 1 - injected / raw;
    else if (raw > 0) values['overhead'] = injected / raw;
  }
  return [
    {
      measure: 'end-to-end',
      item: question.id,
      kind: question.kind,
      values,
      detail: { question: question.question, missed },
    },
  ];
}

export function contextFor(
  handle: Handle,
  { question }: Question,
  ask: AskOptions,
  budget: number,
): Promise<AssembledContext> {
  return handle.context({ message: question, unlogged: true, ...ask.context, budget });
}

export function promptOf({ system, user, messages }: Pick<AssembledContext, 'system' | 'user' | 'messages'>): string {
  return [system, user, ...messages.map(({ content }) => content)].join('\n');
}

/** A turn with its expected memories, or one memory if the data set names no turns. */
interface Needed {
  id: string;
  text: string;
  memories: Replay['conversation']['memories'];
}

const OPENING = 60;
// The quoted share of a turn that counts as present. Recall omits turns that documents quote almost completely.
const QUOTED = 0.9;

function neededIn({ conversation }: Replay, question: Question): Needed[] {
  const texts = turnTexts(conversation);
  const memories = conversation.memories.filter(({ id }) => question.memories.includes(id));
  if (question.evidence.length === 0)
    return memories.map((memory) => ({ id: memory.id, text: '', memories: [memory] }));
  return question.evidence.map((id) => ({
    id,
    text: texts.get(id) ?? '',
    memories: memories.filter(({ stated }) => stated.includes(id)),
  }));
}

async function statementsIn({ handle, turnOf }: Replay, { sections }: ContextReport): Promise<SaidStatement[]> {
  const ids = new Set(sections.flatMap((section) => section.ids.filter((id) => id.startsWith('mem_'))));
  const found = await Promise.all([...ids].map((id) => handle().memories.get(id)));
  return found
    .filter((memory) => memory !== null)
    .map(({ content, value, sourceEvents }) => ({ text: content, value, turns: named(turnOf, sourceEvents) }));
}

/** Evidence is present if the prompt quotes the turn, has a line with the memory, or has statements that together contain it. */
function missingFrom(prompt: string, needed: readonly Needed[], statements: readonly SaidStatement[] = []): string[] {
  const lines = prompt.split('\n').map((line) => tellingWords(line));
  const flatPrompt = flat(prompt);
  // Only statements whose full text is in the prompt. A permanent fact is shown only as a label and a value, which have fewer words.
  const standing = statements.filter(({ text }) => flatPrompt.includes(flat(text)));
  const isQuoted = (text: string): boolean =>
    text !== '' && (prompt.includes(text.slice(0, OPENING)) || quotedShare(text, flatPrompt) >= QUOTED);
  return needed
    .filter(
      ({ text, memories }) =>
        !isQuoted(text) && !memories.some((memory) => isSaidIn(memory, lines) || sayTogether(memory, standing)),
    )
    .map(({ id }) => id);
}

export function watchColdStart(ask: AskOptions): {
  afterTurn(replay: Replay, turn: Turn): Promise<void>;
  rows(): Found[];
} {
  const said = new Set<string>();
  let [turns, possible, first] = [0, 0, 0];
  let answered: string | null = null;
  return {
    async afterTurn(replay, turn) {
      said.add(turn.id);
      if (turn.role !== 'user' || answered !== null) return;
      turns += 1;
      const open = replay.conversation.questions.filter(
        ({ isAnswerable, evidence }) => isAnswerable && evidence.length > 0 && evidence.every((id) => said.has(id)),
      );
      if (open.length === 0) return;
      possible ||= turns;
      // In a new session, because the prompt always contains the turns of the current one.
      await replay.varve.drain();
      for (const question of open) {
        const context = await contextFor(replay.handle(`cold ${question.id}`), question, ask, 2000);
        const statements = await statementsIn(replay, context.report);
        if (missingFrom(promptOf(context), neededIn(replay, question), statements).length > 0) continue;
        [answered, first] = [question.question, turns];
        return;
      }
    },
    rows() {
      if (possible === 0) return [];
      const reached = answered === null ? turns : first;
      return [
        {
          measure: 'cold-start',
          item: 'first',
          kind: 'cold start',
          values: { turnsToFirst: reached, turnsWaited: reached - possible },
          detail: { question: answered },
        },
      ];
    },
  };
}

type FoundByArm = Omit<Row, 'conversation'>;

const CANDIDATES = 100;

/** Leaves out each signal and arm without a second search, because a score is the sum of its signals. Ignores ranks below 100. */
export async function measureSignals(replay: Replay, question: Question): Promise<FoundByArm[]> {
  if (!question.isAnswerable || question.evidence.length === 0) return [];
  const handle = replay.handle(`ask ${question.id}`);
  const { results } = await handle.recall(question.question, {
    limit: CANDIDATES,
    abstain: false,
    track: false,
    withSources: true,
  });
  const row = (arm: string, ranked: readonly RecallResult[]): FoundByArm => ({
    arm,
    measure: 'retrieval',
    item: question.id,
    kind: question.kind,
    values: placeValues(
      ranked.slice(0, 10).map((result) => turnsOf(replay, result)),
      question.evidence,
    ),
  });
  const signals = [...new Set(results.flatMap(({ explanation }) => explanation.map(({ signal }) => signal)))].sort();
  const arms = [...new Set(results.flatMap((result) => result.arms))].sort();
  return [
    ...signals.map((signal) => row(`without signal ${signal}`, reordered(results, signal))),
    ...arms.map((arm) =>
      row(
        `without arm ${arm}`,
        results.filter((result) => result.arms.some((each) => each !== arm)),
      ),
    ),
  ];
}

function reordered(results: readonly RecallResult[], signal: string): RecallResult[] {
  const without = ({ score, explanation }: RecallResult): number =>
    score - explanation.reduce((sum, share) => sum + (share.signal === signal ? share.value * share.weight : 0), 0);
  return results.toSorted((one, other) => without(other) - without(one));
}
