/** `taskfold list`: the whole workspace, however many rows that is. */
import { wholeContext } from "../../tools/tasks_context.ts";
import type { Outcome } from "./outcome.ts";
import { reading } from "./read.ts";
import { outcomeOf } from "./reply_text.ts";
import type { Session } from "./session.ts";

export function list(session: Session, { archived }: { archived?: boolean } = {}): Promise<Outcome> {
  const asked = archived ? { archived } : {};
  return reading(session, async (call, workspace) => outcomeOf(session, workspace, await call(wholeContext, asked)));
}
