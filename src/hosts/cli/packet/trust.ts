/** `taskfold packet trust`: the programs that the files in the repository name may run on this machine (PACKET-386). */
import { nodeDisk } from "../../../disk.ts";
import { nodeDisks } from "../../../disks.ts";
import { okReply } from "../../../engine/entity/reply.ts";
import { ownPacketConfigAt } from "../../../engine/projection/packet_config_folder.ts";
import { EXIT, TaskfoldError } from "../../../errors.ts";
import { programsOf, TrustedConfigs } from "../../../runner/trusted_configs.ts";
import { counted } from "../../../state/counted.ts";
import { shellQuote } from "../../../state/shell_quote.ts";
import type { CliResult } from "../cli_result.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";
import { safeLine } from "../text/safe_text.ts";

export function trust(session: Session, { revoke = false }: { revoke?: boolean }): CliResult {
  const { root } = session;
  const trusted = new TrustedConfigs(nodeDisk, root, session.io.env);
  if (revoke) return answer({ trusted: false, records: trusted.clear() });
  const config = ownPacketConfigAt(nodeDisks(), root);
  if (!config)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected configs/servant or configs/pipeline in the workspace, found neither.",
      {
        recovery: "Without them the built-in configuration holds, and there is nothing to trust.",
      },
    );
  trusted.add(config);
  return answer({ trusted: true, files_sha256: config.files_sha256!, programs: programsOf(config) });
}

type Trust =
  | { trusted: true; files_sha256: string; programs: ReturnType<typeof programsOf> }
  | { trusted: false; records: number };

function answer(result: Trust): CliResult {
  const lines = result.trusted
    ? [
        "Trusted until a file in configs/ changes.",
        "packet run may start:",
        ...result.programs.map(({ file, command }) => `  ${file}: ${command.map(shellQuote).join(" ")}`),
        ...(result.programs.length === 0 ? ["  no program of its own: the servants are built in"] : []),
      ]
    : [`Trust taken away: ${counted(result.records, "record")}.`];
  return {
    exit: EXIT.ok,
    json: okReply("packet_trust", plain(result), [], []),
    human: () => ({
      out: lines.map((line) => `${line.startsWith("  ") ? "  " : ""}${safeLine(line.trim())}\n`).join(""),
      err: "",
    }),
  };
}
