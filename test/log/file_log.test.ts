import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { FileLog } from "../../src/log/file_log.ts";
import { heldSyncs } from "../support/held_syncs.ts";
import { tempFolder } from "../support/temp.ts";

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

  it("[DUR-1] is the same one where nobody closed it", async () => {
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
  const textOf = (log: FileLog): string =>
    log.withSource((source) => {
      const bytes = Buffer.alloc(source.size());
      return bytes.toString("utf8", 0, source.read(bytes, 0));
    });

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
