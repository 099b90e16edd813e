import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type PagedList, usePages } from '../use-pages.ts';

interface Choice<Item> {
  idOf(item: Item): string;
  renderRow(item: Item): ComponentChildren;
  selected: string | null;
  onSelect(item: Item): void;
}

// The number of rows rendered above and below the viewport, so that quick scrolling shows no gaps.
const SPARE = 12;

/** A list of any length. Only visible rows are rendered, and only the pages around them are read. */
export function VirtualList<Item>({
  rowHeight,
  label,
  empty,
  ...list
}: PagedList<Item> & Choice<Item> & { rowHeight: number; label: string; empty: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const height = useHeight(box);
  const [top, setTop] = useState(0);
  const listId = useId();
  useLayoutEffect(() => {
    setTop(0);
    if (box.current !== null) box.current.scrollTop = 0;
  }, [list.source]);
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const end = Math.ceil((top + height) / rowHeight) + SPARE;
  const { total, itemAt } = usePages(list, first, end);
  const { active, setActive, onKeyDown } = useActiveRow({ box, height, rowHeight, total, itemAt, ...list });
  const shown = Array.from({ length: Math.max(0, Math.min(total ?? 0, end) - first) }, (_, place) => first + place);
  return (
    <div class="virtual">
      {total === 0 ? <div>{empty}</div> : null}
      {total === null ? <div class="loading" role="status" aria-label="Loading" /> : null}
      <div
        ref={box}
        class="virtual-box"
        hidden={total === 0}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={total === null || total === 0 ? undefined : `${listId}-${active}`}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
      >
        <div class="virtual-ground" role="presentation" style={{ height: `${(total ?? 0) * rowHeight}px` }}>
          {shown.map((index) => (
            <Row
              key={index}
              choice={list}
              id={`${listId}-${index}`}
              item={itemAt(index)}
              index={index}
              total={total ?? 0}
              rowHeight={rowHeight}
              isActive={index === active}
              onActive={setActive}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function useHeight(box: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return height;
}

/** The row that the arrow keys have reached. Enter selects its item. */
function useActiveRow<Item>({
  source,
  box,
  height,
  rowHeight,
  total,
  itemAt,
  onSelect,
}: {
  source: string;
  box: RefObject<HTMLElement | null>;
  height: number;
  rowHeight: number;
  total: number | null;
  itemAt(index: number): Item | undefined;
  onSelect(item: Item): void;
}): { active: number; setActive(index: number): void; onKeyDown(event: KeyboardEvent): void } {
  const [active, setActive] = useState(0);
  useLayoutEffect(() => setActive(0), [source]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (total === null || total === 0) return;
    const next = rowAfterKey(event.key, { active, total, page: Math.max(1, Math.floor(height / rowHeight) - 1) });
    const item = itemAt(active);
    if (next !== null) {
      setActive(next);
      scrollToRow(box.current, next, rowHeight);
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (item !== undefined) onSelect(item);
    } else return;
    event.preventDefault();
  };
  return { active, setActive, onKeyDown };
}

/** The row that a key moves to; null if it is no key for moving. */
function rowAfterKey(
  key: string,
  { active, total, page }: { active: number; total: number; page: number },
): number | null {
  const next = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: total - 1,
  }[key];
  return next === undefined ? null : Math.max(0, Math.min(total - 1, next));
}

function scrollToRow(box: HTMLElement | null, index: number, rowHeight: number): void {
  if (box === null) return;
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

function Row<Item>({
  id,
  item,
  index,
  total,
  rowHeight,
  isActive,
  onActive,
  choice: { idOf, renderRow, selected, onSelect },
}: {
  id: string;
  /** Undefined until its page has been read. */
  item: Item | undefined;
  index: number;
  total: number;
  rowHeight: number;
  isActive: boolean;
  onActive(index: number): void;
  choice: Choice<Item>;
}): JSX.Element {
  return (
    <div
      id={id}
      role="option"
      aria-selected={item !== undefined && idOf(item) === selected}
      aria-setsize={total}
      aria-posinset={index + 1}
      class={`row ${isActive ? 'row-active' : ''}`}
      style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
      onClick={() => {
        onActive(index);
        if (item !== undefined) onSelect(item);
      }}
    >
      {item === undefined ? <span class="row-waiting" aria-label="Loading" /> : renderRow(item)}
    </div>
  );
}
