/** Something read from the server: what came, what went wrong, and how to read it again. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Resource<T> {
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
  /** What is known to be there by now, such as the answer to a change. */
  set: (data: T) => void;
}

/** Reads again when `key` changes; what was there stays on the screen only for the same `key`. */
export function useResource<T>(key: string, read: (signal: AbortSignal) => Promise<T>, version = 0): Resource<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error; loading: boolean }>({ key, loading: true });
  const [again, setAgain] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const stop = new AbortController();
    setState((was) => (was.key === key ? { ...was, loading: true } : { key, loading: true }));
    latest.current(stop.signal).then(
      (data) => stop.signal.aborted || setState({ key, data, loading: false }),
      (error: Error) => stop.signal.aborted || setState((was) => ({ ...was, key, error, loading: false })),
    );
    return () => stop.abort();
  }, [key, version, again]);
  const reload = useCallback(() => setAgain((count) => count + 1), []);
  const set = useCallback((data: T) => setState({ key, data, loading: false }), [key]);
  const current = state.key === key;
  return {
    data: current ? state.data : undefined,
    error: current ? state.error : undefined,
    loading: state.loading || !current,
    reload,
    set,
  };
}

/** A value that follows only after a pause, so that not every keystroke is a request. */
export function useDebounced<T>(value: T, ms = 200): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
