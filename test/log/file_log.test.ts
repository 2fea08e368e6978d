import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { appendTo, FileLog } from "../../src/log/file_log.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { heldSyncs } from "../support/held_syncs.ts";
import { tempFolder } from "../support/temp.ts";

const textOf = (log: FileLog): string =>
  log.withSource((source) => {
    const bytes = Buffer.alloc(source.size());
    return bytes.toString("utf8", 0, source.read(bytes, 0));
  });

/** A log whose syncs wait until they are let go, and the numbers of the descriptors that were closed. */
function slowLog() {
  const path = join(tempFolder(), "events.jsonl");
  writeFileSync(path, "a line\n");
  const { disk: held, go } = heldSyncs(nodeDisk);
  const closed: number[] = [];
  const synced: number[] = [];
  const disk: Disk = {
    ...held,
    fdatasync: (fd) => {
      synced.push(fd);
      return held.fdatasync(fd);
    },
    close: (fd) => {
      closed.push(fd);
      nodeDisk.close(fd);
    },
  };
  return { log: new FileLog(disk, path), path, go, synced, closed };
}

describe("a log that is closed while it is being synced", () => {
  it("[DUR-1] keeps the descriptor until then, so that no other file gets its number, and says that the log is another one", async () => {
    const { log, path, go, synced, closed } = slowLog();
    const syncing = log.sync();
    log.close();
    const other = openSync(path, "r");
    expect(closed).toEqual([]);
    expect(other).not.toBe(synced[0]);
    go();
    expect(await syncing).toBe(false);
    expect(closed).toEqual(synced);
    closeSync(other);
  });

  it("[DUR-1] is closed once, by the last of several syncs", async () => {
    const { log, go, synced, closed } = slowLog();
    const both = [log.sync(), log.sync()];
    log.close();
    expect(closed).toEqual([]);
    go();
    expect(await Promise.all(both)).toEqual([false, false]);
    expect(new Set(synced).size).toBe(1);
    expect(closed).toEqual([synced[0]]);
  });

  it("[DUR-1] is the same one where no caller closed it", async () => {
    const { log, go, closed } = slowLog();
    const syncing = log.sync();
    go();
    expect(await syncing).toBe(true);
    expect(closed).toEqual([]);
    log.close();
    expect(closed).toHaveLength(1);
  });
});

describe("lines that count as standing behind those of the file", () => {
  const extra = Buffer.from("extra\n");

  it.each([
    ["a whole file", "a line\n", "a line\nextra\n"],
    ["a file whose last line has no end", "a line", "a line\nextra\n"],
    ["no file", undefined, "extra\n"],
  ])("[TXN-5] are read behind %s, and leave it as it is", (_what, before, expected) => {
    const path = join(tempFolder(), "events.jsonl");
    if (before !== undefined) writeFileSync(path, before);
    const log = new FileLog(nodeDisk, path, { extra });
    expect(log.look()).toBe("replaced");
    expect(textOf(log)).toBe(expected);
    log.remember(expected.length);
    expect(log.look()).toBe("same");
    expect(existsSync(path) ? readFileSync(path, "utf8") : undefined).toBe(before);
    writeFileSync(path, expected);
    expect(log.look()).toBe("replaced");
  });
});

