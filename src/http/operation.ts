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
  /** The handle of the request's scope. It reaches only records within the limits of the key. */
  handle: Handle;
  scope: Scope;
  key: ApiKey;
  /** The value of the path's placeholder, such as an id or a key, or an empty text. A path has at most one placeholder. */
  id: string;
  query: Query;
  body: Body;
  headers: Headers;
  /** The body as a stream, if the operation has `streams`; otherwise null. */
  stream: ReadableStream<Uint8Array> | null;
  /** Returns a signal that aborts when the client disconnects. It is created at the first call, because most operations do not need it. */
  gone(): AbortSignal;
  /** Returns a signal that aborts when the client disconnects or the server stops, for work that can be restarted. */
  goneOrStopping(): AbortSignal;
  /** Counts a stream of changes as open until the signal aborts. If this key has too many, throws. */
  follow(until: AbortSignal): void;
  /** Checks whether the caller's key is still valid. For streams, which may last longer than the key. */
  isAllowed(): Promise<boolean>;
}

/** A response that is more than a JSON body. */
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

/** An operation of the server. The routes and the OpenAPI document are generated from all operations. */
export interface Operation {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path, with placeholders in OpenAPI's form: `/v1/memories/{id}`. */
  path: string;
  tag: string;
  summary: string;
  access: KeyAccess;
  /** Whether the operation accepts agent, user, session and connection in the query string. */
  scoped: boolean;
  /** Whether the operation affects the whole tenant. If so, a key that is limited to agents or users is refused. */
  tenantWide: boolean;
  /** The query string's parameters besides the scope. */
  query?: z.ZodType;
  body?: z.ZodType;
  /** An example of the body, required for every operation with a body. The reference shows it, and a test sends it. */
  example?: unknown;
  /** If true, the library validates the body, and the server does not. */
  bodyCheckedLater: boolean;
  bodyOptional: boolean;
  /** The media type of a body that is read as a stream. */
  streams?: string;
  /** The response. If it is empty, its schema is null. `also` describes further statuses. */
  answer: {
    status: number;
    schema: z.ZodType | null;
    description: string;
    media?: string;
    also?: Record<number, string>;
  };
  /** The operation's name in the audit trail. Without a name, it is not recorded there. */
  act?: string;
  /**
   * Whether a repeated request with the same Idempotency-Key gets the first answer. Use `again` for an operation that is idempotent by
   * itself: a repeated request is executed again, and only a different request with the same key is refused.
   */
  once: boolean | 'again';
  /** Descriptions of the request headers that the operation uses. */
  headers?: Record<string, string>;
  /** If true, the operation has no time limit. */
  unhurried: boolean;
  /** If true, the server's reflection secret is accepted in its header in place of a key. */
  secret: boolean;
  /** Handles the request. Returns the body of the response, an array of {@link items}, or a {@link Reply}. */
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

/**
 * Returns a function that declares operations of one tag: `notes('addNote', 'POST /v1/notes', { … })`. By default, an operation is scoped
 * and needs `read` access for GET and `write` access for other methods. Its default status is 200, or 204 without a schema.
 */
export function operationsOf(tag: string, shared: Shared = {}): Declare {
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
      // PUT and DELETE need no stored answer, because they are idempotent by themselves.
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

/** Returns a handle for the records as of a time or, without a time, for the current records. */
export function readerAt(time: Date | undefined, handle: Handle): Handle | PastHandle {
  return time === undefined ? handle : handle.asOf(time);
}

/** Makes the answer schema of an operation that returns an array. The array is sent as `items`. */
export function items(item: z.ZodType): z.ZodType {
  return z.object({ items: z.array(item) });
}

/** Any object. The library's types describe its fields. */
export const loose: z.ZodType = z.record(z.string(), z.unknown());

export function found<Item>(item: Item | null, what: string, id: string | undefined): Item {
  if (item !== null) return item;
  throw notFound(`There is no ${what} ${id} within this scope.`, id);
}

/** Gives events the idempotency key of their request, unless they have their own. */
export function keyedBy(key: string | null, events: NewEvent | readonly NewEvent[]): NewEvent | NewEvent[] {
  if (key === null) return events as NewEvent | NewEvent[];
  if (!Array.isArray(events)) return { idempotencyKey: key, ...(events as NewEvent) };
  return (events as readonly NewEvent[]).map((event, index) => ({ idempotencyKey: `${key}#${index}`, ...event }));
}
