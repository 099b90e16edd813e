import type { FormationOptions } from '../src/form/formation-settings.ts';
import type { ExtractedItem } from '../src/form/prompts/extract.ts';
import type { Handle } from '../src/handle/handle.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { manualClock, MINUTE, type ManualClock } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve, type VarveOptions } from '../src/varve.ts';
import { from, json, type ProtocolRequest, type ProtocolServer, type Reply } from './protocol-server.ts';

/** A memory as a model writes it: what a test leaves out is the usual. */
export function item(fields: Partial<ExtractedItem> & Pick<ExtractedItem, 'text' | 'turns'>): ExtractedItem {
  return {
    type: 'fact',
    about: 'User',
    attribute: null,
    scope: ['user'],
    importance: 0.7,
    confidence: 'high',
    stated: true,
    negative: false,
    goal_reached: false,
    tags: [],
    names: [],
    from: null,
    to: null,
    due: null,
    key: null,
    extends: null,
    replaces: null,
    ...fields,
  };
}

/** What the model answers, by task. A task that is not given gets an empty answer. */
export interface Answers {
  extract?: unknown;
  decide?: unknown;
  reflect?: unknown;
  summarise?: unknown;
  keyed_facts?: unknown;
}

const EMPTY: Required<Answers> = {
  extract: { memories: [], outdated: [] },
  decide: { decisions: [] },
  reflect: { agent: [], user: [], session: [] },
  summarise: { topics: [] },
  keyed_facts: { facts: [] },
};

/** The task of a request: the name of its schema. */
export function taskOf(request: ProtocolRequest): keyof Answers {
  return (request.body.response_format?.json_schema?.name ?? '') as keyof Answers;
}

/** Scripts a server by task. A function is a reply of its own: an error, half an answer. */
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

export const START: Date = new Date('2026-11-15T10:00:00Z');

/** What formation forms is not worked on further: its tests look at formation alone. */
export const ONLY_FORMATION: NonNullable<VarveOptions['consolidation']> = {
  tiers: { enabled: false },
  reflections: { enabled: false },
  tags: { enabled: false },
  patterns: { enabled: false },
  nightly: { enabled: false },
  decay: { enabled: false },
};

/** A Varve that forms with the scripted model, or by rules when there is no server. */
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
    ...(model === undefined ? {} : { languageModel: createLanguageModel({ fast: model, retries: 0 }) }),
    ...options,
  });
  return { varve, clock };
}

/** Lets somebody say lines to an assistant, a minute apart, each distilled before the next. */
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

/** What is live and was said, oldest first. */
export async function liveStatements(handle: Handle): Promise<Memory[]> {
  const { items } = await handle.memories.list({ order: 'oldest', limit: 200 });
  return items.filter(({ type }) => type !== 'reflection' && type !== 'summary');
}
