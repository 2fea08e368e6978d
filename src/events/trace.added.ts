import { LIMITS } from "../state/limits.ts";
import type { TraceEntry } from "../state/reasoning.ts";
import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const traceAdded = defineEvent({
  type: "trace.added",
  doc: "An actor wrote down a step of thought that is no card.",
  payload: openObject({ text: text(), message }),
  undoable: true,
  undo: "Takes the line out of the trace; its text stays in the log.",
  free: true,
  apply: (entity, p, fact, w) => {
    const line: TraceEntry = {
      id: fact.hash,
      ts: fact.ts,
      by: fact.by,
      kind: "thought",
      card: null,
      text: p.text,
    };
    w.ring(entity, "trace", line, LIMITS.recentTrace);
    w.writeUntracked(entity, "trace_count", entity.trace_count + 1);
    w.mark("trace", line);
  },
});
