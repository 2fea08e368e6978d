// @module-tag rotating
/** The day of a person that README links: it runs as it stands, and leaves what it says. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, real } from "./hosts/cli_support.ts";
import { pageText } from "./support/markdown.ts";
import { ROOT } from "./support/source.ts";
import { tempFolder } from "./support/temp.ts";

const SCRIPT = join(ROOT, "examples/day/day.sh");

/** With no settings of this machine. */
function day(script: string, folder: string) {
  const env = { PATH: process.env["PATH"], HOME: tempFolder(), GIT_CONFIG_NOSYSTEM: "1", LANG: "C.UTF-8" };
  return spawnSync("sh", [script, folder], { env, encoding: "utf8" });
}

describe.skipIf(process.platform === "win32")("a person's day", () => {
  it("[regression CLI-212] runs from init to the archive over two merges, and leaves a clean work tree", () => {
    const cwd = join(tempFolder(), "day");
    const { status, stdout } = day(SCRIPT, cwd);
    expect(status, stdout).toBe(0);
    const typed = [...stdout.matchAll(/^\$ (?:taskfold|git) (\w+)/gm)].map(([, command]) => command!);
    const wanted = "init add claim run done undo switch resolve merge diff archive verify".split(" ");
    expect(wanted.filter((command) => !typed.includes(command))).toEqual([]);
    expect(stdout).toMatch(/^CONFLICT .*\.coco\/tasks\/TASK-001\/task\.yaml$/m);
    expect(git(cwd, "status", "--porcelain")).toBe("");
    expect(git(cwd, "log", "--merges", "--format=%s").trim().split("\n")).toEqual([
      "Merge branch 'french'",
      "Merge readme",
    ]);
    const { result } = JSON.parse(real(cwd, ["list", "--archived", "--json"]).out) as {
      result: { tasks: { id: string; status: string }[] };
    };
    expect(result.tasks).toMatchObject([{ id: "TASK-001", status: "DONE" }]);
    expect(real(cwd, ["verify", "--git"])).toMatchObject({ code: 0 });
    expect(day(SCRIPT, cwd)).toMatchObject({ status: 2, stderr: expect.stringContaining("expected an empty folder") });
  });

  it("[regression CLI-212] ends where a command that is to be refused passes", () => {
    const script = join(tempFolder(), "examples/day/day.sh");
    execFileSync("mkdir", ["-p", join(script, "..")]);
    const text = readFileSync(SCRIPT, "utf8").replace("echo 'echo \"Hello, $1\"'", "echo 'echo \"Hello, $1!\"'");
    writeFileSync(script, text.replace(/^here=.*$/m, `here="${ROOT}"`));
    const { status, stderr } = day(script, join(tempFolder(), "day"));
    expect(status).toBe(1);
    expect(stderr).toContain("expected a refusal of: taskfold run 1 loudly --close -- sh test.sh");
  });

  it("README links the day", () => {
    expect(pageText("README.md")).toContain("sh examples/day/day.sh");
  });
});
