/** What verify finds beside the folders of entities: attributes of git, and what the registry holds in doubt. */
import { join } from "node:path";
import { readIfThere } from "../files/atomic.ts";
import { GITATTRIBUTES } from "../files/committed.ts";
import { listFolder } from "../files/folders.ts";
import type { Engine } from "./engine.ts";
import type { Finding } from "./finding.ts";
import { wholeFile } from "./finding.ts";
import { unsyncedFiles } from "./unsynced.ts";
import { journalFindings } from "./verify_txn.ts";

export function workspaceFindings(engine: Engine): Finding[] {
  const { disk, layout } = engine.world;
  const findings: Finding[] = [];
  if (!disk.lstat(layout.coco)) return findings;
  const present = new Set(
    (readIfThere(disk, join(layout.coco, ".gitattributes"))?.toString("utf8") ?? "")
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
  for (const name of listFolder(disk, join(layout.registry, "unsynced")).toSorted()) {
    if (!unsyncedFiles(disk, join(layout.registry, "unsynced", name)).length) continue;
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
