import type { JsonObject } from "../../src/state/json.ts";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { newTask, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";

const TASK = "TASK-001";
const note = { workspace: WORKSPACE, task: TASK, note: "hello" };
const evidence = { workspace: WORKSPACE, task: TASK };
const steps = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `Step ${i}`, success_criteria: ["it works"] }));

/** `depth` arrays around a number. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function cyclic(): Record<string, unknown> {
  const meta: Record<string, unknown> = {};
  meta["self"] = meta;
  return meta;
}

/** What, the tool, its input, the code. */
const BAD: [string, string, unknown, string][] = [
  ["an unknown tool", "tasks_destroy", note, "UNKNOWN_TOOL"],
  ["a name every object has", "constructor", note, "UNKNOWN_TOOL"],
  ["a prototype's name", "__proto__", note, "UNKNOWN_TOOL"],
  ["no input", "tasks_note", undefined, "INVALID_INPUT"],
  ["null", "tasks_note", null, "INVALID_INPUT"],
  ["a list", "tasks_note", [note], "INVALID_INPUT"],
  ["text", "tasks_note", JSON.stringify(note), "INVALID_INPUT"],
  ["an unknown field", "tasks_note", { ...note, notes: "x" }, "INVALID_INPUT"],
  [
    "a field named __proto__",
    "tasks_note",
    JSON.parse(`{"workspace":"${WORKSPACE}","task":"TASK-001","note":"x","__proto__":{"a":1}}`),
    "INVALID_INPUT",
  ],
  ["a missing field", "tasks_note", { workspace: WORKSPACE, task: TASK }, "INVALID_INPUT"],
  ["no workspace", "tasks_note", { task: TASK, note: "x" }, "INVALID_INPUT"],
  ["a field of the wrong type", "tasks_note", { ...note, note: 7 }, "INVALID_INPUT"],
  ["a number as text", "tasks_note", { ...note, expected_revision: "1" }, "INVALID_INPUT"],
  ["a fraction", "tasks_note", { ...note, expected_revision: 1.5 }, "INVALID_INPUT"],
  ["a negative revision", "tasks_note", { ...note, expected_revision: -1 }, "INVALID_INPUT"],
  ["a function", "tasks_note", { ...note, note: () => "x" }, "INVALID_INPUT"],
  ["an instance", "tasks_note", { ...note, note: new Date(0) }, "INVALID_INPUT"],
  [
    "a cycle",
    "tasks_evidence_capture",
    { ...evidence, items: [{ kind: "x", summary: "y", meta: cyclic() }] },
    "INVALID_INPUT",
  ],
  ["another workspace", "tasks_note", { ...note, workspace: "acme/other" }, "WORKSPACE_MISMATCH"],
  ["another workspace, read", "tasks_radar", { workspace: "acme/other", task: TASK }, "WORKSPACE_MISMATCH"],
  ["an unknown id", "tasks_note", { ...note, task: "TASK-999" }, "UNKNOWN_ID"],
  ["another case of an id", "tasks_note", { ...note, task: "task-001" }, "UNKNOWN_ID"],
  ["an id that climbs", "tasks_note", { ...note, task: "../TASK-001" }, "UNKNOWN_ID"],
  ["an id with a slash", "tasks_radar", { workspace: WORKSPACE, task: "TASK-001/agents" }, "UNKNOWN_ID"],
  ["an id with a NUL", "tasks_radar", { workspace: WORKSPACE, task: "TASK-001\0" }, "UNKNOWN_ID"],
  ["an id that is a pattern", "tasks_radar", { workspace: WORKSPACE, task: "(.*)*x" }, "UNKNOWN_ID"],
  ["no target", "tasks_note", { workspace: WORKSPACE, note: "x" }, "TARGET_REQUIRED"],
  ["both task and plan", "tasks_note", { ...note, plan: "PLAN-001" }, "TARGET_CONTRADICTION"],
  [
    "a task under the name of a plan",
    "tasks_note",
    { workspace: WORKSPACE, plan: TASK, note: "x" },
    "TARGET_CONTRADICTION",
  ],
  ["contradictory selectors", "tasks_note", { ...note, path: "s:0", step_id: "STEP-00000000" }, "UNKNOWN_ID"],
  ["a path of nothing", "tasks_note", { ...note, path: "s:7" }, "UNKNOWN_ID"],
  ["a path that is none", "tasks_note", { ...note, path: "0.1" }, "INVALID_INPUT"],
  ["a path with a huge number", "tasks_note", { ...note, path: "s:99999999999999999999" }, "INVALID_INPUT"],
  ["a stale revision", "tasks_note", { ...note, expected_revision: 0 }, "REVISION_MISMATCH"],
  ["a stale head", "tasks_note", { ...note, expected_head: "x" }, "REVISION_MISMATCH"],
  ...["../x", "CON", "aux", "a/b", "a\\b", ".hidden", "-x", "a.b", "x".repeat(65), "NUL\0", "é", " x"].map(
    (id): [string, string, unknown, string] => [
      `the id ${JSON.stringify(id)}`,
      "tasks_create",
      { workspace: WORKSPACE, kind: "task", id, title: "x" },
      "ID_UNSAFE",
    ],
  ),
  ["an empty id", "tasks_create", { workspace: WORKSPACE, kind: "task", id: "", title: "x" }, "INVALID_INPUT"],
  [
    "an id of 300 characters",
    "tasks_create",
    { workspace: WORKSPACE, kind: "task", id: "x".repeat(300), title: "x" },
    "INVALID_INPUT",
  ],
  [
    "an id that is there in another case",
    "tasks_create",
    { workspace: WORKSPACE, kind: "task", id: "task-001", title: "x" },
    "ID_TAKEN",
  ],
  ["an id that is there", "tasks_create", { workspace: WORKSPACE, kind: "task", id: TASK, title: "x" }, "ID_TAKEN"],
  [
    "a parent that is not there",
    "tasks_create",
    { workspace: WORKSPACE, parent: "PLAN-999", title: "x" },
    "UNKNOWN_ID",
  ],
  ["a parent that is a task", "tasks_create", { workspace: WORKSPACE, parent: TASK, title: "x" }, "INVALID_INPUT"],
  [
    "a title of 1 MB",
    "tasks_create",
    { workspace: WORKSPACE, kind: "task", title: "x".repeat(1 << 20) },
    "CONTENT_TOO_LARGE",
  ],
  ["a blank title", "tasks_create", { workspace: WORKSPACE, kind: "task", title: " \t " }, "INVALID_INPUT"],
  ["a note of 1 MB", "tasks_note", { ...note, note: "x".repeat(1 << 20) }, "CONTENT_TOO_LARGE"],
  ["a lone surrogate", "tasks_note", { ...note, note: "a\ud800b" }, "INVALID_INPUT"],
  ["a lone surrogate in a key", "tasks_note", { ...note, "\udc00": "x" }, "INVALID_INPUT"],
  ["data 200 deep", "tasks_create", { workspace: WORKSPACE, title: "x", contract_data: nested(200) }, "INVALID_INPUT"],
  ["data 62 deep", "tasks_create", { workspace: WORKSPACE, title: "x", contract_data: nested(62) }, "INVALID_INPUT"],
  [
    "a number that is not exact",
    "tasks_create",
    { workspace: WORKSPACE, title: "x", contract_data: 0.1 },
    "INVALID_INPUT",
  ],
  [
    "more than an op holds",
    "tasks_decompose",
    {
      workspace: WORKSPACE,
      task: TASK,
      steps: Array.from({ length: 30 }, () => ({ title: "x", success_criteria: ["y".repeat(200_000)] })),
    },
    "OP_TOO_LARGE",
  ],
  [
    "an attachment outside the folder",
    "tasks_evidence_capture",
    { ...evidence, attachments: ["../TASK-002/events.jsonl"] },
    "PATH_UNSAFE",
  ],
  ["an absolute attachment", "tasks_evidence_capture", { ...evidence, attachments: ["/etc/passwd"] }, "PATH_UNSAFE"],
  [
    "an attachment behind a link",
    "tasks_evidence_capture",
    { ...evidence, attachments: ["agents/out/secret.txt"] },
    "PATH_UNSAFE",
  ],
  [
    "an attachment that is a link",
    "tasks_evidence_capture",
    { ...evidence, attachments: ["agents/link.txt"] },
    "PATH_UNSAFE",
  ],
  ["an attachment that is a folder", "tasks_evidence_capture", { ...evidence, attachments: ["agents"] }, "PATH_UNSAFE"],
  [
    "an absolute path of a file anchor",
    "tasks_evidence_capture",
    { ...evidence, items: [{ kind: "code", path: "/src/a.ts", start_line: 1 }] },
    "PATH_UNSAFE",
  ],
  [
    "a drive in a path",
    "tasks_evidence_capture",
    { ...evidence, items: [{ kind: "code", path: "C:\\a.ts", start_line: 1 }] },
    "PATH_UNSAFE",
  ],
  [
    "a path that climbs",
    "tasks_evidence_capture",
    { ...evidence, items: [{ kind: "code", path: "src/../../a.ts", start_line: 1 }] },
    "PATH_UNSAFE",
  ],
  [
    "an end before the start",
    "tasks_evidence_capture",
    { ...evidence, items: [{ kind: "code", path: "src/a.ts", start_line: 9, end_line: 3 }] },
    "INVALID_INPUT",
  ],
  [
    "line 0",
    "tasks_evidence_capture",
    { ...evidence, items: [{ kind: "code", path: "src/a.ts", start_line: 0 }] },
    "INVALID_INPUT",
  ],
  ["nothing to capture", "tasks_evidence_capture", evidence, "INVALID_INPUT"],
  [
    "more than 20 pieces",
    "tasks_evidence_capture",
    { ...evidence, checks: Array.from({ length: 21 }, (_, i) => `CMD: x ${i}`) },
    "INVALID_INPUT",
  ],
  ["an empty key", "tasks_note", { ...note, idempotency_key: "" }, "INVALID_INPUT"],
  ["a key of 300 characters", "tasks_note", { ...note, idempotency_key: "k".repeat(300) }, "INVALID_INPUT"],
];

