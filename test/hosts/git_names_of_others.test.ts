// @module-tag rotating
/** A name that another task has since a merge: a call that names an operation of the first task changes nothing of the other. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { driven, expectRight, gitSaid, inWorkspace } from "../support/git_work.ts";
import { call, newTask, notesOf, ok } from "../support/workspace.ts";

const ID = "TASK-005";

it("[UNDO-3] an operation of a renamed task is none of the task that has its first name now", async () => {
  const { clone, program } = await driven(null);
  clone.git("checkout", "-q", "-b", "older");
  await inWorkspace(clone.root, (ws) => newTask(ws, ID, ["Of the older"]));
  await inWorkspace(clone.root, async (ws) => void (await ok(ws, "tasks_note", { task: ID, note: "of the older" })));
  clone.commit("the older");
  clone.git("checkout", "-q", "main");
  await inWorkspace(clone.root, (ws) => newTask(ws, ID, ["Of the younger"]));
  const { event } = (await inWorkspace(clone.root, (ws) =>
    ok(ws, "tasks_note", { task: ID, note: "of the younger" }),
  )) as { event: { event_id: string } };
  clone.commit("the younger");
  gitSaid(clone, "merge", "--no-edit", "older");
  program("resolve", "--stage");
  clone.git("commit", "-q", "-m", "merged");
  const own = readdirSync(join(clone.root, ".coco/tasks")).find((name) => name.startsWith(`${ID}-`))!;
  await inWorkspace(clone.root, async (ws) => {
    const op = event.event_id;
    const refused = await call(ws, "tasks_undo", { task: ID, op });
    expect(refused.error).toMatchObject({ code: "UNKNOWN_ID" });
    expect(notesOf(clone.root, ID)).toEqual(["of the older"]);
    await ok(ws, "tasks_undo", { task: own, op });
  });
  clone.commit("undone");
  await expectRight(clone);
});
