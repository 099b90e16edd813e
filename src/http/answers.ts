import { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { NewEvent } from '../record/event.ts';

/** A list without pages. */
export function items(item: z.ZodType): z.ZodType {
  return z.object({ items: z.array(item) });
}

/** An object whose fields the library's types describe. */
export const loose: z.ZodType = z.record(z.string(), z.unknown());

/** What was looked for, or `not_found`. */
export function found<Item>(item: Item | null, what: string, id: string | undefined): Item {
  if (item !== null) return item;
  throw new VarveError(`There is no ${what} ${id} within this scope.`, { code: 'not_found', details: { id } });
}

/** Gives events the key of the request that carries them; an event's own key stands. */
export function keyedBy(key: string | null, events: NewEvent | readonly NewEvent[]): NewEvent | NewEvent[] {
  if (key === null) return events as NewEvent | NewEvent[];
  if (!Array.isArray(events)) return { idempotencyKey: key, ...(events as NewEvent) };
  return (events as readonly NewEvent[]).map((event, index) => ({ idempotencyKey: `${key}#${index}`, ...event }));
}
