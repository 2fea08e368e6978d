/** What a log can say, no reader breaks upon: any event of any type, with a hash that is right. */
import fc from "fast-check";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { openWorkspace } from "../support/open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { Fold } from "../../src/events/fold.ts";
import { changesOf } from "../../src/events/history.ts";
import { sealOp } from "../../src/log/envelope.ts";
import type { Payload } from "../../src/log/types.ts";
import type { Entity } from "../../src/state/entity.ts";
import { entityFromJson, entityToJson } from "../../src/state/entity_json.ts";
import { fieldAt } from "../../src/state/fields.ts";
import { anyEvent } from "../support/any_event.ts";
import type { Named } from "../support/any_event.ts";
import { watched } from "../support/outputs.ts";
import { UNSYNCED } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { foldWhole } from "../support/task_work.ts";
import { call, counting, logPath, newTask, ok, START, ticking } from "../support/workspace.ts";

const TASK = "TASK-001";

const READS: [string, Record<string, unknown>][] = [
  ["tasks_radar", {}],
  ["tasks_handoff", {}],
  ["tasks_context", { target: undefined }],
  ["tasks_context_pack", {}],
  ["tasks_history", {}],
  ["tasks_snapshot", {}],
  ["tasks_mirror", {}],
  ["tasks_lint", {}],
  ["tasks_resume", {}],
  ["tasks_resume_pack", {}],
  ["tasks_resume_super", {}],
  ["tasks_evidence_verify", {}],
  ["tasks_delta", {}],
];

function open(root: string): Workspace {
  return watched(
    openWorkspace({
      durability: "os",
      disk: UNSYNCED,
      now: ticking(START + 86_400_000),
      newId: counting("reader"),
      root,
    }),
  );
}

/** A task with something of everything in it, and another one beside it. */
async function made(root: string): Promise<void> {
  const ws = open(root);
  const task = TASK;
  await newTask(ws);
  await newTask(ws, "TASK-002");
  await ok(ws, "tasks_decompose", { task, parent: "s:0", steps: [{ title: "below", success_criteria: ["c"] }] });
  await ok(ws, "tasks_task_add", { task, parent_step: "s:1", title: "a node" });
  await ok(ws, "tasks_note", { task, note: "n" });
  await ok(ws, "tasks_think", { task, hypothesis: "perhaps", test: { title: "t", text: "so" }, trace: "hm" });
  await ok(ws, "tasks_block", { task, path: "s:1", reason: "waits" });
  await ok(ws, "tasks_edit", { task, title: "Another title", depends_on: ["TASK-002"], tags: ["a"] });
  await ok(ws, "tasks_close_step", { task, path: "s:0.s:0", checkpoints: "gate" });
  await ok(ws, "tasks_evidence_capture", { task, path: "s:0", checks: ["CMD: npm test"], checkpoint: "docs" });
  await ok(ws, "tasks_edit", { task, description: "d" });
  await ok(ws, "tasks_undo", { task });
  await ws.close();
}

function namedIn(fold: Fold): Named {
  const entity = fold.entity!;
  const fields = fold.history.ops.flatMap((op) => changesOf(entity, op).map((c) => c.field));
  return {
    steps: [...entity.steps.keys()],
    nodes: [...entity.nodes.keys()],
    cards: [...entity.cards.keys()],
    ops: fold.history.ops.map((op) => op.op),
    fields: [...new Set([...fields, "status", "title", "depends_on", "description"])],
  };
}

/** Names of the fields that do not hold what they are for. */
function mistyped(entity: Entity): string[] {
  const nodes = [
    entity,
    entity.checklist,
    ...entity.nodes.values(),
    ...[...entity.steps.values()].flatMap((s) => [s, s.confirmed, s.proof]),
  ];
  return nodes.flatMap((node) =>
    Object.entries(node).flatMap(([key, value]) => {
      const place = fieldAt(entity, node.$ + key);
      return place && !place.kind(value) ? [node.$ + key] : [];
    }),
  );
}

