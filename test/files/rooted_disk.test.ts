import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { FileTooLargeError, nodeDisk, UnsafePathError } from "../../src/disk.ts";
import { RootedDisk } from "../../src/rooted_disk.ts";
import { storageError } from "../../src/files/storage_error.ts";
import { openWorkspace } from "../support/open.ts";
import { makePipe } from "../support/planted.ts";
import { ROTATING } from "../support/sweep.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";

onRealDisk();

/** What a failing call threw. */
function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (e) {
    return e;
  }
  return undefined;
}

/** A root with `in/file`, and a folder outside of it with the same. */
function both(): { root: string; out: string } {
  const base = tempFolder();
  const root = join(base, "root");
  const out = join(base, "out");
  for (const folder of [root, out]) {
    mkdirSync(join(folder, "in"), { recursive: true });
    writeFileSync(join(folder, "in/file"), folder === out ? "theirs" : "ours");
  }
  return { root, out };
}

/** Every call that takes a path, on a name below the folder `in`. */
const CALLS: Record<string, (disk: Disk, root: string) => unknown> = {
  "open r": (disk, root) => disk.open(join(root, "in/file"), "r"),
  "open r+": (disk, root) => disk.open(join(root, "in/file"), "r+"),
  "open a+": (disk, root) => disk.open(join(root, "in/new"), "a+"),
  "open ra": (disk, root) => disk.open(join(root, "in/file"), "ra"),
  "open wx": (disk, root) => disk.open(join(root, "in/new"), "wx"),
  readFile: (disk, root) => disk.readFile(join(root, "in/file")),
  readdir: (disk, root) => disk.readdir(join(root, "in")),
  readFolders: (disk, root) => disk.readFolders(join(root, "in")),
  entries: (disk, root) => disk.entries(join(root, "in")),
  mkdir: (disk, root) => disk.mkdir(join(root, "in/new")),
  "rename from": (disk, root) => disk.rename(join(root, "in/file"), join(root, "moved")),
  "rename to": (disk, root) => disk.rename(join(root, "own"), join(root, "in/new")),
  unlink: (disk, root) => disk.unlink(join(root, "in/file")),
  rmdir: (disk, root) => disk.rmdir(join(root, "in/empty")),
  readlink: (disk, root) => disk.readlink(join(root, "in/link")),
  syncFolder: (disk, root) => disk.syncFolder(join(root, "in")),
  watch: (disk, root) =>
    disk.watch(
      join(root, "in"),
      () => undefined,
      () => undefined,
    ),
};

