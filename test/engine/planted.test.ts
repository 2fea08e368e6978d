/** Folders that an attacker committed: what they plant in `.coco` leads nowhere, is not believed, and stops nothing else. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { machinePath } from "../support/machine.ts";
import { tempFolder } from "../support/temp.ts";
import { busyWorkspace, makePipe, OUTSIDE_FILES, outsideFolder } from "../support/planted.ts";
import { call, code, logLines, logPath, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

const TASK = "TASK-001";
const note = (text: string) => ({ task: TASK, note: text });

const digest = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("base64url");

/** A closed workspace with one task, and a folder outside of it whose files must stay as they are. */
async function ready(): Promise<{
  root: string;
  out: string;
  path: (...names: string[]) => string;
  intact: () => void;
}> {
  const root = await busyWorkspace();
  const out = outsideFolder();
  const before = tree(out);
  return {
    root,
    out,
    path: (...names) => join(root, ".coco", ...names),
    intact: () => expect(tree(out)).toEqual(before),
  };
}

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function link(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

const quarantined = (root: string): string[] => {
  const folder = join(root, ".coco/registry/quarantine");
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
};

const warnings = async (ws: Workspace): Promise<string[]> =>
  (await call(ws, "tasks_note", note("after"))).warnings.map((w) => w.code);

describe("a folder of doubtful bytes", () => {
  it("[DIR-56] that is a link out of the root: no file behind it is read, appended or removed", async () => {
    const { root, out, path, intact } = await ready();
    link(out, path("registry/unsynced", TASK));
    expect(await warnings(openTemp({ root }))).toEqual(["SET_ASIDE"]);
    intact();
    expect(logLines(root).join("\n")).not.toContain(OUTSIDE_FILES.secret);
    expect(notesOf(root)).toContain("after");
    expect(quarantined(root)).toHaveLength(1);
  });

  it("[DIR-56] with links, pipes, junk and foreign names in it: none of it reaches the log", async () => {
    const { root, out, path, intact } = await ready();
    const folder = path("registry/unsynced", TASK);
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(out, "secret"), join(folder, "x"));
    symlinkSync("/dev/zero", join(folder, "zero"));
    makePipe(join(folder, "pipe"));
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, digest("no line\n")), "no line\n");
    const line = `${logLines(root)[0]!}\n`;
    writeFileSync(join(folder, "misnamed"), line);
    writeFileSync(join(folder, digest(line.trim())), line.trim());
    writeFileSync(join(folder, "sparse"), "");
    truncateSync(join(folder, "sparse"), 2 ** 30);
    const before = readFileSync(logPath(root), "utf8");
    const ws = openTemp({ root });
    expect(new Set(await warnings(ws))).toEqual(new Set(["SET_ASIDE"]));
    intact();
    expect(readFileSync(logPath(root), "utf8").startsWith(before)).toBe(true);
    expect(logLines(root).filter((one) => one.includes("no line"))).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    expect(quarantined(root)).toHaveLength(8);
    expect(await warnings(ws)).toEqual([]);
  });

  it("[DIR-56] whole lines of ours under the digest of their bytes are appended", async () => {
    const { root, path } = await ready();
    const lines = logLines(root);
    const last = `${lines.at(-1)!}\n`;
    writeFileSync(logPath(root), readFileSync(logPath(root)).subarray(0, -Buffer.byteLength(last)));
    put(path("registry/unsynced", TASK, digest(last)), last);
    expect(await warnings(openTemp({ root }))).toEqual([]);
    expect(logLines(root).slice(0, lines.length)).toEqual(lines);
  });
});

describe("temporary files", () => {
  it("[regression DIR-55] names that could be guessed before lead nowhere", async () => {
    const { root, out, path, intact } = await ready();
    const folder = path("tasks", TASK, "taskdoc.tsk");
    const pids = new Set([...Array.from({ length: 3000 }, (_, pid) => pid), process.pid]);
    for (const pid of pids) symlinkSync(join(out, "secret"), join(folder, `.tf-tmp-${pid}-goals.md`));
    rmSync(join(folder, "goals.md"));
    const ws = openTemp({ root });
    await ws.repair.rebuild();
    expect(existsSync(join(folder, "goals.md"))).toBe(true);
    intact();
  });
});

