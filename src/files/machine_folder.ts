/**
 * The folder in `registry/` that one machine keeps for one root. Its name is a digest of the machine, and of device,
 * inode and birth of the root's folder. A repository cannot contain it, for these numbers do not exist before the clone
 * (spec/decisions/0007). Machines and containers that see other numbers use folders of their own beside it.
 */
import { createHash } from "node:crypto";
import type { Disk } from "../disk.ts";
import type { Runtime } from "../runtime.ts";
import { errnoOf } from "./storage_error.ts";

const ASK_AGAIN_MS = 1000;

/** Systemd's number of this installation: 32 digits. */
const MACHINE_ID = "/etc/machine-id";

interface Machine {
  disk: Disk;
  runtime: Pick<Runtime, "uptime" | "host">;
}

/** `name()` of the root that exists now; a name that no folder has while there is no root. */
export function machineFolderOf(machine: Machine, root: string): () => string {
  const { disk, runtime } = machine;
  let known: string | undefined;
  let of: string | undefined;
  let asked = Number.NEGATIVE_INFINITY;
  return () => {
    // Another folder may have come to the root's name while the workspace is open.
    if (known !== undefined && runtime.uptime() - asked < ASK_AGAIN_MS) return known;
    const identity = disk.identity(root);
    if (identity === undefined) return "machine-none";
    asked = runtime.uptime();
    if (known !== undefined && identity === of) return known;
    of = identity;
    const digest = createHash("sha256")
      .update(`${machineId(machine)}\n${identity}`)
      .digest("hex");
    known = `machine-${digest.slice(0, 16)}`;
    return known;
  };
}

function machineId({ disk, runtime }: Machine): string {
  try {
    return disk.outside.readFile(MACHINE_ID, 256).toString("latin1").trim();
  } catch (e) {
    // Not Linux, or a container without one: two such machines that share a folder share these files, as processes do.
    if (errnoOf(e) === undefined) throw e;
    return process.platform === "linux" ? "" : runtime.host;
  }
}
