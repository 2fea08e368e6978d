import { useEffect, useState } from "preact/hooks";

/** Whether the page has room for one column only. */
export function useNarrow(): boolean {
  const [query] = useState(() => matchMedia("(max-width: 46rem)"));
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const seen = (): void => setNarrow(query.matches);
    query.addEventListener("change", seen);
    return () => query.removeEventListener("change", seen);
  }, [query]);
  return narrow;
}
