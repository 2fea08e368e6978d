/** Files that packet commands are given: a manifest, a folder of inputs, a folder of configuration. From the current folder. */
import { join, resolve } from "node:path";
import { nodeDisk } from "../../../disk.ts";
import { nodeDisks } from "../../../disks.ts";
import { ownPacketConfigAt } from "../../../engine/projection/packet_config_folder.ts";
import { BUILT_IN_CONFIG, inputFault, packetManifestOf } from "../../../engine/projection/packet_texts.ts";
import type { FieldFault, ManifestText, PacketConfig } from "../../../engine/projection/packet_texts.ts";
import { isTaskfoldError, TaskfoldError } from "../../../errors.ts";
import { readPacketConfig } from "../../../runner/packet_config_files.ts";
import type { Session } from "../session.ts";

export interface ConfigOption {
  config?: string;
}

const MAX_BYTES = 4 * 1024 * 1024;
const ATTACHMENTS = "attachments";
/** Names that the engine writes into the folder of inputs of a packet that is there already. */
const FOLDED = new Set(["context_pack.digest.md", "prompt"]);

/** The configuration that was named; undefined where none was. INVALID_INPUT with every fault of it. */
export function configOf({ io }: Session, { config }: ConfigOption): PacketConfig | undefined {
  return config === undefined ? undefined : readPacketConfig(config, io.cwd);
}

/** The configuration that a manifest is planned with: the named one, else that of the workspace, else the built-in one. */
export function planConfigOf(session: Session, options: ConfigOption, root = session.root): PacketConfig {
  return configOf(session, options) ?? ownPacketConfigAt(nodeDisks(), root) ?? BUILT_IN_CONFIG;
}

/** Reads a manifest: its values, or every fault of it. `task_id`: the caller's, in the place of its own. */
export async function manifestOf(
  { io }: Session,
  file: string,
  config: PacketConfig,
  task_id?: string,
): Promise<ManifestText> {
  const invalid = (reason: FieldFault["reason"], message: string): ManifestText => ({
    manifest: null,
    errors: [{ field: "", reason, message }],
    warnings: [],
  });
  try {
    const bytes = file === "-" ? await io.stdin(MAX_BYTES) : bytesOf(resolve(io.cwd, file), "a manifest", file);
    const text = utf8(bytes);
    return text === undefined
      ? invalid("yaml", "Expected UTF-8, found other bytes.")
      : packetManifestOf(text, config, task_id);
  } catch (e) {
    // A size above the limits is a fault of the document, as its readers say of smaller ones.
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return invalid("too_large", e.message);
    throw e;
  }
}

/** Text of a file that a review is about. */
export function documentOf({ io }: Session, file: string, what: string): string {
  const text = utf8(bytesOf(resolve(io.cwd, file), what, file));
  if (text !== undefined) return text;
  throw new TaskfoldError("INVALID_INPUT", `Expected UTF-8 in ${JSON.stringify(file)}, found other bytes.`);
}

/** Texts of a folder of inputs, by their paths below `inputs/`. Files that a packet writes there itself are left out. */
export function inputsOf({ io }: Session, dir: string): Record<string, string> {
  const folder = resolve(io.cwd, dir);
  if (nodeDisk.stat(folder)?.kind !== "folder") throw notThere("a folder of inputs", dir);
  const paths = nodeDisk
    .readdir(folder)
    .filter((name) => !FOLDED.has(name) && !name.startsWith("."))
    .flatMap((name) => (name === ATTACHMENTS ? attachmentsIn(join(folder, name)) : [name]));
  return Object.fromEntries(
    paths.toSorted().map((path) => {
      const named = join(dir, path);
      const fault = inputFault(path);
      if (fault !== null) throw noInput(named, fault);
      return [path, textOf(join(folder, path), path, named)];
    }),
  );
}

function noInput(named: string, fault: string): TaskfoldError {
  return new TaskfoldError(
    "PATH_UNSAFE",
    `Expected a file that a packet can take, found ${JSON.stringify(named)}: ${fault}.`,
    {
      recovery: "Rename it, or move it out of the folder.",
    },
  );
}

function attachmentsIn(folder: string): string[] {
  return nodeDisk
    .readdir(folder)
    .filter((name) => !name.startsWith("."))
    .map((name) => `${ATTACHMENTS}/${name}`);
}

function textOf(file: string, path: string, named: string): string {
  const text = utf8(bytesOf(file, `inputs/${path}`, named));
  if (text !== undefined) return text;
  throw new TaskfoldError("INVALID_INPUT", `Expected UTF-8 in inputs/${path}, found other bytes.`, {
    recovery: "Convert it, or leave it out.",
  });
}

/** `named`: the path as the caller knows it. */
function bytesOf(path: string, what: string, named: string): Buffer {
  // A link below a folder of inputs may lead to a file that was never meant to be shown.
  const stat = nodeDisk.lstat(path);
  if (stat?.kind === "link" || stat?.kind === "special file")
    throw new TaskfoldError("INVALID_INPUT", `Expected a file, found a ${stat.kind} at ${JSON.stringify(named)}.`, {
      recovery: "Put a copy of the file in its place, or leave it out.",
    });
  if (stat?.kind !== "file") throw notThere(what, named);
  if (stat.size > MAX_BYTES)
    throw new TaskfoldError(
      "CONTENT_TOO_LARGE",
      `Expected ${what} of at most ${MAX_BYTES} bytes, found ${stat.size}.`,
      {
        recovery: "Make it smaller, or leave it out.",
      },
    );
  return nodeDisk.outside.readFile(path, MAX_BYTES);
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (e) {
    if (e instanceof TypeError) return undefined;
    throw e;
  }
}

function notThere(what: string, path: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${what}, found no file or folder of that kind at ${JSON.stringify(path)}.`,
    {
      recovery: "Name one that is there, from the current folder.",
    },
  );
}
