/** Time that passes without a wait, for code of this process that measures how long ago something was. */
import { vi } from "vitest";

const now = performance.now.bind(performance);

/** Moves the clock that never jumps ahead by so much, until the test ends. The time of day stays: files have it, too. */
export function passTime(ms: number): void {
  const before = performance.now() - now();
  vi.spyOn(performance, "now").mockImplementation(() => now() + before + ms);
}
