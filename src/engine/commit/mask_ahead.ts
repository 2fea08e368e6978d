/**
 * Redaction before a lock is taken. A text of a megabyte takes tenths of a second: neither the lock nor other answers of this process wait
 * for that. The rule runs once and names its texts; the decision finds them masked.
 */
import { maskedAhead, unmaskedIn } from "../../rules/packet/redact.ts";
import type { EngineContext } from "../core/context.ts";

/** Steps after which other calls, timers and sockets have their turn. */
const STEPS = 250_000;
/** A masked text may hold another one to redact: the answer of a brief holds a context pack. */
const ROUNDS = 4;

type Clock = Pick<EngineContext, "runtime">;

/** Gives what lets go of the masked texts, once the decision is made. Waits for nothing where there is little to redact. */
export function maskAhead(context: Clock, rehearsed: () => void): Promise<() => void> | (() => void) {
  const releases: (() => void)[] = [];
  const release = (): void => releases.forEach((one) => one());
  const slices = slicesOf(rehearsed, releases);
  return isDone(slices) ? release : goOn(context, slices).then(() => release);
}

function* slicesOf(rehearsed: () => void, releases: (() => void)[]): Generator<number, void> {
  for (let round = 0; round < ROUNDS; round++) {
    const texts = unmaskedIn(rehearsed);
    if (texts.length === 0) return;
    for (const text of texts) releases.push(yield* maskedAhead(text));
  }
}

/** Runs a turn's worth of slices. */
function isDone(slices: Generator<number, void>): boolean {
  for (let steps = 0; steps < STEPS;) {
    const next = slices.next();
    if (next.done) return true;
    steps += next.value;
  }
  return false;
}

async function goOn({ runtime }: Clock, slices: Generator<number, void>): Promise<void> {
  do await new Promise<void>((done) => runtime.nextTurn(done));
  while (!isDone(slices));
}
