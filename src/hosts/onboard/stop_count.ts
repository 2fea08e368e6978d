/** How often in a row the stop hook kept an agent of one session from stopping, kept for this machine alone. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { Disk } from "../../disk.ts";
import { readCache, removeQuietly, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder } from "../../files/folders.ts";
import { Layout } from "../../files/layout.ts";
import { machineFolderOf } from "../../files/machine_folder.ts";
import { nodeRuntime } from "../../node_runtime.ts";

export class StopCount {
  readonly #disk: Disk;
  readonly #path: string;

  /** `session`: as the client names it. */
  constructor(disk: Disk, root: string, session: string) {
    this.#disk = disk;
    const layout = new Layout(root, machineFolderOf({ disk, runtime: nodeRuntime }, root));
    const name = createHash("sha256").update(session).digest("hex").slice(0, 16);
    this.#path = layout.machineFile("stops", name);
  }

  get(): number {
    return Number.parseInt(readCache(this.#disk, this.#path, 16)?.toString("latin1") ?? "0", 10) || 0;
  }

  set(count: number): void {
    ensureFolder(this.#disk, dirname(this.#path));
    writeAtomic(this.#disk, this.#path, String(count));
  }

  forget(): void {
    removeQuietly(this.#disk, this.#path);
  }
}
