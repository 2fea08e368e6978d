/** A configuration of packets that a caller names by its folder. */
import { basename, resolve } from "node:path";
import { nodeDisk } from "../disk.ts";
import { packetConfigIn } from "../engine/projection/packet_config_folder.ts";
import type { FolderLook } from "../engine/projection/packet_config_folder.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import type { PacketConfig } from "../state/packet_config.ts";

/** Links are followed: the caller chose the folder. */
const LOOK: FolderLook = {
  names: (path) => (nodeDisk.stat(path)?.kind === "folder" ? nodeDisk.readdir(path) : undefined),
  bytes: (path, most) => nodeDisk.outside.readFile(path, most),
};

/**
 * Reads and checks a folder of configuration files. INVALID_INPUT where there is none, and with every fault of every file in
 * `details.errors` (`file`, `field`, `reason`, `message`). A relative `dir` starts at `from`; messages name it as it was given.
 */
export function readPacketConfig(dir: string, from = process.cwd()): PacketConfig {
  const at = resolve(from, dir);
  try {
    const config = packetConfigIn(LOOK, at, basename(at));
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
