/** Refusals that are about the shared log. */
import { basename, dirname } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { SharedLog, SharedLogPort, SharedState } from "../core/shared_log.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export function unavailable(port: Pick<SharedLogPort, "address">, why: string): TaskfoldError {
  return new TaskfoldError(
    "SHARED_UNAVAILABLE",
    `Expected the shared log at ${port.address}; ${why}. Nothing was changed.`,
    {
      recovery: "Call again when a server answers, or open the workspace without `shared` to read it.",
    },
  );
}

/** Why the connection that was there can take no change. */
export function disconnected(port: Pick<SharedLogPort, "address">, log: SharedLog): unknown {
  return log.refusal ?? unavailable(port, "the connection is lost");
}

/** Whether the shared log cannot be asked at this moment: no server answers, or none lets this machine in. */
export function isUnreachable(e: unknown): e is TaskfoldError {
  return isTaskfoldError(e) && (e.code === "SHARED_UNAVAILABLE" || e.code === "SHARED_DENIED");
}

/** `why`: what the servers said; undefined where none answered. */
export function behind({ address }: SharedLogPort, why: unknown): Warning {
  const denial = isTaskfoldError(why) && why.code === "SHARED_DENIED" ? why : undefined;
  return {
    code: "SHARED_BEHIND",
    message: `The shared log at ${address} cannot be ${denial ? "read with the rights of this user" : "reached"}; this is what this machine has.`,
    recovery: denial?.recovery ?? "Call again when a server answers.",
  };
}

/** A change that is in the logs of this machine, beside the tools. */
export function notPublished({ message }: TaskfoldError): Warning {
  return {
    code: "SHARED_BEHIND",
    message: `This machine has it, and other machines do not yet: ${message}`,
    ...remedy`${TASKFOLD} shared sync publishes it; so does the next change of that plan or task.`,
  };
}

/** Changes of other machines cannot be put into the logs of this one. */
export function notApplied({ message }: Error): Warning {
  return {
    code: "SHARED_BEHIND",
    message: `The shared log was not taken in: ${message}`,
    recovery: "Let the process write the folder, then call again.",
  };
}

/** The shared log is another one: a read answers from this machine. */
export function notOfThat({ message, recovery = "" }: TaskfoldError): Warning {
  return { code: "SHARED_BEHIND", message: `This is what this machine has. ${message}`, recovery };
}

/** Changes of other machines wait until the log of that plan or task can be read. */
export function notReadable(id: string, { message }: Error): Warning {
  return {
    code: "SHARED_BEHIND",
    message: `Changes of other machines to ${id} were not taken in, because its log cannot be read: ${message}`,
    ...remedy`${TASKFOLD} verify ${id} names the file. Once the log can be read, ${TASKFOLD} shared sync takes the changes in.`,
  };
}

/** Changes of this machine wait until their log can be read. */
export function notPublishable({ id, folder }: Pick<LoadedEntity, "id" | "folder">, cause: unknown): TaskfoldError {
  const path = `.coco/${basename(dirname(folder))}/${id}/${LOG_FILE}`;
  return new TaskfoldError(
    "LOG_UNREADABLE",
    `Expected to read ${path}, which has changes that the shared log lacks; the system said ${errnoOf(cause)}. They were not published.`,
    {
      cause,
      ...remedy`Give this user the right to read ${path}. Then call sync(), or run ${TASKFOLD} shared sync.`,
      details: { path },
    },
  );
}

export function notMade({ address }: SharedLogPort, workspace: string): TaskfoldError {
  return new TaskfoldError("SHARED_UNAVAILABLE", `Expected a shared log of ${workspace} at ${address}, found none.`, {
    ...remedy`${TASKFOLD} shared init makes it.`,
    details: { reason: "NOT_MADE" },
  });
}

export function replaced({ address }: SharedLogPort, taken: number, state: SharedState | null): TaskfoldError {
  const found = state ? `one with messages ${state.first} to ${state.last}` : "another one, or none";
  return new TaskfoldError(
    "SHARED_REPLACED",
    `Expected the shared log at ${address} of which this machine has ${taken} messages, found ${found}. Nothing was published.`,
    {
      ...remedy`If the log was deleted or restored, run ${TASKFOLD} shared leave and ${TASKFOLD} shared init: what is here is published again.`,
      details: { taken_in: taken, ...(state ? { first: state.first, last: state.last } : {}) },
    },
  );
}

export function notHereYet(cause: unknown): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    "Expected the disk to take the change that the shared log has; it did not yet.",
    {
      cause,
      recovery: "Call again with the same idempotency_key: it is applied once.",
      details: { reason: "NOT_TAKEN_IN" },
    },
  );
}
