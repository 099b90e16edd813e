import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { EmbeddingModel, LanguageModel } from 'ai';
import {
  from,
  type ProtocolBody,
  type ProtocolRequest,
  type Reply,
  text,
  toolCall,
  vectors,
} from './protocol-replies.ts';

export * from './protocol-replies.ts';

export type ModelObject = Exclude<LanguageModel, string>;
export type EmbeddingModelObject = Exclude<EmbeddingModel, string>;

/**
 * A server on this machine that speaks the OpenAI-compatible protocol: chat completions, streamed or not, and
 * embeddings. What it answers is scripted:
 *
 *     const server = await startProtocolServer();
 *     server.next(status(429, { retryAfter: 2 }), json({ facts: [] }));   // the next two requests
 *     server.otherwise(text('hello'));                                    // all others
 *     const model = server.languageModel();                               // through the real provider
 *     … expect(server.requests[0].body.messages) …
 *     await server.close();
 */
export interface ProtocolServer {
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: ProtocolRequest[];
  /** Replies for the next requests, one each, in this order. */
  next(...replies: Reply[]): void;
  /**
   * The reply to requests that are not scripted, of both kinds or of one. Default: "ok" to a chat, and one vector for each text to embed.
   */
  otherwise(reply: Reply | { chat?: Reply; embeddings?: Reply }): void;
  /** Resolves when this many requests have arrived since the start. */
  arrived(count: number): Promise<void>;
  /** Forgets scripts and requests. */
  reset(): void;
  /** A model object of `@ai-sdk/openai-compatible`. `strict` says whether the server accepts JSON schemas; default true. */
  languageModel(id?: string, options?: { strict?: boolean }): ModelObject;
  embeddingModel(id?: string, options?: { maximum?: number }): EmbeddingModelObject;
  close(): Promise<void>;
}

interface Fallback {
  chat: Reply;
  embeddings: Reply;
}

const DEFAULTS: Fallback = { chat: text('ok'), embeddings: vectors() };

/** Starts a server on a free port of this machine. */
export async function startProtocolServer(): Promise<ProtocolServer> {
  const requests: ProtocolRequest[] = [];
  let scripted: Reply[] = [];
  let fallback: Fallback = DEFAULTS;
  const waiting = new Set<() => void>();

  const server = createServer((incoming, response) => {
    void answer(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as ProtocolBody;
    const request = { path: incoming.url ?? '', headers: incoming.headers, body };
    requests.push(request);
    for (const check of waiting) check();
    const reply = scripted.shift() ?? fallback[request.path.endsWith('/embeddings') ? 'embeddings' : 'chat'];
    await reply(request, response);
  };
  // PGlite may block a client in this process for seconds; the client would then use a connection that was just closed as idle.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

  return {
    url,
    requests,
    next: (...replies) => void scripted.push(...replies),
    otherwise: (reply) => {
      fallback = typeof reply === 'function' ? { chat: reply, embeddings: reply } : { ...fallback, ...reply };
    },
    arrived: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    reset() {
      requests.length = 0;
      scripted = [];
      fallback = DEFAULTS;
    },
    languageModel: (id = 'test-model', { strict = true } = {}) =>
      createOpenAICompatible({
        name: 'test',
        baseURL: url,
        apiKey: 'key',
        supportsStructuredOutputs: strict,
      }).languageModel(id),
    embeddingModel(id = 'test-embedding', { maximum } = {}) {
      const model = createOpenAICompatible({ name: 'test', baseURL: url, apiKey: 'key' }).embeddingModel(id);
      return maximum === undefined
        ? model
        : (Object.create(model, { maxEmbeddingsPerCall: { value: maximum } }) as typeof model);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A message that a framework has sent to the model. */
export interface Sent {
  role: string;
  content: string | { text?: string }[] | null;
}

export function sentText({ content }: Sent): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
}

/** The model of the examples: it stores what it is asked to remember, and in a later session answers from the system prompt. */
export const exampleModel: Reply = from(({ body }) => {
  const messages = body.messages as Sent[];
  if (messages.some(({ role }) => role === 'tool')) return text('I will remember Max.');
  if (sentText(messages.at(-1) as Sent).endsWith('Please remember that.'))
    return toolCall('remember', { text: 'The dog is called Max.', key: 'dog_name', value: 'Max' });
  const system = messages.filter(({ role }) => role === 'system').map(sentText);
  return text(system.join('\n').includes(': Max') ? 'Max!' : 'I do not know.');
});
