/** Mistakes that a compiler has to find: each line below a mark is one, and a mark without a mistake is an error too. */
import { isRetryable, openWorkspace, unwrap } from "taskfold";
import type { StepInput, TaskfoldEvent, Workspace } from "taskfold";

const named = openWorkspace({ root: "." });
const once = openWorkspace({ root: ".", workspace: "acme/repo" });
const on = { workspace: "acme/repo", task: "TASK-001" };

// @ts-expect-error a tool that is none
await named.call("tasks_creat", { ...on, title: "A parser" });
// @ts-expect-error an input that is none
await named.call("tasks_done", { ...on, pth: "s:0" });
// @ts-expect-error a number for a text
await named.call("tasks_done", { ...on, path: 0 });
// @ts-expect-error a status that is none
await named.call("tasks_complete", { ...on, status: "CLOSED" });
// @ts-expect-error no workspace
await named.call("tasks_radar", { task: "TASK-001" });
// @ts-expect-error what has to be there is not
await once.call("tasks_note", { task: "TASK-001" });
// @ts-expect-error a workspace that is no text
await once.call("tasks_radar", { workspace: 1 });
// @ts-expect-error a checkpoint that is none
await once.call("tasks_verify", { task: "TASK-001", path: "s:0", checkpoints: { test: true } });
// @ts-expect-error a text for a list
await once.call("tasks_define", { task: "TASK-001", path: "s:0", tests: "npm test" });
// @ts-expect-error a name from outside
await once.call(process.argv[2] ?? "", { task: "TASK-001" });
// @ts-expect-error an input that is no object
await once.callTool("tasks_note", "TASK-001");
// @ts-expect-error an option that is none
openWorkspace({ root: ".", durabilty: "fsync" });
// @ts-expect-error a step without criteria
export const step: StepInput = { title: "Write the parser" };
// @ts-expect-error a code that is none
isRetryable("LOCK_TIMED_OUT");
// @ts-expect-error a result that may be a refusal
console.log((await once.call("tasks_create", { title: "Version 2" })).result.id);
// @ts-expect-error a member that the budget may take out
console.log(unwrap(await once.call("tasks_radar", { task: "TASK-001", max_chars: 600 })).radar.now);
// @ts-expect-error a field of another event
export const note = (event: TaskfoldEvent): string => (event.type === "step_done" ? event.note : "");
// @ts-expect-error calls of this one need not name the workspace, and those of the other have to
export const swapped: typeof once = named as Workspace;
