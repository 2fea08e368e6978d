import { describe, expect, it } from "vitest";
import { evidenceOfProof } from "../../src/rules/proof_input.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

const codes = (told: Told): string[] => (told.warnings ?? []).map((w) => w.code);
const capture = (given: Given, ...checks: string[]): Told =>
  given.call("tasks_evidence_capture", { path: "s:0", checks, checkpoint: "tests" });

describe("the proof of a macro", () => {
  it("[PROOF-1] is a receipt a line, tagged by what it looks like", () => {
    const lines = "- npm test\n* https://ci.example/1\n\n+ link:  file:///tmp/log \ncmd:make\n  HTTP://x.y";
    expect(evidenceOfProof(lines)).toEqual({
      checks: ["CMD: npm test", "LINK: https://ci.example/1", "LINK: file:///tmp/log", "CMD: make", "LINK: HTTP://x.y"],
      checkpoint: "tests",
    });
    expect(evidenceOfProof(["npm test", " ", "LINK: <fill: where>"])).toEqual({
      checks: ["CMD: npm test", "LINK: <fill: where>"],
      checkpoint: "tests",
    });
  });

  it("[PROOF-1] may be the body of an evidence call, whose other fields stay", () => {
    const body = { items: [{ kind: "run", command: "x" }], checks: ["y"], checkpoint: ["docs"] as const };
    expect(evidenceOfProof(body)).toEqual({ ...body, checks: ["CMD: y"] });
    expect(evidenceOfProof({ attachments: ["a.log"] })).toEqual({ attachments: ["a.log"], checkpoint: "tests" });
  });
});

describe("weak proof", () => {
  it("[PROOF-3] is warned of until a command and a link are there that count", () => {
    const given = givenTask("a");
    expect(codes(capture(given, "CMD: npm test"))).toEqual(["PROOF_WEAK"]);
    const told = given.call("tasks_evidence_capture", {
      path: "s:0",
      checks: ["CMD: make", "LINK: <fill: where>"],
      checkpoint: "tests",
    });
    expect(codes(told)).toEqual(["PLACEHOLDER_IGNORED", "PROOF_WEAK"]);
    expect(told.warnings!.at(-1)!.message).toContain("without a link to where its result can be read");
    expect(codes(capture(given, "LINK: https://ci.example/1"))).toEqual([]);
    expect(told.warnings!.at(-1)!.message).toContain("without a link");
    expect(codes(capture(given, "looked at it"))).toEqual(["PROOF_WEAK"]);
    expect(codes(given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: x"] }))).toEqual([]);
    expect(codes(given.call("tasks_evidence_capture", { checks: ["CMD: x"], checkpoint: "tests" }))).toEqual([]);
  });

  it("[PROOF-3] [PROOF-44] is warned of on closing where proof was asked for, and refuses nothing", () => {
    const given = givenTask("a", "b", { title: "c", proof: { tests: "require" } }, "d");
    given.call("tasks_define", { path: "s:0", proof: { tests: "warn", docs: "warn" } });
    const close = (path: string): Told => given.call("tasks_close_step", { path, checkpoints: "gate" });
    const told = close("s:0");
    expect(codes(told)).toEqual(["PROOF_WEAK", "PROOF_WEAK"]);
    expect(told.warnings!.map((w) => w.message)).toEqual([
      's:0 "a" was closed without proof of tests, which was asked for.',
      's:0 "a" was closed without proof of docs, which was asked for.',
    ]);
    expect(codes(close("s:1"))).toEqual([]);
    expect(given.refusal("tasks_close_step", { path: "s:2", checkpoints: "gate" }).code).toBe("PROOF_REQUIRED");
    given.call("tasks_evidence_capture", { path: "s:2", checks: ["CMD: npm test"], checkpoint: "tests" });
    given.call("tasks_verify", { path: "s:2", checkpoints: "gate" });
    const done = given.call("tasks_done", { path: "s:2" });
    expect(done.warnings).toMatchObject([{ code: "PROOF_WEAK" }]);
    expect(done.warnings![0]!.message).toContain("without a link");
    expect(given.step("s:2").done).toBe(true);
    given.call("tasks_define", { path: "s:3", proof: { perf: "warn" } });
    given.call("tasks_verify", { path: "s:3", checkpoints: "all" });
    given.call("tasks_block", { path: "s:3" });
    expect(codes(given.call("tasks_progress", { path: "s:3", force: true, reason: "r" }))).toEqual(["PROOF_WEAK"]);
    expect(codes(given.call("tasks_progress", { path: "s:3", completed: false }))).toEqual([]);
  });

  it("[PROOF-3] [LINT-1] is found by lint, too", () => {
    const given = givenTask({ title: "a", tests: ["t"] });
    given.call("tasks_define", { path: "s:0", proof: { docs: "warn" } });
    expect(given.call("tasks_lint", {}).result["issues"]).toMatchObject([{ code: "PROOF_WEAK", severity: "warning" }]);
  });
});

describe("anchors and commits", () => {
  const sha256 = "a".repeat(64);

  it("[CHECK-1] are kept with the digest of their lines, and are no proof where there are no such lines", () => {
    const given = givenTask("a");
    given.lines.set("src/a.ts:3-9", { state: "present", sha256, end: 9 });
    given.lines.set("src/b.ts:1-1", { state: "short", lines: 0 });
    const items = ["./src/a.ts", "src/b.ts", "src/c.ts"].map((path) => ({
      kind: "code",
      path,
      ...(path === "./src/a.ts" ? { start_line: 3, end_line: 9 } : { start_line: 1 }),
    }));
    const told = given.call("tasks_evidence_capture", { path: "s:0", items, checkpoint: "docs" });
    expect(told.events[0]!["items"]).toMatchObject([
      { lines_sha256: sha256, counts: true },
      { counts: false },
      { counts: false },
    ]);
    expect(told.warnings).toMatchObject([{ code: "ATTACHMENT_MISSING" }]);
    expect(told.warnings![0]!.message).toContain('"src/b.ts:1-1", "src/c.ts:1-1"');
    expect(given.step("s:0").linked.docs.map((l) => l.counts)).toEqual([true, false, false]);
    const [first] = given.entity().evidence;
    expect([...given.entity().facts].filter(([, facts]) => "lines" in facts)).toEqual([
      [first!.id, { by: "human:ada", lines: sha256 }],
    ]);
  });

  it("[CHECK-1] name a commit", () => {
    const given = givenTask("a");
    const told = given.call("tasks_evidence_capture", { items: [{ kind: "fix", commit: "0a1b2c3" }] });
    expect(told.events[0]!["items"]).toMatchObject([{ title: "commit 0a1b2c3", commit: "0a1b2c3", counts: true }]);
    expect(given.refusal("tasks_evidence_capture", { items: [{ kind: "x", commit: "--all" }] }).code).toBe(
      "INVALID_INPUT",
    );
  });
});
