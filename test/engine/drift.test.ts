import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { machinePath } from "../support/machine.ts";
import { exchanging, WAYS } from "../support/exchange.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logPath, newTask, ok, openTemp, withTaskdoc } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const FILES = ["task.yaml", "README.md", "shared/evidence/index.json"];

function pathOf(root: string, file: string): string {
  return join(root, ".coco/tasks/TASK-001", file);
}

/** The texts of the three files. */
function filesOf(root: string): Record<string, string> {
  return Object.fromEntries(FILES.map((file) => [file, readFileSync(pathOf(root, file), "utf8")]));
}

function putFiles(root: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) writeFileSync(pathOf(root, file), text);
}

async function note(ws: Workspace, text: string): Promise<string[]> {
  const reply = await call(ws, "tasks_note", { task: "TASK-001", note: text });
  expect(reply.error).toBeNull();
  return reply.warnings.map((w) => w.code);
}

function capture(ws: Workspace, title: string) {
  return ok(ws, "tasks_evidence_capture", { task: "TASK-001", checks: [`CMD: ${title}`] });
}

function quarantined(root: string): string[] {
  const folder = join(root, ".coco/registry/quarantine");
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8"));
}

/** A disk on which `between` happens once, after a look at this file and before it is exchanged. */
function interrupted(file: string): { between: () => void; disk: Disk } {
  const came = {
    between: (): void => undefined,
    disk: {
      ...exchanging,
      exchange: (one: string, other: string) => {
        if (other.endsWith(`/${file}`)) {
          const { between } = came;
          came.between = () => undefined;
          between();
        }
        exchanging.exchange(one, other);
      },
    },
  };
  return came;
}

