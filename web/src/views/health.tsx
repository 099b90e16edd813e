import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get, post, send } from '../api.ts';
import { Button, Loaded, Panel, Tabs, Text, Tiles } from '../components/basics.tsx';
import { Chart, columnsFrom, counted, type Series } from '../components/chart.tsx';
import { act, isOperator, scope } from '../state.ts';
import type { CostLine, JobRecord, Run } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, dateTime, dollars, label, number } from '../words.ts';
import { GrowthTab } from './growth.tsx';

/** How memory grows, and the state of background work, costs and speed. */
export function HealthView(): JSX.Element {
  const [tab, setTab] = useState('growth');
  return (
    <div class="page">
      <h1>Growth and health</h1>
      <Tabs
        label="Growth and health"
        tabs={[
          { id: 'growth', title: 'Growth' },
          { id: 'work', title: 'Background work' },
          ...(isOperator.value
            ? [
                { id: 'cost', title: 'Cost' },
                { id: 'speed', title: 'Speed' },
              ]
            : []),
        ]}
        current={tab}
        onChange={setTab}
      />
      {tab === 'growth' ? <GrowthTab /> : null}
      {tab === 'work' ? <WorkTab /> : null}
      {tab === 'cost' ? <CostTab /> : null}
      {tab === 'speed' ? <SpeedTab /> : null}
    </div>
  );
}

