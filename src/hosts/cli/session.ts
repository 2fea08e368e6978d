/** One run of the program: where, who, and what is filled in for the caller (CLI-1 to CLI-4). */
import { dirname, join, resolve } from "node:path";
import { createColors } from "picocolors";
import { nodeDisk } from "../../disk.ts";
import type { IdStyle } from "../../engine/binding.ts";
import type { GitPort } from "../../engine/git_port.ts";
import type { LockKind } from "../../engine/machine_locks.ts";
import type { PacketConfig } from "../../engine/packet_texts.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Io } from "./io.ts";
import { withProgress } from "./progress.ts";
import { shellQuote } from "../../engine/shell_quote.ts";

/** The options that every command takes, before or after its name. */
export interface Globals {
  C?: string;
  by?: string;
  json?: boolean;
}

export type Colors = ReturnType<typeof createColors>;

export class Session {
  readonly io: Io;
  readonly by: string;
  /** Who acts, where somebody said so. */
  readonly givenBy: string | undefined;
  readonly colors: Colors;
  /** Whether the answer is one document on stdout. */
  readonly json: boolean;
  /** `taskfold` with the options that a suggested command needs to reach the same place as the same person. */
  readonly program: string;
  readonly #directory: string | undefined;

  constructor(io: Io, globals: Globals) {
    this.io = io;
    this.givenBy = globals.by ?? (io.env["TASKFOLD_BY"] || undefined);
    this.by = this.givenBy ?? "human:local";
    this.colors = createColors(io.color);
    this.json = globals.json === true;
    this.#directory = globals.C === undefined ? undefined : existingFolder(io.cwd, globals.C);
    const options = [
      ...(globals.C === undefined ? [] : ["-C", shellQuote(globals.C)]),
      ...(globals.by === undefined ? [] : ["--by", shellQuote(globals.by)]),
    ];
    this.program = ["taskfold", ...options].join(" ");
  }

  /** `-C`, else the nearest folder upwards that holds `.coco`, else the current one. */
  get root(): string {
    return this.#directory ?? nearestRoot(this.io.cwd) ?? this.io.cwd;
  }

  /** The same; NO_WORKSPACE where that is no workspace. */
  workspaceRoot(): string {
    const { root } = this;
    checkWorkspace(root);
    return root;
  }

  /** `-C`, else the current folder: a workspace is made where one stands, not where another one is. */
  get here(): string {
    return this.#directory ?? this.io.cwd;
  }

  /** Opens the workspace for one piece of work and closes it after. NO_WORKSPACE outside of one, unless `anywhere`. */
  async within<T>(
    work: (workspace: Workspace) => T | Promise<T>,
    {
      git,
      anywhere = false,
      ...options
    }: {
      anywhere?: boolean;
      root?: string;
      workspace?: string;
      ids?: IdStyle;
      lock?: LockKind;
      packet?: PacketConfig;
      git?: (root: string) => GitPort | undefined;
    } = {},
  ): Promise<T> {
    const root = options.root ?? this.root;
    if (!anywhere) checkWorkspace(root);
    const { openWorkspace } = await import("../../engine/workspace.ts");
    const workspace = openWorkspace({ by: this.by, ...options, ...(git ? { git: () => git(root) } : {}), root });
    try {
      return await work(workspace);
    } finally {
      await withProgress(this, "close", (progress) => workspace.close({ progress }));
    }
  }

  /** The id that calls mean when they name none: the bound one, or the one that `init` would choose. */
  async workspaceId(workspace: { id: string | undefined; root: string }): Promise<string> {
    if (workspace.id !== undefined) return workspace.id;
    const { deriveWorkspaceId } = await import("./workspace_id.ts");
    return deriveWorkspaceId(workspace.root).id;
  }
}

/** Folders that another program made are something to read, also before the first change binds the root. */
function checkWorkspace(root: string): void {
  const paths = ["workspace.yaml", "tasks"].map((name) => join(root, ".coco", name));
  if (paths.some((path) => nodeDisk.lstat(path))) return;
  throw new TaskfoldError("NO_WORKSPACE", "Expected a workspace in this folder or above it, found none.", {
    recovery: "Run taskfold init in the folder of the repository, or name the folder of a workspace with -C.",
  });
}

function existingFolder(cwd: string, named: string): string {
  const path = resolve(cwd, named);
  if (nodeDisk.stat(path)?.kind === "folder") return path;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected -C to name a folder that is there, found ${JSON.stringify(named)}.`,
  );
}

function nearestRoot(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (nodeDisk.lstat(join(folder, ".coco"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
