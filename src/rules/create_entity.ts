import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { EditPatch } from "../events/edited.ts";
import { planEdited } from "../events/plan.edited.ts";
import { taskCreated } from "../events/task.created.ts";
import { taskEdited } from "../events/task.edited.ts";
import type { Kind, Ref, Topology } from "../state/entity.ts";
import { checkId } from "../state/ids.ts";
import type { ProofModes } from "../state/proof_modes.ts";
import type { Json } from "../state/schema.ts";
import type { NewSteps } from "./add_steps.ts";
import { stepsDrafts } from "./add_steps.ts";
import { refsTo } from "./edit_entity.ts";
import { sentence } from "./phrase.ts";
import { checkJson, checkText, checkTitle, cleanList } from "./text.ts";
import { TEMPLATES } from "./templates.ts";

export interface CreateInput extends Partial<NewSteps> {
  workspace: string;
  kind?: Kind;
  parent?: string;
  id?: string;
  title: string;
  description?: string;
  contract?: string | null;
  contract_data?: Json;
  topology?: Topology;
  priority?: string;
  tags?: readonly string[];
  depends_on?: readonly string[];
  proof?: ProofModes;
  complete_when_done?: boolean;
}

/** The kind that an input means: that of its template, else a task when there is a parent, else a plan (TOOL-15, TPL-2). */
export function kindOf(input: { kind?: Kind; parent?: string; template?: string }): Kind {
  const ofTemplate = TEMPLATES.find(({ id }) => id === input.template)?.kind;
  return input.kind ?? ofTemplate ?? (input.parent === undefined ? "plan" : "task");
}

/**
 * The first op of a plan or task (TOOL-15, TOOL-16). INVALID_INPUT for what does not go together, ID_UNSAFE for an id
 * that cannot name a folder.
 */
export function createEntity(
  input: CreateInput,
  refs: ReadonlyMap<string, Ref & { kind: Kind }>,
  newStepId: () => string,
): Draft[] {
  const kind = kindOf(input);
  const title = checkTitle(input.title);
  if (input.id !== undefined) checkGivenId(input, input.id, kind);
  const parent = parentOf(input, kind, refs);
  // Empty and null are what clients send for "not given": they do no harm where they do not belong.
  if (kind === "plan" && (input.steps?.length ?? 0) > 0) {
    refuse(input, kind, "Expected steps for a task only, found them for a plan.");
  }
  if (kind === "task" && ((input.contract ?? null) !== null || (input.contract_data ?? null) !== null)) {
    refuse(input, kind, "Expected a contract for a plan only, found one for a task.");
  }
  const asked = Object.keys(input.proof ?? {}).length > 0;
  if (kind === "task" && asked) {
    refuse(input, kind, "Expected proof modes of a plan only, found them for a task: each step has its own.");
  }
  const { steps = [], ordered = false } = input;
  const under = parent === null ? "" : ` under ${parent.id}`;
  const created = taskCreated.draft({
    kind,
    title,
    description: checkText(input.description ?? "", "description"),
    topology: input.topology ?? "squad",
    parent,
    contract: input.contract === undefined || input.contract === null ? null : checkText(input.contract, "contract"),
    contract_data: checkJson(input.contract_data ?? null, "contract_data"),
    ...(asked ? { proof: input.proof! } : {}),
    message: sentence(`Created ${kind} "${title}"${under}`),
  });
  const drafts = [created, ...detailDrafts(input, kind, title, refs)];
  return steps.length === 0
    ? drafts
    : [...drafts, ...stepsDrafts(null, null, { steps, ordered }, newStepId, `to "${title}"`)];
}

/** Returns events of the same op for fields that the first event has no room for, as an edit would set them. */
function detailDrafts(
  { priority, tags, depends_on, complete_when_done: completes }: CreateInput,
  kind: Kind,
  title: string,
  refs: ReadonlyMap<string, Ref>,
): Draft[] {
  const patch: EditPatch = {
    ...(priority === undefined ? {} : { priority: checkTitle(priority, "priority") }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags: cleanList(tags, "tags") }),
    ...(depends_on === undefined || depends_on.length === 0 ? {} : { depends_on: refsTo(depends_on, refs) }),
    ...(completes === undefined ? {} : { complete_when_done: completes }),
  };
  const fields = Object.keys(patch);
  if (fields.length === 0) return [];
  const message = sentence(`Set ${fields.join(", ")} of ${kind} "${title}"`);
  return [(kind === "plan" ? planEdited : taskEdited).draft({ patch, message })];
}

/** A prefix that says a kind has to say this one: PLAN-9 is never a task. */
function checkGivenId(input: CreateInput, id: string, kind: Kind): void {
  checkId(id);
  const prefix = /^(plan|task)-/i.exec(id)?.[1]?.toLowerCase();
  if (prefix !== undefined && prefix !== kind) {
    refuse(input, kind, `Expected an id of a ${kind}, found ${id}, which reads as a ${prefix}.`);
  }
}

function parentOf(input: CreateInput, kind: Kind, refs: ReadonlyMap<string, Ref & { kind: Kind }>): Ref | null {
  if (input.parent === undefined) return null;
  if (kind === "plan") refuse(input, kind, `Expected no parent for a plan, found ${input.parent}.`);
  const parent = refs.get(input.parent);
  if (!parent) throw new TaskfoldError("UNKNOWN_ID", `Expected the id of a plan as parent, found ${input.parent}.`);
  if (parent.kind !== "plan") {
    refuse(input, kind, `Expected a plan as parent; ${parent.id} is a ${parent.kind}.`);
  }
  return { id: parent.id, root: parent.root };
}

/** The call offered is the least that makes such a thing: what did not go together is left out. */
function refuse(input: CreateInput, kind: Kind, message: string): never {
  const args = { workspace: input.workspace, kind, title: input.title };
  throw new TaskfoldError("INVALID_INPUT", message, {
    recovery: "Leave out what does not belong there, or create the other kind.",
    suggestions: [{ tool: "tasks_create", args, reason: `Create the ${kind} alone.` }],
  });
}
