/** The person that git names: who acts where nothing else says it (CLI-2). */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { nodeDisk } from "../../../disk.ts";
import type { Io } from "../io.ts";

const MAX_BYTES = 256 * 1024;
/** Forms that git alone reads right: files that name others, and values over several lines or with escapes. */
const NOT_PLAIN = /^\s*\[\s*include|\\/im;

/** git's `user.name` as a name that a log entry may have; undefined where git knows none. */
export async function gitUser({ env }: Pick<Io, "env">, root: string): Promise<string | undefined> {
  const name = nameInFiles(env, root);
  return madeFit(name === null ? await askedOfGit(env, root) : name);
}

/** Reading two files takes a tenth of starting git. Null: the files are not plain, or the repository is not at hand. */
function nameInFiles(env: Io["env"], root: string): string | undefined | null {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const users =
    home === undefined
      ? []
      : [join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git/config"), join(home, ".gitconfig")];
  const global = env["GIT_CONFIG_GLOBAL"];
  // Settings of the environment count more than any file, and git alone reads them right.
  if (env["GIT_CONFIG_COUNT"] || env["GIT_CONFIG_PARAMETERS"]) return null;
  const system = isOn(env["GIT_CONFIG_NOSYSTEM"]) ? [] : [env["GIT_CONFIG_SYSTEM"] ?? "/etc/gitconfig"];
  const repository = repositoryConfig(root);
  if (repository === null) return null;
  let name: string | undefined;
  for (const path of [...system, ...(global === undefined ? users : [global]), ...repository]) {
    const text = readText(path);
    if (text === undefined) continue;
    if (NOT_PLAIN.test(text)) return null;
    name = userName(text) ?? name;
  }
  return name;
}

/** As git reads a truth value. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|false|no|off)$/i.test(value);
}

function repositoryConfig(root: string): string[] | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const kind = nodeDisk.lstat(join(folder, ".git"))?.kind;
    if (kind !== undefined) return kind === "folder" ? [join(folder, ".git/config")] : null;
    if (dirname(folder) === folder) return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return nodeDisk.outside.readFile(path, MAX_BYTES).toString("utf8");
  } catch {
    // Not there, or not to be read: git would not know the name either.
    return undefined;
  }
}

function userName(text: string): string | undefined {
  let section = "";
  let name: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = /^\s*(?:\[[^\]]*\]\s*)?name\s*=\s*(?:"([^"]*)"|([^#;]*))/i.exec(line);
    if (section === "user" && value) name = (value[1] ?? value[2] ?? "").trim();
  }
  return name;
}

/** A caller without PATH has no git to start. */
async function askedOfGit(env: Io["env"], root: string): Promise<string | undefined> {
  if (env["PATH"] === undefined) return undefined;
  const { gitSays } = await import("../../git/run_git.ts");
  return gitSays({ folder: root }, ["config", "--get", "user.name"]);
}

/** `Ada Lovelace` as `Ada-Lovelace`, and `李雷` as `user-` with a digest; undefined where no character fits. */
function madeFit(name: string | undefined): string | undefined {
  const plain = (name ?? "").normalize("NFKD").replace(/\p{Mark}/gu, "");
  const fit = plain
    .replace(/[^A-Za-z0-9._@/+-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, 50);
  if (!/[^\P{L}A-Za-z]|[^\P{N}0-9]/u.test(plain)) return fit === "" ? undefined : fit;
  // Letters of other scripts are lost: two people would share what is left.
  const digest = createHash("sha256").update(plain).digest("hex").slice(0, 8);
  return `${fit === "" ? "user" : fit}-${digest}`;
}
