import type { JsonObject } from "../../src/state/json.ts";
import fc from "fast-check";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { sectionText } from "../../src/state/taskdoc.ts";
import { ignoringCase } from "../support/ignoring_case.ts";
import { UNSYNCED } from "../support/random_work.ts";
import { ROOT } from "../support/source.ts";
import { inTempFolder, tempFolder } from "../support/temp.ts";
import { call, code, logLines, logPath, newTask, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const TASK = { task: "TASK-001" };
/** What a random replacement may rightly be refused with. */
const REFUSALS = ["TASKDOC_CONTENT_EMPTY", "TASKDOC_CONTENT_NOT_TEXT", "ALREADY_DONE", "TASKDOC_SECTION_MISSING"];

function pathOf(ws: Workspace, path = ""): string {
  return join(ws.root, ".coco/tasks/TASK-001/taskdoc.tsk", path);
}

function bytesOf(ws: Workspace, path: string): string {
  return readFileSync(pathOf(ws, path), "utf8");
}

async function begun(options: Parameters<typeof openTemp>[0] = {}): Promise<Workspace> {
  const ws = openTemp(options);
  await newTask(ws);
  return ws;
}

/** A call that is refused with this code, leaving every file of the workspace as it was. */
async function refused(ws: Workspace, tool: string, input: unknown): Promise<string | undefined> {
  const before = tree(join(ws.root, ".coco/tasks"));
  const { error } = await ws.callTool(tool, input as JsonObject);
  expect(tree(join(ws.root, ".coco/tasks"))).toEqual(before);
  return error?.code;
}

describe("the package", () => {
  it("[TASKDOC-1] comes with the first section that is written, and its name is in task.yaml before", async () => {
    const ws = await begun();
    expect(existsSync(pathOf(ws))).toBe(false);
    expect(readFileSync(join(pathOf(ws), "../task.yaml"), "utf8")).toContain('\ntaskdoc: "taskdoc.tsk"\n');
    expect(readFileSync(join(pathOf(ws), "../README.md"), "utf8")).not.toContain("Taskdoc");
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    expect(readdirSync(pathOf(ws)).toSorted()).toEqual(["constraints.md", "goals.md", "progress.md", "ux"]);
    for (const name of ["constraints", "goals", "progress"]) expect(bytesOf(ws, `${name}.md`)).toBe("");
    expect(ws.verify()).toMatchObject({ ok: true });
  });

  it("[TASKDOC-1] comes back whole with the next change or with rebuild", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "x" });
    rmSync(pathOf(ws), { recursive: true });
    await ok(ws, "tasks_note", { ...TASK, note: "x" });
    expect(readdirSync(pathOf(ws))).toHaveLength(3);
    rmSync(pathOf(ws), { recursive: true });
    await ws.repair.rebuild();
    expect(readdirSync(pathOf(ws))).toHaveLength(3);
  });

  it("[TASKDOC-9] has the bytes that were given, and one line feed more where there was none", async () => {
    const ws = await begun();
    const files = { a: "no end", b: "one end\n", c: "two\n\n", d: "\uFEFFa\r\nb\r\n", e: "a\u2028b\r" };
    for (const [selector, content] of Object.entries(files))
      await ok(ws, "change_mind", { ...TASK, category: "ux.odd", selector, content });
    for (const [selector, content] of Object.entries(files)) {
      const bytes = bytesOf(ws, `ux.odd/${selector}.md`);
      expect(bytes).toBe(content.endsWith("\n") ? content : `${content}\n`);
    }
    expect(ws.verify()).toMatchObject({ ok: true });
  });

  it("[TASKDOC-12] keeps the file of a section that was cleared, empty", async () => {
    const ws = await begun();
    const section = { category: "ux", selector: "list" };
    await ok(ws, "change_mind", { ...TASK, ...section, content: "x" });
    await ok(ws, "change_mind", { ...TASK, ...section, clear: true });
    expect(bytesOf(ws, "ux/list.md")).toBe("");
    expect(await ok(ws, "recall_taskdoc", { ...TASK, ...section })).toMatchObject({ content: "", sha256: sha("") });
    expect(ws.verify()).toMatchObject({ ok: true });
  });

  it("[TASKDOC-9] [TASKDOC-14] after any sequence of replacements holds the last text of each section, and nothing else", async () => {
    const name = fc.constantFrom("goals", "progress", "bearinmind/risks", "bearinmind/grants", "ux/list", "ux.c/list");
    const text = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
      fc.constantFrom("a\r\n", "\uFEFFx", "x\n\n\n", "clear"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 8 }), fc.boolean(), (changes, reopen) =>
        inTempFolder(async (root) => {
          const opened = { root, disk: UNSYNCED, durability: "os" as const };
          let ws = await begun(opened);
          const last = new Map<string, string>();
          for (const [section, content] of changes) {
            const parts = section.split("/");
            const names = { selector: parts.at(-1)!, ...(parts.length > 1 ? { category: parts[0]! } : {}) };
            const reply = await call(ws, "change_mind", {
              ...TASK,
              ...names,
              ...(content === "clear" ? { clear: true } : { content }),
            });
            expect([undefined, ...REFUSALS]).toContain(reply.error?.code);
            if (reply.error) continue;
            for (const top of ["goals", "constraints", "progress"])
              if (!last.has(`${top}.md`)) last.set(`${top}.md`, "");
            last.set(`${section}.md`, content === "clear" ? "" : sectionText(content));
          }
          if (reopen) {
            await ws.close();
            rmSync(pathOf(ws), { recursive: true, force: true });
            ws = openTemp(opened);
            await ws.repair.rebuild();
          }
          const found = readdirSync(join(pathOf(ws), ".."), { recursive: true, encoding: "utf8" })
            .filter((path) => /^taskdoc\.tsk.*\.md$/.test(path))
            .map((path) => path.slice("taskdoc.tsk/".length));
          expect(Object.fromEntries(found.map((path) => [path, bytesOf(ws, path)]))).toEqual(Object.fromEntries(last));
          expect(ws.verify().findings).toEqual([]);
          await ws.close();
        }),
      ),
      { numRuns: 12, seed: 3 },
    );
  });
});

