import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';
import { createLedger, type Ledger, type LedgerOptions, type MeterContext } from '../src/ledger/ledger.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import type { DataRequest, LanguageModel } from '../src/models/language-model.ts';
import { manualClock, type ManualClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import type { Database } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import type { TestDatabase } from './databases.ts';
import { json, type ProtocolServer, startProtocolServer } from './protocol-server.ts';

/** Noon of 15 November 2026. */
export const NOON: number = Date.UTC(2026, 10, 15, 12);

/** A ledger on its own empty store. */
export interface OpenLedger {
  ledger: Ledger;
  database: Database;
  clock: ManualClock;
  close(): Promise<void>;
}

/** 100 tokens in and 20 out of `test.chat:…` cost 140 micro-dollars, one token of `test.embedding:…` costs 10. */
export async function openLedger(kind: TestDatabase, options: Partial<LedgerOptions> = {}): Promise<OpenLedger> {
  const { options: store, drop } = await kind.create();
  const database = await openStore(store);
  const clock = manualClock(NOON);
  const prices = { 'test.chat:*': { input: 1, output: 2 }, 'test.embedding:*': { input: 10 } };
  return {
    ledger: createLedger({ database, clock, ids: createIdSource(clock), prices, ...options }),
    database,
    clock,
    async close() {
      await database.close();
      await drop();
    },
  };
}

export const ada = { tenant: 't', agent: 'a', user: 'ada' };
export const context: MeterContext = { scope: ada, operation: 'extraction', run: 'run_1' };
const schema: z.ZodType<{ facts: string[] }> = z.object({ facts: z.array(z.string()) });
/** A request to a model. Its default answer has no facts. */
export const request: DataRequest<typeof schema> = { task: 'read', schema, prompt: { system: 's', user: 'u' } };

/** The ledgers of a suite, one for each test, and a server that answers as the models. */
export interface LedgerSuite {
  open(options?: Partial<LedgerOptions>): Promise<Ledger>;
  languageModel(): LanguageModel;
  /** The entries of the ledger for the tenant `t`. */
  rows(): Promise<Record<string, unknown>[]>;
  /** The ledger that the test has opened. */
  readonly opened: OpenLedger;
  readonly server: ProtocolServer;
}

/** Registers the hooks of a suite about ledgers. */
export function useLedger(kind: TestDatabase): LedgerSuite {
  let opened: OpenLedger;
  let server: ProtocolServer;
  beforeAll(async () => {
    server = await startProtocolServer();
  });
  afterAll(() => server.close());
  afterEach(() => opened.close());
  return {
    async open(options = {}) {
      server.reset();
      server.otherwise({ chat: json({ facts: [] }) });
      opened = await openLedger(kind, options);
      return opened.ledger;
    },
    languageModel: () => createLanguageModel({ fast: server.languageModel('m'), retries: 0 }),
    rows: () => opened.database.read('t', (reader) => reader.selectFrom('usage').selectAll().orderBy('id').execute()),
    get opened() {
      return opened;
    },
    get server() {
      return server;
    },
  };
}
