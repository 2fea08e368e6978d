/** The shape of a finding of lint, and what the checks look at. */
import type { IdOf, Ref, Subject } from "../state/entity.ts";
import type { Look } from "./evidence_check.ts";
import type { TaskdocViolation } from "./taskdoc.ts";

export type Issue = {
  severity: "error" | "warning";
  code: string;
  message: string;
  recovery: string;
};

/** What lint looks at beside the entity itself. */
export interface LintAround {
  find: (ref: Ref) => Subject | undefined;
  idOf: IdOf;
  tasksOfPlan: () => readonly Subject[];
  /** Files of people's that no write has read in yet. */
  unread: readonly string[];
  /** What a look at the Taskdoc on disk found. */
  violations: readonly TaskdocViolation[];
  /** Looks at what proofs point at; undefined where nobody can. */
  look: Look | undefined;
}
