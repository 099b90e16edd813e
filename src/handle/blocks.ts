import { z } from 'zod';
import { redactJson } from '../language/privacy-policy.ts';
import { type Block, type BlockKindName, blockKindSchema } from '../record/block.ts';
import { parse } from '../record/parse.ts';
import type { Change, Revision } from '../record/revision.ts';
import { ownerLevel, type Scope, SCOPE_LEVELS, scopeAt, type ScopeLevel } from '../record/scope.ts';
import { findBlock, replaceBlock, type RestingSentence, restingSentences, staleKeys } from '../store/block-store.ts';
import type { Parts } from '../store/database.ts';
import { listRevisions } from '../store/history-store.ts';
import { parseChange } from './change.ts';

/** Selects the block of one level. Default: the innermost level of the scope, apart from the session. */
export interface BlockPlace {
  level?: ScopeLevel;
}

export interface BlockReader {
  /** Returns the block, or null if nothing has been written yet. */
  read(kind: BlockKindName, place?: BlockPlace): Promise<Block | null>;
  /** Returns the sentences of a block, or the entries of a JSON block, each with its sources. Prompts leave out stale ones. */
  basis(kind: BlockKindName, place?: BlockPlace): Promise<RestingSentence[]>;
}

export interface ReplaceOptions extends BlockPlace, Partial<Change> {
  /** The version that the caller has read, or 0 if there was no block. If the block has changed since, the call throws `conflict`. */
  expectedVersion?: number;
}

/** Reads and replaces blocks. Every version is kept. */
export interface BlockHandle extends BlockReader {
  replace(kind: BlockKindName, content: unknown, options?: ReplaceOptions): Promise<Block>;
  /** Returns all changes of a block, oldest first. */
  history(kind: BlockKindName, place?: BlockPlace): Promise<Revision[]>;
}

const placeSchema: z.ZodType<ScopeLevel | undefined> = z.enum(SCOPE_LEVELS).optional();

function blockScope(scope: Scope, kind: BlockKindName, place: BlockPlace): Scope {
  parse(blockKindSchema, kind, 'The kind of block');
  const level = parse(placeSchema, place.level, 'The level') ?? ownerLevel(scope);
  return scopeAt(scope, level);
}

export function blockReader(parts: Parts, scope: Scope, asOf: Date | null): BlockReader {
  return {
    async read(kind, place = {}) {
      const at = blockScope(scope, kind, place);
      return parts.database.read(scope.tenant, (reader) => findBlock(reader, at, kind, asOf));
    },
    async basis(kind, place = {}) {
      const at = blockScope(scope, kind, place);
      return parts.database.read(scope.tenant, async (reader) => {
        const block = await findBlock(reader, at, kind, asOf);
        if (block === null) return [];
        // Past versions are returned as they were, without marks for stale sentences.
        const standing = { now: parts.clock.now(), memoryTypes: parts.memoryTypes };
        const stale = asOf === null ? await staleKeys(reader, scope.tenant, [block], standing) : new Set<string>();
        return restingSentences(block, stale);
      });
    },
  };
}

export function blockHandle(parts: Parts, scope: Scope): BlockHandle {
  const { database } = parts;
  return {
    ...blockReader(parts, scope, null),
    async replace(kind, content, { level, expectedVersion, ...why } = {}) {
      const at = blockScope(scope, kind, { level });
      parse(z.int().min(0).optional(), expectedVersion, 'expectedVersion');
      const reason = parseChange(why, 'replaced by the application');
      const cleaned = parts.privacy === undefined ? content : redactJson(content, parts.privacy);
      const block = { kind, content: cleaned, expectedVersion };
      return database.write(scope.tenant, (writer) => replaceBlock(writer, parts, at, block, reason));
    },
    async history(kind, place = {}) {
      const at = blockScope(scope, kind, place);
      return database.read(scope.tenant, async (reader) => {
        const block = await findBlock(reader, at, kind);
        return block === null ? [] : listRevisions(reader, scope.tenant, block.id);
      });
    },
  };
}
