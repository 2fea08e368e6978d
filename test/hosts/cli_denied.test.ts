// @module-tag long
/** Files that another user left, as root does who runs one command: the refusal names the one that stands in the way. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROTATING_SWEEP, sampleOf } from "../support/sweep.ts";
import { fileTempFolder } from "../support/temp.ts";
import { inWorkspace } from "../support/git_work.ts";
import { newTask } from "../support/workspace.ts";
import { PROGRAM } from "./cli_support.ts";

const UNSYNCED = ".coco/registry/unsynced/TASK-009";
const UNREADABLE = sampleOf<[string, string]>(
  [
    [".coco/tasks/TASK-009", "FOLDER_UNREADABLE"],
    [".coco/archive/TASK-009", "FOLDER_UNREADABLE"],
    [".coco/archive", "FOLDER_UNREADABLE"],
    [".coco/registry/quarantine", "FOLDER_UNREADABLE"],
    [".coco/registry/unsynced", "FOLDER_UNREADABLE"],
    [UNSYNCED, "FOLDER_UNREADABLE"],
    [".coco/tasks/TASK-002/events.jsonl", "LOG_UNREADABLE"],
  ],
  1,
);

const isRoot = process.getuid?.() === 0;
/** The number of the user nobody: any that is not root's. */
const OTHER = 65534;
const folder = fileTempFolder();
const root = join(folder, "repository");
const environment = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" };

/** Runs the program as the user who owns the workspace. */
function asOwner(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "--by", "ann", ...args], {
    cwd: root,
    env: environment,
    encoding: "utf8",
    ...(isRoot ? { uid: OTHER, gid: OTHER } : {}),
  });
  return { code: status, out: stdout, err: stderr };
}

