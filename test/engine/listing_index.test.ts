import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { same } from "../../src/files/file_sign.ts";
import { IndexRows, ListingIndex } from "../../src/engine/listing/listing_index.ts";

import { KINDS, STATUSES } from "../../src/state/entity.ts";
import { plainRow } from "../../src/state/listed.ts";
import type { Listed } from "../../src/state/listed.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const text = fc.string({ unit: "grapheme" });
const word = fc.stringMatching(/^[\w-]{1,43}$/);
const ref = fc.record({ id: word, root: word });
const count = fc.nat();

/** What only the log tells: all of it, or nothing. */
const ofLog = fc.oneof(
  fc.constant({ began: undefined, events: undefined, head: undefined, free_from: undefined, chosen_by: undefined }),
  fc.record({
    began: fc.option(count, { nil: undefined }),
    events: count,
    head: word,
    free_from: fc.option(fc.constantFrom("", "2026-01-01T00:00:00.000Z"), { nil: null }),
    chosen_by: fc.array(word, { maxLength: 2 }),
  }),
);
const rest = fc.record({
  root: word,
  kind: fc.constantFrom(...KINDS),
  title: text,
  status: fc.constantFrom(...STATUSES),
  revision: count,
  parent: fc.option(ref, { nil: null }),
  priority: word,
  tags: fc.array(text, { maxLength: 2 }),
  depends_on: fc.array(ref, { maxLength: 2 }),
  steps: fc.record({ total: count, completed: count }),
  updated_at: word,
  deleted: fc.boolean(),
  archived: fc.constantFrom(true as const, undefined),
  archived_tasks: fc.option(fc.record({ total: count, done: count }), { nil: undefined }),
  log_warnings: fc.constantFrom(undefined, ["LOG_TRUNCATED" as const]),
  step_standing: fc.constantFrom(undefined, {
    blocked: 1,
    waiting: 2,
    claims: [[["2026-01-01T00:00:00.000Z"], 3] as const],
  }),
});
const stat = fc.record({ dev: count, ino: count, size: count, mtimeMs: fc.double({ noNaN: true }), ctimeMs: count });

describe("the index of a list", () => {
  it("[VIEW-16] gives every row back as it was kept, and knows its log by each part of the stat", SWEEP, () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(rest, ofLog, stat), { maxLength: 20 }), (made) =>
        inTempFolder((folder) => {
          const rows = new IndexRows();
          for (const [i, [told, log, of]] of made.entries()) {
            const listed: Listed = { id: `TASK-${i}`, ...told, ...log };
            rows.tasks.set(listed.id, { row: listed, stat: of });
          }
          const index = new ListingIndex(nodeDisk, () => join(folder, "index"));
          index.keep(rows, rows);
          const read = new ListingIndex(nodeDisk, () => join(folder, "index")).read();
          expect([...read.tasks.keys()].toSorted()).toEqual([...rows.tasks.keys()].toSorted());
          for (const [id, row] of rows.tasks) {
            expect(plainRow(read.tasks.get(id)!.row)).toEqual(plainRow(row.row));
            const [, , of] = made[Number(id.slice(5))]!;
            for (const one of [row, read.tasks.get(id)!]) {
              expect(same(of, one.stat)).toBe(true);
              for (const part of ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const)
                expect(same({ ...of, [part]: of[part] === 0 ? 1 : 0 }, one.stat)).toBe(false);
            }
          }
          return Promise.resolve();
        }),
      ),
      runsOf(100),
    ),
  );
});
