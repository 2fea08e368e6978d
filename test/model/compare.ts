/** What the engine answers, beside what the model says: the same, and sound. */
import { expect } from "vitest";
import type { Entity, Op } from "./entity.ts";
import { children, steps } from "./entity.ts";
import type { Model } from "./model.ts";
import { WORKSPACE } from "./model.ts";
import type { Real } from "./real.ts";
import { CHECKPOINTS, hasBegunTask, missing, openChildren, unproved, shownStatus } from "./steps.ts";

type Row = Record<string, unknown>;

export async function ask(real: Real, tool: string, input: Row, by: string): Promise<Row> {
  const { error, result } = await real.call(tool, { workspace: WORKSPACE, ...input }, by);
  if (error) throw new Error(`${tool} ${JSON.stringify(input)}: ${error.code} ${error.message}`);
  return result as Row;
}

/** Every plan and task in brief, and the focus. */
export async function compareAll(model: Model, real: Real, by: string): Promise<void> {
  const { plans, tasks } = (await ask(real, "tasks_context", { plans_limit: 200, tasks_limit: 200 }, by)) as Record<
    string,
    Row[]
  >;
  expect([...plans!, ...tasks!].map(briefly)).toEqual(
    [...model.live("plan"), ...model.live("task")].map((entity) => brief(entity, model)),
  );
  const { focus } = await ask(real, "tasks_focus_get", {}, by);
  expect({ focus }).toEqual({ focus: model.focusOf(by) ?? null });
}

const briefly = ({ id, kind, title, status, revision, parent, steps: count }: Row): Row => {
  const { total, completed } = count as Row;
  return { id, kind, title, status, revision, parent, total, completed };
};

/** STEP-70: a plan follows its tasks. */
function statusInLists(entity: Entity, model: Model): unknown {
  const own = shownStatus(entity);
  if (entity.kind === "task" || own !== "TODO") return own;
  return hasBegunTask(entity, model) ? "ACTIVE" : own;
}

function brief(entity: Entity, model: Model): Row {
  const { id, kind, parent, ops } = entity;
  const { title } = entity.places[""]!;
  const status = statusInLists(entity, model);
  const live = steps(entity);
  const completed = live.filter((step) => entity.places[step]!["done"] === true).length;
  return { id, kind, title, status, revision: ops.length, parent, total: live.length, completed };
}

/** One plan or task in every detail; learns the ids of what is new. */
export async function compareOne(model: Model, real: Real, id: string, by: string): Promise<void> {
  const entity = model.state.entities[id]!;
  await compareOps(real, entity, by);
  const seen = await ask(real, "tasks_resume", { target: id }, by);
  const { description, priority, tags, depends_on, contract, complete_when_done = null } = seen["detail"] as Row;
  const whole = entity.places[""]!;
  const detail = { description, priority, tags, depends_on, contract, complete_when_done };
  expect(detail).toEqual(pickFrom(whole, Object.keys(detail)));
  learn(model, id, seen["step_list"] as Row[]);
  expect((seen["step_list"] as Row[]).map(stepSaid)).toEqual(steps(entity).map((step) => stepKnown(entity, step)));
  expect(unsound(entity)).toEqual([]);
  const mirror = await ask(real, "tasks_mirror", { target: id, limit: 200 }, by);
  if (entity.kind === "task") expect(claimsSaid(mirror["steps"] as Row[])).toEqual(claimsKnown(entity, real.now));
  else
    expect((mirror["plan"] as Row)["checklist"]).toMatchObject({
      steps: whole["checklist"],
      current: whole["current"],
    });
}

/** Which ops there are, and what became of each. */
async function compareOps(real: Real, entity: Entity, by: string): Promise<void> {
  const { operations } = await ask(real, "tasks_history", { target: entity.id, limit: 200 }, by);
  const rows = (operations as Row[]).toReversed();
  const from = entity.ops.length - rows.length;
  for (const [i, row] of rows.entries()) {
    const op = entity.ops[from + i];
    if (op?.hash === "") op.hash = row["op"] as string;
  }
  expect(rows.map(opSaid)).toEqual(entity.ops.slice(from).map(opKnown));
}