describe("a journal that was planted", () => {
  const line = (root: string): string => `${logLines(root)[0]!}\n`;
  const journal = (parts: unknown, body: string): string =>
    `${JSON.stringify({ v: 1, parts, sha256: digest(body) })}\n${body}`;

  it.each([
    ["../../../out/evil", true],
    ["../../../out/evil", false],
    ["/etc/evil", true],
    ["CON", true],
    ["TASK-001", false],
  ])(
    "[DIR-56] an id that climbs, or lines without a transaction (%s, made %s): nothing is written",
    async (id, made) => {
      const { root, path, intact } = await ready();
      const body = line(root);
      const hash = (JSON.parse(body) as { hash: string }).hash;
      const parts = [{ id, made, prev: [], ops: [{ hash, bytes: Buffer.byteLength(body) }] }];
      put(path("registry/journal/evil"), journal(parts, body));
      const before = readdirSync(path("tasks"));
      const ws = openTemp({ root });
      expect((await call(ws, "tasks_context", {})).success).toBe(true);
      expect(await warnings(ws)).toEqual(["SET_ASIDE"]);
      expect(readdirSync(path("tasks"))).toEqual(before);
      expect(readdirSync(path("registry/journal"))).toEqual([]);
      intact();
    },
  );

  const MALFORMED: [string, (body: string) => string | Buffer][] = [
    ["no line", () => ""],
    ["no JSON", () => "{\n"],
    ["null", () => "null\n"],
    ["parts that are no list", () => journal(7, "")],
    ["parts of null", () => journal([null], "")],
    ["a part of text", () => journal(["x"], "")],
    ["a part without ops", () => journal([{ id: TASK, made: false, prev: [] }], "")],
    ["ops of null", () => journal([{ id: TASK, made: false, prev: [], ops: [null] }], "")],
    ["no ops", () => journal([{ id: TASK, made: true, prev: [], ops: [] }], "")],
    [
      "heads that are no hashes",
      (b) => journal([{ id: TASK, made: false, prev: [7], ops: [{ hash: "x", bytes: 1 }] }], b),
    ],
    [
      "negative lengths",
      (b) => journal([{ id: TASK, made: false, prev: [], ops: [{ hash: "x".repeat(43), bytes: -1 }] }], b),
    ],
    [
      "lengths beyond the end",
      (b) => journal([{ id: TASK, made: false, prev: [], ops: [{ hash: "x".repeat(43), bytes: 1e9 }] }], b),
    ],
    ["no text", () => Buffer.from([0xff, 0xfe, 0x0a, 0x00])],
  ];
  it.each(MALFORMED)("[DIR-56] a header with %s stops neither reads nor writes", async (_what, text) => {
    const { root, path } = await ready();
    put(path("registry/journal/odd"), text(line(root)));
    const ws = openTemp({ root });
    expect((await call(ws, "tasks_context", {})).error).toBeNull();
    expect((await call(ws, "tasks_radar", { task: TASK })).error).toBeNull();
    expect(await warnings(ws)).toEqual(["SET_ASIDE"]);
    expect(ws.verify().findings.map((f) => f.code)).toContain("TXN_SET_ASIDE");
  });

  it.each(["link to /dev/zero", "link out", "pipe", "folder", "sparse file"])(
    "[DIR-56] an entry that is a %s is neither read nor waited for",
    async (what) => {
      const { root, out, path, intact } = await ready();
      const entry = path("registry/journal/x");
      mkdirSync(dirname(entry), { recursive: true });
      if (what === "pipe") makePipe(entry);
      else if (what === "folder") mkdirSync(entry);
      else if (what === "sparse file") {
        writeFileSync(entry, "");
        truncateSync(entry, 2 ** 30);
      } else symlinkSync(what === "link out" ? join(out, "secret") : "/dev/zero", entry);
      const ws = openTemp({ root });
      expect((await call(ws, "tasks_context", {})).error).toBeNull();
      expect(await warnings(ws)).toEqual(["SET_ASIDE"]);
      intact();
    },
  );

  it("[DIR-50] the journal itself as a link: rebuild and changes leave what lies behind it alone", async () => {
    const { root, out, path, intact } = await ready();
    link(out, path("registry/journal"));
    const ws = openTemp({ root });
    await ws.repair.rebuild();
    expect(await warnings(ws)).toEqual([]);
    expect(ws.verify().findings).toContainEqual(
      expect.objectContaining({ code: "PATH_UNSAFE", file: ".coco/registry/journal" }),
    );
    const macro = { task: TASK, path: "s:0", reason: "r" };
    await newTask(ws, "TASK-002");
    const operations = [
      { tool: "tasks_block", args: macro },
      { tool: "tasks_block", args: { ...macro, task: "TASK-002" } },
    ];
    expect(await code(ws, "tasks_batch", { atomic: true, operations } as never)).toBe("PATH_UNSAFE");
    intact();
  });
});

