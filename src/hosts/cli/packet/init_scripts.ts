/** `taskfold packet init-scripts`: the helper of Task Packets under its own path, for those who call it (PACKET-160). */
import { join } from "node:path";
import { makeExecutable, nodeDisk } from "../../../disk.ts";
import { nodeDisks } from "../../../disks.ts";
import { okReply } from "../../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../../errors.ts";
import { RepositoryFiles } from "../../../files/repository_files.ts";
import type { CliResult } from "../cli_result.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";
import { remedy, TASKFOLD } from "../../../remedy.ts";

const PATH = "scripts/agent-cli/post_impl_review.sh";
const TEXT = `#!/bin/sh
# Reviews an implementation: post_impl_review.sh <context-pack-path> <impl-report-path> [output-dir]
exec taskfold packet review "$@"
`;

export function initScripts({ root }: Session): CliResult {
  const files = new RepositoryFiles(nodeDisks(), root);
  try {
    const before = files.isLinked(PATH) ? "" : files.isThere(PATH) ? files.read(PATH) : undefined;
    if (before !== undefined && before !== TEXT) throw other();
    if (before === undefined) files.write(PATH, TEXT);
    const at = join(root, PATH);
    if (nodeDisk.lstat(at)?.kind === "file") makeExecutable(at);
    const created = before === undefined;
    return {
      exit: EXIT.ok,
      json: okReply("packet_init_scripts", plain({ files: [PATH], created }), [], []),
      human: () => ({ out: created ? `Made ${PATH}.\n` : `${PATH} is there.\n`, err: "" }),
    };
  } finally {
    files.close();
  }
}

function other(): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected no other file at ${PATH}, found one. Nothing was changed.`,
    remedy`Move it away, then call again; or let it call: ${TASKFOLD} packet review.`,
  );
}
