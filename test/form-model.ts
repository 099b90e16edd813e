import { afterAll, beforeAll } from 'vitest';
import type { FormationOptions } from '../src/form/formation-settings.ts';
import type { Reading, ReadStatement, Relation } from '../src/form/read/reader.ts';
import type { Handle } from '../src/handle/handle.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve, type VarveOptions } from '../src/varve.ts';
import { databases } from './databases.ts';
import { from, json, type ProtocolRequest, type ProtocolServer, type Reply } from './protocol-server.ts';

/** A statement in the fields that a model is asked for. */
export interface StatementAnswer extends Pick<
  ReadStatement,
  'text' | 'attribute' | 'value' | 'tense' | 'type' | 'from' | 'to' | 'due' | 'importance' | 'tags'
> {
  about: string;
  denied: boolean;
  turn: number;
  quote: string;
  inferred: boolean;
  everyone: boolean;
  relation: Relation | null;
  known: number | number[] | null;
}

/** A statement as a model writes it. Fields that a test leaves out have their usual values. */
export function item(
  fields: Partial<StatementAnswer> & Pick<StatementAnswer, 'text' | 'turn' | 'quote'>,
): StatementAnswer {
  return {
    about: 'User',
    attribute: null,
    value: null,
    denied: false,
    tense: 'holds',
    type: 'fact',
    from: null,
    to: null,
    due: null,
    importance: 0.7,
    inferred: false,
    everyone: false,
    tags: [],
    relation: null,
    known: null,
    ...fields,
  };
}

type Lists = Exclude<keyof Reading, 'isCut' | 'changes'>;

/** A reading as a model returns it. Lists that a test leaves out are empty. */
export function reading(lists: { [List in Lists]?: unknown }): Record<Lists, unknown> {
  return { statements: [], ends: [], forgets: [], reflections: [], topics: [], ...lists };
}

/** The answers of the model by task. A task without one gets an empty answer. */
export interface Answers {
  read?: unknown;
  /** The answer when refused statements are sent back. Default: nothing can be corrected. */
  amend?: unknown;
  decide?: unknown;
  /** Requested only with `formation.reflectionCall: 'own'`. */
  reflect?: unknown;
}

const EMPTY: Required<Answers> = {
  read: reading({}),
  amend: reading({}),
  decide: { decisions: [] },
  reflect: { agent: [], user: [], session: [] },
};

/** The task of a request: the name of its schema, or `amend` for a second reading with the refusals. */
export function taskOf({ body }: ProtocolRequest): keyof Answers {
  const name = (body.response_format?.json_schema?.name ?? '') as keyof Answers;
  const isAmended = body.messages?.at(-1)?.content.includes('You have read these turns before.') === true;
  return name === 'read' && isAmended ? 'amend' : name;
}

/** Scripts a server by task. A function returns the whole reply, such as an error or half an answer. */
export function answering(answers: Answers): Reply {
  return from((request) => {
    const answer = answers[taskOf(request)] ?? EMPTY[taskOf(request)];
    return typeof answer === 'function' ? (answer as Reply) : json(answer);
  });
}

/** The tasks that a server was asked for, in order. */
export function tasksAsked(server: ProtocolServer): string[] {
  return server.requests.map(taskOf);
}

/** The prompts that the model received, oldest first. */
export function promptsOf(server: ProtocolServer, part: 'system' | 'user' = 'user'): string[] {
  return server.requests.map(({ body }) => body.messages?.at(part === 'user' ? -1 : 0)?.content ?? '');
}

export const START: Date = new Date('2026-11-15T10:00:00Z');

/** Switches off all further work on formed memories, so that tests see only formation. */
export const ONLY_FORMATION: NonNullable<VarveOptions['consolidation']> = {
  tiers: { enabled: false },
  reflections: { enabled: false },
  tags: { enabled: false },
  patterns: { enabled: false },
  nightly: { enabled: false },
  decay: { enabled: false },
};

/**
 * The three calls of E4: the reader sees no known statements, so that close pairs are decided by a second call, and reflections come last.
 */
export const THREE_CALLS: FormationOptions = {
  writes: 'deferred',
  reflectionCall: 'own',
  limits: { existing: 0 },
};

/** A Varve that forms with the scripted model, or with the local reader if there is no server. */
export async function openForming(
  store: StoreOptions,
  {
    server,
    formation,
    clock = manualClock(START),
    ...options
  }: Partial<VarveOptions> & {
    server?: ProtocolServer;
    formation?: FormationOptions;
    clock?: ManualClock;
  } = {},
): Promise<{ varve: Varve; clock: ManualClock }> {
  const model = server?.languageModel();
  const varve = await createVarve({
    store,
    embedder: null,
    background: false,
    clock,
    formation,
    consolidation: ONLY_FORMATION,
    ...(model === undefined ? {} : { languageModel: createLanguageModel({ fast: model, retries: 0, clock }) }),
    ...options,
  });
  return { varve, clock };
}

/** Sends lines of a user to an assistant, a minute apart, each read before the next. */
export async function tell(
  { varve, clock }: { varve: Varve; clock: ManualClock },
  handle: Handle,
  lines: readonly string[],
): Promise<void> {
  for (const userMessage of lines) {
    await handle.logInteraction({ userMessage, agentResponse: 'I see.' });
    await varve.drain();
    clock.advance(MINUTE);
  }
}

/** The live statements, oldest first. */
export async function liveStatements(handle: Handle): Promise<Memory[]> {
  const { items } = await handle.memories.list({ order: 'oldest', limit: 200 });
  return items.filter(({ type }) => type !== 'reflection' && type !== 'summary');
}

/** A memory on SQLite without a language model that reads every turn at once. The tests of a file share it. */
export function formingWithoutModel(): () => Awaited<ReturnType<typeof openForming>> {
  let forming: Awaited<ReturnType<typeof openForming>>;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const created = await databases()[0]!.create();
    drop = created.drop;
    forming = await openForming(created.options, { formation: { writes: 'immediate' }, embedder: undefined });
  });
  afterAll(async () => {
    await forming.varve.close();
    await drop();
  });
  return () => forming;
}
