import { invalidInput, messageOf } from '../errors.ts';
import { parseJson } from '../operate/parse-json.ts';

const MOST_PER_LINE = 10 * 1024 * 1024;

/** A time as ISO 8601. */
export function isoText(time: Date): string {
  return time.toISOString();
}

/** The values of an NDJSON stream, one line at a time. A line that is no JSON is given as the text it is. */
export async function* lines(stream: AsyncIterable<Uint8Array> | null): AsyncGenerator<unknown> {
  for await (const line of textLines(stream)) {
    if (line.trim() === '') continue;
    yield parsed(line);
  }
}

function parsed(line: string): unknown {
  try {
    return parseJson(line, 'The line');
  } catch (error) {
    // The import reports it with its line number; the rest goes on.
    return messageOf(error);
  }
}

/** The lines of a stream of bytes. */
export async function* textLines(stream: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  if (stream === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    // Only what is new is looked through: a long line comes in many pieces.
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const next of more) {
      yield rest;
      rest = next;
    }
    if (rest.length > MOST_PER_LINE) throw invalidInput('A line is longer than 10 MiB.');
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
