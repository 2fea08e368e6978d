import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitPort } from "../../src/engine/core/git_port.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { Clone } from "../support/git_clone.mjs";
import { run } from "../hosts/cli_support.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { code, newTask, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

interface Diff {
  available: boolean;
  reason?: string;
  branch?: string | null;
  base?: string;
  base_source?: string;
  summary?: { total: number };
  changes?: { change: string; kind: string; title?: string }[];
}

function open(root: string): Workspace {
  return openTemp({ root, git: () => openGit(root) });
}

async function diff(ws: Workspace, task = "TASK-001"): Promise<Diff> {
  const result = await ok(ws, "tasks_snapshot", { task });
  expect((result["capsule"] as { graph_diff: object }).graph_diff).toBeDefined();
  return result["graph_diff"] as unknown as Diff;
}

const nodes = ({ changes = [] }: Diff): string[] =>
  changes.filter((c) => c.kind === "node").map((c) => `${c.change} ${c.title}`);

async function think(ws: Workspace, frame: string): Promise<void> {
  await ok(ws, "tasks_think", { task: "TASK-001", frame });
}

describe("graph diff with git", () => {
  async function onMain(): Promise<{ ada: Clone; ws: Workspace; cloneOf: (clone: Clone, name: string) => Clone }> {
    const { ada, cloneOf } = repository();
    const ws = open(ada.root);
    await newTask(ws);
    await think(ws, "on main");
    ada.commit("begin");
    return { ada, ws, cloneOf };
  }

  it("[GRAPH-2] compares the files here with the last commit of the local main", ROTATING, async () => {
    const { ada, ws } = await onMain();
    expect(await diff(ws)).toMatchObject({ available: true, branch: "main", base: "main", summary: { total: 0 } });
    ada.git("checkout", "-q", "-b", "work");
    await think(ws, "on work");
    const told = await diff(ws);
    expect(told).toMatchObject({ branch: "work", base: "main", base_source: "the local branch main" });
    expect(nodes(told)).toEqual(["added on work"]);
    ada.commit("work");
    expect(nodes(await diff(ws))).toEqual(["added on work"]);
    ada.git("checkout", "-q", "--detach");
    expect(await diff(ws)).toMatchObject({ branch: null, base: "main" });
  });

  it("[RESUME-1] a snapshot is the super-resume with the difference", ROTATING, async () => {
    const { ws } = await onMain();
    await think(ws, "more");
    const input = { task: "TASK-001", graph_diff_limit: 1 };
    const snapshot = await ok(ws, "tasks_snapshot", input);
    expect(await ok(ws, "tasks_resume_super", { ...input, graph_diff: true })).toEqual(snapshot);
    expect(await ok(ws, "tasks_resume_super", { task: "TASK-001" })).not.toHaveProperty("graph_diff");
  });

  it("[GRAPH-2] the default branch of origin comes before the local main", ROTATING, async () => {
    const { ada, ws, cloneOf } = await onMain();
    ada.git("branch", "-M", "trunk");
    const bob = cloneOf(ada, "bob");
    await think(ws, "pushed");
    ada.commit("more");
    bob.git("remote", "set-head", "origin", "--auto");
    bob.git("fetch", "-q");
    const told = await diff(open(bob.root));
    expect(told).toMatchObject({ base: "origin/trunk", base_source: "the default branch of origin" });
    expect(nodes(told)).toEqual(["missing pushed"]);
  });

  it("[GRAPH-2] outside of a work tree, without a base, without git: it says why and answers the rest", async () => {
    const outside = open(tempFolder());
    await newTask(outside);
    expect(await diff(outside)).toEqual({
      available: false,
      reason:
        "Not available, because there is no repository: this folder is in no git work tree, or there is no git program.",
    });
    const none = openTemp();
    await newTask(none);
    expect((await diff(none)).reason).toMatch(/opened without git/);
    const { ada, ws } = await onMain();
    ada.git("branch", "-M", "other");
    expect((await diff(ws)).reason).toMatch(/^Not available, because the repository has neither .*\.$/);
    const broken: GitPort = {
      ...openGit(ada.root)!,
      base: () => ({ branch: null, base: "x", commit: "x", source: "x" }),
      find: () => "no-such-object",
    };
    const failing = openTemp({ root: ada.root, git: () => broken });
    expect((await diff(failing)).reason).toMatch(
      /^Not available, because Expected the object no-such-object in this clone/,
    );
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1206\n`;
    const filtered: GitPort = { ...broken, read: () => Buffer.from(pointer) };
    expect((await diff(openTemp({ root: ada.root, git: () => filtered }))).reason).toBe(
      "Not available, because the log of TASK-001 in x has pointers of Git LFS in the place of events (LOG_LFS_POINTER).",
    );
    const { degradation } = await ok(failing, "tasks_snapshot", { task: "TASK-001" });
    expect(degradation).toMatchObject({ signals: expect.arrayContaining(["graph_diff_unavailable"]) as string[] });
  });

  it(
    "[GRAPH-1] what is new, or another entity of that id, is all added; what is archived there is found",
    ROTATING,
    async () => {
      const { ada, ws } = await onMain();
      await newTask(ws, "TASK-002");
      await ok(ws, "tasks_think", { task: "TASK-002", frame: "new" });
      expect(nodes(await diff(ws, "TASK-002"))).toEqual(["added new"]);
      const other = open(tempFolder());
      await newTask(other);
      await ok(other, "tasks_think", { task: "TASK-001", frame: "another life" });
      const folder = ".coco/tasks/TASK-001";
      rmSync(join(ada.root, folder), { recursive: true });
      cpSync(join(other.root, folder), join(ada.root, folder), { recursive: true });
      expect(nodes(await diff(open(ada.root)))).toEqual(["added another life"]);
      ada.git("checkout", "-q", "-f", "main");
      mkdirSync(join(ada.root, ".coco/archive"));
      ada.git("mv", folder, ".coco/archive/TASK-001");
      ada.git("commit", "-q", "-m", "archive");
      ada.git("mv", ".coco/archive/TASK-001", folder);
      expect(await diff(open(ada.root))).toMatchObject({ available: true, summary: { total: 0 } });
    },
  );

  it(
    "[regression GRAPH-5] only a call that compares asks git, and a log of the base is read once",
    ROTATING,
    async () => {
      const { ada } = await onMain();
      const port = openGit(ada.root)!;
      const asked: string[] = [];
      const told = <A extends unknown[], R>(name: string, call: (...args: A) => R) => {
        return (...args: A): R => {
          asked.push(name);
          return call(...args);
        };
      };
      const git: GitPort = {
        ...port,
        base: told("base", port.base),
        find: told("find", port.find),
        read: told("read", port.read),
      };
      const ws = openTemp({ root: ada.root, git: () => git });
      await ok(ws, "tasks_radar", { task: "TASK-001" });
      await ok(ws, "tasks_resume_super", { task: "TASK-001" });
      expect(asked).toEqual([]);
      await ok(ws, "tasks_resume_super", { task: "TASK-001", graph_diff: true });
      await think(ws, "more");
      expect(nodes(await diff(ws))).toEqual(["added more"]);
      expect(asked).toEqual(["base", "find", "read", "base", "find"]);
      expect(await code(ws, "tasks_snapshot", { task: "TASK-001", graph_diff_cursor: "CARD-FFFFFFFF" })).toBe(
        "CURSOR_EXPIRED",
      );
    },
  );

  it("[regression GRAPH-5] the command line gives git to the tools that compare", async () => {
    const { ada } = await onMain();
    const setting = { cwd: ada.root };
    const { out, code: exit } = await run(setting, "--json", "call", "tasks_snapshot", '{"task":"TASK-001"}');
    expect(exit).toBe(0);
    const { result } = JSON.parse(out) as { result: { graph_diff: Diff } };
    expect(result.graph_diff).toMatchObject({ available: true, base: "main" });
  });
});
