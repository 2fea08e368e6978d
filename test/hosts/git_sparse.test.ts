/** Sparse checkouts by real git, in each of their forms: what they leave out is neither given again nor taken for gone. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import { openWorkspace } from "../../src/engine/workspace.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { SparseCheckout } from "../../src/engine/core/sparse_checkout.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { Clone } from "../support/git_clone.mjs";
import { commitChange, inWorkspace } from "../support/git_work.ts";
import { settle } from "../support/settle.ts";
import { fileTempFolder } from "../support/temp.ts";
import { call, newTask, ok, openTemp, tree } from "../support/workspace.ts";
import { json, run } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";

const folder = fileTempFolder();
let ada: Clone;
let clones = 0;

/** PLAN-001 with TASK-001 to TASK-003, of which the third depends on the second; TASK-004 is in the archive. */
async function fill(root: string): Promise<void> {
  await inWorkspace(root, async (ws) => {
    await ok(ws, "tasks_create", { kind: "plan", title: "Version 2" });
    await newTask(ws);
    await ok(ws, "tasks_create", { title: "Second", parent: "PLAN-001" });
    await ok(ws, "tasks_create", { title: "Third", parent: "PLAN-001", depends_on: ["TASK-002"] });
    await ok(ws, "tasks_create", { title: "Fourth", parent: "PLAN-001" });
    await ok(ws, "tasks_complete", { task: "TASK-004", status: "CANCELED" });
    await ok(ws, "tasks_archive", { task: "TASK-004" });
  });
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, "src/a.txt"), "a\n");
}

beforeAll(async () => {
  ada = Clone.init(join(folder, "ada"));
  await fill(ada.root);
  ada.commit("work");
});

function sparse(...patterns: string[]): Clone {
  const clone = Clone.of(join(folder, `clone-${clones++}`), ada);
  if (patterns.length > 0) clone.git("sparse-checkout", "set", ...patterns);
  return clone;
}

const outsideGit = ({ root }: Clone): string[] => tree(root).filter((line) => !line.startsWith(".git"));

const STEP = { title: "One", success_criteria: ["it works"], tests: ["npm test"] };
const WITHOUT_SECOND = ["--no-cone", "/*", "!/.coco/tasks/TASK-002", "!/.coco/archive"];
/** Each leaves out TASK-002, and with it the larger numbers or the archive, which has the largest. */
const FORMS: [name: string, patterns: string[], more?: string[][]][] = [
  ["patterns", WITHOUT_SECOND],
  [
    "patterns that leave the other files there",
    ["--no-cone", "/*", "!/.coco/tasks/TASK-002/events.jsonl", "!/.coco/archive"],
  ],
  ["a cone", ["--cone", "--no-sparse-index", "src", ".coco/tasks/TASK-001"]],
  ["a cone with a sparse index", ["--cone", "--sparse-index", "src", ".coco/archive", ".coco/tasks/TASK-001"]],
  ["an index of version 4", WITHOUT_SECOND, [["update-index", "--index-version", "4"]]],
];

async function created(ws: Workspace, input: object = {}): Promise<string> {
  return (await ok(ws, "tasks_create", { kind: "task", title: "New", ...input }))["id"] as string;
}

