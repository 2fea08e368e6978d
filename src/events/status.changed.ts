import { STATUSES } from "../state/entity.ts";
import { oneOf, openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";
import { setStatus } from "./recompute.ts";

const OTHERS = STATUSES.filter((s) => s !== "DONE") as ("TODO" | "ACTIVE" | "FAILED" | "CANCELED")[];

export const statusChanged = defineEvent({
  type: "status.changed",
  doc: "The status is TODO, ACTIVE, FAILED or CANCELED; DONE has an event of its own.",
  payload: openObject({ status: oneOf(OTHERS), reason: optional(text()), message }),
  undoable: true,
  undo: "Restores the status it had before.",
  apply: (entity, p, fact, w) => {
    setStatus(entity, p.status, p.reason ?? null, fact, w);
  },
});
