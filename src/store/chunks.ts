/** So many values in one statement stay far below the parameter limits of both databases. */
const CHUNK = 500;

/** A list in pieces of which each fits into one statement. */
export function* chunks<Item>(items: readonly Item[], size: number = CHUNK): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
