/** Makes steps: nodes of the tree inside a task. */
import type { Checkpoint, Link, ProofMode, Step } from "./entity.ts";
import type { Node } from "./node.ts";

export interface StepBody {
  title: string;
  success_criteria: string[];
  tests: string[];
  blockers: string[];
  depends_on?: string[];
  packet?: boolean;
  proof?: Partial<Record<Checkpoint, ProofMode>>;
  confirm?: { [C in Checkpoint]?: "other" };
  files?: string[];
}

export function newStep(id: string, parent: Step | null, ordinal: number, body: StepBody): Step {
  const $ = `step.${id}.`;
  // Written out: a log with thousands of steps makes three of these for each.
  const each = <T>(name: string, value: (c: Checkpoint) => T): Node & Record<Checkpoint, T> => ({
    $: `${$}${name}.`,
    criteria: value("criteria"),
    tests: value("tests"),
    security: value("security"),
    perf: value("perf"),
    docs: value("docs"),
  });
  return {
    $,
    id,
    parent,
    ordinal,
    children: [],
    nodes: [],
    title: body.title,
    success_criteria: body.success_criteria,
    tests: body.tests,
    blockers: body.blockers,
    depends_on: body.depends_on ?? [],
    packet: body.packet ?? false,
    accepted: null,
    confirmed: each("confirmed", () => false as boolean),
    proof: each("proof", (c) => body.proof?.[c] ?? "off"),
    linked: each<Link[]>("linked", () => []),
    done: false,
    done_at: null,
    done_by: null,
    forced: null,
    reopened: null,
    blocked: false,
    block_reason: null,
    deleted: false,
    lease: null,
    notes: 0,
    files: body.files ?? [],
    confirm: body.confirm ?? {},
  };
}
