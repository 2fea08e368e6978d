/** A change that closes a circle of dependencies stands, as a merge may close one too; it is told (TOOL-17). */
import type { Warning } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Find } from "../state/depends.ts";
import { circleThrough } from "../state/depends.ts";
import type { IdOf, Subject } from "../state/entity.ts";
import type { JsonObject } from "../state/schema.ts";

interface Changed {
  subject: Subject;
  events: readonly JsonObject[];
  find: Find;
  idOf: IdOf;
}

/** After a change: only where it wrote what the entity depends on, for each log on the way is looked at. */
export function warnOfCircle({ subject, events, find, idOf }: Changed): Warning[] {
  const wrote = events.some(({ patch }) => (patch as JsonObject | undefined)?.["depends_on"] !== undefined);
  const circle = wrote ? circleThrough(subject, find, idOf) : null;
  if (circle === null) return [];
  return [
    {
      code: "DEPENDENCY_CYCLE",
      message: `${subject.id} depends on itself: ${circle}.`,
      ...remedy`Take one of these dependencies out with ${toolName("tasks_patch")}: none of them is ready before another is DONE.`,
    },
  ];
}
