import { z } from 'zod';
import { notFound } from '../errors.ts';
import type { Handle, PastHandle } from '../handle/handle.ts';
import type { ApiKey, KeyAccess } from '../operate/api-keys.ts';
import type { NewEvent } from '../record/event.ts';
import { timeSchema } from '../record/parse.ts';
import { type Scope, SCOPE_LEVELS, type ScopeLevel } from '../record/scope.ts';
import type { Varve } from '../varve.ts';

interface OperationInput<Query = unknown, Body = unknown> {
  varve: Varve;
  /** Reaches only records within the limits of the key. */
  handle: Handle;
  scope: Scope;
  key: ApiKey;
  /** The value of the path's only placeholder, or "" if the path has none. */
  id: string;
  query: Query;
  body: Body;
  headers: Headers;
  /** The body, if the operation has `streams`. */
  stream: ReadableStream<Uint8Array> | null;
  /** Aborts when the client disconnects. Created at the first call, because most operations do not need it. */
  gone(): AbortSignal;
  /** Like `gone`, but also aborts when the server stops. For work that can be restarted. */
  goneOrStopping(): AbortSignal;
  /** Counts a stream of changes until the signal aborts. Throws if this key has too many. */
  follow(until: AbortSignal): void;
  /** Whether the key is still valid. A stream may outlive its key. */
  isAllowed(): Promise<boolean>;
}

export class Reply {
  /** Default: the status that the operation declares. */
  readonly status?: number;
  readonly body?: unknown;
  readonly stream?: ReadableStream<Uint8Array>;
  readonly headers?: Record<string, string>;

  constructor(parts: Pick<Reply, 'status' | 'body' | 'stream' | 'headers'>) {
    Object.assign(this, parts);
  }
}

/** The groups of operations, with the description of each in the OpenAPI document. */
export const TAGS = {
  events: 'What happened: turns, observations, documents, decisions. All other records are derived from events.',
  memories: 'Learned statements, each with its source, its versions and its history.',
  facts: 'Permanent facts about the user, each under a key such as `home_city`.',
  notes: 'Notes and saved items of the user.',
  entities: 'The people and things that memories are about.',
  context: 'The prompt that the agent gets for a turn, within a token budget.',
  recall: 'Search by meaning and by words at once.',
  tools: 'The tools of the agent, as MCP offers them, called over HTTP.',
  blocks: 'Short documents that are part of every prompt: the profile, the working memory.',
  session: 'The state of a conversation.',
  connection: 'What was learned about a connection to a tool.',
  intentions: 'What the user wants to do, and what the agent has learned to do.',
  work: 'Background work that is started by hand, and its results.',
  webhooks: 'Messages to other servers when records change, and their deliveries.',
  keys: 'API keys, and the audit trail of administrative actions.',
  jobs: 'The queue behind the background work.',
  operations: 'Counts, costs, erasing, import and export.',
  inspector: 'What the inspector at `/` shows: lists by offset, counts and overviews of a scope.',
} as const;
export type Tag = keyof typeof TAGS;

/** The routes and the OpenAPI document are generated from these declarations. */
export interface Operation {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Has at most one placeholder, in OpenAPI's form: `/v1/memories/{id}`. */
  path: string;
  tag: Tag;
  summary: string;
  access: KeyAccess;
  /** Whether the query string may name agent, user, session and connection. */
  scoped: boolean;
  /** Whether a key that is limited to some agents or users is refused, because the operation affects the whole tenant. */
  tenantWide: boolean;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The reference shows it, and a test sends it. */
  example?: unknown;
  /** If true, the library validates the body, and the server does not. */
  bodyCheckedLater: boolean;
  bodyOptional: boolean;
  streams?: string;
  /** The schema is null for an empty response. `also` describes further statuses. */
  answer: {
    status: number;
    schema: z.ZodType | null;
    description: string;
    media?: string;
    also?: Record<number, string>;
  };
  /** The operation's name in the audit trail. Without it, the operation is not audited. */
  act?: string;
  /**
   * True: a repeated Idempotency-Key gets the stored first answer. `again`: the operation, itself idempotent, runs again, and only a
   * different request with the same key is refused.
   */
  once: boolean | 'again';
  headers?: Record<string, string>;
  /** If true, the operation has no time limit. */
  unhurried: boolean;
  /** If true, the reflection secret is accepted in its header instead of a key. */
  secret: boolean;
  /** Returns the body of the response, an array for {@link items}, or a {@link Reply}. */
  run(input: OperationInput): Promise<unknown>;
}

