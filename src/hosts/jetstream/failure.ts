/** Which kind of failure an error of the NATS packages is. */
import { TaskfoldError } from "../../errors.ts";
import type { NatsPackages } from "./packages.ts";

export type Failure =
  | { kind: "lost"; last: number | undefined; why: string }
  /** No server took the message. */
  | { kind: "absent"; why: string }
  /** A server may have taken it. */
  | { kind: "unknown"; why: string }
  | { kind: "no stream"; why: string }
  /** The servers do not let this user in, or do not let it do this. */
  | { kind: "denied"; why: string; operation?: string; subject?: string }
  /** To call again changes nothing. */
  | { kind: "final"; why: string };

/** Of the API of JetStream. */
const NO_STREAM = 10059;
const WRONG_LAST = [10071, 10164];
const MAXIMUM = /maximum|insufficient|exceeded/;

export function failureOf({ jetStream, transport }: NatsPackages, e: unknown): Failure {
  const why = e instanceof Error ? e.message : String(e);
  const { errors } = transport;
  const cause = e instanceof Error ? e.cause : undefined;
  if (e instanceof jetStream.JetStreamApiError) {
    if (e.code === NO_STREAM) return { kind: "no stream", why };
    if (WRONG_LAST.includes(e.code)) {
      const last = /wrong last sequence: (\d+)/.exec(why)?.[1];
      return { kind: "lost", last: last === undefined ? undefined : Number(last), why };
    }
    // A cluster that has no leader at this moment.
    return e.status === 503 && !MAXIMUM.test(why) ? { kind: "absent", why } : { kind: "final", why };
  }
  const denial = [e, cause].find((one) => isDenial(transport, one));
  if (denial instanceof errors.PermissionViolationError)
    return { kind: "denied", why: denial.message, operation: denial.operation, subject: denial.subject };
  if (denial) return { kind: "denied", why };
  if ([e, cause].some((one) => one instanceof errors.NoRespondersError))
    return { kind: "absent", why: "no server has the stream at this moment" };
  return { kind: "unknown", why: e instanceof errors.TimeoutError ? "no answer came in time" : why };
}

/** Whether a server says that this user may not do it. */
export function isDenial({ errors }: NatsPackages["transport"], e: unknown): e is Error {
  return (
    e instanceof errors.PermissionViolationError ||
    e instanceof errors.AuthorizationError ||
    e instanceof errors.UserAuthenticationExpiredError
  );
}

/** A refusal of a server as callers see it. */
export function refusalOf(packages: NatsPackages, address: string, e: unknown): unknown {
  if (e instanceof TaskfoldError) return e;
  const failure = failureOf(packages, e);
  const { why } = failure;
  if (failure.kind !== "denied")
    return new TaskfoldError(
      "SHARED_UNAVAILABLE",
      `Expected the shared log at ${address} to answer; ${why}. Nothing was changed.`,
      { cause: e, recovery: "Call again when the server answers and has room." },
    );
  const { operation, subject } = failure;
  const details = operation === undefined ? {} : { operation, subject };
  return new TaskfoldError(
    "SHARED_DENIED",
    `Expected the rights of this user at ${address} to allow it; the server says: ${why}. Nothing was changed.`,
    {
      cause: e,
      recovery:
        "Give the user the rights that docs/cluster.md lists, or correct its name and password; then call again.",
      details,
    },
  );
}
