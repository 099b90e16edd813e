import type { RecordChange } from '../../operate/follow-changes.ts';
import { VarveError } from '../../errors.ts';
import { textLines } from '../ndjson.ts';
import { addressOf, type ClientOptions } from './request.ts';
import { reviveDates } from './revive-dates.ts';

const AGAIN_AFTER = 1_000;

/** Reads the server-sent events of `/v1/changes`, and goes on after the last one when the connection is lost. */
export async function* followServer(
  { url, key, fetch = globalThis.fetch }: ClientOptions,
  scope: Record<string, unknown>,
  { after, signal }: { after?: string; signal?: AbortSignal } = {},
): AsyncGenerator<RecordChange> {
  let last = after;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    try {
      const response = await fetch(addressOf(url, { path: '/v1/changes', query: scope }), {
        headers: { authorization: `Bearer ${key}`, ...(last === undefined ? {} : { 'last-event-id': last }) },
        signal,
      });
      if (response.status >= 400 && response.status < 500) {
        throw new VarveError(`The server refuses to tell of changes (${response.status}).`, { code: 'outside_scope' });
      }
      if (response.ok)
        for await (const change of changesOf(response)) yield { ...change, cursor: (last = change.cursor) };
    } catch (error) {
      if (isOver()) return;
      if (VarveError.isInstance(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
  }
}

async function* changesOf(response: Response): AsyncGenerator<RecordChange> {
  let cursor = '';
  for await (const line of textLines(response.body)) {
    if (line.startsWith('id: ')) cursor = line.slice(4);
    if (line.startsWith('data: ')) yield { ...(reviveDates(JSON.parse(line.slice(6))) as RecordChange), cursor };
  }
}
