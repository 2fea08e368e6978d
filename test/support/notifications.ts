/** A reader of all logs that looks only where its feed says, processes that write, and notification files of any age. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { ChangeNotifications } from "../../src/engine/core/change_notifications.ts";
import { ChangeFeed } from "../../src/engine/listing/change_feed.ts";
import type { FeedReader } from "../../src/engine/listing/change_feed.ts";
import type { IndexOptions } from "../../src/engine/listing/workspace_index.ts";
import { Layout } from "../../src/files/layout.ts";
import { ROOT } from "./source.ts";
import { WORKSPACE } from "./workspace.ts";

export function notificationsPath(root: string): string {
  return join(root, ".coco", "registry", "notifications");
}

/** As if a process had written here long ago. */
export function oldNotifications(root: string): void {
  mkdirSync(dirname(notificationsPath(root)), { recursive: true });
  writeFileSync(notificationsPath(root), `tasks/TASK-001 ${(Date.now() - 60_000).toString(36)}.long-ago.0\n`);
}

/** Everything that stands in logs, by key. */
export function logsIn(root: string): Map<string, string> {
  const logs = new Map<string, string>();
  for (const part of ["tasks", "archive"]) {
    const folder = join(root, ".coco", part);
    for (const id of existsSync(folder) ? readdirSync(folder) : []) {
      const text = logOf(root, `${part}/${id}`);
      if (text !== undefined) logs.set(`${part}/${id}`, text);
    }
  }
  return logs;
}

function logOf(root: string, key: string): string | undefined {
  const path = join(root, ".coco", key, "events.jsonl");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Not even few logs are all looked at each time, and no look is due for its age. */
export const BY_NOTIFICATIONS = { alwaysBelow: 0, lookMs: Infinity, trustFirst: true };

/** What a list does: it keeps what it read, and reads again what its feed names. */
export class LogReader {
  readonly #root: string;
  readonly #feed: FeedReader;
  #logs = new Map<string, string>();
  /** Answers that took a look at everything, and those that did not. */
  readonly looks = { all: 0, some: 0 };

  /** Without options few logs are all looked at each time. */
  constructor(root: string, { alwaysBelow = Infinity, ...options }: IndexOptions = {}) {
    this.#root = root;
    const layout = new Layout(root);
    const context = {
      disk: nodeDisk,
      layout,
      runtime: nodeRuntime,
      notifications: new ChangeNotifications(nodeDisk, layout, nodeRuntime),
    };
    this.#feed = new ChangeFeed(context, options).reader({ alwaysBelow });
  }

  read(): { logs: ReadonlyMap<string, string>; whole: boolean } {
    const taken = this.#feed.take();
    const changed = this.#feed.isFresh() ? taken : "all";
    if (changed === "all") this.#readAll();
    else for (const key of changed) this.#readOne(key);
    this.looks[changed === "all" ? "all" : "some"]++;
    return { logs: this.#logs, whole: changed === "all" };
  }

  #readAll(): void {
    const start = performance.now();
    this.#logs = logsIn(this.#root);
    this.#feed.looked(performance.now() - start, this.#logs.size);
  }

  #readOne(key: string): void {
    const text = logOf(this.#root, key);
    if (text === undefined) this.#logs.delete(key);
    else this.#logs.set(key, text);
  }
}

/** A process that makes calls on any root, and keeps it open. */
export class OtherProcess {
  readonly #process = fork(join(ROOT, "test/support/notifications_worker.mjs"));

  async call(root: string, tool: string, input: object): Promise<void> {
    const error = await this.#ask({ root, tool, input: { workspace: WORKSPACE, ...input } });
    if (error !== null) throw new Error(`${tool}: ${error}`);
  }

  async close(root: string): Promise<void> {
    await this.#ask({ root });
  }

  end(): void {
    this.#process.kill();
  }

  /** What went wrong, if anything. */
  async #ask(told: object): Promise<string | null> {
    const answer = once(this.#process, "message");
    this.#process.send(told);
    return ((await answer) as [string | null])[0];
  }
}

/** The disk of a process that ends, or finds no room, at its next write to the notification file. */
export function brokenNotifications(broken: "ends" | "full"): Disk {
  const notified = new Set<number>();
  return {
    ...nodeDisk,
    open: (path, flags) => {
      const fd = nodeDisk.open(path, flags);
      if (path.endsWith("notifications")) notified.add(fd);
      else notified.delete(fd);
      return fd;
    },
    write: (fd, bytes, position) => {
      if (!notified.has(fd)) return nodeDisk.write(fd, bytes, position);
      if (broken === "full") return nodeDisk.write(fd, bytes.subarray(0, 5), position);
      throw new Error("the process ended");
    },
  };
}
