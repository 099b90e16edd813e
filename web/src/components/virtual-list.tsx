import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../api.ts';
import { say } from '../state.ts';

export interface Stretch<Item> {
  total: number;
  offset: number;
  items: Item[];
}

const PAGE = 100;
// The number of rows rendered above and below the viewport, so that quick scrolling shows no gaps.
const SPARE = 12;

/**
 * A list of any length. Only visible rows are rendered, and only the pages around them are read. `source` identifies the list. `version`
 * is incremented when the content may have changed; the visible pages are then read again and stay visible meanwhile.
 */
export function VirtualList<Item>({
  source,
  version,
  read,
  rowHeight,
  idOf,
  renderRow,
  selected,
  onSelect,
  label,
  empty,
  onTotal,
}: {
  source: string;
  version: number;
  read(offset: number, limit: number, signal: AbortSignal): Promise<Stretch<Item>>;
  rowHeight: number;
  idOf(item: Item): string;
  renderRow(item: Item): ComponentChildren;
  selected: string | null;
  onSelect(item: Item): void;
  label: string;
  empty: ComponentChildren;
  onTotal?(total: number): void;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const pages = useRef(new Map<number, Item[]>());
  const asked = useRef(new Map<number, AbortController>());
  const [total, setTotal] = useState<number | null>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [active, setActive] = useState(0);
  const [, redraw] = useState(0);
  const listId = useId();

  const load = (page: number, again = false): void => {
    if (!again && (pages.current.has(page) || asked.current.has(page))) return;
    asked.current.get(page)?.abort();
    const over = new AbortController();
    asked.current.set(page, over);
    read(page * PAGE, PAGE, over.signal).then(
      (stretch) => {
        if (over.signal.aborted) return;
        asked.current.delete(page);
        pages.current.set(page, stretch.items);
        setTotal(stretch.total);
        onTotal?.(stretch.total);
        redraw((count) => count + 1);
      },
      (error: unknown) => {
        asked.current.delete(page);
        if (!isAbort(error)) {
          setTotal((before) => before ?? 0);
          say(messageOf(error), { isError: true });
        }
      },
    );
  };

  const forget = (): void => {
    for (const over of asked.current.values()) over.abort();
    asked.current.clear();
    pages.current.clear();
  };
  useLayoutEffect(() => {
    forget();
    setTotal(null);
    setActive(0);
    setTop(0);
    if (box.current !== null) box.current.scrollTop = 0;
    load(0);
    return forget;
  }, [source]);

  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const last = Math.min(total ?? 0, Math.ceil((top + height) / rowHeight) + SPARE);

  useEffect(() => {
    if (version === 0) return;
    const inSight = new Set([Math.floor(first / PAGE), Math.floor(Math.max(0, last - 1) / PAGE)]);
    for (const page of pages.current.keys()) if (!inSight.has(page)) pages.current.delete(page);
    for (const page of inSight) load(page, true);
  }, [version]);

  useEffect(() => {
    if (total === null || total === 0) return undefined;
    // Pages that a quick drag only passes are not requested.
    const timer = setTimeout(() => {
      const wanted = new Set<number>();
      for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(0, last - 1) / PAGE); page += 1)
        wanted.add(page);
      for (const [page, over] of asked.current) {
        if (wanted.has(page)) continue;
        over.abort();
        asked.current.delete(page);
      }
      for (const page of wanted) load(page);
    }, 30);
    return () => clearTimeout(timer);
  }, [first, last, total, source]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const itemAt = (index: number): Item | undefined => pages.current.get(Math.floor(index / PAGE))?.[index % PAGE];
  const show = (index: number): void => {
    const element = box.current;
    if (element === null) return;
    if (index * rowHeight < element.scrollTop) element.scrollTop = index * rowHeight;
    else if ((index + 1) * rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = (index + 1) * rowHeight - element.clientHeight;
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (total === null || total === 0) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const next = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const index = Math.max(0, Math.min(total - 1, next));
      setActive(index);
      show(index);
    } else if (event.key === 'Enter' || event.key === ' ') {
      const item = itemAt(active);
      event.preventDefault();
      if (item !== undefined) onSelect(item);
    }
  };

  const rows: JSX.Element[] = [];
  for (let index = first; index < last; index += 1) {
    const item = itemAt(index);
    rows.push(
      <div
        key={index}
        id={`${listId}-${index}`}
        role="option"
        aria-selected={item !== undefined && idOf(item) === selected}
        aria-setsize={total ?? 0}
        aria-posinset={index + 1}
        class={`row ${index === active ? 'row-active' : ''}`}
        style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
        onClick={() => {
          setActive(index);
          if (item !== undefined) onSelect(item);
        }}
      >
        {item === undefined ? <span class="row-waiting" aria-label="Loading" /> : renderRow(item)}
      </div>,
    );
  }
  const isEmpty = total === 0;
  return (
    <div class="virtual">
      {isEmpty ? <div class="virtual-empty">{empty}</div> : null}
      {total === null ? <div class="loading" role="status" aria-label="Loading" /> : null}
      <div
        ref={box}
        class="virtual-box"
        hidden={isEmpty}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={total === null || total === 0 ? undefined : `${listId}-${active}`}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
      >
        <div class="virtual-ground" role="presentation" style={{ height: `${(total ?? 0) * rowHeight}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
