import type { MastraDBMessage } from '@mastra/core/agent';
import { MastraMemory, parseMemoryRequestContext, type StorageThreadType } from '@mastra/core/memory';
import type { InputProcessor, OutputProcessor, ProcessInputArgs, ProcessLLMRequestArgs } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import type { ContextOptions } from '../assemble/context-options.ts';
import { invalidInput, notFound, VarveError } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import type { SessionSummary } from '../operate/inspect-records.ts';
import type { ChatMessage } from '../record/chat-message.ts';
import type { Event } from '../record/event.ts';
import { parseScope, type Scope } from '../record/scope.ts';
import { agentTool, chosenTools, type ToolChoice } from '../tools/agent-tools.ts';
import type { Varve } from '../varve.ts';
import { type KeyedNotes, keyedNotes } from './keyed-notes.ts';

/** The options of {@link VarveMemory}. */
export interface VarveMemoryOptions {
  varve: Pick<Varve, 'for' | 'operator'>;
  /** Default `default`. */
  tenant?: string;
  /** The agent of the scope. Default: none, so that all agents share the memories about a user. */
  agent?: string;
  /** How contexts are assembled: layout, budget, history. */
  context?: Omit<ContextOptions, 'message' | 'tools'>;
  /** The tools that the agent gets. Default: the everyday set without `log_conversation`. `false` means none. */
  tools?: ToolChoice | false;
}

type Messages<Method extends 'recall' | 'saveMessages'> = Parameters<MastraMemory[Method]>[0];
type Threads = Parameters<MastraMemory['listThreads']>[0];
type ThreadChange = Parameters<MastraMemory['updateThread']>[0];

interface ThreadKey {
  thread: string;
  resource: string;
}

const NOTES = 'mastra-thread';
const MOST_MESSAGES = 1000;

/** The memory of Mastra's agents: `new Agent({ …, memory: new VarveMemory({ varve }) })`. A resource is a user, a thread a session. */
export class VarveMemory extends MastraMemory {
  readonly #options: VarveMemoryOptions;

  constructor(options: VarveMemoryOptions) {
    super({ name: 'varve' });
    this.#options = options;
  }

  /** Returns the handle of a user, or of one of the user's threads. */
  handle(resourceId: string, threadId?: string): Handle {
    const { varve, tenant, agent } = this.#options;
    return varve.for({ tenant, agent, user: resourceId, session: threadId });
  }

  override async getInputProcessors(): Promise<InputProcessor[]> {
    const { context = {} } = this.#options;
    const processInput = (given: ProcessInputArgs) => this.#addContext(given, context);
    return [{ id: 'varve-memory', processInput, processLLMRequest: addLookups }];
  }

  override async getOutputProcessors(): Promise<OutputProcessor[]> {
    return [
      {
        id: 'varve-memory',
        processOutputResult: async ({ messageList, requestContext }) => {
          const isReadOnly = parseMemoryRequestContext(requestContext)?.memoryConfig?.readOnly === true;
          const key = threadKeyOf(requestContext);
          if (key === null || isReadOnly) return messageList;
          await this.#save(key, [...messageList.get.input.db(), ...messageList.get.response.db()]);
          return messageList;
        },
      },
    ];
  }

  override listTools(): ReturnType<MastraMemory['listTools']> {
    const { tools = { except: ['log_conversation'] } } = this.#options;
    if (tools === false) return {};
    const entries = chosenTools(tools).map((tool) => [
      tool.name,
      createTool({
        id: tool.name,
        description: tool.description,
        inputSchema: tool.input,
        execute: async (input, context) => {
          const { resourceId, threadId } = context.agent ?? {};
          if (resourceId === undefined)
            throw invalidInput(
              'Memory tools need a resource, which is the user. Give it with generate(…, { memory: { resource, thread } }).',
            );
          return tool.run(this.handle(resourceId, threadId), input);
        },
      }),
    ]);
    return Object.fromEntries(entries) as ReturnType<MastraMemory['listTools']>;
  }

  async getThreadById({ threadId }: { threadId: string }): Promise<StorageThreadType | null> {
    const { items } = await this.#sessions({ session: threadId });
    const [found, ...others] = items;
    // Two users may have sessions with the same id, so a thread without its resource must have a unique id.
    return found === undefined || others.length > 0 ? null : this.#toThread(found);
  }

