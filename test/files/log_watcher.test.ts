import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { LogWatcher } from "../../src/files/log_watcher.ts";
import { tempFolder } from "../support/temp.ts";

/** A disk whose watches say what the test says. */
function told(): { disk: Disk; say: (path: string, name: string | null) => void; watched: () => string[] } {
  const watches = new Map<string, (name: string | null) => void>();
  const disk: Disk = {
    ...nodeDisk,
    watch: (path, changed) => {
      watches.set(path, changed);
      return () => watches.delete(path);
    },
  };
  return { disk, say: (path, name) => watches.get(path)?.(name), watched: () => [...watches.keys()].toSorted() };
}

function watcher(disk: Disk, home: string, names: string[]): { logs: LogWatcher; hints: () => number } {
  let hints = 0;
  const parts = { tasks: join(home, "tasks"), archive: join(home, "archive") };
  const logs = new LogWatcher(
    disk,
    home,
    parts,
    (part) => (part === "tasks" ? names : []),
    () => hints++,
  );
  onTestFinished(() => logs.close());
  logs.look();
  return { logs, hints: () => hints };
}

function home(names: string[]): string {
  const folder = tempFolder();
  for (const part of ["archive", ...names.map((name) => join("tasks", name))])
    mkdirSync(join(folder, part), { recursive: true });
  for (const name of names) writeFileSync(join(folder, "tasks", name, "events.jsonl"), "");
  return folder;
}

describe("which logs may have changed", () => {
  it("[WATCH-4] a look tells those that are not as they were, once", () => {
    const folder = home(["A", "B"]);
    const { logs } = watcher(told().disk, folder, ["A", "B"]);
    expect(logs.take()).toEqual(["tasks/A", "tasks/B"]);
    logs.look();
    expect(logs.hasStale).toBe(false);
    appendFileSync(join(folder, "tasks/B/events.jsonl"), "x");
    logs.look();
    expect(logs.take()).toEqual(["tasks/B"]);
    rmSync(join(folder, "tasks/A"), { recursive: true });
    logs.look();
    expect(logs.take()).toEqual(["tasks/A"]);
    logs.look();
    expect(logs.hasStale).toBe(false);
    logs.forget("tasks/B");
    logs.look();
    expect(logs.take()).toEqual(["tasks/B"]);
  });

  it("[WATCH-4] hints of logs count, those of other files do not", () => {
    const folder = home(["A"]);
    const { disk, say } = told();
    const { logs, hints } = watcher(disk, folder, ["A"]);
    logs.take();
    say(join(folder, "tasks/A"), "README.md");
    say(folder, "registry");
    expect([logs.hasStale, logs.mustLook, hints()]).toEqual([false, false, 0]);
    say(join(folder, "tasks/A"), "events.jsonl");
    say(join(folder, "tasks"), "B");
    expect([logs.take(), hints()]).toEqual([["tasks/A", "tasks/B"], 2]);
    for (const [path, name] of [
      [folder, "archive"],
      [folder, null],
      [join(folder, "tasks"), null],
    ] as const) {
      say(path, name);
      expect(logs.mustLook).toBe(true);
      logs.look();
      expect(logs.mustLook).toBe(false);
    }
  });

  it("[WATCH-4] a watch that was silent is made anew", () => {
    const folder = home(["A"]);
    const names = ["A"];
    const { disk, say } = told();
    const kept: string[] = [];
    const { logs } = watcher({ ...disk, watch: (...args) => (kept.push(args[0]), disk.watch(...args)) }, folder, names);
    logs.take();
    const before = kept.length;
    appendFileSync(join(folder, "tasks/A/events.jsonl"), "x");
    say(join(folder, "tasks/A"), "events.jsonl");
    logs.take();
    logs.look();
    expect(kept).toHaveLength(before);
    appendFileSync(join(folder, "tasks/A/events.jsonl"), "x");
    logs.look();
    expect(kept.slice(before)).toEqual([join(folder, "tasks/A")]);
    mkdirSync(join(folder, "tasks/B"));
    writeFileSync(join(folder, "tasks/B/events.jsonl"), "");
    names.push("B");
    logs.take();
    logs.look();
    expect(kept.slice(before + 1)).toEqual([join(folder, "tasks/B"), join(folder, "tasks")]);
  });

  it("[WATCH-4] a first look begins one watch for each folder, and one more for the folder of all of them", () => {
    const names = ["A", "B", "C", "D"];
    const folder = home(names);
    const { disk } = told();
    const begun: string[] = [];
    watcher({ ...disk, watch: (...args) => (begun.push(args[0]), disk.watch(...args)) }, folder, names);
    const above = ["archive", "tasks"].map((part) => join(folder, part));
    const each = names.map((name) => join(folder, "tasks", name));
    expect(begun.toSorted()).toEqual([folder, ...above, ...each, join(folder, "tasks")].toSorted());
  });

  it("[WATCH-4] watches that begin before a look tell, and the look finds what came before its watch", () => {
    const folder = home(["A", "B"]);
    const { disk, say, watched } = told();
    const { logs } = watcher(disk, folder, []);
    const late = new LogWatcher(
      disk,
      folder,
      { tasks: join(folder, "tasks") },
      () => ["A", "B"],
      () => undefined,
    );
    onTestFinished(() => late.close());
    logs.close();
    const begun = late.begin();
    for (let n = 0; n < 3; n++) begun.next();
    expect(watched()).toEqual([folder, join(folder, "tasks"), join(folder, "tasks/A")]);
    begun.next();
    say(join(folder, "tasks/B"), "events.jsonl");
    expect(late.take()).toEqual(["tasks/B"]);
    late.look();
    expect(late.take()).toEqual(["tasks/A"]);
  });

  it("[WATCH-4] a folder that is replaced is watched again, as the system tells it by its own name", () => {
    const folder = home(["A"]);
    const { disk, say } = told();
    const kept: string[] = [];
    const { logs } = watcher({ ...disk, watch: (...args) => (kept.push(args[0]), disk.watch(...args)) }, folder, ["A"]);
    for (const [path, name] of [
      [folder, "tasks"],
      [join(folder, "tasks"), "tasks"],
      [folder, basename(folder)],
    ] as const) {
      const before = kept.length;
      say(path, name);
      logs.look();
      expect(kept.slice(before)).toEqual([name === "tasks" ? join(folder, "tasks") : folder]);
    }
  });

  it("[WATCH-4] above 2,000 folders, and where the system has none to give, there are no watches", () => {
    const folder = home(["A"]);
    const { disk, watched } = told();
    const names = ["A"];
    const { logs } = watcher(disk, folder, names);
    expect(watched()).toEqual([folder, join(folder, "archive"), join(folder, "tasks"), join(folder, "tasks/A")]);
    expect(logs.isWatching).toBe(true);
    names.push(...Array.from({ length: 2000 }, (_, i) => `B-${i}`));
    logs.look();
    expect([watched(), logs.isWatching]).toEqual([[], false]);
    names.length = 1;
    logs.look();
    expect(logs.isWatching).toBe(true);
    const none = {
      ...nodeDisk,
      watch: () => {
        throw Object.assign(new Error("no more"), { code: "EMFILE" });
      },
    };
    expect(watcher(none, folder, ["A"]).logs.isWatching).toBe(false);
  });
});
