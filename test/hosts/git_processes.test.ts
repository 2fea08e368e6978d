/** How often git is started for one question: the start of a process costs more than the answer. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { commitsNamed } from "../../src/hosts/git/commits_named.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { driverState, installDriver } from "../../src/hosts/git/install_driver.ts";
import { openRepository } from "../../src/hosts/git/repository.ts";
import type { Clone } from "../support/git_clone.mjs";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { ROTATING } from "../support/sweep.ts";

/** A function that tells the commands of git since the last call. A program before git on the PATH writes them down. */
function watched(): () => string[] {
  const folder = tempFolder();
  const log = join(folder, "log");
  const path = process.env["PATH"]!;
  const program = ["#!/bin/sh", `echo "$*" >> '${log}'`, `PATH='${path}' exec git "$@"`, ""].join("\n");
  writeFileSync(join(folder, "git"), program);
  chmodSync(join(folder, "git"), 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${path}`);
  return () => {
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
    writeFileSync(log, "");
    return lines.map((line) => line.replace(/^.*--literal-pathspecs /, ""));
  };
}

function committed(): Clone {
  const { ada } = repository();
  writeFileSync(join(ada.root, "a file"), '{"hash":"x"}\n');
  ada.commit("begin");
  return ada;
}

describe.skipIf(process.platform === "win32")("starts of git", () => {
  it("are none where no folder upwards has a .git, and one where a folder is in a work tree", () => {
    const { root } = committed();
    const said = watched();
    expect(openRepository(tempFolder())).toBeUndefined();
    expect(said()).toEqual([]);
    mkdirSync(join(root, "below"));
    expect(openRepository(join(root, "below"))).toMatchObject({ top: root, prefix: "below/" });
    expect(said()).toHaveLength(1);
  });

  it("are one for the commits of many names, also where most of them lead to none", () => {
    const { root } = committed();
    const one = openRepository(root)!;
    const said = watched();
    expect([...commitsNamed(one, ["HEAD", "MERGE_HEAD", "main", "main^", "no such"]).keys()]).toEqual(["HEAD", "main"]);
    expect(said()).toHaveLength(1);
  });

  it("are six to say that no branch, stash or commit has a text", ROTATING, () => {
    const { root } = committed();
    const git = openGit(root)!;
    const said = watched();
    expect(git.heldBy([{ paths: ["a file"], text: "y" }])).toEqual([undefined]);
    const commands = said();
    expect(commands, commands.join("\n")).toHaveLength(6);
  });

  it("are none for settings that an opening before read, until a file of them changes", ROTATING, async () => {
    const ada = committed();
    const said = watched();
    const asked = (): boolean => {
      openGit(ada.root)!.listing();
      return said().some((command) => command.startsWith("config"));
    };
    expect(asked()).toBe(true);
    // Files of the present moment are read again: a change of them might not show.
    await vi.waitFor(() => expect(asked()).toBe(false), { timeout: 60_000 });
    ada.git("config", "filter.x.clean", "cat");
    said();
    expect(asked()).toBe(true);
  });

  it(
    "are two for files younger than several moments, each of which is read once: by its bytes, then by the rules that convert it",
    ROTATING,
    () => {
      const ada = committed();
      const { root } = ada;
      ada.git("config", "core.autocrlf", "input");
      writeFileSync(join(root, "crlf"), "1\r\n");
      ada.commit("another");
      const listing = openGit(root)!.listing();
      const said = watched();
      const now = Date.now();
      expect([now, Number.NaN, now - 1000, 0].map((since) => [...listing.since(since)])).toEqual([[], [], [], []]);
      expect(said().map((line) => line.includes("--no-filters"))).toEqual([true, false]);
    },
  );

  it("are one for the state of the driver, whatever is installed", ROTATING, () => {
    const { root } = committed();
    const one = openRepository(root)!;
    installDriver(one, [process.execPath, "/no/program"]);
    const said = watched();
    expect(driverState(one).state).toBe("installed");
    expect(said()).toHaveLength(1);
  });
});

describe("a link to a folder below the top", () => {
  it("is in the work tree that its folder is in", () => {
    const { root } = committed();
    mkdirSync(join(root, "below"));
    const link = join(tempFolder(), "link");
    symlinkSync(join(root, "below"), link);
    expect(openRepository(link)).toMatchObject({ top: root, prefix: "below/", common: join(root, ".git") });
  });
});

describe("a repository without a file of settings", () => {
  it("has none of its own, and takes the driver", ROTATING, () => {
    const { root } = committed();
    rmSync(join(root, ".git/config"));
    const one = openRepository(root)!;
    expect(driverState(one).state).toBe("not installed");
    installDriver(one, [process.execPath, "/no/program"]);
    expect(driverState(one).state).toBe("installed");
  });
});

describe("a name that leads to a damaged commit", () => {
  it("leads to none, and the other names are told", () => {
    const ada = committed();
    const whole = ada.head();
    writeFileSync(join(ada.root, "a file"), "y");
    ada.commit("another");
    const damaged = ada.head();
    ada.git("update-ref", "ORIG_HEAD", damaged);
    ada.git("reset", "-q", "--soft", whole);
    writeFileSync(join(ada.root, ".git/ORIG_HEAD"), `${damaged}\n`);
    const folder = join(ada.root, ".git/objects", damaged.slice(0, 2));
    for (const name of readdirSync(folder)) {
      chmodSync(join(folder, name), 0o644);
      writeFileSync(join(folder, name), "damaged");
    }
    expect([...commitsNamed(openRepository(ada.root)!, ["ORIG_HEAD", "HEAD"])]).toEqual([["HEAD", whole]]);
  });
});
