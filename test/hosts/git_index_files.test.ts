/** Until when git may miss a change of a file within the second that its index has for it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { indexReader, isPast } from "../../src/hosts/git/index_files.ts";
import { touchedFiles } from "../../src/hosts/git/touched_files.ts";
import { openRepository } from "../../src/hosts/git/repository.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { repository } from "../support/git.ts";

it.each([0, 30_000, -30_000])(
  "[PROOF-47] [FRESH-12] the second of a file is over once its index is known for longer, also where the clock of its server is %i ms behind",
  (behind) => {
    const { ada } = repository();
    writeFileSync(join(ada.root, "f"), "1\n");
    ada.commit("begin");
    let [now, uptime] = [Date.now() + behind, 5000];
    vi.spyOn(nodeRuntime, "now").mockImplementation(() => now);
    vi.spyOn(nodeRuntime, "uptime").mockImplementation(() => uptime);
    const index = indexReader(openRepository(ada.root)!, "").here()!;
    const isPastAfter = (ms: number): boolean => {
      [now, uptime] = [now + ms, uptime + ms];
      return isPast(index, "f");
    };
    expect([0, 1000, 200].map(isPastAfter)).toEqual([false, false, true]);
  },
);

it("[PROOF-47] the second of a file is over that changed more than a minute ago, at the first look", () => {
  const { ada } = repository();
  writeFileSync(join(ada.root, "f"), "1\n");
  ada.commit("begin");
  const later = Date.now() + 62_000;
  vi.spyOn(nodeRuntime, "now").mockReturnValue(later);
  expect(isPast(indexReader(openRepository(ada.root)!, "").here()!, "f")).toBe(true);
});

it("[PROOF-47] an old entry is read where no run began, as for a signature", () => {
  const { ada } = repository();
  writeFileSync(join(ada.root, "f"), "1\n");
  ada.commit("begin");
  const one = openRepository(ada.root)!;
  const { files, signs, ...index } = indexReader(one, "").here()!;
  const old: readonly [number, number] = [1000, 0];
  const stale = {
    ...index,
    files: new Map([...files].map(([path]) => [path, `100644 ${"1".repeat(40)}`])),
    signs: new Map([...signs].map(([path, sign]) => [path, { ...sign, ctime: old }])),
  };
  const touched = touchedFiles(one, stale, { isRead: () => false, settings: [] });
  expect([...touched(Date.now()).keys()]).toEqual([]);
  expect([...touched(Date.parse("")).keys()]).toContain("f");
});
