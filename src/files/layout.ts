/** Where everything lives under a workspace root (spec/directory.md). Names only; nothing here touches a disk. */
import { dirname, join, sep } from "node:path";
import { TaskfoldError } from "../errors.ts";

/** Kept for speed or convenience: lies where no checkout can put it, and may be deleted at any moment. */
const MACHINE = ["focus", "cursors", "snapshots", "dirty", "index", "exchange", "packet", "shared", "stops"] as const;
export type MachinePart = (typeof MACHINE)[number];
/** May hold the only copy of accepted changes: shared by all machines, believed by content alone. */
const SHARED = ["journal", "unsynced", "quarantine"] as const;
export type SharedPart = (typeof SHARED)[number];

export class Layout {
  readonly root: string;
  readonly coco: string;
  readonly tasks: string;
  readonly archive: string;
  readonly registry: string;
  readonly locks: string;
  /** Where writers name what they changed (engine/core/change_notifications.ts): for all processes on this root, those in containers too. */
  readonly notifications: string;
  /** The notification file that stood there before. */
  readonly notificationsBefore: string;
  /** Which process holds all locks while git works, and for which command. */
  readonly held: string;
  readonly workspaceFile: string;

  readonly #machine: () => string;
  /** Paths of the machine's folders: each read of a focus and each cursor asks for one. */
  #machineFolders: { of: string; paths: Map<MachinePart, string> } = { of: "", paths: new Map() };

  /** `machine`: name of the folder in `registry/` that is this machine's and this root's alone (machine_folder.ts). */
  constructor(root: string, machine: () => string = () => "machine") {
    this.root = root;
    this.#machine = machine;
    this.coco = join(root, ".coco");
    this.tasks = join(this.coco, "tasks");
    this.archive = join(this.coco, "archive");
    this.registry = join(this.coco, "registry");
    this.locks = join(this.coco, "locks");
    this.notifications = join(this.registry, "notifications");
    this.notificationsBefore = join(this.registry, "notifications.before");
    this.held = join(this.locks, "held");
    this.workspaceFile = join(this.coco, "workspace.yaml");
  }

  folder(id: string): string {
    return join(this.tasks, segment(id));
  }

  /** The folders from the root down to an entity's, live or archived. */
  wayTo(folder: string): string[] {
    return [this.coco, dirname(folder), folder];
  }

  archived(id: string): string {
    return join(this.archive, segment(id));
  }

  /** A folder that this machine keeps for itself, for this root alone. */
  machineFolder(part: MachinePart): string {
    const of = this.#machine();
    if (this.#machineFolders.of !== of) this.#machineFolders = { of, paths: new Map() };
    const { paths } = this.#machineFolders;
    const path = paths.get(part) ?? join(this.registry, of, part);
    paths.set(part, path);
    return path;
  }

  machineFile(part: MachinePart, name: string): string {
    return `${this.machineFolder(part)}${sep}${segment(name)}`;
  }

  /** A folder of the registry that every process on this root uses, of whichever machine; git-ignored. */
  sharedFolder(part: SharedPart): string {
    return join(this.registry, part);
  }

  sharedFile(part: SharedPart, name: string): string {
    return join(this.registry, part, segment(name));
  }

  lock(name: string): string {
    return join(this.locks, `${segment(name)}.lock`);
  }

  lockKind(): string {
    return join(this.locks, "kind");
  }
}

export const LOG_FILE = "events.jsonl";
export const TASK_FILE = "task.yaml";
export const INDEX_FILE = "shared/evidence/index.json";

// The last check before a name becomes part of a path: grammars of ids are checked where the id comes in.
// oxlint-disable-next-line no-control-regex -- NUL ends a path
const UNSAFE = /[/\\\u0000]|^\.{0,2}$/;

/** The name as it is; ID_UNSAFE where it is none, or more than one segment of a path. */
function segment(name: string): string {
  if (!UNSAFE.test(name)) return name;
  throw new TaskfoldError(
    "ID_UNSAFE",
    `Expected the name of one file or folder, found ${JSON.stringify(name.slice(0, 80))}.`,
    { recovery: "Give an id such as TASK-001." },
  );
}
