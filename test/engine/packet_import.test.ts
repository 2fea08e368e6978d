import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openWorkspace } from "../support/open.ts";
import { isTaskfoldError } from "../../src/errors.ts";
import { machinePath } from "../support/machine.ts";
import { reviewed, runStage } from "../support/packet_work.ts";
import { tempFolder } from "../support/temp.ts";
import { call, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";

const ID = "20260218-001";
const SIGNATURE = "sig:44d393d864ff24ba";

const MANIFEST = `task_id: ${ID}
goal: Read the config once
routing: {intent: safe_impl}
scope: {allow: [src/], deny: []}
acceptance: {commands: ["npm test"], criteria: [it is read once]}
budgets: {retry_budget: 2, paid_call_budget: 8, max_wallclock_sec: 60}
context: {digest_policy: off}
security: {redaction_patterns: ["internal-[0-9]+"]}
`;

/** The folder as another program leaves it after the brief. */
const FOLDER: Record<string, string> = {
  "manifest.yaml": MANIFEST,
  "inputs/user_request.md": "Read it once, see internal-7.\n",
  "inputs/context_pack.md": "## 0. Goal\n\nRead it once.\n",
  "inputs/attachments/notes.md": "notes\n",
  "outputs/gemini_brief.gemini.out": "## Summary\n\ninternal-8\n",
  "outputs/gemini_brief.gemini.meta.json": JSON.stringify({
    stage: "gemini_brief",
    tool: "gemini",
    exit_code: 0,
    start: "2026-02-18T12:00:00Z",
    end: "2026-02-18T12:01:30Z",
    duration_sec: 90,
    prompt_sha256: "a".repeat(64),
  }),
  "outputs/_summary.md": "old\n",
  "done/gemini_brief.done": "2026-02-18T12:01:31Z\n",
  "state/stats.json": JSON.stringify({
    paid_calls_used: 3,
    stages_completed: ["gemini_brief"],
    signatures: {
      [SIGNATURE]: {
        count: 1,
        class: "transient",
        first_seen: "2026-02-18T12:00:00Z",
        last_seen: "2026-02-18T12:00:00Z",
      },
    },
  }),
  "state/acceptance.commands.override": "npm run check\n",
};

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function foreign(change: Record<string, string> = {}): string {
  const folder = tempFolder();
  write(folder, { ...FOLDER, ...change });
  return folder;
}

async function open(): Promise<Workspace> {
  const ws = openTemp();
  await ws.init(WORKSPACE);
  return ws;
}

async function refusal(work: Promise<unknown>): Promise<{ code: string; details: Record<string, unknown> }> {
  const e = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isTaskfoldError(e)) throw new Error(`expected a refusal, found ${String(e)}`);
  return { code: e.code, details: e.details ?? {} };
}

function textAt(ws: Workspace, path: string, id = ID): string {
  return readFileSync(join(ws.root, ".coco/tasks", id, path), "utf8");
}

