import { invalidInput } from '../errors.ts';
import { parse } from '../record/parse.ts';
import type { Operation } from './operation.ts';
import { DoorError } from './problem.ts';

/** The body of a request, checked; and its text, for the fingerprint of a request that must happen once. */
export async function readBody(
  operation: Operation,
  request: Request,
  limit: number,
): Promise<{ body: unknown; text: string }> {
  if (operation.body === undefined) return { body: undefined, text: '' };
  const length = Number(request.headers.get('content-length') ?? 0);
  if (length > limit) throw tooLarge(limit);
  const text = await readText(request, limit);
  if (text === '' && operation.bodyOptional) return { body: undefined, text };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new DoorError('unsupported_media_type', 'The body must be JSON: Content-Type: application/json.');
  }
  const body = parseJson(text);
  return { body: operation.bodyCheckedLater ? body : parse(operation.body, body, 'The body'), text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidInput('The body is not JSON.', { cause: (error as Error).name });
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  if (request.headers.has('content-length')) return request.text();
  // Without a length it may have any: it is counted as it comes.
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(limit: number): DoorError {
  return new DoorError('too_large', `The body may have ${limit.toLocaleString('en')} bytes.`);
}
