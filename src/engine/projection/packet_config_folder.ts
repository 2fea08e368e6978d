/** A configuration of packets as a folder: `servant/*.yaml` and `pipeline/*.yaml`, each file over what is built in. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import type { Disks } from "../../disks.ts";
import { TaskfoldError } from "../../errors.ts";
import type { PacketConfig } from "../../state/packet_config.ts";
import { OWN_CONFIG_FOLDER } from "../../state/packet_config.ts";
import { packetConfigOf } from "./packet_texts.ts";

const PARTS = ["servant", "pipeline"] as const;
const YAML = /\.ya?ml$/;
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 200;
/** Of all files together: they are read and parsed for each call that plans. */
const MAX_TOTAL = 4 * 1024 * 1024;

/** How a folder is looked at: through links where a caller named it, and through none below a root. */
export interface FolderLook {
  /** Names in a folder; undefined where there is no folder of that name. */
  names: (path: string) => string[] | undefined;
  bytes: (path: string, most: number) => Buffer;
}

/**
 * The configuration of a folder, named `shown` in messages and origins; undefined where neither part is there. INVALID_INPUT with every
 * fault of every file in `details.errors`. Each file is read once: `files_sha256` is of the bytes that were parsed.
 */
export function packetConfigIn(look: FolderLook, folder: string, shown: string): PacketConfig | undefined {
  const found = PARTS.map((part) => ({ part, files: look.names(join(folder, part))?.toSorted() }));
  if (found.every(({ files }) => files === undefined)) return undefined;
  const paths = found.flatMap(({ part, files = [] }) =>
    files.filter((file) => YAML.test(file)).map((file) => `${part}/${file}`),
  );
  if (paths.length > MAX_FILES) throw tooMuch(`${MAX_FILES} files`, `${paths.length}`);
  const files = paths.map((path) => ({ path, bytes: look.bytes(join(folder, path), MAX_BYTES) }));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > MAX_TOTAL) throw tooMuch(`${MAX_TOTAL} bytes`, `${total}`);
  // Bytes that are no UTF-8 become U+FFFD, which no name and no model has.
  const texts = files.map(({ path, bytes }) => ({ path: `${shown}/${path}`, text: bytes.toString("utf8") }));
  return { ...packetConfigOf(texts), files_sha256: digestOf(files) };
}

/** Over each name with the digest of its bytes, so that no file can pass for two. */
function digestOf(files: readonly { path: string; bytes: Buffer }[]): string {
  const each = files.map(({ path, bytes }) => [path, createHash("sha256").update(bytes).digest("hex")]);
  return createHash("sha256").update(JSON.stringify(each)).digest("hex");
}

/** The workspace's own configuration; undefined where it has none. PATH_UNSAFE for a link on the way. */
export function ownPacketConfig(disk: Disk, root: string): PacketConfig | undefined {
  const folder = join(root, OWN_CONFIG_FOLDER);
  const kindOf = (path: string): string | undefined => disk.lstat(path)?.kind;
  const names = (path: string): string[] | undefined => {
    const kind = kindOf(path);
    if (kind === "link") throw linked(path.slice(root.length + 1));
    return kind === "folder" ? disk.readdir(path) : undefined;
  };
  const bytes = (path: string, most: number): Buffer => {
    if (kindOf(path) === "link") throw linked(path.slice(root.length + 1));
    return disk.readFile(path, most);
  };
  if (names(folder) === undefined) return undefined;
  const config = packetConfigIn({ names, bytes }, folder, OWN_CONFIG_FOLDER);
  return config && { ...config, folder: OWN_CONFIG_FOLDER };
}

/** The same for a caller that has opened nothing below the root. */
export function ownPacketConfigAt(disks: Disks, root: string): PacketConfig | undefined {
  const { disk, release } = disks.below(root);
  try {
    return ownPacketConfig(disk, root);
  } finally {
    release();
  }
}

function linked(path: string): TaskfoldError {
  return new TaskfoldError("PATH_UNSAFE", `Expected ${path} to be reached without a link, found one.`, {
    recovery: "Put the files themselves in the place of the link, or name another folder: --config DIR.",
  });
}

function tooMuch(most: string, found: string): TaskfoldError {
  return new TaskfoldError("CONTENT_TOO_LARGE", `Expected a configuration of at most ${most}, found ${found}.`, {
    recovery: "Take files out, or name another folder: --config DIR.",
  });
}
