/** Milliseconds of one slice: the page hears its reader in between. */
const SLICE_MS = 50;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let began = 0;

/** Does it at once, or later if much was done in this slice. Returns a function that takes back what still waits. */
export function inTurn(work: () => void): () => void {
  waiting.add(work);
  if (timer === undefined) nextSlice();
  else doWaiting();
  return () => waiting.delete(work);
}

function nextSlice(): void {
  began = performance.now();
  timer = waiting.size > 0 ? setTimeout(nextSlice) : undefined;
  doWaiting();
}

function doWaiting(): void {
  for (const work of waiting) {
    if (performance.now() - began > SLICE_MS) return;
    waiting.delete(work);
    work();
  }
}
