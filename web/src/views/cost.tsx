import type { JSX } from 'preact';
import { get } from '../api.ts';
import { Panel, Table } from '../components/basics.tsx';
import { Loaded, LoadedList } from '../components/loaded.tsx';
import { Chart, columnsFrom, counted, type Series } from '../components/chart.tsx';
import type { CostLine } from '../types.ts';
import { type Query, useQuery } from '../use-query.ts';
import { dollars, label, number } from '../words.ts';

/** What the models cost, by day, task and user. */
export function CostTab(): JSX.Element {
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
          <CostTable query={tasks} by="task" />
        </Panel>
        <Panel title="By user">
          <CostTable query={users} by="user" />
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

export function CostTable({ query, by }: { query: Query<{ items: CostLine[] }>; by: 'task' | 'user' }): JSX.Element {
  return (
    <LoadedList query={query} empty={<p class="muted">Nothing yet.</p>}>
      {({ items }) => (
        <Table label={`Cost by ${by}`} kind="numbers" columns={[label(by), 'Calls', 'Tokens', 'Cost']}>
          {items.map(({ keys, calls, tokensIn, tokensOut, cost }) => (
            <tr key={keys[by] ?? ''}>
              <th scope="row">{keys[by] ?? 'nobody'}</th>
              <td>{number(calls)}</td>
              <td>{number(tokensIn + tokensOut)}</td>
              <td>{dollars(cost)}</td>
            </tr>
          ))}
        </Table>
      )}
    </LoadedList>
  );
}