describe("ids", () => {
  it.for(FORMS)("[GIT-90] %s: an id that is left out is taken, through every door", async ([, patterns, more = []]) => {
    const clone = sparse(...patterns);
    for (const args of more) clone.git(...args);
    const lines = ada.lines();
    const ws = openTemp({ root: clone.root, durability: "os" });
    expect(await created(ws)).toBe("TASK-005");
    await ok(ws, "tasks_bootstrap", { plan_title: "P", task_title: "T", steps: [STEP] });
    for (const id of ["TASK-002", "task-002"]) {
      const { error } = await call(ws, "tasks_create", { kind: "task", title: "New", id });
      expect(error).toMatchObject({ code: "ID_TAKEN", message: expect.stringContaining("sparse checkout") as string });
    }
    const item = { key: "k", kind: "task", id: "TASK-002" } as const;
    const calls = [{ tool: "tasks_create", args: { kind: "task", title: "Imported", id: "TASK-002" } }];
    await expect(internalsOf(ws).importItem({ ...item, calls })).rejects.toMatchObject({ code: "ID_TAKEN" });
    await expect(ws.repair.adopt("TASK-002")).rejects.toMatchObject({ code: "NOT_CHECKED_OUT" });
    await ws.close();
    clone.git("add", "--sparse", "-A");
    clone.git("commit", "-q", "-m", "mine");
    clone.git("sparse-checkout", "disable");
    expect([...lines].filter((line) => !clone.lines().has(line))).toEqual([]);
    expect(nodeDisk.readdir(join(clone.root, ".coco/tasks")).toSorted()).toEqual(
      ["PLAN-001", "PLAN-002"].concat(["1", "2", "3", "5", "6"].map((n) => `TASK-00${n}`)),
    );
  });

  it("[GIT-90] a largest number that is in the left out archive counts, and so does one that resolve would give", async () => {
    const clone = sparse("--no-cone", "/*", "!/.coco/archive/TASK-004");
    expect(await created(openTemp({ root: clone.root }))).toBe("TASK-005");
    const error = (await call(openTemp({ root: clone.root }), "tasks_restore", { task: "TASK-004" })).error;
    expect(error).toMatchObject({ code: "NOT_CHECKED_OUT" });
  });

  it("[GIT-90] it holds in a linked work tree, in a folder of the repository, and behind a link to it", async () => {
    const below = Clone.init(join(folder, "below"));
    await fill(join(below.root, "deep/work space"));
    below.commit("work");
    below.git("worktree", "add", "-q", join(folder, "linked"));
    const linked = new Clone(join(folder, "linked"));
    linked.git("sparse-checkout", "set", "--no-cone", "/*", "!**/TASK-00[23]");
    symlinkSync(join(linked.root, "deep"), join(folder, "link"));
    expect(await created(openTemp({ root: join(folder, "link/work space") }))).toBe("TASK-005");
    const { error } = await call(openTemp({ root: join(linked.root, "deep/work space") }), "tasks_radar", {
      task: "TASK-002",
    });
    expect(error!.recovery).toContain("git -C ../.. sparse-checkout add '/deep/work space/.coco/**'");
    expect(await created(openTemp({ root: join(below.root, "deep/work space") }))).toBe("TASK-005");
  });

  it.each(["[slug]", "a*b?", String.raw`back\slash [x] #c`])(
    "[GIT-91] the command holds where the path has characters of patterns: %s",
    async (name) => {
      const repo = Clone.init(mkdtempSync(join(folder, "pattern-")));
      const root = join(repo.root, name);
      await fill(root);
      repo.commit("work");
      repo.git("sparse-checkout", "set", "--no-cone", "/*", "!**/TASK-00[23]");
      const { err } = await run({ cwd: root }, "note", "TASK-002", "x");
      const command = /In the folder of the workspace: (git -C .*)/.exec(err)![1]!;
      execFileSync("sh", ["-c", command], { cwd: root, env: Clone.env });
      expect((await run({ cwd: root }, "note", "TASK-002", "x")).code).toBe(0);
    },
  );

  it("[GIT-90] what the index alone does not tell is asked of git; without it, no id is given", ROTATING, async () => {
    const collapsed = sparse("--cone", "--sparse-index", "src", ".coco/tasks");
    const split = sparse(...WITHOUT_SECOND);
    split.git("update-index", "--split-index");
    split.git("sparse-checkout", "reapply");
    for (const { root } of [collapsed, split]) {
      const { error } = await call(openTemp({ root }), "tasks_create", { kind: "task", title: "New" });
      expect(error).toMatchObject({ code: "NOT_CHECKED_OUT" });
      expect(error!.recovery).toContain("git sparse-checkout reapply --no-sparse-index");
      expect(await created(openTemp({ root, git: () => openGit(root) }))).toBe("TASK-005");
    }
    const { doc } = await json({ cwd: collapsed.root }, "add", "By hand");
    expect((doc["result"] as { id: string }).id).toBe("TASK-006");
  });

  it("[GIT-90] it reads an index whose objects have names of SHA-256", async () => {
    const root = join(folder, "sha256");
    execFileSync("git", ["init", "-q", "-b", "main", "--object-format=sha256", root], { env: Clone.env });
    const clone = new Clone(root);
    await fill(root);
    clone.commit("work");
    for (const version of ["2", "4"]) {
      clone.git("update-index", "--index-version", version);
      clone.git("sparse-checkout", "set", ...WITHOUT_SECOND);
      const { tasks, archive } = new SparseCheckout({ disk: nodeDisk, runtime: nodeRuntime }, root).look();
      expect([...tasks.ids.keys(), ...archive.ids.keys()]).toEqual(["TASK-002", "TASK-004"]);
    }
  });

  /** A look that counts its calls of the disk. An index of this moment is read again at each look. */
  function counted({ root }: Clone): { look: SparseCheckout; looked: string[]; index: string } {
    const looked: string[] = [];
    const outside = {
      ...nodeDisk.outside,
      stat: (path: string) => (looked.push(`stat ${path}`), nodeDisk.outside.stat(path)),
      readFile: (path: string, most: number) => (looked.push(`read ${path}`), nodeDisk.outside.readFile(path, most)),
      head: (path: string, bytes: number) => (looked.push(`${bytes} of ${path}`), nodeDisk.outside.head(path, bytes)),
    };
    const index = join(root, ".git/index");
    return { look: new SparseCheckout({ disk: { outside }, runtime: nodeRuntime }, root), looked, index };
  }

  it("[GIT-90] one stat is all that a look costs, and of a new index of version 2 no more than the header is read", () => {
    const clone = sparse();
    const { look, looked, index } = counted(clone);
    settle(index);
    look.look();
    expect(looked).toContain(`12 of ${index}`);
    expect(looked).not.toContain(`read ${index}`);
    looked.length = 0;
    expect(look.look().tasks.ids.size).toBe(0);
    expect(looked).toEqual([`stat ${index}`]);
    clone.git("sparse-checkout", "set", ...WITHOUT_SECOND);
    settle(index);
    expect([...look.look().tasks.ids.keys()]).toEqual(["TASK-002"]);
    looked.length = 0;
    look.look();
    expect(looked).toEqual([`stat ${index}`]);
    clone.git("sparse-checkout", "disable");
    looked.length = 0;
    expect(look.look().tasks.ids.size).toBe(0);
    expect(looked).not.toContain(`read ${index}`);
    // Bits that a configuration by hand left behind leave files out all the same.
    clone.git("sparse-checkout", "set", ...WITHOUT_SECOND);
    clone.git("config", "--worktree", "core.sparseCheckout", "false");
    expect([...look.look().tasks.ids.keys()]).toEqual(["TASK-002"]);
    rmSync(index);
    expect(look.look().tasks.ids.size).toBe(0);
  });

  it("[GIT-90] of any number of files that are not there, the index and the configuration are read once, and no more while they stay", () => {
    const clone = sparse("--no-cone", "/*", "!/src", "!/.coco/tasks/TASK-001/README.md");
    const { look, looked, index } = counted(clone);
    const gone = Array.from({ length: 12 }, (_v, n) => `gone/${n}.txt`);
    const paths = ["src/a.txt", ".coco/tasks/TASK-001/README.md", ".coco/tasks/TASK-001/task.yaml", ...gone];
    const hidden = (): string[] => paths.filter((path) => look.hides(path));
    settle(index);
    expect(hidden()).toEqual(paths.slice(0, 2));
    const config = join(clone.root, ".git/config");
    expect(looked.filter((one) => one === `read ${index}`)).toHaveLength(1);
    expect(looked.filter((one) => one === `12 of ${index}`)).toHaveLength(1);
    // Its form, and which command brings the files back.
    expect(looked.filter((one) => one === `read ${config}`)).toHaveLength(2);
    looked.length = 0;
    expect(hidden()).toEqual(paths.slice(0, 2));
    expect(looked).toEqual(paths.map(() => `stat ${index}`));
    clone.git("sparse-checkout", "disable");
    expect(hidden()).toEqual([]);
  });

  it("[GIT-90] a split index without such bits gives ids also where there is no git", async () => {
    const { root } = sparse();
    new Clone(root).git("update-index", "--split-index");
    expect(await created(openTemp({ root }))).toBe("TASK-005");
  });

  it.for([
    ["an index of version 3", []],
    ["an index of version 4", [["update-index", "--index-version", "4"]]],
    ["a split index", [["update-index", "--split-index"]]],
  ] as [string, string[][]][])(
    "[GIT-90] [GIT-91] bits that were set by hand leave out as a sparse checkout does: %s",
    ROTATING,
    async ([, more]) => {
      const clone = sparse();
      const files = clone.git("ls-files", ".coco/tasks/TASK-003", ".coco/archive").trim().split("\n");
      clone.git("update-index", "--skip-worktree", ...files);
      for (const args of more) clone.git(...args);
      // A file that is there is read, with whatever bit.
      expect((await json({ cwd: clone.root }, "show", "TASK-003")).code).toBe(0);
      expect((await json({ cwd: clone.root }, "list")).doc["warnings"]).toEqual([]);
      for (const path of files) rmSync(join(clone.root, path));
      const { code, err } = await run({ cwd: clone.root }, "note", "TASK-003", "x");
      expect(`${code} ${err}`).toMatch(/^3 NOT_CHECKED_OUT/);
      const command = /In the folder of the workspace: (git ls-files .*)/.exec(err)![1]!;
      const { doc } = await json({ cwd: clone.root }, "add", "By hand");
      expect((doc["result"] as { id: string }).id).toBe("TASK-005");
      expect(JSON.stringify((await json({ cwd: clone.root }, "verify")).doc)).toContain("NOT_CHECKED_OUT");
      // Bits of other files, and what was changed and not committed, stay.
      writeFileSync(join(clone.root, "settings.local"), "mine\n");
      clone.git("add", "settings.local");
      clone.git("update-index", "--skip-worktree", "settings.local");
      const own = join(clone.root, ".coco/tasks/TASK-001/shared/human-notes.md");
      writeFileSync(own, "Not committed.\n");
      execFileSync("sh", ["-c", command], { cwd: clone.root, env: Clone.env });
      expect(clone.git("ls-files", "-t").match(/^S .*/gm)).toEqual(["S settings.local"]);
      expect(readFileSync(own, "utf8")).toBe("Not committed.\n");
      expect((await run({ cwd: clone.root }, "note", "TASK-003", "x")).code).toBe(0);
    },
  );

  it("[GIT-90] an index that is cut off anywhere tells of no id that it is free", async () => {
    const clone = sparse(...WITHOUT_SECOND);
    const path = join(clone.root, ".git/index");
    const whole = readFileSync(path);
    for (const length of [0, 3, 11, 40, 100, whole.length >> 1]) {
      writeFileSync(path, whole.subarray(0, length));
      const { error } = await call(openTemp({ root: clone.root }), "tasks_create", { kind: "task", title: "New" });
      expect(error?.code, `${length} bytes`).toBe("NOT_CHECKED_OUT");
      // And of no file that it is gone.
      const look = new SparseCheckout({ disk: nodeDisk, runtime: nodeRuntime }, clone.root);
      for (const file of ["src/a.txt", ".coco/tasks/TASK-001/README.md", ".coco/archive/TASK-004/task.yaml"])
        expect(look.hides(file), `${file} ${length} bytes`).toBe(true);
    }
  });
});

