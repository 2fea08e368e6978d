// @module-tag rotating
/** Code that was compiled at the build is used where it fits, and is never needed. */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spawnSync } from "node:child_process";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";

let copy: string;
let root: string;

function copied(): void {
  copy = tempFolder();
  mkdirSync(join(copy, "dist"));
  for (const name of ["cli.cjs", "program.cjs", "cli", "compiled"])
    cpSync(join(ROOT, "dist", name), join(copy, "dist", name), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(copy, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  root = tempFolder();
  run("init", "--workspace", "acme/repo");
  run("add", "One", "--step", "First", "--criteria", "it works");
}

function run(...argv: string[]): { out: string; err: string; exit: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(copy, "dist/cli.cjs"), ...argv], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, TASKFOLD_BY: "human:ann" },
  });
  return { out: stdout, err: stderr, exit: status };
}

/** Each file of compiled code. */
function compiled(): string[] {
  const folder = join(copy, "dist/compiled");
  return readdirSync(folder).flatMap((of) => readdirSync(join(folder, of)).map((name) => join(folder, of, name)));
}

const answers = () => [
  run("list", "--json"),
  run("show", "1"),
  run("call", "tasks_context", '{"tasks_limit":0}'),
  run("nonsense"),
];

describe("compiled code", () => {
  it("[regression CLI-230] that is cut, is of another Node, or is gone changes no answer", () => {
    copied();
    const before = answers();
    expect(before.map(({ exit }) => exit)).toEqual([0, 0, 2, 2]);
    expect(compiled().length).toBeGreaterThan(3);
    for (const path of compiled()) truncateSync(path, 100);
    expect(answers()).toEqual(before);
    for (const path of compiled()) writeFileSync(path, Buffer.alloc(4096, 7));
    expect(answers()).toEqual(before);
    rmSync(join(copy, "dist/compiled"), { recursive: true });
    expect(answers()).toEqual(before);
  });

  it("[regression CLI-230] lies beside the code, named after this Node", () => {
    const [of] = readdirSync(join(ROOT, "dist/compiled"));
    expect(of).toMatch(new RegExp(`^${process.versions.node}-.*-${process.platform}-${process.arch}$`));
  });
});
