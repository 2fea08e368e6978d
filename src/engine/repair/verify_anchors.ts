/** File anchors that end behind the last line of their file (EVID-16). */
import type { Disk } from "../../disk.ts";
import type { InspectedLines } from "../../files/inspect.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import type { Entity } from "../../state/entity.ts";
import { evidenceLines } from "../core/evidence_files.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { counted } from "../../state/counted.ts";

interface Anchored {
  evidence: string;
  endLine: number;
}

/** `root`: the folder that anchors are relative to. A file that is not there, or not to be read, is no finding here. */
export function anchorFindings(disk: Disk, root: string, index: string, { evidence }: Entity): Finding[] {
  const findings: Finding[] = [];
  for (const [path, anchors] of anchorsByPath(evidence)) {
    const furthest = Math.max(...anchors.map(({ endLine }) => endLine));
    const found = linesOf(disk, root, path, furthest);
    if (found?.state !== "short") continue;
    for (const { evidence: id, endLine } of anchors.filter((anchor) => anchor.endLine > found.lines))
      findings.push(
        note(
          wholeFile(
            "ANCHOR_BEYOND_FILE",
            index,
            `Expected evidence:${id} to end within the ${counted(found.lines, "line")} of ${path}, found line ${endLine}.`,
          ),
        ),
      );
  }
  return findings;
}

function linesOf(disk: Disk, root: string, path: string, furthest: number): InspectedLines | undefined {
  return unlessRefused(() => evidenceLines(disk, root, path, 1, furthest));
}

function anchorsByPath(evidence: Entity["evidence"]): Map<string, Anchored[]> {
  const byPath = new Map<string, Anchored[]>();
  for (const { id, sources } of evidence) {
    for (const source of sources) {
      if (source.type !== "fileAnchor") continue;
      const { path, endLine } = source;
      byPath.set(path, [...(byPath.get(path) ?? []), { evidence: id, endLine }]);
    }
  }
  return byPath;
}
