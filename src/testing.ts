/**
 * The public names of `taskfold/testing`: workspaces on a machine that a test or a simulation gives, with its own clock, ids, disk and
 * locks. They are the workspaces of `taskfold` in all else.
 */
export { openReaderOn as openReader } from "./engine/open_reader.ts";
export { openWorkspaceOn as openWorkspace } from "./engine/workspace.ts";
export { openWorkspacesOn as openWorkspaces } from "./engine/workspaces.ts";
export type { WorkspacesOnOptions as WorkspacesOptions } from "./engine/workspaces.ts";
export type {
  MachineOptions,
  ReaderTestingOptions as ReaderOptions,
  TestingOptions as WorkspaceOptions,
} from "./engine/workspace_options.ts";
export type { EngineContext } from "./engine/core/context.ts";
export type { LockProvider } from "./engine/core/lock.ts";
export { nodeDisk } from "./disk.ts";
export type { Disk } from "./disk.ts";
export { nodeRuntime } from "./node_runtime.ts";
export type { Runtime } from "./runtime.ts";
