import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import { infoSchema } from '../../handle/connections.ts';
import { type Block, BLOCK_KINDS, type BlockKindName } from '../../record/block.ts';
import { textSchema } from '../../record/parse.ts';
import { sessionStateSchema } from '../../record/session.ts';
import { asOfSchema, found, items, levelSchema, limitSchema, loose } from '../operation.ts';
import { operationsOf, readerAt, Reply } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { DoorError } from '../problem.ts';
import * as records from '../record-schemas.ts';

const blocks = operationsOf('blocks');
const session = operationsOf('session');
const connection = operationsOf('connection');
const memories = operationsOf('memories');

const placeSchema = z.strictObject({ level: levelSchema });
const pastPlaceSchema = z.strictObject({ level: levelSchema, asOf: asOfSchema });

const BLOCKS: readonly Operation[] = [
  blocks('getBlock', 'GET /v1/blocks/{kind}', {
    summary: `A block: ${Object.keys(BLOCK_KINDS).join(', ')}.`,
    query: pastPlaceSchema,
    headers: { 'if-none-match': 'Answers 304 when the block still has this ETag.' },
    answer: { schema: records.block, also: { 304: 'The block has not changed.' } },
    async run({ handle, id, query: { asOf, level }, headers }) {
      const block = found(await readerAt(asOf, handle).blocks.read(id as BlockKindName, { level }), 'block', id);
      const etag = blockTag(block);
      if (headers.get('if-none-match') === etag) return new Reply({ status: 304, headers: { etag } });
      return new Reply({ body: block, headers: { etag } });
    },
  }),
  blocks('replaceBlock', 'PUT /v1/blocks/{kind}', {
    summary: 'Replaces a block. Its earlier versions stay in its history.',
    query: placeSchema,
    body: z.strictObject({ content: z.json(), reason: textSchema(500).optional(), actor: textSchema(100).optional() }),
    headers: {
      'if-match': 'The ETag that was read: 412 when the block has changed since.',
      'if-none-match': '`*`: writes only if there is no such block yet.',
    },
    example: { content: 'Lives in Oslo. Plans a trip across Hardangervidda.' },
    answer: { schema: records.block, also: { 412: 'The block has changed since it was read.' } },
    async run({ handle, id, query: { level }, body: { content, ...why }, headers }) {
      const kind = id as BlockKindName;
      const expected = await expectedVersion(headers, () => handle.blocks.read(kind, { level }));
      const options = { ...why, level, expectedVersion: expected };
      const block = await handle.blocks.replace(kind, content, options).catch((error: unknown) => {
        // Another write changed the block after its ETag was checked.
        const isLate = expected !== undefined && VarveError.isInstance(error, 'conflict');
        throw isLate ? another({}) : error;
      });
      return new Reply({ body: block, headers: { etag: blockTag(block) } });
    },
  }),
  blocks('blockBasis', 'GET /v1/blocks/{kind}/basis', {
    summary: 'The sentences of a block, or its entries, each with the statements and events that it rests on.',
    query: pastPlaceSchema,
    answer: items(records.restingSentence),
    run: ({ handle, id, query: { asOf, level } }) =>
      readerAt(asOf, handle).blocks.basis(id as BlockKindName, { level }),
  }),
  blocks('blockHistory', 'GET /v1/blocks/{kind}/history', {
    summary: 'All changes of a block, oldest first.',
    query: placeSchema,
    answer: items(records.revision),
    run: ({ handle, id, query }) => handle.blocks.history(id as BlockKindName, query),
  }),
];

const SESSION: readonly Operation[] = [
  session('getSession', 'GET /v1/session', {
    summary: 'The state of the conversation of the scope.',
    answer: records.session,
    run: async ({ handle, scope }) => found(await handle.session.get(), 'session', scope.session ?? ''),
  }),
  session('sessionWindow', 'GET /v1/session/window', {
    summary: 'The last turns, oldest first; the first turn is always among them.',
    query: z.strictObject({ size: limitSchema(1000) }),
    answer: items(records.event),
    run: ({ handle, query }) => handle.session.window(query.size),
  }),
  session('setSessionState', 'PATCH /v1/session/state', {
    summary: 'Sets parts of the state of the conversation.',
    body: sessionStateSchema,
    example: { activePreferences: ['metric units'] },
    answer: records.sessionState,
    run: ({ handle, body }) => handle.session.setState(body),
  }),
  session('closeSession', 'POST /v1/session/close', {
    summary: 'Ends the conversation: queues its formation and clears its state.',
    answer: records.session,
    run: ({ handle }) => handle.session.close(),
  }),
];

const CONNECTION: readonly Operation[] = [
  connection('getLearnedInfo', 'GET /v1/connection/info', {
    summary: 'What was learned about the connection that the scope names.',
    answer: loose,
    run: ({ handle }) => handle.connection.learnedInfo(),
  }),
  connection('learnOfConnection', 'PATCH /v1/connection/info', {
    summary: 'Adds to what was learned about the connection; a key whose value is null is removed.',
    body: infoSchema,
    example: { workspace: 'acme' },
    answer: records.block,
    run: ({ handle, body }) => handle.connection.learn(body),
  }),
  connection('getToolSchema', 'GET /v1/connection/tool-schema', {
    summary: 'The cached schema of the connection’s tools, even when it is stale.',
    answer: records.toolSchema,
    run: async ({ handle, scope }) =>
      found(await handle.connection.toolSchema(), 'tool schema of', scope.connection ?? ''),
  }),
  connection('saveToolSchema', 'PUT /v1/connection/tool-schema', {
    summary: 'Stores a schema of the connection’s tools, by default for a day.',
    body: z.strictObject({ schema: z.json(), timeToLive: z.int().positive().max(1e12).optional() }),
    example: { schema: { tools: ['search', 'send'] } },
    answer: null,
    run: ({ handle, body: { schema, timeToLive } }) => handle.connection.saveToolSchema(schema, { timeToLive }),
  }),
  memories('listMemoryTypes', 'GET /v1/memory-types', {
    summary: 'The memory types of this server, including those of the application, each with its policies.',
    scoped: false,
    answer: z.record(z.string(), z.record(z.string(), z.unknown())),
    run: async ({ varve }) => Object.fromEntries(varve.operator.inspect.memoryTypes),
  }),
];

export const BLOCK_OPERATIONS: readonly Operation[] = [...BLOCKS, ...SESSION, ...CONNECTION];

function blockTag(block: Pick<Block, 'id' | 'version'>): string {
  return `"${block.id}.${block.version}"`;
}

async function expectedVersion(headers: Headers, read: () => Promise<Block | null>): Promise<number | undefined> {
  const match = headers.get('if-match');
  const none = headers.get('if-none-match');
  if (match === null && none === null) return undefined;
  const block = await read();
  if (none === '*' && block === null) return 0;
  if (match !== null && block !== null && (match === '*' || match === blockTag(block))) return block.version;
  throw another(block === null ? {} : { etag: blockTag(block) });
}

function another(tag: Record<string, string>): DoorError {
  return new DoorError('precondition_failed', 'The block has changed since it was read. Read it again.', tag);
}
