/** A step: a node of the tree inside a task. */
import type { Checkpoint, ProofMode } from "./checkpoint.ts";
import type { ReceiptKind } from "./evidence.ts";
import type { Lease } from "./lease.ts";
import type { Node } from "./node.ts";

/** Evidence linked to a checkpoint; `counts` is false for placeholders, missing files and failed runs. */
export interface Link {
  evidence: string;
  counts: boolean;
  /** What kind of receipt it is: of a command that was run, or of where its result can be read. */
  receipt: ReceiptKind | null;
  /** The command and where it was run; null where the evidence is no run. */
  command: string | null;
  cwd: string | null;
  exit_code: number | null;
  /** Place of its op in replay order, from 0. */
  op: number;
  /** When it was captured: never before an earlier run of its command that its op has seen (PROOF-33). */
  time: string;
  /** Something was kept, or an exit code 0 recorded, that backs what it says. */
  backed: boolean;
}

export interface Step extends Node {
  readonly id: string;
  readonly parent: Step | null;
  /** Position among its siblings, deleted ones included: a path is never given to another step (STEP-2). */
  readonly ordinal: number;
  readonly children: Step[];
  /** Ids of its task nodes, deleted ones included. */
  readonly nodes: string[];
  title: string;
  success_criteria: string[];
  tests: string[];
  blockers: string[];
  readonly confirmed: Node & Record<Checkpoint, boolean>;
  readonly proof: Node & Record<Checkpoint, ProofMode>;
  readonly linked: Node & Record<Checkpoint, Link[]>;
  done: boolean;
  done_at: string | null;
  done_by: string | null;
  /** Why `force` passed a block or open children when the step was closed. */
  forced: string | null;
  /** Why a step that had been closed is open again. */
  reopened: string | null;
  blocked: boolean;
  block_reason: string | null;
  deleted: boolean;
  /** Who has taken it. */
  lease: Lease | null;
  notes: number;
  /** Ids of steps that have to be closed before this one; an adopted step may name what is no step of ours. */
  depends_on: string[];
  /** It names the task's packet: only the packet's verifying stage proves its tests (PACKET-218). */
  packet: boolean;
  /** Whether that stage proves them now; false for a step that does not name the packet. */
  accepted: boolean;
  /** An adopted milestone that was in work, which our steps do not say. */
  started?: true;
}

export interface StepBody {
  title: string;
  success_criteria: string[];
  tests: string[];
  blockers: string[];
  depends_on?: string[];
  packet?: boolean;
  proof?: Partial<Record<Checkpoint, ProofMode>>;
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
    accepted: false,
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
  };
}
