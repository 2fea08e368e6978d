/**
 * The configurations of this workspace that the person at this machine lets run. A configuration names programs, and it comes with the
 * repository. So the record lies outside of it, for one folder and for the bytes of its files (PACKET-386).
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import type { PacketConfig } from "../state/packet_config.ts";
import { OWN_CONFIG_FOLDER, SERVANTS } from "../state/packet_config.ts";
import { remedy, TASKFOLD } from "../remedy.ts";

/** Of the person: what it lacks is that of this process. */
export type Environment = Readonly<Record<string, string | undefined>>;

export class TrustedConfigs {
  readonly #disk: Disk;
  readonly #root: string;
  /** Undefined where no folder outside of the root can hold the records: then nothing is trusted. */
  readonly #folder: string | undefined;

  /** `disk`: with every path of the machine. `environment`: XDG_DATA_HOME and HOME, which no repository sets. */
  constructor(disk: Disk, root: string, environment: Environment) {
    this.#disk = disk;
    this.#root = disk.outside.realpath(root);
    const data = dataFolder(environment);
    const folder = data && join(data, "taskfold", "trusted", keyOf(disk, this.#root));
    this.#folder = folder !== undefined && isOutside(disk, folder, this.#root) ? folder : undefined;
  }

  /** Whether the very bytes that this configuration was parsed from are trusted. Its files are not read again. */
  has({ files_sha256 }: PacketConfig): boolean {
    if (this.#folder === undefined || files_sha256 === undefined) return false;
    return this.#disk.lstat(join(this.#folder, files_sha256))?.kind === "file";
  }

  /** INVALID_INPUT where the records would lie in the repository. */
  add({ files_sha256 }: PacketConfig): void {
    const folder = this.#needed();
    if (files_sha256 === undefined) throw new TaskfoldError("INTERNAL", "Expected a configuration of files.");
    try {
      ensureFolder(this.#disk, folder);
      writeAtomic(this.#disk, join(folder, files_sha256), `${JSON.stringify({ root: this.#root })}\n`);
    } catch (e) {
      throw storageError(e, "record the trust");
    }
  }

  /** Takes all trust in this root away; how many records there were. */
  clear(): number {
    const folder = this.#needed();
    if (this.#disk.stat(folder)?.kind !== "folder") return 0;
    try {
      const names = this.#disk.readdir(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
      for (const name of names) this.#disk.unlink(join(folder, name));
      return names.length;
    } catch (e) {
      throw storageError(e, "take the trust away");
    }
  }

  #needed(): string {
    if (this.#folder !== undefined) return this.#folder;
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected XDG_DATA_HOME or HOME to name a folder outside of the workspace, found none.",
      { recovery: `Set HOME, or name the configuration for each run: --config ${OWN_CONFIG_FOLDER}.` },
    );
  }
}

/** A relative folder would lie wherever the command runs, also in a repository. */
function dataFolder(environment: Environment): string | undefined {
  const { XDG_DATA_HOME: data = process.env["XDG_DATA_HOME"], HOME: home = homedir() } = environment;
  if (data !== undefined && isAbsolute(data)) return data;
  return isAbsolute(home) ? join(home, ".local", "share") : undefined;
}

/**
 * Names the folder itself: another clone that comes to its path has another inode and another birth. The number of the device is left
 * out, because a restart may change it.
 */
function keyOf(disk: Disk, root: string): string {
  const identity = (disk.identity(root) ?? "").split(" ").slice(1);
  return createHash("sha256")
    .update(JSON.stringify([root, ...identity]))
    .digest("hex");
}

/** Also where a link on the way leads into the root. */
function isOutside(disk: Disk, folder: string, root: string): boolean {
  let there = folder;
  let rest = "";
  while (disk.lstat(there) === undefined && dirname(there) !== there) {
    rest = join(basename(there), rest);
    there = dirname(there);
  }
  // A link that leads nowhere is none that a folder can be made in.
  if (disk.stat(there) === undefined) return false;
  const real = join(disk.outside.realpath(there), rest);
  return real !== root && !real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** CONFIG_NOT_TRUSTED says which programs would run. */
export function requireTrust(disk: Disk, root: string, config: PacketConfig, environment: Environment): void {
  if (new TrustedConfigs(disk, root, environment).has(config)) return;
  throw new TaskfoldError(
    "CONFIG_NOT_TRUSTED",
    `Expected trust in the files of ${OWN_CONFIG_FOLDER}/ as they are, found none: they name programs, and they come with the repository.`,
    {
      ...remedy`Read them, then run ${TASKFOLD} packet trust. Or name the folder for this run: --config ${OWN_CONFIG_FOLDER}.`,
      details: { files_sha256: config.files_sha256 ?? null, programs: programsOf(config) },
    },
  );
}

/** The programs that the files of a configuration name, by servant. */
export function programsOf({
  servants,
  origins,
}: PacketConfig): { servant: string; file: string; command: string[] }[] {
  return SERVANTS.flatMap((tool) => {
    const file = origins[`servant ${tool}`];
    return file === undefined ? [] : [{ servant: tool, file, command: [...servants[tool].command] }];
  });
}