async function prepared(): Promise<Workspace> {
  const ws = openTemp();
  await ok(ws, "tasks_create", { id: "PLAN-001", title: "Plan" });
  await newTask(ws);
  const outside = tempFolder();
  writeFileSync(join(outside, "secret.txt"), "secret");
  const agents = join(ws.root, ".coco/tasks/TASK-001/agents");
  mkdirSync(agents, { recursive: true });
  symlinkSync(outside, join(agents, "out"));
  symlinkSync(join(outside, "secret.txt"), join(agents, "link.txt"));
  return ws;
}

/** Marks of what is to be projected: a shared workspace makes them in the background too, after an earlier call. */
const MARKS = /^\.coco\/registry\/[^/]+\/dirty\//;
/** Locks say who had them last, which is no part of the workspace. */
const lasting = (root: string): string[] =>
  tree(root).filter((entry) => !entry.startsWith(".coco/locks") && !MARKS.test(entry));

/** Text at the first look, something else from then on. */
function twice(then: () => unknown): () => unknown {
  let looks = 0;
  return () => (looks++ === 0 ? "hello" : then());
}

describe("bad input", () => {
  it.each(BAD)(
    "[ENG-12] %s is refused with its code and changes nothing on disk",
    async (_what, tool, input, expected) => {
      const ws = await prepared();
      const before = lasting(ws.root);
      const reply = await ws.callTool(tool, input as JsonObject);
      expect(reply.error?.code).toBe(expected);
      expect(reply).toMatchObject({ success: false, intent: tool, result: null });
      expect(reply.error?.message).toMatch(/[Ee]xpected/);
      expect(JSON.stringify(reply)).not.toContain(ws.root);
      expect(lasting(ws.root)).toEqual(before);
    },
  );

  it("[ENG-12] the same on a root that nobody has written to leaves it empty", async () => {
    for (const [what, tool, input] of BAD.filter(([, , , expected]) =>
      /INVALID_INPUT|ID_UNSAFE|UNKNOWN_/.test(expected),
    )) {
      const ws = openTemp();
      expect((await ws.callTool(tool, input as JsonObject)).success, what).toBe(false);
      await ws.close();
      expect(
        lasting(ws.root).filter((entry) => /tasks\//.test(entry)),
        what,
      ).toEqual([]);
    }
  });

  it("[ENG-12] an input is taken as it was when the call was made", async () => {
    const ws = await prepared();
    const input = { ...note };
    const call = ws.call("tasks_note", input);
    input.note = "changed afterwards";
    const reply = await call;
    expect(reply.result?.["event"]).toMatchObject({ note: "hello" });
  });

  it("[ENG-12] an input whose getter throws is INVALID_INPUT", async () => {
    const ws = await prepared();
    const before = lasting(ws.root);
    const get = (): string => {
      throw new Error("/home/somebody");
    };
    const input = Object.defineProperty({ workspace: WORKSPACE, task: TASK }, "note", { get, enumerable: true });
    const reply = await ws.callTool("tasks_note", input);
    expect(reply.error?.code).toBe("INVALID_INPUT");
    expect(JSON.stringify(reply)).not.toContain("/home");
    expect(lasting(ws.root)).toEqual(before);
  });

  it("[ENG-12] a getter is asked once: what it says later is not heard", async () => {
    const ws = await prepared();
    const get = twice(() => {
      throw new TypeError("/home/somebody");
    });
    const input = Object.defineProperty({ workspace: WORKSPACE, task: TASK }, "note", { get, enumerable: true });
    const reply = await ws.callTool("tasks_note", input);
    expect(reply.result?.["event"]).toMatchObject({ note: "hello" });
  });

  it("[ENG-12] an input that does not fit is taken as it was, too", async () => {
    const ws = await prepared();
    const input = { workspace: WORKSPACE, task: TASK, notes: "not known" };
    const call = ws.call("tasks_redo", input);
    delete (input as Partial<typeof input>).notes;
    expect((await call).error?.code).toBe("INVALID_INPUT");
  });

  it("[ENG-12] a caller may change the reply that it got", async () => {
    const ws = await prepared();
    const first = await ok(ws, "tasks_radar", { task: TASK });
    const text = JSON.stringify(first);
    for (const key of Object.keys(first)) delete first[key];
    expect(JSON.stringify(await ok(ws, "tasks_radar", { task: TASK }))).toBe(text);
    const made = await ok(ws, "tasks_create", { kind: "task", title: "Another", steps: steps(2) });
    const event = (made["events"] as { steps?: { title: string }[] }[])[1]!;
    event.steps![0]!.title = "changed by the caller";
    const handoff = await ok(ws, "tasks_handoff", { task: made["id"] as string });
    expect(JSON.stringify(handoff)).not.toContain("changed by the caller");
  });
});
