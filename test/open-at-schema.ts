import { vi } from 'vitest';
import type { Database } from '../src/store/database.ts';
import type * as migrations from '../src/store/migrations/migrations.ts';
import type { StoreOptions } from '../src/store/open-store.ts';

/** Opens a store at an older schema, as an older version of Varve left it. */
export async function openAtSchema(schema: number, options: StoreOptions): Promise<Database> {
  vi.resetModules();
  vi.doMock('../src/store/migrations/migrations.ts', async (original) => {
    const real = await original<typeof migrations>();
    return {
      ...real,
      pendingMigrations: (version: number) => real.pendingMigrations(version).filter((each) => each.version <= schema),
    };
  });
  try {
    const module = await import('../src/store/open-store.ts');
    return await module.openStore(options);
  } finally {
    vi.doUnmock('../src/store/migrations/migrations.ts');
    vi.resetModules();
  }
}
