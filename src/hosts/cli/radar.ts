/** `taskfold radar`. */
import { tasksRadar } from "../../tools/tasks_radar.ts";
import type { EntityOptions } from "./entity_input.ts";
import type { CliResult } from "./cli_result.ts";
import { read } from "./read.ts";
import type { Session } from "./session.ts";

export function radar(session: Session, id: string | undefined, options: EntityOptions): Promise<CliResult> {
  return read(session, tasksRadar, id, options);
}
