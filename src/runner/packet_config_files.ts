/** The configuration of packets in a folder: `servant/*.yaml` and `pipeline/*.yaml`, each file over what is built in. */
import { basename, join, resolve } from "node:path";
import { nodeDisk } from "../disk.ts";
import { packetConfigOf } from "../engine/projection/packet_texts.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import type { PacketConfig } from "../state/packet_config.ts";

const FOLDERS = ["servant", "pipeline"] as const;
const YAML = /\.ya?ml$/;
const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 200;

/**
 * Reads and checks a folder of configuration files. INVALID_INPUT where there is none, and with every fault of every file in
 * `details.errors` (`file`, `field`, `reason`, `message`). A relative `dir` starts at `from`; messages name it as it was given.
 */
export function readPacketConfig(dir: string, from = process.cwd()): PacketConfig {
  const at = resolve(from, dir);
  try {
    const found = FOLDERS.map((name) => ({ name, files: namesIn(join(at, name)) }));
    if (found.every(({ files }) => files === undefined)) throw notThere(dir);
    const paths = found.flatMap(({ name, files = [] }) =>
      files.filter((file) => YAML.test(file)).map((file) => [name, file]),
    );
    if (paths.length > MOST_FILES) throw tooMany(paths.length);
    const shown = basename(at);
    const config = packetConfigOf(
      paths.map(([name, file]) => ({ path: `${shown}/${name}/${file}`, text: textAt(join(at, name!, file!)) })),
    );
    return { ...config, folder: at };
  } catch (e) {
    throw storageError(e, "read the configuration of packets");
  }
}

function namesIn(folder: string): string[] | undefined {
  return nodeDisk.stat(folder)?.kind === "folder" ? nodeDisk.readdir(folder).toSorted() : undefined;
}

/** Bytes that are no UTF-8 become U+FFFD, which no name and no model has. */
function textAt(path: string): string {
  return nodeDisk.outside.readFile(path, MOST_BYTES).toString("utf8");
}

function notThere(dir: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a folder with servant/ or pipeline/ in it, found neither in ${JSON.stringify(dir)}.`,
    { recovery: "Name the folder that holds servant/codex.yaml and the like, such as configs." },
  );
}

function tooMany(count: number): TaskfoldError {
  return new TaskfoldError(
    "CONTENT_TOO_LARGE",
    `Expected at most ${MOST_FILES} files of configuration, found ${count}.`,
  );
}
