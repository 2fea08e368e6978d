/** Two copies of a workspace that work on one task apart, and the log of both. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "../../src/engine/workspace.ts";
import { tempFolder } from "./temp.ts";
import { counting, logLines, logPath, openTemp } from "./workspace.ts";

/** Another opening, of a copy of the folder; its times are those of `now`. */
export function twin(ws: Workspace, seed: string, now?: () => number): Workspace {
  const root = join(tempFolder(), "twin");
  cpSync(ws.root, root, { recursive: true });
  return openTemp({ root, newId: counting(seed), durability: "os", ...(now ? { now } : {}) });
}

/** The folder of the first with the lines of both, opened anew. */
export async function mergedWith(ours: Workspace, theirs: Workspace): Promise<Workspace> {
  await ours.close();
  await theirs.close();
  const lines = new Set([...logLines(ours.root), ...logLines(theirs.root)]);
  writeFileSync(logPath(ours.root), `${[...lines].join("\n")}\n`);
  return openTemp({ root: ours.root, durability: "os" });
}
