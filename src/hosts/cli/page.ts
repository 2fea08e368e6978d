/** The page of a plan or task, which everyday commands read before they change it. */
import { unwrap } from "../../engine/entity/unwrap.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Checkpoint } from "../../state/entity.ts";
import { showTool } from "../../tools/command_line/show.ts";
import { reading } from "./read.ts";
import type { Call } from "./read.ts";
import type { NotesLeftOut } from "./text/notes_left_out.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

export interface StepRow {
  step_id: string;
  path: string;
  title: string;
  done: boolean;
  done_by?: string | null;
  blocked: boolean;
  block_reason: string | null;
  success_criteria: string[];
  tests: string[];
  blockers: string[];
  waits_for?: string[];
  confirmed: string[];
  missing_checkpoints: string[];
  missing_proofs: string[];
}

export interface Claim {
  path: string | null;
  by: string;
  expires_at: string;
}

/** The answer of `show`. */
export interface Page {
  target: { id: string; kind: "plan" | "task"; title: string; status: string; revision: number; parent: string | null };
  focus: string | null;
  detail: {
    description: string;
    context: string | null;
    contract: string | null;
    priority: string;
    tags: string[];
    depends_on: string[];
    status_reason: string | null;
    created_at: string;
    created_by: string;
    updated_at: string;
  };
  radar: { next: string[]; blockers: string[] };
  step_list: StepRow[];
  tasks?: { id: string; title: string; status: string; steps: { total: number; completed: number } }[];
  /** Commands of runs on record that `prove` makes again. */
  repeats: { step_id: string; command: string; checkpoints: Checkpoint[]; tests: number[] }[];
  claims: Claim[];
  notes: { ts: string; by: string; path: string | null; text: string }[];
  notes_left_out?: NotesLeftOut;
  evidence: {
    id: string;
    kind: string;
    title: string;
    ts: string;
    sources: { type: string; exitCode?: number; path?: string; startLine?: number; endLine?: number }[];
    linked: { path: string; checkpoints: string[] }[];
    degree: string;
    /** The words about the files that changed since. */
    stale?: string;
    remarks?: string[];
    /** It is linked to checkpoints, and proves none of them. */
    no_proof?: true;
  }[];
}

/** The plan or task that a person names, or the focus. */
export function pageOf(session: Session, id: string | undefined): Promise<Page> {
  return reading(session, (call) => pageBy(call, id));
}

/** The same within one piece of reading. */
export async function pageBy(call: Call, id: string | undefined): Promise<Page> {
  return unwrap(await call(showTool, id === undefined ? {} : { target: id })) as unknown as Page;
}

export type IsStep = (step: StepRow) => boolean;

/**
 * The step that a person names by its path, its id or a part of its title that only one has (CLI-113). Of several, it is the
 * only one that the command is `for`.
 */
export function stepMeant({ target, step_list: steps }: Page, text: string, isFor: IsStep = () => true): StepRow {
  const wanted = text.trim().toLowerCase();
  const exact = steps.find((step) => [step.path, step.step_id.toLowerCase()].includes(wanted));
  if (exact) return exact;
  const found = wanted === "" ? [] : titled(steps, wanted);
  const able = found.length > 1 ? found.filter(isFor) : found;
  if (able.length === 1) return able[0]!;
  const asked = JSON.stringify(text.slice(0, 80));
  const named = found.length > 0 ? found : steps;
  const more = { ...namesOf(target.id, named), details: { steps: named.slice(0, MAX_NAMED).map(stepName) } };
  if (found.length === 0) {
    const expected = `Expected a step of ${target.id} by its path, id or a part of its title`;
    throw new TaskfoldError("UNKNOWN_ID", `${expected}, found ${asked}.`, more);
  }
  const message = `Expected a part of a title that one step of ${target.id} has; ${asked} fits ${found.length}.`;
  throw new TaskfoldError("TARGET_CONTRADICTION", message, more);
}

const MAX_NAMED = 20;

/** A whole title comes before parts of others. */
function titled(steps: readonly StepRow[], wanted: string): StepRow[] {
  const whole = steps.filter(({ title }) => title.toLowerCase() === wanted);
  return whole.length > 0 ? whole : steps.filter(({ title }) => title.toLowerCase().includes(wanted));
}

/** The step that is meant where a person names none: the only one of those that come into question. */
export function onlyStep(page: Page, which: string, is: IsStep): StepRow {
  const found = page.step_list.filter(is);
  if (found.length === 1) return found[0]!;
  const { id } = page.target;
  throw new TaskfoldError(
    "TARGET_REQUIRED",
    `Expected a step, because ${id} has ${found.length === 0 ? "no" : String(found.length)} ${which} ${found.length === 1 ? "step" : "steps"}.`,
    namesOf(id, found.length === 0 ? page.step_list : found),
  );
}

export const isOpen: IsStep = (step) => !step.done;

const SHOWN = 10;

function namesOf(id: string, steps: readonly StepRow[]): Remedy {
  if (steps.length === 0) return remedy`${id} has no steps.`;
  const more = steps.length > SHOWN ? remedy`, and ${String(steps.length - SHOWN)} more (${TASKFOLD} show ${id})` : "";
  return remedy`The steps are ${steps.slice(0, SHOWN).map(stepName).join(", ")}${more}.`;
}

function stepName({ path, title }: StepRow): string {
  return `${path} ${JSON.stringify(title)}`;
}
