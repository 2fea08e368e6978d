import { CHECKPOINTS, STATUSES, TOPOLOGIES } from "../state/entity.ts";
import type { Entity, Step } from "../state/entity.ts";
import { newEntity } from "../state/new_entity.ts";
import type { Infer } from "../state/schema.ts";
import { list, oneOf, openObject, optional, text } from "../state/schema.ts";
import { newStep } from "../state/step.ts";
import {
  config,
  evidenceEntry,
  gates,
  inShortest,
  people,
  readFiles,
  roster,
  takeEvidence,
  takeGates,
  takeRoster,
} from "./adopted.ts";
import { defineEvent } from "./define.ts";
import { message, stepId } from "./parts.ts";
import { Writer } from "./writer.ts";

const steps = list(
  openObject({
    id: stepId,
    /** The other program's name for it. */
    milestone: text(),
    title: text(),
    state: oneOf(["pending", "working", "done", "blocked"]),
    depends_on: list(text()),
  }),
);

export const taskAdopted = defineEvent({
  type: "task.adopted",
  doc: "A task that another program kept exists in this log from here on, as its task file and evidence index had it. It is always the first event.",
  payload: openObject({
    title: text(),
    description: text(),
    topology: oneOf(TOPOLOGIES),
    status: oneOf(STATUSES),
    created_at: text(),
    updated_at: text(),
    steps,
    roster,
    gates,
    config,
    evidence: list(evidenceEntry),
    people,
    files: readFiles,
    /** Members of the task file that the other program does not know itself: kept, and without effect. */
    extra: optional(list(openObject({ path: text(), json: text() }))),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: an entity is deleted, not unmade.",
  found: (p, fact): Entity => {
    const entity = newEntity({
      root: fact.hash,
      kind: "task",
      created_at: inShortest(p.created_at),
      created_by: fact.by,
      updated_at: fact.ts,
      title: p.title,
      description: p.description,
      topology: p.topology,
    });
    entity.status = p.status;
    entity.config = p.config;
    entity.taken_until = p.updated_at;
    for (const body of p.steps) {
      if (entity.steps.has(body.id)) continue;
      const step = adoptedStep(body, entity.children.length, fact);
      entity.steps.set(step.id, step);
      entity.children.push(step);
    }
    const w = new Writer();
    takeRoster(entity, p.roster, p.updated_at, w);
    takeGates(entity, p.gates, p.updated_at, w);
    takeEvidence(entity, p.evidence, w);
    for (const { file, content, sha256 } of p.people)
      Object.assign(entity.people[file], { content, sha256, ts: fact.ts });
    return entity;
  },
  apply: () => undefined,
});

/** Milestones have no checkpoints: one that was done had all it needed. */
function adoptedStep(
  { id, title, state, depends_on }: Infer<typeof steps>[number],
  ordinal: number,
  { ts, by }: { ts: string; by: string },
): Step {
  const step = newStep(id, null, ordinal, { title, success_criteria: [], tests: [], blockers: [], depends_on });
  if (state === "working") step.started = true;
  step.blocked = state === "blocked";
  if (state !== "done") return step;
  for (const c of CHECKPOINTS) step.confirmed[c] = true;
  return Object.assign(step, { done: true, done_at: ts, done_by: by });
}
