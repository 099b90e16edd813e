import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { send } from '../api.ts';
import { Panel, Table, Tabs, Tiles } from '../components/basics.tsx';
import { Loaded } from '../components/loaded.tsx';
import { isOperator } from '../state.ts';
import { useQuery } from '../use-query.ts';
import { number } from '../words.ts';
import { WorkTab } from './background-work.tsx';
import { CostTab } from './cost.tsx';
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
            <Table
              label="How long answers take"
              kind="numbers"
              columns={['Request', 'Answered', 'Median', '95th percentile']}
            >
              {latencies(text).map(({ route, count, p50, p95 }) => (
                <tr key={route}>
                  <th scope="row">{route}</th>
                  <td>{number(count)}</td>
                  <td>{milliseconds(p50)}</td>
                  <td>{milliseconds(p95)}</td>
                </tr>
              ))}
            </Table>
          </Panel>
        </>
      )}
    </Loaded>
  );
}