/** Appends ops of these events, each upon the one before it. */
function append(path: string, events: readonly { type: string; payload: object }[]): void {
  const known = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  mkdirSync(dirname(path), { recursive: true });
  let last = known.length === 0 ? null : (JSON.parse(known.at(-1)!) as { hash: string; seq: number });
  for (const [i, event] of events.entries()) {
    const sealed = sealOp({
      taskId: "TASK-001",
      by: "agent:x",
      ts: new Date(START + 3_600_000 + i * 1000).toISOString(),
      tool: "test",
      opId: `fuzz-${i}`,
      heads: last ? [last.hash] : [],
      seq: last?.seq ?? 0,
      drafts: [event as { type: string; payload: Payload }],
    });
    appendFileSync(path, sealed.bytes);
    last = sealed.events[0]!;
  }
}

describe("laws of reading", () => {
  it(
    "[EVENT-1] any event with a right hash leaves every field its type, and no reader breaks upon it",
    SWEEP,
    async () => {
      await inTempFolder(async (first) => {
        await made(first);
        const named = namedIn(foldWhole(readFileSync(logPath(first))));
        const some = (of?: string[]) => fc.array(anyEvent(named, of), { minLength: 1, maxLength: 10 });
        // A log may begin with anything, too.
        const begun = fc.tuple(anyEvent(named, ["task.created", "task.adopted"]), some());
        const given = fc.oneof(
          fc.record({ id: fc.constant(TASK), events: some() }),
          fc.record({ id: fc.constant(TASK), events: some(["undo.applied", "redo.applied"]) }),
          fc.record({ id: fc.constant("TASK-003"), events: begun.map(([event, more]) => [event, ...more]) }),
        );
        await fc.assert(
          fc.asyncProperty(given, ({ id, events }) =>
            inTempFolder(async (root) => {
              cpSync(first, root, { recursive: true });
              append(logPath(root, id), events);
              expect(await faultsIn(root, id)).toEqual([]);
            }),
          ),
          runsOf(60),
        );
      });
    },
  );

  it("[EVENT-1] what breaks a look at one folder is a finding, and the others are looked at", async () => {
    await inTempFolder(async (root) => {
      await made(root);
      const broken: Disk = {
        ...UNSYNCED,
        readFile: (path) => {
          if (path.includes("TASK-001")) throw new RangeError("odd");
          return UNSYNCED.readFile(path);
        },
      };
      const ws = openWorkspace({ durability: "os", disk: broken, root });
      try {
        const { ok: sound, entities, findings } = ws.verify();
        expect([sound, entities, findings.map(({ code, file }) => [code, file])]).toEqual([
          false,
          1,
          [["FOLDER_UNREADABLE", ".coco/tasks/TASK-001"]],
        ]);
      } finally {
        await ws.close();
      }
    });
  });
});

/** What does not hold of a folder and its neighbours, whichever reader looks. */
async function faultsIn(root: string, id: string): Promise<string[]> {
  const { entity } = foldWhole(readFileSync(logPath(root, id)));
  const faults = entity ? mistyped(entity) : [];
  if (entity && !isDeepStrictEqual(entityFromJson(JSON.parse(JSON.stringify(entityToJson(entity)))), entity))
    faults.push("the entity is not what its JSON says");
  const ws = open(root);
  try {
    for (const [tool, input] of READS) {
      const { error } = await call(ws, tool as "tasks_radar", { target: id, ...input });
      if (error?.code === "INTERNAL" || (entity && error?.code === "INVALID_INPUT"))
        faults.push(`${tool}: ${error.code} ${error.message} ${JSON.stringify(error.details)}`);
    }
    const listed = await ok(ws, "tasks_context", {});
    if (!JSON.stringify(listed).includes("TASK-002")) faults.push("TASK-002 is not listed");
    for (const { code, file } of ws.verify().findings)
      if (file.includes("TASK-002") || code === "FOLDER_UNREADABLE") faults.push(`${code} ${file}`);
    await ws.repair.rebuild();
    await ws.repair.resolve();
    for (const { code, file } of ws.verify().findings)
      if (code === "PROJECTION_DIFFERS") faults.push(`${code} ${file}`);
  } finally {
    await ws.close();
  }
  return faults;
}