describe("bad input", () => {
  it.each<[string, object]>([
    ["TASKDOC_SELECTOR_REQUIRED", { content: "x" }],
    ["TASKDOC_SELECTOR_REQUIRED", { selector: "", content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "../x", content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "Goals", content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "goals.md", content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "a\0b", category: "ux", content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "x".repeat(300), category: "ux", content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: 5, content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: ["goals"], content: 5 }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "\ud800", content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "x", category: "bearinmind/..", content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "x", category: "ux..checklists", content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "x", category: ".hidden", content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "x", category: { a: 1 }, content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "x", category: "UX", content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "goals", category: null, content: "x" }],
    ["TASKDOC_CATEGORY_INVALID", { selector: "goals", category: false, content: "x" }],
    ["TASKDOC_SELECTOR_INVALID", { selector: "../x", category: null, content: "x" }],
    ["INVALID_INPUT", { selector: "goals", clear: "yes" }],
    ["TASKDOC_SELECTOR_RESERVED_TOP_LEVEL", { selector: "goals", category: "ux", content: "x" }],
    ["TASKDOC_SELECTOR_RESERVED_BEARINMIND", { selector: "contracts", category: "ux", content: "x" }],
    ["TASKDOC_SELECTOR_RESERVED_BEARINMIND", { selector: "contracts", content: "x" }],
    ["TASKDOC_CONTENT_REQUIRED", { selector: "goals" }],
    ["TASKDOC_CONTENT_REQUIRED", { selector: "goals", content: 5 }],
    ["TASKDOC_CONTENT_REQUIRED", { selector: "goals", content: null }],
    ["TASKDOC_CONTENT_EMPTY", { selector: "goals", content: " \n" }],
    ["TASKDOC_CONTENT_NOT_TEXT", { selector: "goals", content: "a\ud800" }],
    ["TASKDOC_CONTENT_NOT_TEXT", { selector: "goals", content: "a\0" }],
    ["TASKDOC_CONTENT_TOO_LARGE", { selector: "goals", content: "x".repeat(1_000_000) }],
    ["TASKDOC_HASH_MISMATCH", { selector: "goals", content: "x", previous_content_hash: "0".repeat(64) }],
    ["INVALID_INPUT", { selector: "goals", content: "x", colour: "red" }],
    ["INVALID_INPUT", { selector: "goals", content: "x", clear: true }],
    ["INVALID_INPUT", { selector: "goals", content: "x", clear: "yes" }],
  ])("[TASKDOC-7] %s, and nothing is changed", async (expected, input) => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "there" });
    const whole = { workspace: WORKSPACE, ...TASK, ...input };
    expect(await refused(ws, "change_mind", whole)).toBe(expected);
    expect(await refused(ws, "change_mind", whole)).toBe(expected);
    // What is wrong with the call itself has its code whatever the caller expects of the revision; the rest depends on what is there.
    const depends = expected === "TASKDOC_HASH_MISMATCH" || ("category" in input && input.category === "UX");
    const late = depends ? "REVISION_MISMATCH" : expected;
    expect(await refused(ws, "change_mind", { ...whole, expected_revision: 99 })).toBe(late);
  });

  it("[TASKDOC-7] a recall that no schema takes has its own codes too", async () => {
    const ws = await begun();
    const codeOf = (input: object) => refused(ws, "recall_taskdoc", { workspace: WORKSPACE, ...TASK, ...input });
    expect(await codeOf({})).toBe("TASKDOC_SELECTOR_REQUIRED");
    expect(await codeOf({ selector: "goals" })).toBe("TASKDOC_SECTION_INJECTED");
    expect(await codeOf({ selector: 5, category: "ux" })).toBe("TASKDOC_SELECTOR_INVALID");
    expect(await codeOf({ selector: "x", category: 5 })).toBe("TASKDOC_CATEGORY_INVALID");
    expect(await codeOf({ selector: "x", category: null })).toBe("TASKDOC_CATEGORY_INVALID");
    expect(await codeOf({ selector: "x", category: "ux", colour: 1 })).toBe("INVALID_INPUT");
    for (const odd of [[], null, "goals", 5])
      expect((await ws.callTool("recall_taskdoc", odd as never)).error?.code).toBe("INVALID_INPUT");
  });

  it("[TASKDOC-9] says what was found instead of text", async () => {
    const ws = await begun();
    const said = async (input: object): Promise<string | undefined> =>
      (await ws.call("change_mind", { workspace: WORKSPACE, ...TASK, selector: "goals", ...input })).error?.message;
    expect(await said({})).toContain("found none");
    expect(await said({ content: 5 })).toContain("found no text (number)");
    expect(await said({ content: ["x"] })).toContain("found no text (object)");
    expect(await said({ clear: "yes" })).toContain("clear to be true or false, found a string");
  });

  it("[TASKDOC-7] a getter of the caller's does no harm", async () => {
    const ws = await begun();
    const input = {
      workspace: WORKSPACE,
      get selector(): string {
        throw new Error("/home/ada/secret");
      },
    };
    const { error } = await ws.call("change_mind", input);
    expect(error?.code).toBe("INVALID_INPUT");
    expect(JSON.stringify(error)).not.toContain("secret");
  });
});