describe("a workspace that is left out whole", () => {
  it.for([["--no-sparse-index"], ["--sparse-index"]])(
    "[GIT-91] NO_WORKSPACE and init name the way out, and nothing is made: %s",
    async ([index]) => {
      const clone = sparse("--cone", index!, "src");
      // Empty folders may stay.
      rmSync(join(clone.root, ".coco"), { recursive: true, force: true });
      const before = outsideGit(clone);
      for (const [cwd, ...args] of [
        [clone.root, "list"],
        [join(clone.root, "src"), "list"],
        [clone.root, "init", "--workspace", "other/name"],
        [clone.root, "add", "New"],
        [clone.root, "call", "tasks_create", JSON.stringify({ workspace: "other/name", title: "New" })],
        [clone.root, "onboard", "--client", "claude-code"],
      ] as string[][]) {
        const { code, err } = await run({ cwd: cwd! }, ...args);
        expect(`${args[0]} ${code} ${err}`).toMatch(/^\w+ 3 NO_WORKSPACE/);
        expect(err).toContain("git sparse-checkout add .coco\n");
      }
      const { out } = await run({ cwd: clone.root }, "prime");
      expect(out).toContain("git sparse-checkout add .coco");
      const ws = openWorkspace({ root: clone.root, by: "agent:ada" });
      await expect(ws.init("other/name")).rejects.toMatchObject({ code: "NO_WORKSPACE" });
      expect((await call(ws, "tasks_create", { title: "New" })).error).toMatchObject({ code: "NO_WORKSPACE" });
      await ws.close();
      expect(outsideGit(clone)).toEqual(before);
      clone.git("sparse-checkout", "add", ".coco");
      expect((await run({ cwd: clone.root }, "list")).out).toContain("TASK-003");
    },
  );
});

