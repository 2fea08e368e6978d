import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../support/open.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";
import { MANIFEST, start, TASK, withPacket } from "./packet_support.ts";
import { ROTATING } from "../support/sweep.ts";

/** Patterns that every character of the text begins a match of, and that look at all that follows. */
const SECURITY = { redaction_patterns: Array.from({ length: 4 }, (_, i) => `a(.*)q${i}|a`) };
const LONG = "a".repeat(120 * 1024);

/** Who is done first: a call, or those made after it, by this process and by another one of the same folder. */
async function orderOf(ws: Workspace, slow: () => Promise<JsonObject>): Promise<string[]> {
  const other = openWorkspace({ root: ws.root, by: "agent:bob", workspace: WORKSPACE });
  onTestFinished(() => other.close());
  const order: string[] = [];
  const said = (name: string) => (): unknown => order.push(name);
  await Promise.all([
    slow().then(said("slow")),
    ok(ws, "tasks_radar", { target: "TASK-002" }).then(said("read")),
    ok(ws, "tasks_note", { task: "TASK-002", note: "the same process" }).then(said("note")),
    ok(other, "tasks_note", { task: TASK, note: "another process, the same task" }).then(said("other")),
  ]);
  return order;
}

const FIRST = ["note", "other", "read", "slow"];
/** The slow one is the last; the order of the others says nothing. */
function told(order: string[]): string[] {
  return [...order.slice(0, -1).toSorted(), order.at(-1)!];
}

describe("redaction before the lock", () => {
  it(
    "[regression PACKET-421] keeps neither the task nor other answers waiting, whichever call has the long text",
    ROTATING,
    async () => {
      const ws = await withPacket({ security: SECURITY });
      await newTask(ws, "TASK-002");
      const set = { task: TASK, path: "user_request.md", text: LONG };
      expect(told(await orderOf(ws, () => ok(ws, "packet_input_set", set)))).toEqual(FIRST);
      expect(readFileSync(join(ws.root, ".coco/tasks", TASK, "inputs/user_request.md"), "utf8")).toMatch(
        /^(?:\[REDACTED\]){9}/,
      );
      await ok(ws, "packet_input_set", { ...set, text: `${"b".repeat(100_000)}\n` });
      expect(told(await orderOf(ws, () => start(ws, "gemini_brief")))).toEqual(FIRST);
      const finish = { task: TASK, stage: "gemini_brief", exit_code: 1, out: LONG, err: LONG };
      expect(told(await orderOf(ws, () => ok(ws, "packet_stage_finish", finish)))).toEqual(FIRST);
      const define = { task: TASK, manifest: { ...MANIFEST, security: SECURITY }, inputs: { "user_request.md": LONG } };
      expect(told(await orderOf(ws, () => ok(ws, "packet_define", define)))).toEqual(FIRST);
      const log = readFileSync(join(ws.root, ".coco/tasks", TASK, "events.jsonl"), "utf8");
      expect(log).not.toContain("aaaa");
    },
  );

  it(
    "[regression PACKET-421] calls of one caller keep their order, however long their texts are",
    ROTATING,
    async () => {
      const ws = await withPacket({ security: SECURITY });
      const set = (text: string): Promise<JsonObject> =>
        ok(ws, "packet_input_set", { task: TASK, path: "user_request.md", text });
      await Promise.all([set(LONG), set("the second\n"), set("b".repeat(100_000)), set("the last\n")]);
      expect(readFileSync(join(ws.root, ".coco/tasks", TASK, "inputs/user_request.md"), "utf8")).toBe(
        "the l[REDACTED]st\n",
      );
    },
  );

  it("[regression PACKET-421] a text is masked by the patterns that hold when it is decided", ROTATING, async () => {
    const ws = await withPacket({ security: SECURITY });
    const other = openWorkspace({ root: ws.root, by: "agent:bob", workspace: WORKSPACE });
    onTestFinished(() => other.close());
    const security = { redaction_patterns: ["b+"] };
    await Promise.all([
      ok(ws, "packet_input_set", { task: TASK, path: "user_request.md", text: `${LONG}b` }),
      ok(other, "packet_patch", { task: TASK, manifest: { security } }),
    ]);
    expect(readFileSync(join(ws.root, ".coco/tasks", TASK, "inputs/user_request.md"), "utf8")).toBe(
      `${LONG}[REDACTED]`,
    );
  });
});
