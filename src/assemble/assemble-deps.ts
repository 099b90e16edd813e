import type * as OpenTelemetry from '@opentelemetry/api';
import { messageOf, VarveError } from '../errors.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { RecallDeps } from '../recall/recall.ts';
import type { Scope } from '../record/scope.ts';
import { type ContextLog, createContextLog } from './context-log.ts';
import type { ContextOptions, ContextSettings } from './context-options.ts';
import type { ContextReport } from './context-report.ts';
import { createKnowledgeCache, type KnowledgeCache } from './knowledge.ts';
import type { Budget, Layout } from './layout.ts';
import type { SectionName } from './section.ts';
import type { TokenCounter } from '../language/words.ts';

export interface AssembleDeps extends RecallDeps {
  assembling: Assembling;
}

/** The dependencies that only assembling needs. */
interface Assembling {
  knowledge: KnowledgeCache;
  log: ContextLog;
  tracing: Tracing;
  /** The application's settings for all contexts. */
  settings: ContextSettings;
}

/** Settings for all contexts and for their log. */
export interface AssembleOptions extends ContextSettings {
  /** The number of days for which the log of contexts is kept. Default 90. */
  logDays?: number;
  /** Milliseconds after which the cached knowledge of a session is read again, even if it has not changed. Default 5 minutes. */
  staleAfter?: number;
}

export async function createAssembling(
  parts: Pick<RecallDeps, 'database' | 'clock' | 'ids' | 'ledger'>,
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

/** Spans that are named by OpenTelemetry's conventions for memory. */
interface Tracing {
  /** Runs work inside a span. Without OpenTelemetry the work runs without one. */
  span<Result>(name: string, attributes: Attributes, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Whether queries and texts may go into spans. */
  readonly content: boolean;
}

export type Attributes = Record<string, string | number | boolean | string[]>;

/** A span to which attributes can be added. */
interface OpenSpan {
  set(attributes: Attributes): void;
}

export interface TracingOptions {
  /** Put queries and texts into spans. Default false, because spans leave the machine. */
  content?: boolean;
}

const UNTRACED: OpenSpan = { set: () => {} };

const noTracing: Tracing = { content: false, span: (_name, _attributes, work) => work(UNTRACED) };

/** Spans through `@opentelemetry/api`, if the application has installed it; otherwise none. */
async function createTracing(options: TracingOptions | false = {}): Promise<Tracing> {
  if (options === false) return noTracing;
  const api = await loadApi();
  if (api === null) return noTracing;
  return {
    content: options.content === true,
    span(name, attributes, work) {
      // Looked up for each span, because an application may register its provider later.
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

async function loadApi(): Promise<typeof OpenTelemetry | null> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

/** A request to gather sections, with its dependencies. */
export interface GatherRequest {
  deps: AssembleDeps;
  scope: Scope;
  options: ContextOptions;
  layout: Layout;
  /** The sections that the layout shows and that are not switched off. */
  on: ReadonlySet<SectionName>;
  budget: Budget;
  counter: TokenCounter;
}

/** The turn for which the sections are gathered. */
export interface GatherTurn {
  message: string;
  now: number;
  attempt: Attempt;
  failed: Failed;
}

export type Failed = ContextReport['failed'];

/** Tries to make a part of a context. A failure or a timeout is noted in the report, and the fallback `otherwise` is used. */
export type Attempt = <Result>(
  section: Failed[number]['section'],
  work: () => Promise<Result>,
  otherwise: Result,
) => Promise<Result>;

const DEFAULT_TIMEOUT = 2000;

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

/** The result of work. Throws `timed_out` after the time; the work itself continues, and its result is ignored. */
async function withinTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new VarveError(`No answer within ${milliseconds} ms.`, { code: 'timed_out', retryable: true })),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
