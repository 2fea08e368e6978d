/** `taskfold packet archive` and `restore`. */
import { EXIT } from "../../../errors.ts";
import type { CliResult } from "../cli_result.ts";
import { packetCall } from "./packet.ts";
import { configOf } from "./files.ts";
import type { ConfigOption } from "./files.ts";
import { sentences } from "../text/layout.ts";
import { warningsText } from "../text/reply_text.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";

interface ArchiveOptions extends ConfigOption {
  outputs?: "keep" | "drop" | number;
}

export function archive(session: Session, task: string, options: ArchiveOptions): Promise<CliResult> {
  const { outputs } = options;
  const input = { task, ...(outputs === undefined ? {} : { outputs }) };
  return packetCall(session, "packet_archive", input, configOf(session, options), (reply) => {
    const { folder, dropped } = reply.result as { folder: string; dropped: string[] };
    const lines = [`${task} is in ${folder}.`, ...(dropped.length === 0 ? [] : [`Left out: ${dropped.join(", ")}`])];
    return {
      exit: EXIT.ok,
      json: reply,
      human: () => ({ out: sentences(textOf(lines), session.columns), err: warningsText(reply.warnings, session) }),
    };
  });
}

export function restore(session: Session, task: string, options: ConfigOption): Promise<CliResult> {
  return packetCall(session, "packet_restore", { task }, configOf(session, options), (reply) => {
    const { next } = reply.result as { next: { action: string } };
    return {
      exit: EXIT.ok,
      json: reply,
      human: () => ({
        out: sentences(textOf([`${task} is back from the archive.`, `Next: ${next.action}`]), session.columns),
        err: warningsText(reply.warnings, session),
      }),
    };
  });
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${safeLine(line)}\n`).join("");
}
