/** `taskfold --version`: what a report of a fault has to name (CLI-118). */
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import { FORMAT } from "../../log/format.ts";
import type { CliResult } from "./cli_result.ts";
import { packageVersion } from "./package_version.ts";

export function version(): CliResult {
  const versions = { version: packageVersion(), format: FORMAT, node: process.versions.node };
  const text = `taskfold ${versions.version}, format ${versions.format} of the log, Node.js ${versions.node}\n`;
  return {
    exit: EXIT.ok,
    json: okReply("taskfold", { ...versions, text }, [], []),
    human: () => ({ out: text, err: "" }),
  };
}
