/** The log with the start of the attempt that runs, kept on this machine. Git in a servant may take the log itself to an earlier state. */
import { internalsOf } from "../engine/groups/internals.ts";
import { dirname, join } from "node:path";
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { Warning } from "../errors.ts";
import { readCache, removeQuietly, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import { LOG_FILE } from "../files/layout.ts";
import { counted } from "../state/counted.ts";

const MAX_BYTES = 256 * 1024 * 1024;

export class KeptLog {
  readonly #workspace: Workspace;
  readonly #access: PacketAccess;
  readonly #path: string;
  #bytes: Buffer | undefined;

  constructor(workspace: Workspace, access: PacketAccess) {
    this.#workspace = workspace;
    this.#access = access;
    this.#path = access.layout.machineFile("packet", `${access.id}.log.jsonl`);
  }

  /** Call when the start is in the log. */
  keep(): void {
    const { disk, folder } = this.#access;
    this.#bytes = disk.readFile(join(folder, LOG_FILE), MAX_BYTES);
    ensureFolder(disk, dirname(this.#path));
    writeAtomic(disk, this.#path, this.#bytes);
  }

  /** Brings back what the log has lost since, also since a dispatcher that is gone by now kept it. */
  async restore(): Promise<Warning[]> {
    const { id, disk } = this.#access;
    this.#bytes ??= readCache(disk, this.#path, MAX_BYTES);
    const lines = this.#bytes ? await internalsOf(this.#workspace).restoreLines(id, this.#bytes) : 0;
    if (lines === 0) return [];
    return [
      {
        code: "LOG_PUT_BACK",
        message: `Expected the log of ${id} as it was when the attempt started; ${counted(lines, "line")} of it were gone and are back in it.`,
        recovery:
          "A process of the stage, such as git checkout, stash or reset, took the log to an earlier state. Keep such commands away from .coco, or commit .coco before each run.",
      },
    ];
  }

  /** Call when the end of the attempt is in the log. */
  drop(): void {
    this.#bytes = undefined;
    removeQuietly(this.#access.disk, this.#path);
  }
}
