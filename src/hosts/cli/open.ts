/** `taskfold open`: the folder of a plan or task, or its page, in the program that the system opens it with. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import type { CliResult } from "./cli_result.ts";
import { pageOf } from "./page.ts";
import { safeLine } from "./safe_text.ts";
import type { Session } from "./session.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};

/** Without a terminal, and with `--print`, the path is all that there is. */
export async function open(
  session: Session,
  id: string,
  what: string | undefined,
  { print }: { print?: boolean },
): Promise<CliResult> {
  const { target } = await pageOf(session, id);
  const folders = ["tasks", "archive"].map((part) => join(session.root, ".coco", part, target.id));
  const folder = folders.find((one) => nodeDisk.lstat(one)?.kind === "folder") ?? folders[0]!;
  const path = what === "view" ? join(folder, "README.md") : folder;
  const opened = !print && !session.json && session.columns !== undefined && (await started(path));
  return {
    exit: EXIT.ok,
    json: okReply("open", { id: target.id, path, opened }, [], []),
    human: () => ({ out: `${safeLine(path)}\n`, err: "" }),
  };
}

/** False where there is no such program: then the path still helps. */
async function started(path: string): Promise<boolean> {
  const [program = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...args, path], { detached: true, stdio: "ignore" });
  try {
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false;
  }
}
