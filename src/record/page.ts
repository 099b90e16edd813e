/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** The `cursor` to pass for the next page; null on the last page. */
  cursor: string | null;
}

/**
 * The page of a list from its rows, of which one more than `limit` was read. The cursor is made from the last row of the page, by default its
 * id: ids sort in the order of their creation.
 */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => string = ({ id }) => id,
): Page<Item> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items: page.map(toItem), cursor: last === undefined ? null : cursorOf(last) };
}