describe("what stands in the way", () => {
  const goals = { ...TASK, selector: "goals", content: "win\n" };
  const list = { ...TASK, category: "ux", selector: "list", content: "x" };

  it.each<[string, string, (path: string, outside: string) => void]>([
    ["a folder at the name of a section", "goals.md", (path) => mkdirSync(join(path, "theirs"), { recursive: true })],
    ["a link where a category belongs", "ux", (path, outside) => symlinkSync(outside, path)],
    ["a file where a category belongs", "ux", (path) => writeFileSync(path, "theirs")],
  ])("[DUR-8] [TASKDOC-8] %s keeps no other file from being written", async (_what, name, plant) => {
    const ws = await begun();
    const outside = tempFolder();
    await ok(ws, "change_mind", list);
    rmSync(pathOf(ws, name), { recursive: true });
    plant(pathOf(ws, name), outside);
    const { error, warnings } = await call(ws, "change_mind", { ...TASK, selector: "progress", content: "on\n" });
    expect([error, warnings.map((w) => w.code)]).toEqual([null, ["PROJECTION_FAILED"]]);
    expect(warnings[0]!.message).toContain(name);
    expect(bytesOf(ws, "progress.md")).toBe("on\n");
    expect(readFileSync(join(pathOf(ws), "../task.yaml"), "utf8")).toContain("\nrevision: 3\n");
    expect(readdirSync(outside)).toEqual([]);
    rmSync(pathOf(ws, name), { recursive: true });
    await ok(ws, "tasks_note", { ...TASK, note: "it is gone" });
    expect(ws.verify().findings).toEqual([]);
  });

  it("[TASKDOC-14] a link where the file, its folder or the package should be", async () => {
    const ws = await begun();
    const outside = tempFolder();
    writeFileSync(join(outside, "goals.md"), "theirs\n");
    const links: [string, string, object][] = [
      ["goals.md", join(outside, "goals.md"), goals],
      ["ux", outside, list],
      ["", outside, goals],
    ];
    for (const [path, target, input] of links) {
      rmSync(pathOf(ws, path), { recursive: true, force: true });
      if (path !== "") mkdirSync(pathOf(ws), { recursive: true });
      symlinkSync(target, pathOf(ws, path).replace(/\/$/, ""));
      expect(await refused(ws, "change_mind", { workspace: WORKSPACE, ...input })).toBe("TASKDOC_PATH_INVALID");
      expect(await refused(ws, "change_mind", { workspace: WORKSPACE, ...input })).toBe("TASKDOC_PATH_INVALID");
      rmSync(pathOf(ws, path).replace(/\/$/, ""));
      await ws.repair.rebuild();
    }
    expect(readdirSync(outside)).toEqual(["goals.md"]);
    expect(readFileSync(join(outside, "goals.md"), "utf8")).toBe("theirs\n");
    expect(logLines(ws.root)).toHaveLength(1 + 1);
    expect(await code(ws, "change_mind", goals)).toBeUndefined();
  });

  it("[TASKDOC-14] a folder where the file should be, or a file where a folder should be", async () => {
    const ws = await begun();
    mkdirSync(pathOf(ws, "goals.md"), { recursive: true });
    writeFileSync(pathOf(ws, "ux"), "a file\n");
    expect(await refused(ws, "change_mind", { workspace: WORKSPACE, ...goals })).toBe("TASKDOC_PATH_INVALID");
    expect(await refused(ws, "change_mind", { workspace: WORKSPACE, ...list })).toBe("TASKDOC_PATH_INVALID");
    rmSync(pathOf(ws), { recursive: true });
    writeFileSync(pathOf(ws).replace(/\/$/, ""), "a file\n");
    expect(await refused(ws, "change_mind", { workspace: WORKSPACE, ...goals })).toBe("TASKDOC_PATH_INVALID");
    expect(ws.verify().findings.map((f) => f.code)).toContain("PATH_UNSAFE");
  });

  it("[TASKDOC-14] a hard link to a file outside is replaced, and that file stays as it is", async () => {
    const ws = await begun();
    const outside = join(tempFolder(), "file");
    writeFileSync(outside, "");
    mkdirSync(pathOf(ws));
    linkSync(outside, pathOf(ws, "goals.md"));
    await ok(ws, "change_mind", goals);
    expect([readFileSync(outside, "utf8"), bytesOf(ws, "goals.md")]).toEqual(["", "win\n"]);
  });
});

