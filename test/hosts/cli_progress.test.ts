/** How far a long command is, for those who wait for it. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import { withProgress } from "../../src/hosts/cli/progress.ts";
import { Session } from "../../src/hosts/cli/session.ts";
import { run, workspace } from "./cli_support.ts";

/** A session of which the test sees stderr, and a clock that the test moves. */
function watched({ terminal, json = false }: { terminal?: { columns: () => number }; json?: boolean }) {
  const told: string[] = [];
  let ms = 0;
  const session = new Session(
    {
      env: {},
      cwd: ".",
      color: false,
      stdout: () => undefined,
      stderr: (text) => void told.push(text),
      stdin: () => Promise.resolve(Buffer.alloc(0)),
      ...(terminal ? { terminal } : {}),
    },
    { json },
    () => [],
  );
  const goOn = (by: number): void => void (ms += by);
  return { session, told, goOn, now: () => ms };
}

/** Forty entities of half a second each. */
async function rebuiltSlowly({ session, goOn, now }: ReturnType<typeof watched>): Promise<void> {
  await withProgress(
    session,
    "rebuild",
    async (progress) => {
      for (let done = 1; done <= 40; done++) {
        goOn(500);
        progress(done, 40);
      }
    },
    now,
  );
}

describe("progress of a long command", () => {
  it("[regression CLI-91] is a bar on a terminal from the first second on, and is gone at the end", async () => {
    const seen = watched({ terminal: { columns: () => 80 } });
    await rebuiltSlowly(seen);
    expect(seen.told[0]).toBe(`\r\u001b[2Krebuild [#${".".repeat(29)}] 2 of 40`);
    expect(seen.told.at(-2)).toBe(`\r\u001b[2Krebuild [${"#".repeat(30)}] 40 of 40`);
    expect(seen.told.at(-1)).toBe("\r\u001b[2K");
  });

  it("[regression CLI-91] never wraps on a narrow terminal", async () => {
    const seen = watched({ terminal: { columns: () => 20 } });
    await rebuiltSlowly(seen);
    const widths = seen.told.map((text) => text.replace("\r\u001b[2K", "").length);
    expect(Math.max(...widths)).toBe(19);
  });

  it("[regression CLI-91] is a line every ten seconds elsewhere", async () => {
    const seen = watched({});
    await rebuiltSlowly(seen);
    expect(seen.told).toEqual(["rebuild: 2 of 40\n", "rebuild: 22 of 40\n"]);
  });

  it("[regression CLI-91] is nothing beside --json, and nothing of a command that ends at once", async () => {
    const seen = watched({ terminal: { columns: () => 80 }, json: true });
    await rebuiltSlowly(seen);
    expect(seen.told).toEqual([]);
    const cwd = await workspace();
    expect((await run({ cwd }, "rebuild")).err).toBe("");
  });

  it("[regression CLI-91] the bar goes away when the work fails", async () => {
    const { session, told, goOn, now } = watched({ terminal: { columns: () => 80 } });
    const failing = withProgress(
      session,
      "rebuild",
      async (progress) => {
        goOn(2000);
        progress(1, 2);
        throw new Error("no disk");
      },
      now,
    );
    await expect(failing).rejects.toThrow("no disk");
    expect(told.at(-1)).toBe("\r\u001b[2K");
  });
});

describe("progress of the commands", () => {
  it("[regression CLI-100] verify, resolve and archive say how far they are, and nothing beside --json", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_create", JSON.stringify({ kind: "task", id: "TASK-002", title: "Another" }));
    let ms = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (ms += 1500));
    onTestFinished(() => clock.mockRestore());
    const told = async (...argv: string[]): Promise<string[]> =>
      (await run({ cwd }, ...argv)).err.split("\n").filter((line) => line.startsWith(`${argv[0]}: `));
    expect(await told("verify")).toContain("verify: 1 of 3");
    expect(await told("resolve")).toContain("resolve: 0 of 9");
    expect(await told("archive", "TASK-001", "TASK-002")).toEqual(["archive: 0 of 2"]);
    for (const command of ["verify", "resolve"]) expect((await run({ cwd }, "--json", command)).err).toBe("");
  });
});

describe("progress of the library", () => {
  it("[regression REBUILD-30] rebuild and close tell of every plan and task", async () => {
    const root = await workspace();
    const told: [number, number][] = [];
    const progress = (done: number, total: number): void => void told.push([done, total]);
    const ws = openWorkspace({ root, projections: "manual" });
    await ws.repair.rebuild(undefined, { progress });
    expect(told).toEqual([
      [1, 2],
      [2, 2],
    ]);
    const file = join(root, ".coco/tasks/TASK-001/README.md");
    const before = readFileSync(file, "utf8");
    rmSync(file);
    await ws.call("tasks_note", { workspace: "acme/repo", task: "TASK-001", path: "s:0", note: "Seen." });
    await ws.close({ progress });
    expect(told.slice(2)).toEqual([[1, 1]]);
    expect(readFileSync(file, "utf8")).not.toBe(before);
  });
});
