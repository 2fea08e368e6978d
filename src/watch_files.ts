/**
 * Watches files that other programs write, by chokidar (spec/decisions/0021). It knows how editors save, and it can look at files where
 * the system tells nothing of them. It is loaded when a watch begins.
 */
import type { FSWatcher } from "chokidar";

export interface FilesWatch {
  /** Watches these files and folders, and no others any more. One need not be there yet. */
  set(paths: Iterable<string>): void;
  close(): void;
}

/** Milliseconds between two looks at a file where the system tells nothing. */
const POLL_MS = 1000;
/** An editor that saves by a rename takes the file away for less than this. */
const ATOMIC_MS = 100;

/** `changed` is told that a file came, went or was written. It is a hint. Keeps no process alive. */
export function watchFiles({ polling }: { polling: boolean }, changed: () => void): FilesWatch {
  let watcher: FSWatcher | undefined;
  let wanted = new Set<string>();
  let isClosed = false;
  const begin = ({ watch }: typeof import("chokidar")): void => {
    if (isClosed) return;
    watcher = watch([...wanted], {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      persistent: false,
      atomic: ATOMIC_MS,
      depth: 0,
      usePolling: polling,
      interval: POLL_MS,
    });
    watcher.on("all", changed).on("error", nothing);
    // Nothing told of changes before the watch began.
    watcher.on("ready", changed);
  };
  // Without the package there are no hints, and a look finds what changed.
  import("chokidar").then(begin, nothing);
  return {
    set(paths) {
      const before = wanted;
      wanted = new Set(paths);
      watcher?.add([...wanted].filter((path) => !before.has(path)));
      watcher?.unwatch([...before].filter((path) => !wanted.has(path)));
    },
    close() {
      isClosed = true;
      watcher?.close().catch(nothing);
    },
  };
}

const nothing = (): void => undefined;