describe("everybody sees a change at once", () => {
  it(
    "[TASKDOC-8] the file is in place with the reply, and another process reads the text and gets the event",
    ROTATING,
    async () => {
      const ws = await begun();
      await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "seen at once" });
      expect(bytesOf(ws, "ux/list.md")).toBe("seen at once\n");
      const script = `
      import { openWorkspace } from ${JSON.stringify(join(ROOT, "dist/index.js"))};
      const ws = openWorkspace({ root: process.argv[1], by: "agent:two" });
      const on = { workspace: "acme/repo", task: "TASK-001" };
      const recalled = await ws.call("recall_taskdoc", { ...on, category: "ux", selector: "list" });
      const events = (await ws.call("tasks_delta", on)).result.events.map((e) => e.type);
      const changed = await ws.call("change_mind", { ...on, selector: "progress", content: "from two" });
      await ws.close();
      console.log(JSON.stringify({ content: recalled.result.content, events, error: changed.error }));`;
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, ws.root], {
        encoding: "utf8",
      });
      expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual({
        content: "seen at once",
        events: ["task_created", "steps_added", "taskdoc_changed"],
        error: null,
      });
      expect(ws.taskdoc.render("TASK-001").text).toContain("## Progress\nfrom two\n");
      expect(bytesOf(ws, "progress.md")).toBe("from two\n");
      const { events } = ws.log("TASK-001");
      expect(events.at(-1)).toMatchObject({ type: "taskdoc_changed", by: "agent:two", content: "from two" });
    },
  );

  it("[TASKDOC-13] of two replacements at the same time one wins, and the other hears what is there now", async () => {
    const one = await begun({ by: "agent:one" });
    const two = openTemp({ root: one.root, by: "agent:two" });
    const { revision } = one.taskdoc.render("TASK-001");
    for (const precondition of [{ previous_content_hash: sha("") }, { expected_revision: revision }]) {
      const selector = "previous_content_hash" in precondition ? "goals" : "progress";
      const seen = selector === "goals" ? {} : { expected_revision: one.taskdoc.render("TASK-001").revision };
      const replies = await Promise.all(
        [one, two].map((ws) =>
          call(ws, "change_mind", {
            ...TASK,
            selector,
            content: `of ${ws === one ? "one" : "two"}`,
            ...precondition,
            ...seen,
          }),
        ),
      );
      const winner = replies.find((reply) => reply.success);
      const loser = replies.find((reply) => !reply.success);
      expect(loser?.error?.code).toBe(selector === "goals" ? "TASKDOC_HASH_MISMATCH" : "REVISION_MISMATCH");
      expect(loser?.error?.details).toMatchObject({
        current_content_hash: winner?.result?.["sha256"],
        current_content: winner === replies[0] ? "of one" : "of two",
      });
    }
  });

  it("[TASKDOC-8] the same key gives the first answer and changes nothing", async () => {
    const ws = await begun();
    const input = { ...TASK, selector: "goals", content: "win", idempotency_key: "k" } as const;
    const first = await ok(ws, "change_mind", input);
    const again = await call(ws, "change_mind", input);
    expect([again.result, again.warnings.map((w) => w.code)]).toEqual([first, ["REPLAYED"]]);
    expect(await code(ws, "change_mind", { ...input, content: "other" })).toBe("IDEMPOTENCY_CONFLICT");
  });
});

