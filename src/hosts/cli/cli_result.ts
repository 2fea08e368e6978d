import { okReply } from "../../engine/entity/reply.ts";
import type { Reply } from "../../engine/entity/reply.ts";
import type { JsonObject } from "../../index.ts";
import { ERROR_CODES, EXIT } from "../../errors.ts";
import type { Warning } from "../../errors.ts";

/** The answer of a command, in both forms. Commands print nothing; run.ts prints one of the two. */
export interface CliResult {
  exit: number;
  /** The one document of `--json`. */
  json: object;
  /** For people; made only when asked for. */
  human: () => Human;
  /** stdout belonged to a protocol: nothing is printed in either form. */
  silent?: true;
}

/** The reply of a command that reports; members of the report stand at its top, too. */
export function reportReply(intent: string, report: object, warnings: Warning[] = []): object {
  const result = { ...report } as JsonObject;
  return { ...okReply(intent, result, warnings, []), ...result };
}

/** Text for stdout and for stderr, each ended by a newline or empty. */
export interface Human {
  out: string;
  err: string;
}

/** 0, or the exit code of the reply's error (CLI-6). */
export function exitOf(reply: Reply): number {
  return reply.error ? ERROR_CODES[reply.error.code] : EXIT.ok;
}
