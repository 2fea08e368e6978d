// @module-tag long
/** Roots whose paths are odd: line feeds, blanks at the end, and bytes that are no text. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import { openWorkspace } from "../../src/engine/workspace.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { branched, driven, expectRight, gitSaid } from "../support/git_work.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { notesOf } from "../support/workspace.ts";
import { PROGRAM, real } from "./cli_support.ts";

describe.skipIf(process.platform === "win32")("a root in git with an odd path", () => {
  it.each([["\n"], ["end "], ["\n\nx\n"]])("[regression GIT-72] %j: git answers", (name) => {
    const clone = Clone.init(join(tempFolder(), name));
    writeFileSync(join(clone.root, "file"), "one\n");
    expect(openGit(clone.root)?.changed(null)).toEqual(["file"]);
  });

  it("[regression GIT-72] with a line feed in it: the driver is installed, and merges", ROTATING, async () => {
    const repo = await driven(["git", "install"], "a\nb");
    const { clone } = repo;
    expect(repo.program("git", "status")).toContain("merge driver: installed");
    await branched(repo, ["side"], ["main"]);
    expect(gitSaid(clone, "merge", "--no-edit", "side").code).toBe(0);
    await expectRight(clone);
    expect(notesOf(clone.root).toSorted()).toEqual(["main", "side"]);
    expect(real(clone.root, ["verify", "--git"]).code).toBe(0);
  });

  it("[regression GIT-72] a folder below the top, and a linked work tree", ROTATING, () => {
    const clone = Clone.init(join(tempFolder(), "top\n"));
    const inner = join(clone.root, "in\nner");
    mkdirSync(inner);
    writeFileSync(join(inner, "file"), "one\n");
    clone.commit("one");
    expect(openGit(inner)?.changed(null)).toEqual([]);
    writeFileSync(join(inner, "file"), "two\n");
    expect(openGit(inner)?.changed(null)).toEqual(["file"]);
    clone.git("worktree", "add", "-q", "-b", "linked", "../linked\n");
    expect(openGit(join(clone.root, "../linked\n"))?.changed(null)).toEqual([]);
  });
});

// The file systems of other platforms have names of characters alone.
describe.skipIf(process.platform !== "linux")("a root whose path is not UTF-8", () => {
  const BYTES = Buffer.from([0x77, 0xff]);
  const AS_TEXT = BYTES.toString("utf8");

  function given(...names: (string | Buffer)[]): string {
    const folder = tempFolder();
    for (const name of names) mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]));
    return folder;
  }
  const names = (folder: string): string[] =>
    readdirSync(folder, { encoding: "buffer" }).map((one) => one.toString("hex"));

  it.each([
    ["alone", [BYTES]],
    ["beside a folder that an earlier release made", [BYTES, AS_TEXT]],
  ])("[DIR-1] %s is refused by the library, for writers and readers", (_, made) => {
    const folder = given(...made);
    const before = names(folder);
    for (const root of [join(folder, AS_TEXT), join(folder, AS_TEXT, "below")]) {
      expect(() => openWorkspace({ root })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
      expect(() => new Viewer({ root, version: "1" })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    }
    expect(names(folder)).toEqual(before);
  });

  it("[DIR-1] is refused by the command line and the MCP server, which make no second folder", ROTATING, () => {
    const folder = given(BYTES);
    const said = (...args: string[]) => {
      const script = `cd "$(printf 'w\\377')" && exec "$0" "$@"`;
      const { status, stdout, stderr } = spawnSync("sh", ["-c", script, process.execPath, PROGRAM, ...args], {
        cwd: folder,
        encoding: "utf8",
        input: `${JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
        })}\n${JSON.stringify({
          jsonrpc: "2.0",
          id: 2,
          method: "tools/call",
          params: { name: "tasks_create", arguments: { workspace: "a/b", kind: "task", title: "T" } },
        })}\n`,
      });
      return { code: status, said: stdout + stderr };
    };
    for (const args of [["init"], ["add", "T"], ["list"], ["verify"], ["git", "install"], ["onboard"]])
      expect(said(...args), args.join(" ")).toEqual({ code: 2, said: expect.stringContaining("UTF-8") as string });
    expect(said("mcp", "--workspace", "a/b").said).toContain("UTF-8");
    expect(names(folder)).toEqual([BYTES.toString("hex")]);
  });

  it("[DIR-1] a name that has that character for its own is a name like any other", async () => {
    const root = join(given(AS_TEXT), AS_TEXT);
    const ws = openWorkspace({ root });
    expect((await ws.init("a/b")).created).toBe(true);
    await ws.close();
  });
});