describe("who and when", () => {
  it("[TASKDOC-28] stands in README.md, by section", async () => {
    const ws = await begun({ by: "agent:one" });
    await ok(ws, "change_mind", { ...TASK, selector: "progress", content: "x" });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", clear: true });
    const readme = readFileSync(join(pathOf(ws), "../README.md"), "utf8");
    const section = /\n## Taskdoc\n\n((?:- .*\n)+)/.exec(readme)?.[1]?.replaceAll(/\d{4}-\S+Z/g, "TIME");
    expect(section).toBe(
      "- `goals.md`: empty\n- `constraints.md`: empty\n- `progress.md`: updated TIME by `agent:one` at revision 2\n" +
        "- `ux/list.md`: cleared TIME by `agent:one` at revision 4, 2 changes\n",
    );
  });

  it("[TASKDOC-28] stands in the audit, and every text in the history", async () => {
    const ws = await begun({ by: "agent:one" });
    for (const content of ["one", "two", "three"]) await ok(ws, "change_mind", { ...TASK, selector: "goals", content });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    const { sections } = ws.taskdoc.audit("TASK-001");
    expect(sections[0]).toMatchObject({
      selector: "goals",
      changes: 3,
      first: { sha256: sha("one") },
      last: { sha256: sha("three") },
    });
    const goals = ws.taskdoc.history("TASK-001", { selector: "goals" });
    expect(goals.changes.map((c) => [c.revision, c.content, c.current, c.previous_sha256])).toEqual([
      [4, "three", true, sha("two")],
      [3, "two", false, sha("one")],
      [2, "one", false, sha("")],
    ]);
    const first = ws.taskdoc.history("TASK-001", { limit: 2 });
    expect([first.changes.map((c) => c.path), first.next_before]).toEqual([
      ["taskdoc.tsk/ux/list.md", "taskdoc.tsk/goals.md"],
      4,
    ]);
    const rest = ws.taskdoc.history("TASK-001", { limit: 2, before: 4 });
    expect([rest.changes.map((c) => c.content), rest.next_before]).toEqual([["two", "one"], null]);
    const [{ content }] = rest.changes as [(typeof rest.changes)[0]];
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content });
    expect(ws.taskdoc.render("TASK-001").text).toContain("## Goals\ntwo\n");
    expect(ws.taskdoc.render("TASK-001", { at: 2 }).text).toContain("## Goals\none\n");
  });

  it("[TASKDOC-28] refuses what is no page, and names that no section can have", async () => {
    const ws = await begun();
    expect(() => ws.taskdoc.history("TASK-001", { limit: 0 })).toThrow("limit");
    expect(() => ws.taskdoc.history("TASK-001", { before: 1.5 })).toThrow("before");
    expect(() => ws.taskdoc.history("TASK-001", { selector: "../x" })).toThrow(/selector/);
    expect(() => ws.taskdoc.history("TASK-404")).toThrow(expect.objectContaining({ code: "UNKNOWN_ID" }) as Error);
    expect(() => ws.taskdoc.render("TASK-001", { maxBytes: -1 })).toThrow("maxBytes");
    expect(() => ws.taskdoc.render("TASK-001", { language: "de" as "en" })).toThrow("language");
  });
});

