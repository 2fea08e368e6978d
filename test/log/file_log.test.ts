import { closeSync, openSync, writeFileSync } from "node:fs";
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
