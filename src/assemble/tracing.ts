import type * as OpenTelemetry from '@opentelemetry/api';

/** Spans with the names that OpenTelemetry has for memory. */
export interface Tracing {
  /** Runs work inside a span. Without OpenTelemetry it just runs. */
  span<Result>(name: string, attributes: Attributes, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Whether what was said may go into spans. */
  readonly content: boolean;
}

export type Attributes = Record<string, string | number | boolean | string[]>;

/** A span that can be told more. */
export interface OpenSpan {
  set(attributes: Attributes): void;
}

export interface TracingOptions {
  /** Put queries and texts into spans. Default false: they leave the machine with the spans. */
  content?: boolean;
}

const UNTRACED: OpenSpan = { set: () => {} };

/** Spans go nowhere. */
export const noTracing: Tracing = { content: false, span: (_name, _attributes, work) => work(UNTRACED) };

/** Spans through `@opentelemetry/api`, where the application has it; otherwise none. */
export async function createTracing(options: TracingOptions | false = {}): Promise<Tracing> {
  if (options === false) return noTracing;
  const api = await loadApi();
  if (api === null) return noTracing;
  return {
    content: options.content === true,
    span(name, attributes, work) {
      // Asked for each time: an application may register its provider after we have started.
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