  async listThreads({ page = 0, perPage = 100, filter = {} }: Threads): ReturnType<MastraMemory['listThreads']> {
    const limit = perPage === false ? MOST_MESSAGES : perPage;
    const { total, items } = await this.#sessions({ user: filter.resourceId }, { offset: page * limit, limit });
    const threads = await Promise.all(items.map((session) => this.#toThread(session)));
    const wanted = Object.entries(filter.metadata ?? {});
    return {
      threads: threads.filter(({ metadata = {} }) => wanted.every(([key, value]) => metadata[key] === value)),
      total,
      page,
      perPage,
      hasMore: (page + 1) * limit < total,
    };
  }

  async saveThread({ thread }: { thread: StorageThreadType }): Promise<StorageThreadType> {
    const { id, resourceId, title = '', metadata = {} } = thread;
    if (title === '' && Object.keys(metadata).length === 0) return thread;
    const note = { title: title || id, content: title || `Thread ${id}`, metadata: { title, metadata } };
    const notes = this.#threadNotes(resourceId);
    await notes.inTurn(() => notes.put([id], note));
    return thread;
  }

  async updateThread({ id, title, metadata }: ThreadChange): Promise<StorageThreadType> {
    const thread = await this.getThreadById({ threadId: id });
    if (thread === null) throw notFound(`There is no thread ${id}.`);
    const changed = { ...thread, title: title ?? thread.title, metadata: { ...thread.metadata, ...metadata } };
    return this.saveThread({ thread: changed });
  }

  /** Erases a thread, with the memories that were formed from it alone. */
  async deleteThread(threadId: string): Promise<void> {
    const thread = await this.getThreadById({ threadId });
    if (thread === null) return;
    await this.handle(thread.resourceId, threadId).erase({ reason: 'deleted through Mastra' });
    const notes = this.#threadNotes(thread.resourceId);
    const note = await notes.get([threadId]);
    if (note !== null) await notes.remove(note);
  }

  async saveMessages({ messages }: Messages<'saveMessages'>): Promise<{ messages: MastraDBMessage[] }> {
    const keyOf = ({ threadId, resourceId }: MastraDBMessage): string => JSON.stringify([threadId, resourceId]);
    for (const some of Map.groupBy(messages, keyOf).values()) {
      const { threadId, resourceId } = some[0] ?? {};
      if (threadId === undefined || resourceId === undefined) {
        throw invalidInput('A message needs a threadId and a resourceId, which is the user.');
      }
      await this.#save({ thread: threadId, resource: resourceId }, some);
    }
    return { messages };
  }

  /** Returns the messages of a thread. With `vectorSearchString`, only those that match it best. */
  async recall(asked: Messages<'recall'>): ReturnType<MastraMemory['recall']> {
    const { threadId, resourceId, page = 0, perPage = 40, vectorSearchString, filter } = asked;
    const found: MastraDBMessage[] = [];
    for (const id of [threadId].flat()) {
      const resource = resourceId ?? (await this.getThreadById({ threadId: id }))?.resourceId;
      if (resource === undefined) continue;
      const key = { thread: id, resource };
      for (const event of await this.#events(key, vectorSearchString)) {
        const role = event.origin === 'agent' ? 'assistant' : 'user';
        found.push(toDbMessage({ id: event.id, role, createdAt: event.occurredAt }, event.content, key));
      }
    }
    const { start, end } = filter?.dateRange ?? {};
    const within = found.filter(
      ({ createdAt }) => (start === undefined || createdAt >= start) && (end === undefined || createdAt <= end),
    );
    const limit = perPage === false ? within.length : perPage;
    // Page 0 has the newest messages, in chronological order.
    const until = within.length - page * limit;
    const messages = until <= 0 ? [] : within.slice(Math.max(0, until - limit), until);
    return { messages, total: within.length, page, perPage, hasMore: until > limit };
  }

  async getWorkingMemory({ resourceId }: { threadId: string; resourceId?: string }): Promise<string | null> {
    if (resourceId === undefined) return null;
    const block = await this.handle(resourceId).blocks.read('working_memory');
    return block === null ? null : typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
  }

  /** Returns null: Varve writes the working memory from the conversation, so the agent has no template to fill in. */
  async getWorkingMemoryTemplate(): Promise<null> {
    return null;
  }

  async updateWorkingMemory(given: { resourceId?: string; workingMemory: string }): Promise<void> {
    const { resourceId, workingMemory } = given;
    if (resourceId === undefined)
      throw invalidInput('Working memory belongs to a resource, which is the user. Give its `resourceId`.');
    await this.handle(resourceId).blocks.replace('working_memory', workingMemory, { reason: 'written through Mastra' });
  }

  async __experimental_updateWorkingMemoryVNext(
    given: Parameters<MastraMemory['__experimental_updateWorkingMemoryVNext']>[0],
  ): Promise<{ success: boolean; reason: string }> {
    await this.updateWorkingMemory(given);
    return { success: true, reason: 'replaced' };
  }

  async deleteMessages(): Promise<never> {
    const problem =
      'Single messages cannot be deleted, because memories rest on them. Forget a memory, or delete the thread.';
    throw new VarveError(problem, { code: 'unsupported' });
  }

  async cloneThread(): Promise<never> {
    const problem = 'A thread cannot be cloned, because every statement in it would count twice.';
    throw new VarveError(problem, { code: 'unsupported' });
  }

  async #addContext({ messageList, requestContext, state }: ProcessInputArgs, options: ContextOptions) {
    const key = threadKeyOf(requestContext);
    const said = messageList.get.input.db().findLast(({ role }) => role === 'user');
    const message = said === undefined ? '' : textOf(said);
    if (key === null || message === '') return messageList;
    const handle = this.handle(key.resource, key.thread);
    const context = await handle.context({ ...options, message });
    for (const [index, { role, content }] of context.messages.entries()) {
      const fields = { id: `varve-${key.thread}-${index}`, role, createdAt: new Date(LONG_AGO + index) };
      messageList.add(toDbMessage(fields, content, key), 'memory');
    }
    if (context.system !== '') messageList.addSystem(context.system, 'varve');
    state['turn'] = { message, withLookups: context.user } satisfies PreparedTurn;
    return messageList;
  }

  async #save({ thread, resource }: ThreadKey, messages: readonly MastraDBMessage[]): Promise<void> {
    const spoken = messages.flatMap(toChatMessages);
    if (spoken.length > 0) await this.handle(resource, thread).observe({ messages: spoken });
  }

