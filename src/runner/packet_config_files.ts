/** A configuration of packets that a caller names by its folder. */
import { basename, resolve } from "node:path";
import type { Disk } from "../disk.ts";
import { disksOf } from "../disks.ts";
import { packetConfigIn } from "../engine/projection/packet_config_folder.ts";
import type { FolderLook } from "../engine/projection/packet_config_folder.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import type { PacketConfig } from "../state/packet_config.ts";

/** Links are followed: the caller chose the folder. */
function lookOn(disk: Disk): FolderLook {
  return {
    names: (path) => (disk.stat(path)?.kind === "folder" ? disk.readdir(path) : undefined),
    bytes: (path, most) => disk.outside.readFile(path, most),
  };
}

/**
 * Reads and checks a folder of configuration files. INVALID_INPUT where there is none, and with every fault of every file in
 * `details.errors` (`file`, `field`, `reason`, `message`). A relative `dir` starts at `from`; messages name it as it was given. `disk`: as
 * for `openWorkspace`, which is opened with what this returns.
 */
export function readPacketConfig(dir: string, from = process.cwd(), disk?: Disk): PacketConfig {
  const at = resolve(from, dir);
  try {
    const config = packetConfigIn(lookOn(disksOf(disk).anywhere), at, basename(at));
    if (config) return { ...config, folder: at };
    throw notThere(dir);
  } catch (e) {
    throw storageError(e, "read the configuration of packets");
  }
}

function notThere(dir: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a folder with servant/ or pipeline/ in it, found neither in ${JSON.stringify(dir)}.`,
    { recovery: "Name the folder that holds servant/codex.yaml and the like, such as configs." },
  );
}
