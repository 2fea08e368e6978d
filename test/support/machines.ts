/** Machines that share one workspace: folders of their own, in one process. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openWorkspace } from "../../src/testing.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import type { JetStreamOptions } from "../../src/hosts/jetstream/jetstream.ts";
import { tempFolder } from "./temp.ts";
import { WORKSPACE } from "./workspace.ts";

/** How long a server may take: what is no fault of a test, such as a busy machine, fails none. */
export const PATIENCE_MS = 20_000;

export type MachineOptions = Partial<WorkspaceOptions> & { log?: Partial<JetStreamOptions> };

/** A machine with a folder of its own, unless `root` names one. */
export function machine(url: string | readonly string[], { log, ...options }: MachineOptions = {}): Workspace {
  const workspace = openWorkspace({
    root: tempFolder(),
    by: "agent:ada",
    durability: "os",
    ...options,
    shared: jetstream({ servers: url, timeoutMs: PATIENCE_MS, ...log }),
  });
  onTestFinished(() => workspace.close());
  return workspace;
}

/** Machines on one shared log, which the first of them makes. */
export async function machines(
  url: string | readonly string[],
  count: number,
  options: MachineOptions = {},
): Promise<Workspace[]> {
  const all = Array.from({ length: count }, () => machine(url, options));
  await all[0]!.shared.init(WORKSPACE);
  return all;
}

/** Every file of the live and archived folders, by path. */
export function filesOf(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    if (!existsSync(join(root, folder))) return;
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else found[path] = readFileSync(join(root, path), "utf8");
    }
  };
  walk(".coco/tasks");
  walk(".coco/archive");
  return found;
}
