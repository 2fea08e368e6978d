/**
 * Random logs with branches, op by op as no caller could bring them together: changes of what is there and of what is not, claims,
 * undos that say what their writer saw and such that say anything. The clock runs as it likes, so any branch may come first.
 */
import type { Draft } from "../../src/events/define.ts";
import { changesOf } from "../../src/events/history.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { Branches } from "./branches.ts";
import { creation, minute } from "./logs.ts";
import { randomFrom } from "./random.ts";
import type { Random } from "./random.ts";
import { randomParents } from "./random_graph.ts";
import { foldWhole } from "./task_work.ts";

const message = "Something happened.";
const said = (type: string, payload: object): Draft => ({ type, payload: { ...payload, message } });
const stepId = (n: number): string => `STEP-0000000${n}`;
const nodeId = (n: number): string => `NODE-0000000${n}`;
const body = (n: number) => ({ id: stepId(n), title: `step ${n}`, success_criteria: ["c"], tests: [], blockers: [] });

/** Steps and nodes that these logs name; those of the upper half are there once an op has added them. */
const STEPS = 8;
const NODES = 4;

export function randomBranches(seed: number, size: number): Branches {
  const random = randomFrom(seed);
  const log = new Branches();
  const seen: Set<number>[] = [];
  for (const [index, parents] of randomParents(seed, size).entries()) {
    log.minute = random.below(3 * size);
    seen.push(new Set(parents.flatMap((parent) => [parent, ...seen[parent]!])));
    const ops = log.ops.filter((_, i) => seen[index]!.has(i));
    const by = `agent:a${random.below(4)}`;
    const drafts = index === 0 ? beginning() : anyChange(random, log, ops);
    log.op(
      parents.map((parent) => log.ops[parent]!),
      by,
      ...drafts,
    );
  }
  return log;
}

/** A task with two steps, the second with one below it, and a node. */
function beginning(): Draft[] {
  return [
    creation(message),
    said("steps.added", { parent: null, steps: [body(0), body(1)] }),
    said("steps.added", { parent: stepId(1), steps: [body(2)] }),
    said("task.node_added", { step_id: stepId(0), node_id: nodeId(0), title: "node" }),
  ];
}

function anyChange(random: Random, log: Branches, ancestors: SealedOp[]): Draft[] {
  if (random.chance(0.35)) {
    const turn = anyTurn(random, log, ancestors);
    if (turn) return [turn];
  }
  const n = random.below(1000);
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  // Most of the work is on few steps, or branches would not meet.
  const step = stepId(random.chance(0.7) ? random.below(3) : random.below(STEPS));
  const on = { step_id: step };
  const node = { ...on, node_id: nodeId(random.below(NODES)) };
  const flag = () => random.chance(0.5);
  const word = () => `w${random.below(3)}`;
  const verified = said("step.verified", { ...on, checkpoints: { criteria: true, tests: true } });
  // Some claims of branches run when they meet, and some releases name one of them.
  const lease = { ttl_s: 60, expires_at: minute(log.minute + random.below(60)), fence: n % 3 };
  return pick<() => Draft[]>([
    () => [said("task.edited", { patch: { title: word() } })],
    () => [said("task.edited", { patch: { tags: [word()], depends_on: flag() ? [] : [{ id: word(), root: "r" }] } })],
    () => [said("step.defined", { ...on, title: word(), blockers: flag() ? [word()] : [] })],
    () => [said("step.defined", { ...on, success_criteria: [word()] })],
    () => [said("step.defined", { ...on, depends_on: flag() ? [] : [stepId(random.below(3))] })],
    () => [said("step.defined", { ...on, proof: { tests: pick(["off", "require"]) } })],
    () => [said("step.verified", { ...on, checkpoints: { criteria: flag(), tests: true } })],
    () => [verified, said("step.done", on)],
    () => [verified, said("step.done", { ...on, forced: word() })],
    () => [said("step.reopened", { ...on, reason: word() })],
    () => [said("step.blocked", { ...on, reason: flag() ? word() : null })],
    () => [said("step.blocked", { ...on, reason: word() })],
    () => [said("step.unblocked", on)],
    () => [said("steps.added", { parent: null, steps: [body(3 + random.below(STEPS - 3))] })],
    () => [said("steps.added", { parent: step, steps: [body(3 + random.below(STEPS - 3))] })],
    () => [said("task.node_added", { ...node, title: word() })],
    () => [said("task.node_defined", { ...node, title: word() })],
    () => [said("step.noted", { ...on, note: word() })],
    () => [said("step.noted", { step_id: null, note: word() })],
    () => [said("lease.claimed", { ...on, ...lease })],
    () => [
      said(
        "lease.released",
        flag() ? on : { ...on, claim: flag() ? { by: `agent:a${random.below(4)}`, fence: n % 3 } : null },
      ),
    ],
    () => [said("lease.claimed", { step_id: null, ...lease })],
    () => [said(pick(["task.completed", "task.reopened"]), { reason: word() })],
    () => [said("status.changed", { status: pick(["ACTIVE", "FAILED", "TODO"]) })],
    () => (flag() ? [said("step.deleted", on)] : [said("task.node_deleted", node)]),
  ])();
}

/** An undo or redo of an op that its writer had seen; once in a while it says what is not so. */
function anyTurn(random: Random, log: Branches, ancestors: SealedOp[]): Draft | undefined {
  const { entity, history } = foldWhole(Buffer.concat(ancestors.map(({ bytes }) => bytes)));
  const undone = random.chance(0.4);
  const past = history.ops.filter((op) => op.undoable && op.undone === undone);
  const op = past[past.length - 1 - random.below(Math.min(3, past.length))];
  if (!op) return undefined;
  const wild = random.chance(0.1);
  const fields = changesOf(entity!, op).map(({ field, before, after }) => ({ field, value: undone ? after : before }));
  const named = wild ? fields.filter(() => random.chance(0.5)) : fields;
  const hash = wild ? log.ops[random.below(log.ops.length)]!.events[0]!.hash : op.op;
  return said(undone ? "redo.applied" : "undo.applied", { op: hash, fields: named });
}
