import { bounded } from "./lines.ts";
import type { Issue } from "./lint_issue.ts";
import type { TaskdocViolation } from "./taskdoc.ts";

/** What stands in the way of the Taskdoc on disk (LINT-6). A file that is missing comes back with the next change. */
export function* lintTaskdoc(violations: readonly TaskdocViolation[]): Generator<Issue> {
  const old = violations.find(({ kind }) => kind === "unmigrated");
  if (old) {
    yield {
      severity: "warning",
      code: "TASKDOC_UNMIGRATED",
      message: `${old.path} is a Taskdoc of the old form, of which no agent gets the text.`,
      recovery: "Take it in with taskfold taskdoc import, or take it away.",
    };
  }
  const edited = violations.filter(({ kind }) => kind === "differs");
  if (edited.length > 0) {
    yield {
      severity: "warning",
      code: "TASKDOC_EDITED",
      message: `Not as the log has it: ${paths(edited)}.`,
      recovery: "Take the edits in with taskfold taskdoc adopt-edits; the next change puts back what the log has.",
    };
  }
  const stray = violations.filter(({ kind }) => !OWN.has(kind));
  if (stray.length > 0) {
    yield {
      severity: "warning",
      code: "TASKDOC_STRAY",
      message: `Nobody can use what stands in the package of the Taskdoc: ${paths(stray)}.`,
      recovery: "Move it elsewhere, or write it as a section with change_mind.",
    };
  }
}

const OWN: ReadonlySet<TaskdocViolation["kind"]> = new Set(["unmigrated", "differs", "missing"]);

function paths(violations: readonly TaskdocViolation[]): string {
  const plain = (kind: string): boolean => kind === "differs" || kind === "stray";
  const names = violations.map(({ path, kind }) => (plain(kind) ? path : `${path} (${kind.replaceAll("_", " ")})`));
  return bounded(names, 5).join(", ");
}
