/** The folder of a workspace, as its readers and its writers share it. */
import { resolve } from "node:path";
import { TaskfoldError } from "../errors.ts";
import { Layout } from "../files/layout.ts";
import { RootedDisk } from "../rooted_disk.ts";
import { Bell } from "./core/bell.ts";
import { machineFolderOf } from "./locks/machine_folder.ts";
import type { WorkspaceOptions } from "./workspace_options.ts";
import type { EngineContext } from "./core/context.ts";
import { randomBytes } from "node:crypto";

type Writers = Pick<EngineContext, "now" | "locks" | "packetConfig">;

export interface OpenRoot {
  root: string;
  world: EngineContext;
  /** Lets go of every folder, and of the bell. */
  release: () => void;
}

/** Reads nothing yet. INVALID_INPUT when the root is there and is no folder. */
export function openRoot(options: WorkspaceOptions, writers: Writers): OpenRoot {
  const root = resolve(options.root);
  const rooted = options.disk ? undefined : new RootedDisk(root);
  const disk = options.disk ?? rooted!;
  const layout = new Layout(root, machineFolderOf(disk, root));
  const bell = new Bell(disk, layout);
  const world: EngineContext = {
    disk,
    layout,
    bell,
    durability: options.durability ?? "fsync",
    projections: options.projections ?? "batch",
    notices: [],
    lockTimeoutMs: options.lock_timeout_ms ?? 10_000,
    entitiesInMemory: options.entities_in_memory ?? 1000,
    newId: options.newId ?? newId,
    ...(options.git ? { git: options.git } : {}),
    ...writers,
  };
  const stat = disk.stat(root);
  if (stat && stat.kind !== "folder")
    throw new TaskfoldError("INVALID_INPUT", `Expected root to be a folder, found a ${stat.kind}.`);
  const release = (): void => {
    bell.close();
    rooted?.release();
  };
  return { root, world, release };
}

// Where ids of ops, steps and files come from.
const ID_BYTES = 10;
const POOLED_IDS = 256;
let pool = "";
let used = 0;

/** Twenty random hexadecimal digits. From a pool: to ask for a few random bytes costs as much as to ask for thousands. */
function newId(): string {
  if (used === pool.length) {
    pool = randomBytes(ID_BYTES * POOLED_IDS).toString("hex");
    used = 0;
  }
  const from = used;
  used += 2 * ID_BYTES;
  return pool.slice(from, used);
}
