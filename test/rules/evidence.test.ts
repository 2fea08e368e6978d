import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { EvidenceEntry } from "../../src/state/evidence.ts";
import type { ToolInput } from "../../src/tools/generated/tool_types.ts";
import type { ChangeTool } from "../../src/tools/change_tool.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";

type Item = NonNullable<ToolInput<"tasks_evidence_capture">["items"]>[number];

function capture(given: Given, ...items: Item[]): EvidenceEntry[] {
  const before = given.entity().evidence.length;
  given.call("tasks_evidence_capture", { items });
  return given.entity().evidence.slice(before);
}

function payloadItems(told: Told): Record<string, unknown>[] {
  return told.events[0]!["items"] as Record<string, unknown>[];
}

describe("items", () => {
  it("[TOOL-18] [EVID-8] with a command record its execution, in . when no folder is given", () => {
    const [plain, full] = capture(
      givenTask(),
      { kind: "run", command: "npm test" },
      {
        kind: "run",
        command: "make",
        cwd: "/src",
        exit_code: 2,
        title: "the build",
        summary: "fails",
        path: "a.c",
        start_line: 1,
      },
    );
    expect(plain).toMatchObject({ kind: "command-execution", title: "npm test", summary: "" });
    expect(plain?.sources).toEqual([{ type: "commandExecution", command: "npm test", cwd: "." }]);
    expect(full).toMatchObject({ kind: "command-execution", title: "the build", summary: "fails" });
    expect(full?.sources).toEqual([{ type: "commandExecution", command: "make", cwd: "/src", exitCode: 2 }]);
  });

  it("[TOOL-18] [EVID-8] with a path and lines anchor in a file", () => {
    const [range, line] = capture(
      givenTask(),
      { kind: "code", path: "./src/a.ts", start_line: 3, end_line: 9 },
      { kind: "code", path: "src/b c.ts", start_line: 4 },
    );
    expect(range).toMatchObject({ kind: "file-anchor", title: "src/a.ts:3-9" });
    expect(range?.sources).toEqual([{ type: "fileAnchor", path: "src/a.ts", startLine: 3, endLine: 9 }]);
    expect(line?.sources).toEqual([{ type: "fileAnchor", path: "src/b c.ts", startLine: 4, endLine: 4 }]);
  });

  it("[TOOL-18] [EVID-8] that name no file stand over the log, and keep what the caller calls them", () => {
    const given = givenTask();
    const told = given.call("tasks_evidence_capture", {
      artifacts: [
        { kind: "ci", url: "https://ci.example/1", external_uri: "urn:x", meta: { kind: "own", n: [1] } },
        { kind: "doc", external_uri: "urn:y" },
        { kind: "text", content: "word ".repeat(40) },
        { kind: "remark", summary: "looked at it" },
      ],
    });
    const sources = given.entity().evidence.map((e) => e.sources[0]);
    expect(sources).toEqual(sources.map(() => ({ type: "runtimeEventRange", eventsRef: "./events.jsonl" })));
    expect(payloadItems(told)).toMatchObject([
      { label: "ci", url: "https://ci.example/1", external_uri: "urn:x", meta: { kind: "own", n: [1] }, counts: true },
      { label: "doc", url: "urn:y", title: "urn:y" },
      { label: "text", title: "word ".repeat(16).trim() },
      { label: "remark", title: "looked at it" },
    ]);
    expect(payloadItems(told)[1]).not.toHaveProperty("external_uri");
  });

  it("[EVID-54] [CHECK-1] with a path alone anchor in all lines of the file, also of one that is not there", () => {
    const given = givenTask();
    given.lines.set("docs/a.md", { state: "present", sha256: "ab", end: 7 });
    given.lines.set("docs/empty.md", { state: "present", sha256: "cd", end: 0 });
    const items = ["./docs/a.md", "docs/empty.md", "docs/gone.md"].map((path) => ({ kind: "report", path }));
    const told = given.call("tasks_evidence_capture", { items });
    expect(given.entity().evidence.map(({ kind, title, sources }) => [kind, title, ...sources])).toEqual(
      [7, 1, 1].map((endLine, i) => {
        const path = ["docs/a.md", "docs/empty.md", "docs/gone.md"][i];
        return ["file-anchor", path, { type: "fileAnchor", path, startLine: 1, endLine }];
      }),
    );
    expect(payloadItems(told).map((item) => [item["counts"], item["lines_sha256"]])).toEqual([
      [true, "ab"],
      [false, "cd"],
      [false, undefined],
    ]);
    expect(told.warnings).toMatchObject([
      { code: "ATTACHMENT_MISSING", message: expect.stringContaining('"docs/empty.md", "docs/gone.md"') },
    ]);
  });

  it("[EVID-54] [EVID-8] [EVID-3] that name events of the task stand on that file, with lines or without", () => {
    const given = givenTask();
    const events = "agents/w1/runtime/events.jsonl";
    given.files.set(events, { state: "present", size: 9, sha256: "ab", lines: 3 });
    given.lines.set(`./${events}:2-3`, { state: "present", sha256: "cd", end: 3 });
    const paths = [`./${events}`, events, `.coco/tasks/TASK-001/${events}`];
    const items = paths.map((path) => ({ kind: "events", path }));
    const told = given.call("tasks_evidence_capture", {
      items: [...items, { kind: "log", path: events, start_line: 2, end_line: 3 }],
      attachments: [events],
    });
    const source = { type: "runtimeEventRange", eventsRef: `./${events}` };
    expect(given.entity().evidence.map(({ kind, sources }) => [kind, ...sources])).toEqual(
      [source, source, source, { ...source, startLine: 2, endLine: 3 }, source].map((one) => [
        "runtime-event-range",
        one,
      ]),
    );
    expect(given.entity().evidence.map((entry) => entry.artifactRefs)).toEqual(Array(5).fill([`./${events}`]));
    expect(payloadItems(told).map(({ counts, lines_sha256 }) => [counts, lines_sha256])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, undefined],
      [true, "cd"],
      [true, undefined],
    ]);
    expect(told.warnings ?? []).toEqual([]);
  });

  it("[EVID-54] decide by their kind where both folders have the file, and by the task where neither has", () => {
    const given = givenTask();
    given.files.set("a.jsonl", { state: "present", size: 9, sha256: "ab", lines: 3 });
    given.lines.set("a.jsonl", { state: "present", sha256: "cd", end: 3 });
    const [mine, repository, none, other, another] = capture(
      given,
      { kind: "runtimeEventRange", path: "a.jsonl" },
      { kind: "data", path: "a.jsonl" },
      { kind: "events", path: "none.jsonl" },
      { kind: "events", path: "agents/w1/out.log" },
      { kind: "events", path: ".coco/tasks/TASK-002/a.jsonl" },
    );
    expect(mine?.sources).toEqual([{ type: "runtimeEventRange", eventsRef: "./a.jsonl" }]);
    expect(repository?.sources).toEqual([{ type: "fileAnchor", path: "a.jsonl", startLine: 1, endLine: 3 }]);
    expect(none?.sources).toEqual([{ type: "runtimeEventRange", eventsRef: "./none.jsonl" }]);
    expect(none?.artifactRefs).toBeUndefined();
    expect([other, another].map((entry) => entry?.sources[0]?.type)).toEqual(["fileAnchor", "fileAnchor"]);
  });

  it("[TOOL-18] refuses lines that are none", () => {
    const given = givenTask();
    const code = (item: Item): string => given.refusal("tasks_evidence_capture", { items: [item] }).code;
    expect(code({ kind: "x", path: "a", start_line: 0 })).toBe("INVALID_INPUT");
    expect(code({ kind: "x", path: "a", start_line: 5, end_line: 4 })).toBe("INVALID_INPUT");
    expect(code({ kind: "x", path: "a", end_line: 4 })).toBe("INVALID_INPUT");
    expect(code({ kind: "x", start_line: 1 })).toBe("INVALID_INPUT");
  });

  it("[TOOL-18] [EVID-14] keep every output as a blob with its digest, size and first 2,000 characters", () => {
    const given = givenTask();
    const long = `🚀${"x".repeat(3_000)}`;
    const told = given.call("tasks_evidence_capture", {
      items: [
        { kind: "run", command: "a", stdout: "same\n", stderr: "same\n", diff: "", content: long },
        { kind: "run", command: "b", stdout: "same\n" },
      ],
    });
    const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
    expect(told.blobs.map((b) => b.sha256).toSorted()).toEqual([digest("same\n"), digest(long)].toSorted());
    for (const { sha256, bytes } of told.blobs) expect(digest(Buffer.from(bytes).toString())).toBe(sha256);
    const [first] = payloadItems(told);
    expect(first).toMatchObject({ stdout: { size: 5, excerpt: "same\n" }, content: { size: 3_004 } });
    expect((first!["content"] as { excerpt: string }).excerpt).toBe(`🚀${"x".repeat(1_999)}`);
    expect(first).not.toHaveProperty("diff");
    expect(given.entity().evidence[0]?.artifactRefs).toEqual([`./shared/evidence/blobs/${digest(long)}`]);
  });

  it("[EVID-3] [TOOL-10] have a title of one line and at most 200 characters, never empty", () => {
    const titles = capture(
      givenTask(),
      { kind: "x", title: "y".repeat(500) },
      { kind: "x", title: " ", command: "line one\n  line two" },
      { kind: " ", exit_code: 0 },
    ).map((e) => e.title);
    expect(titles).toEqual([`${"y".repeat(199)}…`, "line one line two", "evidence"]);
  });

  it("[TOOL-18] [PROOF-5] that are still to be filled in are left out; real output that has such a word is not", () => {
    const given = givenTask("a");
    const told = given.call("tasks_evidence_capture", {
      path: "s:0",
      items: [
        { kind: "run", command: "npm test", stdout: "<svg><fill-rule/></svg>" },
        { kind: "run", title: "<fill: title>", content: "real" },
        { kind: "run", content: " <fill: paste it> " },
      ],
      checkpoint: "tests",
    });
    expect(payloadItems(told)).toMatchObject([{ command: "npm test", counts: true }]);
    expect(told.blobs).toHaveLength(1);
    expect(given.step("s:0").linked.tests.map((l) => l.counts)).toEqual([true]);
    expect(told.warnings).toMatchObject([
      { code: "PLACEHOLDER_IGNORED", message: expect.stringContaining('"<fill: title>", "<fill: paste it>"') },
    ]);
  });

  it("[PROOF-5] that are all still to be filled in are refused, and require nothing", () => {
    const given = givenTask("a");
    const bodies = [
      { checks: ["CMD: <fill: the command>", " link:", ""] },
      { items: [{ kind: "run", command: "<fill: x>" }] },
      { attachments: ["<fill: path>"] },
    ];
    given.files.set("<fill: path>", { state: "present", size: 0, sha256: "cd", lines: 1 });
    for (const body of bodies) {
      const error = given.refusal("tasks_evidence_capture", { path: "s:0", checkpoint: "docs", ...body });
      expect([error.code, error.message]).toEqual(["INVALID_INPUT", expect.stringMatching(/found only "/)]);
    }
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(given.step("s:0").done).toBe(true);
  });
});

describe("checkpoints of a capture", () => {
  it("[TOOL-18] are one or a list of the five, and are linked on a step", () => {
    const given = givenTask("a");
    const capture = (checkpoint: unknown, at = { path: "s:0" } as object) =>
      given.call("tasks_evidence_capture", { ...at, checks: ["CMD: audit"], checkpoint } as never);
    capture("security");
    capture(["criteria", "tests", "perf", "docs"]);
    const { linked } = given.step("s:0");
    const counts = (["criteria", "tests", "security", "perf", "docs"] as const).map((c) => linked[c].length);
    expect(counts).toEqual([1, 1, 1, 1, 1]);
    const bad = { path: "s:0", checks: ["CMD: x"] };
    for (const checkpoint of ["speed", ["docs", "speed"], 1]) {
      const error = given.refusal("tasks_evidence_capture", { ...bad, checkpoint } as never);
      expect(error.code).toBe("INVALID_INPUT");
    }
    const whole = capture(["docs"], {});
    expect(whole.events[0]).toMatchObject({ step_id: null, checkpoints: ["docs"] });
    expect(given.step("s:0").linked.docs).toHaveLength(1);
  });
});

describe("checks", () => {
  it("[TOOL-18] [PROOF-34] are receipts of commands and links, or sentences, which prove nothing", () => {
    const given = givenTask();
    const checks = [
      "cmd:npm test",
      " LINK : https://ci.example/1 ",
      "looked at the diff",
      "",
      "CMD: <fill: x>",
      "Link:",
    ];
    const told = given.call("tasks_evidence_capture", { checks });
    expect(payloadItems(told)).toMatchObject([
      {
        kind: "command-execution",
        title: "npm test",
        command: "npm test",
        cwd: ".",
        summary: "cmd:npm test",
        counts: true,
      },
      { kind: "runtime-event-range", title: "https://ci.example/1", url: "https://ci.example/1", counts: true },
      { kind: "runtime-event-range", title: "looked at the diff", counts: false },
    ]);
    expect(told.warnings).toMatchObject([
      { code: "PLACEHOLDER_IGNORED", message: expect.stringContaining("<fill: x>") },
    ]);
  });
});

describe("attachments", () => {
  it("[TOOL-18] [EVID-14] name files of the task folder; one that is not there is no proof and no artifactRef", () => {
    const given = givenTask("a");
    given.files.set("agents/w1/out.log", { state: "present", size: 12, sha256: "ab", lines: 1 });
    given.files.set("<fill: path>", { state: "present", size: 0, sha256: "cd", lines: 1 });
    const attachments = ["./agents/w1/out.log", "agents/w1/out.log", "agents/w1/gone.log", "<fill: path>"];
    const told = given.call("tasks_evidence_capture", { path: "s:0", attachments, checkpoint: "docs" });
    expect(payloadItems(told)).toMatchObject([
      { counts: true, attachment: { path: "./agents/w1/out.log", size: 12, sha256: "ab" } },
      { counts: false, attachment: { path: "./agents/w1/gone.log", missing: true } },
    ]);
    expect(told.warnings?.map((w) => w.code)).toEqual(["PLACEHOLDER_IGNORED", "ATTACHMENT_MISSING"]);
    const refs = given.entity().evidence.map((e) => e.artifactRefs);
    expect(refs).toEqual([["./agents/w1/out.log"], undefined]);
  });

  it("[EVID-54] are links if they are addresses", () => {
    const given = givenTask("a");
    const url = "https://ci.example/7";
    const attachments = [url, url, "HTTP://ci.example/8"];
    const told = given.call("tasks_evidence_capture", { path: "s:0", attachments, checkpoint: "tests" });
    const links = given.call("tasks_evidence_capture", { path: "s:0", checks: [`LINK: ${url}`], checkpoint: "tests" });
    expect(payloadItems(told)).toHaveLength(2);
    expect(payloadItems(told)[0]).toEqual(payloadItems(links)[0]);
    expect(payloadItems(told)[1]).toMatchObject({ counts: true, url: "HTTP://ci.example/8" });
    expect(told.warnings ?? []).toEqual([]);
    const items = [{ kind: "run", command: "npm test" }];
    given.call("tasks_evidence_capture", { path: "s:0", artifacts: items });
    expect(given.entity().evidence.at(-1)).toMatchObject({ kind: "command-execution", title: "npm test" });
  });

  it("[TOOL-19] [EVID-8] are refused outside the task folder, and item paths outside the repository", () => {
    const given = givenTask();
    given.files.set("agents/link", { state: "unsafe", why: "it is a link" });
    const unsafe = [
      "/etc/passwd",
      "C:/x",
      "c:x",
      "//host/share",
      "\\\\host\\share",
      "a\\b",
      "../x",
      "a/../b",
      "a/..",
      "..",
      "a//b",
      "./",
      "././a",
      "a/",
      "a/./b",
      "a\0b",
      "a\nb",
      "\ud800",
    ];
    for (const path of unsafe) {
      const name = JSON.stringify(path);
      expect(given.refusal("tasks_evidence_capture", { attachments: [path] }).code, name).toBe("PATH_UNSAFE");
      const item = { kind: "code", path, start_line: 1 };
      const { code } = given.refusal("tasks_evidence_capture", { items: [item] });
      expect(code, name).toMatch(path === "\ud800" ? "INVALID_INPUT" : "PATH_UNSAFE");
    }
    expect(given.refusal("tasks_evidence_capture", { attachments: ["agents/link"] }).code).toBe("PATH_UNSAFE");
    for (const path of ["..a", "a..b", "...", ".git/x", "a b/ü.txt"])
      given.call("tasks_evidence_capture", { attachments: [path] });
  });
});

describe("evidence and a Taskdoc", () => {
  it.each(["taskdoc.tsk/goals.md", "./taskdoc.tsk/goals.md", "a/X.TSK", "n\u043Ete.t\u0455k /a.md"])(
    "[GUARD-22] points into no package: %s",
    (path) => {
      const given = givenTask();
      const facts = (TOOLS["tasks_evidence_capture"] as ChangeTool).facts!;
      for (const input of [
        { attachments: [path] },
        { items: [{ kind: "code", path, start_line: 1 }] },
        { artifacts: [{ kind: "code", path, start_line: 1, end_line: 2 }] },
        { items: [{ kind: "report", path }] },
      ]) {
        const { code, message } = given.refusal("tasks_evidence_capture", input);
        expect([code, message]).toEqual([
          "TASKDOC_ENCAPSULATED",
          expect.stringContaining("Expected evidence outside of Taskdoc packages (*.tsk/), found ") as string,
        ]);
        const { anchors = [], files = [] } = facts(input as never, given.subject("TASK-001"));
        const asked = [...anchors, ...files];
        expect(asked, "facts that the engine reads").toEqual([]);
      }
      given.call("tasks_evidence_capture", { items: [{ kind: "code", path: "a.tsk.md", start_line: 1 }] });
    },
  );
});

describe("captures", () => {
  it("[TOOL-19] hold 1 to 20 pieces, each of at most 256,000 bytes of text", () => {
    const given = givenTask();
    const code = (more: object): string => given.refusal("tasks_evidence_capture", more).code;
    const item: Item = { kind: "x", summary: "s" };
    const many = (count: number): Item[] => Array.from({ length: count }, () => item);
    given.call("tasks_evidence_capture", { items: many(18), checks: ["a", ""], attachments: ["b"] });
    expect(code({ items: many(19), checks: ["a"], attachments: ["b"] })).toBe("INVALID_INPUT");
    expect(code({ items: many(3), max_items: 2 })).toBe("INVALID_INPUT");
    expect(code({ items: many(21), max_items: 30 })).toBe("INVALID_INPUT");
    for (const nothing of [{}, { items: [] }, { checks: [" "] }, { checkpoint: "tests" }]) {
      expect(code(nothing)).toBe("INVALID_INPUT");
    }
    expect(code({ items: [{ kind: "x" }] })).toBe("INVALID_INPUT");
    expect(code({ items: [item], artifacts: [item] })).toBe("INVALID_INPUT");
    given.call("tasks_evidence_capture", { items: [{ kind: "xx", stdout: "é".repeat(127_999) }] });
    expect(code({ items: [{ kind: "xxx", stdout: "é".repeat(127_999) }] })).toBe("CONTENT_TOO_LARGE");
    expect(code({ items: [{ kind: "x", stdout: "y".repeat(100_000), stderr: "y".repeat(160_000) }] })).toBe(
      "CONTENT_TOO_LARGE",
    );
    expect(code({ items: [{ kind: "x", summary: "s", meta: { a: "y".repeat(256_000) } }] })).toBe("CONTENT_TOO_LARGE");
    expect(code({ checks: ["123456"], max_artifact_bytes: 5 })).toBe("CONTENT_TOO_LARGE");
    expect(code({ items: [{ kind: "x", stdout: "y".repeat(256_001) }], max_artifact_bytes: 900_000 })).toBe(
      "CONTENT_TOO_LARGE",
    );
  });

  it("[TOOL-10] refuse text that is not well formed and data that is not exact", () => {
    const given = givenTask();
    for (const item of [{ stdout: "\ud800" }, { command: "\udc00" }, { summary: "s", meta: { a: 0.5 } }]) {
      const items = [{ kind: "x", ...item }] as Item[];
      expect(given.refusal("tasks_evidence_capture", { items }).code).toBe("INVALID_INPUT");
    }
  });

  it("[EVID-4] [EVID-16] reply with ids that entries have, and with tokens to cite them", () => {
    const given = givenTask("a");
    given.call("tasks_evidence_capture", { checks: ["before"] });
    const told = given.call("tasks_evidence_capture", {
      path: "s:0",
      checks: ["CMD: npm test", "looked"],
      items: [{ kind: "code", path: "a.ts", start_line: 1 }],
      checkpoint: ["docs", "tests", "docs"],
    });
    expect(types(told)).toEqual(["evidence_captured"]);
    expect(told.events[0]).toMatchObject({ checkpoints: ["tests", "docs"] });
    const entries = given.entity().evidence.slice(1);
    expect(told.result["evidence"]).toEqual(entries.map(({ id, kind, title }) => ({ id, kind, title })));
    expect(told.result["cite"]).toEqual(entries.map(({ id }) => `evidence:${id}`));
    expect(entries.map((e) => e.id)).toEqual([
      expect.stringMatching(/^file-[0-9a-f]{20}-1$/),
      expect.stringMatching(/^cmd-[0-9a-f]{20}-2$/),
      expect.stringMatching(/^log-[0-9a-f]{20}-3$/),
    ]);
    expect(given.step("s:0").linked.docs).toHaveLength(3);
    expect(told.result["step"]).toMatchObject({ path: "s:0", done: false });
  });
});

describe("looking at evidence again", () => {
  it("[CHECK-2] takes the evidence of a step, and ids in either form; an id that is none is refused", () => {
    const given = givenTask("a", "b");
    for (const path of ["s:0", "s:1"])
      given.call("tasks_evidence_capture", { path, checks: [`CMD: test ${path}`], checkpoint: "tests" });
    given.call("tasks_evidence_capture", { checks: ["CMD: npm run lint"] });
    const ids = (more: object): string[] => {
      const { evidence } = given.call("tasks_evidence_verify", more).result as { evidence: { id: string }[] };
      return evidence.map(({ id }) => id);
    };
    const [first, second, third] = ids({}) as [string, string, string];
    expect(third).toBeDefined();
    expect([ids({ path: "s:0" }), ids({ path: "s:1" })]).toEqual([[first], [second]]);
    expect(ids({ evidence: [third, `evidence:${first}`] })).toEqual([first, third]);
    expect(ids({ path: "s:0", evidence: [second] })).toEqual([]);
    const error = given.refusal("tasks_evidence_verify", { evidence: [first, "cmd-x"] });
    expect(error.code).toBe("UNKNOWN_ID");
    expect(error.message).toMatch(/TASK-001, found cmd-x\.$/);
    expect(error.suggestions).toMatchObject([{ tool: "tasks_evidence_verify" }]);
  });
});

describe("ids that a caller gives", () => {
  const items: Item[] = [{ kind: "run", command: "npm test", evidence_id: "unit-tests" }];

  it("[EVID-56] are those of the entries, and are cited; the others get their own", () => {
    const given = givenTask("a");
    const told = given.call("tasks_evidence_capture", {
      path: "s:0",
      items,
      checks: ["CMD: make"],
      checkpoint: "tests",
    });
    expect(told.result["cite"]).toEqual([
      "evidence:unit-tests",
      expect.stringMatching(/^evidence:cmd-[0-9a-f]{20}-2$/),
    ]);
    expect(given.step("s:0").linked.tests.map(({ evidence }) => evidence)[0]).toBe("unit-tests");
    const { evidence } = given.call("tasks_evidence_verify", { evidence: ["evidence:unit-tests"] }).result;
    expect(evidence).toMatchObject([{ id: "unit-tests" }]);
    given.call("tasks_evidence_capture", { checks: ["LINK: https://ci.example/1"], evidence_id: "ci-42" });
    expect(given.entity().evidence.at(-1)?.id).toBe("ci-42");
  });

  it("[EVID-56] are taken once: no entry is replaced", () => {
    const given = givenTask();
    given.call("tasks_evidence_capture", { items });
    const before = given.entity().evidence;
    for (const more of [{ items }, { checks: ["CMD: x"], evidence_id: "unit-tests" }]) {
      const { code, message } = given.refusal("tasks_evidence_capture", more);
      expect([code, message]).toEqual([
        "ID_TAKEN",
        "Expected an id that no evidence of TASK-001 has, found unit-tests.",
      ]);
    }
    const twice = items.map((item) => ({ ...item, evidence_id: "b" }));
    expect(given.refusal("tasks_evidence_capture", { items: [...twice, ...twice] }).code).toBe("ID_TAKEN");
    expect(given.entity().evidence).toEqual(before);
  });

  it.each(["Unit", "a b", "a--b", "-a", "a-", "", "\u00e4", "a".repeat(65), "cmd-0a1b2c3d-1", "log-00000000-12"])(
    "[EVID-56] are refused in any other form: %j",
    (evidence_id) => {
      const given = givenTask();
      const item = { kind: "x", command: "y" };
      for (const input of [{ items: [{ ...item, evidence_id }] }, { items: [item], evidence_id }])
        expect(given.refusal("tasks_evidence_capture", input).code).toBe("INVALID_INPUT");
    },
  );

  it("[EVID-56] of a call are for the one piece that it captures", () => {
    const given = givenTask();
    for (const input of [
      { checks: ["CMD: a", "CMD: b"], evidence_id: "c" },
      { items, evidence_id: "c" },
    ])
      expect(given.refusal("tasks_evidence_capture", input).code).toBe("INVALID_INPUT");
  });
});

describe("proof", () => {
  const NO_PROOF: [string, object][] = [
    ["a title", { items: [{ kind: "x", title: "all green" }] }],
    ["a summary", { items: [{ kind: "x", summary: "looked at it" }] }],
    ["data", { items: [{ kind: "x", meta: { ok: true } }] }],
    ["an exit code", { items: [{ kind: "x", exit_code: 0 }] }],
    [
      "all of these, and blanks",
      { items: [{ kind: "x", title: "t", command: " ", content: "\n", meta: {}, exit_code: 0 }] },
    ],
    ["a sentence", { checks: ["looked at it"] }],
    ["a file that is not there", { items: [{ kind: "report", path: "does/not/exist.txt" }] }],
    ["lines that are not there", { items: [{ kind: "code", path: "gone.ts", start_line: 1 }] }],
    ["a command beside a file that is not there", { items: [{ kind: "run", command: "npm test", path: "gone.xml" }] }],
    ["events that are not there", { items: [{ kind: "events", path: "agents/w1/runtime/events.jsonl" }] }],
    ["an attachment that is not there", { attachments: ["agents/w1/out.log"] }],
    ["a link in the repository", { items: [{ kind: "report", path: "link.md" }] }],
    ["lines behind a link", { items: [{ kind: "code", path: "link.md", start_line: 1 }] }],
    ["a commit that is not there", { items: [{ kind: "fix", commit: "0123456789" }] }],
    ["a run that failed", { items: [{ kind: "run", command: "npm test", exit_code: 1 }] }],
  ];

  function required(): Given {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    const isLink = { state: "unsafe", why: "link.md is a link" } as const;
    given.lines.set("link.md", isLink);
    given.lines.set("link.md:1-1", isLink);
    given.lines.set("there.md", { state: "present", sha256: "ab", end: 1 });
    given.commits.set("0123456789", false);
    given.commits.set("9876543210", true);
    return given;
  }

  it.each(NO_PROOF)("[PROOF-34] [STEP-8] is not %s: it is recorded with a warning", (_name, input) => {
    const given = required();
    const told = given.call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", ...input });
    expect(payloadItems(told)).toMatchObject([{ counts: false }]);
    const codes = (told.warnings ?? []).map(({ code }) => code);
    expect(["PROOF_WEAK", "ATTACHMENT_MISSING", "PROOF_FAILED"]).toContain(codes[0]);
    const { code } = given.refusal("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(code).toMatch(/^PROOF_(REQUIRED|FAILED)$/);
  });

  it.each([
    ["a command", { checks: ["CMD: npm test"] }],
    ["a link", { items: [{ kind: "ci", url: "https://ci.example/1" }] }],
    ["content", { items: [{ kind: "log", content: "12 passed" }] }],
    ["output", { items: [{ kind: "log", stderr: "12 passed" }] }],
    ["a difference", { items: [{ kind: "patch", diff: "-a\n+b\n" }] }],
    ["a file that is there", { items: [{ kind: "report", path: "there.md" }] }],
    ["a commit that is there", { items: [{ kind: "fix", commit: "9876543210" }] }],
    ["a commit of which git cannot tell", { items: [{ kind: "fix", commit: "abcdef0123" }] }],
  ])("[PROOF-34] [CHECK-1] is %s", (_name, input) => {
    const given = required();
    given.call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", ...input });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(given.step("s:0").done).toBe(true);
  });

  it("[PROOF-34] is not asked for without a checkpoint: a remark is recorded without a word", () => {
    const told = givenTask("a").call("tasks_evidence_capture", { path: "s:0", items: [{ kind: "x", summary: "s" }] });
    expect(told.warnings ?? []).toEqual([]);
  });
});
