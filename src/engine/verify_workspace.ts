/** What verify finds beside the folders of entities: attributes of git, and what the registry holds in doubt. */
import { join, relative, sep } from "node:path";
import { readCache } from "../files/atomic.ts";
import { GITATTRIBUTES } from "../files/committed.ts";
import { listFolder } from "../files/folders.ts";
import type { SharedPart } from "../files/layout.ts";
import type { Engine } from "./engine.ts";
import type { Finding } from "./finding.ts";
import { wholeFile } from "./finding.ts";
import { unsyncedFiles } from "./unsynced.ts";
import { journalFindings } from "./verify_txn.ts";

/** The attributes of a whole repository fit. */
const MOST_BYTES = 1024 * 1024;

export function workspaceFindings(engine: Engine): Finding[] {
  const { disk, layout } = engine.world;
  const findings: Finding[] = [];
  // A link there is a finding of its own, and nothing behind it is ours.
  if (disk.lstat(layout.coco)?.kind !== "folder") return findings;
  const present = new Set(
    (readCache(disk, join(layout.coco, ".gitattributes"), MOST_BYTES)?.toString("utf8") ?? "")
      .split(/\r?\n/)
      .map((l) => l.trim()),
  );
  const wanted = GITATTRIBUTES.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const missing = wanted.filter((line) => !present.has(line));
  if (missing.length > 0) {
    findings.push(
      wholeFile(
        "ATTRIBUTES_MISSING",
        ".coco/.gitattributes",
        `Expected ${wanted.length} lines that keep merges whole, ${missing.length} are missing: ${missing.slice(0, 3).join("; ")}${missing.length > 3 ? "; ..." : ""}`,
      ),
    );
  }
  findings.push(...notFolders(engine));
  for (const name of foldersIn(engine, "unsynced")) {
    if (!unsyncedFiles(disk, join(layout.sharedFolder("unsynced"), name)).length) continue;
    findings.push(
      wholeFile(
        "UNSYNCED",
        `.coco/registry/unsynced/${name}`,
        `A failed sync left bytes of ${name} in doubt; the next write to it appends them again.`,
      ),
    );
  }
  findings.push(...journalFindings(engine));
  return findings;
}

const SHARED = ["journal", "unsynced", "quarantine"] as const;

/** Parts of the registry that something else stands in the place of: what is kept there is neither read nor written. */
function notFolders({ world: { disk, layout } }: Engine): Finding[] {
  const places = [layout.locks, layout.registry, ...SHARED.map((part) => layout.sharedFolder(part))];
  return places.flatMap((path) => {
    const kind = disk.lstat(path)?.kind;
    if (kind === undefined || kind === "folder") return [];
    const file = relative(layout.root, path).replaceAll(sep, "/");
    return [wholeFile("PATH_UNSAFE", file, `Expected a folder, found a ${kind}. Remove it; the folder is made again.`)];
  });
}

function foldersIn({ world: { disk, layout } }: Engine, part: SharedPart): string[] {
  const folder = layout.sharedFolder(part);
  return disk.lstat(folder)?.kind === "folder" ? listFolder(disk, folder).toSorted() : [];
}
