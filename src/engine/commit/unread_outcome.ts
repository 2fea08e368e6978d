/** Tells a caller of a failure after the lines of a change went out: never a definite no (ERR-2, DUR-7). */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { isFromSystem } from "../entity/reply.ts";

/** Other errors than those of the system come back as they are. */
export function unreadOutcome(id: string, e: unknown): unknown {
  const isCoded = isTaskfoldError(e);
  if (isCoded ? e.code === "UNKNOWN_OUTCOME" : !isFromSystem(e)) return e;
  const { message } = storageError(e, "read it back");
  return new TaskfoldError("UNKNOWN_OUTCOME", `The change of ${id} was written. ${message}`, {
    cause: e,
    recovery: "Call again with the same idempotency_key: it is applied once.",
    details: { reason: "NOT_READ_BACK" },
  });
}
