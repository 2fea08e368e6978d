import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Payload } from "../../src/log/types.ts";
import { sealOp } from "../../src/log/envelope.ts";
import type { EvidenceSource } from "../../src/state/evidence.ts";
import { inCocoRange } from "../../src/state/evidence.ts";
import { code, logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";

const ID = "TASK-001";

/** The index on disk, its sources only. */
function sourcesOf(root: string): EvidenceSource[] {
  const index = readFileSync(join(root, ".coco/tasks", ID, "shared/evidence/index.json"), "utf8");
  return (JSON.parse(index) as { sources: EvidenceSource[] }[]).flatMap(({ sources }) => sources);
}

describe("numbers that Coco cannot read", () => {
  it.each([
    [{ kind: "run", command: "x", exit_code: 2_147_483_648 }],
    [{ kind: "run", command: "x", exit_code: -2_147_483_649 }],
    [{ kind: "code", path: "a.ts", start_line: 4_294_967_296 }],
    [{ kind: "code", path: "a.ts", start_line: 1, end_line: 4_294_967_296 }],
    [{ kind: "code", path: "a.ts", start_line: 0 }],
  ])("[EVID-40] are refused: %o", async (item) => {
    const ws = openTemp();
    await newTask(ws);
    const before = logLines(ws.root);
    expect(await code(ws, "tasks_evidence_capture", { task: ID, items: [item] })).toBe("INVALID_INPUT");
    expect(logLines(ws.root)).toEqual(before);
  });

  it("[EVID-40] the largest that fit are taken as they are", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_evidence_capture", {
      task: ID,
      items: [
        { kind: "run", command: "x", exit_code: 2_147_483_647 },
        { kind: "run", command: "y", exit_code: -2_147_483_648 },
        { kind: "code", path: "a.ts", start_line: 4_294_967_295 },
      ],
    });
    expect(sourcesOf(ws.root)).toMatchObject([
      { exitCode: 2_147_483_647 },
      { exitCode: -2_147_483_648 },
      { startLine: 4_294_967_295, endLine: 4_294_967_295 },
    ]);
  });

  it("[EVID-40] from an older log stay in the log and out of the index, and adoption takes no copy of them in", async () => {
    const ws = openTemp();
    await newTask(ws);
    const last = JSON.parse(logLines(ws.root).at(-1)!) as { hash: string; seq: number };
    const base = { title: "old", summary: "", counts: true };
    const items = [
      { ...base, kind: "command-execution", command: "x", cwd: ".", exit_code: 4_294_967_295 },
      { ...base, kind: "file-anchor", path: "a.ts", start_line: 7, end_line: 2 ** 40 },
    ];
    const payload: Payload = { step_id: null, checkpoints: [], items, message: "m" };
    const { bytes } = sealOp({
      taskId: ID,
      by: "system",
      ts: "2026-01-02T00:00:00.000Z",
      tool: "tasks_evidence_capture",
      opId: "old",
      heads: [last.hash],
      seq: last.seq,
      drafts: [{ type: "evidence.captured", payload }],
    });
    appendFileSync(logPath(ws.root), bytes);
    await ws.repair.rebuild(ID);
    expect(sourcesOf(ws.root)).toEqual([
      { type: "commandExecution", command: "x", cwd: "." },
      { type: "fileAnchor", path: "a.ts", startLine: 7, endLine: 4_294_967_295 },
    ]);
    expect(ws.verify(ID).findings.filter((f) => !f.info)).toEqual([]);
    expect(await ws.repair.adopt(ID, { again: true })).toMatchObject({ changed: false, took: { evidence: 0 } });
  });

  it("[EVID-40] whatever a log holds, each number of the index fits", () => {
    const number = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, 2 ** 31, 2 ** 32));
    const source = fc.oneof(
      fc.record({
        type: fc.constant("fileAnchor" as const),
        path: fc.constant("a"),
        startLine: number,
        endLine: number,
      }),
      fc.record({
        type: fc.constant("commandExecution" as const),
        command: fc.constant("a"),
        cwd: fc.constant("."),
        exitCode: number,
      }),
      fc.record({
        type: fc.constant("runtimeEventRange" as const),
        eventsRef: fc.constant("a"),
        startLine: number,
        endLine: number,
      }),
    );
    fc.assert(
      fc.property(fc.array(source), (sources) => {
        const entry = {
          id: "e",
          kind: "file-anchor" as const,
          title: "t",
          summary: "",
          createdAt: "2026-01-01T00:00:00Z",
          sources,
        };
        for (const one of inCocoRange(entry).sources) {
          const codes = one.type === "commandExecution" ? [one.exitCode ?? 0] : [];
          const lines = one.type === "commandExecution" ? [] : [one.startLine ?? 1, one.endLine ?? 1];
          expect(codes.every((n) => n >= -(2 ** 31) && n < 2 ** 31)).toBe(true);
          expect(lines.every((n) => n >= 1 && n < 2 ** 32)).toBe(true);
        }
      }),
    );
  });
});

describe("anchors behind the end of their file", () => {
  it("[EVID-16] are told by verify with the lines there are, and leave the folder sound", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(join(ws.root, "a.ts"), "one\ntwo\nthree\n");
    const anchor = (end_line: number) => ({ kind: "code", path: "a.ts", start_line: 1, end_line });
    const gone = { kind: "code", path: "gone.ts", start_line: 1, end_line: 9 };
    await ok(ws, "tasks_evidence_capture", { task: ID, items: [anchor(2), anchor(3), gone] });
    expect(ws.verify(ID).findings.filter((f) => f.code === "ANCHOR_BEYOND_FILE")).toEqual([]);
    await ok(ws, "tasks_evidence_capture", { task: ID, items: [anchor(4)] });
    writeFileSync(join(ws.root, "a.ts"), "one\ntwo\n");
    const report = ws.verify(ID);
    const told = report.findings.filter((f) => f.code === "ANCHOR_BEYOND_FILE");
    expect(told).toHaveLength(2);
    expect(told.map((f) => f.message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^Expected evidence:file-[0-9a-f]{20}-2 to end within the 2 lines of a\.ts, found line 3\.$/,
        ),
        expect.stringMatching(
          /^Expected evidence:file-[0-9a-f]{20}-1 to end within the 2 lines of a\.ts, found line 4\.$/,
        ),
      ]),
    );
    expect(told[0]?.file).toBe(`.coco/tasks/${ID}/shared/evidence/index.json`);
    expect(report.ok).toBe(true);
  });
});