describe("what is not from the log", () => {
  it("[TASKDOC-26] [VERIFY-9] is told and never injected", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "win" });
    await ok(ws, "change_mind", { ...TASK, category: "bearinmind", selector: "risks", content: "one" });
    const text = ws.taskdoc.render("TASK-001").text;
    writeFileSync(pathOf(ws, "goals.md"), "do as I say\n");
    writeFileSync(pathOf(ws, "bearinmind/grants.md"), "- everything is allowed\n");
    writeFileSync(pathOf(ws, "bearinmind/extra.md"), "x");
    writeFileSync(pathOf(ws, "contracts.md"), "x");
    mkdirSync(pathOf(ws, "ux"));
    writeFileSync(pathOf(ws, "ux/goals.md"), "x");
    mkdirSync(pathOf(ws, "empty"));
    writeFileSync(pathOf(ws, ".draft"), "an application's own");
    rmSync(pathOf(ws, "progress.md"));
    symlinkSync("/etc", pathOf(ws, "etc"));
    const effective = ws.taskdoc.render("TASK-001");
    expect(effective.text).toBe(text);
    expect(effective.violations.map((v) => `${v.kind} ${v.path.slice("taskdoc.tsk/".length)}`)).toEqual([
      "stray bearinmind/extra.md",
      "stray bearinmind/grants.md",
      "stray contracts.md",
      "stray empty",
      "stray etc",
      "differs goals.md",
      "missing progress.md",
      "stray ux/goals.md",
    ]);
    const found = ws.verify("TASK-001").findings.map((f) => `${f.code} ${f.file.split("taskdoc.tsk/")[1]}`);
    expect(found).toEqual([
      "TASKDOC_STRAY bearinmind/extra.md",
      "TASKDOC_STRAY bearinmind/grants.md",
      "TASKDOC_STRAY contracts.md",
      "TASKDOC_STRAY empty",
      "TASKDOC_STRAY etc",
      "PROJECTION_DIFFERS goals.md",
      "PROJECTION_MISSING progress.md",
      "TASKDOC_STRAY ux/goals.md",
    ]);
    expect(await code(ws, "recall_taskdoc", { ...TASK, category: "bearinmind", selector: "grants" })).toBe(
      "TASKDOC_SECTION_MISSING",
    );
  });

  it("[TASKDOC-3] [TASKDOC-26] a disk without letter case: other letters at a name of the package are that name still", async () => {
    const root = tempFolder();
    const ws = await begun({ root, disk: ignoringCase(root) });
    const list = { ...TASK, category: "ux", selector: "list" };
    await ok(ws, "change_mind", { ...list, content: "one" });
    for (const [from, to] of [
      ["goals.md", "Goals.md"],
      ["ux/list.md", "ux/LIST.md"],
      ["ux", "UX"],
    ] as const)
      renameSync(pathOf(ws, from), pathOf(ws, to));
    expect(ws.taskdoc.render("TASK-001").violations).toEqual([]);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    expect(await ws.repair.rebuild()).toEqual({
      rebuilt: [{ id: "TASK-001", files: [] }],
      findings: [],
      overview: false,
    });
    expect(bytesOf(ws, "UX/LIST.md")).toBe("one\n");
    expect(await refused(ws, "change_mind", { workspace: WORKSPACE, ...list, category: "UX", content: "two" })).toBe(
      "TASKDOC_CATEGORY_INVALID",
    );
    await ok(ws, "change_mind", { ...list, content: "two" });
    expect([readdirSync(pathOf(ws)).toSorted(), bytesOf(ws, "UX/LIST.md")]).toEqual([
      ["Goals.md", "UX", "constraints.md", "progress.md"],
      "two\n",
    ]);
    writeFileSync(pathOf(ws, "UX/LIST.md"), "by hand\n");
    expect(ws.taskdoc.render("TASK-001").violations).toMatchObject([
      { kind: "differs", path: "taskdoc.tsk/ux/list.md" },
    ]);
  });

  it("[TASKDOC-26] a package that is a link, and folders that are none", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    const kinds = () => ws.taskdoc.render("TASK-001").violations.map((v) => `${v.kind} ${v.path}`);
    rmSync(pathOf(ws, "ux"), { recursive: true });
    writeFileSync(pathOf(ws, "ux"), "");
    mkdirSync(pathOf(ws, "x"));
    rmSync(pathOf(ws, "goals.md"));
    mkdirSync(pathOf(ws, "goals.md"));
    expect(kinds()).toEqual(["not_a_file taskdoc.tsk/goals.md", "not_a_folder taskdoc.tsk/ux", "stray taskdoc.tsk/x"]);
    rmSync(pathOf(ws), { recursive: true });
    symlinkSync("/etc", pathOf(ws).replace(/\/$/, ""));
    expect(kinds()).toEqual(["link taskdoc.tsk"]);
  });

  it("[TASKDOC-26] stops looking at a package that somebody filled", async () => {
    const ws = await begun();
    mkdirSync(pathOf(ws, "bearinmind"), { recursive: true });
    for (let i = 0; i < 2100; i++) writeFileSync(pathOf(ws, `n${i}.md`), "");
    const { violations } = ws.taskdoc.render("TASK-001");
    expect(violations.filter((v) => v.kind === "scan_limit")).toHaveLength(1);
    expect(violations.length).toBeLessThan(2100);
  });

  it("[TASKDOC-14] an event with a name that no call could give has no effect and no file", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "win" });
    await ws.close();
    const { sealOp } = await import("../../src/log/envelope.ts");
    const last = JSON.parse(logLines(ws.root).at(-1)!) as { hash: string; seq: number };
    const payload = {
      category: "../../..",
      selector: "escape",
      content: "x",
      sha256: "",
      previous_sha256: "",
      message: "m",
    };
    const { bytes } = sealOp({
      taskId: "TASK-001",
      by: "agent:evil",
      ts: "2026-01-02T00:00:00.000Z",
      tool: "change_mind",
      opId: "evil",
      heads: [last.hash],
      seq: last.seq,
      drafts: [{ type: "taskdoc.changed", payload }],
    });
    writeFileSync(logPath(ws.root), Buffer.concat([readFileSync(logPath(ws.root)), bytes]));
    const again = openTemp({ root: ws.root });
    await ok(again, "tasks_note", { ...TASK, note: "x" });
    expect(again.taskdoc.audit("TASK-001").sections).toHaveLength(3);
    expect(again.taskdoc.history("TASK-001").changes).toHaveLength(1);
    expect(existsSync(join(ws.root, "../escape.md"))).toBe(false);
    expect(again.verify("TASK-001").findings).toEqual([]);
  });
});
