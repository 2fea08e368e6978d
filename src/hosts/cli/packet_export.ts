/** `taskfold packet export` and `export-review`. */
import { relative, resolve } from "node:path";
import type { ExportPacketReport } from "../../engine/export_packet.ts";
import { okReply } from "../../engine/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { EXIT } from "../../errors.ts";
import type { Outcome } from "./outcome.ts";
import { packetOption } from "./packet.ts";
import { configOf } from "./packet_files.ts";
import type { ConfigOption } from "./packet_files.ts";
import { safeLine } from "./safe_text.ts";
import type { Session } from "./session.ts";
import { plain } from "./taskdoc.ts";

export function exportFolder(session: Session, id: string, dir: string, options: ConfigOption): Promise<Outcome> {
  return written(session, "packet_export", dir, options, (workspace, at) => workspace.exportPacket(id, at));
}

export function exportReview(session: Session, id: string, dir: string, options: ConfigOption): Promise<Outcome> {
  return written(session, "packet_export_review", dir, options, (workspace, at) => workspace.exportReview(id, at));
}

function written(
  session: Session,
  intent: string,
  dir: string,
  options: ConfigOption,
  work: (workspace: Workspace, at: string) => ExportPacketReport,
): Promise<Outcome> {
  return session.within(
    (workspace) => {
      const at = resolve(session.io.cwd, dir);
      const report = work(workspace, at);
      return {
        exit: EXIT.ok,
        json: okReply(intent, plain({ ...report, folder: at }), [], []),
        human: () => ({ out: exportText(report, relative(session.io.cwd, at) || "."), err: missingText(report) }),
      };
    },
    packetOption(configOf(session, options)),
  );
}

function exportText({ task, files }: Pick<ExportPacketReport, "task" | "files">, dir: string): string {
  return `${safeLine(`${task}: ${files.length} files in ${dir}.`)}\n`;
}

export function missingText({ missing }: Pick<ExportPacketReport, "missing">): string {
  return missing.map(({ path, reason }) => `${safeLine(`Missing: ${path}: ${reason}`)}\n`).join("");
}
