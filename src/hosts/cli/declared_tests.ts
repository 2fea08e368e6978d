/** The declared tests and the runs on record that `taskfold prove` means, by the words of a person or by what a branch changed (PROOF-70). */
import { baseOf } from "../git/base_branch.ts";
import type { Repository } from "../git/repository.ts";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Checkpoint } from "../../state/entity.ts";
import { compare } from "./diff.ts";
import type { Page, StepRow } from "./page.ts";
import { pageOf, stepMeant } from "./page.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** A step that declares a test, or has a run to repeat. */
export interface Declared {
  task: string;
  step_id: string;
  path: string;
  title: string;
  /** The place of the declared test; null for a run on record. */
  test: number | null;
  command: string;
  /** The checkpoints that it is proof of. */
  checkpoints: Checkpoint[];
  /** The part that the caller has in the step: a repeat by who closes the step counts as a captured run (PROOF-48). */
  own: "closed" | "holds" | null;
}

/** One command, and all steps that it is a test of. */
export interface ProveCommand {
  command: string;
  steps: Declared[];
}

/** Ids, and behind each the steps of it that are meant; without them all. A plan means its tasks. */
export async function stepsNamed(session: Session, words: readonly string[]): Promise<Declared[]> {
  const groups: { id: string; names: string[] }[] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last && !session.isEntity(word)) last.names.push(word);
    else groups.push({ id: session.meant(word), names: [] });
  }
  const found: Declared[] = [];
  const by = await session.by();
  for (const { id, names } of groups) {
    const page = await pageOf(session, id);
    if (page.target.kind === "plan") {
      for (const task of page.tasks ?? []) found.push(...declared(await pageOf(session, task.id), by));
    } else
      found.push(...declared(page, by, names.length === 0 ? undefined : names.map((name) => stepMeant(page, name))));
  }
  return found;
}

export async function stepsChanged(session: Session, ids: readonly string[]): Promise<Declared[]> {
  const found: Declared[] = [];
  const by = await session.by();
  for (const id of ids) {
    const page = await pageOf(session, id);
    if (page.target.kind === "task") found.push(...declared(page, by));
  }
  return found;
}

/** Those that differ between the commit and the one where the branch began, and that are still here. */
export function changedTasks(
  repository: Repository,
  commit: string,
  base: string | undefined,
  warnings: Warning[],
): string[] {
  const from = base ?? baseNamed(repository);
  const compared = compare(repository, from, commit, { mergeBase: true });
  warnings.push(...compared.warnings);
  return compared.tasks.map(({ id }) => id);
}

function baseNamed(repository: Repository): string {
  const base = baseOf(repository);
  if (typeof base !== "string") return base.commit;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected --git-base to name a branch to compare with; ${base}.`,
    remedy`${TASKFOLD} prove TASK-001 lists the declared tests of a task.`,
  );
}

function declared(page: Page, by: string, only?: readonly StepRow[]): Declared[] {
  const { target, step_list, repeats } = page;
  return (only ?? step_list).flatMap((step) => {
    const { step_id, path, title, tests } = step;
    const own = ownPart(page, step, by);
    const place = { task: target.id, step_id, path, title, own };
    const again = repeats.filter((one) => one.step_id === step_id);
    const of = (test: number): Checkpoint[] => again.find((one) => one.tests.includes(test))?.checkpoints ?? [];
    const rest = again.filter((one) => one.tests.length === 0);
    return [
      ...tests.map((command, test) => ({ ...place, test, command, checkpoints: ["tests" as const, ...of(test)] })),
      ...rest.map(({ command, checkpoints }) => ({ ...place, test: null, command, checkpoints })),
    ];
  });
}

function ownPart({ claims }: Page, { done, done_by, path }: StepRow, by: string): Declared["own"] {
  if (done) return done_by === by ? "closed" : null;
  const covers = (on: string | null): boolean => on === null || on === path || path.startsWith(`${on}.`);
  return claims.some((claim) => claim.by === by && covers(claim.path)) ? "holds" : null;
}

/** Steps by the command that they declare: it runs once. */
export function commandsOf(steps: readonly Declared[]): ProveCommand[] {
  const byText = new Map<string, Declared[]>();
  for (const step of steps) byText.set(step.command, [...(byText.get(step.command) ?? []), step]);
  return [...byText].map(([command, own]) => ({ command, steps: own }));
}