describe("a folded file that is not as it was written", () => {
  it.each(FILES)("[PROJ-13] %s changed by hand is set aside and written anew, with a warning", async (file) => {
    const ws = openTemp();
    await newTask(ws);
    const good = filesOf(ws.root);
    const edited = `${good[file]}# mine\n`;
    writeFileSync(pathOf(ws.root, file), edited);
    expect(await note(ws, "x")).toEqual(["PROJECTION_DRIFT"]);
    expect(quarantined(ws.root)).toEqual([edited]);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    expect(await note(ws, "y")).toEqual([]);
  });

  it("[PROJ-13] an empty file and half a file are set aside too, a missing one just comes back", async () => {
    const ws = openTemp();
    await newTask(ws);
    const half = filesOf(ws.root)["README.md"]!.slice(0, 20);
    putFiles(ws.root, { "task.yaml": "", "README.md": half });
    expect(await note(ws, "x")).toEqual(["PROJECTION_DRIFT", "PROJECTION_DRIFT"]);
    expect(quarantined(ws.root).toSorted()).toEqual(["", half].toSorted());
  });

  it.each(["task.yaml", "README.md", "taskdoc.tsk/goals.md"])(
    "[PROJ-13] a link in the place of %s is written over and where it led is kept; its target stays as it is",
    async (file) => {
      const ws = openTemp();
      await newTask(ws);
      await withTaskdoc(ws);
      const outside = join(tempFolder(), "theirs");
      writeFileSync(outside, "renderer: 999\n");
      rmSync(pathOf(ws.root, file));
      symlinkSync(outside, pathOf(ws.root, file));
      expect(await note(ws, "x")).toEqual(["PROJECTION_DRIFT"]);
      expect(quarantined(ws.root)).toEqual([outside]);
      expect([readFileSync(outside, "utf8"), lstatSync(pathOf(ws.root, file)).isFile()]).toEqual([
        "renderer: 999\n",
        true,
      ]);
      expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
      expect(await note(ws, "y")).toEqual([]);
    },
  );

  it.skipIf(process.platform === "win32").each(["task.yaml", "README.md", "taskdoc.tsk/goals.md"])(
    "[PROJ-13] a pipe in the place of %s is reported and replaced, and no call waits for it",
    async (file) => {
      const first = openTemp();
      await newTask(first);
      await withTaskdoc(first);
      await first.close();
      rmSync(pathOf(first.root, file));
      expect(spawnSync("sh", ["-c", `mkfifo "$0"`, pathOf(first.root, file)]).status).toBe(0);
      const ws = openTemp({ root: first.root });
      expect(ws.verify().findings.map((f) => f.code)).toEqual(["PATH_UNSAFE"]);
      expect(await note(ws, "x")).toEqual(["PROJECTION_DRIFT"]);
      expect(quarantined(ws.root)).toEqual([]);
      expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    },
  );

  it("[PROJ-13] [regression PROJ-16] a link that arrives between the look and the exchange is told too", async () => {
    const came = interrupted("README.md");
    const ws = openTemp({ disk: came.disk });
    await newTask(ws);
    came.between = () => {
      rmSync(pathOf(ws.root, "README.md"));
      symlinkSync("/nowhere", pathOf(ws.root, "README.md"));
    };
    expect(await note(ws, "x")).toEqual(["PROJECTION_DRIFT"]);
    expect(quarantined(ws.root)).toEqual(["/nowhere"]);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
  });

  it("[PROJ-13] files of an earlier moment of the log are no drift, all of them or one", async () => {
    const ws = openTemp();
    await newTask(ws);
    const first = filesOf(ws.root);
    await capture(ws, "npm test");
    const second = filesOf(ws.root);
    await capture(ws, "npm run lint");
    await note(ws, "one");
    for (const files of [first, second]) {
      putFiles(ws.root, files);
      expect(await note(ws, "x")).toEqual([]);
      for (const file of FILES) {
        putFiles(ws.root, { [file]: files[file]! });
        expect(await note(ws, file)).toEqual([]);
      }
    }
    expect(quarantined(ws.root)).toEqual([]);
    // The same text under another head is nobody's.
    putFiles(ws.root, { "task.yaml": first["task.yaml"]!.replace(/^revision: 1$/m, "revision: 2") });
    expect(await note(ws, "x")).toEqual(["PROJECTION_DRIFT"]);
  });

  it("[PROJ-13] neither are files that git brought, before a merge or after one", ROTATING, async () => {
    const { ada, cloneOf } = repository();
    const first = openTemp({ root: ada.root });
    await newTask(first);
    ada.commit("made");
    const bob = cloneOf(ada, "bob");
    const second = openTemp({ root: bob.root, by: "human:bob" });
    await note(first, "from ada");
    await note(first, "from ada, too");
    ada.commit("ada");
    const mine = filesOf(ada.root);
    await note(second, "from bob");
    bob.commit("bob");
    const theirs = filesOf(bob.root);
    ada.merge(bob);
    expect(await first.repair.resolve()).toMatchObject({ findings: [] });
    for (const files of [mine, theirs]) {
      putFiles(ada.root, files);
      expect(await note(first, "x")).toEqual([]);
    }
    ada.commit("merged");
    ada.git("checkout", "-q", "HEAD~1", "--", ".coco/tasks/TASK-001/task.yaml", ".coco/tasks/TASK-001/README.md");
    expect(await note(first, "y")).toEqual([]);
    expect(quarantined(ada.root)).toEqual([]);
  });

  it("[PROJ-13] neither are files of a moment with branches that no later change joined as they were then", async () => {
    const first = openTemp();
    await newTask(first);
    await first.close();
    const [root, ...others] = [first.root, ...["bob", "eve"].map((name) => join(tempFolder(), name))];
    for (const other of others) cpSync(root, other, { recursive: true });
    const writers = [root, ...others].map((each, i) => openTemp({ root: each, by: `human:${i}` }));
    for (const [i, writer] of writers.entries()) await note(writer, `branch ${i}`);
    const [own, bob, eve] = writers as [Workspace, Workspace, Workspace];
    const take = async (from: Workspace): Promise<void> => {
      appendFileSync(logPath(root), readFileSync(logPath(from.root)));
      await own.repair.resolve();
    };
    await take(bob);
    const two = filesOf(root);
    await take(eve);
    const three = filesOf(root);
    await note(bob, "goes on");
    await take(bob);
    await note(own, "joins");
    for (const files of [two, three]) {
      putFiles(root, files);
      expect(await note(own, "x")).toEqual([]);
      for (const file of FILES) {
        putFiles(root, { [file]: files[file]! });
        expect(await note(own, file)).toEqual([]);
      }
    }
    expect(quarantined(root)).toEqual([]);
    // An edit beside branches still is one.
    const edited = three["README.md"]!.replace("# Task", "# My task");
    putFiles(root, { ...three, "README.md": edited });
    expect(await note(own, "y")).toEqual(["PROJECTION_DRIFT"]);
    expect(quarantined(root)).toEqual([edited]);
  });

  it("[regression PROJ-80] of another task, which a dead process left, is told by the write that repairs it", async () => {
    const ws = openTemp();
    await newTask(ws);
    await newTask(ws, "TASK-002");
    await ws.close();
    mkdirSync(machinePath(ws.root, "dirty"), { recursive: true });
    writeFileSync(machinePath(ws.root, "dirty", "left-1"), "TASK-001\n");
    appendFileSync(pathOf(ws.root, "README.md"), "mine\n");
    const { warnings } = await call(openTemp({ root: ws.root }), "tasks_note", { task: "TASK-002", note: "x" });
    expect(warnings).toEqual([expect.objectContaining({ code: "PROJECTION_DRIFT" })]);
    expect(warnings[0]!.message).toContain("README.md of TASK-001");
    expect(quarantined(ws.root)).toHaveLength(1);
  });

  it("[PROJ-13] neither are files that another process wrote", async () => {
    const one = openTemp();
    await newTask(one);
    const two = openTemp({ root: one.root, by: "human:bob" });
    for (let i = 0; i < 4; i++) for (const ws of [one, two]) expect(await note(ws, `note ${i}`)).toEqual([]);
    await capture(two, "npm test");
    expect(await note(one, "last")).toEqual([]);
    expect(quarantined(one.root)).toEqual([]);
  });

  it("[PROJ-13] rebuild writes it anew and says so, which is no fault", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(pathOf(ws.root, "README.md"), "mine\n");
    const { rebuilt, findings } = await ws.repair.rebuild();
    expect(rebuilt).toEqual([{ id: "TASK-001", files: ["README.md"] }]);
    expect(findings).toMatchObject([{ code: "PROJECTION_DRIFT", info: true }]);
    expect(quarantined(ws.root)).toEqual(["mine\n"]);
  });

  it.each(FILES)(
    "[regression PROJ-16] an edit of %s that arrives between the look and the exchange is set aside too, with a warning",
    async (file) => {
      const came = interrupted(file);
      const ws = openTemp({ disk: came.disk });
      await newTask(ws);
      await capture(ws, "npm test");
      came.between = () => {
        writeFileSync(pathOf(ws.root, file), `${file} is mine\n`);
      };
      const reply = await call(ws, "tasks_evidence_capture", { task: "TASK-001", checks: ["CMD: npm run lint"] });
      expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_DRIFT"]);
      expect(quarantined(ws.root)).toEqual([`${file} is mine\n`]);
      expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
      expect(await note(ws, "y")).toEqual([]);
    },
  );

  it.each(WAYS)("[PROJ-19] task.yaml is put in place after all other files, by %s", async (_way, way) => {
    const placed: string[] = [];
    const noting = (to: string): void => {
      const name = /TASK-001\/(.+)$/.exec(to)?.[1];
      if (name !== undefined) placed.push(name);
    };
    const disk: Disk = {
      ...way,
      rename: (from, to) => {
        way.rename(from, to);
        noting(to);
      },
      exchange: (one, other) => {
        way.exchange(one, other);
        noting(other);
      },
    };
    const ws = openTemp({ disk });
    await newTask(ws);
    await withTaskdoc(ws);
    placed.length = 0;
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "win" });
    await ok(ws, "change_mind", { task: "TASK-001", category: "ux", selector: "list", content: "new" });
    await capture(ws, "npm test");
    expect(placed.join(" ")).toBe(
      "README.md taskdoc.tsk/goals.md task.yaml README.md taskdoc.tsk/ux/list.md task.yaml README.md shared/evidence/index.json task.yaml",
    );
  });

  it("[regression PROJ-16] a file that git brings between the look and the exchange is no drift", async () => {
    const came = interrupted("README.md");
    const ws = openTemp({ disk: came.disk });
    await newTask(ws);
    const first = filesOf(ws.root);
    await note(ws, "one");
    came.between = () => putFiles(ws.root, { "README.md": first["README.md"]! });
    expect(await note(ws, "two")).toEqual([]);
    expect(quarantined(ws.root)).toEqual([]);
  });

  it("[regression DIR-33] nothing is left at rest when the workspace is closed, or by an entity that was deleted", async () => {
    const ws = openTemp({ disk: exchanging });
    const resting = machinePath(ws.root, "exchange");
    await newTask(ws);
    for (let i = 0; i < 5; i++) await note(ws, `note ${i}`);
    expect(readdirSync(resting).length).toBeGreaterThan(0);
    await ok(ws, "tasks_delete", { target: "TASK-001" });
    await ws.close();
    expect(readdirSync(resting)).toEqual([]);
  });

  it("[regression DIR-33] the registry may go at any moment: the next change is in place all the same", async () => {
    const ws = openTemp({ disk: exchanging });
    await newTask(ws);
    for (let i = 0; i < 3; i++) {
      await note(ws, `note ${i}`);
      rmSync(machinePath(ws.root, "exchange"), { recursive: true });
    }
    expect(await note(ws, "last")).toEqual([]);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    expect(filesOf(ws.root)["README.md"]).toContain("last");
  });

  it("[regression DIR-33] what a process left that is gone is removed by the next that writes; a living one's stays", async () => {
    const one = openTemp({ disk: exchanging });
    await newTask(one);
    await note(one, "one");
    const resting = machinePath(one.root, "exchange");
    const living = readdirSync(resting);
    writeFileSync(join(resting, "99999999-1-0a1b2c3d-0"), "left");
    const two = openTemp({ root: one.root, disk: exchanging });
    expect(await note(two, "two")).toEqual([]);
    const left = readdirSync(resting);
    expect(left).toEqual(expect.arrayContaining(living));
    expect(left).not.toContain("99999999-1-0a1b2c3d-0");
  });
});
