import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, newTask, ok, openTemp, tree } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const task = "TASK-001";
type Row = { id: string; status: string; why: string[]; proves: { path: string; checkpoints: string[] }[] };

function write(ws: Workspace, path: string, text: string): void {
  mkdirSync(dirname(join(ws.root, path)), { recursive: true });
  writeFileSync(join(ws.root, path), text);
}

async function rows(ws: Workspace, more: object = {}): Promise<Row[]> {
  return (await ok(ws, "tasks_evidence_verify", { task, ...more }))["evidence"] as unknown as Row[];
}

/** A repository with one commit. */
function committed(): { root: string; commit: string } {
  const { ada } = repository();
  ada.git("commit", "-q", "--allow-empty", "-m", "first");
  return { root: ada.root, commit: ada.head() };
}

const risks = async (ws: Workspace): Promise<string[]> =>
  ((await ok(ws, "tasks_handoff", { task }))["handoff"] as { risks: string[] }).risks;

describe("evidence that is looked at again", () => {
  it("[CHECK-1] [CHECK-2] lines hold while they stand there as they were, whatever ends them", async () => {
    const ws = openTemp();
    await newTask(ws);
    write(ws, "src/a.ts", "one\ntwo\nthree\nfour\n");
    const items = [{ kind: "code", path: "src/a.ts", start_line: 2, end_line: 3 }];
    await ok(ws, "tasks_evidence_capture", { task, path: "s:0", items, checkpoint: "tests" });
    const before = tree(ws.root);
    expect(await rows(ws)).toMatchObject([
      { status: "holds", why: ["src/a.ts:2-3 is as it was"], proves: [{ path: "s:0", checkpoints: ["tests"] }] },
    ]);
    expect(tree(ws.root)).toEqual(before);
    write(ws, "src/a.ts", "ONE\r\ntwo\r\nthree\r\n");
    expect(await rows(ws)).toMatchObject([{ status: "holds" }]);
    for (const [text, why] of [
      ["one\ntwo\nThree\n", "src/a.ts:2-3 has changed"],
      ["one\ntwo\n", "src/a.ts has only 2 lines"],
      [null, "src/a.ts is not there"],
    ] as const) {
      if (text === null) rmSync(join(ws.root, "src/a.ts"));
      else write(ws, "src/a.ts", text);
      expect(await rows(ws)).toMatchObject([{ status: "broken", why: [why] }]);
    }
  });

  it("[CHECK-2] captured output, attached files and logs that only grew hold; what was changed or taken away does not", async () => {
    const ws = openTemp();
    await newTask(ws);
    const folder = `.coco/tasks/${task}`;
    write(ws, `${folder}/agents/w1/run.log`, "line 1\n");
    const items = [{ kind: "run", command: "npm test", stdout: "12 passed\n" }];
    const captured = await ok(ws, "tasks_evidence_capture", { task, items, attachments: ["agents/w1/run.log"] });
    const [run, log] = (captured["evidence"] as { id: string }[]).map((e) => e.id);
    const status = async (): Promise<Record<string, string>> =>
      Object.fromEntries((await rows(ws)).map((row) => [row.id, `${row.status}: ${row.why.join()}`]));
    expect((await status())[log!]).toBe("holds: ./agents/w1/run.log is as it was");
    appendFileSync(join(ws.root, folder, "agents/w1/run.log"), "line 2\n");
    expect((await status())[log!]).toBe("holds: ./agents/w1/run.log has grown and begins as it was");
    write(ws, `${folder}/agents/w1/run.log`, "LINE 1\n");
    expect((await status())[log!]).toBe("broken: ./agents/w1/run.log has changed");
    expect((await status())[run!]).toMatch(/^holds: .\/shared\/evidence\/blobs\/[0-9a-f]{64} is as it was$/);
    const blobs = join(ws.root, folder, "shared/evidence/blobs");
    const [blob] = tree(blobs, { times: false }).map((entry) => entry.split(" ")[0]!);
    writeFileSync(join(blobs, blob!), "13 passed\n");
    expect((await status())[run!]).toMatch(/^broken: .* has changed$/);
    rmSync(join(blobs, blob!));
    expect((await status())[run!]).toMatch(/^broken: .* is not there$/);
  });

  it("[CHECK-2] says what nobody can look at", async () => {
    const ws = openTemp();
    await newTask(ws);
    write(ws, "src/a.ts", "one\n");
    const items = [
      { kind: "code", path: "src/a.ts", start_line: 1 },
      { kind: "fix", commit: "0a1b2c3" },
    ];
    await ok(ws, "tasks_evidence_capture", { task, items, checks: ["CMD: npm test", "LINK: https://ci.example/1"] });
    rmSync(join(ws.root, "src"), { recursive: true });
    const outside = tempFolder();
    writeFileSync(join(outside, "a.ts"), "one\n");
    symlinkSync(outside, join(ws.root, "src"));
    const found = await rows(ws);
    expect(found.map((row) => row.status)).toEqual(found.map(() => "unverifiable"));
    expect(found.map((row) => row.why.join())).toEqual([
      "src/a.ts cannot be looked at: src is a link",
      "whether commit 0a1b2c3 is there cannot be asked of git here",
      "it says what was done and keeps nothing to compare with",
      "it says what was done and keeps nothing to compare with",
    ]);
  });

  it("[CHECK-2] commits are asked of git", ROTATING, async () => {
    const { root, commit } = committed();
    const ws = openTemp({ root, git: () => openGit(root) });
    await newTask(ws);
    const items = [commit, commit.slice(0, 8), "0123456789"].map((id) => ({ kind: "fix", commit: id }));
    await ok(ws, "tasks_evidence_capture", { task, items });
    expect((await rows(ws)).map((row) => [row.status, ...row.why])).toEqual([
      ["broken", "commit 0123456789 is not there"],
      ["holds", `commit ${commit} is there`],
      ["holds", `commit ${commit.slice(0, 8)} is there`],
    ]);
  });

  it("[CHECK-2] handoff and lint name proofs that no longer hold, and not as of the past", async () => {
    const ws = openTemp();
    await newTask(ws);
    write(ws, "src/a.ts", "one\n");
    const items = [{ kind: "code", path: "src/a.ts", start_line: 1 }];
    await ok(ws, "tasks_evidence_capture", { task, path: "s:0", items, checkpoint: ["tests", "docs"] });
    expect(await risks(ws)).toEqual([]);
    write(ws, "src/a.ts", "two\n");
    const [first] = await rows(ws);
    const line = `s:0 First: proof of tests no longer holds: evidence:${first!.id}, src/a.ts:1-1 has changed`;
    expect(await risks(ws)).toEqual([line, line.replace("tests", "docs")]);
    const lint = await ok(ws, "tasks_lint", { task });
    const broken = (lint["issues"] as { code: string; message: string; severity: string }[]).filter(
      (issue) => issue.code === "PROOF_BROKEN",
    );
    expect(broken).toMatchObject([{ severity: "error", message: `${line}.` }, {}]);
    const past = await ok(ws, "tasks_handoff", { task, at: 2 });
    expect((past["handoff"] as JsonObject)["risks"]).toEqual([]);
    await ok(ws, "tasks_delete", { task, path: "s:0" });
    expect(await risks(ws)).toEqual([]);
  });

  it("[CHECK-2] is narrowed by ids and by a step, and paged", async () => {
    const ws = openTemp();
    await newTask(ws);
    const capture = (path: string, count: number) =>
      ok(ws, "tasks_evidence_capture", {
        task,
        path,
        checks: Array.from({ length: count }, (_, i) => `CMD: ${path} ${i}`),
        checkpoint: "tests",
      });
    await capture("s:0", 3);
    await capture("s:1", 2);
    const all = await rows(ws);
    expect(all).toHaveLength(5);
    expect(await rows(ws, { path: "s:1" })).toEqual(all.slice(3));
    expect(await rows(ws, { evidence: [`evidence:${all[4]!.id}`, all[0]!.id] })).toEqual([all[0], all[4]]);
    const page = await call(ws, "tasks_evidence_verify", { task, limit: 2, cursor: 4 });
    expect(page.result).toMatchObject({
      summary: { total: 5, holds: 0, broken: 0, unverifiable: 5 },
      evidence: [all[4]],
      pagination: { next_cursor: null, total: 5 },
    });
    expect(await code(ws, "tasks_evidence_verify", { task, evidence: ["cmd-x"] })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_evidence_verify", { task, path: "s:9" })).toBe("UNKNOWN_ID");
  });
});
