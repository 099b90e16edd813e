import { z } from 'zod';
import type { Scope } from '../../record/scope.ts';
import { assertReach } from '../access.ts';
import { operationsOf, type Operation, Reply } from '../operation.ts';
import * as records from '../record-schemas.ts';
import { eventStream, lines, ndjsonStream } from '../streams.ts';

const operations = operationsOf('operations');

const NDJSON = 'application/x-ndjson';

export const STREAM_OPERATIONS: readonly Operation[] = [
  operations('export', 'GET /v1/export', {
    summary:
      'Everything within the scope as NDJSON that can be imported. A record comes after the records that it refers to.',
    access: 'admin',
    act: 'export',
    answer: { schema: z.string(), media: NDJSON, description: 'One record on each line.' },
    async run({ varve, scope, gone }) {
      const stream = ndjsonStream(varve.operator.export(scope), gone());
      const name = `varve-${new Date().toISOString().slice(0, 10)}.ndjson`;
      const headers = { 'content-type': NDJSON, 'content-disposition': `attachment; filename="${name}"` };
      return new Reply({ stream, headers });
    },
  }),
  operations('import', 'POST /v1/import', {
    summary:
      'Imports the lines of an export. Records that exist already are left as they are. The scope of the request replaces that of the lines.',
    access: 'admin',
    act: 'import',
    once: false,
    streams: NDJSON,
    query: z.strictObject({ dryRun: z.boolean().optional() }),
    example:
      '{"record":"event","id":"evt_01jd00000000000000000000aa","scope":{"user":"ana"},"data":{"content":"I moved to Oslo."}}',
    answer: records.importReport,
    async run({ varve, key, scope, query, stream, gone }) {
      const { tenant, agent, user, session } = scope;
      const into = { tenant, agent: agent ?? undefined, user: user ?? undefined, session: session ?? undefined };
      const check = (place: Scope): void => assertReach(key, place);
      return varve.operator.import(lines(stream), { into, dryRun: query.dryRun, check, signal: gone() });
    },
  }),
  operations('changes', 'GET /v1/changes', {
    summary: 'Changes within the scope, as server-sent events, which name records and hold no content.',
    query: z.strictObject({ after: z.string().max(200).optional() }),
    headers: { 'last-event-id': 'The stream continues after this event. Browsers send the header by themselves.' },
    answer: { schema: z.string(), media: 'text/event-stream', description: 'One event for each change.' },
    async run({ varve, scope, query, headers, goneOrStopping, follow, isAllowed }) {
      const { cursors } = varve.operator;
      const sealed = headers.get('last-event-id') ?? query.after;
      const after = sealed === undefined ? undefined : await cursors.open(scope.tenant, sealed);
      const over = new AbortController();
      const until = AbortSignal.any([goneOrStopping(), over.signal]);
      follow(until);
      const changes = varve.operator.changes(scope, { after, signal: until });
      const seal = (cursor: string): Promise<string> => cursors.seal(scope.tenant, cursor);
      const stop = (): void => over.abort();
      const stream = await eventStream(changes, { signal: until, seal, isAllowed, stop }).catch((error: unknown) => {
        stop();
        throw error;
      });
      const type = { 'content-type': 'text/event-stream' };
      return new Reply({ stream, headers: { ...type, 'cache-control': 'no-store', 'x-accel-buffering': 'no' } });
    },
  }),
];
