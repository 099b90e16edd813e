import type { AssembleDeps } from '../assemble/assemble-deps.ts';
import type { AssembledContext } from '../assemble/assemble.ts';
import type { ContextOptions } from '../assemble/context-options.ts';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import type { ReflectionCounts } from '../consolidate/nightly/reflect.ts';
import { isStoreFailure, type VarveError } from '../errors.ts';
import type { FormedSession } from '../form/read/reader.ts';
import type { EraseOptions, ErasedWithCertificate } from '../maintain/erase.ts';
import { indexDocument, type IndexedDocument, type NewDocument, newDocumentSchema } from '../observe/index-document.ts';
import { listInteractions, logInteraction, newInteractionSchema } from '../observe/log-interaction.ts';
import type { Interaction, NewInteraction } from '../observe/log-interaction.ts';
import { type Appended, appendEvents, assertOwned, type EventInput } from '../observe/observe.ts';
import { observationEvent, userContextEvents } from '../observe/record-observation.ts';
import type { ChatCategory, ObservationSource, UserContextUpdate } from '../observe/record-observation.ts';
import { type Recalled, type RecallOptions, recallOptionsSchema } from '../recall/recall-options.ts';
import { recall, type RecallDeps } from '../recall/recall.ts';
import { CHANGED_LATER } from '../recall/results.ts';
import type { Observable } from '../record/chat-message.ts';
import { type Event, EVENT_KINDS } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { assertTypes, typesThat } from '../record/memory-types.ts';
import { limitSchema, parse, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import type { RecallFilter } from '../store/record-filter.ts';
import { listContexts, type LoggedContext } from '../store/context-log-store.ts';
import { type ErasureCertificate, listErasures } from '../store/erase.ts';
import { changedStatements } from '../store/load-records.ts';
import { blockHandle, type BlockHandle, blockReader, type BlockReader } from './blocks.ts';
import { parseEraseOptions, parseRunOptions, type RunOptions } from './change.ts';
import { connectionHandle, type ConnectionHandle } from './connections.ts';
import { consolidationHandle, type ConsolidationHandle, refusalHandle, type RefusalHandle } from './consolidation.ts';
import { entityHandle, type EntityHandle } from './entities.ts';
import { append, type AppendDeps, cleanedEvents, decisionHandle, type DecisionHandle } from './events.ts';
import { eventReader, type EventReader, logOf, observe } from './events.ts';
import { factHandle, type FactHandle, factReader, type FactReader } from './facts.ts';
import { intentionHandle, type IntentionHandle, learningHandle, type LearningHandle } from './intentions.ts';
import { forgottenHandle, type ForgottenHandle, memoryHandle, type MemoryHandle } from './memories.ts';
import { memoryReader, type MemoryReader } from './memories.ts';
import { noteHandle, type NoteHandle, savedItemHandle, type SavedItemHandle } from './notes.ts';
import { withoutOrders } from '../form/check/stated-by.ts';
import { sessionHandle, type SessionHandle } from './session.ts';

/** Read-only access to everything that was known at a time in the past. */
export interface PastHandle {
  readonly scope: Scope;
  readonly time: Date;
  readonly memories: MemoryReader;
  readonly facts: FactReader;
  readonly blocks: BlockReader;
  readonly events: EventReader;
  /** Recalls among the records that were known at that time. */
  recall(query: string, options?: RecallOptions): Promise<Recalled>;
}

/** The result of logging an interaction. If `logged` is false, nothing was written. */
export type Logged = { logged: true; events: Event[] } | { logged: false; error: VarveError };

/** Reads and writes within one scope. No call has an effect outside it. */
export interface Handle {
  readonly scope: Scope;
  /** Appends one event, several events in one transaction, or `{ messages: [{ role, content }] }` as chat APIs send them. */
  observe(input: Observable): Promise<Appended>;
  /** Logs an exchange. If the store fails, nothing is written, and the call returns `{ logged: false, error }` instead of throwing. */
  logInteraction(interaction: NewInteraction): Promise<Logged>;
  /** Records what a chat agent has observed about the user. */
  recordObservation(content: string, category: ChatCategory, from?: ObservationSource): Promise<Event>;
  /** Records the findings of autonomous work: one event for each scaffold key and each item. */
  updateUserContext(update: UserContextUpdate): Promise<Event[]>;
  /** Forms memories now from the turns of the session since the last formation. `formed` lists what the session has given so far. */
  form(): Promise<FormedSession>;
  /** Returns the last exchanges, newest first. Default: 20. */
  interactions(options?: { limit?: number; since?: TimeInput; before?: TimeInput }): Promise<Interaction[]>;
  /** Splits a document into chunks and indexes them. Idempotent. */
  indexDocument(document: NewDocument): Promise<IndexedDocument>;
  /** Finds the records that help to answer a query. The list is empty if none is relevant. */
  recall(query: string, options?: RecallOptions): Promise<Recalled>;
  /** Assembles the system prompt and the user's turn with the recalled records. A part that fails is left out and named in the report. */
  context(options?: ContextOptions): Promise<AssembledContext>;
  /** Returns the log of the last contexts, newest first, without texts. Default: 20. */
  contexts(options?: { limit?: number }): Promise<LoggedContext[]>;
  /** Returns the most important live memories for the start of a session. Default: 20. */
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
  /** The user's intentions, which the agent mentions when they are due. */
  readonly intentions: IntentionHandle;
  /** Rules for the agent. */
  readonly learnings: LearningHandle;
  /** Lists and restores forgotten records. */
  readonly forgotten: ForgottenHandle;
  /** Statements that a reader found and the checks refused. */
  readonly refusals: RefusalHandle;
  /** Consolidation: its runs, held changes and settings. */
  readonly consolidation: ConsolidationHandle;
  /** Reflects now on the messages since the last reflection. A scope without a user or an agent stands for all of them. */
  reflect(options?: RunOptions): Promise<ReflectionCounts>;
  /** Records which memories the model was given for this turn, so that their usefulness can be measured. */
  noteGiven(memoryIds: readonly string[]): Promise<void>;
  /** Returns read-only access to everything that was known at a time. */
  asOf(time: TimeInput): PastHandle;
  /**
   * Permanently removes everything within this scope. A handle with a session erases only this session, and one with an agent only this
   * agent's memory of the user: `varve.for({ user }).erase()` erases the whole user. The answer names the erased scope and counts what
   * remains. The certificate is kept and contains no text of the records.
   */
  erase(options?: EraseOptions): Promise<ErasedWithCertificate>;
  /** Permanently removes one memory and everything that was derived only from it. */
  eraseMemory(id: string, options?: EraseOptions): Promise<ErasureCertificate>;
  /** Lists the certificates of all erasures in this tenant, newest first. */
  erasures(): Promise<ErasureCertificate[]>;
}

type HandleDeps = AssembleDeps & AppendDeps & ConsolidateDeps;

/** Modules that few programs need are imported at their first use. */
export function createHandle(parts: HandleDeps, scope: Scope): Handle {
  return {
    scope,
    ...talkHandle(parts, scope),
    ...recallHandle(parts, scope),
    decisions: decisionHandle(parts, scope),
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
    intentions: intentionHandle(parts, scope),
    learnings: learningHandle(parts, scope),
    forgotten: forgottenHandle(parts, scope),
    refusals: refusalHandle(parts, scope),
    consolidation: consolidationHandle(parts, scope),
    ...upkeepHandle(parts, scope),
  };
}

type Talking = 'observe' | 'recordObservation' | 'updateUserContext' | 'form' | Exchanges;
type Exchanges = 'logInteraction' | 'interactions' | 'indexDocument';

function talkHandle(parts: HandleDeps, scope: Scope): Pick<Handle, Talking> {
  const { database } = parts;
  const log = logOf(parts, scope);
  const noted = async (inputs: readonly EventInput[]): Promise<Event[]> => {
    assertOwned(scope, inputs);
    const cleaned = cleanedEvents(parts, inputs);
    return (await append(parts, scope, (writer) => appendEvents(writer, parts, scope, cleaned))).events;
  };
  return {
    observe: (input) => observe(parts, scope, input),
    async recordObservation(content, category, from) {
      const inputs = [observationEvent(scope, content, category, from)];
      const [event] = await noted(from?.statedBy === 'user' ? inputs : await withoutOrders(log, inputs));
      return event as Event;
    },
    updateUserContext: async (update) => noted(await withoutOrders(log, userContextEvents(scope, update))),
    async form() {
      const result = await parts.formation.form(scope);
      const ofSession = { sourceSession: scope.session ?? undefined, order: 'oldest', limit: 1000 } as const;
      const { items } = await memoryReader(parts, scope, null).list(ofSession);
      return { ...result, formed: items.map(({ id }) => id) };
    },
    async logInteraction(interaction) {
      const input = parse(newInteractionSchema, interaction, 'The interaction');
      assertOwned(scope, [{ kind: 'message' }]);
      try {
        const cleaned = cleanInteraction(parts, input);
        const { events } = await append(parts, scope, async (writer) => {
          return { events: await logInteraction(writer, parts, scope, cleaned), repeated: 0 };
        });
        return { logged: true, events };
      } catch (error) {
        if (isStoreFailure(error)) return { logged: false, error };
        throw error;
      }
    },
    async interactions({ limit = 20, since, before } = {}) {
      const range = {
        limit: parse(limitSchema, limit, 'The limit'),
        since: since === undefined ? undefined : parse(timeSchema, since, 'since'),
        before: before === undefined ? undefined : parse(timeSchema, before, 'before'),
      };
      return database.read(scope.tenant, (reader) => listInteractions(reader, scope, range));
    },
    async indexDocument(document) {
      const parsed = parse(newDocumentSchema, document, 'The document');
      const input = { ...parsed, content: parts.formation.cleaned(parsed.content) };
      return database.write(scope.tenant, (writer) => indexDocument(writer, parts, scope, input));
    },
  };
}

function recallHandle(
  parts: HandleDeps,
  scope: Scope,
): Pick<Handle, 'recall' | 'topMemories' | 'context' | 'contexts'> {
  const { database } = parts;
  return {
    recall: (query, options) => recallFor(parts, scope, query, options),
    async topMemories({ limit = 20 } = {}) {
      const { items } = await memoryReader(parts, scope, null).list({
        order: 'important',
        limit: parse(limitSchema, limit, 'The limit'),
        types: typesThat(parts.memoryTypes, ({ recalled }) => recalled),
      });
      const accessed = items.map(({ id }) => ({ kind: 'memory' as const, id }));
      parts.access.note(scope.tenant, accessed);
      return items;
    },
    async context(options = {}) {
      const { contextOptionsSchema } = await import('../assemble/context-options.ts');
      const { assemble } = await import('../assemble/assemble.ts');
      return assemble(parts, scope, parse(contextOptionsSchema, options, 'The options'));
    },
    async contexts({ limit = 20 } = {}) {
      const most = parse(limitSchema, limit, 'The limit');
      await parts.assembling.log.settle();
      return database.read(scope.tenant, (reader) => listContexts(reader, scope, most));
    },
  };
}

function upkeepHandle(
  parts: HandleDeps,
  scope: Scope,
): Pick<Handle, 'reflect' | 'noteGiven' | 'erase' | 'eraseMemory' | 'erasures'> {
  const { database } = parts;
  return {
    async reflect(options) {
      const checked = parseRunOptions(options);
      const { reflectAll, reflectOwner } = await import('../consolidate/nightly/reflect.ts');
      const owner = ownerOf(scope);
      const isOne = owner.agent !== null && owner.user !== null;
      return (isOne ? reflectOwner : reflectAll)(parts, owner, { cause: 'hand', ...checked });
    },
    async noteGiven(memoryIds) {
      const { noteGiven } = await import('../consolidate/usefulness.ts');
      return noteGiven(parts, scope, memoryIds);
    },
    async erase(options) {
      const checked = parseEraseOptions(options);
      const { erase } = await import('../maintain/erase.ts');
      return erase(parts, scope, checked);
    },
    async eraseMemory(id, options) {
      const checked = parseEraseOptions(options);
      const { eraseMemory } = await import('../maintain/erase.ts');
      return eraseMemory(parts, scope, id, checked);
    },
    erasures: () => database.read(scope.tenant, (reader) => listErasures(reader, scope.tenant)),
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

const querySchema = textSchema(20_000);

async function recallFor(
  parts: RecallDeps,
  scope: Scope,
  query: string,
  options: RecallOptions = {},
  asOf: Date | null = null,
): Promise<Recalled> {
  const text = parse(querySchema, query, 'The query');
  const checked = parse(recallOptionsSchema, options, 'The options');
  for (const { types } of filtersIn(checked.filter)) assertTypes(types, parts.memoryTypes, EVENT_KINDS);
  const recalled = await recall(parts, scope, text, checked, { asOf });
  return asOf === null ? withChanges(parts, scope, recalled) : recalled;
}

/** Marks the statements that repeat what was changed later. Recall itself marks the turns. */
async function withChanges({ database }: RecallDeps, scope: Scope, recalled: Recalled): Promise<Recalled> {
  // A statement with an attribute is itself replaced, so most recalls need no further read.
  const memories = recalled.results.flatMap(({ memory }) => (memory?.attribute === null ? memory : []));
  if (memories.length === 0) return recalled;
  const changed = await database.readReplica(scope, (reader) => changedStatements(reader, scope, memories));
  const results = recalled.results.map((result) =>
    changed.has(result.id) ? { ...result, text: result.text + CHANGED_LATER } : result,
  );
  return { ...recalled, results };
}

function filtersIn(filter: RecallFilter = {}): RecallFilter[] {
  const { and = [], or = [], not } = filter;
  return [filter, ...[...and, ...or, ...(not === undefined ? [] : [not])].flatMap(filtersIn)];
}

function cleanInteraction({ formation }: AppendDeps, input: Parsed<NewInteraction>): Parsed<NewInteraction> {
  return {
    ...input,
    userMessage: formation.cleaned(input.userMessage),
    ...(input.agentResponse === undefined ? {} : { agentResponse: formation.cleaned(input.agentResponse) }),
    toolsUsed: input.toolsUsed?.map((use) => ({
      ...use,
      ...(use.arguments === undefined ? {} : { arguments: formation.cleanedData(use.arguments) }),
      ...(use.result === undefined ? {} : { result: formation.cleaned(use.result) }),
    })),
  };
}