const opSaid = ({ op, by, tool, undoable, undone }: Row): Row => ({ op, by, tool, undoable, undone });
const opKnown = ({ hash, by, tool, undoable, undone }: Op): Row => ({
  op: hash,
  by,
  tool,
  undoable: undoable && !undone,
  undone,
});

const SAID = [
  "title",
  "done",
  "blocked",
  "block_reason",
  "success_criteria",
  "tests",
  "blockers",
  "confirmed",
  "missing_checkpoints",
  "missing_proofs",
];

function stepSaid(row: Row): Row {
  const nodes = (row["task_nodes"] ?? []) as Row[];
  return {
    ...pickFrom(row, ["path", ...SAID]),
    nodes: nodes.map((node) => ({
      risks: [],
      ...pickFrom(node, ["path", "title", "status"]),
      ...("risks" in node ? { risks: node["risks"] } : {}),
    })),
  };
}

function stepKnown(entity: Entity, step: string): Row {
  const at = entity.places[step]!;
  return {
    ...pickFrom(at, SAID),
    path: step,
    done: at["done"] === true,
    blocked: at["blocked"] === true,
    block_reason: at["block_reason"] ?? null,
    confirmed: CHECKPOINTS.filter((c) => at[`confirmed.${c}`] === true),
    missing_checkpoints: missing(entity, step),
    missing_proofs: unproved(entity, step),
    nodes: children(entity, step, "t").map((node) => ({
      path: node,
      ...pickFrom(entity.places[node]!, ["title", "status", "risks"]),
    })),
  };
}

const claimsSaid = (rows: Row[]): Row =>
  Object.fromEntries(
    rows.flatMap(({ path, lease }) => (lease ? [[path, pickFrom(lease as Row, ["by", "fence"])]] : [])),
  );
/** An answer has no claim whose time is over (LEASE-36). */
const claimsKnown = (entity: Entity, now: number): Row =>
  Object.fromEntries(
    steps(entity).flatMap((step) => {
      const lease = entity.leases[step];
      return lease && lease.expires > now ? [[step, { by: lease.by, fence: lease.fence }]] : [];
    }),
  );

function pickFrom(from: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

/** An id is given once and stays where it is. */
function learn(model: Model, id: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const nodes = ((row["task_nodes"] ?? []) as Row[]).map((node) => ({
      name: node["task_node_id"],
      path: node["path"],
    }));
    for (const { name, path } of [{ name: row["step_id"], path: row["path"] }, ...nodes]) {
      const at = { entity: id, path: path as string };
      const known = model.names.get(name as string);
      if (known) expect({ name, ...known }).toEqual({ name, ...at });
      else model.names.set(name as string, at);
    }
  }
}

/** What may never be, whatever was called. */
function unsound(entity: Entity): string[] {
  const live = steps(entity);
  const isOpen = (step: string): boolean => entity.places[step]!["done"] !== true;
  const closed = live.filter((step) => !isOpen(step));
  const found = closed
    .filter((step) => entity.places[step]!["forced"] === null && openChildren(entity, step).length > 0)
    .map((step) => `${step} is closed above open steps, and not by force`);
  const required = closed.flatMap((step) =>
    missing(entity, step)
      .filter((c) => c === "criteria" || c === "tests")
      .map((c) => `${step} is closed without ${c}`),
  );
  const done = entity.kind === "task" && entity.places[""]!["status"] === "DONE" && live.some(isOpen);
  const held = closed.filter((step) => entity.leases[step]).map((step) => `${step} is closed and claimed`);
  return [...found, ...required, ...held, ...(done ? ["DONE with open steps"] : [])];
}
