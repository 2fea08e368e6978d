/** Which process group runs for a packet, kept on this machine: who comes after a killed dispatcher makes sure that it is gone. */
import { dirname } from "node:path";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { readCache, removeQuietly, writeAtomic } from "../files/atomic.ts";
import { ensureFolder } from "../files/folders.ts";
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import type { Runtime } from "../runtime.ts";
import { GRACE_MS, sleep } from "../runtime.ts";

const MAX_BYTES = 4096;
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
  readonly #task: string;
  readonly #runtime: Pick<Runtime, "after" | "uptime" | "groups">;

  constructor({ id, disk, layout, runtime }: Pick<PacketAccess, "id" | "disk" | "layout" | "runtime">) {
    this.#disk = disk;
    this.#path = layout.machineFile("packet", `${id}.group.json`);
    this.#task = id;
    this.#runtime = runtime;
  }

  keep(id: number): void {
    ensureFolder(this.#disk, dirname(this.#path));
    writeAtomic(
      this.#disk,
      this.#path,
      JSON.stringify({ id, began: this.#runtime.groups.beganAt(id) ?? "" } satisfies Group),
    );
  }

  drop(): void {
    removeQuietly(this.#disk, this.#path);
  }

  /** Waits for the end of the group, which its guard brings about, and ends it where that guard is gone. STAGE_RUNNING where it stays. */
  async end(): Promise<void> {
    const group = this.#read();
    if (group && this.#runtime.groups.hasRunning(group.id) && !this.#isAnother(group)) await this.#endGroup(group);
    this.drop();
  }

  /** A number is given again once no process bears it, as its own or as that of its group. */
  #isAnother({ id, began }: Group): boolean {
    const now = this.#runtime.groups.beganAt(id);
    return now !== undefined && now !== began;
  }

  async #endGroup({ id, began }: Group): Promise<void> {
    const { groups } = this.#runtime;
    // Without the time at which it began, it may be another one.
    const isOurs = began !== "";
    if (isOurs) groups.signalAll(id, "SIGTERM");
    if (await this.#isGoneWithin(id, GRACE_MS)) return;
    if (isOurs) groups.signalAll(id, "SIGKILL");
    if (await this.#isGoneWithin(id, GONE_MS)) return;
    throw new TaskfoldError(
      "STAGE_RUNNING",
      `Expected what the last dispatcher of ${this.#task} started to be gone; process group ${id} still runs.`,
      { recovery: `End it: kill -KILL -- -${id}`, details: { group: id } },
    );
  }

  async #isGoneWithin(group: number, ms: number): Promise<boolean> {
    const end = this.#runtime.uptime() + ms;
    while (this.#runtime.groups.hasRunning(group)) {
      if (this.#runtime.uptime() > end) return false;
      await sleep(this.#runtime, 50);
    }
    return true;
  }

  #read(): Group | undefined {
    const bytes = readCache(this.#disk, this.#path, MAX_BYTES);
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
