/** A repository with TASK-001 in its commit, and workspaces that know git. */
import type { Clone } from "./git_clone.mjs";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "./git.ts";
import { newTask, openTemp } from "./workspace.ts";

/** `open`: as another process does. */
export async function committedTask(
  options: Partial<WorkspaceOptions> = {},
): Promise<{ clone: Clone; ws: Workspace; open: () => Workspace }> {
  const { ada: clone } = repository();
  const open = (): Workspace => openTemp({ root: clone.root, git: () => openGit(clone.root), ...options });
  const ws = open();
  await newTask(ws);
  clone.commit("a task");
  return { clone, ws, open };
}
