import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepNoted } from "../events/step.noted.ts";
import type { Step, Subject } from "../state/entity.ts";
import { nameOf, sentence } from "./phrase.ts";
import { callOn } from "./suggest.ts";
import { checkText } from "./text.ts";

/** Writes a progress note on a step, or on the whole when `step` is null (STEP-63). A blank note is refused. */
export function noteStep(subject: Subject, step: Step | null, note: string): Draft[] {
  if (checkText(note, "note").trim() === "") {
    throw new TaskfoldError("INVALID_INPUT", "Expected a note that says something, found only blanks.", {
      recovery: "Say in note what was done, found or decided.",
      suggestions: [
        callOn(
          subject,
          "tasks_note",
          { ...(step ? { step_id: step.id } : {}), note: "<fill: what was found>" },
          "Write the note.",
        ),
      ],
    });
  }
  const on = step ? nameOf(step) : `"${subject.entity.title}"`;
  return [stepNoted.draft({ step_id: step?.id ?? null, note, message: sentence(`Noted on ${on}`, note) })];
}