describe("answers", () => {
  const about = (warnings: { code: string; message: string }[]): string[] =>
    warnings.filter(({ code }) => code === "NOT_CHECKED_OUT").map(({ message }) => message);

  it(
    "[GIT-91] each about many says that plans or tasks are left out, which and how many; one about a single task does not",
    ROTATING,
    async () => {
      const clone = sparse("--no-cone", "/*", "!/.coco/tasks/TASK-00[23]");
      for (const args of [
        ["list"],
        ["status"],
        ["ready"],
        ["board"],
        ["show", "PLAN-001"],
        ["radar", "PLAN-001"],
        ["prime"],
        ["export", "json"],
        ["call", "tasks_context", "{}"],
      ]) {
        const { doc } = await json({ cwd: clone.root }, ...args);
        const [message, ...others] = about(doc["warnings"] as never);
        expect(message, args.join(" ")).toContain("2 plans and tasks (TASK-002, TASK-003)");
        expect(others).toEqual([]);
      }
      expect((await run({ cwd: clone.root }, "prime")).out).toContain("2 plans and tasks (TASK-002, TASK-003)");
      for (const args of [
        ["show", "TASK-001"],
        ["radar", "TASK-001"],
        ["note", "TASK-001", "x"],
      ])
        expect(about((await json({ cwd: clone.root }, ...args)).doc["warnings"] as never), args.join(" ")).toEqual([]);
      const archived = sparse("--no-cone", "/*", "!/.coco/archive");
      expect(about((await json({ cwd: archived.root }, "list")).doc["warnings"] as never)).toEqual([]);
      expect(about((await json({ cwd: archived.root }, "list", "--archived")).doc["warnings"] as never)).toHaveLength(
        1,
      );
    },
  );

  it("[GIT-91] a call on one that is left out names the command, also by its number, and no write goes to its folder", async () => {
    const clone = sparse(...WITHOUT_SECOND);
    for (const args of [
      ["show", "2"],
      ["note", "2", "x"],
      ["verify", "TASK-002"],
      ["add", "x", "--plan", "1", "--depends-on", "TASK-002"],
      ["log", "TASK-004"],
    ]) {
      const { code, err } = await run({ cwd: clone.root }, ...args);
      expect(`${code} ${err}`, args.join(" ")).toMatch(/^3 NOT_CHECKED_OUT/);
      expect(err).toContain("git sparse-checkout add '/.coco/**'");
    }
    const { err } = await run({ cwd: clone.root }, "show", "TASK-099");
    expect(err).toContain("UNKNOWN_ID");
    expect(err).toContain("1 plan or task (TASK-002)");
    clone.git("sparse-checkout", "add", "/.coco/**");
    expect((await run({ cwd: clone.root }, "show", "2")).code).toBe(0);
  });

  it("[GIT-91] a reference to one that is left out reads as left out, and is none that is unknown or was deleted", async () => {
    const clone = sparse(...WITHOUT_SECOND);
    const ws = openTemp({ root: clone.root });
    const radar = await ok(ws, "tasks_radar", { task: "TASK-003" });
    expect(JSON.stringify(radar)).toContain("Waits for TASK-002 (left out by a sparse checkout)");
    const { issues } = await ok(ws, "tasks_lint", { task: "TASK-003" });
    expect(
      (issues as { code: string }[]).map(({ code }) => code).filter((code) => /DEPEND|PARENT|CHECKED/.test(code)),
    ).toEqual(["NOT_CHECKED_OUT"]);
    const plan = sparse("--no-cone", "/*", "!/.coco/tasks/PLAN-001");
    const lint = await ok(openTemp({ root: plan.root }), "tasks_lint", { task: "TASK-001" });
    expect(JSON.stringify(lint["issues"])).not.toContain("PARENT_UNKNOWN");
  });

  it(
    "[GIT-94] verify, resolve and diff take nothing for lost or gone, and verify notes what it did not look at",
    ROTATING,
    async () => {
      const clone = sparse(...WITHOUT_SECOND);
      for (const args of [["verify"], ["verify", "--git"], ["doctor"]]) {
        const { code, doc } = await json({ cwd: clone.root }, ...args);
        expect(`${args.join(" ")} ${code}`).toBe(`${args.join(" ")} 0`);
        expect(JSON.stringify(doc)).toContain("NOT_CHECKED_OUT");
      }
      expect((await json({ cwd: clone.root }, "diff")).doc["tasks"]).toEqual([]);
      expect((await run({ cwd: clone.root }, "resolve", "--git")).code).toBe(0);
      expect(clone.git("status", "--porcelain")).toBe("");
    },
  );

  it("[GIT-94] files of a task that are left out beside its log are no finding, and a change writes those that are folded", async () => {
    const clone = sparse(
      "--no-cone",
      "/*",
      "!/.coco/tasks/TASK-001/README.md",
      "!/.coco/tasks/TASK-001/shared/human-notes.md",
    );
    const { doc } = await json({ cwd: clone.root }, "verify");
    const { ok: isWell, findings } = doc.result as unknown as { ok: boolean; findings: Record<string, unknown>[] };
    expect(isWell).toBe(true);
    expect(findings.filter(({ code }) => code === "NOT_CHECKED_OUT").map(({ file, info }) => [file, info])).toEqual([
      [".coco/tasks/TASK-001/README.md", true],
      [".coco/tasks/TASK-001/shared/human-notes.md", true],
    ]);
    await inWorkspace(clone.root, async (ws) => void (await ok(ws, "tasks_note", { task: "TASK-001", note: "Seen" })));
    expect(readFileSync(join(clone.root, ".coco/tasks/TASK-001/README.md"), "utf8")).toContain("Seen");
    // git has words of people in it that no process has read.
    expect(existsSync(join(clone.root, ".coco/tasks/TASK-001/shared/human-notes.md"))).toBe(false);
    // One that git has there, and that is gone, is missing all the same.
    rmSync(join(clone.root, ".coco/tasks/TASK-001/task.yaml"));
    expect((await run({ cwd: clone.root }, "verify")).out).toContain("PROJECTION_MISSING");
  });

  it("[GIT-94] so are those in a folder of a task of which a sparse index has no more than one entry", async () => {
    const file = ".coco/tasks/TASK-001/shared/human-notes.md";
    const full = sparse();
    writeFileSync(join(full.root, file), "Words of people.\n");
    full.commit("words");
    full.git("sparse-checkout", "set", "--cone", "--sparse-index", ".coco/archive", ".coco/tasks/TASK-001/agents");
    expect(full.git("ls-files", "--sparse", ".coco/tasks/TASK-001")).toContain(".coco/tasks/TASK-001/shared/\n");
    const ws = openTemp({ root: full.root, durability: "os" });
    const shared = ws.verify("TASK-001").findings.filter((one) => one.file.startsWith(".coco/tasks/TASK-001/shared/"));
    expect(shared.map(({ file, code, info }) => [file, code, info])).toContainEqual([file, "NOT_CHECKED_OUT", true]);
    expect(shared.filter(({ code }) => code !== "NOT_CHECKED_OUT")).toEqual([]);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "Seen" });
    await ws.repair.rebuild("TASK-001");
    await ws.close();
    expect(existsSync(join(full.root, file))).toBe(false);
    full.git("sparse-checkout", "disable");
    expect(readFileSync(join(full.root, file), "utf8")).toBe("Words of people.\n");
  });

  it(
    "[CHECK-2] evidence whose files are left out is unverifiable, and no proof is called broken",
    ROTATING,
    async () => {
      const full = sparse();
      mkdirSync(join(full.root, ".coco/tasks/TASK-001/agents"), { recursive: true });
      writeFileSync(join(full.root, ".coco/tasks/TASK-001/agents/notes.txt"), "seen\n");
      await inWorkspace(full.root, async (ws) => {
        const items = [
          { kind: "file", path: "src/a.txt", start_line: 1, end_line: 1 },
          { kind: "run", command: "npm test", exit_code: 0, content: "ok\n" },
        ];
        const inputs = { task: "TASK-001", path: "s:0", items, attachments: ["agents/notes.txt"], checkpoint: "tests" };
        await ok(ws, "tasks_evidence_capture", inputs as never);
      });
      full.commit("proof");
      const statuses = async (): Promise<string[]> => {
        const ws = openTemp({ root: full.root });
        const { evidence } = await ok(ws, "tasks_evidence_verify", { task: "TASK-001" });
        const lint = JSON.stringify(await ok(ws, "tasks_lint", { task: "TASK-001" }));
        expect(lint.includes("PROOF_BROKEN")).toBe(JSON.stringify(evidence).includes('"broken"'));
        return (evidence as { status: string }[]).map(({ status }) => status).toSorted();
      };
      expect(await statuses()).toEqual(["holds", "holds", "holds"]);
      const out = ["!/src", "!/.coco/tasks/TASK-001/shared/evidence/blobs", "!/.coco/tasks/TASK-001/agents/notes.txt"];
      full.git("sparse-checkout", "set", "--no-cone", "/*", ...out);
      expect(await statuses()).toEqual(["unverifiable", "unverifiable", "unverifiable"]);
      full.git("sparse-checkout", "disable");
      full.git("sparse-checkout", "set", "--cone", "--sparse-index", ".coco");
      expect(await statuses()).toEqual(["holds", "holds", "unverifiable"]);
      full.git("sparse-checkout", "disable");
      rmSync(join(full.root, "src/a.txt"));
      expect(await statuses()).toContain("broken");
    },
  );

  it(
    "[GIT-94] rebuild says as verify does what is left out, and names no file that it did not write",
    ROTATING,
    async () => {
      const clone = sparse("--no-cone", "/*", "!/.coco/tasks/TASK-002", "!/.coco/tasks/TASK-001/shared/human-notes.md");
      const told = async (command: string): Promise<string[]> => {
        const { doc } = await json({ cwd: clone.root }, command);
        const { findings } = doc["result"] as unknown as { findings: { code: string; file: string }[] };
        return findings.flatMap(({ code, file }) => (code === "NOT_CHECKED_OUT" ? [file] : [])).toSorted();
      };
      expect(await told("verify")).toEqual([".coco/tasks", ".coco/tasks/TASK-001/shared/human-notes.md"]);
      expect(await told("rebuild")).toEqual(await told("verify"));
      const { doc } = await json({ cwd: clone.root }, "rebuild");
      expect(JSON.stringify((doc["result"] as { rebuilt: unknown }).rebuilt)).not.toContain("human-notes");
    },
  );

  it("[CHECK-1] evidence of a file that is left out is recorded, and the warning says that git has the file", async () => {
    const clone = sparse("--no-cone", "/*", "!/src/");
    const ws = openTemp({ root: clone.root });
    const warned = async (path: string): Promise<unknown> => {
      const items = [{ kind: "file-anchor", title: "The source", path }];
      return (await call(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", items })).warnings;
    };
    expect(await warned("src/a.txt")).toMatchObject([
      { code: "ATTACHMENT_MISSING", message: expect.stringMatching(/a sparse checkout leaves it out; git sparse-/) },
    ]);
    expect(await warned("src/none.txt")).toMatchObject([
      { message: expect.stringContaining("neither the repository nor the task folder") },
    ]);
  });

  it(
    "[GIT-94] a merge that stopped at a file of one that is left out is resolved when its log is there",
    ROTATING,
    async () => {
      const clone = sparse();
      clone.git("checkout", "-q", "-b", "side");
      await commitChange(clone, "of the side", "TASK-001");
      clone.git("checkout", "-q", "main");
      await commitChange(clone, "of main", "TASK-001");
      clone.git("sparse-checkout", "set", "--cone", ".coco/tasks/TASK-002");
      expect(clone.tries("merge", "-q", "side")).toBe(false);
      const { code, err } = await run({ cwd: clone.root }, "resolve", "--stage");
      expect(`${code} ${err}`).toMatch(/^3 NOT_CHECKED_OUT: Expected TASK-001/);
      clone.git("sparse-checkout", "add", ".coco");
      expect((await run({ cwd: clone.root }, "resolve", "--stage")).code).toBe(0);
      expect([...clone.unmerged().keys()]).toEqual([]);
      clone.conclude("merge");
      expect((await json({ cwd: clone.root }, "verify", "--git")).code).toBe(0);
      const log = readFileSync(join(clone.root, ".coco/tasks/TASK-001/events.jsonl"), "utf8");
      for (const what of ["of main", "of the side"]) expect(log).toContain(`"${what}"`);
    },
  );

  it("[GIT-94] the overview is committed, so what is left out stays in it", ROTATING, async () => {
    const full = sparse();
    expect((await run({ cwd: full.root }, "init", "--overview")).code).toBe(0);
    full.commit("the overview");
    full.git("sparse-checkout", "set", ...WITHOUT_SECOND);
    const overview = readFileSync(join(full.root, ".coco/README.md"), "utf8");
    await run({ cwd: full.root }, "add", "Fifth");
    expect((await run({ cwd: full.root }, "rebuild")).code).toBe(0);
    expect(readFileSync(join(full.root, ".coco/README.md"), "utf8")).toBe(overview);
    expect((await json({ cwd: full.root }, "verify")).code).toBe(0);
  });
});
