/** Inputs as the model writes and reads them: every field that it knows of, whatever the tool. */
import type { Checkpoints, StepBody } from "./steps.ts";

export interface PatchOp {
  op: "set" | "unset" | "append" | "remove";
  field: string;
  value?: string | string[];
}

export interface Patch {
  path?: string;
  step_id?: string;
  ops: PatchOp[];
}

export interface Input {
  workspace?: string;
  task?: string;
  plan?: string;
  target?: string;
  step_id?: string;
  path?: string;
  task_node_id?: string;
  parent?: string;
  parent_step?: string;
  kind?: "plan" | "task";
  id?: string;
  title?: string;
  since?: string;
  all?: boolean;
  text?: string;
  plan_title?: string;
  on_error?: string;
  task_title?: string;
  template?: string;
  description?: string | null;
  priority?: string;
  tags?: string[];
  depends_on?: string[];
  complete_when_done?: boolean | null;
  whole?: boolean;
  steps?: (StepBody | string)[];
  success_criteria?: string[];
  tests?: string[];
  blockers?: string[];
  risks?: string[];
  proof?: StepBody["proof"] | string[];
  checkpoints?: Checkpoints;
  checkpoint?: string | string[];
  checks?: string[];
  items?: { kind: string; command: string; exit_code: number }[];
  completed?: boolean;
  force?: boolean;
  blocked?: boolean;
  reason?: string;
  status?: string;
  note?: string;
  op?: string;
  ops?: PatchOp[];
  patches?: Patch[];
  apply?: boolean;
  current?: number | string;
  advance?: boolean;
  clear?: boolean;
  ttl_s?: number;
  fence?: number;
  category?: string;
  selector?: string;
  content?: string;
  think?: { frame?: string };
  frame?: string;
  decision?: string;
  summary?: string;
  atomic?: boolean;
  operations?: { tool: string; args: Input }[];
  expected_revision?: number;
  idempotency_key?: string;
  max_chars?: number;
  limit?: number;
  read_only?: boolean;
  /** No tool knows it. */
  colour?: string;
}
