import { z } from 'zod';
import { factLabel } from '../record/fact-label.ts';
import { FACT_CATEGORIES, keySchema, type FactCategory, type Memory } from '../record/memory.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';
import { ownerLevel, ownerKey, scopeAt, type Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import type { Parts } from '../store/parts.ts';
import { toMemory } from '../store/memory-rows.ts';
import { listMemories } from '../store/read-memories.ts';
import { archiveMemory, writeMemory, type WrittenMemory } from '../store/write-memory.ts';
import { parseChange } from './change.ts';

/** A permanent fact: one live value under a key. */
export interface FactInput {
  /** snake_case, such as `home_city`. */
  key: string;
  value: string;
  /** Default `general`. */
  category?: FactCategory;
  /** Ids of the events that say so. */
  sourceEvents?: string[];
}

/** Reading permanent facts. */
export interface FactReader {
  /** The live value under a key; null when there is none. */
  get(key: string): Promise<Memory | null>;
  /** All facts, by category and key. */
  list(): Promise<Memory[]>;
}

/** Permanent facts: each key has one live value, replaced when it changes, never pruned. */
export interface FactHandle extends FactReader {
  /** Sets a value. The same value again changes nothing; another one replaces it and keeps it in the past. */
  set(fact: FactInput, why?: Partial<Change>): Promise<WrittenMemory>;
  /** Archives the fact under a key. Gives back whether there was one. */
  forget(key: string, why?: Partial<Change>): Promise<boolean>;
}

export const factSchema: z.ZodType<FactInput, FactInput> = z.strictObject({
  key: keySchema,
  value: textSchema(5000),
  category: z.enum(FACT_CATEGORIES).optional(),
  sourceEvents: z.array(textSchema(200)).max(1000).optional(),
});

export function factReader(parts: Parts, scope: Scope, asOf: Date | null): FactReader {
  const list = async (filter: { keys?: string[] }): Promise<Memory[]> => {
    const now = parts.clock.now();
    const { items } = await parts.database.read(scope.tenant, (reader) =>
      listMemories(reader, scope, { ...filter, types: ['keyed_fact'], limit: 1000 }, { now, asOf }),
    );
    return items;
  };
  return {
    async get(key) {
      parse(keySchema, key, 'The key');
      const [innermost] = (await list({ keys: [key] })).sort(byDepth);
      return innermost ?? null;
    },
    async list() {
      const facts = await list({});
      return facts.sort((a, b) => compare(a.category, b.category) || compare(a.key, b.key));
    },
  };
}

export function factHandle(parts: Parts, scope: Scope): FactHandle {
  return {
    ...factReader(parts, scope, null),
    async set(fact, why) {
      const { key, value, category, sourceEvents } = parse(factSchema, fact, 'The fact');
      const reason = parseChange(why, 'stated as a fact');
      return parts.database.write(scope.tenant, (writer) =>
        writeMemory(
          writer,
          parts,
          scope,
          {
            type: 'keyed_fact',
            key,
            value,
            category: category ?? 'general',
            content: `${factLabel(key)}: ${value.trim()}`,
            sourceEvents,
          },
          reason,
        ),
      );
    },
    async forget(key, why) {
      parse(keySchema, key, 'The key');
      const reason = parseChange(why, 'forgotten on request');
      return parts.database.write(scope.tenant, async (writer) => {
        const fact = await findOwnFact(writer, scope, key);
        if (fact === null) return false;
        await archiveMemory(writer, parts, fact, { reason: 'forgotten', why: reason });
        return true;
      });
    },
  };
}

async function findOwnFact(reader: Reader, scope: Scope, key: string): Promise<Memory | null> {
  const owner = scopeAt(scope, ownerLevel(scope));
  const row = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', owner.tenant)
    .where('owner_key', '=', ownerKey(owner))
    .where('connection_id', '=', owner.connection ?? '')
    .where('type', '=', 'keyed_fact')
    .where('key', '=', key)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : toMemory(row);
}

// The user's own value stands before the agent's, and that before the tenant's.
function byDepth(a: Memory, b: Memory): number {
  return depth(b) - depth(a);
}

function depth({ scope }: Memory): number {
  return Number(scope.agent !== null) + 2 * Number(scope.user !== null) + Number(scope.connection !== null);
}

function compare(a: string | null, b: string | null): number {
  return (a ?? '').localeCompare(b ?? '', 'en');
}
