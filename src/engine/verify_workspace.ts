/** What verify finds beside the folders of entities: attributes of git, and what the registry holds in doubt. */
import { join, relative, sep } from "node:path";
import { attributesMissing, GENERATED_ATTRIBUTES, MERGE_ATTRIBUTES, OVERVIEW_ATTRIBUTES } from "../files/committed.ts";
import { listFolder } from "../files/folders.ts";
import type { SharedPart } from "../files/layout.ts";
import type { EngineParts } from "./parts.ts";
import type { Finding } from "./finding.ts";
import { note, wholeFile } from "./finding.ts";
import { isOverviewOn } from "./overview.ts";
import { unsyncedFiles } from "./unsynced.ts";
import { journalFindings } from "./verify_txn.ts";

export function workspaceFindings(engine: EngineParts): Finding[] {
  const { disk, layout } = engine.world;
  const findings: Finding[] = [];
  // A link there is a finding of its own, and nothing behind it is ours.
  if (disk.lstat(layout.coco)?.kind !== "folder") return findings;
  findings.push(...attributeFindings(engine));
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

/** A line that only folds a file in reviews is no fault: attributes of an older release lack it (DIR-60). */
function attributeFindings(engine: EngineParts): Finding[] {
  const { disk, layout } = engine.world;
  const wanted = isOverviewOn(engine.world) ? [...MERGE_ATTRIBUTES, OVERVIEW_ATTRIBUTES] : MERGE_ATTRIBUTES;
  const missing = attributesMissing(disk, layout, wanted);
  const generated = attributesMissing(disk, layout, GENERATED_ATTRIBUTES);
  return [
    ...lackOf(missing, `Expected ${wanted.length} lines that keep merges whole`),
    ...lackOf(generated, `Expected ${GENERATED_ATTRIBUTES.length} lines by which hosts fold generated files`).map(note),
  ];
}

function lackOf(missing: readonly string[], expected: string): Finding[] {
  if (missing.length === 0) return [];
  const first = missing.slice(0, 3).join("; ");
  const message = `${expected}, ${missing.length} are missing: ${first}${missing.length > 3 ? "; ..." : ""}`;
  return [wholeFile("ATTRIBUTES_MISSING", ".coco/.gitattributes", message)];
}

const SHARED = ["journal", "unsynced", "quarantine"] as const;

/** Parts of the registry that something else stands in the place of: what is kept there is neither read nor written. */
function notFolders({ world: { disk, layout } }: EngineParts): Finding[] {
  const places = [layout.locks, layout.registry, ...SHARED.map((part) => layout.sharedFolder(part))];
  return places.flatMap((path) => {
    const kind = disk.lstat(path)?.kind;
    if (kind === undefined || kind === "folder") return [];
    const file = relative(layout.root, path).replaceAll(sep, "/");
    return [wholeFile("PATH_UNSAFE", file, `Expected a folder, found a ${kind}. Remove it; the folder is made again.`)];
  });
}

function foldersIn({ world: { disk, layout } }: EngineParts, part: SharedPart): string[] {
  const folder = layout.sharedFolder(part);
  return disk.lstat(folder)?.kind === "folder" ? listFolder(disk, folder).toSorted() : [];
}
