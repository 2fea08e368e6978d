import { TaskfoldError } from "../errors.ts";
import { archiveTask, nameArchived } from "../rules/archive_task.ts";
import { momentBefore } from "../rules/moment_before.ts";
import { refuseKept, sweep } from "../rules/retention.ts";
import type { Retention, Wanted } from "../rules/retention.ts";
import { ENDED } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";
import type { Infer, JsonObject } from "../state/schema.ts";
import { boolean, integer, list, object, oneOf, optional, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import { namingParts } from "./archive_parts.ts";
import { entityId, preconditions, workspace } from "./common.ts";
import { batchTool } from "./batch_tool.ts";
import * as out from "./output.ts";

const MOST = 200;
const USUAL = 100;

const input = object({
  workspace,
  task: optional(selector(entityId("One task."))),
  tasks: optional(list(entityId("A task."), { minItems: 1, maxItems: MOST })),
  plan: optional(selector(entityId("Only tasks of this plan."))),
  status: optional(oneOf(ENDED)),
  done_before: optional(text({ description: "Unchanged since: 30d, 12h, or a date or time in UTC." })),
  limit: optional(integer({ minimum: 1, maximum: MOST, description: `Most tasks of one call, ${USUAL} by default.` })),
  dry_run: optional(boolean()),
  ...preconditions,
});
type Input = Infer<typeof input>;

export const tasksArchive = batchTool({
  name: "tasks_archive",
  title: "Put ended tasks into the archive",
  doc: "Move ended tasks to the archive, named ones or the longest unchanged: they leave the lists, stay readable, and tasks_restore brings them back.",
  input,
  output: object({
    archived: list(object({ id: text(), title: text(), status: out.status, folder: text() })),
    skipped: list(object({ id: text(), code: text(), message: text() })),
    left: integer(),
    dry_run: optional(boolean({ const: true })),
  }),
  examples: [
    { workspace: "acme/repo", done_before: "30d" },
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", plan: "PLAN-001", status: "DONE", dry_run: true },
  ],
  target: "workspace",
  archive: "to",
  partsAgain: ({ task }) => (task === undefined ? [] : [{ tool: "tasks_archive", args: { task } }]),
  parts: (given, ctx) => {
    checkSelector(given);
    // First of all what the caller expects of it.
    if (given.task !== undefined) ctx.target();
    const retention = ctx.retention();
    const { chosen } = chosenBy(given, retention);
    if (given.dry_run) return [];
    const { expected_revision, expected_head, fence } = given;
    return [
      ...chosen.map(({ id }) => ({
        tool: "tasks_archive",
        args: { task: id, ...(given.task === undefined ? {} : { expected_revision, expected_head, fence }) },
      })),
      ...namingParts(chosen, retention),
    ];
  },
  part: {
    refs: ({ tasks = [] }) => tasks,
    decide: ({ tasks = [] }, ctx) => ({
      drafts:
        ctx.subject.entity.kind === "plan"
          ? nameArchived(tasks.flatMap((id) => ctx.find(ctx.refs.get(id)!) ?? []))
          : archiveTask(ctx.subject, ctx.dispatcher),
    }),
    reply: (_given, { subject }) => ({ result: whole(subject.entity.archived ? [block(subject)] : []) }),
  },
  reply: (given, { parts, retention }) => {
    if (given.dry_run) {
      const { chosen, skipped, left } = chosenBy(given, retention());
      return { result: { ...whole(chosen.map(block)), skipped: skipped as never, left, dry_run: true } };
    }
    const archived = parts.flatMap((part) => (part.result["archived"] ?? []) as JsonObject[]);
    // Those that are left stand in the same order: all before the first that can go were looked at, and stay.
    const { skipped, left } =
      given.task === undefined ? sweep(wantedOf(given, retention()), 0, retention()) : { skipped: [], left: 0 };
    return { result: { ...whole(archived), skipped: skipped.filter(isNews(archived)) as never, left } };
  },
});

function whole(archived: JsonObject[]): JsonObject {
  return { archived, skipped: [], left: 0 };
}

/** Of named ones those that just went are in the archive by now. */
function isNews(archived: readonly JsonObject[]): (skipped: { id: string }) => boolean {
  const gone = new Set(archived.map(({ id }) => id));
  return ({ id }) => !gone.has(id);
}

function block({ id, entity: { title, status } }: Subject): JsonObject {
  return { id, title, status, folder: `.coco/archive/${id}` };
}

/** One task is refused by what keeps it; of many those stay. */
function chosenBy(given: Input, retention: Retention): ReturnType<typeof sweep> {
  if (given.task !== undefined) {
    const task = retention.open(given.task);
    refuseKept(task, retention);
    return { chosen: [task], skipped: [], left: 0 };
  }
  return sweep(wantedOf(given, retention), given.limit ?? USUAL, retention);
}

function wantedOf({ tasks, plan, status, done_before }: Input, retention: Retention): Wanted {
  return {
    ...(tasks === undefined ? {} : { ids: tasks }),
    ...(plan === undefined ? {} : { plan: planNamed(plan, retention).entity.root }),
    ...(status === undefined ? {} : { status }),
    ...(done_before === undefined ? {} : { before: momentBefore(done_before, retention.inSeconds) }),
  };
}

function planNamed(id: string, { open }: Retention): Subject {
  const plan = open(id);
  if (plan.entity.kind === "plan") return plan;
  throw new TaskfoldError("TARGET_CONTRADICTION", `Expected ${id} to be a plan, it is a task.`, {
    recovery: "Name it as task.",
    details: { id, kind: plan.entity.kind },
  });
}

/** Which tasks are meant is said, and never taken from the focus: a sweep may be about all. */
function checkSelector({
  task,
  tasks,
  plan,
  status,
  done_before,
  expected_revision,
  expected_head,
  fence,
}: Input): void {
  const many = [tasks, plan, status, done_before].some((one) => one !== undefined);
  if ((task === undefined) !== many)
    throw new TaskfoldError(
      many ? "TARGET_CONTRADICTION" : "TARGET_REQUIRED",
      many
        ? "Expected task alone, or any of tasks, plan, status and done_before; found both."
        : "Expected task, or any of tasks, plan, status and done_before; found none.",
      { recovery: "Give task for one, or done_before such as 30d for all that ended." },
    );
  if (task === undefined && [expected_revision, expected_head, fence].some((one) => one !== undefined))
    throw new TaskfoldError("INVALID_INPUT", "Expected expected_revision, expected_head and fence with task alone.", {
      recovery: "Leave them out, or name one task.",
    });
}