describe.each([
  ["by descriptors", true],
  ["by looks before and after", false],
])("the disk below a root, %s", (_how, byDescriptor) => {
  const open = (root: string): RootedDisk => new RootedDisk(root, { byDescriptor });

  it.each(Object.keys(CALLS))("[DIR-50] %s goes behind no link to a folder", (name) => {
    const { root, out } = both();
    rmSync(join(root, "in"), { recursive: true });
    symlinkSync(out + "/in", join(root, "in"));
    mkdirSync(join(out, "in/empty"));
    symlinkSync("file", join(out, "in/link"));
    writeFileSync(join(root, "own"), "own");
    const before = readdirSync(join(out, "in"));
    const disk = open(root);
    expect(thrown(() => CALLS[name]!(disk, root))).toBeInstanceOf(UnsafePathError);
    expect(readdirSync(join(out, "in"))).toEqual(before);
    disk.release();
  });

  it.each(["r", "r+", "a+", "ra"] as const)("[DIR-50] opens no link in the place of a file (%s)", (flags) => {
    const { root, out } = both();
    rmSync(join(root, "in/file"));
    symlinkSync(join(out, "in/file"), join(root, "in/file"));
    expect(thrown(() => open(root).open(join(root, "in/file"), flags))).toBeInstanceOf(UnsafePathError);
    symlinkSync(join(out, "in/made"), join(root, "in/dangling"));
    expect(thrown(() => open(root).open(join(root, "in/dangling"), flags))).toBeInstanceOf(UnsafePathError);
    expect(existsSync(join(out, "in/made"))).toBe(false);
  });

  it("[DIR-50] a new file is none where a link waits", () => {
    const { root, out } = both();
    symlinkSync(join(out, "in/made"), join(root, "in/new"));
    expect(thrown(() => open(root).open(join(root, "in/new"), "wx"))).toMatchObject({ code: "EEXIST" });
    expect(existsSync(join(out, "in/made"))).toBe(false);
  });

  it("[DIR-50] what is no regular file is not opened, and no pipe is waited for", () => {
    const { root } = both();
    makePipe(join(root, "in/pipe"));
    symlinkSync("/dev/zero", join(root, "in/zero"));
    const disk = open(root);
    for (const flags of ["r", "r+", "a+", "ra"] as const) {
      expect(thrown(() => disk.open(join(root, "in/pipe"), flags))).toMatchObject({ found: "special file" });
      expect(thrown(() => disk.open(join(root, "in/zero"), flags))).toBeInstanceOf(UnsafePathError);
      expect(thrown(() => disk.open(join(root, "in"), flags))).toMatchObject({ code: "EISDIR" });
    }
  });

  it("[DIR-50] a name outside of the root is refused by every call, however it is spelled", () => {
    const { root, out } = both();
    const disk = open(root);
    for (const path of [
      out,
      join(out, "in/file"),
      `${root}/../out/in/file`,
      `${root}/in/../../out/in/file`,
      "/",
      "in",
    ]) {
      const calls = [
        () => disk.open(path, "r"),
        () => disk.open(path, "a+"),
        () => disk.lstat(path),
        () => disk.readFile(path),
        () => disk.readdir(path),
        () => disk.rename(join(root, "in/file"), path),
        () => disk.unlink(path),
        () => disk.rmdir(path),
      ];
      for (const call of calls) expect(thrown(call), path).toMatchObject({ found: "name outside of the root" });
    }
    expect(readFileSync(join(out, "in/file"), "utf8")).toBe("theirs");
  });

  it("[DIR-50] makes, reads, renames and removes what lies below the root, as a plain disk does", () => {
    const { root } = both();
    const disk = open(root);
    disk.mkdir(join(root, "a"));
    disk.mkdir(join(root, "a/b"));
    const fd = disk.open(join(root, "a/b/c"), "wx");
    disk.write(fd, Buffer.from("text"));
    disk.close(fd);
    disk.syncFolder(join(root, "a/b"));
    expect(disk.readFile(join(root, "a/b/c")).toString()).toBe("text");
    expect(disk.lstat(join(root, "a/b/c"))).toMatchObject({ kind: "file", size: 4 });
    disk.rename(join(root, "a/b/c"), join(root, "a/d"));
    expect(disk.readdir(join(root, "a")).toSorted()).toEqual(["b", "d"]);
    expect(disk.readFolders(join(root, "a"))).toEqual(["b"]);
    disk.unlink(join(root, "a/d"));
    disk.rmdir(join(root, "a/b"));
    expect(thrown(() => disk.readFile(join(root, "a/b/c")))).toMatchObject({ code: "ENOENT" });
    symlinkSync("elsewhere", join(root, "a/link"));
    expect(disk.readlink(join(root, "a/link"))).toBe("elsewhere");
    disk.unlink(join(root, "a/link"));
    disk.rmdir(join(root, "a"));
    disk.release();
  });

  it("[DIR-50] makes the root itself, and follows the link by which its owner names it", () => {
    const base = tempFolder();
    const made = open(join(base, "x/y"));
    made.mkdir(join(base, "x"));
    made.mkdir(join(base, "x/y"));
    made.mkdir(join(base, "x/y/z"));
    symlinkSync(join(base, "x/y"), join(base, "named"));
    const named = open(join(base, "named"));
    expect(named.readdir(join(base, "named"))).toEqual(["z"]);
    named.mkdir(join(base, "named/w"));
    expect(readdirSync(join(base, "x/y")).toSorted()).toEqual(["w", "z"]);
  });

  it("[DIR-50] a folder that is moved away and made anew is the new one from then on", async () => {
    // Held folders are asked for once for all that runs without a pause.
    const pause = (): Promise<void> => new Promise((done) => setImmediate(done));
    const { root } = both();
    const disk = open(root);
    expect(disk.readFile(join(root, "in/file")).toString()).toBe("ours");
    disk.mkdir(join(root, "in/held"));
    await pause();
    renameSync(join(root, "in"), join(root, "away"));
    mkdirSync(join(root, "in"));
    writeFileSync(join(root, "in/file"), "new");
    disk.mkdir(join(root, "in/second"));
    expect(readdirSync(join(root, "in")).toSorted()).toEqual(["file", "second"]);
    expect(readdirSync(join(root, "away")).toSorted()).toEqual(["file", "held"]);
    await pause();
    renameSync(root, `${root}-2`);
    mkdirSync(join(root, "in"), { recursive: true });
    disk.mkdir(join(root, "in/third"));
    expect(readdirSync(join(root, "in"))).toEqual(["third"]);
  });

  it("[DIR-50] goes on after many folders, and holds few of them open", () => {
    const { root } = both();
    const disk = open(root);
    const descriptors = (): number => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
    const before = descriptors();
    for (let i = 0; i < 300; i++) disk.mkdir(join(root, `f${i}`));
    for (let i = 0; i < 300; i++) disk.mkdir(join(root, `f${i}/in`));
    for (let i = 0; i < 299; i++) disk.rename(join(root, `f${i}/in`), join(root, `f${i + 1}/moved`));
    expect(descriptors() - before).toBeLessThan(70);
    disk.release();
    expect(descriptors()).toBe(before);
  });

  it("[LIMIT-1] a file above what its reader takes is refused before it is read", () => {
    const { root } = both();
    writeFileSync(join(root, "in/sparse"), "");
    truncateSync(join(root, "in/sparse"), 2 ** 30);
    const disk = open(root);
    expect(thrown(() => disk.readFile(join(root, "in/sparse")))).toBeInstanceOf(FileTooLargeError);
    expect(thrown(() => disk.readFile(join(root, "in/file"), 3))).toBeInstanceOf(FileTooLargeError);
    expect(disk.readFile(join(root, "in/file"), 4).toString()).toBe("ours");
  });
});

