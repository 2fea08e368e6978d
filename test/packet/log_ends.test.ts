import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { hasGrownFrom, logEnds } from "../../src/engine/packet/log_ends.ts";
import { tempFolder } from "../support/temp.ts";

it("[PACKET-382] a log is only longer if its lines stand as they were, whatever became of half a line at its end", () => {
  const root = tempFolder();
  const folder = ".coco/tasks/TASK-001";
  mkdirSync(join(root, folder), { recursive: true });
  const lines = `${"a".repeat(5000)}\n${"b".repeat(300)}\n`;
  for (const half of ["", '{"v":1', "c".repeat(3000)]) {
    writeFileSync(join(root, folder, "events.jsonl"), lines + half);
    const end = logEnds(nodeDisk, root).get(`${folder}/events.jsonl`)!;
    const grown = (text: string): boolean => hasGrownFrom(Buffer.from(text), end);
    expect([grown(`${lines}d\n`), grown(lines), grown(`${lines}${half}\nd\n`)], half).toEqual([true, true, true]);
    expect([grown(lines.slice(0, -2)), grown(`${lines.replace("b", "x")}d\n`)], half).toEqual([false, false]);
  }
});
