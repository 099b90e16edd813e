import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../components/loaded.tsx';
import { onlyOwner } from '../components/needs-owner.tsx';
import { go, hasOwner, href, route, scope } from '../state.ts';
import { useQuery, useRested } from '../use-query.ts';
import { MemoryDetail } from './memory-detail.tsx';
import { filtersOf, MemoryList } from './memory-list.tsx';
import { Found, recall, SearchBox, SearchKind } from './memory-search.tsx';

// Milliseconds of debouncing: long enough to skip the letters of a word, short enough to feel immediate.
const TYPING_RESTS = 120;

/** All memories as a list of any length, or the results of recall, with the selected memory beside them. */
export function MemoriesView(): JSX.Element {
  const { parts, query } = route.value;
  const selected = parts[0] ?? null;
  const place = scope.value;
  const filters = filtersOf(query);
  const [typed, setTyped] = useState(query.get('q') ?? '');
  const words = useRested(typed, TYPING_RESTS).trim();
  useWordsInAddress(words);
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
        <SearchBox typed={typed} onType={setTyped} />
        {words === '' ? (
          <MemoryList filters={filters} selected={selected} onOpen={open} />
        ) : (
          <>
            <SearchKind words={words} withTurns={withTurns} onChange={setWithTurns} />
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

/** Writes the words of a search to the address, and chooses the owner if there is only one. */
function useWordsInAddress(words: string): void {
  const { parts, query } = route.value;
  const filters = filtersOf(query);
  const only = hasOwner.value ? undefined : onlyOwner();
  useEffect(() => {
    if (words !== (query.get('q') ?? '')) go(href('memories', parts, { ...filters, q: words }), { replace: true });
  }, [words]);
  useEffect(() => {
    // Recall needs a person, so a question to a store with one person is a question about this person.
    if (words !== '' && only !== undefined)
      go(href('memories', parts, { ...filters, q: words, agent: only.agent, user: only.user }), { replace: true });
  }, [words, only]);
}
