import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { Output } from "../../src/hosts/cli/output.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { PROGRAM, run, workspace } from "./cli_support.ts";

/** A stream that refuses every write, as the system does. */
function refusing(code: string): NodeJS.WriteStream {
  const write = (_chunk: unknown, _encoding: string, done: (e: Error) => void): void =>
    done(Object.assign(new Error(`${code}: refused, write`), { code }));
  return new Writable({ write }) as NodeJS.WriteStream;
}

async function printed(code: string, exit: number, changed: boolean): Promise<{ exit: number; line?: string }> {
  const output = new Output(() => refusing(code));
  output.write("a");
  output.write("b");
  if (changed) output.changed();
  const ended = await output.ended(exit);
  expect(output.lost.aborted).toBe(true);
  return ended;
}

describe("an answer that stdout does not take", () => {
  it.each(["ENOSPC", "EIO", "EBADF"])("[CLI-246] ends with 6 and says whether a change was made: %s", async (code) => {
    const line = (what: string): string =>
      `OUTPUT_FAILED: Expected to print the answer on stdout, the system said ${code}. ${what}.\n`;
    expect(await printed(code, 0, true)).toEqual({ exit: 6, line: line("The change was made") });
    expect(await printed(code, 0, false)).toEqual({ exit: 6, line: line("Nothing was changed") });
    expect(await printed(code, EXIT.refused, false)).toEqual({ exit: 6, line: line("Nothing was changed") });
    const unknown = { exit: 6, line: line("It is not known whether the change was made") };
    expect(await printed(code, EXIT.outcomeUnknown, true)).toEqual(unknown);
  });

  it("[CLI-9] [CLI-246] of a read is lost without a word where the reader has read enough, and of a change with one", async () => {
    expect(await printed("EPIPE", 0, false)).toEqual({ exit: 0 });
    expect(await printed("EPIPE", EXIT.refused, false)).toEqual({ exit: 1 });
    expect(await printed("EPIPE", 0, true)).toMatchObject({ exit: 6, line: expect.stringContaining("was made") });
  });

  it("[CLI-246] nothing printed, nothing lost", async () => {
    const output = new Output(() => refusing("EIO"));
    expect(await output.ended(3)).toEqual({ exit: 3 });
  });
});

const FULL = "/dev/full";

/** The built program with this stdout. */
function onto(stdout: number, cwd: string, args: readonly string[]): { code: number | null; err: string } {
  const env = { ...process.env, TASKFOLD_BY: "human:ann", NODE_COMPILE_CACHE: "" };
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    env,
    stdio: ["ignore", stdout, "pipe"],
    encoding: "utf8",
    timeout: 20_000,
  });
  return { code: status, err: stderr };
}

describe.skipIf(!existsSync(FULL))("every command on a disk that is full", ROTATING, () => {
  const reads = [
    ["--help"],
    ["list"],
    ["show", "1"],
    ["radar", "1"],
    ["history", "1"],
    ["doctor"],
    ["view"],
    ["export", "csv"],
    ["completion", "bash"],
    ["mcp", "--print-tools"],
    ["call", "tasks_radar", '{"task":"TASK-001"}'],
  ];
  const writes = [
    ["note", "1", "kept"],
    ["add", "Another task"],
    ["plan", "add", "Another plan"],
    ["claim", "1"],
    ["release"],
    ["block", "1", "s:0", "--reason", "waits"],
    ["unblock", "1", "s:0"],
    ["edit", "1", "--priority", "HIGH"],
    ["undo", "1"],
    ["redo", "1"],
    ["run", "1", "s:0", "--", "echo", "passed"],
    ["call", "tasks_focus_set", '{"task":"TASK-001"}'],
    ["init", "--overview"],
  ];
  const refused = [
    ["show", "99"],
    ["complete", "1"],
    ["note", "99", "x"],
  ];

  const told = (full: number, cwd: string, calls: readonly string[][]): string[] =>
    calls.map((args) => {
      const { code, err } = onto(full, cwd, args);
      const lines = err.split("\n").filter((line) => line.startsWith("OUTPUT_FAILED"));
      return `${args.join(" ")}: ${code} ${lines.length} ${lines[0]?.split(". ")[1]}`;
    });
  const expected = (calls: readonly string[][], what: string): string[] =>
    calls.map((args) => `${args.join(" ")}: 6 1 ${what}.`);

  it("[CLI-246] ends with 6 and one line, and what was changed stays", async () => {
    const cwd = await workspace();
    const full = openSync(FULL, "w");
    expect(told(full, cwd, reads)).toEqual(expected(reads, "Nothing was changed"));
    expect(told(full, cwd, writes)).toEqual(expected(writes, "The change was made"));
    closeSync(full);
    const { out } = await run({ cwd }, "show", "1");
    for (const text of ["kept", "echo passed", "HIGH"]) expect(out).toContain(text);
    expect(out.match(/kept/g)).toHaveLength(1);
  }, 60_000);

  it("[CLI-246] with --json the same, of a refusal too", async () => {
    const cwd = await workspace();
    const full = openSync(FULL, "w");
    const withJson = (calls: readonly string[][]): string[][] => calls.map((args) => [...args, "--json"]);
    const [few, some, none] = [reads.slice(1, 3), writes.slice(0, 3), refused].map(withJson) as [
      string[][],
      string[][],
      string[][],
    ];
    expect(told(full, cwd, few)).toEqual(expected(few, "Nothing was changed"));
    expect(told(full, cwd, some)).toEqual(expected(some, "The change was made"));
    expect(told(full, cwd, none)).toEqual(expected(none, "Nothing was changed"));
    closeSync(full);
  }, 60_000);

  it("[CLI-246] init binds the folder all the same", () => {
    const cwd = tempFolder();
    const full = openSync(FULL, "w");
    const { code, err } = onto(full, cwd, ["init", "--workspace", "acme/repo"]);
    closeSync(full);
    expect({ code, err }).toEqual({
      code: 6,
      err: expect.stringMatching(/^OUTPUT_FAILED: .*ENOSPC\. The change was made\.\n$/),
    });
    expect(existsSync(`${cwd}/.coco/workspace.yaml`)).toBe(true);
  });
});