  async #events({ thread, resource }: ThreadKey, query: string | undefined): Promise<Event[]> {
    const handle = this.handle(resource, thread);
    const turns = (await handle.session.window(MOST_MESSAGES)).filter(({ kind }) => kind === 'message');
    if (query === undefined) return turns;
    const { results } = await handle.recall(query, { sources: ['events'], limit: 50 });
    const fitting = new Set(results.map(({ id }) => id));
    return turns.filter(({ id }) => fitting.has(id));
  }

  async #sessions(
    { user, session }: { user?: string; session?: string },
    page: { offset: number; limit: number } = { offset: 0, limit: 2 },
  ): Promise<{ total: number; items: SessionSummary[] }> {
    const { varve, tenant, agent } = this.#options;
    const scope: Scope = parseScope({ tenant, agent, user, session });
    const { total, items } = await varve.operator.inspect.sessions(scope, page);
    return { total, items: items.filter((one) => one.user !== null) };
  }

  // Titles and metadata of threads, under a separate connection. Recall and contexts use no connection, so they do not find these notes.
  #threadNotes(resourceId: string): KeyedNotes {
    const { varve, tenant, agent } = this.#options;
    return keyedNotes(varve.for({ tenant, agent, user: resourceId, connection: NOTES }), NOTES);
  }

  async #toThread({ id, user, startedAt, lastEventAt, opening }: SessionSummary): Promise<StorageThreadType> {
    const resourceId = user ?? '';
    const note = await this.#threadNotes(resourceId).get([id]);
    const kept = (note?.metadata ?? {}) as { title?: string; metadata?: Record<string, unknown> };
    const title = kept.title ?? opening?.slice(0, 80) ?? '';
    return { id, resourceId, title, createdAt: startedAt, updatedAt: lastEventAt, metadata: kept.metadata };
  }
}

interface PreparedTurn {
  message: string;
  withLookups: string;
}

// Only in the prompt: messages would be saved as the user's own words, and a changed system prompt would invalidate the provider's cache.
function addLookups({ prompt, state }: ProcessLLMRequestArgs) {
  const turn = state['turn'] as PreparedTurn | undefined;
  const place = prompt.findLastIndex(({ role }) => role === 'user');
  const last = prompt[place];
  if (turn === undefined || last?.role !== 'user') return undefined;
  const content = last.content.map((part) =>
    part.type === 'text' && part.text === turn.message ? { ...part, text: turn.withLookups } : part,
  );
  return { prompt: prompt.with(place, { ...last, content }) };
}

function threadKeyOf(requestContext: ProcessInputArgs['requestContext']): ThreadKey | null {
  const context = parseMemoryRequestContext(requestContext);
  if (context?.thread?.id === undefined || context.resourceId === undefined) return null;
  return { thread: context.thread.id, resource: context.resourceId };
}

function textOf({ content }: MastraDBMessage): string {
  return content.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

/** Without results of Varve's own tools, which are already in memory. */
function toChatMessages(message: MastraDBMessage): ChatMessage[] {
  const { id, role, content, createdAt } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  const results = content.parts.flatMap((part): ChatMessage[] => {
    if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return [];
    const { toolCallId, toolName, result } = part.toolInvocation;
    if (agentTool(toolName) !== undefined || result === undefined) return [];
    const given = typeof result === 'string' ? result : JSON.stringify(result);
    return [{ role: 'tool', name: toolName, id: `${id}:${toolCallId}`, content: given, timestamp: createdAt }];
  });
  return [...results, { role, id, content: textOf(message), timestamp: createdAt }];
}

type MessageFields = Pick<MastraDBMessage, 'id' | 'role' | 'createdAt'>;

function toDbMessage(fields: MessageFields, text: string, { thread, resource }: ThreadKey): MastraDBMessage {
  const content = { format: 2 as const, parts: [{ type: 'text' as const, text }] };
  return { ...fields, threadId: thread, resourceId: resource, content };
}

// Mastra sorts messages by time, so this time puts past turns before the current ones.
const LONG_AGO = Date.UTC(2000, 0);
