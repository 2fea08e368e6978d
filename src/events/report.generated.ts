import { AGENT_STATUSES } from "../state/report.ts";
import { list, oneOf, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const reportGenerated = defineEvent({
  type: "report.generated",
  doc: "An actor reported the outcome, agent by agent; the joined summary says so from here on.",
  payload: openObject({
    title: text(),
    summary: text(),
    agents: list(
      openObject({
        instance: text(),
        agent: text(),
        status: oneOf(AGENT_STATUSES),
        summary: text(),
        conclusions: list(openObject({ text: text(), evidence: list(text()) })),
        questions: list(text()),
        next_actions: list(text()),
      }),
    ),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: make another report.",
  free: true,
  apply: (entity, { title, summary, agents }, { ts, by }, w) => {
    w.writeUntracked(entity, "report", { title, summary, agents, ts, by });
  },
});
