/** What an attacker may plant besides links: odd names, repeated parts, headers without end, owners that are none, blobs of other bytes. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../support/open.ts";
import { passTime } from "../support/clock.ts";
import { busyWorkspace, makePipe } from "../support/planted.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, logLines, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

const TASK = "TASK-001";
const note = (text: string) => ({ task: TASK, note: text });
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Names that a file system takes and another one, or this engine, does not. */
const ODD_NAMES = ["a\\b", "中".repeat(85), "x".repeat(255), " ", "a:b", "-rf"];

describe.skipIf(process.platform === "win32")("odd names", () => {
  it.each(ODD_NAMES)(
    "[DIR-56] %j among doubtful bytes and in the journal is set aside, and nothing stops",
    async (name) => {
      const root = await busyWorkspace();
      put(join(root, ".coco/registry/unsynced", name, "x"), "x");
      put(join(root, ".coco/registry/unsynced", TASK, name), "x");
      put(join(root, ".coco/registry/journal", name), "x");
      const ws = openTemp({ root });
      expect(ws.verify().findings.filter((f) => f.code === "TXN_PENDING")).toEqual([]);
      await ws.repair.resolve();
      const reply = await call(ws, "tasks_note", note("after"));
      expect([reply.error, reply.warnings.map((w) => w.code).includes("SET_ASIDE")]).toEqual([null, true]);
      expect((await call(ws, "tasks_note", note("again"))).error).toBeNull();
      expect(readdirSync(join(root, ".coco/registry/journal"))).toEqual([]);
      expect(existsSync(join(root, ".coco/registry/unsynced", TASK))).toBe(false);
    },
  );

  it.each([...ODD_NAMES, "idle-folder"])("[DIR-56] %j in a lock's folder holds nothing up", async (name) => {
    const root = await busyWorkspace();
    put(join(root, ".coco/locks/kind"), "lockfile\n");
    const lock = join(root, ".coco/locks", `${TASK}.lock.d`);
    if (name === "idle-folder") mkdirSync(join(lock, "idle-x"), { recursive: true });
    else put(join(lock, name), "x");
    expect(await code(openTemp({ root, now: Date.now, lockTimeoutMs: 3000 }), "tasks_note", note("x"))).toBeUndefined();
  });
});

describe("a journal without end", () => {
  it("[DIR-56] [DUR-61] whose entry has a name that leaves no room for another one is none of ours", async () => {
    const root = await busyWorkspace();
    const body = `${logLines(root)[0]!}\n`;
    const { hash } = JSON.parse(body) as { hash: string };
    const part = { id: TASK, made: false, prev: [], ops: [{ hash, bytes: Buffer.byteLength(body) }] };
    const header = { v: 1, parts: [part], sha256: digest(body) };
    const text = `${JSON.stringify(header)}\n${body}`;
    put(join(root, ".coco/registry/journal", `message.${"x".repeat(247)}`), text);
    const ws = openTemp({ root });
    expect((await call(ws, "tasks_note", note("x"))).warnings.map((w) => w.code)).toEqual(["SET_ASIDE"]);
    expect(readdirSync(join(root, ".coco/registry/journal"))).toEqual([]);
  });

  it("[LIMIT-1] is not parsed when its first line is longer than one of ours", async () => {
    const root = await busyWorkspace();
    put(join(root, ".coco/registry/journal/aaa"), `{"v":1,"parts":[${"[],".repeat(1_000_000)}[]]}\nx`);
    const ws = openTemp({ root });
    expect((await call(ws, "tasks_context", {})).error).toBeNull();
    expect((await call(ws, "tasks_note", note("x"))).warnings.map((w) => w.code)).toEqual(["SET_ASIDE"]);
  });

  it("[DIR-56] that names an entity or an op twice is none of ours", async () => {
    const root = await busyWorkspace();
    const body = `${logLines(root)[0]!}\n`;
    const { hash } = JSON.parse(body) as { hash: string };
    const part = { id: TASK, made: false, prev: [], ops: [{ hash, bytes: Buffer.byteLength(body) }] };
    const header = { v: 1, parts: [part, part], sha256: digest(body + body) };
    put(join(root, ".coco/registry/journal/aaa"), `${JSON.stringify(header)}\n${body}${body}`);
    const ws = openTemp({ root });
    expect((await call(ws, "tasks_note", note("x"))).warnings.map((w) => w.code)).toEqual(["SET_ASIDE"]);
  });
});

