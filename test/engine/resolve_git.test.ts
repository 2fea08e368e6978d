// @module-tag long
// @module-tag rotating
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { Clone } from "../support/git_clone.mjs";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { logPath, newTask, notesOf, ok, openTemp, ticking, tree } from "../support/workspace.ts";

const FOLDER = ".coco/tasks/TASK-001";

/** Committed files of a workspace with their bytes; the order of a log's lines is git's. */
function content(root: string): string[] {
  return tree(join(root, ".coco"), { times: false }).filter(
    (line) => !/^(registry|locks)\b/.test(line) && !/events\.jsonl|folder/.test(line),
  );
}

/** Names of all files below a folder. */
function filesBelow(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
}

async function note(ws: Workspace, text: string, id = "TASK-001"): Promise<void> {
  await ok(ws, "tasks_note", { task: id, note: text });
}

describe("resolve with git", () => {
  /** A clone with a task, and a second one, each with a note that the other has not. */
  async function twoClones(
    setUp: (ada: Clone) => void = () => undefined,
  ): Promise<[Clone, Workspace, Clone, Workspace]> {
    const { ada, cloneOf } = repository();
    const a = openTemp({ root: ada.root, now: ticking(Date.UTC(2026, 1, 1)) });
    await newTask(a);
    setUp(ada);
    ada.commit("begin");
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, now: ticking(Date.UTC(2026, 2, 1)) });
    await note(a, "of ada");
    await note(b, "of bob");
    ada.commit("ada");
    bob.commit("bob");
    return [ada, a, bob, b];
  }

  const git = (clone: Clone) => ({ git: openGit(clone.root)!, stage: true });

  it("[RESOLVE-8] a merge on a clone with nothing installed stops at folded files only; staged, it can be committed", async () => {
    const [ada, a, bob] = await twoClones();
    expect(ada.merge(bob)).toBe(false);
    expect([...ada.unmerged().keys()].toSorted()).toEqual([`${FOLDER}/README.md`, `${FOLDER}/task.yaml`]);
    const report = await a.repair.resolve(undefined, git(ada));
    expect(report.staged).toEqual([`${FOLDER}/README.md`, `${FOLDER}/task.yaml`]);
    expect(report.findings).toEqual([]);
    ada.conclude("merge");
    expect(ada.git("status", "--porcelain")).toBe("");
    expect(notesOf(ada.root).toSorted()).toEqual(["of ada", "of bob"]);
  });

  it("[RESOLVE-8] uses the git that the workspace was opened with, and says so where there is none to stage with", async () => {
    const [ada, , bob] = await twoClones();
    ada.merge(bob);
    const bare = openTemp({ root: ada.root });
    for (const asked of [{ stage: true }, { restore: true }])
      await expect(bare.repair.resolve(undefined, asked)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(ada.unmerged().size).toBe(2);
    const given = openTemp({ root: ada.root, git: () => openGit(ada.root) });
    const { staged } = await given.repair.resolve(undefined, { stage: true });
    expect(staged).toEqual([`${FOLDER}/README.md`, `${FOLDER}/task.yaml`]);
    expect(ada.unmerged().size).toBe(0);
  });

  it("[RESOLVE-3] two entities of one name part with their decisions, captured bytes and sections", async () => {
    const { ada, cloneOf } = repository();
    const a = openTemp({ root: ada.root, now: ticking(Date.UTC(2026, 1, 1)) });
    await newTask(a, "TASK-900");
    ada.commit("begin");
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, now: ticking(Date.UTC(2026, 2, 1)) });
    const filesOf: Record<string, string[]> = {};
    for (const [clone, ws, name] of [
      [ada, a, "ada"],
      [bob, b, "bob"],
    ] as const) {
      await newTask(ws);
      await ok(ws, "tasks_think", { task: "TASK-001", decision: `Of ${name}` });
      await ok(ws, "change_mind", { task: "TASK-001", category: name, selector: "one", content: `of ${name}` });
      await ok(ws, "tasks_evidence_capture", {
        task: "TASK-001",
        items: [
          { kind: "run", command: "npm test", stdout: `${name}\n` },
          { kind: "run", command: "npm run both", stdout: "both\n" },
        ],
      });
      clone.commit(name);
      filesOf[name] = filesBelow(join(clone.root, FOLDER));
    }
    ada.merge(bob);
    const decision = filesOf["bob"]!.find((path) => path.startsWith("shared/decisions/"))!;
    appendFileSync(join(ada.root, FOLDER, decision), "A word of a person.\n");
    const [split] = (await a.repair.resolve(undefined, git(ada))).entities[0]!.split;
    expect(filesBelow(join(ada.root, FOLDER))).toEqual(filesOf["ada"]);
    expect(filesBelow(join(ada.root, `.coco/tasks/${split!.id}`))).toEqual(filesOf["bob"]);
    const kept = readdirSync(join(ada.root, ".coco/registry/quarantine"));
    expect(kept.map((name) => name.replace(/-[0-9a-f]{8}$/, ""))).toEqual([
      `TASK-001-${decision.replaceAll("/", "_")}`,
    ]);
    expect(a.verify().findings.filter((one) => !one.info)).toEqual([]);
    ada.conclude("merge");
    expect(ada.git("status", "--porcelain")).toBe("");
  });

  it("[RESOLVE-8] both directions of a merge give the same files", async () => {
    const [ada, a, bob, b] = await twoClones();
    const [x, y] = [ada.head(), bob.head()];
    ada.merge(bob, y);
    bob.merge(ada, x);
    await a.repair.resolve(undefined, git(ada));
    await b.repair.resolve(undefined, git(bob));
    expect(content(ada.root)).toEqual(content(bob.root));
  });

  it("[RESOLVE-8] without the attributes git leaves markers in the log; nothing is lost", async () => {
    const [ada, a, bob] = await twoClones((clone) => rmSync(join(clone.root, ".coco/.gitattributes")));
    expect(ada.merge(bob)).toBe(false);
    expect(ada.unmerged().has(`${FOLDER}/events.jsonl`)).toBe(true);
    const report = await a.repair.resolve(undefined, git(ada));
    expect(report.entities[0]!.dropped.markers).toBeGreaterThan(0);
    expect(report.staged).toContain(`${FOLDER}/events.jsonl`);
    expect(ada.unmerged().size).toBe(0);
    expect(notesOf(ada.root).toSorted()).toEqual(["of ada", "of bob"]);
  });

  it("[RESOLVE-8] a side that somebody threw away with checkout --ours is taken from the index", async () => {
    const [ada, a, bob] = await twoClones((clone) => rmSync(join(clone.root, ".coco/.gitattributes")));
    ada.merge(bob);
    ada.git("checkout", "--ours", "--", `${FOLDER}/events.jsonl`);
    expect(notesOf(ada.root)).toEqual(["of ada"]);
    await a.repair.resolve(undefined, git(ada));
    expect(notesOf(ada.root)).toEqual(["of ada", "of bob"]);
  });

  it("[RESOLVE-8] lines that git itself dropped in the last merge come back from the merged commits", async () => {
    const [ada, a, bob] = await twoClones();
    ada.merge(bob);
    await a.repair.resolve(undefined, git(ada));
    const log = logPath(ada.root);
    writeFileSync(
      log,
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => !line.includes("of bob"))
        .join("\n"),
    );
    ada.git("add", "-A");
    ada.conclude("merge that lost a line");
    expect(notesOf(ada.root)).toEqual(["of ada"]);
    const report = await a.repair.resolve(undefined, git(ada));
    expect(report).toMatchObject({
      changed: true,
      findings: [],
      staged: expect.arrayContaining([`${FOLDER}/events.jsonl`]) as unknown,
    });
    expect(notesOf(ada.root)).toEqual(["of ada", "of bob"]);
    expect((await a.repair.resolve(undefined, git(ada))).changed).toBe(false);
  });

  it("[RESOLVE-8] merges in both directions, again and again, lose nothing", async () => {
    const [ada, a, bob, b] = await twoClones();
    for (let round = 0; round < 3; round++) {
      const [x, y] = [ada.head(), bob.head()];
      ada.merge(bob, y);
      bob.merge(ada, x);
      for (const [who, ws] of [
        [ada, a],
        [bob, b],
      ] as const) {
        await ws.repair.resolve(undefined, git(who));
        who.conclude("merge");
        await note(ws, `round ${round}`);
        who.commit("work");
      }
    }
    ada.merge(bob);
    await a.repair.resolve(undefined, git(ada));
    expect(notesOf(ada.root)).toHaveLength(8);
  });

  it("[RESOLVE-8] a log that one side deleted and the other wrote comes back, also when it is not in the work tree", async () => {
    const [ada, a, bob] = await twoClones();
    bob.git("rm", "-rq", FOLDER);
    bob.git("commit", "-qm", "bob removes the folder by hand");
    expect(ada.merge(bob)).toBe(false);
    rmSync(join(ada.root, FOLDER), { recursive: true });
    const report = await a.repair.resolve("TASK-001", git(ada));
    expect(report.entities).toMatchObject([{ id: "TASK-001", restored: true }]);
    expect(notesOf(ada.root)).toEqual(["of ada"]);
    expect(report.findings.filter((f) => !f.info)).toEqual([]);
    expect(ada.unmerged().size).toBe(0);
  });

  it("[RESOLVE-8] a file of people's in conflict is left to them and never staged", async () => {
    const notes = `${FOLDER}/shared/human-notes.md`;
    const [ada, a, bob] = await twoClones();
    writeFileSync(join(ada.root, notes), "ada\n");
    writeFileSync(join(bob.root, notes), "bob\n");
    ada.commit("ada");
    bob.commit("bob");
    ada.merge(bob);
    const text = readFileSync(join(ada.root, notes), "utf8");
    const report = await a.repair.resolve(undefined, git(ada));
    expect(report.findings.map((f) => [f.code, f.file])).toEqual([["FILE_UNMERGED", notes]]);
    expect(report.staged).not.toContain(notes);
    expect(readFileSync(join(ada.root, notes), "utf8")).toBe(text);
    expect([...ada.unmerged().keys()]).toEqual([notes]);
  });

  it("[RESOLVE-8] outside of a work tree there is no git", () => {
    expect(openGit(tempFolder())).toBeUndefined();
  });
});
