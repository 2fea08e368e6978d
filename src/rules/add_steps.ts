/** Adding steps (STEP-1, STEP-5, STEP-16): one op for all steps of a call, flat, by parent id. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepsAdded } from "../events/steps.added.ts";
import type { ProofCheckpoint, ProofMode, Step, Subject } from "../state/entity.ts";
import { isStepId } from "../state/ids.ts";
import { LIMITS } from "../state/limits.ts";
import { depthOf, pathOf } from "../state/tree.ts";
import { counted } from "../state/counted.ts";
import { confirmOf } from "./confirm_input.ts";
import { nameOf, sentence } from "./phrase.ts";
import { reopenAbove } from "./reopen_step.ts";
import { dependenciesAmong } from "./step_dependencies.ts";
import { refusePlan, stepOf } from "./step_of.ts";
import { radarCall } from "./suggest.ts";
import { checkFiles } from "./step_files.ts";
import { checkTests } from "./step_tests.ts";
import { checkTitle, cleanList } from "./text.ts";

/**
 * Most UTF-16 units of steps that one event takes. A unit is at most three bytes of UTF-8. So a line stays below its 2
 * MiB (LOG-22) in every language, and no code has to count bytes.
 */
const PART_UNITS = 512 * 1024;

export interface StepInput {
  title: string;
  success_criteria: readonly string[];
  tests?: readonly string[];
  blockers?: readonly string[];
  /** Ids or paths; the steps of a call have the paths that they get. */
  depends_on?: readonly string[];
  /** Whether it names the packet of the task (PACKET-218). */
  packet?: boolean;
  proof?: { [C in ProofCheckpoint]?: ProofMode };
  /** Checkpoints that another actor confirms than who worked on the step. */
  confirm?: readonly string[];
  /** Files and folders below the root that it is about. */
  files?: readonly string[];
}

/** Steps as one call adds them. */
export interface NewSteps {
  steps: readonly StepInput[];
  /** Each waits for the one before it in its list, the first for the last one that is there. */
  ordered?: boolean;
}

/** Adds steps under `parent` (a path or step id; left out: at the top) and opens what is closed above them. */
export function addSteps(
  subject: Subject,
  { parent, ...added }: NewSteps & { parent?: string },
  newStepId: () => string,
): Draft[] {
  refusePlan(subject);
  const under =
    parent === undefined ? null : stepOf(subject, isStepId(parent) ? { step_id: parent } : { path: parent });
  const depth = depthOf(under) + 1;
  if (depth > LIMITS.stepDepth) {
    throw new TaskfoldError("INVALID_INPUT", `Expected steps at most ${LIMITS.stepDepth} deep, found depth ${depth}.`, {
      recovery: "Add them higher up, or as a task of their own.",
      suggestions: [radarCall(subject)],
    });
  }
  const where = under ? `under ${nameOf(under)}` : `to "${subject.entity.title}"`;
  return [...stepsDrafts(subject, under, added, newStepId, where), ...reopenAbove(subject, under, "steps were added")];
}

/** The events that add steps, mostly one; for a new task also part of its first op. `where` completes "Added 2 steps ...". */
export function stepsDrafts(
  subject: Subject | null,
  parent: Step | null,
  { steps, ordered = false }: NewSteps,
  newStepId: () => string,
  where: string,
): Draft[] {
  if (steps.length === 0) {
    throw new TaskfoldError("INVALID_INPUT", "Expected at least one step, found none.", {
      recovery: "Give steps as a list of objects with title and success_criteria.",
    });
  }
  const ids = steps.map(newStepId);
  const siblings = (parent ?? subject?.entity)?.children ?? [];
  const paths = comingPaths(parent, siblings.length, steps);
  const last = ordered ? siblings.findLast((step) => !step.deleted) : undefined;
  const before = (i: number): string[] => (ordered ? [paths[i - 1] ?? last?.id ?? []].flat() : []);
  const depends = dependenciesAmong(
    subject,
    parent,
    paths.map((path, i) => ({ id: ids[i]!, path, depends_on: [...(steps[i]!.depends_on ?? []), ...before(i)] })),
  );
  const bodies = steps.map((step, i) => ({
    id: ids[i]!,
    title: checkTitle(step.title, `steps[${i}].title`),
    success_criteria: cleanList(step.success_criteria, `steps[${i}].success_criteria`),
    tests: checkTests(step.tests ?? [], `steps[${i}].tests`),
    blockers: cleanList(step.blockers ?? [], `steps[${i}].blockers`),
    ...(depends[i]!.length === 0 ? {} : { depends_on: depends[i]! }),
    ...(step.packet === true ? { packet: true } : {}),
    ...(step.proof === undefined ? {} : { proof: step.proof }),
    ...((step.confirm ?? []).length === 0 ? {} : { confirm: confirmOf(step.confirm!, `steps[${i}].confirm`) }),
    ...((step.files ?? []).length === 0 ? {} : { files: checkFiles(step.files!, `steps[${i}].files`) }),
  }));
  return inParts(bodies).map((part) =>
    stepsAdded.draft({
      parent: parent?.id ?? null,
      steps: part,
      message: sentence(`Added ${counted(part.length, "step")} ${where}`),
    }),
  );
}

/** Where steps at the end of a list come to stand; a path is never given twice. */
function comingPaths(parent: Step | null, first: number, steps: readonly StepInput[]): string[] {
  const above = parent ? `${pathOf(parent)}.` : "";
  return steps.map((_step, i) => `${above}s:${first + i}`);
}

/** In order, as many to a part as fit; one that is larger than a part alone stands alone. */
function inParts<T>(bodies: readonly T[]): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const body of bodies) {
    const units = JSON.stringify(body).length + 1;
    if (units > room) {
      parts.push([]);
      room = PART_UNITS;
    }
    parts.at(-1)!.push(body);
    room -= units;
  }
  return parts;
}
