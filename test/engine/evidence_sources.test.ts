/** Evidence on a real disk and in real git: files, events and commits that are there or not, ids that two branches give, a closed Taskdoc. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { EvidenceEntry } from "../../src/state/evidence.ts";
import { CANCELED, placeSample } from "../support/coco.ts";
import { repository } from "../support/git.ts";
import { call, code, logLines, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const task = "TASK-001";
const FOLDER = `.coco/tasks/${task}`;
const EVENTS = "agents/w1/runtime/events.jsonl";

type Row = { id: string; status: string; why: string[] };

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function indexOf(root: string, id = task): EvidenceEntry[] {
  const text = readFileSync(join(root, ".coco/tasks", id, "shared/evidence/index.json"), "utf8");
  return JSON.parse(text) as EvidenceEntry[];
}

const rows = async (ws: Workspace, id = task): Promise<Row[]> =>
  (await ok(ws, "tasks_evidence_verify", { task: id }))["evidence"] as unknown as Row[];

const risks = async (ws: Workspace): Promise<string[]> =>
  ((await ok(ws, "tasks_handoff", { task }))["handoff"] as { risks: string[] }).risks;

type Issue = { code: string; message: string; severity: string };

const issuesOf = async (ws: Workspace, of: string): Promise<Issue[]> =>
  ((await ok(ws, "tasks_lint", { task }))["issues"] as Issue[]).filter((issue) => issue.code === of);

const issues = async (ws: Workspace, of: string): Promise<string[]> =>
  (await issuesOf(ws, of)).map(({ message }) => message);

/** A task whose first step closes with proof of its tests alone. */
async function needsProof(ws: Workspace): Promise<void> {
  await newTask(ws);
  await ok(ws, "tasks_define", { task, path: "s:0", proof: { tests: "require" } });
}

describe("a range of an agent's events", () => {
  it("[EVID-54] [EVID-8] [CHECK-2] is that file, and holds while it only grows; lines of it while they are as they were", async () => {
    const ws = openTemp();
    await newTask(ws);
    write(ws.root, `${FOLDER}/${EVENTS}`, '{"n":1}\n{"n":2}\n');
    const whole = { kind: "events", path: `./${EVENTS}` };
    const items = [whole, { ...whole, start_line: 2 }];
    const reply = await call(ws, "tasks_evidence_capture", { task, path: "s:0", items, checkpoint: "tests" });
    expect(reply.warnings).toEqual([]);
    const source = { type: "runtimeEventRange", eventsRef: `./${EVENTS}` };
    expect(indexOf(ws.root).map(({ kind, sources, artifactRefs }) => [kind, sources, artifactRefs])).toEqual([
      ["runtime-event-range", [source], [`./${EVENTS}`]],
      ["runtime-event-range", [{ ...source, startLine: 2, endLine: 2 }], [`./${EVENTS}`]],
    ]);
    const why = async (): Promise<string[]> => (await rows(ws)).map((row) => `${row.status}: ${row.why.join()}`);
    expect(await why()).toEqual([`holds: ./${EVENTS} is as it was`, `holds: ./${EVENTS}:2-2 is as it was`]);
    appendFileSync(join(ws.root, FOLDER, EVENTS), '{"n":3}\n');
    expect(await why()).toEqual([
      `holds: ./${EVENTS} has grown and begins as it was`,
      `holds: ./${EVENTS}:2-2 is as it was`,
    ]);
    expect(await risks(ws)).toEqual([]);
    write(ws.root, `${FOLDER}/${EVENTS}`, '{"n":1}\n{"n":9}\n');
    expect(await why()).toEqual([`broken: ./${EVENTS} has changed`, `broken: ./${EVENTS}:2-2 has changed`]);
    expect(await risks(ws)).toEqual([
      expect.stringMatching(/^s:0 First: proof of tests no longer holds: .*events\.jsonl has changed$/),
      expect.stringMatching(/^s:0 First: proof of tests no longer holds: .*events\.jsonl:2-2 has changed$/),
    ]);
    rmSync(join(ws.root, FOLDER, "agents/w1/runtime"), { recursive: true });
    expect(await why()).toEqual([`broken: ./${EVENTS} is not there`, `broken: ./${EVENTS} is not there`]);
  });

  it("[EVID-54] [EVID-8] [CHECK-2] is taken over from Coco's index, with lines and without, and looked at there", async () => {
    const ws = openTemp();
    await ws.init(WORKSPACE);
    const folder = placeSample(ws.root, CANCELED);
    const source = { type: "runtimeEventRange", eventsRef: `./${EVENTS}` } as const;
    const entry = (id: string, more: object): object => ({
      id,
      kind: "runtime-event-range",
      title: id,
      summary: "",
      createdAt: "2026-01-01T00:00:00Z",
      sources: [{ ...source, ...more }],
    });
    const entries = [entry("whole", {}), entry("lines", { startLine: 1, endLine: 2 })];
    writeFileSync(join(folder, "shared/evidence/index.json"), JSON.stringify(entries));
    write(folder, EVENTS, "{}\n{}\n");
    await ws.repair.adopt(CANCELED);
    expect(indexOf(ws.root, CANCELED)).toEqual(entries);
    expect(await rows(ws, CANCELED)).toMatchObject([
      { id: "whole", status: "holds", why: [`./${EVENTS} is there`] },
      { id: "lines", status: "holds", why: [`./${EVENTS}:1-2 is there`] },
    ]);
    write(folder, EVENTS, "{}\n");
    expect((await rows(ws, CANCELED)).map(({ id, status }) => [id, status])).toEqual([
      ["lines", "broken"],
      ["whole", "holds"],
    ]);
  });
});

