import { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import type { ApiKey, KeyAccess } from '../operate/api-keys.ts';
import type { NewEvent } from '../record/event.ts';
import { timeSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Varve } from '../varve.ts';

/** What an operation works with. */
export interface OperationInput<Query = unknown, Body = unknown> {
  varve: Varve;
  /** Everything within the request's scope, and no more than the key reaches. */
  handle: Handle;
  scope: Scope;
  key: ApiKey;
  /** The placeholders of the path. */
  params: Record<string, string>;
  query: Query;
  body: Body;
  headers: Headers;
  /** The body as a stream, where the operation asks for it. */
  stream: ReadableStream<Uint8Array> | null;
  /** Ends when the caller is gone. Made when it is asked for: most operations never do. */
  gone(): AbortSignal;
  /** Ends when the caller is gone or the server stops: for work that can be begun again. */
  goneOrStopping(): AbortSignal;
  /** Counts a stream of changes of this key until the signal; throws when it has too many. */
  follow(until: AbortSignal): void;
  /** Whether the caller's key still works: for streams, which outlive the first look at it. */
  isAllowed(): Promise<boolean>;
}

/** An answer that is more than a JSON body. */
export class Reply {
  /** Default: the first status that the operation declares. */
  readonly status?: number;
  readonly body?: unknown;
  readonly stream?: ReadableStream<Uint8Array>;
  readonly headers?: Record<string, string>;

  constructor(parts: Pick<Reply, 'status' | 'body' | 'stream' | 'headers'>) {
    Object.assign(this, parts);
  }
}

/** One thing that can be asked of the server. Routes and OpenAPI are both made from these. */
export interface Operation {
  id: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With placeholders as OpenAPI writes them: `/v1/memories/{id}`. */
  path: string;
  tag: string;
  summary: string;
  /** The least that a key must be allowed. */
  access: KeyAccess;
  /** Takes agent, user, session and connection in the query string. */
  scoped: boolean;
  /** Concerns the whole tenant: a key that is limited to agents or users cannot ask for it. */
  tenantWide: boolean;
  /** The parameters of the query string besides the scope. */
  query?: z.ZodType;
  body?: z.ZodType;
  /** What the ids of the records in its path begin with. */
  idPrefix: 'mem' | 'evt' | 'ent' | 'key' | 'whk' | 'whd' | 'job' | 'run';
  /** A body as someone would first send it: the reference shows it, and a test sends it. Every body has one. */
  example?: unknown;
  /** The library checks the body itself, and first of all: the door leaves it to it. */
  bodyCheckedLater: boolean;
  /** Whether the body may be left out. */
  bodyOptional: boolean;
  /** The media type of the body, when it is read as a stream. */
  streams?: string;
  /** Status and what is answered with it; null: nothing. */
  answer: {
    status: number;
    schema: z.ZodType | null;
    description: string;
    media?: string;
    also?: Record<number, string>;
  };
  /** Under which name it goes into the audit trail. */
  act?: string;
  /** A repeated request with the same Idempotency-Key gets the first answer. */
  once: boolean;
  /** Request headers that it heeds, by name, and what for. */
  headers?: Record<string, string>;
  /** Takes as long as it takes: no time limit. */
  unhurried: boolean;
  /** Another way in than a key: the header that carries the server's reflection secret. */
  secret: boolean;
  /** Gives the body of the answer, or a {@link Reply}. */
  run(input: OperationInput): Promise<unknown>;
}

type Definition<Query extends z.ZodType | undefined, Body extends z.ZodType | undefined> = Pick<
  Operation,
  'id' | 'method' | 'path' | 'tag' | 'summary'
> &
  Partial<Omit<Operation, 'query' | 'body' | 'example' | 'run' | 'answer'>> &
  (Body extends z.ZodType ? { example: z.input<Body> } : { example?: string }) & {
    query?: Query;
    body?: Body;
    answer: z.ZodType | null | Partial<Operation['answer']>;
    run(
      input: OperationInput<
        Query extends z.ZodType ? z.output<Query> : undefined,
        Body extends z.ZodType ? z.output<Body> : undefined
      >,
    ): Promise<unknown>;
  };

/** Declares an operation. Defaults: reads with GET and writes otherwise, within a scope, 200 (201 where `status` says so). */
export function operation<
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: Definition<Query, Body>): Operation {
  const { answer, run, ...rest } = definition;
  const isSchema = answer === null || 'safeParse' in answer;
  const declared: Partial<Operation['answer']> = isSchema ? { schema: answer as z.ZodType | null } : answer;
  return {
    access: definition.method === 'get' ? 'read' : 'write',
    idPrefix: 'mem',
    scoped: true,
    tenantWide: false,
    bodyOptional: false,
    bodyCheckedLater: false,
    // PUT and DELETE done twice leave what they leave done once.
    once: definition.method === 'post' || definition.method === 'patch',
    secret: false,
    unhurried: false,
    ...rest,
    answer: {
      status: declared.schema === null ? 204 : 200,
      description: 'As asked.',
      ...declared,
      schema: declared.schema ?? null,
    },
    run: run as Operation['run'],
  };
}

/** The most items of a list that has no pages. */
export function limitSchema(maximum: number): z.ZodOptional<z.ZodInt> {
  return z.int().min(1).max(maximum).optional();
}

export const levelSchema: z.ZodOptional<z.ZodEnum> = z.enum(['tenant', 'agent', 'user', 'session']).optional();

/** Reads what was known at a time instead of what is known now. */
export const asOfSchema: z.ZodOptional<typeof timeSchema> = timeSchema.optional();

/** The id in the path. */
export function idOf(params: Record<string, string>): string {
  return params['id'] ?? '';
}

/** A list without pages. */
export function items(item: z.ZodType): z.ZodType {
  return z.object({ items: z.array(item) });
}

/** An object whose fields the library's types describe. */
export const loose: z.ZodType = z.record(z.string(), z.unknown());

/** What was looked for, or `not_found`. */
export function found<Item>(item: Item | null, what: string, id: string | undefined): Item {
  if (item !== null) return item;
  throw new VarveError(`There is no ${what} ${id} within this scope.`, { code: 'not_found', details: { id } });
}

/** Gives events the key of the request that carries them; an event's own key stands. */
export function keyedBy(key: string | null, events: NewEvent | readonly NewEvent[]): NewEvent | NewEvent[] {
  if (key === null) return events as NewEvent | NewEvent[];
  if (!Array.isArray(events)) return { idempotencyKey: key, ...(events as NewEvent) };
  return (events as readonly NewEvent[]).map((event, index) => ({ idempotencyKey: `${key}#${index}`, ...event }));
}
