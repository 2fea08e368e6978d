/** What users write, with the compiler at its strictest. Nothing here runs: it has to compile (test/consumer.test.ts). */
import { isRetryable, openReader, openWorkspace, TaskfoldError, unwrap } from "taskfold";
import type {
  JsonObject,
  Lease,
  Reply,
  StepInput,
  StepState,
  TaskfoldEvent,
  TasksBlockResult,
  TasksClaimResult,
  ToolInput,
  ToolName,
  ToolOutput,
  WholeOutput,
  Workspace,
} from "taskfold";
import { filterListing } from "taskfold/guard";
import { projectionsOf, replay } from "taskfold/replay";
import type { LogState, Step } from "taskfold/replay";

const steps: StepInput[] = [
  {
    title: "Write the parser",
    success_criteria: ["every sample parses"],
    tests: ["npm test"],
    proof: { tests: "warn" },
  },
];

/** The workspace is named once. */
export async function plan(): Promise<string> {
  const workspace = openWorkspace({ root: ".", by: "agent:ada", workspace: "acme/repo" });
  const { id } = unwrap(await workspace.call("tasks_create", { title: "Version 2" }));
  const reply = await workspace.call("tasks_create", { parent: id, title: "A parser", steps });
  if (reply.success) return reply.result.steps?.[0]?.step_id ?? reply.result.qualified_id;
  if (isRetryable(reply.error.code)) return reply.error.recovery ?? reply.error.message;
  throw new TaskfoldError(reply.error.code, reply.error.message);
}

/** The workspace is named in each call. */
export async function close(workspace: Workspace, input: ToolInput<"tasks_close_step">): Promise<boolean | undefined> {
  const { step, event }: ToolOutput<"tasks_close_step"> = unwrap(await workspace.call("tasks_close_step", input));
  return event === undefined ? step?.done : event.by === "human:ada";
}

/** One that was opened for a workspace goes wherever one goes. */
export const closed = (input: ToolInput<"tasks_close_step">): Promise<boolean | undefined> =>
  close(openWorkspace({ root: ".", workspace: "acme/repo" }), input);

/** A host takes names and inputs from outside. */
export async function host(workspace: Workspace, name: string, input: JsonObject): Promise<string> {
  const reply: Reply = await workspace.callTool(name, input, { by: "agent:host", workspaceRequired: true });
  return reply.success ? JSON.stringify(reply.result["id"]) : reply.error.code;
}

/** An event's type says which fields it has. */
export function text(event: TaskfoldEvent): string {
  switch (event.type) {
    case "step_noted":
      return event.note;
    case "steps_added":
      return event.steps.map((step) => step.title).join(", ");
    case "status_changed":
      return event.status;
    default:
      return `${event.type} ${event.event_id} ${event.ts} ${event.task} ${event.by} ${event.message}`;
  }
}

export async function follow(workspace: Workspace): Promise<void> {
  for await (const event of workspace.watch()) console.log(text(event));
  console.log(workspace.log("TASK-001").events.map(text));
}

/** A log from anywhere, and the guard alone. */
export function titleIn(lines: string): string {
  const state: LogState = replay(lines, { id: "TASK-001" });
  const steps: Step[] = [...state.entity.steps.values()];
  return `${state.entity.title} ${steps.length} ${projectionsOf(state).get("README.md")}`;
}
export const shown = (entries: string[]): string[] => filterListing(entries);

export const names: ToolName[] = ["tasks_note", "change_mind"];

/** A program that only looks, and names the parts of what it got. */
export async function title(root: string): Promise<string | undefined> {
  const reader = openReader({ root, workspace: "acme/repo" });
  const { target } = unwrap(await reader.call("tasks_radar", { task: "TASK-001" }));
  await reader.close();
  return target.title;
}

/** Without a budget nothing is left out of an answer; a budget may take out any member. */
export async function next(workspace: Workspace, task: string, room?: number): Promise<string> {
  const on = { workspace: "acme/repo", task };
  const { radar, steps, timeline }: WholeOutput<"tasks_resume_pack"> = unwrap(
    await workspace.call("tasks_resume_pack", on),
  );
  const first = timeline.events[0]?.ts;
  if (room === undefined) return `${first} ${radar.next[0] ?? ""} ${steps?.open}`;
  const cut: ToolOutput<"tasks_radar"> = unwrap(await workspace.call("tasks_radar", { ...on, max_chars: room }));
  return cut.radar?.next[0] ?? "";
}
export const leaseOf = (claimed: TasksClaimResult): Lease | null | undefined => claimed.lease;
export const stepOf = (blocked: TasksBlockResult): StepState | null => blocked.step;