describe("what looks outside of the root", () => {
  it("[DIR-50] reads a named file whole within a limit, and nothing that is no file", () => {
    const { out } = both();
    const { outside } = nodeDisk;
    expect(outside.readFile(join(out, "in/file"), 6).toString()).toBe("theirs");
    expect(thrown(() => outside.readFile(join(out, "in/file"), 5))).toBeInstanceOf(FileTooLargeError);
    expect(thrown(() => outside.readFile("/dev/zero", 100))).toBeInstanceOf(UnsafePathError);
  });
});

describe("errors of the disk", () => {
  it("[DIR-50] PATH_UNSAFE names what is in the way from .coco on, and nothing above", () => {
    const error = storageError(new UnsafePathError("/home/ann/repo/.coco/tasks/T", "link"), "read it");
    expect(error).toMatchObject({ code: "PATH_UNSAFE", details: { path: ".coco/tasks/T" } });
    expect(error.message).not.toContain("ann");
  });

  it("[LIMIT-1] CONTENT_TOO_LARGE says how much is taken", () => {
    expect(storageError(new FileTooLargeError("x", 10), "read it")).toMatchObject({ code: "CONTENT_TOO_LARGE" });
  });
});

const SWAPPER = `
  const fs = require("node:fs");
  const [folder, link, spare] = process.argv.slice(1);
  const until = Date.now() + 1500;
  while (Date.now() < until) {
    fs.renameSync(folder, spare); fs.renameSync(link, folder);
    fs.renameSync(folder, link); fs.renameSync(spare, folder);
  }
`;

describe.skipIf(process.platform !== "linux")("a link that comes between look and use", () => {
  it(
    "[DIR-50] changes go on while a folder and a link change places: nothing outside is touched",
    ROTATING,
    async () => {
      const ws = openTemp({ durability: "os" });
      await newTask(ws);
      await ws.close();
      const { out } = both();
      const folder = join(ws.root, ".coco/tasks/TASK-001");
      const link = join(tempFolder(), "link");
      symlinkSync(out, link);
      const before = statSync(out);
      const child = spawn(process.execPath, ["-e", SWAPPER, folder, link, `${link}-spare`]);
      const ended = new Promise((done) => child.on("exit", done));
      const again = openWorkspace({ root: ws.root, durability: "os" });
      let changes = 0;
      const task = { workspace: "acme/repo", task: "TASK-001" };
      for (let going = true; going;) {
        going = child.exitCode === null;
        const reply = await again.call("tasks_note", { ...task, note: `note ${changes}` });
        if (reply.success) changes++;
        expect(reply.error?.code).not.toBe("INTERNAL");
        await new Promise((done) => setImmediate(done));
      }
      await ended;
      await again.close();
      expect(readdirSync(out)).toEqual(["in"]);
      expect(readdirSync(join(out, "in"))).toEqual(["file"]);
      expect(statSync(out).mtimeMs).toBe(before.mtimeMs);
      expect(readlinkSync(link)).toBe(out);
      expect(changes).toBeGreaterThan(0);
    },
  );
});

describe("a log with a second name", () => {
  it("[DIR-50] becomes a file of its own before it is appended to", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ws.close();
    const log = join(ws.root, ".coco/tasks/TASK-001/events.jsonl");
    const other = join(tempFolder(), "other");
    linkSync(log, other);
    const before = readFileSync(other);
    const again = openWorkspace({ root: ws.root });
    await ok(again, "tasks_note", { task: "TASK-001", note: "mine" });
    await again.close();
    expect(readFileSync(other)).toEqual(before);
    expect(readFileSync(log).length).toBeGreaterThan(before.length);
    expect(statSync(log).nlink).toBe(1);
    expect(openWorkspace({ root: ws.root }).verify().ok).toBe(true);
    closeSync(openSync(log, "r"));
  });
});