describe.skipIf(process.platform !== "linux")("an owner of a lock", () => {
  it("[DUR-24] that lives, but did not write down when it began, is none", async () => {
    const root = await busyWorkspace();
    put(join(root, ".coco/locks/kind"), "lockfile\n");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const host = `${hostname()} ${boot} ${statSync("/proc/self/ns/pid").ino}`;
    const owner = { token: "0", pid: process.ppid, host, started: "", since: 1 };
    const path = join(root, ".coco/locks", `${TASK}.lock.d/owner-0`);
    put(path, JSON.stringify(owner));
    utimesSync(path, 1, 1);
    expect(await code(openTemp({ root, now: Date.now }), "tasks_note", note("x"))).toBeUndefined();
  });
});

describe("git's index as a sign of change", () => {
  it.each(["gitdir: a\0b\n", `gitdir: ${"a".repeat(20_000)}\n`, "gitdir: \n", "no pointer"])(
    "[DIR-50] a .git that leads nowhere (%j) keeps no task from being made",
    async (text) => {
      const root = await busyWorkspace();
      writeFileSync(join(root, ".git"), text);
      const created = { kind: "task" as const, title: "New", idempotency_key: "k" };
      expect(await code(openTemp({ root }), "tasks_create", created)).toBeUndefined();
    },
  );

  it("[DIR-50] a .git that is a link to itself, or a pipe, neither", async () => {
    for (const make of [(path: string) => symlinkSync(".git", path), makePipe]) {
      const root = await busyWorkspace();
      make(join(root, ".git"));
      const created = { kind: "task" as const, title: "New", idempotency_key: "k" };
      expect(await code(openTemp({ root }), "tasks_create", created)).toBeUndefined();
    }
  });
});

describe("a blob that is there already", () => {
  it("[EVID-14] counts by its bytes: one of other bytes and the same length is written anew", async () => {
    const root = await busyWorkspace();
    const text = "output of a test ".repeat(5000);
    const name = createHash("sha256").update(text).digest("hex");
    const blob = join(root, ".coco/tasks", TASK, "shared/evidence/blobs", name);
    put(blob, "x".repeat(text.length));
    const ws = openTemp({ root });
    await ok(ws, "tasks_evidence_capture", {
      task: TASK,
      items: [{ kind: "command", title: "t", command: "npm test", stdout: text }],
    } as never);
    const names = readdirSync(dirname(blob));
    for (const one of names)
      expect(
        createHash("sha256")
          .update(readFileSync(join(dirname(blob), one)))
          .digest("hex"),
      ).toBe(one);
  });
});

describe("the root", () => {
  it("[regression DIR-57] that is a link is asked for anew: changes go where it leads now", async () => {
    const [a, b] = [await busyWorkspace(), await busyWorkspace()];
    const root = join(tempFolder(), "root");
    symlinkSync(a, root);
    const ws = openWorkspace({ root });
    await ok(ws, "tasks_note", note("to a"));
    rmSync(root);
    symlinkSync(b, root);
    passTime(1100);
    await call(ws, "tasks_note", note("to b"));
    await ws.close();
    expect(notesOf(a)).not.toContain("to b");
  });

  it("[DIR-54] that was exchanged has a folder of its own within a second", async () => {
    const [a, b] = [await busyWorkspace(), await busyWorkspace()];
    const root = join(tempFolder(), "root");
    renameSync(a, root);
    const ws = openTemp({ root });
    await ok(ws, "tasks_focus_set", { task: TASK });
    renameSync(root, `${root}-old`);
    renameSync(b, root);
    const before = readdirSync(join(root, ".coco/registry"));
    passTime(1100);
    await ok(ws, "tasks_focus_set", { task: TASK });
    const machines = readdirSync(join(root, ".coco/registry")).filter((name) => name.startsWith("machine-"));
    expect(machines).toEqual(before.filter((name) => name.startsWith("machine-")));
  });
});

describe.skipIf(process.platform === "win32")("a log with a second name", () => {
  it("[DIR-50] keeps its rights when it becomes a file of its own", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ws.close();
    const log = join(ws.root, ".coco/tasks", TASK, "events.jsonl");
    chmodSync(log, 0o664);
    linkSync(log, join(tempFolder(), "other"));
    await ok(openTemp({ root: ws.root }), "tasks_note", note("mine"));
    expect(statSync(log).mode & 0o777).toBe(0o664);
  });
});
