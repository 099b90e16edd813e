import { createLedger, type Ledger, type LedgerOptions } from '../src/ledger/ledger.ts';
import { manualClock, type ManualClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import type { Database } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import type { TestDatabase } from './databases.ts';

/** Noon of 15 November 2026. */
export const NOON: number = Date.UTC(2026, 10, 15, 12);

/** A ledger on an empty store of its own. */
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
