import { inSavepoint } from '../store/database.ts';
import { VarveError } from '../errors.ts';
import type { Meter, MeterContext } from '../ledger/meter.ts';
import type { Generated, LanguageModel, TextRequest } from '../models/language-model.ts';
import type { Database, Tenant, Writer } from '../store/database.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

/**
 * Does a piece of work and takes it back: the dry run of anything. The work itself does not know. All of it sees one
 * transaction, so that each step finds what the steps before it have done, and its result says what would have changed.
 * Other writers wait meanwhile: of the same owners in PostgreSQL, all of them in SQLite. That is for the work on one owner;
 * what goes through all of a tenant's is rehearsed by {@link rehearseApart}.
 *
 * A language model is never waited for in there. Where the work needs an answer, it is taken back, the model is asked,
 * and the work begins again with all the answers so far. What that costs is paid and metered as in a real run.
 */
export async function rehearse<Result>(
  deps: ConsolidateDeps,
  tenant: string,
  work: (deps: ConsolidateDeps) => Promise<Result>,
): Promise<Result> {
  const answers = new Map<string, Answer>();
  for (let strayed = 0; ;) {
    const { pass, result } = await takeBack(deps.database, tenant, async (writer) => {
      const pass: Pass = { ...nothingOpen(), answers };
      try {
        return { pass, result: await work(rehearsedDeps(deps, withinTransaction(deps.database, writer, pass), pass)) };
      } catch (error) {
        if (pass.open === null) throw error;
        return { pass, result: null };
      }
    });
    if (pass.open === null) return result as Result;
    const unused = [...answers.keys()].filter((key) => !pass.used.has(key));
    for (const key of unused) answers.delete(key);
    strayed += unused.length;
    if (strayed > MOST_STRAYED) throw keptChanging();
    answers.set(pass.open.key, await ask(deps, pass.open));
  }
}

/**
 * The dry run of work whose transactions do not build on each other: every one of them is taken back by itself, so that
 * others wait for none longer than in the real run. All in one would take minutes for 100,000 memories. No model is asked.
 */
export async function rehearseApart<Result>(
  deps: ConsolidateDeps,
  work: (deps: ConsolidateDeps) => Promise<Result>,
): Promise<Result> {
  const { database } = deps;
  return work({
    ...rehearsedDeps(
      deps,
      { ...database, write: (tenant, change) => takeBack(database, tenant, change) },
      nothingOpen(),
    ),
    languageModel: null,
  });
}

// An answer that the next pass has no use for was paid in vain: the store was written to between the two passes.
const MOST_STRAYED = 3;

function keptChanging(): VarveError {
  return new VarveError('What there is to do kept changing while it was rehearsed.', {
    code: 'conflict',
    retryable: true,
  });
}

type Answer = { generated: Generated<unknown> } | { error: unknown };

interface Question {
  key: string;
  context: MeterContext;
  ask(model: LanguageModel): Promise<Generated<unknown>>;
}

/** One time through the work. */
interface Pass {
  answers: ReadonlyMap<string, Answer>;
  used: Set<string>;
  /** The question that ended it. */
  open: Question | null;
}

function nothingOpen(): Pass {
  return { answers: new Map(), used: new Set(), open: null };
}

class TakenBack extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('A rehearsal was taken back.');
    this.result = result;
  }
}

async function takeBack<Result>(
  database: Database,
  tenant: Tenant,
  work: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.write(tenant, async (writer) => {
      throw new TakenBack(await work(writer));
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.result as Result;
    throw error;
  }
}

async function ask(deps: ConsolidateDeps, { context, ask: put }: Question): Promise<Answer> {
  const { languageModel, ledger } = deps;
  if (languageModel === null) throw new TypeError('A question without a model to ask.');
  try {
    // The run that asks is taken back: its usage belongs to no run.
    const use = { ...context, run: null };
    return { generated: await ledger.metered(use, (meter) => put(meter.languageModel(languageModel))) };
  } catch (error) {
    return { error };
  }
}

function rehearsedDeps(deps: ConsolidateDeps, database: Database, pass: Pass): ConsolidateDeps {
  return {
    ...deps,
    database: { ...database, scrub: async () => {} },
    ledger: { ...deps.ledger, metered: (context, work) => work(rehearsedMeter(context, pass)) },
  };
}

/** Everything in one transaction, what is one transaction by itself in a savepoint of it. */
function withinTransaction(database: Database, writer: Writer, pass: Pass): Database {
  const goesOn = (): void => {
    if (pass.open !== null) throw new Unanswered();
  };
  return {
    ...database,
    async read(_tenant, work) {
      goesOn();
      return work(writer);
    },
    async write(_tenant, work) {
      goesOn();
      return inSavepoint(writer, () => work(writer));
    },
  };
}

/** Ends a pass. The step that needs the answer fails with it, and so does everything after it. */
class Unanswered extends Error {
  constructor() {
    super('The model has not been asked yet.');
  }
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
      throw new Unanswered();
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
  };
}
