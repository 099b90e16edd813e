import { inSavepoint, rolledBack } from '../store/database.ts';
import { conflict } from '../errors.ts';
import type { Generated, LanguageModel, TextRequest } from '../models/language-model.ts';
import type { Database, Writer } from '../store/database.ts';
import type { Ledger, Meter, MeterContext } from '../ledger/ledger.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

type RehearsedDeps = Pick<ConsolidateDeps, 'database' | 'ledger' | 'languageModel'>;

/**
 * Runs `work` in one transaction and rolls it back. Each step sees the changes of the previous steps. Other writers wait until the
 * rollback: in PostgreSQL the writers of the same owners, in SQLite all writers. For a whole tenant, use {@link rehearseApart}.
 *
 * The transaction never waits for a language model. If `work` needs an answer, the transaction is rolled back, the model is asked, and
 * `work` starts again with all answers so far. The calls are paid and metered as in a real run.
 */
export async function rehearse<Deps extends RehearsedDeps, Result>(
  deps: Deps,
  tenant: string,
  work: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  const answers = new Map<string, Answer>();
  for (let strayed = 0; ;) {
    const { pass, result } = await rolledBack(deps.database, tenant, async (writer) => {
      const pass: Pass = { answers, used: new Set(), open: null };
      try {
        return { pass, result: await work(rehearsedDeps(deps, writer, pass)) };
      } catch (error) {
        if (pass.open === null) throw error;
        return { pass, result: null };
      }
    });
    if (pass.open === null) return result as Result;
    const unused = [...answers.keys()].filter((key) => !pass.used.has(key));
    for (const key of unused) answers.delete(key);
    strayed += unused.length;
    if (strayed > MOST_STRAYED)
      throw conflict('The store kept changing during the dry run. Try again.', { retryable: true });
    answers.set(pass.open.key, await ask(deps, pass.open));
  }
}

/**
 * Rolls back each transaction separately, because a single one would block other writers for minutes. For work whose transactions do not
 * depend on each other. No model is called.
 */
export async function rehearseApart<Deps extends RehearsedDeps, Result>(
  deps: Deps,
  work: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  const { database } = deps;
  const apart: Database = {
    ...database,
    write: (tenant, change) => rolledBack(database, tenant, change),
    scrub: async () => {},
  };
  return work({ ...deps, database: apart, languageModel: null });
}

// The dry run fails after more than this many useless answers. An answer becomes useless if the store changes between two passes.
const MOST_STRAYED = 3;

type Answer = { generated: Generated<unknown> } | { error: unknown };

interface Question {
  key: string;
  context: MeterContext;
  ask(model: LanguageModel): Promise<Generated<unknown>>;
}

interface Pass {
  answers: ReadonlyMap<string, Answer>;
  used: Set<string>;
  open: Question | null;
}

async function ask({ languageModel, ledger }: RehearsedDeps, { context, ask: put }: Question): Promise<Answer> {
  if (languageModel === null) throw new TypeError('There is no model to ask.');
  try {
    // The run that asks is rolled back, so the usage is recorded without a run.
    const use = { ...context, run: null };
    return { generated: await ledger.metered(use, (meter) => put(meter.languageModel(languageModel))) };
  } catch (error) {
    return { error };
  }
}

/** Everything runs in one transaction, and each inner transaction becomes a savepoint. */
function rehearsedDeps<Deps extends RehearsedDeps>(deps: Deps, writer: Writer, pass: Pass): Deps {
  const goesOn = (): void => {
    if (pass.open !== null) throw unanswered();
  };
  const database: Database = {
    ...deps.database,
    async read(_tenant, work) {
      goesOn();
      return work(writer);
    },
    async write(_tenant, work) {
      goesOn();
      return inSavepoint(writer, () => work(writer));
    },
    scrub: async () => {},
  };
  const ledger: Ledger = { ...deps.ledger, metered: (context, work) => work(rehearsedMeter(context, pass)) };
  return { ...deps, database, ledger };
}

/** The step that needs an answer throws this error, and so does every later access to the database. */
function unanswered(): Error {
  return new Error('The model has not been asked yet.');
}

function rehearsedMeter(context: MeterContext, pass: Pass): Meter {
  const answerTo = async <Data>(
    { task, prompt }: TextRequest,
    put: (model: LanguageModel) => Promise<Generated<Data>>,
  ): Promise<Generated<Data>> => {
    const key = JSON.stringify([task, prompt]);
    const answer = pass.answers.get(key);
    if (answer === undefined) {
      pass.open ??= { key, context, ask: put };
      throw unanswered();
    }
    pass.used.add(key);
    if ('error' in answer) throw answer.error;
    return answer.generated as Generated<Data>;
  };
  return {
    languageModel: (model) => ({
      modelOf: (task) => model.modelOf(task),
      generate: (request) => answerTo(request, (asked) => asked.generate(request)),
      generateText: (request) => answerTo(request, (asked) => asked.generateText(request)),
    }),
    embedder: (embedder) => embedder,
    reranker: (reranker) => reranker,
    note: () => {},
    settle: async () => {},
    entries: [],
    wasSettled: false,
  };
}