describe("a packet's folder of another program", () => {
  it("[PACKET-190] [PACKET-193] is taken in by one op, and its budgets go on", async () => {
    const ws = await open();
    const report = await ws.packets.import(foreign());
    expect(report).toMatchObject({
      task: ID,
      created: true,
      changed: true,
      took: {
        manifest: true,
        inputs: ["inputs/user_request.md", "inputs/context_pack.md", "inputs/attachments/notes.md"],
        stages: [{ stage: "gemini_brief", done_at: "2026-02-18T12:01:31.000Z", ran: true }],
        outputs: ["outputs/gemini_brief.gemini.out"],
        override: ["npm run check"],
        paid_calls_used: 3,
        signatures: 1,
      },
      left: [],
      revision: 1,
    });
    expect(textAt(ws, "done/gemini_brief.done")).toBe("2026-02-18T12:01:31Z\n");
    expect(JSON.parse(textAt(ws, "state/stats.json"))).toEqual(JSON.parse(FOLDER["state/stats.json"]!));
    expect(JSON.parse(textAt(ws, "outputs/gemini_brief.gemini.meta.json"))).toMatchObject({
      start: "2026-02-18T12:00:00Z",
      duration_sec: 90,
      prompt_sha256: "a".repeat(64),
    });
    expect(textAt(ws, "inputs/user_request.md")).toBe("Read it once, see [REDACTED].\n");
    expect(textAt(ws, "outputs/gemini_brief.gemini.out")).toBe("## Summary\n\n[REDACTED]\n");
    expect(textAt(ws, "events.jsonl")).not.toMatch(/internal-\d/);
    const shown = await ok(ws, "packet_show", { task: ID });
    expect(shown).toMatchObject({ next: { stage: "codex_impl" }, override: ["npm run check"] });
    expect(ws.verify().findings).toEqual([]);
    await ok(ws, "packet_stage_start", { task: ID, stage: "codex_impl" });
    expect(JSON.parse(textAt(ws, "state/stats.json"))).toMatchObject({ paid_calls_used: 4 });
  });

  it("[FRESH-2] the task that it makes is in the notification file before its folder is there", async () => {
    const ended: Disk = {
      ...nodeDisk,
      rename: (from, to) => {
        if (dirname(to).endsWith("tasks")) throw new Error("the process ended");
        nodeDisk.rename(from, to);
      },
    };
    const ws = openTemp({ disk: ended });
    await ws.init(WORKSPACE);
    await expect(ws.packets.import(foreign())).rejects.toThrow("the process ended");
    expect(readFileSync(join(ws.root, ".coco/registry/notifications"), "utf8")).toMatch(/^tasks\//m);
  });

  it("[FRESH-2] the task that it makes is in the notification file", async () => {
    const ws = await open();
    await ws.packets.import(foreign());
    const notified = readFileSync(join(ws.root, ".coco/registry/notifications"), "utf8").split("\n");
    expect(notified.some((line) => line.startsWith(`tasks/${ID} `))).toBe(true);
  });

  it("[PACKET-193] says of which stages markers and stats.json disagree", async () => {
    const ws = await open();
    const stats = JSON.stringify({ paid_calls_used: 3, stages_completed: ["codex_impl", "strange"] });
    const { left, took } = await ws.packets.import(foreign({ "state/stats.json": stats }));
    expect(left).toEqual([
      { path: "state/stats.json", reason: "stages_completed names codex_impl, which has no marker: the stage is open" },
      { path: "state/stats.json", reason: "stages_completed does not name gemini_brief: its marker counts" },
    ]);
    expect(took.stages.map(({ stage }) => stage)).toEqual(["gemini_brief"]);
  });

  it("[PACKET-193] without its marker a stage that ran is open", async () => {
    const ws = await open();
    const folder = foreign({ "outputs/codex_impl.codex.out": "half\n" });
    const { took } = await ws.packets.import(folder);
    expect(took.stages[1]).toEqual({ stage: "codex_impl", done_at: null, ran: true });
    expect(await ok(ws, "packet_next", { task: ID })).toMatchObject({ stage: "codex_impl", allowed: true });
    expect(existsSync(join(ws.root, ".coco/tasks", ID, "done/codex_impl.done"))).toBe(false);
  });

  it("[PACKET-280] masks the goal in title and manifest, and warns, whether it makes the task or takes changes in", async () => {
    const ws = await open();
    const text = MANIFEST.replace(/^goal: .*$/m, "goal: Look at internal-9");
    const made = await ws.packets.import(foreign({ "manifest.yaml": text }));
    expect(made.warnings).toMatchObject([{ code: "MANIFEST_MASKED" }]);
    expect(textAt(ws, "task.yaml") + textAt(ws, "manifest.yaml") + textAt(ws, "README.md")).not.toContain("internal-9");
    expect(await ok(ws, "packet_show", { task: ID })).toMatchObject({ manifest: { goal: "Look at [REDACTED]" } });
    const own = join(ws.root, ".coco/tasks", ID);
    write(own, { "manifest.yaml": text.replace("internal-9", "the two, internal-10") });
    const taken = await ws.packets.import(own);
    expect(taken.warnings[0]).toMatchObject({ code: "MANIFEST_MASKED" });
    expect(await ok(ws, "packet_show", { task: ID })).toMatchObject({
      manifest: { goal: "Look at the two, [REDACTED]" },
    });
    expect(await ws.packets.import(own)).toMatchObject({ changed: false });
  });

  it("[PACKET-190] takes in the attempts before the last one under their numbers", async () => {
    const ws = await open();
    const out = "outputs/gemini_brief.gemini";
    const folder = foreign({
      [`${out}.2.out`]: "second, internal-2\n",
      [`${out}.2.meta.json`]: '{"exit_code": 2}',
      [`${out}.10.err`]: "tenth\n",
    });
    const { took, left, warnings } = await ws.packets.import(folder);
    expect(took.outputs).toEqual([`${out}.1.out`, `${out}.2.err`, `${out}.out`]);
    expect([left, warnings]).toEqual([[], []]);
    expect(textAt(ws, `${out}.1.out`)).toBe("second, [REDACTED]\n");
    expect(textAt(ws, `${out}.2.err`)).toBe("tenth\n");
    expect(textAt(ws, `${out}.out`)).toBe("## Summary\n\n[REDACTED]\n");
    expect(JSON.parse(textAt(ws, `${out}.1.meta.json`))).toMatchObject({ exit_code: 2 });
    const { packet } = (await ok(ws, "packet_show", { task: ID })) as { packet: { stages: unknown[] } };
    expect(packet.stages[0]).toMatchObject({ stage: "gemini_brief", state: "done", attempts: 3, exit_code: 0 });
    expect(ws.verify().findings).toEqual([]);
  });

  it("[PACKET-190] says what it leaves out, in a warning and one by one", async () => {
    const ws = await open();
    const folder = foreign({
      "outputs/codex_verify.artifact.md": "# npm test\n",
      "state/preflight.log": "fine\n",
      "events.jsonl": "{}\n",
    });
    writeFileSync(join(folder, "outputs/codex_impl.codex.out"), "");
    truncateSync(join(folder, "outputs/codex_impl.codex.out"), 8 * 1024 * 1024 + 1);
    const { left, warnings } = await ws.packets.import(folder);
    expect(left.map(({ path }) => path)).toEqual([
      "outputs/codex_impl.codex.out",
      "outputs/codex_verify.artifact.md",
      "state/preflight.log",
      "events.jsonl",
    ]);
    expect(warnings).toMatchObject([{ code: "LEFT_OUT", message: expect.stringMatching(/codex_impl.*and 3 more/) }]);
  });

  it("[PACKET-190] tells every fault of it at once, and makes nothing", async () => {
    const ws = await open();
    const folder = foreign({
      "manifest.yaml": `${MANIFEST.replace("retry_budget: 2", 'retry_budget: "two"').replace("safe_impl", "nope")}extra: 1\n`,
      "state/stats.json": '{"paid_calls_used": "used[$(touch x)0]+9", "signatures": []}',
      "state/last_failure.json": '{"class": ',
    });
    const { code, details } = await refusal(ws.packets.import(folder));
    expect(code).toBe("INVALID_INPUT");
    const told = (details["errors"] as { file: string; field: string }[]).map(({ file, field }) => `${file} ${field}`);
    expect(told.toSorted()).toEqual([
      "manifest.yaml budgets.retry_budget",
      "manifest.yaml routing.intent",
      "state/last_failure.json ",
      "state/stats.json paid_calls_used",
      "state/stats.json signatures",
    ]);
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual([]);
  });

  it.each([
    ["conflict markers", `${"<".repeat(7)} ours\ngoal: a\n${"=".repeat(7)}\ngoal: b\n${">".repeat(7)} theirs\n`],
    ["aliases without end", "a: &a [x, x]\nb: &b [*a, *a]\ngoal: &g [*g]\n"],
    ["duplicate keys", `${MANIFEST}goal: another\n`],
    ["a list", "- a\n"],
    ["nothing", ""],
    ["other bytes", "goal: \u0000\n"],
  ])("[PACKET-190] refuses a manifest of %s", async (_name, text) => {
    const ws = await open();
    expect(await refusal(ws.packets.import(foreign({ "manifest.yaml": text })))).toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual([]);
  });

  it("[PACKET-190] refuses a folder without a manifest, and what is no folder", async () => {
    const ws = await open();
    for (const dir of [tempFolder(), join(ws.root, "nowhere"), join(ws.root, ".coco/workspace.yaml")])
      expect(await refusal(ws.packets.import(dir))).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("[PACKET-190] follows no link, waits for no pipe, and names what it leaves", async () => {
    const ws = await open();
    const secret = join(tempFolder(), "secret.md");
    writeFileSync(secret, "secret\n");
    const folder = foreign({
      "inputs/attachments/a:b.md": "x\n",
      "done/nope.done": "x\n",
      "done/copilot_runbook.done": "2026-02-18T12:00:00Z\n",
      "outputs/strange.out": "x\n",
    });
    symlinkSync(secret, join(folder, "inputs/attachments/link.md"));
    symlinkSync(secret, join(folder, "outputs/codex_impl.codex.out"));
    execFileSync("mkfifo", [
      join(folder, "inputs/attachments/pipe.md"),
      join(folder, "outputs/codex_verify.codex.out"),
    ]);
    writeFileSync(join(folder, "inputs/attachments/bytes.bin"), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(join(folder, "outputs/gemini_review.gemini.out"), "");
    truncateSync(join(folder, "outputs/gemini_review.gemini.out"), 3 * 1024 * 1024 * 1024);
    const { left, took } = await ws.packets.import(folder);
    expect(left.map(({ path }) => path).toSorted()).toEqual([
      "done/copilot_runbook.done",
      "done/nope.done",
      "inputs/attachments/a:b.md",
      "inputs/attachments/bytes.bin",
      "inputs/attachments/link.md",
      "inputs/attachments/pipe.md",
      "outputs/codex_impl.codex.out",
      "outputs/codex_verify.codex.out",
      "outputs/gemini_review.gemini.out",
      "outputs/strange.out",
    ]);
    expect(took.inputs).toContain("inputs/attachments/notes.md");
    expect(textAt(ws, "events.jsonl")).not.toContain("secret");
  });

  it("[PACKET-190] a folder of inputs that is a link is left", async () => {
    const ws = await open();
    const folder = tempFolder();
    write(folder, { "manifest.yaml": MANIFEST });
    const away = tempFolder();
    write(away, { "user_request.md": "secret\n", "x.done": "" });
    for (const name of ["inputs", "done", "outputs"]) symlinkSync(away, join(folder, name));
    const { left } = await ws.packets.import(folder);
    expect(left.map(({ path }) => path)).toEqual(expect.arrayContaining(["done", "outputs", "inputs/user_request.md"]));
    expect(textAt(ws, "events.jsonl")).not.toContain("secret");
  });

  it("[PACKET-190] counts below a link are no counts", async () => {
    const ws = await open();
    const folder = tempFolder();
    write(folder, { "manifest.yaml": MANIFEST });
    symlinkSync(tempFolder(), join(folder, "state"));
    expect(await refusal(ws.packets.import(folder))).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("[PACKET-190] goes to no task that carries a packet", async () => {
    const ws = await open();
    await ws.packets.import(foreign());
    const before = tree(join(ws.root, ".coco/tasks"));
    expect(await refusal(ws.packets.import(foreign()))).toMatchObject({ code: "ID_TAKEN" });
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual(before);
  });

  it("[PACKET-190] goes to a task that is there without one, as an import that was killed leaves it", async () => {
    const ws = await open();
    await ok(ws, "tasks_create", { kind: "task", id: ID, title: "Read the config once" });
    expect(await ws.packets.import(foreign())).toMatchObject({ created: false, changed: true });
  });
});

describe("changes by hand in a packet's own folder", () => {
  const TASK = "TASK-001";
  const own = (ws: Workspace): string => join(ws.root, ".coco/tasks", TASK);

  it("[PACKET-196] [PACKET-215] are shown, believed only when they are taken in, and then all is well", async () => {
    const ws = await open();
    await reviewed(ws);
    const folder = own(ws);
    const stats = JSON.parse(textAt(ws, "state/stats.json", TASK)) as object;
    write(folder, {
      "done/codex_review.done": "2026-02-18T12:00:00Z\n",
      "state/stats.json": `${JSON.stringify({ ...stats, paid_calls_used: 7 }, null, 2)}\n`,
      "inputs/user_request.md": "Review it twice.\n",
      "inputs/attachments/more.md": "more\n",
    });
    const codes = ws.verify().findings.map(({ code, file }) => `${code} ${file.slice(file.indexOf(TASK) + 9)}`);
    expect(codes.toSorted()).toEqual([
      "PACKET_INPUT_FOREIGN inputs/attachments/more.md",
      "PACKET_MARKER_FOREIGN done/codex_review.done",
      "PROJECTION_DIFFERS inputs/user_request.md",
      "PROJECTION_DIFFERS state/stats.json",
    ]);
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({ stage: "codex_review" });
    const { took, changed } = await ws.packets.import(`.coco/tasks/${TASK}`);
    expect(changed).toBe(true);
    expect(took).toEqual({
      manifest: false,
      inputs: ["inputs/user_request.md", "inputs/attachments/more.md"],
      stages: [{ stage: "codex_review", done_at: "2026-02-18T12:00:00.000Z", ran: false }],
      outputs: [],
      override: null,
      paid_calls_used: 7,
      signatures: null,
      last_failure: null,
      removed: [],
    });
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({ stage: "copilot_review_consolidate" });
    expect(ws.verify().findings).toEqual([]);
    expect(await ws.packets.import(`.coco/tasks/${TASK}`)).toMatchObject({ changed: false });
  });

  it("[PACKET-196] deletions are taken in: a marker opens its stage, and inputs and the override go", async () => {
    const ws = await open();
    await reviewed(ws);
    const folder = own(ws);
    write(folder, { "state/acceptance.commands.override": "npm run check\n" });
    await ws.packets.import(`.coco/tasks/${TASK}`);
    for (const path of ["done/gemini_review.done", "inputs/attachments/notes.md", "state/acceptance.commands.override"])
      rmSync(join(folder, path));
    const { took, changed } = await ws.packets.import(`.coco/tasks/${TASK}`);
    expect([changed, took.removed]).toEqual([
      true,
      ["inputs/attachments/notes.md", "done/gemini_review.done", "state/acceptance.commands.override"],
    ]);
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({ stage: "gemini_review", allowed: true });
    expect(await ok(ws, "packet_show", { task: TASK })).toMatchObject({ override: null });
    expect(JSON.parse(textAt(ws, "state/stats.json", TASK))).toMatchObject({
      paid_calls_used: 1,
      stages_completed: [],
    });
    expect(ws.verify().findings).toEqual([]);
    expect(await ws.packets.import(`.coco/tasks/${TASK}`)).toMatchObject({ changed: false });
  });

  it("[regression PACKET-327] what a crash may have lost is not taken away", async () => {
    const ws = await open();
    await reviewed(ws);
    await ws.close();
    const marks = machinePath(ws.root, "dirty");
    mkdirSync(marks, { recursive: true });
    writeFileSync(join(marks, "left-1-2-3"), `${TASK}\n`);
    const gone = join(ws.root, ".coco/tasks", TASK, "inputs/attachments/notes.md");
    rmSync(gone);
    const later = openWorkspace({ root: ws.root, workspace: "acme/repo" });
    onTestFinished(() => later.close());
    const { took, left } = await later.packets.import(`.coco/tasks/${TASK}`);
    expect([took.removed, left]).toEqual([
      [],
      [{ path: "inputs/attachments/notes.md", reason: expect.stringContaining("a crash may have lost it") }],
    ]);
    await ok(later, "tasks_note", { task: TASK, note: "after the crash" });
    expect(existsSync(gone)).toBe(true);
    rmSync(gone);
    expect((await later.packets.import(`.coco/tasks/${TASK}`)).took.removed).toEqual(["inputs/attachments/notes.md"]);
  });

  it("[PACKET-215] verify names inputs that the log has not, and promises no import of what none takes in", async () => {
    const ws = await open();
    await reviewed(ws);
    write(own(ws), {
      "inputs/context_pack.md": "## 0. Goal\n",
      "inputs/other.md": "x\n",
      "inputs/attachments/a:b": "x\n",
      "inputs/attachments/.gitkeep": "",
      "done/foo.done": "x\n",
      "done/codex_impl.done": "2026-02-18T12:00:00Z\n",
      "done/codex_review.done": "2026-02-18T12:00:00Z\n",
    });
    const told = ws.verify().findings.map(({ code, file, recovery }) => {
      const wayOut = recovery?.includes("taskfold packet import")
        ? "import"
        : recovery?.includes("delete it")
          ? "delete"
          : "";
      return `${code} ${file.slice(file.indexOf(TASK) + 9)} ${wayOut}`;
    });
    expect(told.toSorted()).toEqual([
      "PACKET_INPUT_FOREIGN inputs/attachments/a:b delete",
      "PACKET_INPUT_FOREIGN inputs/context_pack.md import",
      "PACKET_INPUT_FOREIGN inputs/other.md delete",
      "PACKET_MARKER_FOREIGN done/codex_impl.done delete",
      "PACKET_MARKER_FOREIGN done/codex_review.done import",
      "PACKET_MARKER_FOREIGN done/foo.done delete",
    ]);
  });

  it("[PACKET-196] files that no person deleted by themselves stay: lost ones, and what cannot be read", async () => {
    const ws = await open();
    await reviewed(ws);
    const folder = own(ws);
    const stats = textAt(ws, "state/stats.json", TASK);
    rmSync(join(folder, "done"), { recursive: true });
    rmSync(join(folder, "state/stats.json"));
    expect(await ws.packets.import(`.coco/tasks/${TASK}`)).toMatchObject({ changed: false });
    // As a crash leaves them between the log and the files.
    write(folder, { "state/stats.json": stats.replace(/"stages_completed": \[[^\]]*\]/, '"stages_completed": []') });
    const { changed, left } = await ws.packets.import(`.coco/tasks/${TASK}`);
    expect([changed, left.map(({ path }) => path)]).toEqual([false, ["done/gemini_review.done"]]);
    write(folder, { "state/stats.json": stats });
    mkdirSync(join(folder, "done/gemini_review.done"), { recursive: true });
    expect(await ws.packets.import(`.coco/tasks/${TASK}`)).toMatchObject({ changed: false });
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({ stage: "codex_review" });
  });

  it("[PACKET-215] are none where a kill cut a write short", async () => {
    const ws = await open();
    await reviewed(ws);
    write(own(ws), {
      "done/.tf-tmp-1-codex_review.done": "2026",
      "outputs/.tf-tmp-1-codex_review.codex.meta.json": "",
    });
    expect(ws.verify().findings).toEqual([]);
  });

  it("[PACKET-196] a write sets them aside, and the log believes none of it", async () => {
    const ws = await open();
    await reviewed(ws);
    write(own(ws), {
      "done/codex_review.done": "2026-02-18T12:00:00Z\n",
      "state/stats.json": '{"paid_calls_used": 0}\n',
    });
    const reply = await call(ws, "packet_stage_start", { task: TASK, stage: "codex_review" });
    expect(reply.warnings.filter(({ code }) => code === "PROJECTION_DRIFT")).toHaveLength(2);
    expect(JSON.parse(textAt(ws, "state/stats.json", TASK))).toMatchObject({ paid_calls_used: 2 });
    expect(existsSync(join(own(ws), "done/codex_review.done"))).toBe(false);
  });

  it("[PACKET-196] a file that says what the log said before is no change", async () => {
    const ws = await open();
    await reviewed(ws);
    const folder = own(ws);
    const FILES = ["manifest.yaml", "inputs/user_request.md", "state/stats.json", "done/gemini_review.done"];
    const before = Object.fromEntries(FILES.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
    await ok(ws, "packet_patch", { task: TASK, manifest: { goal: "Another goal" } });
    await ok(ws, "packet_input_set", { task: TASK, path: "user_request.md", text: "Another request.\n" });
    await ok(ws, "packet_stage_reopen", { task: TASK, stage: "gemini_review", reason: "again" });
    await ok(ws, "packet_stage_start", { task: TASK, stage: "gemini_review" });
    // As a crash between the log and its files leaves them.
    write(folder, before);
    const again = openTemp({ root: ws.root });
    const { took, left, warnings } = await again.packets.import(folder);
    expect(took).toMatchObject({ manifest: false, inputs: [], stages: [], paid_calls_used: null });
    expect(left.map(({ path }) => path).toSorted()).toEqual(FILES.toSorted());
    expect(warnings).toMatchObject([{ code: "LEFT_OUT" }]);
    expect(await ok(again, "packet_show", { task: TASK })).toMatchObject({ manifest: { goal: "Another goal" } });
    write(folder, { "inputs/user_request.md": "A third request.\n" });
    expect((await again.packets.import(folder)).took.inputs).toEqual(["inputs/user_request.md"]);
    expect(await ok(again, "packet_show", { task: TASK })).toMatchObject({ manifest: { goal: "Another goal" } });
  });

  it("[PACKET-215] a write that was cut off leaves no marker and no output", async () => {
    const ws = await open();
    await reviewed(ws);
    for (const name of ["done/.tf-tmp-1-codex_review.done", "outputs/.tf-tmp-2-_summary.md"])
      write(own(ws), { [name]: "half" });
    expect(ws.verify().findings).toEqual([]);
    expect(await ws.packets.import(own(ws))).toMatchObject({ changed: false, left: [] });
  });

  it("[PACKET-196] with another id in its manifest the folder is refused", async () => {
    const ws = await open();
    await reviewed(ws);
    const path = join(own(ws), "manifest.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace(TASK, "TASK-002"));
    expect(await refusal(ws.packets.import(own(ws)))).toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("a packet's folder for another program", () => {
  const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

  it("[PACKET-200] says the same when it is imported elsewhere", async () => {
    const ws = await open();
    await reviewed(ws);
    await ok(ws, "packet_stage_start", { task: "TASK-001", stage: "codex_review" });
    await ok(ws, "packet_stage_finish", { task: "TASK-001", stage: "codex_review", exit_code: 1, err: "ETIMEDOUT\n" });
    const dir = join(tempFolder(), "packet/of-mine");
    const { files, missing } = ws.packets.export("TASK-001", dir);
    expect(missing).toEqual([]);
    expect(files).toContain("inputs/prompt/gemini.review.md");
    for (const file of files)
      expect(digest(join(dir, file)), file).toBe(digest(join(ws.root, ".coco/tasks/TASK-001", file)));
    expect(readFileSync(join(dir, "manifest.yaml"), "utf8")).toContain('digest_policy: "off"');
    const other = await open();
    await other.packets.import(dir);
    for (const file of files.filter((path) => /^(manifest|inputs\/(?!prompt)|done|state)/.test(path)))
      expect(textAt(other, file, "TASK-001"), file).toBe(readFileSync(join(dir, file), "utf8"));
    expect(await ok(other, "packet_next", { task: "TASK-001" })).toEqual(
      await ok(ws, "packet_next", { task: "TASK-001" }),
    );
    expect(other.verify().findings).toEqual([]);
  });

  it("[PACKET-200] goes to no folder that has files, and not into .coco", async () => {
    const ws = await open();
    await reviewed(ws);
    const full = tempFolder();
    writeFileSync(join(full, "mine"), "mine");
    expect(() => ws.packets.export("TASK-001", full)).toThrow(/empty or not there/);
    expect(tree(full, { times: false })).toHaveLength(1);
    expect(() => ws.packets.export("TASK-001", ".coco/tasks/TASK-002")).toThrow(/outside of .coco/);
    await ok(ws, "packet_archive", { task: "TASK-001" });
    expect(ws.packets.export("TASK-001", tempFolder()).files).toContain("manifest.yaml");
  });

  it("[PACKET-200] [PACKET-215] leaves out what is not what its event names, as verify does", async () => {
    const ws = await open();
    await reviewed(ws);
    const output = "outputs/gemini_review.gemini.out";
    writeFileSync(join(ws.root, ".coco/tasks/TASK-001", output), "forged\n");
    const dir = join(tempFolder(), "out");
    const { files, missing } = ws.packets.export("TASK-001", dir);
    expect(missing).toEqual([{ path: output, reason: "it is not the file that its event names" }]);
    expect(files).not.toContain(output);
    expect(existsSync(join(dir, output))).toBe(false);
    expect(ws.verify().findings).toMatchObject([
      { code: "PACKET_FILE_DIFFERS", file: `.coco/tasks/TASK-001/${output}` },
    ]);
    execFileSync("rm", [join(ws.root, ".coco/tasks/TASK-001", output)]);
    expect(ws.verify().findings).toMatchObject([{ code: "PACKET_FILE_MISSING" }]);
    execFileSync("ln", ["-s", "/etc/passwd", join(ws.root, ".coco/tasks/TASK-001", output)]);
    expect(ws.verify().findings).toMatchObject([{ code: "PATH_UNSAFE" }]);
    expect(ws.packets.export("TASK-001", tempFolder()).missing).toHaveLength(1);
  });
});

describe("verify of a packet's files", () => {
  it("[PACKET-215] looks at prompts, and knows one that was composed anew", async () => {
    const ws = await open();
    await reviewed(ws);
    const path = join(ws.root, ".coco/tasks/TASK-001/inputs/prompt/gemini.review.md");
    writeFileSync(path, "forged\n");
    expect(ws.verify().findings).toMatchObject([{ code: "PACKET_FILE_DIFFERS" }]);
    await ok(ws, "packet_input_set", { task: "TASK-001", path: "user_request.md", text: "Another one.\n" });
    const { composeStage } = await import("../../src/runner/compose_stage.ts");
    composeStage(ws, "TASK-001", "gemini_review");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[PACKET-215] notes files that no event names, and none of an attempt that is under way", async () => {
    const ws = await open();
    await reviewed(ws);
    await ok(ws, "packet_stage_start", { task: "TASK-001", stage: "codex_review" });
    const outputs = join(ws.root, ".coco/tasks/TASK-001/outputs");
    for (const name of ["codex_review.codex.out", "codex_review.codex.err.partial"])
      writeFileSync(join(outputs, name), "begun\n");
    writeFileSync(join(outputs, "mine.txt"), "mine\n");
    const { ok: isOk, findings } = ws.verify();
    expect(isOk).toBe(true);
    expect(findings).toMatchObject([{ code: "PACKET_FILE_ORPHAN", info: true }]);
    expect(findings[0]!.file).toMatch(/mine\.txt$/);
  });
});

describe("a review", () => {
  const PACK =
    "# Pack\n\n## 0. Goal\n\nRead it once.\n\n### Verify Commands\n\n```sh\n# all of it\nnpm test\nnpm run lint\n```\n";

  it("[PACKET-212] gets its packet from a pack and a report", async () => {
    const ws = await open();
    const made = await ok(ws, "packet_review", { context_pack: PACK, impl_report: "Done.\n", allow: ["src/"] });
    expect(made).toMatchObject({ task: "TASK-001", next: { stage: "gemini_review" } });
    const shown = await ok(ws, "packet_show", { task: "TASK-001" });
    expect(shown["manifest"]).toMatchObject({
      goal: "Review the implementation: Read it once.",
      routing: { intent: "post_impl_review" },
      scope: { allow: ["src/"] },
      acceptance: { commands: ["npm test", "npm run lint"] },
      budgets: { paid_call_budget: 12, max_wallclock_sec: 900 },
    });
    expect(textAt(ws, "inputs/attachments/impl_report.md", "TASK-001")).toBe("Done.\n");
    expect(textAt(ws, "inputs/context_pack.md", "TASK-001")).toBe(PACK);
  });

  it("[PACKET-212] [PACKET-81] leaves the artifacts that there are, and names the others", async () => {
    const ws = await open();
    await ok(ws, "packet_review", { context_pack: PACK, impl_report: "Done.\n" });
    expect(await ok(ws, "packet_show", { task: "TASK-001" })).toMatchObject({ manifest: { scope: { allow: ["."] } } });
    await runStage(ws, "TASK-001", "gemini_review");
    const dir = tempFolder();
    const { files, missing } = ws.packets.exportReview("TASK-001", dir);
    expect(files).toEqual(["gemini_review.md", "summary.md"]);
    expect(missing.map(({ path }) => path)).toEqual([
      "test_matrix.md",
      "verification_checklist.md",
      "codex_precision_review.md",
      "test_implementation_report.md",
      "verification_report.md",
    ]);
    expect(ws.packets.exportReview("TASK-001", dir).files).toEqual(files);
  });

  it("[PACKET-81] [PACKET-128] [PACKET-200] an interrupted attempt leaves no artifact, and moves with its output", async () => {
    const ws = await open();
    await ok(ws, "packet_review", { context_pack: PACK, impl_report: "Done.\n" });
    const stage = { task: "TASK-001", stage: "gemini_review" };
    await ok(ws, "packet_stage_start", stage);
    const out = join(ws.root, ".coco/tasks/TASK-001/outputs/gemini_review.gemini.out");
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(`${out}.partial`, "half of it\n");
    await ok(ws, "packet_stage_interrupt", { ...stage, reason: "killed" });
    expect(readFileSync(out, "utf8")).toBe("half of it\n");
    expect(ws.verify("TASK-001").findings).toEqual([]);
    expect(ws.packets.exportReview("TASK-001", tempFolder()).files).toEqual(["summary.md"]);
    const dir = join(tempFolder(), "out");
    ws.packets.export("TASK-001", dir);
    const other = await open();
    expect((await other.packets.import(dir)).took.outputs).toEqual(["outputs/gemini_review.gemini.out"]);
    expect(readFileSync(join(other.root, ".coco/tasks/TASK-001/outputs/gemini_review.gemini.out"), "utf8")).toBe(
      "half of it\n",
    );
    expect(other.verify("TASK-001").findings).toEqual([]);
  });
});
