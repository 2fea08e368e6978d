/** Which process group runs for a packet, kept on this machine: who comes after a killed dispatcher makes sure that it is gone. */
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { readCache, removeQuietly, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import type { Layout } from "../files/layout.ts";
import { GRACE_MS } from "./group_guard.ts";
import { beganAt, hasRunning, signalAll } from "./group_members.ts";

const MOST_BYTES = 4096;
/** After SIGKILL: for the system to take the processes away. */
const GONE_MS = 2000;

interface Group {
  id: number;
  /** When its first process began; empty where the system does not tell. */
  began: string;
}

export class KeptGroup {
  readonly #disk: Disk;
  readonly #path: string;

  constructor(disk: Disk, layout: Layout, task: string) {
    this.#disk = disk;
    this.#path = layout.machineFile("packet", `${task}.group.json`);
  }

  keep(id: number): void {
    ensureFolder(this.#disk, dirname(this.#path));
    writeAtomic(this.#disk, this.#path, JSON.stringify({ id, began: beganAt(id) ?? "" } satisfies Group));
  }

  drop(): void {
    removeQuietly(this.#disk, this.#path);
  }

  /** Waits for the end of the group, which its guard brings about, and ends it where that guard is gone. STAGE_RUNNING where it stays. */
  async end(task: string): Promise<void> {
    const group = this.#read();
    if (group && hasRunning(group.id) && !isAnother(group)) await endGroup(group, task);
    this.drop();
  }

  #read(): Group | undefined {
    const bytes = readCache(this.#disk, this.#path, MOST_BYTES);
    try {
      const { id, began } = JSON.parse(bytes?.toString("utf8") ?? "{}") as Partial<Group>;
      return Number.isSafeInteger(id) && id! > 1 && typeof began === "string" ? { id: id!, began } : undefined;
    } catch (e) {
      // Half of a file that a crash left is as good as none.
      if (e instanceof SyntaxError) return undefined;
      throw e;
    }
  }
}

/** A number is given again once no process bears it, as its own or as that of its group. */
function isAnother({ id, began }: Group): boolean {
  const now = beganAt(id);
  return now !== undefined && now !== began;
}

async function endGroup(group: Group, task: string): Promise<void> {
  // Without the time at which it began, it may be another one.
  const isOurs = group.began !== "";
  if (isOurs) signalAll(group.id, "SIGTERM");
  if (await isGoneWithin(group.id, GRACE_MS)) return;
  if (isOurs) signalAll(group.id, "SIGKILL");
  if (await isGoneWithin(group.id, GONE_MS)) return;
  throw new TaskfoldError(
    "STAGE_RUNNING",
    `Expected what the last dispatcher of ${task} started to be gone; process group ${group.id} still runs.`,
    { recovery: `End it: kill -KILL -- -${group.id}`, details: { group: group.id } },
  );
}

async function isGoneWithin(group: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (hasRunning(group)) {
    if (performance.now() > end) return false;
    await sleep(50);
  }
  return true;
}
