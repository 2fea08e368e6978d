/** Rules by which git converts the content of files that no commit holds: after a run such a rule could hide what changed (PROOF-47). */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { contentNames } from "./content_names.ts";
import { readRules } from "./ignore_rules.ts";
import type { Repository } from "./repository.ts";
import { waitedFor } from "./steps.ts";
import { attributesFile, isTrue } from "./user_settings.ts";

/** Attributes that change what git takes for the content of a file, macros for them, and definitions of macros. */
const CONVERTS = /^\s*\[attr\]|[\s!-](?:text|crlf|eol|ident|filter|binary|working-tree-encoding)(?:[\s=]|$)/;

/**
 * SHA-256 over the rules that no commit holds; undefined where there are none. `attributes`: the setting `core.attributesFile`. `own`: settings
 * of the repository alone, since those of a user or a system are the same for all of their files.
 */
export function attributesDigest(
  repository: Repository,
  attributes: string | undefined,
  own: ReadonlyMap<string, string>,
): string | undefined {
  const files = [attributesFile(repository, attributes), join(repository.common, "info/attributes")];
  const lines = files.flatMap((path) =>
    ((path && readRules(path)) || "").split(/\r?\n/).filter((line) => CONVERTS.test(line) && !line.startsWith("#")),
  );
  const autocrlf = own.get("core.autocrlf");
  const settings = [
    autocrlf !== undefined && (autocrlf === "input" || isTrue(autocrlf)) ? `core.autocrlf=${autocrlf}` : "",
    own.has("core.eol") ? `core.eol=${own.get("core.eol")}` : "",
  ].filter((setting) => setting !== "");
  const rules = [...settings, ...lines].join("\n");
  return rules === "" ? undefined : createHash("sha256").update(rules, "latin1").digest("hex");
}

/** The files of a listing by the bytes that they have on disk. A link, another repository and a file that is gone stay as they are listed. */
export function rawFiles(
  repository: Repository,
  files: ReadonlyMap<string, string>,
  settings: readonly string[],
): Map<string, string> {
  const modes = [...files].flatMap(([path, file]) =>
    file.startsWith("100") ? [[path, file.slice(0, 6)] as const] : [],
  );
  const names = waitedFor(contentNames(repository, new Map(modes), settings, true));
  return new Map([...files].map(([path, file]) => [path, names.get(path) ?? file]));
}
