/** Limits of readers that no other test comes near: sizes of files in this machine's folders, and of what a caller names. */
import { createHash } from "node:crypto";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { keptTexts } from "../../src/engine/core/quarantine.ts";
import type { EngineContext } from "../../src/engine/core/context.ts";
import { Layout } from "../../src/files/layout.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logLines, newTask, openTemp } from "../support/workspace.ts";

describe("limits of readers", () => {
  it("[LIMIT-1] takes no digest of an attachment above 1 GiB: the call is refused", async () => {
    const ws = openTemp();
    await newTask(ws);
    const large = join(ws.root, ".coco/tasks/TASK-001/agents/large.bin");
    writeFileSync(large, "");
    truncateSync(large, 1024 ** 3 + 1);
    const before = logLines(ws.root);
    const reply = await call(ws, "tasks_evidence_capture", { task: "TASK-001", attachments: ["agents/large.bin"] });
    expect(reply).toMatchObject({ success: false, error: { code: "PATH_UNSAFE" } });
    expect(reply.error?.message).toContain("larger than 1073741824 bytes");
    expect(logLines(ws.root)).toEqual(before);
  });

  it("[LIMIT-1] reads back at most 64 kept versions of another program's file, none above 1 MiB", () => {
    const root = tempFolder();
    const layout = new Layout(root);
    const folder = layout.sharedFolder("quarantine");
    mkdirSync(folder, { recursive: true });
    const keep = (text: string): void => {
      const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
      writeFileSync(join(folder, `T-task.yaml-${digest}`), text);
    };
    const kept = (): string[] => keptTexts({ disk: nodeDisk, layout } as EngineContext, "T-task.yaml");
    keep("x".repeat(1024 * 1024));
    keep("y".repeat(1024 * 1024 + 1));
    expect(kept()).toEqual(["x".repeat(1024 * 1024)]);
    for (let n = 0; n < 80; n++) keep(`version ${n}`);
    expect(kept().length).toBeLessThanOrEqual(64);
    expect(kept().length).toBeGreaterThanOrEqual(62);
  });
});
