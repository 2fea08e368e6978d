/** Several roots behind one door: a call goes to the root of the workspace that it names. Each root is opened as if it stood alone. */
import { resolve } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { remedy, toolName, TASKFOLD } from "../remedy.ts";
import type { Disk } from "../disk.ts";
import { disksOf } from "../disks.ts";
import { storageError } from "../files/storage_error.ts";
import type { ToolInputs, ToolName, ToolResults, WholeResults } from "../tools/generated/tool_types.ts";
import type { JsonObject } from "../state/json.ts";
import { shellQuote } from "../state/shell_quote.ts";
import { checkOpening, OPENINGS } from "./check_options.ts";
import type { ProgressOptions } from "./core/at_once.ts";
import { checkBy } from "./core/input/check_by.ts";
import { checkWorkspaceId } from "./entity/binding.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply, isFromSystem } from "./entity/reply.ts";
import { hasChanged, keepChanged } from "./groups/has_changed.ts";
import type { Workspace } from "./workspace.ts";
import { openWorkspaceOn } from "./workspace.ts";
import type { CallOptions, TestingOptions, Unbudgeted, WorkspaceOptions } from "./workspace_options.ts";

export interface WorkspacesOptions {
  /**
   * Each a folder, or the options that `openWorkspace` takes. A root that is bound to nothing yet can be called only if its `workspace`
   * says under which id.
   */
  roots: readonly (string | WorkspaceOptions)[];
  /** Id of the default workspace. Left out, that of the first root. */
  workspace?: string;
}

export interface WorkspacesOnOptions extends Pick<WorkspacesOptions, "workspace"> {
  roots: readonly (string | TestingOptions)[];
}

/** One root of several. */
export interface ServedRoot {
  /** The id that calls name; null while nothing decides it, and where it cannot be read. */
  workspace: string | null;
  /** The folder, absolute. */
  root: string;
  default: boolean;
  /** The fault for which the root cannot be used; null where there is none. */
  error: { code: string; message: string } | null;
}

interface Opened {
  root: string;
  /** Has the root. */
  disk: Disk;
  /** The id that its options named. */
  named: string | undefined;
  /** The open workspace, or why this root is none. */
  open: Workspace | TaskfoldError;
}

export class Workspaces {
  readonly #opened: readonly Opened[];
  readonly #default: string | undefined;

  /** @internal */
  constructor(opened: readonly Opened[], defaultId: string | undefined) {
    this.#opened = opened;
    this.#default = defaultId;
    keepChanged(this, () => opened.some(({ open }) => !(open instanceof TaskfoldError) && hasChanged(open)));
  }

