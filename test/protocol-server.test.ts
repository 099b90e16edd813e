import { embed, generateText, streamText } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  from,
  half,
  startProtocolServer,
  status,
  text,
  vectors,
  wordVector,
  type ProtocolServer,
} from './protocol-server.ts';

let server: ProtocolServer;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

describe('the protocol server, through the AI SDK itself', () => {
  it('answers a chat according to the prompt, and records the request', async () => {
    server.otherwise(from(({ body }) => text(`you said ${body.messages?.at(-1)?.content}`)));
    const { text: answer, usage } = await generateText({ model: server.languageModel('m'), prompt: 'hello' });
    expect(answer).toBe('you said hello');
    expect(usage.inputTokens).toBe(100);
    expect(server.requests[0]?.body.model).toBe('m');
  });

  it('streams', async () => {
    server.next(text('a longer answer that comes in several pieces'));
    const pieces: string[] = [];
    for await (const piece of streamText({ model: server.languageModel(), prompt: 'x' }).textStream) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('a longer answer that comes in several pieces');
  });

  it('aborts a stream half-way', async () => {
    server.next(half('the beginning'));
    const { textStream } = streamText({ model: server.languageModel(), prompt: 'x', maxRetries: 0, onError: () => {} });
    let received = '';
    const reading = (async () => {
      for await (const piece of textStream) received += piece;
    })();
    await expect(reading).rejects.toThrow('Failed to process');
    expect(received).toBe('the beginning');
  });

  it('embeds texts, and texts that share words are similar', async () => {
    const { embedding } = await embed({ model: server.embeddingModel(), value: 'red apples' });
    expect(embedding).toEqual(wordVector('red apples'));
    const cosine = (one: number[], other: number[]) =>
      one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0) /
      Math.hypot(...one) /
      Math.hypot(...other);
    expect(cosine(wordVector('red apples'), wordVector('green apples'))).toBeGreaterThan(
      cosine(wordVector('red apples'), wordVector('cold winters')),
    );
  });

  it('sends scripted replies first, in order', async () => {
    server.next(status(500), vectors({ dimensions: 3 }));
    const model = server.embeddingModel();
    await expect(embed({ model, value: 'a', maxRetries: 0 })).rejects.toThrow('error 500');
    expect((await embed({ model, value: 'a' })).embedding).toHaveLength(3);
    expect((await embed({ model, value: 'a' })).embedding).toHaveLength(64);
  });
});
