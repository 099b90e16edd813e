/** Once the cache holds `most` results, the next new one empties it. */
export function cached<Value>(most: number, make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (made.size >= most) made.clear();
    made.set(key, value);
    return value;
  };
}

export function cachedFor<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

export interface Lru<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

interface LruOptions<Value> {
  /** The maximum number of values or, with `sizeOf`, the maximum sum of their sizes. */
  most: number;
  /** Returns the current size of a value, which may change while the value is cached. Default: 1 for each value. */
  sizeOf?: (value: Value) => number;
  /** Whether the latest value stays even if it alone exceeds the limit. */
  keepsLatest?: boolean;
}

export function createLru<Value>({ most, sizeOf, keepsLatest = false }: LruOptions<Value>): Lru<Value> {
  // A Map keeps the order of insertion, and every use inserts the entry again. The first entry is therefore the least recently used one.
  const kept = new Map<string, Value>();
  const size = (): number =>
    sizeOf === undefined ? kept.size : [...kept.values()].reduce((sum, value) => sum + sizeOf(value), 0);
  const use = (key: string, value: Value): void => {
    kept.delete(key);
    kept.set(key, value);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) use(key, value);
      return value;
    },
    set(key, value) {
      use(key, value);
      for (const [oldest] of kept) {
        if (size() <= most || (keepsLatest && kept.size === 1)) return;
        kept.delete(oldest);
      }
    },
    delete: (key) => void kept.delete(key),
  };
}
