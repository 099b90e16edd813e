import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get, post } from '../api.ts';
import { Badge, Chip, Meter, Text } from '../components/basics.tsx';
import { Icon } from '../components/icons.tsx';
import { MemoryRow } from '../components/memory-bits.tsx';
import { OwnerChoices, onlyOwner } from '../components/needs-owner.tsx';
import { speakerOf } from '../components/quotes.tsx';
import { hasOwner, href, owners, route } from '../state.ts';
import type { Memory, MemoryRows, Recalled, RecallResult, Scope } from '../types.ts';
import type { Query } from '../use-query.ts';
import { date, percent, plural } from '../words.ts';

const MOST_RESULTS = 30;
/** The sources of a recall of memories of all kinds, without turns. */
const MEMORY_SOURCES = ['memories', 'notes', 'saved_items', 'summaries'];

/** The field for the words of a search. The key "/" goes to it from everywhere. */
export function SearchBox({ typed, onType }: { typed: string; onType(words: string): void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const isByMeaning = hasOwner.value || onlyOwner() !== undefined;
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search memories"
        placeholder={isByMeaning ? 'Search by meaning and words' : 'Find characters in all memories'}
        value={typed}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

/** Chooses whether turns are searched too. Without an owner it offers the owners, because recall needs one. */
export function SearchKind({
  words,
  withTurns,
  onChange,
}: {
  words: string;
  withTurns: boolean;
  onChange(withTurns: boolean): void;
}): JSX.Element {
  if (!hasOwner.value) return <OwnerChoices what="To ask by meaning, choose a person:" keep={{ q: words }} />;
  return (
    <div class="search-kind" role="group" aria-label="Where to search">
      <Chip isOn={!withTurns} onClick={() => onChange(false)}>
        Memories
      </Chip>
      <Chip isOn={withTurns} onClick={() => onChange(true)}>
        Memories and turns
      </Chip>
    </div>
  );
}

interface FoundRecords extends Recalled {
  /** Whether characters were compared, because recall needs one owner. */
  isPlain: boolean;
}

/** Recalls for one agent and user at a time. For a user with several agents the results are merged. */
export async function recall(
  place: Scope,
  query: string,
  { withTurns, signal }: { withTurns: boolean; signal: AbortSignal },
): Promise<FoundRecords> {
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

export function Found({
  query,
  selected,
  onOpen,
}: {
  query: Query<FoundRecords>;
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
