/** Repositories whose branches changed one task, and whether a commit holds what its logs fold to. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { openWorkspace } from "./open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { Clone } from "./git_clone.mjs";
import { KeptFolder } from "./kept_folder.mjs";
import { PROGRAM } from "../hosts/cli_support.ts";
import { countPerFile } from "./per_file.ts";
import { tempFolder } from "./temp.ts";
import { counting, newTask, ok, withTaskdoc } from "./workspace.ts";

const nextHour = countPerFile();

/** Repositories that were made once in this process, by what is installed in them. */
const begun = new Map<string, KeptFolder>();

/** Work in a workspace that is closed before git looks at it. Each piece is an hour later than the one before. */
export async function inWorkspace<T>(
  root: string,
  work: (ws: Workspace) => Promise<T>,
  hour: number = nextHour(),
): Promise<T> {
  let ticks = 0;
  const now = (): number => Date.UTC(2026, 0, 1, hour) + 1000 * ticks++;
  const ws = openWorkspace({ root, now, newId: counting(`git ${hour}`), durability: "os" });
  try {
    return await work(ws);
  } finally {
    await ws.close();
  }
}

/** A note, evidence, and a text of the Taskdoc: every file of the task differs afterwards. */
export async function change(root: string, what: string, task = "TASK-001"): Promise<void> {
  await inWorkspace(root, async (ws) => {
    await ok(ws, "tasks_note", { task, path: "s:0", note: what });
    await ok(ws, "tasks_evidence_capture", { task, items: [{ kind: "note", content: what }] });
    await ok(ws, "change_mind", { task, selector: "progress", content: `Progress: ${what}` });
  });
}

/** The same in a commit. */
export async function commitChange(clone: Clone, what: string, task?: string): Promise<void> {
  await change(clone.root, what, task);
  clone.commit(what);
}

export interface Driven {
  clone: Clone;
  /** Runs the program in the clone, by its built file. */
  program: (...args: string[]) => string;
}

/** A repository on `main` with a task of two steps, and the driver in place unless `install` is left out. */
export async function driven(install: string[] | null = ["git", "install"], name = "repo"): Promise<Driven> {
  const key = install?.join(" ") ?? "";
  const kept = begun.get(key) ?? new KeptFolder((await begin(install)).root);
  begun.set(key, kept);
  const clone = new Clone(join(tempFolder(), name));
  kept.writeTo(clone.root);
  return { clone, program: (...args) => clone.program(PROGRAM, ...args) };
}

/** A new repository as `driven` gives it. */
async function begin(install: string[] | null): Promise<Clone> {
  const clone = Clone.init(join(tempFolder(), "repo"));
  const work = async (ws: Workspace): Promise<void> => {
    await newTask(ws);
    // In the first commit, so that each later one changes its files and makes none.
    await withTaskdoc(ws);
    await newTask(ws, "TASK-002");
  };
  // It is older than the work of every test that has a copy.
  await inWorkspace(clone.root, work, -1);
  clone.commit("a task");
  if (install) clone.program(PROGRAM, ...install);
  return clone;
}

/** Branch `side` with these changes, then `main` with those. */
export async function branched({ clone }: Driven, side: string[], main: string[]): Promise<void> {
  clone.git("checkout", "-q", "-b", "side");
  for (const what of side) await commitChange(clone, what);
  clone.git("checkout", "-q", "main");
  for (const what of main) await commitChange(clone, what);
}

/** The work tree is as HEAD has it, and each log in it folds to the files beside it. */
export async function expectRight(clone: Clone): Promise<void> {
  expect(clone.git("status", "--porcelain", "--untracked-files=all")).toBe("");
  const findings = await inWorkspace(clone.root, (ws) => Promise.resolve(ws.verify().findings));
  expect(findings.filter(({ info }) => !info)).toEqual([]);
}

/** The same of each of these commits. */
export async function expectEachRight(clone: Clone, commits: string[]): Promise<void> {
  const branch = clone.git("symbolic-ref", "--short", "HEAD").trim();
  for (const commit of commits) {
    clone.git("checkout", "-q", "--detach", commit);
    await expectRight(clone);
  }
  clone.git("checkout", "-q", branch);
}

/** What a git command says on both, and its exit code. */
export function gitSaid(clone: Clone, ...args: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd: clone.root,
    env: Clone.env,
    encoding: "utf8",
  });
  return { code: status, said: stdout + stderr };
}
