import { VarveError } from '../errors.ts';
import type { Appended } from '../observe/append-events.ts';
import {
  listDecisions,
  newDecisionSchema,
  newOutcomeSchema,
  recordDecision,
  recordOutcome,
  type DecisionWithOutcomes,
  type NewDecision,
  type NewOutcome,
} from '../observe/decisions.ts';
import { indexDocument, newDocumentSchema, type IndexedDocument, type NewDocument } from '../observe/index-document.ts';
import {
  listInteractions,
  logInteraction,
  newInteractionSchema,
  type Interaction,
  type NewInteraction,
} from '../observe/log-interaction.ts';
import type { Event, NewEvent } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { parse, textSchema, timeSchema, type TimeInput } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import { eraseScope, type Erased } from '../store/erase.ts';
import { recall, type RecallDeps } from '../recall/recall.ts';
import { recallOptionsSchema, type Recalled, type RecallOptions } from '../recall/recall-options.ts';
import type { Parts } from '../store/parts.ts';
import { blockHandle, blockReader, type BlockHandle, type BlockReader } from './blocks.ts';
import { connectionHandle, type ConnectionHandle } from './connections.ts';
import { entityHandle, type EntityHandle } from './entities.ts';
import { eventReader, observe, type EventReader } from './events.ts';
import { factHandle, factReader, type FactHandle, type FactReader } from './facts.ts';
import { memoryHandle, memoryReader, type MemoryHandle, type MemoryReader } from './memories.ts';
import { noteHandle, savedItemHandle, type NoteHandle, type SavedItemHandle } from './notes.ts';
import { sessionHandle, type SessionHandle } from './session.ts';

/** What was known at a time in the past. Read-only. */
export interface PastHandle {
  readonly scope: Scope;
  readonly time: Date;
  readonly memories: MemoryReader;
  readonly facts: FactReader;
  readonly blocks: BlockReader;
  readonly events: EventReader;
  /** What recall would have found then. */
  recall(query: string, options?: RecallOptions): Promise<Recalled>;
}

/** What became of an interaction that was to be logged. */
export type Logged = { logged: true; events: Event[] } | { logged: false; error: VarveError };

/** Everything that can be read and written within one scope. No call reaches outside of it. */
export interface Handle {
  readonly scope: Scope;
  /** Appends what happened: one event, or many in one transaction. */
  observe(events: NewEvent | readonly NewEvent[]): Promise<Appended>;
  /** Logs an exchange. Bad input throws; a failing store is reported and never stops the answer. */
  logInteraction(interaction: NewInteraction): Promise<Logged>;
  /** The last exchanges, newest first. Default 20. */
  interactions(options?: { limit?: number; since?: TimeInput; before?: TimeInput }): Promise<Interaction[]>;
  /** Indexes a document or an attachment in chunks; doing it again changes nothing. */
  indexDocument(document: NewDocument): Promise<IndexedDocument>;
  /**
   * Finds what helps to answer a query: memories, notes, saved items, turns, documents; or nothing, when nothing
   * relevant is known.
   */
  recall(query: string, options?: RecallOptions): Promise<Recalled>;
  /** The live memories that matter most, by importance and then by last access: what a session begins with. Default 20. */
  topMemories(options?: { limit?: number }): Promise<Memory[]>;
  readonly decisions: DecisionHandle;
  readonly events: EventReader;
  readonly session: SessionHandle;
  readonly memories: MemoryHandle;
  readonly facts: FactHandle;
  readonly notes: NoteHandle;
  readonly savedItems: SavedItemHandle;
  readonly blocks: BlockHandle;
  readonly connection: ConnectionHandle;
  readonly entities: EntityHandle;
  /** What was known at a time. */
  asOf(time: TimeInput): PastHandle;
  /**
   * Removes everything within this scope for good: of this user in all their sessions, or of this session alone.
   * Says how much of what was removed.
   */
  erase(): Promise<Erased>;
}

