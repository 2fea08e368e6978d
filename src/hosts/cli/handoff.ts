/** `taskfold handoff`. */
import { tasksHandoff } from "../../tools/tasks_handoff.ts";
import type { EntityOptions } from "./entity_input.ts";
import type { CliResult } from "./cli_result.ts";
import { read } from "./read.ts";
import type { Session } from "./session.ts";

export function handoff(session: Session, id: string | undefined, options: EntityOptions): Promise<CliResult> {
  return read(session, tasksHandoff, id, options);
}
