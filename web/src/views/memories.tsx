import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, post } from '../api.ts';
import { Badge, Button, Empty, Icon, Meter, Text } from '../components/basics.tsx';
import { MemoryRow } from '../components/memory-bits.tsx';
import { speakerOf } from '../components/quotes.tsx';
import { OwnerChoices, onlyOwner } from '../components/needs-owner.tsx';
import { VirtualList, type Stretch } from '../components/virtual-list.tsx';
import { changes, go, hasOwner, href, owners, route, scope } from '../state.ts';
import type { Facets, Memory, MemoryRows, Recalled, RecallResult, Scope } from '../types.ts';
import { useQuery, useRested } from '../use-query.ts';
import { date, label, number, percent, plural } from '../words.ts';
import { MemoryDetail } from './memory-detail.tsx';

const FILTERS = ['type', 'subject', 'attribute', 'state', 'since', 'order'] as const;
type Filters = Record<(typeof FILTERS)[number], string>;

const ROW_HEIGHT = 68;
// Milliseconds of debouncing: long enough to skip the letters of a word, short enough to feel immediate.
const TYPING_RESTS = 120;
const MOST_RESULTS = 30;
/** The sources of a recall of memories of all kinds, without turns. */
const MEMORY_SOURCES = ['memories', 'notes', 'saved_items', 'summaries'];

/** All memories as a list of any length, or the results of recall, with the selected memory beside them. */
export function MemoriesView(): JSX.Element {
  const { parts, query } = route.value;
  const selected = parts[0] ?? null;
  const asked = query.get('q') ?? '';
  const [typed, setTyped] = useState(asked);
  const words = useRested(typed, TYPING_RESTS).trim();
  const search = useRef<HTMLInputElement>(null);
  const place = scope.value;

  useEffect(() => {
    if (words !== asked) go(href('memories', parts, { ...filtersOf(query), q: words }), { replace: true });
  }, [words]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const filters = filtersOf(query);
  const only = hasOwner.value ? undefined : onlyOwner();
  useEffect(() => {
    // Recall needs a person, so a question to a store with one person is a question about this person.
    if (words !== '' && only !== undefined)
      go(href('memories', parts, { ...filters, q: words, agent: only.agent, user: only.user }), { replace: true });
  }, [words, only]);
  const [withTurns, setWithTurns] = useState(false);
  const found = useQuery(
    words === '' ? null : (signal) => recall(place, words, { withTurns, signal }),
    [words, place, withTurns],
    { keep: true },
  );
  const open = (id: string | null): void => go(href('memories', id === null ? [] : [id], { ...filters, q: words }));
  return (
    <div class={`split ${selected === null ? '' : 'split-open'}`}>
      <section class="split-list" aria-label="Memories">
        {selected === null ? <h1 class="visually-hidden">Memories</h1> : null}
        <div class="search">
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            aria-label="Search memories"
            placeholder={
              hasOwner.value || only !== undefined ? 'Search by meaning and words' : 'Find characters in all memories'
            }
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        {words === '' ? (
          <AllMemories filters={filters} selected={selected} onOpen={open} />
        ) : (
          <>
            {hasOwner.value ? (
              <div class="search-kind" role="group" aria-label="Where to search">
                <button type="button" class="chip" aria-pressed={!withTurns} onClick={() => setWithTurns(false)}>
                  Memories
                </button>
                <button type="button" class="chip" aria-pressed={withTurns} onClick={() => setWithTurns(true)}>
                  Memories and turns
                </button>
              </div>
            ) : null}
            {hasOwner.value ? null : <OwnerChoices what="To ask by meaning, choose a person:" keep={{ q: words }} />}
            <Found query={found} selected={selected} onOpen={open} />
          </>
        )}
      </section>
      <section class="split-detail" aria-label="Memory">
        {selected === null ? (
          <Empty title="Choose a memory">
            <p>Its fields, its source, the memories that it replaced and the reasons for its rank appear here.</p>
          </Empty>
        ) : (
          <MemoryDetail
            id={selected}
            ranked={found.data?.results.find((result) => result.id === selected) ?? null}
            asked={words}
            onClose={() => open(null)}
          />
        )}
      </section>
    </div>
  );
}

function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Filters;
}

