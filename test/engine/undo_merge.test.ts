import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mergeFolders } from "../support/branched_work.ts";
import { tempFolder } from "../support/temp.ts";
import type { Workspace } from "../../src/index.ts";
import { call, newTask, ok, openTemp, START, ticking } from "../support/workspace.ts";

describe("an addition that one branch undid and another worked on", () => {
  it.each([true, false])(
    "[UNDO-38] [UNDO-4] stays with a conflict that radar shows until work or redo settles it; the undo is older: %s",
    async (undoFirst) => {
      const [main, branch, merged] = ["main", "branch", "merged"].map((name) => join(tempFolder(), name)) as [
        string,
        string,
        string,
      ];
      let hour = 0;
      const open = (root: string): Workspace => openTemp({ root, now: ticking(START + 3_600_000 * ++hour) });
      const ws = open(main);
      const task = await newTask(ws);
      const path = "s:2";
      await ok(ws, "tasks_decompose", { task, steps: [{ title: "added", success_criteria: ["c"] }] });
      await ws.close();
      cpSync(main, branch, { recursive: true });
      const undo = async (): Promise<void> => {
        const here = open(main);
        await ok(here, "tasks_undo", { task });
        await here.close();
      };
      const work = async (): Promise<void> => {
        const there = open(branch);
        await ok(there, "tasks_note", { task, path, note: "begun" });
        await ok(there, "tasks_evidence_capture", { task, path, checks: ["CMD: npm test"], checkpoint: "tests" });
        await ok(there, "tasks_close_step", { task, path, checkpoints: "gate" });
        await there.close();
      };
      for (const one of undoFirst ? [undo, work] : [work, undo]) await one();
      mergeFolders(merged, main, branch);
      const both = open(merged);
      const radar = async (of = both): Promise<string> => JSON.stringify(await ok(of, "tasks_radar", { task }));
      expect(await radar()).toContain("Conflict on s:2 deleted: true by human:local or false by human:local (shown)");
      expect(JSON.stringify(await ok(both, "tasks_mirror", { task }))).toContain('"added"');
      await both.repair.rebuild();
      expect(both.verify().findings).toEqual([]);
      await ok(both, "tasks_evidence_capture", { task, path: "s:0", checks: ["CMD: make"] });
      expect(await radar()).toContain("Conflict on s:2 deleted");
      // What can be undone and comes behind the undo, as work that is younger does, clears what could be redone.
      const settled = await call(both, "tasks_redo", { task });
      expect(settled.error?.code).toBe(undoFirst ? "NOTHING_TO_REDO" : undefined);
      await ok(both, "tasks_note", { task, path, note: "it stays" });
      expect(await radar()).not.toContain("Conflict");
      const again = open(merged);
      expect(await radar(again)).not.toContain("Conflict");
      await both.close();
      await again.close();
    },
  );
});

describe("two branches that git joined", () => {
  const folders = () =>
    ["main", "branch", "merged"].map((name) => join(tempFolder(), name)) as [string, string, string];
  const at =
    (hour: number) =>
    (root: string): Workspace =>
      openTemp({ root, now: ticking(START + 3_600_000 * hour) });
  const steps = (title: string) => ({ steps: [{ title, success_criteria: ["c"] }] });

  it.each([true, false])(
    "[EVENT-7] [STEP-3] a path selects no step of the other branch, also when one of them noted on its own; first: %s",
    async (oursFirst) => {
      const [main, branch, merged] = folders();
      const begun = at(0)(main);
      const task = await newTask(begun);
      await begun.close();
      cpSync(main, branch, { recursive: true });
      const ours = at(oursFirst ? 1 : 2)(main);
      await ok(ours, "tasks_decompose", { task, ...steps("ann: deploy") });
      await ok(ours, "tasks_note", { task, path: "s:2", note: "half done" });
      await ours.close();
      const theirs = at(oursFirst ? 2 : 1)(branch);
      await ok(theirs, "tasks_decompose", { task, ...steps("bob: write docs") });
      await theirs.close();
      mergeFolders(merged, main, branch);
      const both = at(3)(merged);
      const { moved } = await both.repair.resolve();
      expect(moved).toMatchObject([{ id: task, steps: [expect.any(String), expect.any(String)] }]);
      for (const path of ["s:2", "s:3"]) {
        const refused = await call(both, "tasks_close_step", { task, path, checkpoints: "gate" });
        expect(refused.error?.code).toBe("PATH_MOVED");
      }
      await ok(both, "tasks_note", { task, path: "s:0", note: "works in the list, and saw both" });
      await ok(both, "tasks_close_step", { task, path: "s:2", checkpoints: "gate" });
      await both.close();
    },
  );

  it.each([true, false])("[UNDO-31] an undo beside an edit is a conflict; the edit is older: %s", async (editFirst) => {
    const [main, branch, merged] = folders();
    const begun = at(0)(main);
    const task = await newTask(begun);
    await begun.close();
    cpSync(main, branch, { recursive: true });
    const edit = at(editFirst ? 1 : 2)(main);
    await ok(edit, "tasks_edit", { task, title: "Ann's title" });
    await edit.close();
    const undo = at(editFirst ? 2 : 1)(branch);
    await ok(undo, "tasks_edit", { task, title: "Bob's title" });
    await ok(undo, "tasks_undo", { task });
    await undo.close();
    mergeFolders(merged, main, branch);
    const both = at(3)(merged);
    const { conflicts } = await both.repair.resolve();
    expect(conflicts).toMatchObject([{ field: "title", values: [{}, { value: "Ann's title" }] }]);
    await ok(both, "tasks_edit", { task, title: "Ours" });
    expect((await both.repair.resolve()).conflicts).toEqual([]);
    await both.close();
  });
});
