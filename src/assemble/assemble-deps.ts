import type * as OpenTelemetry from '@opentelemetry/api';
import { messageOf, VarveError } from '../errors.ts';
import { type LanguageModel, NO_USAGE } from '../models/language-model.ts';
import type { RecallDeps } from '../recall/recall.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import { insertContexts, insertGiven, type LoggedContext } from '../store/context-log-store.ts';
import { gatherWrites } from '../record/event-loop.ts';
import type { UsageEntry } from '../store/doors/usage-store.ts';
import type { ContextOptions, ContextSettings } from './context-options.ts';
import type { ContextReport } from './context-report.ts';
import { createKnowledgeCache, type KnowledgeCache } from './knowledge.ts';
import type { Budget, Layout } from './layout.ts';
import type { SectionName } from './section.ts';
import type { TokenCounter } from '../language/words.ts';

export interface AssembleDeps extends RecallDeps {
  assembling: Assembling;
}

interface Assembling {
  knowledge: KnowledgeCache;
  log: ContextLog;
  tracing: Tracing;
  settings: ContextSettings;
}

/** Settings for all contexts and for the log that records them. */
export interface AssembleOptions extends ContextSettings {
  /** How many days the log keeps its entries. Default: 90. */
  logDays?: number;
  /** After this many milliseconds, a session's cached knowledge is read again, even if it has not changed. Default: 5 minutes. */
  staleAfter?: number;
}

type LogDeps = Pick<RecallDeps, 'database' | 'clock' | 'ids' | 'ledger'>;

export async function createAssembling(
  parts: LogDeps,
  { logDays, staleAfter, ...settings }: AssembleOptions = {},
  { tracing, languageModel }: { tracing?: TracingOptions | false; languageModel?: LanguageModel } = {},
): Promise<Assembling> {
  return {
    knowledge: createKnowledgeCache(staleAfter),
    log: createContextLog(parts, logDays),
    tracing: await createTracing(tracing),
    settings: { lookupModel: languageModel, ...settings },
  };
}

/** Records which records each context contained. Writes in batches after a short delay, so that no answer waits for it. */
interface ContextLog {
  note(context: NotedContext): void;
  settle(): Promise<void>;
}

export interface NotedContext extends LoggedContext {
  /** The memories that were looked up for the turn. Consolidation checks later whether the answer used them. */
  given: readonly string[];
  /** The memories and documents that every prompt contains. They count as given only if the answer used them. */
  always: readonly string[];
  /** The tokens of memory that the application's model read in its prompt. Null if the application names no model. */
  injection: { model: string; tokens: number; estimated: boolean } | null;
}

/** A failed write loses its entries but never fails an answer. */
function createContextLog({ database, clock, ids, ledger }: LogDeps, days = 90): ContextLog {
  return gatherWrites<NotedContext>(async (noted) => {
    for (const [tenant, contexts] of Map.groupBy(noted, ({ scope }) => scope.tenant)) {
      try {
        await database.write(tenant, async (writer) => {
          await insertContexts(writer, contexts, clock.now() - days * DAY);
          for (const { scope, at, given, always } of contexts) {
            const now = at.getTime();
            const looked = new Set(given);
            await insertGiven(writer, ids, scope, [...looked], { now });
            const others = always.filter((id) => !looked.has(id));
            await insertGiven(writer, ids, scope, others, { now, isAlways: true });
          }
          await ledger.record(writer, contexts.flatMap(usageOf));
        });
      } catch (error) {
        process.emitWarning(`A context could not be logged: ${messageOf(error)}`, 'VarveContextWarning');
      }
    }
  });
}

/** The entry has the id of the context, so that writing it twice has no effect. */
function usageOf({ id, scope, at, injection }: NotedContext): UsageEntry[] {
  if (!injection || injection.tokens === 0) return [];
  const { model, tokens, estimated } = injection;
  const usage = { ...NO_USAGE, tokensIn: tokens, calls: 1, estimated };
  return [
    { id, scope, run: null, operation: 'injection', task: 'inject', model, usage, failed: false, at: at.getTime() },
  ];
}

/** The spans have the names of OpenTelemetry's conventions for memory. */
interface Tracing {
  span<Result>(name: string, attributes: Attributes, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  readonly content: boolean;
}

export type Attributes = Record<string, string | number | boolean | string[]>;

interface OpenSpan {
  set(attributes: Attributes): void;
}

export interface TracingOptions {
  /** Whether to put queries and texts into spans. Default: false, because spans leave the machine. */
  content?: boolean;
}

const UNTRACED: OpenSpan = { set: () => {} };

const noTracing: Tracing = { content: false, span: (_name, _attributes, work) => work(UNTRACED) };

async function createTracing(options: TracingOptions | false = {}): Promise<Tracing> {
  if (options === false) return noTracing;
  const api = await loadApi();
  if (api === null) return noTracing;
  return {
    content: options.content === true,
    span(name, attributes, work) {
      // An application may register its provider later, so each span looks up the tracer.
      const tracer: OpenTelemetry.Tracer = api.trace.getTracer('varve');
      return tracer.startActiveSpan(name, { attributes }, async (span: OpenTelemetry.Span) => {
        try {
          return await work({ set: (more) => void span.setAttributes(more) });
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: api.SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

// Node's error codes for a missing package, and webpack's for a package that was missing when the bundle was built.
const NOT_INSTALLED = new Set<unknown>(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

async function loadApi(): Promise<typeof OpenTelemetry | null> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if (NOT_INSTALLED.has((error as { code?: unknown }).code)) return null;
    throw error;
  }
}

export interface Gathering {
  deps: AssembleDeps;
  scope: Scope;
  options: ContextOptions;
  layout: Layout;
  /** The sections that the layout shows, except those that are switched off. */
  on: ReadonlySet<SectionName>;
  budget: Budget;
  counter: TokenCounter;
  message: string;
  now: number;
  timeZone: string;
  attempt: Attempt;
  failed: Failed;
}

export type Failed = ContextReport['failed'];

/** Tries to produce one part of a context. If this fails or times out, the report notes it, and the result is `otherwise`. */
export type Attempt = <Result>(
  section: Failed[number]['section'],
  work: () => Promise<Result>,
  otherwise: Result,
) => Promise<Result>;

/** In milliseconds, for a hook or a search. */
export const DEFAULT_TIMEOUT = 2000;
/** In characters. */
export const LONGEST_QUERY = 1500;

export function createAttempt(failed: Failed, timeout: number = DEFAULT_TIMEOUT): Attempt {
  return async (section, work, otherwise) => {
    try {
      return await withinTime(work(), timeout);
    } catch (error) {
      failed.push({ section, error: messageOf(error) });
      return otherwise;
    }
  };
}

/** Throws `timed_out` after the given time. The work continues, but its result is ignored. */
async function withinTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new VarveError(`There was no answer within ${milliseconds} ms.`, { code: 'timed_out', retryable: true }),
        ),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
