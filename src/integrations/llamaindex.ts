import { BaseMemoryBlock, type MemoryMessage } from '@llamaindex/core/memory';
import { BaseRetriever } from '@llamaindex/core/retriever';
import { type NodeWithScore, TextNode } from '@llamaindex/core/schema';
import type { QueryBundle } from '@llamaindex/core/query-engine';
import { extractText } from '@llamaindex/core/utils';
import type { Handle } from '../handle/handle.ts';
import { paragraphs } from '../models/prompt.ts';
import type { RecallOptions } from '../recall/recall-options.ts';
import { chatText } from '../record/chat-message.ts';
import { foundRecords } from '../tools/found-record.ts';
import { assertHasSession } from './keyed-notes.ts';

/**
 * Long-term memory for LlamaIndex: `createMemory({ memoryBlocks: [new VarveMemoryBlock(handle)] })`. Logs the messages that leave the
 * short-term memory, and puts a context of at most `tokens` tokens before the conversation.
 */
export class VarveMemoryBlock extends BaseMemoryBlock {
  readonly #handle: Pick<Handle, 'scope' | 'observe' | 'context'>;
  readonly #tokens: number;

  constructor(
    handle: Pick<Handle, 'scope' | 'observe' | 'context'>,
    { tokens = 1500, priority = 1, id = 'varve' }: { tokens?: number; priority?: number; id?: string } = {},
  ) {
    super({ id, priority, isLongTerm: true });
    assertHasSession(handle, 'A memory block');
    this.#handle = handle;
    this.#tokens = tokens;
  }

  async get(messages: MemoryMessage[] = []): Promise<MemoryMessage[]> {
    const asked = messages.findLast(({ role }) => role === 'user');
    const message = asked === undefined ? undefined : chatText(asked.content as string | unknown[]);
    const history = { given: messages.map(({ content }) => chatText(content as string | unknown[])) };
    const { system, beforeMessage } = await this.#handle.context({ message, budget: this.#tokens, history });
    const content = paragraphs([system, beforeMessage]);
    return content === '' ? [] : [{ id: this.id, role: 'memory', content }];
  }

  async put(messages: MemoryMessage[]): Promise<void> {
    const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
    if (spoken.length === 0) return;
    await this.#handle.observe({
      messages: spoken.map(({ id, role, content }) => ({ id, role, content: content as string | unknown[] })),
    });
  }
}

/** A retriever for any query engine. It returns recalled records as nodes with scores. */
export class VarveRetriever extends BaseRetriever {
  readonly #handle: Pick<Handle, 'recall'>;
  readonly #options: RecallOptions;

  constructor(handle: Pick<Handle, 'recall'>, options: RecallOptions = {}) {
    super();
    this.#handle = handle;
    this.#options = options;
  }

  override async _retrieve({ query }: QueryBundle): Promise<NodeWithScore[]> {
    const { results } = await this.#handle.recall(extractText(query), this.#options);
    return foundRecords(results).map(({ id, text, relevance, ...metadata }) => {
      return { node: new TextNode({ id_: id, text, metadata }), score: relevance };
    });
  }
}