describe("locks that were planted", () => {
  it("[DIR-50] a lock's folder that is a link: no file behind it is moved", async () => {
    const { root, out, path, intact } = await ready();
    put(path("locks/kind"), "lockfile\n");
    link(out, path("locks", `${TASK}.lock.d`));
    const ws = openTemp({ root, lockTimeoutMs: 200 });
    expect(["PATH_UNSAFE", "LOCK_TIMEOUT"]).toContain(await code(ws, "tasks_note", note("x")));
    intact();
  });

  it.each(["/dev/zero", "secret"])("[DIR-50] an owner's file that is a link to %s is no owner", async (target) => {
    const { root, out, path, intact } = await ready();
    put(path("locks/kind"), "lockfile\n");
    link(target === "secret" ? join(out, target) : target, path("locks", `${TASK}.lock.d/owner-x`));
    const ws = openTemp({ root, now: () => Date.now() + 5000 });
    expect(await code(ws, "tasks_note", note("x"))).toBeUndefined();
    intact();
  });

  it("[DUR-24] an owner whose file is of the future holds nothing up", async () => {
    const { root, path } = await ready();
    put(path("locks/kind"), "lockfile\n");
    const owner = path("locks", `${TASK}.lock.d/owner-0`);
    put(owner, JSON.stringify({ token: "0", pid: 1, host: "elsewhere", started: "", since: 4e12 }));
    const future = new Date("2096-01-01");
    utimesSync(owner, future, future);
    expect(await code(openTemp({ root, now: Date.now }), "tasks_note", note("x"))).toBeUndefined();
  });
});

