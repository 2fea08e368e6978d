/** What the viewer keeps between answers: a text once, and a reading of the folders that it was asked about. */
import { describe, expect, it, onTestFinished } from "vitest";
import { openRoot } from "../../src/engine/open_root.ts";
import { Store } from "../../src/engine/entity/store.ts";
import type { ReadModel } from "../../src/engine/entities/read_model.ts";
import { AnswerCache } from "../../src/engine/viewer/answer_cache.ts";
import { OverTime } from "../../src/engine/viewer/over_time.ts";
import { BoardRows } from "../../src/engine/viewer/rows.ts";
import { ok, openTemp, WORKSPACE } from "../support/workspace.ts";

describe("texts of answers", () => {
  it("[regression VIEWER-56] readers who ask at once get one text, which is made and counted once", async () => {
    const kept = new AnswerCache();
    let made = 0;
    const text = async (): Promise<string> => {
      await Promise.resolve();
      made++;
      return "x".repeat(9_000_000);
    };
    const both = await Promise.all([kept.get("a", text), kept.get("a", text)]);
    expect(both[0]).toBe(both[1]);
    expect(made).toBe(1);
    // Two such texts are kept. A text that counted twice would push the other out.
    await kept.get("b", text);
    await kept.get("a", text);
    await kept.get("b", text);
    expect(made).toBe(2);
  });

  it("[regression VIEWER-56] a text that could not be made is made again", async () => {
    const kept = new AnswerCache();
    await expect(kept.get("a", () => Promise.reject(new Error("not now")))).rejects.toThrow("not now");
    await expect(kept.get("a", () => Promise.resolve("then"))).resolves.toBe("then");
  });
});

describe("the past of all logs", () => {
  it("[regression VIEWER-56] a reading of older folders is no answer to a reader of newer ones", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    const never = (): never => {
      throw new Error("expected a reader");
    };
    const writers = { now: Date.now, locks: never, packetConfigs: { given: undefined, own: never } };
    const { context, release } = openRoot({ root: ws.root, projections: "manual" }, writers);
    onTestFinished(release);
    const from = { context, store: new Store(context) } as ReadModel;
    const rows = new BoardRows(
      () => from,
      () => WORKSPACE,
    );
    await rows.refresh();
    const before = rows.folders;
    await ok(ws, "tasks_note", { task: "TASK-001", note: "later" });
    await rows.lookAt("all");
    const overTime = new OverTime(() => from);
    const [older, newer] = await Promise.all([overTime.all(before), overTime.all(rows.folders)]);
    expect(older[0]!.folder).toBe(before.get("tasks/TASK-001"));
    expect(newer[0]!.folder).toBe(rows.folders.get("tasks/TASK-001"));
    expect(newer[0]!.folder).not.toBe(older[0]!.folder);
  });
});
