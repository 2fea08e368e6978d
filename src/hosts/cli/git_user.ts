/** The person that git names: who acts where nothing else says it (CLI-110). */
import { dirname, join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { Io } from "./io.ts";

const MOST_BYTES = 256 * 1024;
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
  const repository = repositoryConfig(root);
  if (repository === null) return null;
  let name: string | undefined;
  for (const path of [...(global === undefined ? users : [global]), ...repository]) {
    const text = readText(path);
    if (text === undefined) continue;
    if (NOT_PLAIN.test(text)) return null;
    name = userName(text) ?? name;
  }
  return name;
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
    return nodeDisk.outside.readFile(path, MOST_BYTES).toString("utf8");
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
  const { gitSays } = await import("../git/run_git.ts");
  return gitSays({ folder: root }, ["config", "--get", "user.name"]);
}

/** `Ada Lovelace` as `Ada-Lovelace`; undefined where no character fits. */
function madeFit(name: string | undefined): string | undefined {
  const fit = (name ?? "")
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[^A-Za-z0-9._@/+-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, 64);
  return fit === "" ? undefined : fit;
}
