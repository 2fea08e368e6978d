import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectionsOf, replay } from "../src/replay.ts";
import { branchedWork, filesOf, logFiles, mergeFolders } from "./support/branched_work.ts";
import { ROOT } from "./support/source.ts";
import { tempFolder } from "./support/temp.ts";
import { newTask, ok, openTemp, logPath } from "./support/workspace.ts";

const GOLDEN = join(ROOT, "test/golden");

/** The paths, from the root, of a log's files as they are to be. */
function folded(root: string): Map<string, string> {
  const files = logFiles(root).map(({ id, folder, bytes }) => {
    const state = replay(bytes, { id });
    return [...projectionsOf(state)].map(([path, text]): [string, string] => [
      join(folder, path).slice(root.length),
      Buffer.from(text).toString("latin1"),
    ]);
  });
  return new Map(files.flat());
}

const numbers = (from: number, length: number): number[] =>
  Array.from({ length }, (_, i) => (from + i * 7919) % 10_007);

describe("taskfold/replay", () => {
  it.each(readdirSync(GOLDEN))(
    "[ENG-104] folds the logs of golden workspace %s to the files beside them",
    (version) => {
      const root = join(GOLDEN, version);
      const files = folded(root);
      const there = filesOf(root);
      expect(files.size).toBeGreaterThan(5);
      expect(files).toEqual(new Map([...there].filter(([path]) => files.has(path))));
    },
  );

  it("[ENG-104] folds merged branches as a workspace does, whatever the order of the lines", async () => {
    const folder = tempFolder();
    const { a, b } = await branchedWork(folder, numbers(3, 20), numbers(501, 12), numbers(907, 12));
    const both = join(folder, "both");
    mergeFolders(both, a, b);
    const ws = openTemp({ root: both });
    const forked = logFiles(both).filter(({ id, bytes }) => {
      const text = bytes.toString("utf8");
      const state = replay(text, { id });
      expect(projectionsOf(state)).toEqual(ws.files(id));
      const reversed = replay(text.trimEnd().split("\n").toReversed());
      expect(projectionsOf({ ...reversed, id })).toEqual(projectionsOf(state));
      return !state.report.linear;
    });
    expect(forked.length).toBeGreaterThan(0);
  });

  it("[ENG-104] gives state, head and revision of a log, under the id that its first event has", async () => {
    const ws = openTemp();
    await newTask(ws, "TASK-007", ["First"]);
    const { head, revision } = await ok(ws, "tasks_note", { task: "TASK-007", note: "Seen." });
    const log = readFileSync(logPath(ws.root, "TASK-007"));
    const state = replay(log);
    expect(state).toMatchObject({ id: "TASK-007", head, entity: { title: "Task TASK-007", kind: "task", revision } });
    expect([...state.entity.steps.values()].map(({ title }) => title)).toEqual(["First"]);
    expect(state.report.problems).toEqual([]);
    const torn = replay(log.subarray(0, -5));
    expect(torn.entity.revision).toBe((revision as number) - 1);
    expect(torn.report.torn).not.toBeNull();
  });

  it("[ENG-104] refuses what holds no log, and what is no text", () => {
    const coded = (code: string): unknown => expect.objectContaining({ code });
    for (const lines of ["", "no log\n", [], new Uint8Array()])
      expect(() => replay(lines)).toThrow(coded("LOG_UNREADABLE"));
    for (const lines of [null, undefined, 7, {}, [7]])
      expect(() => replay(lines as unknown as string)).toThrow(coded("INVALID_INPUT"));
  });
});
