/** `taskfold open`: the folder of a plan or task, or its page, in the program that the system opens it with. */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import type { CliResult } from "./cli_result.ts";
import { openWithSystem } from "./open_with_system.ts";
import { pageOf } from "./page.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";

/** Without a terminal, and with `--print`, the path is all that there is. */
export async function open(
  session: Session,
  id: string | undefined,
  what: string | undefined,
  { print }: { print?: boolean },
): Promise<CliResult> {
  const { target } = await pageOf(session, id);
  const folders = ["tasks", "archive"].map((part) => join(session.root, ".coco", part, target.id));
  const folder = folders.find((one) => nodeDisk.lstat(one)?.kind === "folder") ?? folders[0]!;
  const path = what === "view" ? join(folder, "README.md") : folder;
  const opened = !print && !session.json && session.columns !== undefined && (await openWithSystem(path));
  return {
    exit: EXIT.ok,
    json: okReply("open", { id: target.id, path, opened }, [], []),
    human: () => ({ out: `${safeLine(path)}\n`, err: "" }),
  };
}
