/** Which fields a patch may change, and how (PATCH-3). */
import type { Kind } from "../state/entity.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import type { Json } from "../state/schema.ts";
import { NODE_LISTS } from "../state/entity.ts";

export interface Field {
  /** `line`: one line of text; `ids`: a list of ids of plans and tasks, or of steps. */
  type: "line" | "text" | "list" | "ids" | "json" | "status" | "flag";
  /** The value that `unset` leaves; a field without it cannot be unset. */
  unset?: Json;
  only?: Kind;
}

export type Fields = Readonly<Record<string, Field>>;

const list: Field = { type: "list", unset: [] };
const stepIds: Field = { type: "ids", unset: [] };
const taskLine: Field = { type: "line", unset: null, only: "task" };

/** A table whose lookup finds nothing that was not put into it. */
const table = (fields: Record<string, Field>): Fields => Object.assign(Object.create(null) as object, fields) as Fields;

export const DETAIL_FIELDS = table({
  title: { type: "line" },
  description: { type: "text", unset: "" },
  context: { type: "text", unset: null },
  priority: { type: "line" },
  tags: list,
  depends_on: { type: "ids", unset: [] },
  complete_when_done: { type: "flag", unset: null },
  domain: taskLine,
  phase: taskLine,
  component: taskLine,
  assignee: taskLine,
  contract: { type: "text", unset: null, only: "plan" },
  contract_data: { type: "json", unset: null, only: "plan" },
});

export const STEP_FIELDS = table({
  title: { type: "line" },
  success_criteria: list,
  tests: list,
  blockers: list,
  depends_on: stepIds,
  files: list,
  packet: { type: "flag", unset: false },
});

export const NODE_FIELDS = table({
  title: { type: "line" },
  status: { type: "status", unset: "TODO" },
  priority: { type: "line", unset: DEFAULT_PRIORITY },
  description: { type: "text", unset: "" },
  context: { type: "text", unset: null },
  ...Object.fromEntries(NODE_LISTS.map((name) => [name, list])),
});
