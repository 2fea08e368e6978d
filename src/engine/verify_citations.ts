/** Citations `evidence:<id>` in Markdown under `shared/` that name no entry of the index (EVID-17). */
import { join } from "node:path";
import { listFolder } from "../files/folders.ts";
import type { Entity } from "../state/entity.ts";
import type { Finding } from "./finding.ts";
import { note } from "./finding.ts";
import type { EntityFiles } from "./entity_files.ts";
import { findingsIn } from "./verify_files.ts";

const FOLDERS = ["shared/reports", "shared/decisions", "shared/contracts"];
const CITATION = /(?<![A-Za-z0-9_-])evidence:([A-Za-z0-9_-]+)/g;
/** A report is read by people; what is larger is no report. */
const MOST_BYTES = 1024 * 1024;

export function citationFindings(where: EntityFiles, entity: Entity): Finding[] {
  const known = new Set(entity.evidence.map((entry) => entry.id));
  const findings: Finding[] = [];
  for (const folder of FOLDERS) {
    if (where.kindOf(folder) !== "folder") continue;
    for (const name of listFolder(where.disk, join(where.folder, folder)).toSorted()) {
      const path = join(where.folder, folder, name);
      const stat = where.disk.lstat(path);
      if (!name.endsWith(".md") || stat?.kind !== "file" || stat.size > MOST_BYTES) continue;
      const file = `${where.relative}/${folder}/${name}`;
      findings.push(...findingsIn(file, () => unknown(where.disk.readFile(path).toString("utf8"), file, known)));
    }
  }
  return findings;
}

function unknown(text: string, file: string, known: ReadonlySet<string>): Finding[] {
  return [...text.matchAll(CITATION)]
    .filter(([, id]) => !known.has(id!))
    .map(({ 1: id, index }) =>
      note({
        code: "CITATION_UNKNOWN",
        file,
        line: text.slice(0, index).split("\n").length,
        byte: Buffer.byteLength(text.slice(0, index)),
        message: `Expected evidence:${id} to name an entry of shared/evidence/index.json, found none of that id.`,
      }),
    );
}
