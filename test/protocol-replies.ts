import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { digest } from '../src/record/id.ts';
import { words } from '../src/language/words.ts';

/** A received request. */
export interface ProtocolRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: ProtocolBody;
}

/** The parts of the OpenAI protocol that replies read. */
export interface ProtocolBody {
  model?: string;
  stream?: boolean;
  messages?: { role: string; content: string }[];
  response_format?: { type: string; json_schema?: { name: string; schema: object; strict: boolean } };
  input?: string[];
  max_tokens?: number;
  temperature?: number;
}

/** Answers one request. */
export type Reply = (request: ProtocolRequest, response: ServerResponse) => void | Promise<void>;

export interface TextOptions {
  /** stop, length, content_filter or tool_calls; null omits the field. Default stop. */
  finish?: string | null;
  /** Tokens in, out and cached; null omits the usage. Default 100, 20, 0. */
  usage?: { in: number; out: number; cached?: number } | null;
  refusal?: string;
}

/** A chat answer with this text, streamed when the request asks for a stream. */
export function text(content: string | null, options: TextOptions = {}): Reply {
  return (request, response) => {
    if (request.body.stream === true) {
      sendStream(response, content ?? '', options);
      return;
    }
    sendJson(response, 200, {
      id: 'chat-1',
      object: 'chat.completion',
      created: 1,
      model: request.body.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content,
            ...(options.refusal === undefined ? {} : { refusal: options.refusal }),
          },
          finish_reason: options.finish === undefined ? 'stop' : options.finish,
        },
      ],
      ...usageField(options),
    });
  };
}

/** A chat answer with this value as JSON. */
export function json(value: unknown, options?: TextOptions): Reply {
  return text(JSON.stringify(value), options);
}

/** The model declines, as OpenAI's do. */
export function refusal(reason = "I'm sorry, I can't help with that."): Reply {
  return text(null, { refusal: reason });
}

/** A text of this many characters without an answer. */
export function large(characters: number): Reply {
  return text(`{"facts":["${'a'.repeat(characters)}`, { finish: 'length' });
}

/** A reply that depends on the request: `from((request) => json(…))`. */
export function from(choose: (request: ProtocolRequest) => Reply): Reply {
  return (request, response) => choose(request)(request, response);
}

/** An HTTP error. */
export function status(
  code: number,
  options: { message?: string; retryAfter?: number | string; body?: string } = {},
): Reply {
  return (_request, response) => {
    if (options.retryAfter !== undefined) response.setHeader('retry-after', String(options.retryAfter));
    if (options.body !== undefined) response.writeHead(code, { 'content-type': 'text/html' }).end(options.body);
    else sendJson(response, code, { error: { message: options.message ?? `error ${code}`, type: 'test', code: null } });
  };
}

/** A successful response with any body: a proxy’s page, or half a JSON text. */
export function raw(body: string, contentType = 'application/json'): Reply {
  return (_request, response) => void response.writeHead(200, { 'content-type': contentType }).end(body);
}

/** Accepts the request and never answers. */
export function hang(): Reply {
  return () => {};
}

/** Closes the connection without an answer. */
export function drop(): Reply {
  return (_request, response) => void response.destroy();
}

/** Begins an answer, streamed if requested, and closes the connection in the middle. */
export function half(content = 'this is only the beginning'): Reply {
  return async (request, response) => {
    const streamed = request.body.stream === true;
    response.writeHead(
      200,
      streamed
        ? { 'content-type': 'text/event-stream' }
        : { 'content-type': 'application/json', 'content-length': '100000' },
    );
    response.write(
      streamed ? event(delta(content)) : `{"id":"chat-1","choices":[{"message":{"content":${JSON.stringify(content)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    response.destroy();
  };
}

export interface VectorOptions {
  /** Default 64. */
  dimensions?: number;
  /** The vectors to return instead of one for each text. */
  count?: number;
  /** The vector to return instead of one made of the text’s words. */
  vector?: (text: string) => unknown[];
  usage?: boolean;
}

/** One vector for each text; texts that share words are similar. */
export function vectors({ dimensions = 64, count, vector, usage = true }: VectorOptions = {}): Reply {
  return (request, response) => {
    const texts = request.body.input ?? [];
    const data = Array.from({ length: count ?? texts.length }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: (vector ?? ((each: string) => wordVector(each, dimensions)))(texts[index] ?? ''),
    }));
    const tokens = texts.join(' ').split(' ').length;
    sendJson(response, 200, {
      object: 'list',
      data,
      model: request.body.model,
      ...(usage ? { usage: { prompt_tokens: tokens, total_tokens: tokens } } : {}),
    });
  };
}

/** A vector whose dimensions are the words of a text. It does not have unit length, like the vectors of some providers. */
export function wordVector(content: string, dimensions = 64): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of words(content)) {
    const place = Number.parseInt(Buffer.from(digest([word], 4)).toString('hex'), 16) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  vector[0] = (vector[0] ?? 0) + 0.1;
  return vector;
}

function sendJson(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendStream(response: ServerResponse, content: string, options: TextOptions): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of content.match(/[\s\S]{1,16}/g) ?? []) response.write(event(delta(piece)));
  const finish = options.finish === undefined ? 'stop' : options.finish;
  response.write(
    event({ id: 'chat-1', choices: [{ index: 0, delta: {}, finish_reason: finish }], ...usageField(options) }),
  );
  response.end('data: [DONE]\n\n');
}

function delta(content: string): object {
  return { id: 'chat-1', choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function usageField({ usage = { in: 100, out: 20 } }: TextOptions): object {
  if (usage === null) return {};
  return {
    usage: {
      prompt_tokens: usage.in,
      completion_tokens: usage.out,
      total_tokens: usage.in + usage.out,
      prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    },
  };
}

/** A reply that calls a tool, streamed or not. */
export function toolCall(name: string, input: unknown, id = 'call-1'): Reply {
  return (request, response) => {
    const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    if (request.body.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`,
      );
      response.write(
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\n`,
      );
      response.end('data: [DONE]\n\n');
      return;
    }
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const body = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}
