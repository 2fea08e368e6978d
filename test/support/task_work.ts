/** Random calls on one small task, close together, with undo and redo of any op: where undo has something to get wrong. */
import { readFileSync } from "node:fs";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { openWorkspace } from "./open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { Fold } from "../../src/events/fold.ts";
import { foldLog } from "../../src/fold_log.ts";
import { bytesSource } from "../../src/log/source.ts";
import type { Entity } from "../../src/state/entity.ts";
import { preOrder } from "../../src/state/tree.ts";
import { randomFrom } from "./random.ts";
import type { Random } from "./random.ts";
import { UNSYNCED } from "./random_work.ts";
import { counting, logPath, START, ticking, WORKSPACE } from "./workspace.ts";

const TASK = "TASK-001";
const body = (title: string) => ({ title, success_criteria: ["it works"] });

/** A log folded from its start; with every op of its past in detail, or with the last few. */
export function foldWhole(bytes: Uint8Array, ring = Infinity): Fold {
  return foldLog(bytesSource(Buffer.from(bytes)), { ring }).fold;
}

/** One call with what was so before and after it. */
export interface Made {
  tool: string;
  input: Record<string, unknown>;
  reply: Reply;
  before: Fold;
  after: Fold;
}

export class TaskWork {
  readonly ws: Workspace;
  readonly #path: string;

  constructor(root: string, seed: string, minutes = 0) {
    this.#path = logPath(root, TASK);
    const now = ticking(START + minutes * 60_000);
    this.ws = openWorkspace({
      durability: "os",
      projections: "manual",
      disk: UNSYNCED,
      newId: counting(seed),
      now,
      root,
    });
  }

  /** The task: two steps, the second with two below it. */
  async begin(): Promise<void> {
    const create = { kind: "task", id: TASK, title: "t", steps: [body("one"), body("two")] };
    const decompose = { task: TASK, parent: "s:1", steps: [body("three"), body("four")] };
    for (const [tool, input] of Object.entries({ tasks_create: create, tasks_decompose: decompose })) {
      const { error } = await this.ws.callTool(tool, { workspace: WORKSPACE, ...input });
      if (error) throw new Error(error.message);
    }
  }

  fold(ring?: number): Fold {
    return foldWhole(readFileSync(this.#path), ring);
  }

  /** Makes the calls; `look` is told of those that changed something. */
  async do(numbers: readonly number[], look: (made: Made) => void = () => undefined): Promise<void> {
    let before = this.fold();
    for (const n of numbers) {
      const [tool, more] = nextCall(randomFrom(n), before);
      const input = { workspace: WORKSPACE, target: TASK, ...more };
      const reply = await this.ws.callTool(tool, input);
      if (reply.error?.code === "INTERNAL" || reply.error?.code === "INVALID_INPUT")
        throw new Error(`${tool} ${JSON.stringify(input)}: ${reply.error.message}`);
      if (reply.error) continue;
      const after = this.fold();
      look({ tool, input, reply, before, after });
      before = after;
    }
  }
}

function nodeIn({ nodes }: Entity, random: Random): Record<string, unknown> {
  const ids = [...nodes.keys()];
  return ids.length === 0 ? { path: "s:0.t:0" } : { task_node_id: ids[random.below(ids.length)]! };
}

function nextCall(random: Random, { entity, history }: Fold): [string, Record<string, unknown>] {
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const n = random.below(1000);
  if (random.chance(0.3)) {
    const op = pick(history.ops.filter((past) => past.undoable && !past.undone))?.op;
    return random.chance(0.3)
      ? ["tasks_redo", {}]
      : ["tasks_undo", op === undefined || random.chance(0.2) ? {} : { op }];
  }
  const live = [...preOrder(entity!.children)];
  const step = live.length === 0 ? { path: "s:0" } : { step_id: pick(live).id };
  return pick<() => [string, Record<string, unknown>]>([
    () => ["tasks_edit", { title: `title ${n}` }],
    () => ["tasks_edit", { tags: [`tag ${n}`], description: `description ${n}` }],
    () => ["tasks_define", { ...step, title: `step ${n}`, blockers: [`b${n}`] }],
    () => ["tasks_define", { ...step, success_criteria: [`criterion ${n}`] }],
    () => ["tasks_verify", { ...step, checkpoints: "gate" }],
    () => ["tasks_verify", { ...step, checkpoints: { criteria: random.chance(0.5) } }],
    () => ["tasks_close_step", { ...step, checkpoints: "gate" }],
    () => ["tasks_close_step", { ...step, checkpoints: "gate" }],
    () => ["tasks_done", step],
    () => ["tasks_progress", { ...step, completed: true, force: true, reason: `forced ${n}` }],
    () => ["tasks_progress", { ...step, completed: false, reason: `again ${n}` }],
    () => ["tasks_block", { ...step, reason: `blocked ${n}` }],
    () => ["tasks_block", { ...step, blocked: false }],
    () => ["tasks_decompose", { steps: [body(`step ${n}`)] }],
    () => ["tasks_decompose", { parent: step.step_id ?? step.path, steps: [body(`step ${n}`)] }],
    () => ["tasks_note", { ...step, note: `note ${n}` }],
    () => ["tasks_evidence_capture", { ...step, checks: ["CMD: npm test"], checkpoint: [pick(["tests", "docs"])] }],
    () => [
      "tasks_evidence_capture",
      { ...step, items: [{ kind: "run", command: "npm test", exit_code: random.below(2) }], checkpoint: ["tests"] },
    ],
    () => ["tasks_define", { ...step, proof: { tests: pick(["require", "off"]) } }],
    () => ["tasks_define", { ...step, packet: random.chance(0.3) }],
    // Numbered by the past too: to append what is there already is INVALID_INPUT.
    () => [
      "tasks_patch",
      { ...step, ops: [{ op: "append", field: "blockers", value: `b${n} ${history.ops.length}` }] },
    ],
    () => ["tasks_patch", { ops: [{ op: "set", field: "phase", value: `phase ${n}` }] }],
    () => ["tasks_task_add", { parent_step: step.step_id ?? step.path, title: `node ${n}` }],
    () => ["tasks_task_define", { ...nodeIn(entity!, random), title: `node ${n}`, status: "ACTIVE" }],
    () =>
      random.chance(0.3)
        ? ["tasks_task_delete", nodeIn(entity!, random)]
        : ["tasks_task_define", { ...nodeIn(entity!, random), risks: [`r${n}`] }],
    () => ["tasks_complete", { status: pick(["DONE", "DONE", "ACTIVE", "FAILED"]), reason: `so ${n}` }],
    () => (random.chance(0.3) ? ["tasks_delete", step] : ["tasks_note", { note: `note ${n}` }]),
  ])();
}
