import { VarveError } from '../errors.ts';
import { parse } from '../record/parse.ts';
import type { Operation } from './operation.ts';
import { parseJson } from '../operate/parse-json.ts';
import { DoorError } from './problem.ts';

/** The body of a request, checked; and its text, for the fingerprint of a request that must happen once. */
export async function readBody(
  operation: Operation,
  request: Request,
  limit: number,
): Promise<{ body: unknown; text: string }> {
  if (operation.body === undefined) return { body: undefined, text: '' };
  const text = await bodyText(request, limit);
  if (text === '' && operation.bodyOptional) return { body: undefined, text };
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new DoorError('unsupported_media_type', 'The body must be JSON: Content-Type: application/json.');
  }
  const body = parseJson(text, 'The body');
  return { body: operation.bodyCheckedLater ? body : parse(operation.body, body, 'The body'), text };
}

/** Fails when a body is packed: unpacked it could be a thousand times as large, and taken as it is it says nothing. */
export function assertPlain({ headers }: Request): void {
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new DoorError('unsupported_media_type', 'The body must not be packed: send it without Content-Encoding.');
}

/** The whole body as a text. One that says that it is larger than it may be is not read. */
export async function bodyText(request: Request, limit: number): Promise<string> {
  assertPlain(request);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  try {
    return await readText(request, limit);
  } catch (error) {
    if (error instanceof DoorError) throw error;
    // Nobody is left to be told; the log is not to take it for a fault of ours.
    throw new VarveError('The body broke off.', { code: 'cancelled', retryable: true, cause: error });
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