/** Recalls for one agent and user at a time. For a user with several agents the results are merged. */
async function recall(
  place: Scope,
  query: string,
  { withTurns, signal }: { withTurns: boolean; signal: AbortSignal },
): Promise<Recalled & { isPlain: boolean }> {
  const within = owners.value.filter(
    ({ agent, user }) =>
      (place.agent === null || agent === place.agent) && (place.user === null ? user === null : user === place.user),
  );
  if (place.user === null && place.agent === null) {
    const { items } = await get<MemoryRows>('/v1/memory-rows', { query: { text: query, limit: MOST_RESULTS }, signal });
    return { results: items.map(plainResult), answerable: null, abstained: false, degraded: [], isPlain: true };
  }
  const places = (within.length === 0 ? [place] : within).slice(0, 5);
  const answers = await Promise.all(
    places.map(({ agent, user }) =>
      post<Recalled>('/v1/recall', {
        scope: { agent, user },
        query: { fields: 'all', explain: true },
        body: {
          query,
          options: {
            limit: MOST_RESULTS,
            track: false,
            abstain: false,
            ...(withTurns ? {} : { sources: MEMORY_SOURCES }),
          },
        },
        signal,
      }),
    ),
  );
  const results = new Map(answers.flatMap((answer) => answer.results).map((result) => [result.id, result]));
  return {
    results: [...results.values()].sort((one, other) => other.score - one.score).slice(0, MOST_RESULTS),
    answerable: answers[0]?.answerable ?? null,
    abstained: false,
    degraded: [...new Set(answers.flatMap(({ degraded }) => degraded))],
    isPlain: false,
  };
}

function plainResult(memory: Memory): RecallResult {
  return {
    kind: 'memory',
    id: memory.id,
    text: memory.content,
    memory,
    event: null,
    score: 0,
    relevance: 0,
    similarity: null,
    distance: null,
    arms: ['text'],
    explanation: [],
    before: [],
    after: [],
    sources: [],
    foundBy: null,
  };
}

