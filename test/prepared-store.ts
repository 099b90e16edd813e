import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { StoreOptions } from '../src/store/open-store.ts';

/** A store that can be copied as a whole while it is not open. */
export interface CopyableStore {
  options: StoreOptions;
  copy(): Promise<{ options: StoreOptions; drop(): Promise<void> }>;
  drop(): Promise<void>;
}

/** An empty SQLite store in its own folder. Copies are copies of the folder. */
export async function copyableSqlite(): Promise<CopyableStore> {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'varve-copy-'));
  const storeIn = (path: string): Awaited<ReturnType<CopyableStore['copy']>> => ({
    options: { path: join(path, 'varve.db') },
    drop: async () => rmSync(path, { recursive: true, force: true }),
  });
  const first = storeIn(folder());
  return {
    ...first,
    copy: async () => {
      const path = folder();
      cpSync(dirname((first.options as { path: string }).path), path, { recursive: true });
      return storeIn(path);
    },
  };
}

/** An empty PostgreSQL database. The server makes the copies, which needs the right to create databases. */
export async function copyablePostgres(url: string): Promise<CopyableStore> {
  const { default: pg } = await import('pg');
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const create = async (template?: string) => {
    const name = `varve_copy_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    await run(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
    const its = new URL(url);
    its.pathname = `/${name}`;
    return { name, options: { url: its.href }, drop: () => run(`drop database if exists ${name} with (force)`) };
  };
  const first = await create();
  return { ...first, copy: () => create(first.name) };
}
