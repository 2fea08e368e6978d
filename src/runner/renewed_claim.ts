/** Renews a claim while its holder works, and tells when it is lost. */
import type { Reply, ReplyError } from "../engine/entity/reply.ts";
import type { ErrorCode } from "../errors.ts";
import { isRetryable, TaskfoldError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";

/** The claim is over, so nothing of its place is the holder's to change. */
export const OVER: ReadonlySet<ErrorCode> = new Set(["LEASE_LOST", "LEASE_HELD", "UNKNOWN_ID", "ARCHIVED"]);

/** Before a renewal is tried again whose obstacle may pass. */
const AGAIN_MS = 1000;

export interface Renewing {
  ttl_s: number;
  /** When the claim ends, as the engine's clock has it. */
  expires_at: string;
  /** Renews it. */
  renew: () => Promise<Reply>;
  /** Called once, in place of any further renewal. */
  lost: (why: Error) => void;
  /** The engine's clock. */
  now: () => number;
  runtime: Pick<Runtime, "after">;
}

/** Renews each third of the time that a claim lasts. Gives what ends that. */
export function renewClaim({ ttl_s, expires_at, renew, lost, now, runtime }: Renewing): () => void {
  const third = (ttl_s * 1000) / 3;
  let expires = Date.parse(expires_at);
  let cancel: () => void = () => undefined;
  let isOver = false;
  const next = async (): Promise<void> => {
    const { result, error } = await renew();
    if (isOver) return;
    if (!error) expires = Date.parse((result["lease"] as { expires_at: string }).expires_at);
    const mayGoOn = error === null || (isRetryable(error.code) && !OVER.has(error.code));
    if (mayGoOn && now() < expires) arm(error ? Math.min(AGAIN_MS, third) : third);
    else lost(error ? refused(error) : new Error("the claim ended before it was renewed"));
  };
  const arm = (ms: number): void => {
    cancel = runtime.after(ms, () => void next());
  };
  arm(third);
  return () => {
    isOver = true;
    cancel();
  };
}

/** The refusal of a call as an error. */
export function refused({ code, message, ...more }: ReplyError): TaskfoldError {
  return new TaskfoldError(code, message, more);
}
