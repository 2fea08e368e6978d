/** Partial clones by real git: bytes that were not fetched are told as that, with the command that fetches them. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { Clone } from "../support/git_clone.mjs";
import { commitChange, inWorkspace } from "../support/git_work.ts";
import { newTask } from "../support/workspace.ts";
import { fileTempFolder } from "../support/temp.ts";
import { json, run } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";

const FETCH = "git log --all --reflog -p -m -- .coco >/dev/null";
const folder = fileTempFolder();
let clones = 0;
let origin: Clone;

beforeAll(async () => {
  origin = Clone.init(join(folder, "origin"));
  await inWorkspace(origin.root, (ws) => newTask(ws));
  origin.commit("a task");
  await commitChange(origin, "one");
  origin.git("checkout", "-q", "-b", "side");
  await commitChange(origin, "of the side");
  origin.git("checkout", "-q", "main");
  await commitChange(origin, "two");
  for (const name of ["allowFilter", "allowAnySHA1InWant"]) origin.git("config", `uploadpack.${name}`, "true");
});

function partial(): Clone {
  const root = join(folder, `partial-${clones++}`);
  const args = ["clone", "-q", "--no-local", "--filter=blob:none", `file://${origin.root}`, root];
  execFileSync("git", args, { env: Clone.env, stdio: "pipe" });
  return new Clone(root);
}

/** Objects that were promised and are not here. */
function missing(clone: Clone): number {
  const said = clone.git("rev-list", "--objects", "--all", "--missing=print");
  return said.split("\n").filter((line) => line.startsWith("?")).length;
}

describe("a partial clone", () => {
  it(
    "[HISTORY-23] diff and verify say what was not fetched, name the command, and fetch nothing themselves",
    ROTATING,
    async () => {
      const clone = partial();
      const before = missing(clone);
      expect(before).toBeGreaterThan(0);
      for (const args of [
        ["diff", "HEAD~1"],
        ["diff", "HEAD~2", "HEAD~1"],
      ]) {
        const { code, err } = await run({ cwd: clone.root }, ...args);
        expect(`${code} ${err}`).toMatch(/^6 OBJECT_MISSING: /);
        expect(err).toContain(FETCH);
      }
      for (const args of [
        ["verify", "--git"],
        ["resolve", "--git"],
      ]) {
        const { doc } = await json({ cwd: clone.root }, ...args);
        const { findings } = doc["result"] as { findings: { code: string; recovery?: string }[] };
        expect([...new Set(findings.map(({ code }) => code))]).toEqual(["OBJECT_MISSING"]);
        expect(findings[0]!.recovery).toContain(FETCH);
      }
      expect(missing(clone)).toBe(before);
      execFileSync("sh", ["-c", FETCH], { cwd: clone.root, env: Clone.env });
      expect(missing(clone)).toBe(0);
      expect((await json({ cwd: clone.root }, "verify", "--git")).code).toBe(0);
      expect((await run({ cwd: clone.root }, "diff", "HEAD~1")).code).toBe(0);
    },
  );

  it("[HISTORY-23] the port says so of one object, and the driver merges what git has fetched for it", ROTATING, () => {
    const clone = partial();
    const git = openGit(clone.root)!;
    const object = git.find("HEAD~1", ".coco/tasks/TASK-001/events.jsonl")!;
    expect(() => git.read(object)).toThrow(expect.objectContaining({ code: "OBJECT_MISSING" }) as Error);
    new Clone(clone.root).program(join(process.cwd(), "dist/cli.cjs"), "git", "install");
    clone.git("merge", "-q", "--no-edit", "origin/side");
    expect(clone.git("status", "--porcelain")).toBe("");
    const notes = clone.git("show", "HEAD:.coco/tasks/TASK-001/events.jsonl");
    for (const what of ["one", "two", "of the side"]) expect(notes).toContain(`"${what}"`);
  });

  it("[HISTORY-23] in a whole clone that lost an object, no fetch is promised", async () => {
    const clone = Clone.of(join(folder, "whole"), origin);
    const object = clone.git("rev-parse", "HEAD~1:.coco/tasks/TASK-001/events.jsonl").trim();
    execFileSync("rm", ["-f", join(clone.root, ".git/objects", object.slice(0, 2), object.slice(2))]);
    const { code, err } = await run({ cwd: clone.root }, "diff", "HEAD~1");
    expect(`${code} ${err}`).toMatch(/^6 OBJECT_MISSING: /);
    expect(err).toContain("git fsck");
    expect(err).not.toContain("partial");
  });
});
