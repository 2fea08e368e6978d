/** Pages of the command line say what they leave out of the notes of a task. */
import { describe, expect, it } from "vitest";
import type { Page } from "../../src/hosts/cli/page.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";
import { json, result, run } from "./cli_support.ts";

const LONG = `needle ${"x".repeat(1500)}`;

/** A task with so many notes, the last one of 1,500 characters where it is long. */
async function withNotes(count: number, isLong: boolean): Promise<string> {
  const cwd = tempFolder();
  const ws = openTemp({ root: cwd });
  await newTask(ws);
  for (let n = 1; n <= count; n++)
    await ok(ws, "tasks_note", { task: "TASK-001", note: isLong && n === count ? LONG : `note number ${n}.` });
  await ws.close();
  return cwd;
}

const whole = "taskfold log TASK-001 --json";

describe("what pages leave out of the notes", () => {
  it("[VIEW-9] show, handoff and export count it, and name the call that has all of them", async () => {
    const cwd = await withNotes(13, true);
    const left = { earlier: 3, cut: 1, whole };
    const said = `3 earlier notes left out, 1 note cut: ${whole} has all of them.`;
    expect((await result(cwd, "show", "1")) as unknown as Page).toMatchObject({ notes_left_out: left });
    expect((await result(cwd, "handoff", "1"))["handoff"]).toMatchObject({ notes_left_out: left });
    const { entries } = (await result(cwd, "export", "json")) as unknown as { entries: Page[] };
    expect(entries.map((entry) => entry.notes_left_out)).toEqual([left]);
    for (const command of ["show", "handoff"]) expect((await run({ cwd }, command, "1")).out).toContain(said);
    expect((await run({ cwd }, "export", "markdown")).out).toContain(said);
    // The call that is named has them.
    const { doc } = await json({ cwd }, ...whole.split(" ").slice(1, 3));
    const { events } = doc.result as unknown as { events: { note?: string; text?: string }[] };
    const all = JSON.stringify(events);
    expect(["note number 1.", "note number 12.", LONG].filter((note) => !all.includes(note))).toEqual([]);
  });

  it("[VIEW-9] where all notes are shown whole, nothing is said", async () => {
    const cwd = await withNotes(10, false);
    expect(await result(cwd, "show", "1")).not.toHaveProperty("notes_left_out");
    expect((await run({ cwd }, "show", "1")).out).not.toContain("left out");
  });

  it("[regression CLI-262] search says how many notes it did not look at, and where a task says the text in more places", async () => {
    const cwd = await withNotes(13, true);
    const some = await json({ cwd }, "search", "number");
    const { tasks, notes_not_searched: unsearched } = some.doc.result as unknown as {
      tasks: { found: unknown[]; more?: true }[];
      notes_not_searched: number;
    };
    expect({ unsearched, found: tasks[0]!.found.length, more: tasks[0]!.more }).toEqual({
      unsearched: 3,
      found: 5,
      more: true,
    });
    const { out } = await run({ cwd }, "search", "number");
    expect(out).toMatch(
      /\n {2}more +taskfold show TASK-001\nNot searched: 3 earlier notes; taskfold log ID --json has all of a task\.\n$/,
    );
    expect((await run({ cwd }, "search", "nowhere")).out).toContain("Not searched: 3 earlier notes");
    expect((await result(cwd, "search", "needle"))["tasks"]).toMatchObject([{ found: [{ where: "note" }] }]);
    expect((await run({ cwd: await withNotes(2, false) }, "search", "number")).out).not.toMatch(/more|Not searched/);
  });
});
