import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf } from './api.ts';
import { say } from './state.ts';

/** A list that is read page by page. */
export interface PagedList<Item> {
  /** Identifies the list. */
  source: string;
  /** Is incremented when the content may have changed. The visible pages are then read again and stay visible meanwhile. */
  version: number;
  read(offset: number, limit: number, signal: AbortSignal): Promise<{ total: number; items: Item[] }>;
  onTotal?(total: number): void;
}

interface PageReader<Item> {
  /** The pages that were read, by their number. */
  pages: Map<number, Item[]>;
  total: number | null;
  /** Reads a page. A page that was read or is being read is only read again with `again`. */
  load(page: number, again?: boolean): void;
  /** Aborts the requests for pages that are not wanted. */
  abortUnless(isWanted: (page: number) => boolean): void;
}

const PAGE = 100;
// Milliseconds of debouncing: pages that a quick drag only passes are not requested.
const SCROLL_RESTS = 30;

/** Reads the pages of the rows from `first` to `end`, and keeps the pages that were read. */
export function usePages<Item>(
  list: PagedList<Item>,
  first: number,
  end: number,
): { total: number | null; itemAt(index: number): Item | undefined } {
  const { pages, total, load, abortUnless } = usePageReader(list);
  const last = Math.min(total ?? 0, end);
  const firstPage = Math.floor(first / PAGE);
  const lastPage = Math.floor(Math.max(0, last - 1) / PAGE);
  useEffect(() => {
    if (list.version === 0) return;
    const inSight = new Set([firstPage, lastPage]);
    for (const page of pages.keys()) if (!inSight.has(page)) pages.delete(page);
    for (const page of inSight) load(page, true);
  }, [list.version]);
  useEffect(() => {
    if (total === null || total === 0) return undefined;
    const timer = setTimeout(() => {
      abortUnless((page) => page >= firstPage && page <= lastPage);
      for (let page = firstPage; page <= lastPage; page += 1) load(page);
    }, SCROLL_RESTS);
    return () => clearTimeout(timer);
  }, [first, last, total, list.source]);
  return { total, itemAt: (index) => pages.get(Math.floor(index / PAGE))?.[index % PAGE] };
}

function usePageReader<Item>({ source, read, onTotal }: PagedList<Item>): PageReader<Item> {
  const pages = useRef(new Map<number, Item[]>()).current;
  const requests = useRef(new Map<number, AbortController>()).current;
  const [total, setTotal] = useState<number | null>(null);
  const [, redraw] = useState(0);
  const load = (page: number, again = false): void => {
    if (!again && (pages.has(page) || requests.has(page))) return;
    requests.get(page)?.abort();
    const over = new AbortController();
    requests.set(page, over);
    read(page * PAGE, PAGE, over.signal).then(
      (answer) => {
        if (over.signal.aborted) return;
        requests.delete(page);
        pages.set(page, answer.items);
        setTotal(answer.total);
        onTotal?.(answer.total);
        redraw((count) => count + 1);
      },
      (error: unknown) => {
        // A request that was aborted for a newer one must not remove the newer one.
        if (requests.get(page) === over) requests.delete(page);
        if (isAbort(error)) return;
        setTotal((before) => before ?? 0);
        say(messageOf(error), { isError: true });
      },
    );
  };
  const abortUnless = (isWanted: (page: number) => boolean): void => {
    for (const [page, over] of requests) {
      if (isWanted(page)) continue;
      over.abort();
      requests.delete(page);
    }
  };
  const forget = (): void => {
    abortUnless(() => false);
    pages.clear();
  };
  useLayoutEffect(() => {
    forget();
    setTotal(null);
    load(0);
    return forget;
  }, [source]);
  return { pages, total, load, abortUnless };
}
