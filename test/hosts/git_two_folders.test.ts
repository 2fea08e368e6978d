// @module-tag long
/** A task that a merge renamed, brought by real git to a branch where it still has its first name (RESOLVE-50). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clone } from "../support/git_clone.mjs";
import type { Driven } from "../support/git_work.ts";
import { driven, expectRight, gitSaid, inWorkspace } from "../support/git_work.ts";
import { ROTATING, sampleOf, SWEEP } from "../support/sweep.ts";
import { code, newTask, notesOf, ok } from "../support/workspace.ts";

const ID = "TASK-005";
const NOTES = "shared/human-notes.md";

function folders(clone: Clone): string[] {
  return readdirSync(join(clone.root, ".coco/tasks")).filter((id) => id.startsWith(ID));
}

async function note(clone: Clone, task: string, text: string): Promise<void> {
  await inWorkspace(clone.root, (ws) => ok(ws, "tasks_note", { task, note: text }));
  clone.commit(text);
}

/** On `main` the younger of two tasks has a name of its own since a merge; on `side` it has the first one still. */
async function renamed(repo: Driven): Promise<string> {
  const { clone, program } = repo;
  clone.git("checkout", "-q", "-b", "older");
  await inWorkspace(clone.root, (ws) => newTask(ws, ID, ["Of the older"]));
  clone.commit("the older");
  clone.git("checkout", "-q", "main");
  await inWorkspace(clone.root, (ws) => newTask(ws, ID, ["Of the younger"]));
  for (const text of ["one", "two", "three"]) await note(clone, ID, text);
  clone.git("branch", "side");
  gitSaid(clone, "merge", "--no-edit", "older");
  program("resolve", "--stage");
  clone.git("commit", "-q", "-m", "merged");
  const id = folders(clone).find((name) => name !== ID)!;
  await note(clone, id, "of main");
  await note(clone, ID, "of the older");
  clone.git("checkout", "-q", "side");
  await note(clone, ID, "of side");
  return id;
}

describe("a renamed task and the branch that does not know of it", () => {
  it("[RESOLVE-50] [RESOLVE-3] a pick, then a merge of main", async () => {
    expect(await pickedAndMerged(null)).toEqual(["of the older"]);
  });

  it.each([
    ["with the driver", ["git", "install"]],
    ["with the driver and hooks", ["git", "install", "--hooks"]],
  ])("[RESOLVE-50] [regression GIT-80] the same %s", ROTATING, async (_, install) => {
    expect(await pickedAndMerged(install)).toEqual(["of the older"]);
  });

  it.each(sampleOf([[null], [["git", "install"]]], 1))(
    "[RESOLVE-8] [RESOLVE-51] the pick of its archiving leaves no open file of a folder that is gone, driver: %s",
    SWEEP,
    async (install) => {
      const repo = await driven(install);
      const { clone, program } = repo;
      const id = await renamed(repo);
      clone.git("checkout", "-q", "main");
      writeFileSync(join(clone.root, ".coco/tasks", id, NOTES), "By hand.\n");
      program("complete", id, "--status", "CANCELED");
      clone.commit("canceled");
      program("archive", id);
      clone.commit("archived");
      clone.git("checkout", "-q", "side");
      expect(gitSaid(clone, "cherry-pick", "main").code).not.toBe(0);
      const open = [...clone.unmerged().keys()].filter((path) => path.endsWith(NOTES));
      expect(open).toEqual([`.coco/archive/${id}/${NOTES}`]);
      expect(program("resolve", "--stage")).toContain("commit when you are content");
      expect([...clone.unmerged().keys()]).toEqual([]);
      clone.git("-c", "core.editor=true", "cherry-pick", "--continue");
      expect(folders(clone)).toEqual([id]);
      expect(notesOf(clone.root, id)).toEqual(expect.arrayContaining(["of main", "of side"]));
      expect(readFileSync(join(clone.root, ".coco/tasks", id, NOTES), "utf8")).toBe("By hand.\n");
      await expectRight(clone);
    },
  );

  /** Gives the notes of the other task that has the first name in the end. */
  async function pickedAndMerged(install: string[] | null): Promise<string[]> {
    const repo = await driven(install);
    const { clone, program } = repo;
    const id = await renamed(repo);
    expect(gitSaid(clone, "cherry-pick", "main~1").code).not.toBe(0);
    expect(folders(clone)).toEqual([ID, id]);
    await inWorkspace(clone.root, async (ws) => {
      for (const task of [ID, id]) expect(await code(ws, "tasks_claim", { task, path: "s:0" })).toBe("LOG_TWO_FOLDERS");
    });
    clone.git("add", "-A");
    const { said } = gitSaid(clone, "commit", "-q", "-m", "picked, and no resolve");
    for (const name of install?.includes("--hooks") ? [ID, id] : [])
      expect(said).toContain(`.coco/tasks/${name} needs a look: taskfold resolve --stage`);
    program("resolve", "--stage");
    clone.git("commit", "-q", "-m", "resolved");
    expect(folders(clone)).toEqual([id]);
    expect(notesOf(clone.root, id)).toEqual(expect.arrayContaining(["three", "of main", "of side"]));
    await expectRight(clone);

    gitSaid(clone, "merge", "--no-edit", "main");
    program("resolve", "--stage");
    clone.conclude("merged main");
    expect(folders(clone)).toEqual([ID, id]);
    await expectRight(clone);
    const log = (name: string): string => readFileSync(join(clone.root, ".coco/tasks", name, "events.jsonl"), "utf8");
    const logs = [ID, id].map(log);
    clone.git("checkout", "-q", "main");
    expect(gitSaid(clone, "merge", "--no-edit", "side").code).toBe(0);
    expect([ID, id].map(log)).toEqual(logs);
    await expectRight(clone);
    return notesOf(clone.root, ID);
  }
});
