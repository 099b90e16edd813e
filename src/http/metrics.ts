import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ONLINE_METRICS } from '../operate/metric-definitions.ts';
import { createLru } from '../record/cache.ts';
import { MINUTE } from '../record/clock.ts';
import type { Varve } from '../varve.ts';
import type { FailureLimit } from './limits.ts';

export interface Measured {
  method: string;
  /** The pattern of the route, never the path, because paths contain ids. */
  route: string;
  status: number;
  seconds: number;
}

export interface Metrics {
  begin(): void;
  end(request: Measured): void;
  /** A tenant's metrics. With `isOperator`, also those of the process, which cover all tenants. */
  text(varve: Varve, tenant: string, options: { isOperator: boolean }): Promise<string>;
  close(): void;
}

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Histogram {
  buckets: number[];
  sum: number;
  count: number;
}

async function qualityMetrics(varve: Varve, tenant: string): Promise<string[]> {
  const metrics = await varve.operator.metrics({ tenant });
  const { conversations, checks } = await varve.operator.checkExtraction({ tenant });
  const gaugeOf = (name: string, metric: string, value: number | null): string[] =>
    family(name, 'gauge', ONLINE_METRICS[metric]?.definition ?? '', value === null ? [] : [`${value}`]);
  const shares = checks.flatMap(({ check, share }) => (share === null ? [] : [`{check="${check}"} ${share}`]));
  const alerts = checks.map(({ check, isAlert }) => `{check="${check}"} ${isAlert ? 1 : 0}`);
  const checked = 'First conversations whose extraction was checked.';
  return [
    ...gaugeOf('varve_context_utilisation', 'contextUtilisation', metrics.contextUtilisation.rate),
    ...gaugeOf('varve_observation_rate', 'observationRate', metrics.observationRate.rate),
    ...gaugeOf('varve_statement_rate', 'statementRate', metrics.statementRate.rate),
    ...gaugeOf('varve_scaffold_keys', 'scaffold', metrics.scaffold.keys),
    ...gaugeOf('varve_correction_rate', 'correctionRate', metrics.correctionRate.rate),
    ...gaugeOf('varve_repeat_question_rate', 'repeatQuestionRate', metrics.repeatQuestionRate.rate),
    ...family('varve_extraction_checked_conversations', 'gauge', checked, [`${conversations}`]),
    ...family('varve_extraction_share', 'gauge', 'Checks of extraction on the first conversations, as shares.', shares),
    ...family('varve_extraction_alert', 'gauge', '1 where a check of extraction is over its threshold.', alerts),
  ];
}

const QUALITY_FOR = 5 * MINUTE;
const MOST_TENANTS = 1000;

function createQuality(): (varve: Varve, tenant: string) => Promise<string[]> {
  const kept = createLru<{ at: number; lines: Promise<string[]> }>({ most: MOST_TENANTS });
  return async (varve, tenant) => {
    const now = performance.now();
    const before = kept.get(tenant);
    if (before !== undefined && now - before.at < QUALITY_FOR) return before.lines;
    const lines = qualityMetrics(varve, tenant);
    kept.set(tenant, { at: now, lines });
    // A failed read is not cached, so that the next scrape tries again.
    lines.catch(() => kept.delete(tenant));
    return lines;
  };
}

export function createMetrics(failures: FailureLimit): Metrics {
  const requests = new Map<string, number>();
  const durations = new Map<string, Histogram>();
  const quality = createQuality();
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let open = 0;
  return {
    begin: () => void (open += 1),
    end({ method, route, status, seconds }) {
      open -= 1;
      const where = `method="${method}",route="${escaped(route)}"`;
      const labels = `${where},status="${status}"`;
      requests.set(labels, (requests.get(labels) ?? 0) + 1);
      const histogram = durations.get(where) ?? { buckets: BOUNDS.map(() => 0), sum: 0, count: 0 };
      for (const [index, bound] of BOUNDS.entries()) {
        if (seconds <= bound) histogram.buckets[index] = (histogram.buckets[index] ?? 0) + 1;
      }
      histogram.sum += seconds;
      histogram.count += 1;
      durations.set(where, histogram);
    },
    async text(varve, tenant, { isOperator }) {
      const own = [...(await storeMetrics(varve, tenant)), ...(await quality(varve, tenant))];
      if (!isOperator) return [...own, ''].join('\n');
      const wrong = failures.counts();
      return [
        ...family('varve_http_requests_total', 'counter', 'Requests that were answered.', samples(requests)),
        ...family('varve_http_request_seconds', 'histogram', 'The duration of the requests.', histograms(durations)),
        ...family('varve_http_requests_open', 'gauge', 'Requests that are being answered.', [`${open}`]),
        ...family('varve_wrong_keys_total', 'counter', 'Requests with an invalid key.', [
          `{status="401"} ${wrong.refused}`,
          `{status="429"} ${wrong.limited}`,
        ]),
        ...own,
        ...processMetrics(delay.percentile(99) / 1e9),
        '',
      ].join('\n');
    },
    close: () => void delay.disable(),
  };
}

async function storeMetrics(varve: Varve, tenant: string): Promise<string[]> {
  const jobs = await varve.operator.jobs.count({ tenant });
  const { vectorsWaiting, heldChanges } = await varve.operator.count({ tenant });
  const byKind = jobs.map(({ kind, state, count }) => `{kind="${escaped(kind)}",state="${state}"} ${count}`);
  return [
    ...family('varve_jobs', 'gauge', 'Background work of the tenant, by kind and state.', byKind),
    ...family('varve_vectors_waiting', 'gauge', 'Records that wait for a vector.', [`${vectorsWaiting}`]),
    ...family('varve_held_changes', 'gauge', 'Changes of documents that wait for review.', [`${heldChanges}`]),
  ];
}

function processMetrics(eventLoopDelay: number): string[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const late = 'The 99th percentile of the delay of the event loop.';
  const values = [
    ['process_resident_memory_bytes', 'gauge', 'Memory of this process.', rss],
    ['nodejs_heap_size_total_bytes', 'gauge', 'The size of the heap, including its free part.', heapTotal],
    ['nodejs_heap_size_used_bytes', 'gauge', 'The part of the heap that is used.', heapUsed],
    ['nodejs_external_memory_bytes', 'gauge', 'Memory outside the heap, such as buffers and vectors.', external],
    ['process_cpu_seconds_total', 'counter', 'Processor time.', (user + system) / 1e6],
    ['process_uptime_seconds', 'gauge', 'The time since the process started.', process.uptime()],
    ['nodejs_eventloop_delay_p99_seconds', 'gauge', late, eventLoopDelay],
  ] as const;
  return values.flatMap(([name, type, help, value]) => family(name, type, help, [`${value}`]));
}

function family(name: string, type: string, help: string, values: readonly string[]): string[] {
  const lines = values.map((value) => (/^[{_]/.test(value) ? `${name}${value}` : `${name} ${value}`));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function samples(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].map(([labels, count]) => `{${labels}} ${count}`);
}

function histograms(durations: ReadonlyMap<string, Histogram>): string[] {
  return [...durations].flatMap(([labels, { buckets, sum, count }]) => [
    ...BOUNDS.map((bound, index) => `_bucket{${labels},le="${bound}"} ${buckets[index]}`),
    `_bucket{${labels},le="+Inf"} ${count}`,
    `_sum{${labels}} ${sum}`,
    `_count{${labels}} ${count}`,
  ]);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
