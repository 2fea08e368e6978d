/** Which kind of failure an error of the NATS packages is. */
import type { NatsPackages } from "./packages.ts";

export type Failure =
  | { kind: "lost"; last: number | undefined; why: string }
  /** No server took the message. */
  | { kind: "absent"; why: string }
  /** A server may have taken it. */
  | { kind: "unknown"; why: string }
  | { kind: "no stream"; why: string }
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
  if (
    [e, cause].some((one) => one instanceof errors.PermissionViolationError || one instanceof errors.AuthorizationError)
  )
    return { kind: "final", why };
  if ([e, cause].some((one) => one instanceof errors.NoRespondersError))
    return { kind: "absent", why: "no server has the stream at this moment" };
  return { kind: "unknown", why: e instanceof errors.TimeoutError ? "no answer came in time" : why };
}