function WorkTab(): JSX.Element {
  const place = scope.value;
  const counts = useQuery(
    isOperator.value
      ? (signal) => get<{ items: { kind: string; state: string; count: number }[] }>('/v1/job-counts', { signal })
      : null,
    [],
  );
  const dead = useQuery(
    isOperator.value
      ? (signal) => get<{ items: JobRecord[] }>('/v1/jobs', { query: { state: 'dead', limit: 100 }, signal })
      : null,
    [],
  );
  const runs = useQuery(
    (signal) => get<{ items: Run[] }>('/v1/runs', { scope: place, query: { limit: 100 }, signal }),
    [place],
  );
  return (
    <>
      {isOperator.value ? (
        <>
          <Panel title="The queue">
            <Loaded query={counts}>{({ items }) => <JobTable items={items} />}</Loaded>
          </Panel>
          <Panel title="Dead letters">
            <Loaded query={dead}>
              {({ items }) =>
                items.length === 0 ? (
                  <p class="muted">There are none. A job whose attempts have all failed is listed here.</p>
                ) : (
                  <ul class="plain-list cards">
                    {items.map((job) => (
                      <li key={job.id} class="card card-row">
                        <div>
                          <p>
                            <strong>{job.kind}</strong> <span class="muted">{dateTime(job.createdAt)}</span>
                          </p>
                          <p class="muted">
                            <Text of={job.lastError ?? ''} />
                          </p>
                        </div>
                        <Button
                          onClick={() => void act('The job is queued again.', () => post(`/v1/jobs/${job.id}/retry`))}
                        >
                          Retry
                        </Button>
                      </li>
                    ))}
                  </ul>
                )
              }
            </Loaded>
          </Panel>
        </>
      ) : null}
      <Panel title="Recent runs">
        <Loaded query={runs}>
          {({ items }) =>
            items.length === 0 ? (
              <p class="muted">Nothing yet.</p>
            ) : (
              <div class="table-box" tabIndex={0} role="region" aria-label="Runs">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">What</th>
                      <th scope="col">How</th>
                      <th scope="col">Model</th>
                      <th scope="col">Cost</th>
                      <th scope="col">When</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((run) => (
                      <tr key={run.id}>
                        <td>{label(run.kind)}</td>
                        <td>
                          {run.status}
                          {run.error === null ? null : (
                            <span class="muted">
                              {' '}
                              <Text of={run.error} />
                            </span>
                          )}
                        </td>
                        <td>{run.model}</td>
                        <td>{run.cost === null ? '–' : dollars(run.cost)}</td>
                        <td title={dateTime(run.startedAt)}>{ago(run.startedAt)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

const STATES = ['waiting', 'running', 'done', 'dead'];

function JobTable({ items }: { items: { kind: string; state: string; count: number }[] }): JSX.Element {
  if (items.length === 0) return <p class="muted">The queue is empty.</p>;
  const kinds = [...Map.groupBy(items, ({ kind }) => kind)].sort(([one], [other]) => one.localeCompare(other));
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Jobs by kind and state">
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Work</th>
            {STATES.map((state) => (
              <th key={state} scope="col">
                {label(state)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map(([kind, rows]) => (
            <tr key={kind}>
              <th scope="row">{label(kind.replaceAll('-', ' '))}</th>
              {STATES.map((state) => (
                <td key={state}>{number(rows.find((row) => row.state === state)?.count ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CostTab(): JSX.Element {
  const read = (by: string) => (signal: AbortSignal) =>
    get<{ items: CostLine[] }>('/v1/costs', { query: { by: [by] }, signal });
  const days = useQuery(read('day'), ['day']);
  const tasks = useQuery(read('task'), ['task']);
  const users = useQuery(read('user'), ['user']);
  return (
    <>
      <Panel title="Cost by day">
        <Loaded query={days}>
          {({ items }) =>
            items.every(({ cost }) => cost === 0) ? (
              <p class="muted">There are no costs: no paid model was called.</p>
            ) : (
              <Chart kind="bars" label="Cost by day" {...costSeries(items)} format={(value) => dollars(value)} />
            )
          }
        </Loaded>
      </Panel>
      <div class="two-columns">
        <Panel title="By task">
          <Loaded query={tasks}>{({ items }) => <CostTable items={items} by="task" />}</Loaded>
        </Panel>
        <Panel title="By user">
          <Loaded query={users}>{({ items }) => <CostTable items={items} by="user" />}</Loaded>
        </Panel>
      </div>
    </>
  );
}

function costSeries(items: readonly CostLine[]): { days: string[]; series: Series[] } {
  const { days, columnOf } = columnsFrom(items.map(({ keys }) => keys.day ?? ''));
  const byDay = counted(
    items.map(({ keys, cost }) => ({ day: keys.day ?? '', count: cost })),
    columnOf,
  );
  return { days, series: [{ name: 'Cost', hue: 0, values: days.map((day) => byDay.get(day) ?? 0) }] };
}

function CostTable({ items, by }: { items: readonly CostLine[]; by: 'task' | 'user' }): JSX.Element {
  if (items.length === 0) return <p class="muted">Nothing yet.</p>;
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={`Cost by ${by}`}>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{label(by)}</th>
            <th scope="col">Calls</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ keys, calls, tokensIn, tokensOut, cost }) => (
            <tr key={keys[by] ?? ''}>
              <th scope="row">{keys[by] ?? 'nobody'}</th>
              <td>{number(calls)}</td>
              <td>{number(tokensIn + tokensOut)}</td>
              <td>{dollars(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Latency {
  route: string;
  count: number;
  p50: number;
  p95: number;
}

const ROUTES = new Set(['/v1/recall', '/v1/context', '/v1/events', '/v1/memory-rows']);

/** Quantiles from the cumulative buckets of the server's histogram. A quantile is the upper bound of its bucket. */
function latencies(text: string): Latency[] {
  const buckets = new Map<string, { bound: number; count: number }[]>();
  for (const match of text.matchAll(
    /^varve_http_request_seconds_bucket\{method="(\w+)",route="([^"]+)",le="([^"]+)"\} (\d+)$/gm,
  )) {
    const [, method = '', route = '', bound = '', count = '0'] = match;
    if (!ROUTES.has(route)) continue;
    const key = `${method} ${route}`;
    buckets.set(key, [
      ...(buckets.get(key) ?? []),
      { bound: bound === '+Inf' ? Infinity : Number(bound), count: Number(count) },
    ]);
  }
  return [...buckets].map(([route, list]) => {
    const total = list.at(-1)?.count ?? 0;
    const at = (share: number): number => list.find(({ count }) => count >= total * share)?.bound ?? Infinity;
    return { route, count: total, p50: at(0.5), p95: at(0.95) };
  });
}

const milliseconds = (seconds: number): string =>
  seconds === Infinity ? 'over 10 s' : `≤ ${number(seconds * 1000)} ms`;

function SpeedTab(): JSX.Element {
  const metrics = useQuery(async (signal) => (await send('GET', '/metrics', { signal })).text(), []);
  const gauge = (text: string, name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return (
    <Loaded query={metrics}>
      {(text) => (
        <>
          <Tiles
            tiles={[
              ['Memory of the process', `${number(Math.round(gauge(text, 'process_resident_memory_bytes') / 1e6))} MB`],
              ['Running for', `${number(Math.round(gauge(text, 'process_uptime_seconds') / 60))} min`],
              [
                'Event loop delay, p99',
                `${number(Math.round(gauge(text, 'nodejs_eventloop_delay_p99_seconds') * 1000))} ms`,
              ],
              ['Requests under way', number(gauge(text, 'varve_http_requests_open'))],
            ]}
          />
          <Panel title="How long answers take">
            <div class="table-box" tabIndex={0} role="region" aria-label="How long answers take">
              <table class="numbers">
                <thead>
                  <tr>
                    <th scope="col">Request</th>
                    <th scope="col">Answered</th>
                    <th scope="col">Median</th>
                    <th scope="col">95th percentile</th>
                  </tr>
                </thead>
                <tbody>
                  {latencies(text).map(({ route, count, p50, p95 }) => (
                    <tr key={route}>
                      <th scope="row">{route}</th>
                      <td>{number(count)}</td>
                      <td>{milliseconds(p50)}</td>
                      <td>{milliseconds(p95)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </Panel>
        </>
      )}
    </Loaded>
  );
}
