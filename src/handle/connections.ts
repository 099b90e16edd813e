import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import type { Block } from '../record/block.ts';
import { DAY } from '../record/clock.ts';
import { parse, storable } from '../record/parse.ts';
import { ownerLevel, type Scope, scopeAt } from '../record/scope.ts';
import type { ToolSchema } from '../record/session.ts';
import { findBlock, replaceBlock } from '../store/block-store.ts';
import type { Parts } from '../store/database.ts';
import { findToolSchema, saveToolSchema } from '../store/session-store.ts';

/** What a handle knows about its tool connection. Needs a handle from `varve.for({ …, connection })`. */
export interface ConnectionHandle {
  /** Returns what was learned about this connection. */
  learnedInfo(): Promise<Record<string, unknown>>;
  /** Merges new values into the learned information. A key whose value is null is removed. */
  learn(info: Record<string, unknown>): Promise<Block>;
  /** Returns the cached schema of the tools, even if it is stale, or null if none is cached. */
  toolSchema(): Promise<ToolSchema | null>;
  /** Caches a schema for `timeToLive` milliseconds. Default: a day. */
  saveToolSchema(schema: unknown, options?: { timeToLive?: number }): Promise<void>;
  /** Returns the cached schema, or fetches it if it is missing or stale. If the fetch fails, returns the stale schema. */
  freshToolSchema(fetch: () => Promise<unknown>, options?: { timeToLive?: number }): Promise<unknown>;
}

export const infoSchema: z.ZodType<Record<string, unknown>, Record<string, unknown>> = z.record(
  z.string().min(1).max(200),
  z.json(),
);
const schemaSchema: z.ZodType<unknown> = z.json().check(storable);
const timeToLiveSchema: z.ZodType<number> = z.number().positive();

export function connectionHandle(parts: Parts, scope: Scope): ConnectionHandle {
  const { database, clock } = parts;
  const here = (): Scope => {
    if (scope.connection !== null) return scopeAt(scope, ownerLevel(scope));
    throw invalidInput("This handle has no connection: open it with varve.for({ …, connection: '…' }).");
  };
  const toolSchema = (): Promise<ToolSchema | null> => {
    const at = here();
    return database.read(scope.tenant, (reader) => findToolSchema(reader, at, clock.now()));
  };
  const save: ConnectionHandle['saveToolSchema'] = async (schema, { timeToLive = DAY } = {}) => {
    const at = here();
    parse(schemaSchema, schema, 'The tool schema');
    parse(timeToLiveSchema, timeToLive, 'timeToLive');
    await database.write(scope.tenant, (writer) =>
      saveToolSchema(writer, at, { schema, timeToLive: Math.ceil(timeToLive), now: clock.now() }),
    );
  };
  return {
    async learnedInfo() {
      const at = here();
      const block = await database.read(scope.tenant, (reader) => findBlock(reader, at, 'learned_info'));
      return (block?.content ?? {}) as Record<string, unknown>;
    },
    async learn(info) {
      const at = here();
      const added = parse(infoSchema, info, 'What was learned');
      return database.write(scope.tenant, async (writer) => {
        const before = await findBlock(writer, at, 'learned_info');
        const merged = { ...(before?.content as Record<string, unknown> | undefined), ...added };
        const content = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
        const why = { reason: 'learned of the connection' };
        return replaceBlock(writer, parts, at, { kind: 'learned_info', content }, why);
      });
    },
    toolSchema,
    saveToolSchema: save,
    async freshToolSchema(fetch, options) {
      const cached = await toolSchema();
      if (cached !== null && !cached.stale) return cached.schema;
      try {
        const schema = await fetch();
        await save(schema, options);
        return schema;
      } catch (error) {
        if (cached === null) throw error;
        return cached.schema;
      }
    },
  };
}
