import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { EditPatch } from "../events/edited.ts";
import { planEdited } from "../events/plan.edited.ts";
import { taskEdited } from "../events/task.edited.ts";
import type { Kind, Ref, Subject } from "../state/entity.ts";
import type { ProofModes } from "../state/proof_modes.ts";
import type { Json } from "../state/schema.ts";
import { sentence } from "./phrase.ts";
import { callOn, fieldsCall } from "./suggest.ts";
import { checkJson, checkText, checkTitle, cleanList } from "./text.ts";

export interface EditInput {
  title?: string;
  description?: string | null;
  context?: string | null;
  priority?: string;
  tags?: readonly string[];
  depends_on?: readonly string[];
  complete_when_done?: boolean | null;
  new_domain?: string | null;
  contract?: string | null;
  contract_data?: Json;
  /** Of a plan: these modes beside those that it has. */
  proof?: ProofModes;
}

/** Fields that only one kind of entity has. */
const ONLY: Partial<Record<keyof EditInput, Kind>> = {
  new_domain: "task",
  contract: "plan",
  contract_data: "plan",
  proof: "plan",
};

/** One event with every field that is given (TOOL-17). null clears a field; a list replaces the list. */
export function editEntity(subject: Subject, input: EditInput, refs: ReadonlyMap<string, Ref>): Draft[] {
  const { entity } = subject;
  for (const [field, kind] of Object.entries(ONLY)) {
    if ((input[field as keyof EditInput] ?? undefined) !== undefined) refuseOtherKind(subject, field, kind);
  }
  const patch = patchOf(subject, ofItsKind(entity.kind, input), refs);
  if (Object.keys(patch).length === 0) {
    throw new TaskfoldError("INVALID_INPUT", "Expected at least one field to edit, found none.", {
      recovery: `Give title, description, context, priority, tags, depends_on, complete_when_done${entity.kind === "task" ? " or new_domain" : ", contract, contract_data or proof"}.`,
      suggestions: [callOn(subject, "tasks_edit", { title: "<fill: its new title>" }, "Give it another title.")],
    });
  }
  return editedDrafts(subject, patch);
}

/** null of a field that only the other kind has clears nothing: clients in strict mode send each field. */
function ofItsKind(kind: Kind, input: EditInput): EditInput {
  return Object.fromEntries(
    Object.entries(input).filter(([field]) => (ONLY[field as keyof EditInput] ?? kind) === kind),
  ) as EditInput;
}

/** The one event that sets what the patch holds. */
export function editedDrafts({ entity }: Subject, patch: EditPatch): Draft[] {
  const fields = Object.keys(patch);
  const message = sentence(`Edited ${fields.join(", ")} of ${entity.kind} "${patch.title ?? entity.title}"`);
  return [entity.kind === "plan" ? planEdited.draft({ patch, message }) : taskEdited.draft({ patch, message })];
}

/** A field that only one kind of entity has is refused on the other. */
export function refuseOtherKind(subject: Subject, field: string, only: Kind | undefined): void {
  const { kind } = subject.entity;
  if (only === undefined || only === kind) return;
  throw new TaskfoldError("INVALID_INPUT", `Expected ${field} for a ${only} only; ${subject.id} is a ${kind}.`, {
    recovery: `Leave ${field} out.`,
    suggestions: [fieldsCall(subject)],
  });
}

function patchOf(subject: Subject, input: EditInput, refs: ReadonlyMap<string, Ref>): EditPatch {
  const { title, description, context, priority, tags, depends_on, new_domain, contract, contract_data } = input;
  const { complete_when_done, proof } = input;
  return {
    ...(title === undefined ? {} : { title: checkTitle(title) }),
    ...(description === undefined ? {} : { description: checkText(description ?? "", "description") }),
    ...(context === undefined ? {} : { context: textOrNull(context, "context") }),
    ...(priority === undefined ? {} : { priority: checkTitle(priority, "priority") }),
    ...(tags === undefined ? {} : { tags: cleanList(tags, "tags") }),
    ...(depends_on === undefined ? {} : { depends_on: checkedDependencies(subject, depends_on, refs) }),
    ...(complete_when_done === undefined ? {} : { complete_when_done }),
    ...(new_domain === undefined ? {} : { domain: new_domain === null ? null : checkTitle(new_domain, "new_domain") }),
    ...(contract === undefined ? {} : { contract: textOrNull(contract, "contract") }),
    ...(contract_data === undefined ? {} : { contract_data: checkJson(contract_data, "contract_data") }),
    ...(Object.keys(proof ?? {}).length === 0 ? {} : { proof: { ...subject.entity.proof, ...proof } }),
  };
}

function textOrNull(value: string | null, field: string): string | null {
  return value === null ? null : checkText(value, field);
}

export function checkedDependencies(subject: Subject, ids: readonly string[], refs: ReadonlyMap<string, Ref>): Ref[] {
  const found = refsTo(ids, refs);
  const own = found.find((ref) => ref.root === subject.entity.root);
  if (!own) return found;
  throw new TaskfoldError("INVALID_INPUT", `Expected ids of others in depends_on, found ${own.id} itself.`, {
    recovery: "Leave it out: nothing can wait for itself.",
    suggestions: [fieldsCall(subject)],
  });
}

/** With the root, so that the dependency holds when a folder is renamed; each entity once. */
export function refsTo(ids: readonly string[], refs: ReadonlyMap<string, Ref>): Ref[] {
  const byRoot = new Map<string, Ref>();
  for (const id of ids) {
    const ref = refs.get(id);
    if (!ref) throw new TaskfoldError("UNKNOWN_ID", `Expected ids of plans or tasks in depends_on, found ${id}.`);
    byRoot.set(ref.root, { id: ref.id, root: ref.root });
  }
  return [...byRoot.values()];
}
