/** `taskfold history`. */
import { tasksHistory } from "../../tools/tasks_history.ts";
import type { EntityOptions } from "./entity_input.ts";
import type { CliResult } from "./cli_result.ts";
import { read } from "./read.ts";
import type { Session } from "./session.ts";

export function history(session: Session, id: string | undefined, options: EntityOptions): Promise<CliResult> {
  return read(session, tasksHistory, id, options);
}
