/** One run of the program: where, who, and what is filled in for the caller (CLI-1 to CLI-4). */
import { dirname, join, relative, resolve } from "node:path";
import { createColors } from "picocolors";
import { nodeRuntime } from "../../node_runtime.ts";
import { nodeDisk } from "../../disk.ts";
import type { IdStyle } from "../../engine/core/id_style.ts";
import type { GitPort } from "../../engine/core/git_port.ts";
import type { LeftOut } from "../../engine/core/sparse_checkout.ts";
import { bindingLeftOut, leavesOut, SparseCheckout } from "../../engine/core/sparse_checkout.ts";
import type { LockKind } from "../../engine/locks/machine_locks.ts";
import type { SharedLogPort } from "../../engine/core/shared_log.ts";
import type { PacketConfig } from "../../engine/projection/packet_texts.ts";
import { hasChanged } from "../../engine/groups/has_changed.ts";
import type { Workspace } from "../../engine/workspace.ts";
import type { Workspaces } from "../../engine/workspaces.ts";
import type { WorkspaceOptions } from "../../engine/workspace_options.ts";
import { isActor } from "../../engine/core/input/check_by.ts";
import { TaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { checkRootPath } from "../../engine/core/root_path.ts";
import { gitUser } from "./git/user.ts";
import { nearestThere } from "./nearest_there.ts";
import type { ProcessTelemetry } from "../otel/process_telemetry.ts";
import { hasEntity, idMeant, knownId } from "./id_meant.ts";
import type { Wanted } from "./id_meant.ts";
import type { CommandWords } from "./command/call_words.ts";
import type { Io } from "./io.ts";
import { withProgress } from "./progress.ts";
import { shellQuote, startable } from "../../state/shell_quote.ts";
import { OF_MACHINE } from "../onboard/start_command.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** The options that every command takes, before or after its name. */
export interface Globals {
  C?: string;
  by?: string;
  /** The shared log. */
  shared?: string;
  json?: boolean;
  quiet?: boolean;
}

export type Colors = ReturnType<typeof createColors>;

export class Session {
  readonly io: Io;
  readonly commands: () => readonly CommandWords[];
  /** The actor, where an option or the environment names one. */
  readonly givenBy: string | undefined;
  readonly colors: Colors;
  /** Whether the answer is one document on stdout. */
  readonly json: boolean;
  /** How wide a terminal is that a person looks at. */
  readonly columns: number | undefined;
  /** How wide a terminal is that shows errors and warnings. */
  readonly errColumns: number | undefined;
  /** Whether a person wants no more than ids, errors and warnings of lost work (CLI-111). */
  readonly quiet: boolean;
  /** The words that start this program, with the options that a suggested command needs to reach the same place as the same person. */
  readonly program: string;
  /** The same for a program that has to start in a folder, which is named from the root. */
  readonly programIn: (folder: string) => string;
  /** Whether the command is a call of a tool, so that suggestions are too. */
  calls = false;
  readonly #directory: string | undefined;
  readonly #shared: string | undefined;
  #by: string | undefined;
  #telemetry: Promise<ProcessTelemetry | undefined> | undefined;
  /** The source that names the actor. */
  byFrom: "--by" | "TASKFOLD_BY" | "git user.name" | "default";

  /** `commands`: all that there are, for answers that suggest one. */
  constructor(io: Io, globals: Globals, commands: () => readonly CommandWords[]) {
    this.io = io;
    this.commands = commands;
    const given = globals.by ?? (io.env["TASKFOLD_BY"] || undefined);
    this.givenBy = given === undefined ? undefined : actor(given);
    this.byFrom = globals.by === undefined ? (given === undefined ? "default" : "TASKFOLD_BY") : "--by";
    this.colors = createColors(io.color);
    this.json = globals.json === true;
    this.quiet = globals.quiet === true;
    this.columns = io.screen?.().columns;
    this.errColumns = io.terminal?.columns();
    this.#directory = globals.C === undefined ? undefined : namedFolder(io.cwd, globals.C);
    this.#shared = globals.shared ?? (io.env["TASKFOLD_SHARED"] || undefined);
    this.program = programWith(io, globals);
    this.programIn = (folder) => this.#programIn(folder, globals);
  }

  /** From within the folder the root is found, so that the line names none: with `-C` the command would run in the root. */
  #programIn(folder: string, { C: _root, ...globals }: Globals): string {
    const program = programWith(this.io, globals);
    const way = relative(this.io.cwd, resolve(this.rootOrNew, folder));
    return way === "" ? program : `cd ${shellQuote(startable(way))} && ${program}`;
  }

  /** The actor: as given, else the person that git names (CLI-2). */
  async by(): Promise<string> {
    if (this.#by !== undefined) return this.#by;
    if (this.givenBy !== undefined) {
      if (!isActor(this.givenBy)) throw noActor(this.byFrom, this.givenBy);
      return (this.#by = this.givenBy);
    }
    const user = await gitUser(this.io, nearestThere(this.rootOrNew).path);
    if (user !== undefined) this.byFrom = "git user.name";
    return (this.#by = `human:${user ?? "local"}`);
  }

  /** `-C`, else the nearest folder upwards that holds `.coco`, else the current one. */
  get root(): string {
    return mustBeThere(this.rootOrNew, programOf(this.io));
  }

  /** The same for a command that makes a workspace: `-C` may name a folder that can be made. */
  get rootOrNew(): string {
    return checkedRoot(this.#directory ?? nearestRoot(this.io.cwd) ?? this.io.cwd);
  }

  isWorkspace(): boolean {
    return isWorkspace(this.root);
  }

  /** NO_WORKSPACE where git has a workspace here or above, and a sparse checkout leaves it out. */
  leftOut(): TaskfoldError | undefined {
    return workspaceLeftOut(this.root);
  }

  /** The same; NO_WORKSPACE where that is no workspace. */
  workspaceRoot(): string {
    const { root } = this;
    checkWorkspace(root);
    return root;
  }

  /** The id that a person means by `TASK-1`, `task-001` or `1` (CLI-112). */
  meant<I extends string | undefined>(id: I, kind?: Wanted): I {
    return (id === undefined ? undefined : idMeant(this.root, id, kind)) as I;
  }

  /** Whether a word names a plan or task that is here, archived ones too. */
  isEntity(word: string): boolean {
    return hasEntity(this.root, idMeant(this.root, word));
  }

  /** The plan that an option names; UNKNOWN_ID where no folder fits, because a list of nothing would look like an answer. */
  planMeant(id: string | undefined): string | undefined {
    return id === undefined ? undefined : knownId(this.workspaceRoot(), id, "plan");
  }

  /** `-C`, else the current folder: a workspace is made where one stands, not where another one is. */
  get here(): string {
    return mustBeThere(this.hereOrNew, programOf(this.io));
  }

  /** The same for a command that makes a workspace. */
  get hereOrNew(): string {
    return checkedRoot(this.#directory ?? this.io.cwd);
  }

  /** Says that the command changed something that is not a log: `within` sees to those. */
  changed(): void {
    this.io.changed?.();
  }

  /** Opens the workspace for one piece of work and closes it after. NO_WORKSPACE outside of one, unless `anywhere`. */
  async within<T>(
    work: (workspace: Workspace) => T | Promise<T>,
    {
      shared: given,
      anywhere = false,
      ...options
    }: {
      anywhere?: boolean;
      root?: string;
      workspace?: string;
      ids?: IdStyle;
      lock?: LockKind;
      packet?: PacketConfig;
      shared?: Promise<SharedLogPort>;
    } = {},
  ): Promise<T> {
    const root = options.root ?? (anywhere ? this.rootOrNew : this.root);
    if (!anywhere) checkWorkspace(root);
    const { openWorkspace } = await import("../../engine/workspace.ts");
    const workspace = openWorkspace({
      ...options,
      ...(await this.#ports(root, given)),
      // A root that was named is no surprise.
      ...(this.#directory === undefined && options.root === undefined ? { rootSearchedFrom: this.io.cwd } : {}),
    });
    return this.#worked(workspace, work);
  }

  /**
   * The same with several roots, paths from the current folder, and with none of them with the root of `within`. `workspace`: the default
   * one, and with a single root the only one. A root that is bound to nothing goes by the id that `init` would choose.
   */
  async withinEach<T>(
    given: readonly string[],
    workspace: string | undefined,
    work: (workspaces: Workspaces) => Promise<T>,
  ): Promise<T> {
    const { openWorkspaces } = await import("../../engine/workspaces.ts");
    const named = workspace === undefined ? {} : { workspace };
    const folders =
      given.length > 1 ? given.map((path) => checkedRoot(namedFolder(this.io.cwd, path))) : [this.rootOrNew];
    const roots: WorkspaceOptions[] = [];
    for (const root of folders) {
      const searched = this.#directory === undefined ? { rootSearchedFrom: this.io.cwd } : {};
      const own = folders.length > 1 ? await unboundId(root) : { ...named, ...searched };
      roots.push({ ...(await this.#ports(root)), ...own });
    }
    return this.#worked(openWorkspaces({ roots, ...named }), work);
  }

  /** The options that every workspace of this program has. */
  async #ports(root: string, given?: Promise<SharedLogPort>): Promise<WorkspaceOptions> {
    const { openGit } = await import("../git/git_port.ts");
    const { openSigners } = await import("../signatures/open_signers.ts");
    const shared = await (given ?? this.#sharedLog());
    const telemetry = await this.telemetry();
    return {
      root,
      by: await this.by(),
      git: () => openGit(root),
      signers: () => openSigners(root),
      ...(shared ? { shared } : {}),
      ...(telemetry ? { telemetry: telemetry.port } : {}),
    };
  }

  async #worked<W extends Workspace | Workspaces, T>(opened: W, work: (opened: W) => T | Promise<T>): Promise<T> {
    try {
      return await work(opened);
    } finally {
      if (hasChanged(opened)) this.changed();
      await withProgress(this, "close", (progress) => opened.close({ progress }));
    }
  }

  /** Spans and metrics of this process. Undefined, and nothing is loaded, unless TASKFOLD_OTEL asks for them. */
  telemetry(): Promise<ProcessTelemetry | undefined> {
    const { env } = this.io;
    if (!env["TASKFOLD_OTEL"]) return Promise.resolve(undefined);
    return (this.#telemetry ??= import("./telemetry.ts").then(({ telemetryOf }) => telemetryOf(env)));
  }

  /** Whether the workspace has a shared log. */
  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** The shared log that was named; INVALID_INPUT where none was. */
  async neededShared(replicas?: number): Promise<SharedLogPort> {
    const named = await this.#sharedLog(replicas);
    if (named) return named;
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected --shared or TASKFOLD_SHARED to name servers, found neither.",
      remedy`${TASKFOLD} --shared nats://127.0.0.1:4222 shared init`,
    );
  }

  async #sharedLog(replicas?: number): Promise<SharedLogPort | undefined> {
    if (this.#shared === undefined) return undefined;
    const { jetstream, jetstreamOptionsIn } = await import("../jetstream/index.ts");
    return jetstream({ ...jetstreamOptionsIn(this.#shared), ...(replicas === undefined ? {} : { replicas }) });
  }

  /** The id that calls mean when they name none: the bound one, or the one that `init` would choose. */
  async workspaceId(workspace: { id: string | undefined; root: string }): Promise<string> {
    if (workspace.id !== undefined) return workspace.id;
    const { deriveWorkspaceId } = await import("./workspace_id.ts");
    return deriveWorkspaceId(workspace.root).id;
  }
}

/** The id that `init` would choose, for a root that has no binding. A binding that cannot be looked at is there. */
async function unboundId(root: string): Promise<{ workspace?: string }> {
  try {
    if (nodeDisk.lstat(join(root, ".coco", "workspace.yaml"))) return {};
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return {};
  }
  const { deriveWorkspaceId } = await import("./workspace_id.ts");
  return { workspace: deriveWorkspaceId(root).id };
}

/** The words that start this program, with the options that lead a suggested command to the same place, as the same person. */
export function programWith(io: Io, globals: Globals): string {
  const options = [
    ...(globals.C === undefined ? [] : ["-C", shellQuote(globals.C)]),
    ...(globals.by === undefined ? [] : ["--by", shellQuote(globals.by)]),
    ...(globals.shared === undefined ? [] : ["--shared", shellQuote(globals.shared)]),
  ];
  return [programOf(io), ...options].join(" ");
}

export function programOf({ command = OF_MACHINE }: Pick<Io, "command">): string {
  return command;
}

function noActor(from: string, given: string): TaskfoldError {
  const found = JSON.stringify(given.slice(0, 100));
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${from} to name an actor (letters, digits, ._@/+- , at most 64), found ${found}.`,
    { recovery: "Such as --by ann, --by agent:ada or TASKFOLD_BY=ann; without both it is git's user.name." },
  );
}

/** `ann` is `human:ann`; a name with its kind stays as it is. */
function actor(given: string): string {
  return given === "system" || given.includes(":") ? given : `human:${given}`;
}

/** INVALID_INPUT where its path is not UTF-8 (DIR-1). */
function checkedRoot(root: string): string {
  checkRootPath(nodeDisk.outside, root);
  return root;
}

/** Folders that another program made are something to read, also before the first change binds the root. */
function isWorkspace(root: string): boolean {
  return ["workspace.yaml", "tasks"].some((name) => nodeDisk.lstat(join(root, ".coco", name)) !== undefined);
}

function checkWorkspace(root: string): void {
  if (nodeDisk.lstat(join(root, ".coco", "workspace.yaml"))) return;
  const left = workspaceLeftOut(root);
  if (left) throw left;
  if (isWorkspace(root)) return;
  throw new TaskfoldError(
    "NO_WORKSPACE",
    "Expected a workspace in this folder or above it, found none.",
    remedy`Run ${TASKFOLD} init in the folder of the repository, or name the folder of a workspace with -C.`,
  );
}

/** The refusal with the way out, where git has a workspace here or above, and a sparse checkout leaves it out. */
function workspaceLeftOut(root: string): TaskfoldError | undefined {
  const looks: LeftOut[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    looks.push(new SparseCheckout({ disk: nodeDisk, runtime: nodeRuntime }, folder).look());
    if (dirname(folder) === folder || nodeDisk.lstat(join(folder, ".git"))) break;
  }
  const left = ["yes", "perhaps"].flatMap((is) => looks.find(({ binding }) => binding === is) ?? []);
  return left[0] && bindingLeftOut(left[0]);
}

/**
 * Git, where an index may leave names to it. Elsewhere nothing is loaded.
 */
export async function gitIfSparse(root: string): Promise<{ git?: () => GitPort | undefined }> {
  return leavesOut(new SparseCheckout({ disk: nodeDisk, runtime: nodeRuntime }, root).look()) ? gitOf(root) : {};
}

/** Git, which is loaded here and started when it is asked. */
export async function gitOf(root: string): Promise<{ git: () => GitPort | undefined }> {
  const { openGit } = await import("../git/git_port.ts");
  return { git: () => openGit(root) };
}

/** The folder of `-C`, or where it can be made: INVALID_INPUT where a file is in the way. */
function namedFolder(cwd: string, named: string): string {
  // A variable of a shell that is not set would mean the present folder.
  if (named === "") throw noFolder('a folder, found ""');
  const path = resolve(cwd, named);
  const there = nearestThere(path);
  if (there.kind === undefined || there.kind === "folder") return path;
  throw noFolder(`a folder or one that can be made, found that ${JSON.stringify(there.path)} is a ${there.kind}`);
}

/** INVALID_INPUT for a folder that only a command that makes a workspace would make. */
function mustBeThere(folder: string, program: string): string {
  if (nodeDisk.stat(folder)) return folder;
  const found = `a folder that is there, found nothing at ${JSON.stringify(folder)}`;
  throw noFolder(found, ` This makes the folder: ${program} -C ${shellQuote(folder)} init`);
}

function noFolder(found: string, more = ""): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected -C to name ${found}.`, {
    recovery: `Without -C, Taskfold works in the nearest folder upwards that holds .coco.${more}`,
  });
}

/** The nearest workspace from this folder upwards. */
export function workspaceAbove(from: string): string | undefined {
  const root = nearestRoot(from);
  return root !== undefined && isWorkspace(root) ? root : undefined;
}

function nearestRoot(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (nodeDisk.lstat(join(folder, ".coco"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
