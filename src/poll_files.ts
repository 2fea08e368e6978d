/**
 * Looks at files that other programs write where the system tells nothing of them, by chokidar (spec/decisions/0021). It is loaded when such a
 * watch begins.
 */
import { basename, dirname } from "node:path";
import type { FSWatcher } from "chokidar";

/** Folders, each with the names in it that count; null where any name does. */
export type WatchedFolders = ReadonlyMap<string, ReadonlySet<string> | null>;

export interface FilesWatch {
  /** Watches these folders, and no others any more. */
  set(wanted: WatchedFolders): void;
  close(): void;
}

/** Milliseconds between two looks at a file. */
const POLL_MS = 1000;

/** `changed` is told that a file came, went or was written. It is a hint. Keeps no process alive. */
export function pollFiles(changed: () => void): FilesWatch {
  let wanted: WatchedFolders = new Map();
  let chokidar: typeof import("chokidar") | undefined;
  let watcher: FSWatcher | undefined;
  let isClosed = false;
  const end = (): void => {
    watcher?.close().catch(nothing);
    watcher = undefined;
  };
  const isIgnored = (path: string): boolean => {
    const names = wanted.get(dirname(path));
    return !wanted.has(path) && names !== null && names?.has(basename(path)) !== true;
  };
  const begin = (): void => {
    if (isClosed || !chokidar) return;
    const made = new chokidar.FSWatcher({
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      persistent: false,
      atomic: false,
      depth: 0,
      usePolling: true,
      interval: POLL_MS,
      binaryInterval: POLL_MS,
      ignored: isIgnored,
    });
    // CHOKIDAR_USEPOLLING=0 goes before the option. In the other way an error that the system tells of a watch would end the process.
    if (!made.options.usePolling) return;
    watcher = made;
    // Nothing told of changes before the watch began.
    made.on("all", changed).on("ready", changed).on("error", nothing);
    made.add([...wanted.keys()]);
  };
  // Without the package there are no hints, and a look finds what changed.
  import("chokidar")
    .then((loaded) => {
      chokidar = loaded;
      begin();
    })
    .catch(nothing);
  return {
    set(folders) {
      if (textOf(folders) === textOf(wanted)) return;
      wanted = folders;
      // chokidar goes on with the files of a folder that it is to leave.
      end();
      begin();
    },
    close() {
      isClosed = true;
      end();
    },
  };
}

function textOf(folders: WatchedFolders): string {
  return JSON.stringify([...folders].map(([folder, names]) => [folder, names && [...names]]));
}

const nothing = (): void => undefined;