/** What an agent decided and what came of it. */
export interface DecisionHandle {
  record(decision: NewDecision): Promise<Event>;
  recordOutcome(decisionId: string, outcome: NewOutcome): Promise<Event>;
  /** Newest first. Default 20. */
  list(options?: { limit?: number }): Promise<DecisionWithOutcomes[]>;
}

/** Makes the handle of a scope. It holds no state: two handles of one scope are the same. */
export function createHandle(parts: RecallDeps, scope: Scope): Handle {
  const { database } = parts;
  return {
    scope,
    observe: (events) => observe(parts, scope, events),
    async logInteraction(interaction) {
      const input = parse(newInteractionSchema, interaction, 'The interaction');
      try {
        const events = await database.write(scope.tenant, (writer) => logInteraction(writer, parts, scope, input));
        return { logged: true, events };
      } catch (cause) {
        const error = new VarveError('The interaction could not be logged.', {
          code: 'store_unavailable',
          retryable: true,
          cause,
        });
        return { logged: false, error };
      }
    },
    async interactions({ limit = 20, since, before } = {}) {
      const range = {
        limit,
        since: since === undefined ? undefined : parse(timeSchema, since, 'since'),
        before: before === undefined ? undefined : parse(timeSchema, before, 'before'),
      };
      return database.read(scope.tenant, (reader) => listInteractions(reader, scope, range));
    },
    async indexDocument(document) {
      const input = parse(newDocumentSchema, document, 'The document');
      return database.write(scope.tenant, (writer) => indexDocument(writer, parts, scope, input));
    },
    recall: (query, options) => recallFor(parts, scope, query, options),
    async topMemories({ limit = 20 } = {}) {
      const { items } = await memoryReader(parts, scope, null).list({
        order: 'important',
        limit,
        types: recalledTypes(parts),
      });
      parts.access.note(
        scope.tenant,
        items.map(({ id }) => ({ kind: 'memory', id })),
      );
      return items;
    },
    decisions: {
      async record(decision) {
        const input = parse(newDecisionSchema, decision, 'The decision');
        return database.write(scope.tenant, (writer) => recordDecision(writer, parts, scope, input));
      },
      async recordOutcome(id, outcome) {
        const input = parse(newOutcomeSchema, outcome, 'The outcome');
        return database.write(scope.tenant, (writer) =>
          recordOutcome(writer, parts, scope, { decision: id, outcome: input }),
        );
      },
      list: ({ limit = 20 } = {}) => database.read(scope.tenant, (reader) => listDecisions(reader, scope, limit)),
    },
    events: eventReader(parts, scope, null),
    session: sessionHandle(parts, scope),
    memories: memoryHandle(parts, scope),
    facts: factHandle(parts, scope),
    notes: noteHandle(parts, scope),
    savedItems: savedItemHandle(parts, scope),
    blocks: blockHandle(parts, scope),
    connection: connectionHandle(parts, scope),
    entities: entityHandle(parts, scope),
    asOf: (time) => pastHandle(parts, scope, parse(timeSchema, time, 'The time')),
    async erase() {
      const erased = await database.write(scope.tenant, (writer) => eraseScope(writer, database, scope));
      await database.scrub();
      return erased;
    },
  };
}

function pastHandle(parts: RecallDeps, scope: Scope, time: Date): PastHandle {
  return {
    scope,
    time,
    memories: memoryReader(parts, scope, time),
    facts: factReader(parts, scope, time),
    blocks: blockReader(parts, scope, time),
    events: eventReader(parts, scope, time),
    recall: (query, options) => recallFor(parts, scope, query, options, time),
  };
}

function recalledTypes({ memoryTypes }: RecallDeps): string[] {
  return [...memoryTypes].filter(([, type]) => type.recalled).map(([name]) => name);
}

async function recallFor(
  parts: RecallDeps,
  scope: Scope,
  query: string,
  options: RecallOptions = {},
  asOf: Date | null = null,
): Promise<Recalled> {
  const text = parse(textSchema(20_000), query, 'The query');
  return recall(parts, scope, text, parse(recallOptionsSchema, options, 'The options'), asOf);
}
