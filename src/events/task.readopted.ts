import { list, openObject, optional, text } from "../state/schema.ts";
import { config, evidenceEntry, gates, readFiles, roster, takeEvidence, takeGates, takeRoster } from "./adopted.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskReadopted = defineEvent({
  type: "task.readopted",
  doc: "What another program changed in task.yaml and in the evidence index was taken in: what it knows of, never steps, checkpoints or status.",
  payload: openObject({
    title: optional(text()),
    description: optional(text()),
    config: optional(config),
    roster,
    gates,
    evidence: list(evidenceEntry),
    updated_at: text(),
    files: readFiles,
    message,
  }),
  undoable: false,
  undo: "Cannot be undone; edit what should be otherwise.",
  apply: (entity, p, _fact, w) => {
    if (p.title !== undefined) w.write(entity, "title", p.title);
    if (p.description !== undefined) w.write(entity, "description", p.description);
    if (p.config !== undefined) w.write(entity, "config", p.config);
    takeRoster(entity, p.roster, p.updated_at, w);
    takeGates(entity, p.gates, p.updated_at, w);
    takeEvidence(entity, p.evidence, w);
    if (p.updated_at > (entity.taken_until ?? "")) w.quiet(entity, "taken_until", p.updated_at);
  },
});