describe("the file of a log", () => {
  const LINES = "a line\nanother line\n";

  /** A log that was read to its end. */
  function readLog(text = LINES, disk: Disk = nodeDisk, unshare?: (path: string) => void) {
    const path = join(tempFolder(), "events.jsonl");
    writeFileSync(path, text);
    const log = new FileLog(disk, path, unshare ? { unshare } : {});
    onTestFinished(() => log.close());
    const read = () => {
      const said = log.look();
      const found = textOf(log);
      log.remember(found.lastIndexOf("\n") + 1);
      return [said, found];
    };
    read();
    return { log, path, read };
  }

  it("[ENG-7] is the same until it grows, and other than it was when what was read is not before what is new", () => {
    const { log, path, read } = readLog();
    expect([log.look(), log.seen?.size, log.isOpen]).toEqual(["same", LINES.length, false]);
    appendFileSync(path, "more\n");
    expect([log.look(), log.look()]).toEqual(["grown", "grown"]);
    expect(read()).toEqual(["grown", `${LINES}more\n`]);
    expect(log.look()).toBe("same");
    writeFileSync(path, `${LINES}more\nand more\n`);
    expect(read()).toEqual(["grown", `${LINES}more\nand more\n`]);
    for (const text of [`${LINES}more\nand MORE\nyet more\n`, "short\n", "SHORT\n"]) {
      writeFileSync(path, text);
      expect(read()).toEqual(["replaced", text]);
    }
    renameSync(path, `${path}.old`);
    expect([log.look(), log.seen]).toEqual(["missing", null]);
    writeFileSync(path, "SHORT\n");
    expect(read()).toEqual(["replaced", "SHORT\n"]);
    log.doubt();
    expect(log.look()).toBe("replaced");
  });

  it("[ENG-7] grows by more than one reading takes at once", () => {
    const { path, read } = readLog();
    const much = `${"x".repeat(100)}\n`.repeat(1000);
    appendFileSync(path, much);
    expect(read()).toEqual(["grown", `${LINES}${much}`]);
    appendFileSync(path, "end\n");
    expect(read()).toEqual(["grown", `${LINES}${much}end\n`]);
  });

  it("[ENG-7] that holds nothing yet grows as any other", () => {
    const { log, path, read } = readLog("");
    expect(log.look()).toBe("same");
    appendFileSync(path, "first\n");
    expect(read()).toEqual(["replaced", "first\n"]);
  });

  it("[ENG-8] is no folder", () => {
    const path = join(tempFolder(), "events.jsonl");
    mkdirSync(path);
    expect(() => new FileLog(nodeDisk, path).look()).toThrow(
      expect.objectContaining({
        code: "LOG_UNREADABLE",
        message: expect.stringContaining("a regular file, found a folder"),
      }),
    );
  });

  it("[DUR-7] takes lines at its end, and says whether they are there", () => {
    const { log, path } = readLog();
    const line = Buffer.from("of ours\n");
    expect(appendTo(log, line, true)).toBe(LINES.length);
    expect([readFileSync(path, "utf8"), log.look(), log.isOpen]).toEqual([`${LINES}of ours\n`, "same", true]);
    expect(log.holds(LINES.length, line)).toBe(true);
    expect([log.look(), log.seen?.mtimeMs]).toEqual(["same", statSync(path).mtimeMs]);
    expect([log.holds(LINES.length - 1, line), log.holds(LINES.length, Buffer.from("of OURS\n"))]).toEqual([
      false,
      false,
    ]);
    expect(log.holds(LINES.length, Buffer.from("of ours\nand more\n"))).toBe(false);
    const long = Buffer.from(`${"y".repeat(20_000)}\n`);
    expect(appendTo(log, long, true)).toBe(LINES.length + line.length);
    expect(log.holds(LINES.length + line.length, long)).toBe(true);
    appendFileSync(path, "of others\n");
    expect([log.holds(LINES.length, line), log.look()]).toEqual([true, "grown"]);
  });

  it("[DUR-7] takes no line when another file has its name", () => {
    const { log, path } = readLog();
    appendTo(log, Buffer.from("of ours\n"), true);
    writeFileSync(`${path}.new`, readFileSync(path));
    renameSync(`${path}.new`, path);
    expect(log.holds(LINES.length, Buffer.from("of ours\n"))).toBe(false);
    expect(log.look()).toBe("replaced");
    expect([appendTo(log, Buffer.from("x\n"), true), log.isOpen]).toEqual([null, true]);
    log.close();
    expect([log.holds(0, Buffer.from("a")), log.isOpen]).toEqual([false, false]);
    rmSync(path);
    expect([appendTo(log, Buffer.from("x\n"), true), log.cut(0, () => undefined), existsSync(path)]).toEqual([
      null,
      false,
      false,
    ]);
  });

  it("[DUR-4] a write that a full disk cuts short leaves nothing", () => {
    const full = { ...nodeDisk, write: (fd: number, bytes: Uint8Array) => nodeDisk.write(fd, bytes.subarray(0, 3)) };
    const { log, path } = readLog(LINES, full);
    expect(() => appendTo(log, Buffer.from("of ours\n"), true)).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    expect([readFileSync(path, "utf8"), log.look()]).toEqual([LINES, "replaced"]);
  });

  it.each(["fstat", "read", "truncate"] as const)(
    "[DUR-4] a short write that the disk does not let go stays, and with a whole line in it the outcome is unknown: %s",
    (kind) => {
      for (const [keep, code] of [
        [3, "ENOSPC"],
        [8, "UNKNOWN_OUTCOME"],
      ] as const) {
        const disk = new FaultyDisk();
        const { log, path } = readLog(LINES, disk);
        disk.meanwhile({ kind: "write" }, () => disk.fail({ kind }, "EIO"));
        disk.cut({}, keep);
        expect(() => appendTo(log, Buffer.from("of ours\nand more\n"), true)).toThrow(
          expect.objectContaining({ code }),
        );
        expect(readFileSync(path, "utf8")).toBe(`${LINES}${"of ours\n".slice(0, keep)}`);
      }
    },
  );

  it("[DUR-4] a short write goes with no line that a program without our locks appends meanwhile", () => {
    for (const kind of ["fstat", "read"] as const) {
      const disk = new FaultyDisk();
      const { log, path } = readLog(LINES, disk);
      const others = (): void => disk.meanwhile({ kind }, () => appendFileSync(path, "\nof others\n"));
      disk.meanwhile({ kind: "write" }, others);
      disk.cut({}, 3);
      expect(() => appendTo(log, Buffer.from("of ours\n"), true)).toThrow(expect.objectContaining({ code: "ENOSPC" }));
      expect(readFileSync(path, "utf8")).toBe(`${LINES}of \nof others\n`);
    }
  });

  it("[LOG-80] [DUR-50] says that its last line has no end, and cuts that off once it is kept", () => {
    const { log, path } = readLog(`${LINES}torn`);
    const kept: string[] = [];
    const keep = (bytes: Buffer) => void kept.push(bytes.toString());
    expect([log.unended, log.cut(0, keep), kept]).toEqual([true, false, []]);
    expect([log.cut(LINES.length, keep), kept, log.unended]).toEqual([true, ["torn"], false]);
    expect([readFileSync(path, "utf8"), log.look()]).toEqual([LINES, "same"]);
    appendFileSync(path, "torn again");
    const grown = (bytes: Buffer) => {
      keep(bytes);
      appendFileSync(path, "\n");
    };
    expect(log.look()).toBe("grown");
    textOf(log);
    log.remember(LINES.length);
    expect([log.cut(LINES.length, grown), kept]).toEqual([false, ["torn", "torn again"]]);
    expect(readFileSync(path, "utf8")).toBe(`${LINES}torn again\n`);
    expect(readLog("").log.unended).toBe(false);
    const other = readLog("torn");
    appendTo(other.log, Buffer.from("\n"), true);
    expect(other.log.unended).toBe(false);
  });

  it("[DIR-50] that has another name too gets a file of its own before a line is added", () => {
    const { log, path } = readLog(LINES, nodeDisk, (own) => {
      const bytes = readFileSync(own);
      rmSync(own);
      writeFileSync(own, bytes);
    });
    linkSync(path, `${path}.link`);
    textOf(log);
    log.remember(LINES.length);
    expect(appendTo(log, Buffer.from("of ours\n"), true)).toBeNull();
    expect(log.look()).toBe("replaced");
    textOf(log);
    log.remember(LINES.length);
    expect(appendTo(log, Buffer.from("of ours\n"), true)).toBe(LINES.length);
    expect([readFileSync(path, "utf8"), readFileSync(`${path}.link`, "utf8")]).toEqual([`${LINES}of ours\n`, LINES]);
  });
});
