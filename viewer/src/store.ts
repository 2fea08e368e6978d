import { useEffect, useState } from "preact/hooks";

/** One value that parts of the page look at. */
export interface Store<T> {
  get: () => T;
  set: (value: T) => void;
  /** Calls back now and after every change; the answer ends it. */
  watch: (seen: (value: T) => void) => () => void;
}

export function store<T>(first: T): Store<T> {
  let value = first;
  const watchers = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const watcher of watchers) watcher(next);
    },
    watch(seen) {
      watchers.add(seen);
      seen(value);
      return () => watchers.delete(seen);
    },
  };
}

export function useStore<T>(source: Store<T>): T {
  const [value, setValue] = useState<T>(() => source.get());
  useEffect(() => source.watch((next) => setValue(() => next)), [source]);
  return value;
}
