import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api.ts';
import { Button } from '../components/basics.tsx';
import { Empty } from '../components/loaded.tsx';
import { MemoryRow } from '../components/memory-bits.tsx';
import { VirtualList } from '../components/virtual-list.tsx';
import { changes, go, hasOwner, href, scope } from '../state.ts';
import type { Facets, Memory, MemoryRows } from '../types.ts';
import { useQuery, useRested } from '../use-query.ts';
import { label, number, plural } from '../words.ts';

const FILTERS = ['type', 'subject', 'attribute', 'state', 'since', 'order'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

const ROW_HEIGHT = 68;

/** The filters in the address; the value of an absent filter is the empty text. */
export function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Filters;
}

/** All memories that the filters let through. */
export function MemoryList({
  filters,
  selected,
  onOpen,
}: {
  filters: Filters;
  selected: string | null;
  onOpen(id: string): void;
}): JSX.Element {
  const place = scope.value;
  const [total, setTotal] = useState<number | null>(null);
  const version = useRested(changes.value.count, 250);
  const request = requestOf(filters);
  const order = filters.order === '' ? 'newest' : filters.order;
  const facets = useQuery(
    (signal) => get<Facets>('/v1/memory-facets', { scope: place, query: request, signal }),
    [place, JSON.stringify(request)],
    { keep: true },
  );
  const outOfRecall = filters.state === '' ? (facets.data?.archived ?? 0) : 0;
  return (
    <>
      <FilterBar filters={filters} facets={facets.data} />
      <p class="list-note" role="status">
        {total === null ? ' ' : plural(total, 'memory', 'memories')}
        {outOfRecall > 0 ? ` · ${number(outOfRecall)} out of recall` : ''}
      </p>
      <VirtualList<Memory>
        source={JSON.stringify([place, request, order])}
        version={version}
        read={(offset, limit, signal) =>
          get<MemoryRows>('/v1/memory-rows', { scope: place, query: { ...request, order, offset, limit }, signal })
        }
        rowHeight={ROW_HEIGHT}
        idOf={(memory) => memory.id}
        renderRow={(memory) => <MemoryRow memory={memory} showOwner={!hasOwner.value} />}
        selected={selected}
        onSelect={(memory) => onOpen(memory.id)}
        label="Memories, use the arrow keys and Enter"
        onTotal={setTotal}
        empty={<NoMemories isFiltered={Object.values(filters).some((value) => value !== '')} />}
      />
    </>
  );
}

/** The parameters of a request for the memories that the filters let through. */
function requestOf({ type, subject, attribute, state, since }: Filters): Record<string, string | string[] | undefined> {
  return {
    types: type === '' ? undefined : [type],
    subjects: subject === '' ? undefined : [subject],
    attributes: attribute === '' ? undefined : [attribute],
    archived: state === '' ? 'exclude' : state === 'all' ? 'include' : 'only',
    archiveReasons: ['', 'all', 'archived'].includes(state) ? undefined : [state],
    createdAfter: since === '' ? undefined : new Date(since).toISOString(),
  };
}

function NoMemories({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered) {
    return (
      <Empty title="No memory matches">
        <Button onClick={() => go(href('memories'))}>Clear the filters</Button>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is remembered yet">
      <p>Memories appear here as soon as they are formed from a conversation.</p>
    </Empty>
  );
}

function FilterBar({ filters, facets }: { filters: Filters; facets: Facets | null }): JSX.Element {
  return (
    <div class="filters" role="group" aria-label="Filters">
      <Filter name="type" title="Type" filters={filters} options={counted(filters.type, facets?.types)} />
      <Filter
        name="subject"
        title="About"
        filters={filters}
        options={counted(filters.subject, facets?.subjects, (name) => name)}
      />
      <Filter
        name="attribute"
        title="Attribute"
        filters={filters}
        options={counted(filters.attribute, facets?.attributes)}
      />
      <Filter
        name="state"
        title="Live"
        filters={filters}
        options={[
          { value: 'archived', text: 'Out of recall' },
          { value: 'all', text: 'Live and out of recall' },
          ...counted(['all', 'archived'].includes(filters.state) ? '' : filters.state, facets?.archiveReasons),
        ]}
      />
      <Filter
        name="since"
        title="Any time"
        filters={filters}
        options={[
          { value: daysAgo(1), text: 'Since yesterday' },
          { value: daysAgo(7), text: 'Last 7 days' },
          { value: daysAgo(30), text: 'Last 30 days' },
          { value: daysAgo(365), text: 'Last year' },
        ]}
      />
      <Filter
        name="order"
        title="Newest first"
        filters={filters}
        options={[
          { value: 'stated', text: 'Last stated' },
          { value: 'oldest', text: 'Oldest first' },
          { value: 'important', text: 'Most important' },
        ]}
      />
    </div>
  );
}

interface Option {
  value: string;
  text: string;
}

/** A filter as a list of options; the title is the option that filters nothing. */
function Filter({
  name,
  title,
  filters,
  options,
}: {
  name: keyof Filters;
  title: string;
  filters: Filters;
  options: readonly Option[];
}): JSX.Element {
  const choose = (value: string): void => go(href('memories', [], { ...filters, [name]: value }), { replace: true });
  return (
    <label class={`filter ${filters[name] === '' ? '' : 'filter-on'}`}>
      <span class="visually-hidden">{title}</span>
      <select value={filters[name]} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{title}</option>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Names with their numbers of memories. The chosen name stays in the list even if no memory has it under the other filters. */
function counted(
  chosen: string,
  list: readonly { name: string; count: number }[] = [],
  textOf: (name: string) => string = label,
): Option[] {
  const isMissing = chosen !== '' && list.every(({ name }) => name !== chosen);
  const all = isMissing ? [...list, { name: chosen, count: 0 }] : list;
  return all.map(({ name, count }) => ({ value: name, text: `${textOf(name)} (${number(count)})` }));
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
