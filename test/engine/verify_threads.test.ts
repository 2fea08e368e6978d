// @module-tag rotating
/** verify of many entities takes more than one thread, and whatever becomes of the others, its report is the same. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { VerifyReport } from "../../src/engine/repair/verify.ts";
import { child } from "../support/child.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { THREADS } from "../support/threads.ts";

const TASKS = 520;
const TESTING = `file://${join(ROOT, "dist/testing.js")}`;
const BENCH = `file://${join(ROOT, "bench/lib/many_tasks.mjs")}`;

/** Says what two threads would find, and how many threads were started. */
const BODY = `
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace as openForTest } from ${JSON.stringify(TESTING)};
import { workspaceOf } from ${JSON.stringify(BENCH)};
${THREADS}
const folder = join(root, "many");
await (await workspaceOf(folder, ${TASKS})).close();
const at = (id, name) => join(folder, ".coco/tasks", id, name);
writeFileSync(at("TASK-003", "README.md"), "mine");
appendFileSync(at("TASK-300", "events.jsonl"), "no line\\n");
rmSync(at("TASK-510", "events.jsonl"));

const verifyWith = async (count) => {
  const ws = openForTest({ root: folder, runtime: count.runtime });
  const told = [];
  const report = ws.verify(undefined, { progress: (done, total) => told.push([done, total]) });
  await ws.close();
  const isRising = told.every(([done], i) => i === 0 || done >= told[i - 1][0]);
  return { report, started: count.started, last: told.at(-1), isRising };
};
process.send({
  shared: await verifyWith(new Counted(2)),
  refused: await verifyWith(new Counted(2, refused)),
  dying: await verifyWith(new Counted(2, dying)),
  alone: await verifyWith(new Counted(0)),
});
`;

interface Verified {
  report: VerifyReport;
  started: number;
  last: [number, number];
  isRising: boolean;
}

describe("verify with threads", () => {
  it("[VERIFY-1] [regression VERIFY-62] gives one report with threads, without them, and with threads that die, and tells how far it is", async () => {
    const seen = (await child(tempFolder(), BODY)) as Record<"shared" | "refused" | "dying" | "alone", Verified>;
    const { entities, findings } = seen.alone.report;
    expect(entities).toBe(TASKS - 1);
    const codes = findings.map(({ code, file }) => [code, file]);
    expect(codes).toContainEqual(["PROJECTION_DIFFERS", ".coco/tasks/TASK-003/README.md"]);
    expect(codes).toContainEqual(["LINE_NOT_JSON", ".coco/tasks/TASK-300/events.jsonl"]);
    expect(codes).toContainEqual(["FOLDER_WITHOUT_LOG", ".coco/tasks/TASK-510"]);
    expect([seen.alone.started, seen.shared.started, seen.refused.started, seen.dying.started]).toEqual([0, 2, 0, 2]);
    for (const { report, last, isRising } of Object.values(seen)) {
      expect(report).toEqual(seen.alone.report);
      expect(last).toEqual([TASKS, TASKS]);
      expect(isRising).toBe(true);
    }
  }, 180_000);
});
