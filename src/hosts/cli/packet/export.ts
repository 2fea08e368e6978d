/** `taskfold packet export` and `export-review`. */
import { internalsOf } from "../../../engine/groups/internals.ts";
import type { ExportPacketReport } from "../../../engine/adoption/export_packet.ts";
import { okReply } from "../../../engine/entity/reply.ts";
import type { Workspace } from "../../../engine/workspace.ts";
import { EXIT } from "../../../errors.ts";
import type { CliResult } from "../cli_result.ts";
import { sentences } from "../text/layout.ts";
import { packetOption } from "./packet.ts";
import { configOf } from "./files.ts";
import type { ConfigOption } from "./files.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";
import { counted } from "../../../state/counted.ts";

export function exportFolder(session: Session, id: string, dir: string, options: ConfigOption): Promise<CliResult> {
  return written(
    session,
    "packet_export",
    dir,
    options,
    (workspace, from) => workspace.packets.export(id, dir, { from }),
    id,
  );
}

export function exportReview(session: Session, id: string, dir: string, options: ConfigOption): Promise<CliResult> {
  return written(
    session,
    "packet_export_review",
    dir,
    options,
    (workspace, from) => workspace.packets.exportReview(id, dir, { from }),
    id,
  );
}

function written(
  session: Session,
  intent: string,
  dir: string,
  options: ConfigOption,
  work: (workspace: Workspace, from: string) => ExportPacketReport,
  id: string,
): Promise<CliResult> {
  return session.within(
    async (workspace) => {
      await internalsOf(workspace).fetchPacket(id);
      const report = work(workspace, session.io.cwd);
      session.changed();
      return {
        exit: EXIT.ok,
        json: okReply(intent, plain({ ...report, folder: dir }), [], []),
        human: () => ({ out: exportText(report, dir), err: missingText(report, session.errColumns) }),
      };
    },
    packetOption(configOf(session, options)),
  );
}

function exportText({ task, files }: Pick<ExportPacketReport, "task" | "files">, dir: string): string {
  return `${safeLine(`${task}: ${counted(files.length, "file")} in ${dir}.`)}\n`;
}

export function missingText({ missing }: Pick<ExportPacketReport, "missing">, wide?: number): string {
  const lines = missing.map(({ path, reason }) => `${safeLine(`Missing: ${path}: ${reason}`)}\n`);
  return sentences(lines.join(""), wide);
}
