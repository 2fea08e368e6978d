/** How far a machine is on the shared log, by a file that several processes read and write. */
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { EngineContext } from "../../src/engine/core/context.ts";
import { ConsumerCheckpoint } from "../../src/engine/shared/consumer_checkpoint.ts";
import { Layout } from "../../src/files/layout.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";

// A disk gives the number of a file that is gone to the next one; memory does not.
onRealDisk();

describe("the checkpoint of a machine", () => {
  it("[SHARED-13] is that of the file which is there, also where it has the inode number of one that is gone", () => {
    const context = { disk: nodeDisk, layout: new Layout(tempFolder()) } as EngineContext;
    const writer = new ConsumerCheckpoint(context);
    const reader = new ConsumerCheckpoint(context);
    for (let round = 1; round <= 20; round++) {
      const identity = `log${round}`;
      writer.begin(identity);
      for (let seq = 1; seq <= round * 10; seq++) writer.add({ seq, mark: "", heads: [] });
      writer.close();
      reader.refresh();
      expect([reader.identity, reader.seq]).toEqual([identity, round * 10]);
      writer.leave();
    }
  });
});
