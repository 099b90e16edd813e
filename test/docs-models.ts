import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { item, reading } from './form-model.ts';

/** A server that replaces OpenAI when the snippets of the docs call a model. It answers with the sentences that the docs show. */
export interface DocsModels {
  environment: Record<string, string>;
  close(): Promise<void>;
}

/** The fields of a request to OpenAI’s Responses or Chat Completions API that the answers depend on. */
interface Asked {
  model: string;
  input?: unknown;
  messages?: unknown;
  text?: { format?: Format };
  response_format?: Format & { json_schema?: { name?: string } };
}

interface Format {
  type: string;
  name?: string;
}

const STATEMENT = item({
  text: 'Lives in Munich',
  turn: 1,
  quote: 'I moved to Munich',
  attribute: 'home_city',
  value: 'Munich',
});

/** Starts the server on a free port, and returns the environment variables by which the SDKs find it. */
export async function startDocsModels(): Promise<DocsModels> {
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    environment: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'key' },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answerTo(request: IncomingMessage): Promise<object> {
  const asked = (await json(request)) as Asked;
  const prompt = JSON.stringify(asked.input ?? asked.messages);
  if (request.url?.endsWith('/embeddings') === true) return embeddings(asked);
  const { text: { format } = {}, response_format: chat } = asked;
  const isStructured = (format ?? chat)?.type === 'json_schema';
  const text = isStructured ? structured(format?.name ?? chat?.json_schema?.name, prompt) : spoken(prompt);
  return request.url?.endsWith('/responses') === true ? response(asked, text) : completion(asked, text);
}

function structured(name: string | undefined, prompt: string): string {
  if (name !== 'read') return '{}';
  return JSON.stringify(reading({ statements: prompt.includes(STATEMENT.quote) ? [STATEMENT] : [] }));
}

/** A model that says whether its prompt mentions Max, the dog. */
function spoken(prompt: string): string {
  return prompt.includes('Max') ? 'Your dog is called Max.' : 'I do not know your dog.';
}

function embeddings({ model, input }: Asked): object {
  const data = (input as string[]).map((text, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from({ length: 1536 }, (_, place) => (text.charCodeAt(place % text.length) % 17) / 17),
  }));
  return { object: 'list', data, model, usage: { prompt_tokens: 10, total_tokens: 10 } };
}

function response({ model }: Asked, text: string): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
  };
}

function completion({ model }: Asked, content: string): object {
  return {
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}
