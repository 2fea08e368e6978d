import { appendFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { tempFolder } from "../support/temp.ts";
import { call, counting, logLines, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

const note = (text: string, key?: string) => ({
  task: "TASK-001",
  note: text,
  ...(key ? { idempotency_key: key } : {}),
});

/** The line that another process would write next to the log of this root. */
async function nextLineOf(root: string): Promise<string> {
  const copy = join(tempFolder(), "copy");
  cpSync(root, copy, { recursive: true });
  await ok(openTemp({ root: copy, newId: counting("elsewhere") }), "tasks_note", note("theirs"));
  return `${logLines(copy).at(-1)!}\n`;
}

describe("a key that is used again", () => {
  it("[DUR-6] [DUR-28] is answered while another process writes, and the next change builds on what that one wrote", async () => {
    let sneak = (): void => undefined;
    const disk = {
      ...nodeDisk,
      // After the lock is released and before the answer is made: here others may write.
      fdatasyncSync: (fd: number) => {
        nodeDisk.fdatasyncSync(fd);
        sneak();
      },
    };
    const ws = openTemp({ disk });
    await newTask(ws);
    await ok(ws, "tasks_note", note("mine", "k"));
    const line = await nextLineOf(ws.root);
    sneak = () => {
      sneak = () => undefined;
      appendFileSync(logPath(ws.root), line);
    };
    const again = await call(ws, "tasks_note", note("mine", "k"));
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    await ok(ws, "tasks_note", note("next"));
    expect(notesOf(ws.root)).toEqual(["mine", "theirs", "next"]);
    const last = JSON.parse(readFileSync(logPath(ws.root), "utf8").trimEnd().split("\n").at(-1)!) as { prev: string[] };
    expect(last.prev).toEqual([(JSON.parse(line) as { hash: string }).hash]);
  });
});
