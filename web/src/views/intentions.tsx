import type { JSX } from 'preact';
import { get, post } from '../api.ts';
import { Button, Panel } from '../components/basics.tsx';
import { Empty, LoadedList } from '../components/loaded.tsx';
import { MemoryLink } from '../components/memory-bits.tsx';
import { act, isPersonal, mayWrite, scope } from '../state.ts';
import { scopeOf } from '../memory-actions.ts';
import type { Memory, MemoryRows } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, date, dueDay, statedDay } from '../words.ts';

const WEEK = 7 * 86_400_000;

/** The intentions of the user: due, later, done. */
export function IntentionsView(): JSX.Element {
  const place = scope.value;
  const query = useQuery(
    (signal) =>
      get<MemoryRows>('/v1/memory-rows', {
        scope: place,
        query: { types: ['intention'], archived: 'include', order: 'stated', limit: 500 },
        signal,
      }),
    [place],
  );
  return (
    <div class="page">
      <h1>{isPersonal.value ? 'Your plans' : 'Intentions'}</h1>
      <LoadedList
        query={query}
        empty={
          <Empty title="No intentions">
            <p>The intentions of users appear here. They are brought up again in conversation when they are due.</p>
          </Empty>
        }
      >
        {({ items }) => {
          const open = items.filter(isOpen).toSorted((one, other) => dueOrder(one).localeCompare(dueOrder(other)));
          return (
            <>
              {WHEN.map((when) => (
                <Group key={when} title={when} items={open.filter((memory) => whenDue(memory) === when)} />
              ))}
              <Group title="Done, changed or dismissed" items={items.filter((memory) => !isOpen(memory))} />
            </>
          );
        }}
      </LoadedList>
    </div>
  );
}

const WHEN = ['Due', 'In the next week', 'Later', 'Without a day'] as const;

function whenDue(memory: Memory): (typeof WHEN)[number] {
  if (dueDay(memory) === null || memory.dueAt === null) return 'Without a day';
  const distance = Date.parse(memory.dueAt) - Date.now();
  if (distance <= 0) return 'Due';
  return distance <= WEEK ? 'In the next week' : 'Later';
}

// Intentions without a day come last.
const dueOrder = (memory: Memory): string => dueDay(memory) ?? '9999';

function Group({ title, items }: { title: string; items: Memory[] }): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <Panel title={title} aside={<span class="muted">{items.length}</span>}>
      <ul class="plain-list">
        {items.map((memory) => (
          <li key={memory.id} class="intention">
            <MemoryLink memory={memory} />
            <span class="intention-due">{dueText(memory)}</span>
            {mayWrite.value && isOpen(memory) ? (
              <IntentionActions memory={memory} />
            ) : (
              <span class="muted">{memory.archivedAt === null ? memory.state : ''}</span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const isOpen = ({ archivedAt, state }: Memory): boolean =>
  archivedAt === null && [null, 'open', 'snoozed'].includes(state);

function dueText(memory: Memory): string {
  const day = dueDay(memory);
  if (memory.dueAt === null) return 'no day stated';
  if (day !== null) return `${date(day)}, ${ago(memory.dueAt)}`;
  return `no day stated, brought up from ${date(statedDay(memory, memory.dueAt))}`;
}

function IntentionActions({ memory }: { memory: Memory }): JSX.Element {
  const path = `/v1/intentions/${memory.id}`;
  const scope = scopeOf(memory);
  const until = new Date(Date.now() + WEEK).toISOString();
  return (
    <span class="actions">
      <Button onClick={() => void act('Done.', () => post(`${path}/done`, { scope }))}>Done</Button>
      <Button
        onClick={() => void act('Postponed by a week.', () => post(`${path}/snooze`, { scope, body: { until } }))}
      >
        In a week
      </Button>
      <Button kind="quiet" onClick={() => void act('Dismissed.', () => post(`${path}/dismiss`, { scope }))}>
        Dismiss
      </Button>
    </span>
  );
}