describe("another file of the task folder", () => {
  const REPORT = "agents/w1/artifacts/report.md";

  it("[EVID-54] [EVID-8] is anchored, attached or named, and holds until it is written anew, in the archive too", async () => {
    const ws = openTemp();
    await newTask(ws);
    write(ws.root, `${FOLDER}/${REPORT}`, "one\ntwo\n");
    const items = [`./${REPORT}`, `${FOLDER}/${REPORT}`].flatMap((path) => [
      { kind: "report", path },
      { kind: "report", path, start_line: 1, end_line: 1 },
    ]);
    const reply = await call(ws, "tasks_evidence_capture", { task, items, attachments: [REPORT] });
    expect(reply.warnings).toEqual([]);
    const source = { type: "fileAnchor", path: `${FOLDER}/${REPORT}`, startLine: 1 };
    expect(indexOf(ws.root).map(({ kind, sources, artifactRefs }) => [kind, sources, artifactRefs])).toEqual(
      [2, 1, 2, 1, 2].map((endLine) => ["file-anchor", [{ ...source, endLine }], [`./${REPORT}`]]),
    );
    const why = async (): Promise<string[]> => (await rows(ws)).map((row) => `${row.status}: ${row.why.join()}`);
    const holds = [`holds: ./${REPORT} is as it was`, `holds: ./${REPORT}:1-1 is as it was`];
    expect((await why()).toSorted()).toEqual([...holds, ...holds, holds[0]!].toSorted());
    await ok(ws, "tasks_complete", { task, status: "FAILED", reason: "moved" });
    await ok(ws, "tasks_archive", { task });
    expect((await why()).toSorted()).toEqual([...holds, ...holds, holds[0]!].toSorted());
    write(ws.root, `.coco/archive/${task}/${REPORT}`, "other\n");
    expect((await rows(ws)).map(({ status }) => status)).toEqual(Array(5).fill("broken"));
  });

  it("[EVID-54] is not meant where the repository has the file, nor where neither has it", async () => {
    const ws = openTemp();
    await newTask(ws);
    for (const root of [ws.root, join(ws.root, FOLDER)]) write(root, "a.md", "text\n");
    const items = ["a.md", "gone.md"].map((path) => ({ kind: "report", path, start_line: 1 }));
    const { warnings } = await call(ws, "tasks_evidence_capture", { task, items });
    expect(indexOf(ws.root).map(({ sources, artifactRefs }) => [sources, artifactRefs])).toEqual(
      ["a.md", "gone.md"].map((path) => [[{ type: "fileAnchor", path, startLine: 1, endLine: 1 }], undefined]),
    );
    expect(warnings).toMatchObject([
      { code: "ATTACHMENT_MISSING", message: expect.stringContaining("neither the repository nor the task folder") },
    ]);
  });
});

