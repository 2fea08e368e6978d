/** Where everything lives under a workspace root (spec/directory.md). Names only; nothing here touches a disk. */
import { dirname, join } from "node:path";
import { segment } from "./segment.ts";

const REGISTRY = ["focus", "cursors", "snapshots", "dirty", "journal", "unsynced", "quarantine", "index"] as const;
type RegistryPart = (typeof REGISTRY)[number];

export class Layout {
  readonly root: string;
  readonly coco: string;
  readonly tasks: string;
  readonly archive: string;
  readonly registry: string;
  /** Where a file stands until it is exchanged with the one it replaces (replace.ts). */
  readonly exchange: string;
  readonly locks: string;
  readonly workspaceFile: string;

  constructor(root: string) {
    this.root = root;
    this.coco = join(root, ".coco");
    this.tasks = join(this.coco, "tasks");
    this.archive = join(this.coco, "archive");
    this.registry = join(this.coco, "registry");
    this.exchange = join(this.registry, "exchange");
    this.locks = join(this.coco, "locks");
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

  /** A file in a part of the registry: this machine only, git-ignored. */
  registryFile(part: RegistryPart, name: string): string {
    return join(this.registry, part, segment(name));
  }

  /** Every folder of this machine, and what leads there: what is no part of the repository may not lead out of it either. */
  machineFolders(): string[] {
    const parts = REGISTRY.map((part) => join(this.registry, part));
    return [this.coco, this.locks, this.registry, this.exchange, ...parts];
  }

  /** What leads to a part of the registry, and the part. */
  wayToRegistry(part: RegistryPart): string[] {
    return [this.coco, this.registry, join(this.registry, part)];
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
