import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { EXTRACTION_CHECKS, ONLINE_METRICS } from '../../../src/operate/online-metrics.ts';
import { get, post, send } from '../api.ts';
import { Button, Empty, hueOf, Loaded, Panel, Tabs, Text } from '../components/basics.tsx';
import { Chart, type Series } from '../components/chart.tsx';
import { ARCHIVED_AS } from '../components/memory-bits.tsx';
import { act, href, isOperator, scope } from '../state.ts';
import type { CostLine, Counts, Extraction, Growth, JobRecord, Metrics, Run } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, dateTime, dollars, label, number, percent, plural } from '../words.ts';

/** How memory grows and how the machine behind it does. */
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

function Tiles({ tiles }: { tiles: readonly (readonly [string, string, string?])[] }): JSX.Element {
  return (
    <dl class="tiles">
      {tiles.map(([name, value, hint]) => (
        <div key={name} title={hint}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const DAY = 86_400_000;
const MOST_COLUMNS = 90;

/** The columns of a chart from the first day until today, and the column that a day belongs to: a day, a week or a month. */
function columnsFrom(days: readonly string[]): { days: string[]; columnOf(day: string): string } {
  const first = days.toSorted()[0];
  if (first === undefined) return { days: [], columnOf: String };
  const start = Date.parse(first);
  const span = (Date.now() - start) / DAY;
  const step = span <= MOST_COLUMNS ? DAY : span <= MOST_COLUMNS * 7 ? 7 * DAY : 30 * DAY;
  const columnOf = (day: string): string =>
    new Date(start + Math.floor((Date.parse(day) - start) / step) * step).toISOString().slice(0, 10);
  const all: string[] = [];
  for (let at = start - step; at <= Date.now() + step; at += step) all.push(new Date(at).toISOString().slice(0, 10));
  return { days: all, columnOf };
}

/** Counts by column. */
function counted<Row extends { day: string; count: number }>(
  rows: readonly Row[],
  columnOf: (day: string) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { day, count } of rows) sums.set(columnOf(day), (sums.get(columnOf(day)) ?? 0) + count);
  return sums;
}

function GrowthTab(): JSX.Element {
  const place = scope.value;
  const growth = useQuery((signal) => get<Growth>('/v1/growth', { scope: place, signal }), [place]);
  const counts = useQuery((signal) => get<Counts>('/v1/stats', { scope: place, signal }), [place]);
  const metrics = useQuery((signal) => get<Metrics>('/v1/online-metrics', { scope: place, signal }), [place]);
  const extraction = useQuery(
    isOperator.value ? (signal) => get<Extraction>('/v1/extraction-checks', { signal }) : null,
    [],
  );
  return (
    <>
      <Loaded query={counts}>
        {(found) => (
          <>
            <Tiles
              tiles={[
                ['Live memories', number(found.memories)],
                ['Out of recall', number(found.memoriesArchived)],
                ['Turns and events', number(found.events)],
                ['Conversations', number(found.sessions)],
                ['People and things', number(found.entities)],
                ['Waiting to be read', number(found.eventsWaiting)],
                ['Waiting for a vector', number(found.vectorsWaiting)],
              ]}
            />
            {found.heldChanges === 0 ? null : (
              <p>
                <a href={href('review')}>
                  {plural(found.heldChanges, 'change')} of documents wait for review: they would lose what still holds.
                </a>
              </p>
            )}
          </>
        )}
      </Loaded>
      <Loaded query={growth}>
        {(found) =>
          found.learned.length === 0 ? (
            <Empty title="Nothing has grown yet" />
          ) : (
            <>
              <Panel title="Memories by type, over time">
                <Chart
                  kind="area"
                  label="Memories learned so far, by type"
                  {...cumulative(found.learned)}
                  format={number}
                />
              </Panel>
              <Panel title="What went out of recall">
                {found.archived.length === 0 ? (
                  <p class="muted">Nothing yet.</p>
                ) : (
                  <Chart
                    kind="bars"
                    label="Memories that went out of recall, by reason"
                    {...forgetting(found.archived)}
                    format={number}
                  />
                )}
              </Panel>
            </>
          )
        }
      </Loaded>
      <Loaded query={metrics}>{(found) => <MetricsPanel found={found} />}</Loaded>
      {isOperator.value ? <Loaded query={extraction}>{(found) => <ChecksPanel found={found} />}</Loaded> : null}
    </>
  );
}

/** The online metrics, each with its definition where it is pointed at. */
function MetricsPanel({ found }: { found: Metrics }): JSX.Element {
  const hint = (name: string): string =>
    `${ONLINE_METRICS[name]?.definition ?? ''} ${ONLINE_METRICS[name]?.healthy ?? ''}`;
  const title = (name: string): string => ONLINE_METRICS[name]?.title ?? name;
  const each = (rate: number | null): string => (rate === null ? '–' : `${rate.toFixed(1)} a conversation`);
  const { curve, keys } = found.scaffold;
  return (
    <Panel title="How well memory does">
      <Tiles
        tiles={[
          ['contextUtilisation', percent(found.contextUtilisation.rate)] as const,
          ['observationRate', each(found.observationRate.rate)] as const,
          ['statementRate', each(found.statementRate.rate)] as const,
          ['scaffold', keys === null ? '–' : `${keys.toFixed(1)} keys`] as const,
          ['correctionRate', percent(found.correctionRate.rate)] as const,
          ['repeatQuestionRate', percent(found.repeatQuestionRate.rate)] as const,
        ].map(([name, value]) => [title(name), value, hint(name)] as const)}
      />
      {curve.length < 2 ? null : (
        <Chart
          kind="line"
          label="Keys of a scaffold, on average over users"
          // Charts end one column after the last day.
          days={[...curve.map(({ day }) => day), new Date().toISOString().slice(0, 10)]}
          series={[{ name: 'Keys of a scaffold', hue: 0, values: [...curve.map((point) => point.keys), null] }]}
          format={(value) => value.toFixed(1)}
        />
      )}
      {found.refused.length === 0 ? null : (
        <p class="muted">
          Refused:{' '}
          {found.refused.map(({ reason, count }) => `${reason.replaceAll('_', ' ')} ${number(count)}`).join(', ')}.
        </p>
      )}
    </Panel>
  );
}

/** The checks of the first conversations. */
function ChecksPanel({ found }: { found: Extraction }): JSX.Element {
  const alerts = found.checks.filter(({ isAlert }) => isAlert);
  return (
    <Panel title="Reading, checked">
      <Tiles
        tiles={found.checks.map(({ check, share, of, threshold }) => [
          label(check),
          percent(share),
          `${EXTRACTION_CHECKS[check].definition} Of ${number(of)}; at most ${percent(threshold)} is usual.`,
        ])}
      />
      <p class="muted">
        {alerts.length === 0
          ? `The first ${number(found.conversations)} conversations look right.`
          : `Too many: ${alerts.map(({ check }) => `${label(check).toLowerCase()} (${EXTRACTION_CHECKS[check].remedy})`).join(', ')}.`}
      </p>
    </Panel>
  );
}

function cumulative(learned: Growth['learned']): { days: string[]; series: Series[] } {
  const { days, columnOf } = columnsFrom(learned.map(({ day }) => day));
  const totals = Map.groupBy(learned, ({ type }) => type);
  const series = [...totals]
    .map(([type, rows]) => {
      const byDay = counted(rows, columnOf);
      let sum = 0;
      return { name: label(type), hue: hueOf(type), values: days.map((day) => (sum += byDay.get(day) ?? 0)) };
    })
    .sort((one, other) => (other.values.at(-1) ?? 0) - (one.values.at(-1) ?? 0));
  return { days, series };
}

function forgetting(archived: Growth['archived']): { days: string[]; series: Series[] } {
  const { days, columnOf } = columnsFrom(archived.map(({ day }) => day));
  const series = [...Map.groupBy(archived, ({ reason }) => reason)].map(([reason, rows]) => {
    const byDay = counted(rows, columnOf);
    return {
      name: ARCHIVED_AS[reason] ?? reason,
      hue: REASON_HUES[reason] ?? 9,
      values: days.map((day) => byDay.get(day) ?? 0),
    };
  });
  return { days, series };
}

const REASON_HUES: Readonly<Record<string, number>> = {
  superseded: 0,
  contradicted: 4,
  merged: 1,
  decayed: 6,
  pruned: 3,
  expired: 8,
  absorbed: 5,
  forgotten: 2,
};

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
                  <p class="muted">None. A job that fails every time comes to rest here.</p>
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
                        <Button onClick={() => void act('It runs again.', () => post(`/v1/jobs/${job.id}/retry`))}>
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
      <Panel title="What was done lately">
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
              <p class="muted">Nothing was paid for: everything was read and written on this machine.</p>
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
  );
}

interface Latency {
  route: string;
  count: number;
  p50: number;
  p95: number;
}

const ROUTES = new Set(['/v1/recall', '/v1/context', '/v1/events', '/v1/memory-rows']);

/** Quantiles from the cumulative buckets of the server's histogram: the upper bound of the bucket that holds them. */
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
            <table class="numbers">
              <thead>
                <tr>
                  <th scope="col">Request</th>
                  <th scope="col">Answered</th>
                  <th scope="col">Half of them</th>
                  <th scope="col">95 of 100</th>
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
          </Panel>
        </>
      )}
    </Loaded>
  );
}