describe("what is kept for speed", () => {
  it("[DIR-54] in the place where every machine would look, is not looked at", async () => {
    const { root, out, path, intact } = await ready();
    link(join(out, "secret"), path("registry/index/creates.jsonl"));
    link("/dev/zero", path("registry/dirty/left-x"));
    for (const part of ["focus", "cursors", "snapshots", "exchange"]) link(out, path("registry", part));
    const ws = openTemp({ root });
    expect(await code(ws, "tasks_create", { kind: "task", title: "New", idempotency_key: "k" })).toBeUndefined();
    expect(await code(ws, "tasks_focus_set", { task: TASK })).toBeUndefined();
    expect(await warnings(ws)).toEqual([]);
    await ws.close();
    intact();
  });

  it("[DIR-54] is another folder for a copy of the root, and is shared by two that open the same", async () => {
    const { root } = await ready();
    const ws = openTemp({ root });
    await ok(ws, "tasks_focus_set", { task: TASK });
    expect(await ok(openTemp({ root }), "tasks_focus_get", {})).toMatchObject({ focus: TASK });
    const copy = join(tempFolder(), "copy");
    cpSync(root, copy, { recursive: true });
    expect((await ok(openTemp({ root: copy }), "tasks_focus_get", {}))["focus"]).toBeNull();
    expect(machinePath(copy)).not.toBe(join(copy, ".coco", "registry", machinePath(root).split("/").at(-1)!));
  });

  it.each(["focus", "cursors", "dirty", "index"])(
    "[LIMIT-1] links to /dev/zero, pipes and sparse files among the %s are as good as none",
    async (part) => {
      const { root } = await ready();
      const ws = openTemp({ root });
      await ok(ws, "tasks_focus_set", { task: TASK });
      const cursor = (await ok(ws, "tasks_delta", { read_only: false }))["cursor"] as string;
      await ok(ws, "tasks_create", { kind: "task", title: "New", idempotency_key: "k" });
      await ws.close();
      const folder = machinePath(root, part);
      mkdirSync(folder, { recursive: true });
      const names = [...readdirSync(folder), "left-planted"];
      for (const plant of ["zero", "pipe", "sparse"] as const) {
        for (const name of names) {
          const path = join(folder, name);
          rmSync(path, { recursive: true, force: true });
          if (plant === "zero") symlinkSync("/dev/zero", path);
          else if (plant === "pipe") makePipe(path);
          else {
            writeFileSync(path, "");
            truncateSync(path, 2 ** 30);
          }
        }
        const again = openTemp({ root });
        expect((await call(again, "tasks_focus_get", {})).error).toBeNull();
        expect([undefined, "CURSOR_EXPIRED"]).toContain(await code(again, "tasks_delta", { since: cursor }));
        const created = { kind: "task" as const, title: "New", idempotency_key: `k ${plant}` };
        expect(await code(again, "tasks_create", created)).toBeUndefined();
        await again.close();
      }
    },
  );

  it("[DELTA-3] a cursor's file with the right digest and other content has expired", async () => {
    const { root } = await ready();
    const ws = openTemp({ root });
    for (const text of [
      "null",
      "[1]",
      "[1,7]",
      "[1,[null]]",
      '[1,[["r",null,null]]]',
      '[1,[["r",["h"],-1]]]',
      "[2,[]]",
    ]) {
      const token = digest(text).slice(0, 22);
      put(machinePath(root, "cursors", `${token}.json`), text);
      expect(await code(ws, "tasks_delta", { since: token })).toBe("CURSOR_EXPIRED");
    }
  });
});

describe("one odd entry", () => {
  const ODD: Record<string, (path: string, out: string) => void> = {
    "a plain file": (path) => writeFileSync(path, "x"),
    "a link to a folder": (path, out) => symlinkSync(out, path),
    "a dangling link": (path) => symlinkSync("nowhere", path),
    "a loop": (path) => symlinkSync(path, path),
    "a pipe": (path) => makePipe(path),
    "a folder with a pipe for a log": (path) => {
      mkdirSync(path);
      makePipe(join(path, "events.jsonl"));
    },
    "a folder with a folder for a log": (path) => mkdirSync(join(path, "events.jsonl"), { recursive: true }),
    "a folder with a link for a log": (path, out) => {
      mkdirSync(path);
      symlinkSync(join(out, "secret"), join(path, "events.jsonl"));
    },
    "a folder that may not be read": (path) => {
      mkdirSync(path);
      writeFileSync(join(path, "events.jsonl"), "");
      chmodSync(path, 0);
    },
  };
  it.each(
    Object.keys(ODD).flatMap((what) => [
      [what, "tasks"],
      [what, "archive"],
    ]),
  )("[VERIFY-60] %s in %s/ is a finding at most, and everything else goes on", async (what, part) => {
    const { root, out, path, intact } = await ready();
    mkdirSync(path(part!), { recursive: true });
    const odd = path(part!, "odd");
    ODD[what!]!(odd, out);
    const ws = openTemp({ root });
    const { findings } = ws.verify();
    for (const one of findings) expect(one.file).toContain(`${part}/odd`);
    expect((await ws.repair.rebuild()).rebuilt.map(({ id }) => id)).toContain(TASK);
    await ws.repair.resolve();
    const created = await call(ws, "tasks_create", { kind: "task", title: "New", idempotency_key: "k" });
    expect(created.error).toBeNull();
    expect(await code(ws, "tasks_note", note("x"))).toBeUndefined();
    expect((await call(ws, "tasks_context", {})).error).toBeNull();
    expect((await call(ws, "tasks_delta", {})).error).toBeNull();
    const own = await call(ws, "tasks_radar", { task: "odd" });
    expect(own.error?.code).not.toBe("INTERNAL");
    if (existsSync(odd) && what!.includes("may not")) chmodSync(odd, 0o755);
    intact();
  });
});
