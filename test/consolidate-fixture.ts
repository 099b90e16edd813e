import { afterEach, beforeEach } from 'vitest';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { manualClock, type ManualClock } from '../src/record/clock.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve, type VarveOptions } from '../src/varve.ts';
import type { Handle } from '../src/handle/handle.ts';
import type { TestDatabase } from './databases.ts';
import { json, startProtocolServer, type ProtocolServer, type Reply } from './protocol-server.ts';

/** Noon on Monday, 5 January 2026. */
export const START: number = Date.UTC(2026, 0, 5, 12);

export interface Opened {
  varve: Varve;
  clock: ManualClock;
  /** The options of the store; opening it again with them opens the same store. */
  store: StoreOptions;
  /** Ana, with the agent `coach` of the tenant `t`. */
  ana: Handle;
  of(session: string): Handle;
  close(): Promise<void>;
}

/** Opens an empty store on its own database, with a fixed clock and without an embedder and background work. */
export async function openConsolidation(
  database: TestDatabase,
  { server, ...given }: Partial<VarveOptions> & { server?: ProtocolServer } = {},
): Promise<Opened> {
  const { options, drop } = await database.create();
  const clock = manualClock(START);
  const languageModel =
    server === undefined ? undefined : createLanguageModel({ fast: server.languageModel(), retries: 0, clock });
  const varve = await createVarve({
    store: options,
    embedder: null,
    background: false,
    clock,
    languageModel,
    ...given,
  });
  const scope = { tenant: 't', agent: 'coach', user: 'ana' };
  return {
    varve,
    clock,
    store: options,
    ana: varve.for(scope),
    of: (session) => varve.for({ ...scope, session }),
    async close() {
      await varve.close();
      await drop();
    },
  };
}

/**
 * Gives every test of a suite its own model server, and closes what the test has opened. Nothing is shared, so that a test that fails or
 * times out does not affect others.
 */
export function consolidationSuite(
  database: TestDatabase,
  onServer: (server: ProtocolServer) => void,
): (given?: Parameters<typeof openConsolidation>[1]) => Promise<Opened> {
  let server: ProtocolServer;
  const opened: Opened[] = [];
  beforeEach(async () => {
    server = await startProtocolServer();
    onServer(server);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await server.close();
  });
  return async (given = {}) => {
    const one = await openConsolidation(database, given);
    opened.push(one);
    return one;
  };
}

/** An answer of a model to new observations: scaffold entries, changes of the working memory, facts. */
export interface GivenChanges {
  set?: object;
  remove?: string[];
  /** The numbers of the observations that each scaffold entry is from. */
  from?: number[];
  working?: object[];
  facts?: unknown[];
}

/** The answer of a model to new observations, in the format that the prompt asks for. */
export function changesAnswer({ set = {}, remove = [], from = [], working = [], facts = [] }: GivenChanges): Reply {
  return json({
    working_memory_changes: working,
    scaffold_changes: [
      ...Object.entries(set).map(([key, value]) => ({ key, value, from })),
      ...remove.map((key) => ({ key, remove: true, from })),
    ],
    facts_to_embed: facts,
  });
}
