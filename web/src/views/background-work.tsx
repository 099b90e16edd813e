import type { JSX } from 'preact';
import { get, post } from '../api.ts';
import { Button, Panel, Table, Text } from '../components/basics.tsx';
import { LoadedList } from '../components/loaded.tsx';
import { act, isOperator, scope } from '../state.ts';
import type { JobRecord, Run } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, dateTime, dollars, label, number } from '../words.ts';

/** The queue and its dead letters, for operators, and the recent runs. */
export function WorkTab(): JSX.Element {
  return (
    <>
      {isOperator.value ? (
        <>
          <Queue />
          <DeadLetters />
        </>
      ) : null}
      <Runs />
    </>
  );
}

interface JobCount {
  kind: string;
  state: string;
  count: number;
}

const STATES = ['waiting', 'running', 'done', 'dead'];

function Queue(): JSX.Element {
  const query = useQuery((signal) => get<{ items: JobCount[] }>('/v1/job-counts', { signal }), []);
  return (
    <Panel title="The queue">
      <LoadedList query={query} empty={<p class="muted">The queue is empty.</p>}>
        {({ items }) => (
          <Table label="Jobs by kind and state" kind="numbers" columns={['Work', ...STATES.map(label)]}>
            {[...Map.groupBy(items, ({ kind }) => kind)]
              .sort(([one], [other]) => one.localeCompare(other))
              .map(([kind, rows]) => (
                <tr key={kind}>
                  <th scope="row">{label(kind.replaceAll('-', ' '))}</th>
                  {STATES.map((state) => (
                    <td key={state}>{number(rows.find((row) => row.state === state)?.count ?? 0)}</td>
                  ))}
                </tr>
              ))}
          </Table>
        )}
      </LoadedList>
    </Panel>
  );
}

function DeadLetters(): JSX.Element {
  const query = useQuery(
    (signal) => get<{ items: JobRecord[] }>('/v1/jobs', { query: { state: 'dead', limit: 100 }, signal }),
    [],
  );
  return (
    <Panel title="Dead letters">
      <LoadedList
        query={query}
        empty={<p class="muted">There are none. A job whose attempts have all failed is listed here.</p>}
      >
        {({ items }) => (
          <ul class="cards">
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
                <Button onClick={() => void act('The job is queued again.', () => post(`/v1/jobs/${job.id}/retry`))}>
                  Retry
                </Button>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
    </Panel>
  );
}

function Runs(): JSX.Element {
  const place = scope.value;
  const query = useQuery(
    (signal) => get<{ items: Run[] }>('/v1/runs', { scope: place, query: { limit: 100 }, signal }),
    [place],
  );
  return (
    <Panel title="Recent runs">
      <LoadedList query={query} empty={<p class="muted">Nothing yet.</p>}>
        {({ items }) => (
          <Table label="Runs" columns={['What', 'How', 'Model', 'Cost', 'When']}>
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
          </Table>
        )}
      </LoadedList>
    </Panel>
  );
}
