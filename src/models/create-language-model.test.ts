import type { LanguageModel as AnyAiSdkModel } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { json, type ProtocolServer, refusal, startProtocolServer, status } from '../../test/protocol-server.ts';
import type { AiSdkAnswer, AiSdkLanguageModel } from './ai-sdk.ts';
import { createLanguageModel, type LanguageModelOptions } from './create-language-model.ts';
import type { LanguageModel } from './language-model.ts';
import { openAiCompatible } from './open-ai-compatible.ts';

const schema = z.object({ facts: z.array(z.string()) });
const request = { task: 'read', schema, prompt: { system: 'Extract facts.', user: 'I live in Oslo.' } } as const;
const good = { facts: ['Lives in Oslo'] };

let server: ProtocolServer;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

function model(options: Partial<LanguageModelOptions> = {}): LanguageModel {
  return createLanguageModel({ fast: server.languageModel(), ...options });
}

describe('the model of each task', () => {
  const used = () => server.requests.map(({ body }) => body.model);

  it('[E13] uses the fast model for quick tasks and the slow model for careful tasks', async () => {
    server.otherwise(json(good));
    const asking = model({ fast: server.languageModel('fast'), slow: server.languageModel('slow') });
    await asking.generate(request);
    await asking.generate({ ...request, task: 'synthesise' });
    expect(used()).toEqual(['fast', 'slow']);
    expect(asking.modelOf('reflect')).toBe('test.chat:slow');
  });

  it('[T20] takes one model for everything, or one per task', async () => {
    server.otherwise(json(good));
    const one = model({ fast: server.languageModel('only') });
    await one.generate(request);
    await one.generate({ ...request, task: 'synthesise' });
    const own = model({ fast: server.languageModel('fast'), tasks: { merge: server.languageModel('merger') } });
    await own.generate({ ...request, task: 'merge' });
    await own.generate({ ...request, task: 'synthesise' });
    expect(used()).toEqual(['only', 'only', 'merger', 'fast']);
  });

  it('refuses unknown tasks and models, and names the known ones', () => {
    expect(() => model({ tasks: { reed: server.languageModel() } as never })).toThrow(/Tasks: read, decide/);
    expect(() => model({ fast: 'openai/gpt-4o-mini' as never })).toThrow(/model object of an AI SDK provider/);
  });

  it('accepts model objects of every AI SDK specification', async () => {
    expectTypeOf<Exclude<AnyAiSdkModel, string>>().toExtend<AiSdkLanguageModel>();
    const answers: Record<string, Pick<AiSdkAnswer, 'finishReason' | 'usage'>> = {
      v2: { finishReason: 'stop', usage: { inputTokens: 5, outputTokens: 3, cachedInputTokens: 2 } },
      v3: {
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 5, cacheRead: 2 }, outputTokens: { total: 3 } },
      },
      v4: {
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 5, cacheRead: 2 }, outputTokens: { total: 3 } },
      },
    };
    for (const [specificationVersion, answer] of Object.entries(answers)) {
      const fast: AiSdkLanguageModel = {
        specificationVersion,
        provider: 'fake',
        modelId: 'm',
        doGenerate: async () => ({
          ...answer,
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: JSON.stringify(good) },
          ],
        }),
      };
      expect(await model({ fast }).generate(request)).toMatchObject({
        data: good,
        usage: { tokensIn: 5, tokensOut: 3, tokensCached: 2 },
      });
    }
  });

  it('describes the schema in words after a provider has warned that it ignores the schema', async () => {
    const formats: unknown[] = [];
    const fast: AiSdkLanguageModel = {
      specificationVersion: 'v2',
      provider: 'fake',
      modelId: 'm',
      doGenerate: async ({ responseFormat }) => {
        formats.push(responseFormat?.schema === undefined ? 'words' : 'schema');
        return {
          content: [{ type: 'text', text: JSON.stringify(good) }],
          finishReason: 'stop',
          warnings: [{ type: 'unsupported-setting', setting: 'responseFormat' }],
        };
      },
    };
    const asking = model({ fast });
    await asking.generate(request);
    await asking.generate(request);
    expect(formats).toEqual(['schema', 'words']);
  });
});

describe('a model at an endpoint of the protocol of OpenAI', () => {
  const local = (): LanguageModel =>
    createLanguageModel({
      fast: openAiCompatible({ model: 'qwen3', url: `${server.url}/`, key: 'k-1' }),
      firstPause: 1,
    });

  it('needs no provider package, and is called again when the endpoint is busy', async () => {
    server.next(status(429, { retryAfter: 0 }), json(good, { usage: { in: 7, out: 3, cached: 2 } }));
    expect(await local().generate(request)).toMatchObject({
      data: good,
      model: 'openai-compatible:qwen3',
      usage: { tokensIn: 7, tokensOut: 3, tokensCached: 2, estimated: false },
    });
    const [, { path, headers, body } = server.requests[0]!] = server.requests;
    expect([path, headers.authorization, body.model]).toEqual(['/v1/chat/completions', 'Bearer k-1', 'qwen3']);
    expect(body.response_format?.json_schema?.name).toBe('read');
  });

  it('reports refusals and wrong keys', async () => {
    server.next(refusal(), status(401));
    await expect(local().generate(request)).rejects.toMatchObject({ details: { problem: 'refused' } });
    await expect(local().generate(request)).rejects.toMatchObject({ retryable: false, details: { status: 401 } });
    expect(server.requests).toHaveLength(2);
    expect(() => openAiCompatible({ model: 'qwen3', url: 'localhost:11434' })).toThrow(/begin with http/);
  });
});
