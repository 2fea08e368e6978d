/** Whether `TASKFOLD_WATCH_POLLING=1` asks for looks at files, where the system tells nothing of them (WATCH-4). */
import { TaskfoldError } from "../../errors.ts";
import type { Io } from "./io.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export function watchPolling(env: Io["env"]): boolean {
  const given = env["TASKFOLD_WATCH_POLLING"] || "0";
  if (given === "0" || given === "1") return given === "1";
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected TASKFOLD_WATCH_POLLING to be 1 or 0, found ${JSON.stringify(given)}.`,
    remedy`TASKFOLD_WATCH_POLLING=1 ${TASKFOLD} watch`,
  );
}