type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v1/${string}`;

type Shared = Partial<
  Omit<Operation, 'id' | 'method' | 'path' | 'tag' | 'query' | 'body' | 'example' | 'run' | 'answer'>
>;

type Definition<Query extends z.ZodType | undefined, Body extends z.ZodType | undefined> = Shared & {
  summary: string;
  query?: Query;
  body?: Body;
  answer: z.ZodType | null | Partial<Operation['answer']>;
  run(
    input: OperationInput<
      Query extends z.ZodType ? z.output<Query> : undefined,
      Body extends z.ZodType ? z.output<Body> : undefined
    >,
  ): Promise<unknown>;
} & (Body extends z.ZodType ? { example: z.input<Body> } : { example?: string });

type Declare = <Query extends z.ZodType | undefined = undefined, Body extends z.ZodType | undefined = undefined>(
  id: string,
  route: Route,
  definition: Definition<Query, Body>,
) => Operation;

/** `notes('addNote', 'POST /v1/notes', { … })`. Defaults: scoped; `read` for GET, else `write`; status 200, or 204 without a schema. */
export function operationsOf(tag: Tag, shared: Shared = {}): Declare {
  return (id, route, { answer, run, ...rest }) => {
    const [verb, path = ''] = route.split(' ');
    const method = verb?.toLowerCase() as Operation['method'];
    const isSchema = answer === null || 'safeParse' in answer;
    const declared: Partial<Operation['answer']> = isSchema ? { schema: answer as z.ZodType | null } : answer;
    return {
      id,
      method,
      path,
      tag,
      access: method === 'get' ? 'read' : 'write',
      scoped: true,
      tenantWide: false,
      bodyOptional: false,
      bodyCheckedLater: false,
      // PUT and DELETE are idempotent by themselves and need no stored answer.
      once: method === 'post' || method === 'patch',
      secret: false,
      unhurried: false,
      ...shared,
      ...rest,
      answer: {
        status: declared.schema === null ? 204 : 200,
        description: 'Success.',
        ...declared,
        schema: declared.schema ?? null,
      },
      run: run as Operation['run'],
    };
  };
}

export function limitSchema(maximum: number): z.ZodOptional<z.ZodInt> {
  return z.int().min(1).max(maximum).optional();
}

export const levelSchema: z.ZodType<ScopeLevel | undefined> = z.enum(SCOPE_LEVELS).optional();

export const asOfSchema: z.ZodOptional<typeof timeSchema> = timeSchema.optional();

export function readerAt(time: Date | undefined, handle: Handle): Handle | PastHandle {
  return time === undefined ? handle : handle.asOf(time);
}

export function items(item: z.ZodType): z.ZodType {
  return z.object({ items: z.array(item) });
}

/** Any object, for answers that only the library's types describe. */
export const loose: z.ZodType = z.record(z.string(), z.unknown());

export function found<Item>(item: Item | null, what: string, id: string | undefined): Item {
  if (item !== null) return item;
  throw notFound(`There is no ${what} ${id} within this scope.`, id);
}

export function keyedBy(key: string | null, events: NewEvent | readonly NewEvent[]): NewEvent | NewEvent[] {
  if (key === null) return events as NewEvent | NewEvent[];
  if (!Array.isArray(events)) return { idempotencyKey: key, ...(events as NewEvent) };
  return (events as readonly NewEvent[]).map((event, index) => ({ idempotencyKey: `${key}#${index}`, ...event }));
}