describe("what is not there", () => {
  const gone = { kind: "report", path: "does/not/exist.txt" };
  const asked = { task, path: "s:0", checkpoint: "tests" } as const;

  it.each([
    ["a capture", (ws: Workspace) => call(ws, "tasks_evidence_capture", { ...asked, items: [gone] })],
    [
      "a batch",
      (ws: Workspace) =>
        call(ws, "tasks_batch", {
          operations: [
            { tool: "tasks_evidence_capture", args: { ...asked, items: [gone, { kind: "x", title: "ok" }] } },
          ],
        }),
    ],
    [
      "a capture of an older release's form",
      (ws: Workspace) => call(ws, "tasks_evidence_capture", { ...asked, artifacts: [gone] }),
    ],
  ])("[PROOF-34] [CHECK-1] [STEP-8] proves nothing by %s", async (_name, capture) => {
    const ws = openTemp();
    await needsProof(ws);
    expect((await capture(ws)).success).toBe(true);
    expect(logLines(ws.root).at(-1)).toContain('"counts":false');
    expect(await code(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" })).toBe("PROOF_REQUIRED");
    write(ws.root, gone.path, "12 passed\n");
    expect(await code(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" })).toBe("PROOF_REQUIRED");
    await capture(ws);
    await ok(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
  });

  it.each([
    [[gone]],
    [[{ kind: "x", title: "all green" }]],
    [[{ kind: "x", meta: { ok: true } }]],
    [[{ kind: "x", exit_code: 0 }]],
    [[{ kind: "events", path: EVENTS }]],
  ])("[PROOF-34] [STEP-8] closes no step by a macro, forced or not, undone or redone: %j", async (items) => {
    const ws = openTemp();
    await needsProof(ws);
    const before = logLines(ws.root);
    expect(await code(ws, "tasks_macro_close_step", { task, path: "s:0", proof: { items } })).toBe("PROOF_REQUIRED");
    expect(logLines(ws.root)).toEqual(before);
    await ok(ws, "tasks_evidence_capture", { ...asked, items });
    await ok(ws, "tasks_verify", { task, path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_undo", { task });
    await ok(ws, "tasks_redo", { task });
    const forced = { task, path: "s:0", completed: true, force: true, reason: "so" };
    expect(await code(ws, "tasks_progress", forced)).toBe("PROOF_REQUIRED");
    expect(await code(ws, "tasks_done", { task, path: "s:0" })).toBe("PROOF_REQUIRED");
    await ok(ws, "tasks_macro_close_step", { task, path: "s:0", proof: "CMD: npm test" });
  });

  it("[PROOF-34] [CHECK-1] is not made up for by a link or a folder", async () => {
    const ws = openTemp();
    await needsProof(ws);
    write(ws.root, "docs/a.md", "a\n");
    symlinkSync(join(ws.root, "docs/a.md"), join(ws.root, "link.md"));
    symlinkSync("/nowhere", join(ws.root, "dangling.md"));
    const items = ["link.md", "dangling.md", "docs"].map((path) => ({ kind: "report", path }));
    const reply = await call(ws, "tasks_evidence_capture", { ...asked, items });
    expect(reply.warnings).toMatchObject([{ code: "ATTACHMENT_MISSING" }]);
    expect(reply.warnings[0]!.message).toBe(
      'Recorded, but no proof: the engine does not look at "link.md" (link.md is a link), "dangling.md" (dangling.md is a link), "docs" (it is not a regular file).',
    );
    expect(await code(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" })).toBe("PROOF_REQUIRED");
  });
});

describe("commits", () => {
  it(
    "[CHECK-1] [CHECK-2] prove while git has them; handoff, lint and the macro's handoff name one that is gone",
    ROTATING,
    async () => {
      const { ada } = repository();
      const ws = openTemp({ root: ada.root, git: () => openGit(ada.root) });
      await needsProof(ws);
      ada.commit("first");
      const first = ada.head();
      ada.git("commit", "-q", "--allow-empty", "-m", "fix");
      const fix = ada.head();
      const asked = { task, path: "s:0", checkpoint: "tests" } as const;
      const none = await call(ws, "tasks_evidence_capture", {
        ...asked,
        items: [{ kind: "fix", commit: "0123456789", evidence_id: "absent" }],
      });
      expect(none.warnings).toMatchObject([
        { code: "ATTACHMENT_MISSING", message: expect.stringContaining("0123456789") },
      ]);
      expect(await code(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" })).toBe("PROOF_REQUIRED");
      await ok(ws, "tasks_evidence_capture", { ...asked, items: [{ kind: "fix", commit: fix, evidence_id: "fix" }] });
      await ok(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
      const absent = "s:0 First: evidence for tests is no proof: evidence:absent, commit 0123456789 is not there";
      expect(await risks(ws)).toEqual([absent]);
      ada.git("reset", "-q", "--soft", first);
      ada.git("reflog", "expire", "--expire=now", "--all");
      ada.git("gc", "-q", "--prune=now");
      const line = `s:0 First: proof of tests no longer holds: evidence:fix, commit ${fix} is not there`;
      expect(await risks(ws)).toEqual([line, absent]);
      expect(await issues(ws, "PROOF_BROKEN")).toContain(`${line}.`);
      await ok(ws, "tasks_close_step", { task, path: "s:1", checkpoints: "gate" });
      const finished = await ok(ws, "tasks_macro_finish", { task });
      expect((finished["handoff"] as { handoff: { risks: string[] } }).handoff.risks).toContain(line);
    },
  );
});

describe("a file of the repository without lines", () => {
  it.each(["one\n", "one", "one\r\n", "one\ntwo\r\n", "\n\n", "one\r", "one\r\r\n"])(
    "[CHECK-1] [CHECK-2] holds right after its capture, however its last line ends: %j",
    async (text) => {
      const ws = openTemp();
      await newTask(ws);
      write(ws.root, "a.txt", text);
      await ok(ws, "tasks_evidence_capture", { task, items: [{ kind: "report", path: "a.txt" }] });
      expect(await rows(ws)).toMatchObject([{ status: "holds" }]);
    },
  );

  it("[CHECK-1] [CHECK-2] holds where its line end stands between two readings", async () => {
    const ws = openTemp();
    await newTask(ws);
    const chunk = 256 * 1024;
    const texts = [-2, -1, 0].map((by) => `${"a".repeat(chunk + by)}\r\nb\r\n`);
    for (const [n, text] of texts.entries()) write(ws.root, `${n}.txt`, text);
    const items = texts.map((_, n) => ({ kind: "report", path: `${n}.txt` }));
    await ok(ws, "tasks_evidence_capture", { task, items });
    expect((await rows(ws)).map(({ status }) => status)).toEqual(["holds", "holds", "holds"]);
    for (const [n, text] of texts.entries()) write(ws.root, `${n}.txt`, text.replaceAll("\r", ""));
    expect((await rows(ws)).map(({ status }) => status)).toEqual(["holds", "holds", "holds"]);
    write(ws.root, "1.txt", texts[1]!.replace("b", "c"));
    expect((await rows(ws)).map(({ status }) => status)).toEqual(["broken", "holds", "holds"]);
  });
});

describe("evidence that was not there when it was captured", () => {
  it("[CHECK-2] is named by handoff and lint: a commit, a file and lines, and no run that failed", async () => {
    const { ada } = repository();
    ada.commit("first");
    const ws = openTemp({ root: ada.root, git: () => openGit(ada.root) });
    await newTask(ws);
    write(ws.root, "short.txt", "one\n");
    const asked = { task, path: "s:0", checkpoint: "tests" } as const;
    const gone = "1234567890123456789012345678901234567890";
    const items = [
      { kind: "commit", commit: gone, evidence_id: "fix" },
      { kind: "report", path: "none.txt", evidence_id: "none" },
      { kind: "code", path: "short.txt", start_line: 4, end_line: 5, evidence_id: "lines" },
      { kind: "run", command: "npm test", exit_code: 1, path: "none.txt", evidence_id: "failed" },
      { kind: "note", title: "It is fine", evidence_id: "words" },
    ];
    await ok(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_evidence_capture", { ...asked, items });
    const said = (await issuesOf(ws, "PROOF_BROKEN")).map(({ severity, message }) => [severity, message]);
    const lines = [
      `evidence:fix, commit ${gone} is not there`,
      "evidence:none, none.txt is not there",
      "evidence:lines, short.txt has only 1 line",
    ].map((why) => `s:0 First: evidence for tests is no proof: ${why}`);
    expect(said).toEqual(lines.map((line) => ["error", `${line}.`]));
    expect((await risks(ws)).filter((line) => line.includes("is no proof"))).toEqual(lines);
    const shown = { ...asked, items: [{ kind: "code", path: "short.txt" }] };
    await ok(ws, "tasks_evidence_capture", { ...shown, supersedes: ["failed"], reason: "an old branch" });
    expect((await issuesOf(ws, "PROOF_BROKEN")).map(({ severity }) => severity)).toEqual(lines.map(() => "warning"));
  });
});

describe("ids that a caller gives", () => {
  const named = (evidence_id: string, command: string): object => ({ items: [{ kind: "run", command, evidence_id }] });

  it("[EVID-56] a repeated call answers as the first, and a batch gives an id once", async () => {
    const ws = openTemp();
    await newTask(ws);
    const input = { task, ...named("unit", "npm test"), idempotency_key: "k" };
    const first = await ok(ws, "tasks_evidence_capture", input);
    expect(await ok(ws, "tasks_evidence_capture", input)).toEqual(first);
    expect(first["cite"]).toEqual(["evidence:unit"]);
    const operations = ["lint", "lint"].map((id) => ({
      tool: "tasks_evidence_capture",
      args: { task, ...named(id, "npm run lint") },
    }));
    const batch = await call(ws, "tasks_batch", { operations, atomic: false });
    expect(JSON.stringify(batch)).toContain("ID_TAKEN");
    const macro = { task, path: "s:0", proof: { ...named("unit", "npm test") } };
    expect(await code(ws, "tasks_macro_close_step", macro)).toBe("ID_TAKEN");
    expect(indexOf(ws.root).map(({ id }) => id)).toEqual(["unit", "lint"]);
  });

  it(
    "[EVID-56] [LINT-1] two branches that give one id keep both entries, whichever merges the other, and lint names the second",
    ROTATING,
    async () => {
      const { ada, cloneOf } = repository();
      const main = openTemp({ root: ada.root });
      await newTask(main);
      ada.commit("task");
      const bob = cloneOf(ada, "bob");
      const side = openTemp({ root: bob.root });
      const asked = { task, path: "s:0", checkpoint: "tests" } as const;
      await ok(main, "tasks_evidence_capture", { ...asked, ...named("unit", "npm test") });
      await ok(side, "tasks_evidence_capture", { ...asked, ...named("unit", "make test") });
      ada.commit("ada");
      bob.commit("bob");
      const [adas, bobs] = [ada.head(), bob.head()];
      for (const [clone, other, commit] of [
        [ada, bob, bobs],
        [bob, ada, adas],
      ] as const) {
        clone.merge(other, commit);
        const ws = openTemp({ root: clone.root, git: () => openGit(clone.root) });
        await ws.repair.resolve();
        const entries = indexOf(clone.root);
        expect(entries.map(({ title }) => title).toSorted()).toEqual(["make test", "npm test"]);
        const [kept, renamed] = entries;
        expect([kept!.id, renamed!.id]).toEqual(["unit", expect.stringMatching(/^cmd-[0-9a-f]{20}-1$/)]);
        expect(await issues(ws, "EVIDENCE_RENAMED")).toEqual([
          `evidence:${renamed!.id} was captured as unit, an id that another entry has.`,
        ]);
        expect(ws.verify(task).findings.filter((found) => !found.info)).toEqual([]);
        expect(await ws.repair.adopt(task, { again: true })).toMatchObject({ changed: false });
        const proves = await ok(ws, "tasks_evidence_verify", { task, path: "s:0" });
        expect(proves["summary"]).toMatchObject({ total: 2 });
      }
      expect(indexOf(bob.root)).toEqual(indexOf(ada.root));
    },
  );
});

describe("evidence and a Taskdoc", () => {
  /** A disk that notes what is opened in a package. */
  function watching(): { disk: Disk; opened: string[] } {
    const opened: string[] = [];
    const open: Disk["open"] = (path, flags) => {
      if (/\.tsk\//i.test(path)) opened.push(path);
      return nodeDisk.open(path, flags);
    };
    return { disk: Object.assign(Object.create(nodeDisk) as Disk, { open }), opened };
  }

  it("[GUARD-22] reads nothing of a package, however a caller spells it", async () => {
    const { disk, opened } = watching();
    const ws = openTemp({ disk });
    await newTask(ws);
    await ok(ws, "change_mind", { task, selector: "goals", content: "secret\n" });
    write(ws.root, "notes/deep.tsk/inner/a.jsonl", "{}\n");
    symlinkSync(join(ws.root, "notes/deep.tsk"), join(ws.root, "alias"));
    symlinkSync(join(ws.root, "notes/deep.tsk/inner/a.jsonl"), join(ws.root, "file.jsonl"));
    symlinkSync("../../taskdoc.tsk", join(ws.root, FOLDER, "agents/alias"));
    opened.length = 0;
    const spelled = [
      `${FOLDER}/taskdoc.tsk/goals.md`,
      `${FOLDER}/taskdoc.TSK/goals.md`,
      `${FOLDER}/TASKDOC.Tsk/goals.md`,
      "notes/deep.tsk/inner/a.jsonl",
      "taskdoc.tsk/goals.md",
      "./taskdoc.tsk/goals.jsonl",
      "./notes/../notes/deep.tsk/inner/a.jsonl",
      "notes/deep.tsk./inner/a.jsonl",
      "notes/deep.t\u017Fk/inner/a.jsonl",
    ];
    for (const path of spelled) {
      for (const item of [
        { kind: "events", path },
        { kind: "code", path, start_line: 1 },
        { kind: "report", path },
      ]) {
        expect(await code(ws, "tasks_evidence_capture", { task, items: [item] }), path).toMatch(
          /^(?:TASKDOC_ENCAPSULATED|PATH_UNSAFE)$/,
        );
      }
      expect(await code(ws, "tasks_evidence_capture", { task, attachments: [path] }), path).toMatch(
        /^(?:TASKDOC_ENCAPSULATED|PATH_UNSAFE)$/,
      );
    }
    expect(await code(ws, "tasks_evidence_capture", { task, attachments: ["agents/alias/goals.md"] })).toBe(
      "PATH_UNSAFE",
    );
    const linked = ["alias/inner/a.jsonl", "file.jsonl"].map((path) => ({ kind: "events", path }));
    const lines = linked.map((item) => ({ ...item, start_line: 1 }));
    await ok(ws, "tasks_evidence_capture", { task, path: "s:0", items: [...linked, ...lines], checkpoint: "docs" });
    const events = JSON.parse(logLines(ws.root).at(-1)!) as { payload: { items: object[] } };
    for (const item of events.payload.items) {
      expect(item).toMatchObject({ counts: false });
      expect(item).not.toHaveProperty("lines_sha256");
    }
    await rows(ws);
    expect(opened).toEqual([]);
  });

  it("[GUARD-22] reads nothing of a package for an entry that another program wrote", async () => {
    const { disk, opened } = watching();
    const ws = openTemp({ disk });
    await ws.init(WORKSPACE);
    const folder = placeSample(ws.root, CANCELED);
    const inside = "taskdoc.tsk/goals.md";
    write(folder, inside, "one\ntwo\n");
    const base = { title: "t", summary: "", createdAt: "2026-01-01T00:00:00Z" };
    const sources = [
      { type: "fileAnchor", path: `.coco/tasks/${CANCELED}/${inside}`, startLine: 1, endLine: 9 },
      { type: "runtimeEventRange", eventsRef: `./${inside}` },
      { type: "runtimeEventRange", eventsRef: `./${inside}`, startLine: 1, endLine: 9 },
    ];
    const kinds = ["file-anchor", "runtime-event-range", "runtime-event-range"];
    const entries = sources.map((source, i) => ({ id: `e${i}`, kind: kinds[i], ...base, sources: [source] }));
    writeFileSync(join(folder, "shared/evidence/index.json"), JSON.stringify(entries));
    await ws.repair.adopt(CANCELED);
    expect(existsSync(join(folder, inside))).toBe(true);
    opened.length = 0;
    const found = await rows(ws, CANCELED);
    expect(found.map(({ status }) => status)).toEqual(["unverifiable", "unverifiable", "unverifiable"]);
    for (const { why } of found) expect(why.join()).toContain("it lies in a Taskdoc package");
    expect(opened).toEqual([]);
    expect(ws.verify(CANCELED).findings.filter(({ code }) => code === "ANCHOR_BEYOND_FILE")).toEqual([]);
  });
});
