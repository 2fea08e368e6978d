/** `taskfold delta`. */
import { tasksDelta } from "../../tools/tasks_delta.ts";
import type { EntityOptions } from "./entity_input.ts";
import type { CliResult } from "./cli_result.ts";
import { read } from "./read.ts";
import type { Session } from "./session.ts";

export function delta(session: Session, id: string | undefined, options: EntityOptions): Promise<CliResult> {
  return read(session, tasksDelta, id, options);
}