function Found({
  query,
  selected,
  onOpen,
}: {
  query: ReturnType<typeof useQuery<Recalled & { isPlain: boolean }>>;
  selected: string | null;
  onOpen(id: string): void;
}): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    links[links.indexOf(document.activeElement as HTMLAnchorElement) + step]?.focus();
  };
  const { data, error } = query;
  if (error !== null) return <p class="problem">{String((error as Error).message)}</p>;
  if (data === null) return <div class="loading" role="status" aria-label="Searching" />;
  const { results, isPlain, answerable, degraded } = data;
  return (
    <div class="found">
      <p class="list-note" role="status">
        {results.length === 0 ? 'No results' : plural(results.length, 'result')}
        {isPlain ? ' for these characters in all memories' : ', the most relevant first'}
        {answerable === null ? '' : ` · ${answerText(answerable)}`}
        {degraded.length === 0 ? '' : ` · without ${degraded.join(', ')}`}
      </p>
      <ul ref={list} class="found-list" onKeyDown={move}>
        {results.map((result) => (
          <li key={result.id}>
            {result.memory === null ? (
              <TurnResult result={result} />
            ) : (
              <a
                class={`found-item ${result.id === selected ? 'is-selected' : ''}`}
                href={href('memories', [result.id], {
                  q: route.value.query.get('q'),
                })}
                onClick={(event) => {
                  event.preventDefault();
                  onOpen(result.id);
                }}
              >
                <MemoryRow memory={result.memory} showOwner={!hasOwner.value} />
                {isPlain ? null : <Relevance share={result.relevance} />}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Relevance({ share }: { share: number }): JSX.Element {
  const text = `Helps to answer with a probability of ${percent(share)}`;
  return (
    <span title={text}>
      <Meter share={share} label={text} />
    </span>
  );
}

/** Recall estimates the probability of an answer from all results together, so it may be low although there are many results. */
function answerText(probability: number): string {
  const known = probability < 0.5 ? 'probably none of them answers this' : 'one of them probably answers this';
  return `${known} (probability of an answer: ${percent(probability)})`;
}

function TurnResult({ result }: { result: RecallResult }): JSX.Element | null {
  const { event } = result;
  if (event === null) return null;
  const { agent, user, session } = event.scope;
  return (
    <a class="found-item" href={href('sessions', session === null ? [] : [session], { agent, user, turn: event.id })}>
      <div class="memory-row">
        <div class="memory-row-text">
          <Text of={result.text} />
        </div>
        <div class="memory-row-meta">
          <Badge>said by {speakerOf(event).toLowerCase()}</Badge>
          <span class="push">{date(event.occurredAt)}</span>
        </div>
      </div>
      <Relevance share={result.relevance} />
    </a>
  );
}

function AllMemories({
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
  const request = {
    types: filters.type === '' ? undefined : [filters.type],
    subjects: filters.subject === '' ? undefined : [filters.subject],
    attributes: filters.attribute === '' ? undefined : [filters.attribute],
    archived: filters.state === '' ? 'exclude' : filters.state === 'all' ? 'include' : 'only',
    archiveReasons: ['', 'all', 'archived'].includes(filters.state) ? undefined : [filters.state],
    createdAfter: filters.since === '' ? undefined : new Date(filters.since).toISOString(),
  };
  const order = filters.order === '' ? 'newest' : filters.order;
  const facets = useQuery(
    (signal) => get<Facets>('/v1/memory-facets', { scope: place, query: request, signal }),
    [place, JSON.stringify(request)],
    { keep: true },
  );
  const set = (change: Partial<Filters>): void =>
    go(href('memories', [], { ...filters, ...change }), { replace: true });
  return (
    <>
      <FilterBar filters={filters} facets={facets.data} onChange={set} />
      <p class="list-note" role="status">
        {total === null ? ' ' : plural(total, 'memory', 'memories')}
        {facets.data !== null && filters.state === '' && facets.data.archived > 0
          ? ` · ${number(facets.data.archived)} out of recall`
          : ''}
      </p>
      <VirtualList<Memory>
        source={JSON.stringify([place, request, order])}
        version={version}
        read={(offset, limit, signal): Promise<Stretch<Memory>> =>
          get<MemoryRows>('/v1/memory-rows', { scope: place, query: { ...request, order, offset, limit }, signal })
        }
        rowHeight={ROW_HEIGHT}
        idOf={(memory) => memory.id}
        renderRow={(memory) => <MemoryRow memory={memory} showOwner={!hasOwner.value} />}
        selected={selected}
        onSelect={(memory) => onOpen(memory.id)}
        label="Memories, use the arrow keys and Enter"
        onTotal={setTotal}
        empty={
          Object.values(filters).some((value) => value !== '') ? (
            <Empty title="No memory matches">
              <Button onClick={() => go(href('memories'))}>Clear the filters</Button>
            </Empty>
          ) : (
            <Empty title="Nothing is remembered yet">
              <p>Memories appear here as soon as they are formed from a conversation.</p>
            </Empty>
          )
        }
      />
    </>
  );
}

function FilterBar({
  filters,
  facets,
  onChange,
}: {
  filters: Filters;
  facets: Facets | null;
  onChange(change: Partial<Filters>): void;
}): JSX.Element {
  const select = (
    name: keyof Filters,
    title: string,
    options: readonly { value: string; text: string }[],
  ): JSX.Element => (
    <label class={`filter ${filters[name] === '' ? '' : 'filter-on'}`}>
      <span class="visually-hidden">{title}</span>
      <select value={filters[name]} onChange={(event) => onChange({ [name]: event.currentTarget.value })}>
        <option value="">{title}</option>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const counted = (
    name: keyof Filters,
    list: readonly { name: string; count: number }[] = [],
    say = label,
  ): { value: string; text: string }[] => {
    const chosen = filters[name];
    // The chosen value stays in the list even if no memory has it under the other filters.
    const isMissing = !['', 'archived', 'all'].includes(chosen) && list.every((item) => item.name !== chosen);
    const all = isMissing ? [...list, { name: chosen, count: 0 }] : list;
    return all.map((item) => ({ value: item.name, text: `${say(item.name)} (${number(item.count)})` }));
  };
  const day = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  return (
    <div class="filters" role="group" aria-label="Filters">
      {select('type', 'Type', counted('type', facets?.types))}
      {select(
        'subject',
        'About',
        counted('subject', facets?.subjects, (name) => name),
      )}
      {select('attribute', 'Attribute', counted('attribute', facets?.attributes))}
      {select('state', 'Live', [
        { value: 'archived', text: 'Out of recall' },
        { value: 'all', text: 'Live and out of recall' },
        ...counted('state', facets?.archiveReasons),
      ])}
      {select('since', 'Any time', [
        { value: day(1), text: 'Since yesterday' },
        { value: day(7), text: 'Last 7 days' },
        { value: day(30), text: 'Last 30 days' },
        { value: day(365), text: 'Last year' },
      ])}
      {select('order', 'Newest first', [
        { value: 'stated', text: 'Last stated' },
        { value: 'oldest', text: 'Oldest first' },
        { value: 'important', text: 'Most important' },
      ])}
    </div>
  );
}
