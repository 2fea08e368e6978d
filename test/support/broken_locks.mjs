// @ts-check
/** Locks that exclude no process, as on a file system whose locks do not work: every process has each of them at once. */

/** @type {() => import("../../dist/engine/core/lock.js").LockProvider} */
export const brokenLocks = () => ({
  kind: "lockfile",
  tryAcquire: () => ({ release: () => undefined }),
  holder: () => undefined,
  close: () => undefined,
});
