/** `taskfold packet import`: what another program left in a packet's folder. */
import type { ImportPacketReport } from "../../../engine/adoption/import_packet.ts";
import { okReply } from "../../../engine/entity/reply.ts";
import { EXIT } from "../../../errors.ts";
import type { CliResult } from "../cli_result.ts";
import { packetOption } from "./packet.ts";
import { configOf } from "./files.ts";
import type { ConfigOption } from "./files.ts";
import { warningsText } from "../text/reply_text.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";
import { timeText } from "../text/times.ts";

export function importFolder(session: Session, dir: string, options: ConfigOption): Promise<CliResult> {
  return session.within(
    async (workspace) => {
      const from = session.io.cwd;
      const id = await session.workspaceId(workspace);
      const { warnings, ...report } = await workspace.packets.import(dir, { from, workspace: id });
      return {
        exit: EXIT.ok,
        json: okReply("packet_import", plain(report), warnings, []),
        human: () => ({ out: text(report, session.columns), err: warningsText(warnings, session) }),
      };
    },
    { anywhere: true, ...packetOption(configOf(session, options)) },
  );
}

function text(
  { task, created, changed, took, left }: Omit<ImportPacketReport, "warnings">,
  wide: number | undefined,
): string {
  const lines = [
    changed ? `${task}: ${created ? "made, and " : ""}taken in.` : `${task}: nothing new to take in.`,
    ...(took.manifest ? ["Manifest: manifest.yaml"] : []),
    ...list("Inputs", took.inputs),
    ...list(
      "Stages",
      took.stages.map(
        ({ stage, done_at }) => `${stage}${done_at === null ? " (not done)" : ` (done ${timeText(done_at, wide)})`}`,
      ),
    ),
    ...list("Outputs", took.outputs),
    ...(took.override === null ? [] : list("Verify commands", took.override)),
    ...(took.paid_calls_used === null ? [] : [`Paid calls: ${took.paid_calls_used}`]),
    ...(took.signatures === null ? [] : [`Signatures: ${took.signatures}`]),
    ...(took.last_failure === null ? [] : [`Last failure: ${took.last_failure}`]),
    ...list("Deleted by hand, and gone from the packet", took.removed),
    ...left.map(({ path, reason }) => `Left: ${path}: ${reason}`),
  ];
  return lines.map((line) => `${safeLine(line)}\n`).join("");
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}: ${items.join(", ")}`];
}
