/** The present moment for what the page says of time: `3 minutes ago`, and whether a claim still holds. */
import { store, useStore } from "./store.ts";

const clock = store(Date.now());
setInterval(() => clock.set(Date.now()), 15_000);

export function useNow(): number {
  return useStore(clock);
}
