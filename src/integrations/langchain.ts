import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import { Document } from '@langchain/core/documents';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import type { Handle } from '../handle/handle.ts';
import type { RecallOptions } from '../recall/recall-options.ts';
import { foundRecords } from '../tools/found-record.ts';
import { assertHasSession } from './keyed-notes.ts';

/** A conversation history for LangChain, for `RunnableWithMessageHistory`. It consists of the session's last turns. */
export class VarveChatHistory extends BaseListChatMessageHistory {
  override lc_namespace: string[] = ['varve', 'chat_history'];
  readonly #handle: Pick<Handle, 'scope' | 'observe' | 'session' | 'erase'>;
  readonly #most: number;

  constructor(
    handle: Pick<Handle, 'scope' | 'observe' | 'session' | 'erase'>,
    { turns = 50 }: { turns?: number } = {},
  ) {
    super();
    assertHasSession(handle, 'A chat history');
    this.#handle = handle;
    this.#most = turns;
  }

  async getMessages(): Promise<BaseMessage[]> {
    const turns = await this.#handle.session.window(this.#most);
    return turns.flatMap(({ kind, origin, content, id }): BaseMessage[] => {
      if (kind !== 'message') return [];
      if (origin === 'agent') return [new AIMessage({ content, id })];
      return origin === 'user' ? [new HumanMessage({ content, id })] : [];
    });
  }

  async addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    const spoken = messages.map((message) => ({
      role: message.getType(),
      content: message.content as string | unknown[],
      name: message.name,
    }));
    await this.#handle.observe({ messages: spoken.filter(({ role }) => KNOWN_ROLES.has(role)) });
  }

  /** Erases this session, with the memories that were formed from it alone. */
  override async clear(): Promise<void> {
    await this.#handle.erase({ reason: 'cleared through LangChain' });
  }
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(['human', 'ai', 'tool', 'system']);

/** A retriever for any chain. The documents' metadata has the id, the date, the speaker and the trust. */
export class VarveRetriever extends BaseRetriever {
  override lc_namespace: string[] = ['varve', 'retrievers'];
  readonly #handle: Pick<Handle, 'recall'>;
  readonly #options: RecallOptions;

  constructor(handle: Pick<Handle, 'recall'>, options: RecallOptions & BaseRetrieverInput = {}) {
    const { callbacks, tags, metadata, verbose, ...recall } = options;
    super({ callbacks, tags, metadata, verbose });
    this.#handle = handle;
    this.#options = recall;
  }

  override async _getRelevantDocuments(query: string, _manager?: CallbackManagerForRetrieverRun): Promise<Document[]> {
    const { results } = await this.#handle.recall(query, this.#options);
    return foundRecords(results).map(({ text, id, ...metadata }) => {
      return new Document({ pageContent: text, id, metadata: { id, ...metadata } });
    });
  }
}
