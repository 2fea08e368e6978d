/** A log that lost its last lines is whole in itself; only the task.yaml that was folded from it names more (VERIFY-41). */
import { headDigest } from "../log/canonical.ts";
import type { LogReport } from "../log/report.ts";
import type { Finding } from "./finding.ts";
import { headNamed } from "./head_named.ts";
import { wholeFile } from "./finding.ts";

/** `log`: its path relative to the root. `taskYaml`: as it was found, by a renderer of ours. */
export function shorterFindings(log: string, report: LogReport, root: string, taskYaml: string | undefined): Finding[] {
  const named = stateNamed(taskYaml);
  // While lines are missing in the middle, that says what is missing.
  if (!named || named.root !== root || report.held > 0 || named.revision <= report.ops) return [];
  const lost = named.revision - report.ops;
  const id = log.split("/").at(-2) ?? "";
  return [
    wholeFile(
      "LOG_SHORTER",
      log,
      `Expected at least ${named.revision} changes up to head ${named.head}, as task.yaml has them; found ${report.ops} ` +
        `up to head ${headDigest(report.heads)}: ${lost} at the end are missing. taskfold resolve ${id} --git brings back what ` +
        `git has of them, and taskfold rebuild ${id} accepts the loss.`,
    ),
  ];
}

/** Of which entity the file was folded, at how many changes, and at which head. */
function stateNamed(taskYaml = ""): { root: string; revision: number; head: string } | null {
  const root = /^root: "([A-Za-z0-9_-]{43})"$/m.exec(taskYaml)?.[1];
  const revision = /^revision: (\d{1,9})$/m.exec(taskYaml)?.[1];
  const head = headNamed(taskYaml);
  return root && revision && head ? { root, revision: Number(revision), head } : null;
}
