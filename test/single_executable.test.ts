// @module-tag rotating
/** The single executable of `npm run build:sea`, as a process without a package beside it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { git } from "./hosts/cli_support.ts";
import { ROOT } from "./support/source.ts";
import { fileTempFolder, tempFolder } from "./support/temp.ts";

const EXECUTABLE = join(fileTempFolder(), "taskfold");
/** Where its parts lie, for all tests. */
const cache = fileTempFolder();

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

function run(cwd: string, argv: readonly string[], more: { env?: NodeJS.ProcessEnv; input?: string } = {}): Ran {
  const { PATH, TMPDIR } = process.env;
  const env = {
    PATH,
    TMPDIR,
    HOME: cache,
    XDG_CACHE_HOME: cache,
    TASKFOLD_BY: "human:ann",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...more.env,
  };
  const { status, stdout, stderr } = spawnSync(EXECUTABLE, argv, {
    cwd,
    env,
    encoding: "utf8",
    input: more.input ?? "",
  });
  return { code: status, out: stdout, err: stderr };
}

function must(cwd: string, ...argv: string[]): string {
  const ran = run(cwd, argv);
  expect({ argv, ...ran }).toMatchObject({ argv, code: 0, err: "" });
  return ran.out;
}

function parts(): string {
  const [name = ""] = readdirSync(join(cache, "taskfold"));
  return join(cache, "taskfold", name);
}

describe("the single executable", { timeout: 240_000 }, () => {
  // Not before all: a sample that draws none of these tests would wait for it in vain.
  beforeEach(() => {
    if (existsSync(EXECUTABLE)) return;
    const made = spawnSync(process.execPath, [join(ROOT, "scripts/build_sea.mjs"), "--out", EXECUTABLE], {
      encoding: "utf8",
    });
    if (made.status !== 0) throw new Error(made.stderr);
  }, 240_000);

  it("[regression CLI-269] takes a task from nothing to its end, with native locks, pages and the MCP server", () => {
    const cwd = tempFolder();
    git(cwd, "init", "--quiet");
    must(cwd, "init", "--workspace", "acme/repo");
    must(cwd, "add", "A parser", "--step", "Write the grammar", "--criteria", "samples parse", "--test", "true");
    for (let n = 2; n <= 3; n++) must(cwd, "add", `Task ${n}`, "-q");
    must(cwd, "claim", "1", "s:0");
    must(cwd, "run", "1", "s:0", "--", "true");
    must(cwd, "done", "1", "s:0", "--confirm", "gate");
    must(cwd, "complete", "1");
    expect(must(cwd, "list")).toMatch(/^TASK-001 +DONE /m);
    expect(must(cwd, "verify")).toContain("all is well");
    expect(must(cwd, "--version")).toMatch(/^taskfold \d\S+, format 1 of the log, Node\.js /);
    expect(run(cwd, ["call", "tasks_note", '{"note":7}']).code).toBe(2);
    // It says on stderr how far it is.
    expect(run(cwd, ["view", "--export", "site"])).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, "site/index.html"))).toBe(true);
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    };
    const { code, out } = run(cwd, ["mcp"], { input: `${JSON.stringify(initialize)}\n` });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 1, result: { serverInfo: { name: "taskfold" } } });
  });

  it("[regression CLI-269] git starts it by its own path, also after an older program", () => {
    const cwd = tempFolder();
    git(cwd, "init", "--quiet");
    must(cwd, "init", "--workspace", "acme/repo");
    spawnSync(process.execPath, [join(ROOT, "dist/cli.cjs"), "git", "install"], { cwd });
    must(cwd, "git", "install", "--hooks");
    expect(must(cwd, "git", "status")).toContain(`  runs: ${EXECUTABLE}\n`);
    must(cwd, "add", "A parser");
    git(cwd, "add", ".");
    git(cwd, "commit", "--quiet", "-m", "Begin");
    git(cwd, "switch", "--quiet", "-c", "other");
    must(cwd, "note", "1", "of the other");
    git(cwd, "commit", "--quiet", "-am", "Other");
    git(cwd, "switch", "--quiet", "-");
    must(cwd, "note", "1", "of ours");
    git(cwd, "commit", "--quiet", "-am", "Ours");
    git(cwd, "merge", "--quiet", "--no-edit", "other");
    expect(must(cwd, "show", "1")).toMatch(/of the other[^]*of ours|of ours[^]*of the other/);
    expect(must(cwd, "verify")).toContain("all is well");
  });

  it("[regression CLI-269] parts that were cleared or cut come again, and without a folder for them it says so", () => {
    const cwd = tempFolder();
    must(cwd, "init", "--workspace", "acme/repo");
    truncateSync(join(parts(), "dist/program.cjs"), 100);
    must(cwd, "list");
    rmSync(join(parts(), "dist/cli"), { recursive: true });
    must(cwd, "list");
    expect(readdirSync(join(cache, "taskfold"))).toHaveLength(1);
    const file = join(tempFolder(), "file");
    writeFileSync(file, "");
    const env = { XDG_CACHE_HOME: file, TMPDIR: file };
    const { code, out, err } = run(cwd, ["list"], { env });
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toMatch(/^STORAGE_FAILED: .*\n {2}Set XDG_CACHE_HOME /);
    const open = join(tempFolder(), "open");
    mkdirSync(join(open, "taskfold"), { recursive: true, mode: 0o777 });
    spawnSync("chmod", ["777", join(open, "taskfold")]);
    // A folder that others may write is none; the one for temporary files serves.
    expect(run(cwd, ["list"], { env: { XDG_CACHE_HOME: open, TMPDIR: tempFolder() } })).toMatchObject({ code: 0 });
    expect(readdirSync(join(open, "taskfold"))).toEqual([]);
  });
});
