import { type AgentInputItem, type FunctionTool, type Session, tool } from '@openai/agents-core';
import type { Handle } from '../handle/handle.ts';
import { chatText } from '../record/chat-message.ts';
import type { Event } from '../record/event.ts';
import type { ToolHandle } from '../tools/agent-tool.ts';
import { chosenTools, modelSchema, type ToolChoice } from '../tools/agent-tools.ts';
import { assertHasSession } from './keyed-notes.ts';

export type SessionHandle = Pick<Handle, 'scope' | 'observe' | 'session' | 'erase'>;

/**
 * A session of the OpenAI Agents SDK: `run(agent, 'Hello', { session: new VarveSession(handle) })`. The history contains messages only: the
 * API refuses a replayed tool call without its result.
 */
export class VarveSession implements Session {
  readonly #handle: SessionHandle;
  readonly #most: number;
  /** The event ids of items that the runner has popped. The log keeps them, but this process leaves them out of the history. */
  readonly #popped = new Set<string>();

  constructor(handle: SessionHandle, { turns = 50 }: { turns?: number } = {}) {
    assertHasSession(handle, 'A session of the Agents SDK');
    this.#handle = handle;
    this.#most = turns;
  }

  async getSessionId(): Promise<string> {
    return this.#handle.scope.session ?? '';
  }

  /** Returns the last messages of the session, oldest first. Default of `limit`: the option `turns`. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return (await this.#spoken(limit ?? this.#most)).map(itemOf);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const messages = items.flatMap((item) => messageOf(item));
    if (messages.length > 0) await this.#handle.observe({ messages });
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const last = (await this.#spoken(this.#most)).at(-1);
    if (last === undefined) return undefined;
    this.#popped.add(last.id);
    return itemOf(last);
  }

  /** Erases this session, with the memories that were formed from it alone. */
  async clearSession(): Promise<void> {
    await this.#handle.erase({ reason: 'cleared through the Agents SDK' });
  }

  async #spoken(limit: number): Promise<Event[]> {
    // More than `limit`, because the window may contain tool results.
    const turns = await this.#handle.session.window(Math.min(limit * 3 + this.#popped.size, 1000));
    const spoken = turns.filter(
      ({ id, kind, origin }) =>
        kind === 'message' && (origin === 'user' || origin === 'agent') && !this.#popped.has(id),
    );
    return spoken.slice(-limit);
  }
}

function itemOf({ origin, content }: Event): AgentInputItem {
  return origin === 'agent'
    ? { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: content }] }
    : { type: 'message', role: 'user', content };
}

function messageOf(item: AgentInputItem): { role: string; content: string; name?: string }[] {
  if (item.type === 'function_call_result') {
    const content = typeof item.output === 'string' ? item.output : chatText([item.output].flat());
    return content.trim() === '' ? [] : [{ role: 'tool', name: item.name, content }];
  }
  if (!('role' in item) || !('content' in item)) return [];
  const content = chatText(item.content as string | unknown[]);
  return content === '' ? [] : [{ role: item.role, content }];
}

/**
 * The agent's tools: `new Agent({ tools: memoryTools(handle) })`. Default: the everyday set without `log_conversation`, because {@link
 * VarveSession} logs the conversation.
 */
export function memoryTools(handle: ToolHandle, choice: ToolChoice = { except: ['log_conversation'] }): FunctionTool[] {
  return chosenTools(choice).map((one) =>
    tool({
      name: one.name,
      description: one.description,
      // Strict schemas allow no optional fields. The tool checks its own input.
      strict: false,
      parameters: { additionalProperties: true, ...modelSchema(one.input, 'input') } as never,
      execute: async (input: unknown) => JSON.stringify(await one.run(handle, input)),
    }),
  ) as FunctionTool[];
}