/** Every file is the owner's again; as root, who may all, by another user. */
function give(): void {
  if (!isRoot) return;
  for (const name of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" })])
    chownSync(join(root, name), OTHER, OTHER);
}

/** As another user left it, or as if. */
function take(path: string): void {
  if (isRoot) chownSync(path, 0, 0);
  else chmodSync(path, lstatSync(path).isDirectory() ? 0o500 : 0o400);
}

function giveBack(path: string): void {
  if (!isRoot) chmodSync(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
}

beforeAll(async () => {
  mkdirSync(root);
  chmodSync(folder, 0o755);
  await inWorkspace(root, async (ws) => {
    await newTask(ws);
  });
  give();
  // Its locks and its part of the registry are there.
  for (const args of [
    ["note", "1", "mine"],
    ["add", "Second"],
  ]) {
    const { code, err } = asOwner(...args);
    if (code !== 0) throw new Error(err);
  }
});

/** A program that another user may start: a checkout below a closed home is none. */
const isReachable =
  !isRoot || spawnSync(process.execPath, [PROGRAM, "--version"], { uid: OTHER, gid: OTHER }).status === 0;

describe.skipIf(process.platform === "win32" || !isReachable)("files of another user", () => {
  const NOTE = ["note", "1", "more"];
  const ADD = ["add", "Third"];

  it.for([
    [".coco/locks/TASK-001.lock", NOTE],
    [".coco/locks/.workspace.lock", ADD],
    [".coco/tasks/TASK-001/events.jsonl", NOTE],
    [".coco/tasks", ADD],
    [".coco/registry/machine-*/dirty", NOTE],
  ] as [string, string[]][])("[DUR-4] READ_ONLY names %s, and how to own it", ([name, args]) => {
    const parts = dirname(name).split("/");
    const at = parts.includes("machine-*")
      ? name.replace(
          "machine-*",
          readdirSync(join(root, ".coco/registry")).find((one) => one.startsWith("machine-"))!,
        )
      : name;
    take(join(root, at));
    const refused = asOwner(...args);
    expect(refused.code).toBe(6);
    expect(refused.err).toMatch(/^READ_ONLY: /);
    expect(refused.err).toContain(` for ${at}.`);
    expect(refused.err).toContain('sudo chown -R "$(id -u):$(id -g)" .coco');
    giveBack(join(root, at));
    give();
    expect(asOwner(...args).code).toBe(0);
  });

  it.for([
    ["locked", "locked"],
    [".coconut", ".coconut"],
    [".cocoon/locked", "locked"],
  ] as const)("[DUR-4] READ_ONLY of a folder outside of .coco, %s, asks for the right to change it", ([path, told]) => {
    const locked = join(folder, path);
    mkdirSync(locked, { recursive: true });
    chmodSync(locked, 0o555);
    const refused = asOwner("-C", locked, "init", "--workspace", "acme/repo");
    expect(refused.code).toBe(6);
    const [first, recovery] = refused.err.split("\n");
    expect(first).toMatch(/^READ_ONLY: /);
    expect(first!.endsWith(` for ${told}.`)).toBe(true);
    expect(recovery).toBe("  Give this user the right to change it, then call again.");
    expect(readdirSync(locked)).toEqual([]);
  });

  /** Closed to everybody but root. */
  function closed(path: string, look: () => void): void {
    const [mode, at] = [lstatSync(join(root, path)).mode, join(root, path)];
    chmodSync(at, 0);
    try {
      look();
    } finally {
      chmodSync(at, mode);
    }
  }

  it.for(UNREADABLE)(
    "[VERIFY-60] what this user may not read is a finding, and the rest goes on: %s",
    ROTATING_SWEEP,
    ([path, finding]) => {
      if (finding === "FOLDER_UNREADABLE") mkdirSync(join(root, path), { recursive: true });
      const beside = join(root, ".coco/registry/unsynced/TASK-008");
      if (path === UNSYNCED) mkdirSync(beside);
      if (path === UNSYNCED) writeFileSync(join(beside, "x"), "x");
      give();
      const log = join(root, ".coco/tasks/TASK-001/events.jsonl");
      const before = readFileSync(log, "utf8");
      appendFileSync(log, "=======\n");
      closed(path!, () => {
        for (const command of [
          "verify",
          "resolve",
          "rebuild",
          "doctor",
          ...(path === ".coco/archive" ? [] : ["list"]),
        ]) {
          const { code, out, err } = asOwner(command);
          expect([0, 1], `${command}: ${err}`).toContain(code);
          const isTold = !["rebuild", "list"].includes(command);
          expect((out + err).includes(`${finding}  `) || !isTold, command).toBe(true);
          const isNamed = path === UNSYNCED && command === "verify";
          expect(/UNSYNCED +\.coco\/registry\/unsynced\/TASK-008/.test(out), command).toBe(isNamed);
        }
      });
      expect(readFileSync(log, "utf8")).toBe(before);
      if (path!.endsWith("TASK-009")) rmSync(join(root, path!), { recursive: true });
      rmSync(beside, { recursive: true, force: true });
      expect(asOwner("verify").code).toBe(0);
    },
  );

  it.for([
    [".coco/registry/journal", "FOLDER_UNREADABLE"],
    [".coco/registry/journal/0123456789abcdef", "TXN_PENDING"],
  ])(
    "[VERIFY-60] [DUR-4] a journal that may not be read is a finding, and what would finish it is refused: %s",
    ([path, finding]) => {
      const at = join(root, path!);
      mkdirSync(join(root, ".coco/registry/journal"), { recursive: true });
      if (finding === "TXN_PENDING") writeFileSync(at, "");
      give();
      const before = readFileSync(join(root, ".coco/tasks/TASK-001/events.jsonl"), "utf8");
      closed(path!, () => {
        for (const command of ["verify", "doctor"]) {
          const { code, out } = asOwner(command);
          expect([code, out.includes(`${finding}  `)], command).toEqual([1, true]);
        }
        if (finding === "TXN_PENDING") return;
        for (const command of [["resolve"], ["rebuild"], ["note", "1", "x"]]) {
          const { code, err } = asOwner(...command);
          expect([code, err]).toEqual([6, expect.stringContaining(` for ${path}.`)]);
        }
        expect(readFileSync(join(root, ".coco/tasks/TASK-001/events.jsonl"), "utf8")).toBe(before);
      });
      rmSync(at, { recursive: true });
      expect(asOwner("verify").code).toBe(0);
    },
  );

  it.for([".coco/locks/TASK-001.files.lock", ".coco/tasks/TASK-001"])(
    "[DUR-4] so does the warning of a change whose files could not be written: %s",
    (name) => {
      take(join(root, name));
      const { code, err } = asOwner(...NOTE);
      expect(code).toBe(0);
      expect(err).toContain("PROJECTION_FAILED");
      expect(err).toContain(` for ${name}.`);
      expect(err).toContain("sudo chown");
      giveBack(join(root, name));
      give();
    },
  );
});
