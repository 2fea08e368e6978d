import type { Draft } from "../events/define.ts";
import { planUpdated } from "../events/plan.updated.ts";
import type { Kind, Ref } from "../state/entity.ts";
import type { CreateInput } from "./create_entity.ts";
import { createEntity } from "./create_entity.ts";
import { counted } from "../state/counted.ts";
import { sentence } from "./phrase.ts";
import { templateOf } from "./templates.ts";

/** Without `kind`, what the template is for. */
export interface ScaffoldInput extends Pick<
  CreateInput,
  | "workspace"
  | "kind"
  | "title"
  | "id"
  | "parent"
  | "description"
  | "priority"
  | "tags"
  | "depends_on"
  | "complete_when_done"
  | "ordered"
> {
  template: string;
}

/** The first op of a plan or task made from a template (TPL-2): as `createEntity`, with the template's checklist or steps. */
export function scaffold(
  { template: id, ...input }: ScaffoldInput,
  refs: ReadonlyMap<string, Ref & { kind: Kind }>,
  newStepId: () => string,
): Draft[] {
  const template = templateOf(id, input.kind, input.workspace);
  const drafts = createEntity(
    { ...input, kind: template.kind, ...(template.steps ? { steps: template.steps } : {}) },
    refs,
    newStepId,
  );
  const items = template.plan_steps;
  if (!items) return drafts;
  const message = sentence(`Set the checklist of plan "${input.title}" to ${counted(items.length, "item")}`);
  return [...drafts, planUpdated.draft({ steps: [...items], message })];
}
