import { useEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from './api.ts';
import { changes } from './state.ts';

export interface Query<Data> {
  data: Data | null;
  error: unknown;
  isLoading: boolean;
}

const GATHER_CHANGES = 250;

/**
 * Reads data from the server, and reads it again when `keys` change or when the stream reports a change. Old data stays visible until the
 * new data has arrived; with `keep` also when the keys have changed.
 */
export function useQuery<Data>(
  read: ((signal: AbortSignal) => Promise<Data>) | null,
  keys: readonly unknown[],
  { live = true, keep = false }: { live?: boolean; keep?: boolean } = {},
): Query<Data> {
  const [state, setState] = useState<Query<Data>>({ data: null, error: null, isLoading: read !== null });
  const [round, setRound] = useState(0);
  const lastKeys = useRef('');
  const key = JSON.stringify(keys);

  useEffect(() => {
    if (!live) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const first = changes.peek().count;
    const stop = changes.subscribe(({ count }) => {
      if (count === first) return;
      clearTimeout(timer);
      timer = setTimeout(() => setRound((now) => now + 1), GATHER_CHANGES);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [live]);

  useEffect(() => {
    if (read === null) {
      setState({ data: null, error: null, isLoading: false });
      return undefined;
    }
    const over = new AbortController();
    const isOther = lastKeys.current !== key;
    lastKeys.current = key;
    setState((before) => ({ data: isOther && !keep ? null : before.data, error: null, isLoading: true }));
    read(over.signal).then(
      (data) => {
        if (!over.signal.aborted) setState({ data, error: null, isLoading: false });
      },
      (error: unknown) => {
        if (!over.signal.aborted && !isAbort(error)) setState({ data: null, error, isLoading: false });
      },
    );
    return () => over.abort();
  }, [key, round, read === null]);

  return state;
}

/** A debounced value. */
export function useRested<Value>(value: Value, milliseconds: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return rested;
}
