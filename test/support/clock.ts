/** Time that passes without a wait, for code of this process that measures how long ago something was. */
import { vi } from "vitest";

const now = performance.now.bind(performance);

/** Moves the clock that never jumps ahead by so much, until the test ends. The time of day stays: files have it, too. */
export function passTime(ms: number): void {
  const before = performance.now() - now();
  vi.spyOn(performance, "now").mockImplementation(() => now() + before + ms);
}

/**
 * That clock stands still until the test ends: what the code counts as new stays new, however slow the machine is. Gives what moves it ahead.
 * No wait of this process comes to its end meanwhile, unless a timer ends it.
 */
export function stopTime(): (ms: number) => void {
  let at = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => at);
  return (ms) => void (at += ms);
}
