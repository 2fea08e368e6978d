/** `taskfold history`. */
import { tasksHistory } from "../../tools/tasks_history.ts";
import type { EntityOptions } from "./entity_input.ts";
import type { Outcome } from "./outcome.ts";
import { read } from "./read.ts";
import type { Session } from "./session.ts";

export function history(session: Session, id: string | undefined, options: EntityOptions): Promise<Outcome> {
  return read(session, tasksHistory, id, options);
}