  /** The roots in the order of the options, each with the id that its folder has now. */
  list(): ServedRoot[] {
    return this.#opened.map((one, index) => {
      const served = servedRoot(one);
      return { ...served, default: this.#default === undefined ? index === 0 : served.workspace === this.#default };
    });
  }

  /**
   * The open workspace of an id, or the default one. With a single root it is that root's, whose calls check the id. WORKSPACE_MISMATCH
   * for an id of no root or of two. The error of the root itself if the default cannot be read.
   */
  of(workspace: string | undefined = this.#default): Workspace {
    const [first, ...more] = this.#opened as [Opened, ...Opened[]];
    if (more.length === 0) return openOf(first);
    if (workspace === undefined) return readable(first);
    const found = this.list().flatMap((row, index) => (row.workspace === workspace ? [this.#opened[index]!] : []));
    if (found.length === 1) return openOf(found[0]!);
    throw found.length === 0 ? unknownWorkspace(this.list(), workspace) : sameId(workspace, found);
  }

  /** Calls a tool in the workspace that the input names, else in the default one. Never throws, as `call` of one workspace never does. */
  call<T extends ToolName>(
    tool: T,
    input: Unbudgeted<ToolInputs[T]>,
    options?: CallOptions,
  ): Promise<Reply<WholeResults[T]>>;
  call<T extends ToolName>(tool: T, input: ToolInputs[T], options?: CallOptions): Promise<Reply<ToolResults[T]>>;
  call<T extends ToolName>(tool: T, input: ToolInputs[T], options?: CallOptions): Promise<Reply<ToolResults[T]>> {
    return this.callTool(tool, input as object as JsonObject, options) as Promise<Reply<ToolResults[T]>>;
  }

  /** The same for names and inputs from outside. With several roots, `tasks_storage` lists them. */
  async callTool(name: string, input: JsonObject, options?: CallOptions): Promise<Reply> {
    try {
      const workspace: unknown = (input as JsonObject | null | undefined)?.["workspace"];
      const open = this.of(typeof workspace === "string" ? workspace : undefined);
      if (this.#opened.length === 1) return await open.callTool(name, input, options);
      const elsewhere = (tool: string, args: JsonObject) => this.callTool(tool, args, options);
      const reply = await open.callTool(name, input, { ...options, elsewhere });
      if (name !== "tasks_storage" || !reply.success) return reply;
      return { ...reply, result: { ...reply.result, workspaces: this.list() as unknown as JsonObject[] } };
    } catch (e) {
      return errorReply(name, e);
    }
  }

  /** Closes all, and then throws the first error that closing one of them gave. */
  async close(options: ProgressOptions = {}): Promise<void> {
    const open = this.#opened.flatMap((one) => (one.open instanceof TaskfoldError ? [] : [one.open]));
    const closed = await Promise.allSettled(open.map((workspace) => workspace.close(options)));
    const failed = closed.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
  }
}

/**
 * Opens several roots; each call goes to the root of the workspace that it names. A root that cannot be read does not stop the others.
 * Then `list` says why, and so do calls that may mean it. INVALID_INPUT for options that are none, and where two roots are
 * one folder or have one id. WORKSPACE_MISMATCH for a default that is the id of no root.
 */
export function openWorkspaces(options: WorkspacesOptions): Workspaces {
  return openAll(checked(options));
}

/** The same, each root on a machine that a test or a simulation gives. */
export function openWorkspacesOn(options: WorkspacesOnOptions): Workspaces {
  return openAll(checked(options, OPENINGS.testing));
}

interface Checked {
  roots: TestingOptions[];
  workspace: string | undefined;
}

function openAll({ roots, workspace }: Checked): Workspaces {
  const opened = roots.map(opening);
  const workspaces = new Workspaces(opened, workspace);
  try {
    checkApart(opened);
    checkDefault(workspaces, workspace);
    return workspaces;
  } catch (e) {
    // The caller hears why nothing was opened, and not of a close that fails as well.
    // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects
    void Promise.allSettled([workspaces.close()]);
    throw e;
  }
}

/** The options of each root, each of them checked: only what is wrong with a folder is said later. */
function checked(options: WorkspacesOnOptions, known?: typeof OPENINGS.testing): Checked {
  if (typeof options !== "object" || options === null || !Array.isArray(options.roots) || options.roots.length === 0)
    throw refused("Expected roots to be a list of at least one folder, found none.");
  const other = Object.keys(options).find((name) => name !== "roots" && name !== "workspace");
  if (other !== undefined)
    throw refused(`Expected options of openWorkspaces to be roots, workspace, found ${JSON.stringify(other)}.`);
  const roots = options.roots.map((given: Checked["roots"][number] | string) => {
    const one = typeof given === "string" ? { root: given } : given;
    checkOpening(one, known);
    if (one.by !== undefined) checkBy(one.by);
    if (one.workspace !== undefined) checkWorkspaceId(one.workspace);
    return one;
  });
  const { workspace } = options;
  if (workspace !== undefined) checkWorkspaceId(workspace);
  return { roots, workspace };
}

function opening(options: Checked["roots"][number]): Opened {
  const root = resolve(options.root);
  const opened = { root, named: options.workspace ?? undefined, disk: disksOf(options.disk).anywhere };
  try {
    return { ...opened, open: openWorkspaceOn(options) };
  } catch (e) {
    return { ...opened, open: faultOf(e) };
  }
}

/** INVALID_INPUT where two roots are one folder, by a link perhaps, or have one id. */
function checkApart(opened: readonly Opened[]): void {
  for (const [i, one] of opened.entries()) {
    const other = opened.slice(0, i).find((known) => known.disk === one.disk && folderOf(known) === folderOf(one));
    if (other)
      throw refused(
        `Expected roots that are different folders, found that ${quoted(one.root)} is ${quoted(other.root)}.`,
      );
  }
  const rows = opened.map(servedRoot);
  for (const { workspace } of rows) {
    const alike = rows.filter((row) => workspace !== null && row.workspace === workspace);
    if (alike.length < 2) continue;
    const roots = alike.map(({ root }) => quoted(root)).join(" and ");
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected roots of different ids, found ${quoted(workspace!)} for ${roots}.`,
      remedy`Leave one out, or give it another id: ${TASKFOLD} -C ${shellQuote(alike[1]!.root)} init --rename ID`,
    );
  }
}

/** WORKSPACE_MISMATCH for a default that no root of several has or may come to have. */
function checkDefault(workspaces: Workspaces, workspace: string | undefined): void {
  const rows = workspaces.list();
  if (workspace === undefined || rows.length === 1 || rows.some((row) => row.workspace === null || row.default)) return;
  throw unknownWorkspace(rows, workspace);
}

/** The same text for two paths of one folder. */
function folderOf({ root, disk }: Opened): string {
  try {
    const stat = disk.stat(root);
    return stat ? `${stat.dev}:${stat.ino}` : root;
  } catch (e) {
    if (isFromSystem(e)) return root;
    throw e;
  }
}

function servedRoot({ root, named, open }: Opened): Omit<ServedRoot, "default"> {
  try {
    const bound = openOf({ open }).id;
    return { workspace: named ?? bound ?? null, root, error: null };
  } catch (e) {
    const { code, message } = faultOf(e);
    return { workspace: named ?? null, root, error: { code, message } };
  }
}

/** The same; LOG_UNREADABLE or STORAGE_FAILED where its binding cannot be read. */
function readable(one: Opened): Workspace {
  const open = openOf(one);
  void open.id;
  return open;
}

function openOf({ open }: Pick<Opened, "open">): Workspace {
  if (open instanceof TaskfoldError) throw open;
  return open;
}

function faultOf(e: unknown): TaskfoldError {
  if (isTaskfoldError(e)) return e;
  if (isFromSystem(e)) return storageError(e, "open the root");
  throw e;
}

/** WORKSPACE_MISMATCH that names the ids there are, and the roots of which none is known. */
function unknownWorkspace(rows: readonly ServedRoot[], workspace: string): TaskfoldError {
  const known = [...new Set(rows.flatMap((row) => row.workspace ?? []))];
  const others = rows.filter((row) => row.workspace === null);
  const why = others.map(
    ({ root, error }) =>
      ` The root ${quoted(root)} ${error ? `cannot be used: ${error.message}` : "is bound to no id yet."}`,
  );
  return new TaskfoldError(
    "WORKSPACE_MISMATCH",
    `Expected one of the workspaces that are served, ${known.map(quoted).join(", ") || "of which no id is known"}; found ${quoted(workspace.slice(0, 150))}.${why.join("")}`,
    {
      ...(known.length === 0
        ? remedy`Bind a root: ${TASKFOLD} init --workspace ID`
        : remedy`Call with workspace ${known.map(quoted).join(" or ")}; ${toolName("tasks_storage")} lists their folders.`),
      details: { known },
    },
  );
}

/** A root can be bound to the id of another one after both were opened. */
function sameId(workspace: string, found: readonly Opened[]): TaskfoldError {
  const roots = found.map(({ root }) => root);
  return new TaskfoldError(
    "WORKSPACE_MISMATCH",
    `Expected workspace ${quoted(workspace)} to be one root, found that ${roots.map(quoted).join(" and ")} are both bound to it. Nothing was done.`,
    { ...remedy`Give one another id: ${TASKFOLD} -C ${shellQuote(roots[1]!)} init --rename ID`, details: { roots } },
  );
}

const quoted = (text: string): string => JSON.stringify(text);

function refused(message: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", message, {
    recovery: 'For example: openWorkspaces({ roots: ["a", "b"] }).',
  });
}
