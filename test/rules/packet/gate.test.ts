import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeGate, type GateInput } from "../../../src/rules/packet/gate.ts";
import type { AcceptanceResult } from "../../../src/state/packet.ts";
import { anyText } from "../../support/random_story.ts";

// The headings as spec/packet.md has them: a change in the source fails here.
const BRIEF_HEADINGS = ["Summary", "Acceptance", "Scope", "Constraints", "Verify Commands", "Updated Context Pack"];
const PACK_HEADINGS = [
  "0. Goal",
  "1. Non-goals",
  "2. Scope",
  "3. Acceptance",
  "4. Fixed",
  "5. Files to Read",
  "6. Prohibited Actions",
  "7. Current State",
  "8. Open Questions",
  "9. Change History",
];
const REVIEW_HEADINGS = ["Findings", "Test gaps", "Breaking changes", "Minimal fix"];
const ROLE_HEADINGS = {
  review: REVIEW_HEADINGS,
  review_consolidate: REVIEW_HEADINGS,
  runbook: ["Problem", "Plan", "Commands", "Risks"],
  static_verify: ["Pre-execution checks", "Dangerous changes", "Rollback plan", "Go/No-Go"],
  test_impl: ["Added or Updated Tests", "Unified Diff", "Rationale"],
};

const scope = { allow: ["src"], deny: ["src/secret"] };

function given(change: Partial<GateInput>): GateInput {
  const none = { changed_paths: null, applies: null, acceptance: null, commands: [] };
  return { out: "", exit_code: 0, scope, ...none, ...change };
}

const briefOf = (commands: string, text: string): string =>
  BRIEF.replace("npm test", commands).replace("## 0. Goal\nx", `## 0. Goal\n${text}`);

const judge = (role: string, change: Partial<GateInput>): string[] => judgeGate(role, given(change)).reasons;

const BRIEF = [
  ...BRIEF_HEADINGS.slice(0, 4).map((title) => `## ${title}\nx\n`),
  "## Verify Commands\n```bash\nnpm test\n```\n",
  "## Updated Context Pack\n",
  ...PACK_HEADINGS.map((title) => `## ${title}\nx\n`),
].join("\n");

const DIFF = "--- a/src/x.js\n+++ b/src/x.js\n@@ -1 +1 @@\n-a\n+b\n";

const titled = (titles: readonly string[]): string => titles.map((title) => `## ${title}\nx\n`).join("\n");

function result(command: string, exit_code = 0, timed_out = false): AcceptanceResult {
  return { command, exit_code, timed_out, duration_sec: 1, excerpt: "" };
}

describe("every gate", () => {
  it("[PACKET-60] does not judge a tool that failed", () => {
    for (const change of [{ exit_code: 3 }, { exit_code: null }, { timed_out: true }]) {
      expect(judgeGate("brief", given({ out: BRIEF, ...change }))).toMatchObject({
        judged: false,
        passed: false,
        class_if_failed: null,
      });
    }
    expect(judge("verify", { exit_code: 3 })).toEqual(["Expected the tool to end with exit code 0; found 3."]);
  });

  it("[PACKET-60] asks for an output", () => {
    for (const role of ["brief", "impl", "verify", "review", "anything"]) {
      expect(judge(role, { out: null }), role).toEqual(["Expected the output of the tool; found no file."]);
    }
    expect(judgeGate("anything", given({ refused: "no room" }))).toMatchObject({
      reasons: ["no room"],
      class_if_failed: "contract_violation",
    });
    expect(judgeGate("anything", given({}))).toMatchObject({
      judged: true,
      passed: true,
      reasons: [],
      class_if_failed: null,
    });
  });

  it("[PACKET-60] gives all reasons, and the class of the worst", () => {
    const change = { out: "prose", changed_paths: ["package.json", "src/x.js", "src/secret/k"] };
    expect(judgeGate("impl", given(change))).toMatchObject({
      judged: true,
      passed: false,
      reasons: [
        "Expected a unified diff (lines that begin with ---, +++ or @@); found none.",
        'Expected changes inside the scope; found "package.json", which scope.allow does not name.',
        'Expected changes inside the scope; found "src/secret/k", which scope.deny names by "src/secret".',
      ],
      class_if_failed: "scope_violation",
    });
    expect(judgeGate("impl", given({ out: "prose" })).class_if_failed).toBe("contract_violation");
  });

  it("[PACKET-58] a path of a diff that a mask hides is out of scope, whatever the scope allows", () => {
    const diff = (path: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
    for (const path of ["[FORBIDDEN_PATH]", "src/[REDACTED]/x", "src/a[REDACTED]"]) {
      const input = given({ out: diff(path), scope: { allow: ["."], deny: ["vault"] } });
      expect(judgeGate("impl", input), path).toMatchObject({
        passed: false,
        class_if_failed: "scope_violation",
        reasons: [
          `Expected changes inside the scope; found "${path}", whose name is masked, so that it cannot be judged.`,
        ],
      });
    }
    // What the work tree says is no masked text.
    expect(judge("impl", { out: DIFF, changed_paths: ["src/[REDACTED].md"] })).toEqual([]);
  });

  it("[PACKET-56] an output that was read in part fails where it is acted on, and is said where something is missing", () => {
    const cut = "Expected an output of at most 4194304 bytes, which the gate reads; found 5000000.";
    for (const [role, out] of [
      ["impl", DIFF],
      ["brief", BRIEF],
      ["test_impl", "No changes required."],
    ] as const)
      expect(judge(role, { out, cut_bytes: 5_000_000 }), role).toContain(cut);
    const review = titled(REVIEW_HEADINGS);
    expect(judge("review", { out: review, cut_bytes: 5_000_000 })).toEqual([]);
    expect(judge("review", { out: "## Findings\n", cut_bytes: 5_000_000 })[0]).toBe(cut);
  });

  it("[regression PACKET-283] says which lines of a refused diff a mask changed", () => {
    const masked = `Here it is.\n\n${DIFF} password = [REDACTED]\n`;
    const [reason] = judge("impl", { out: masked, applies: false });
    expect(reason).toContain("git apply --check refused it. Line 8 of the output lost text to a mask");
    expect(judgeGate("impl", given({ out: masked, applies: false })).class_if_failed).toBe("contract_violation");
    expect(judge("impl", { out: masked, applies: false, changed_paths: ["src/x.js"] })).toEqual([]);
    expect(judge("impl", { out: DIFF, applies: false, changed_paths: ["src/x.js"] })).toEqual([
      "Expected a diff that git can apply; git apply --check refused it.",
    ]);
    const block = `## Unified Diff\n\n\`\`\`diff\n${DIFF}+[FORBIDDEN_PATH]\n\`\`\`\n`;
    expect(judge("test_impl", { out: block, applies: false }).at(-1)).toContain("Line 9 of the output");
  });

  it("[PACKET-382] files of git are in no scope", () => {
    const scope = { allow: ["."], deny: [] };
    for (const path of [".git/config", ".GIT/hooks/pre-commit", "src/.git/config"])
      expect(judge("verify", { scope, changed_paths: [path] })[0], path).toContain("belongs to git");
    expect(judge("verify", { scope, changed_paths: [".gitignore", "src/git/x"] })).toEqual([]);
  });

  it("[PACKET-77] a brief whose verify commands never end fails its gate", () => {
    const broken = BRIEF.replace("npm test", "npm test\nfor f in a b; do\n  echo $f");
    const [reason] = judge("brief", { out: broken });
    expect(reason).toContain('Expected whole commands below "## Verify Commands"; found "for f in a b; do');
    expect(judge("brief", { out: BRIEF.replace("npm test", "for f in a b; do\n  echo $f\ndone") })).toEqual([]);
  });

  it("[PACKET-57] scope.deny covers a path in any case and in any form of its letters, scope.allow as it is written", () => {
    const deny = { allow: ["src"], deny: ["src/Secret", "src/caf\u00e9"] };
    for (const path of ["src/secret/k", "src/SECRET", "src/cafe\u0301/x"])
      expect(judge("verify", { scope: deny, changed_paths: [path] })[0], path).toContain("which scope.deny names");
    expect(judge("verify", { scope: deny, changed_paths: ["Src/x"] })[0]).toContain("scope.allow does not name");
  });

  it("[PACKET-61] judges what changed in the work tree, whatever the role", () => {
    for (const [role, out] of [
      ["brief", BRIEF],
      ["review", titled(REVIEW_HEADINGS)],
      ["verify", ""],
      ["impl", DIFF],
    ] as const) {
      expect(judge(role, { out, changed_paths: ["src/x.js"] }), role).toEqual([]);
      expect(judge(role, { out, changed_paths: ["src/x.js", "../x"] })[0], role).toContain('"../x"');
      expect(judge(role, { out: `${out}\n` }), role).toEqual([]);
    }
  });

  it("[PACKET-61] takes a diff in a review for a quotation", () => {
    expect(judge("review", { out: `${titled(REVIEW_HEADINGS)}${DIFF.replaceAll("src", "lib")}` })).toEqual([]);
  });

  it("[PACKET-60] is total, and says why it fails", () => {
    const role = fc.constantFrom(
      "brief",
      "impl",
      "verify",
      "review",
      "runbook",
      "test_design",
      "test_impl",
      "__proto__",
      "",
    );
    const input = fc.record({
      out: fc.option(
        fc
          .array(fc.oneof(anyText, fc.constantFrom(BRIEF, DIFF, "```diff", "~~~")), { maxLength: 6 })
          .map((texts) => texts.join("\n")),
      ),
      exit_code: fc.option(fc.constantFrom(0, 1, -1)),
      scope: fc.record({ allow: fc.array(anyText), deny: fc.array(anyText) }),
      changed_paths: fc.option(fc.array(anyText)),
      applies: fc.option(fc.boolean()),
      acceptance: fc.option(fc.array(anyText.map((text) => result(text)))),
      commands: fc.array(anyText),
    });
    fc.assert(
      fc.property(role, input, (name, given) => {
        const { passed, reasons, judged, class_if_failed } = judgeGate(name, given);
        expect(passed).toBe(reasons.length === 0);
        expect(class_if_failed === null).toBe(passed || !judged);
        expect(reasons.length).toBeLessThanOrEqual(51);
        for (const reason of reasons) expect(reason.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("the gate of a brief", () => {
  it("[PACKET-54] passes what has all headings, with any line ends", () => {
    expect(judge("brief", { out: BRIEF })).toEqual([]);
    expect(judge("brief", { out: BRIEF.replaceAll("\n", "\r\n") })).toEqual([]);
    expect(judge("brief", { out: BRIEF.replace("4. Fixed", "4. FIXED Decisions") })).toEqual([]);
  });

  it.each(BRIEF_HEADINGS)("[PACKET-54] misses ## %s unless it stands exactly so", (title) => {
    const line = `## ${title}\n`;
    for (const other of [
      "",
      `# ${title}\n`,
      `#${line}`,
      line.toLowerCase(),
      `> ${line}`,
      `## ${title}s\n`,
      `    ${line}`,
      `\`\`\`\n${line}\`\`\`\n`,
    ]) {
      const [reason = ""] = judge("brief", { out: BRIEF.replace(line, other) });
      expect(reason, other).toContain(`Expected the heading "## ${title}"`);
    }
  });

  it.each(PACK_HEADINGS)("[PACKET-54] misses ## %s unless it stands in the pack", (title) => {
    const line = `## ${title}\n`;
    for (const other of ["", `#${line}`, `## ${title.slice(3)}\n`]) {
      expect(judge("brief", { out: BRIEF.replace(line, other) })[0], other).toContain(`"## ${title}" below`);
    }
    expect(judge("brief", { out: `${line}${BRIEF.replace(line, "")}` })).toHaveLength(1);
    expect(judge("brief", { out: `${BRIEF.replace(line, "")}\n~~~\n${line}~~~\n` })).toHaveLength(1);
  });

  it("[PACKET-3] a brief fails for what the stages behind it cannot take", () => {
    expect(judge("brief", { out: briefOf(`${"true\n".repeat(99)}true`, "x".repeat(250_000)) })).toEqual([]);
    expect(judge("brief", { out: briefOf("true\n".repeat(101), "x".repeat(262_144)) })).toEqual([
      expect.stringMatching(/at most 262144 bytes; found 262\d{3}\.$/),
      "Expected at most 100 verify commands; found 101.",
    ]);
    expect(judge("brief", { out: briefOf(`echo ${"x".repeat(32_768)}`, "x") })).toEqual([
      "Expected commands of at most 32768 characters; found 32773.",
    ]);
  });

  it("[PACKET-54] finds no numbered heading behind the end of the pack", () => {
    const [before = "", after = ""] = BRIEF.split("## 9. Change History\n");
    expect(judge("brief", { out: `${before}## Notes\n## 9. Change History\n${after}` })).toHaveLength(1);
  });

  it("[PACKET-54] says what it found instead", () => {
    expect(judge("brief", { out: BRIEF.replace("## Scope\n", "### Scope\n") })).toEqual([
      'Expected the heading "## Scope", outside of code blocks; found "### Scope" in line 7.',
    ]);
    expect(judge("brief", { out: BRIEF.replace("## Constraints\n", "```\n## Constraints\n```\n") })).toEqual([
      'Expected the heading "## Constraints", outside of code blocks; found it in a code block, in line 11.',
    ]);
  });
});

describe("the gates of other roles", () => {
  it.each(Object.entries(ROLE_HEADINGS))("[PACKET-54] %s has its headings in any case", (role, titles) => {
    const more = role === "test_impl" ? "\nNo changes required.\n" : "";
    const out = `${titled(titles)}${more}`;
    expect(judge(role, { out })).toEqual([]);
    expect(judge(role, { out: out.toUpperCase() })).toEqual([]);
    expect(judge(role, { out: out.replaceAll(/^(## .*)$/gm, "$1 (3)") })).toEqual([]);
    for (const title of titles) {
      for (const other of ["", `### ${title}`, `## ${title}ish`, `> ## ${title}`, `~~~\n## ${title}\n~~~`]) {
        expect(judge(role, { out: out.replace(`## ${title}`, other) }), other).toHaveLength(1);
      }
    }
  });

  it("[PACKET-54] a test design has ten lines", () => {
    const lines = (count: number): string => "x\n".repeat(count);
    expect(judge("test_design", { out: lines(10) })).toEqual([]);
    expect(judge("test_design", { out: lines(10).trimEnd() })).toEqual([]);
    expect(judge("test_design", { out: `x${"\r\n".repeat(9)}x` })).toEqual([]);
    expect(judge("test_design", { out: `${lines(9)}${"\n".repeat(9)}` })).toEqual([
      "Expected at least 10 lines of test design; found 9.",
    ]);
    expect(judge("test_design", { out: "\n".repeat(50) })).toHaveLength(1);
  });

  it("[PACKET-56] an implementation is a diff that git takes", () => {
    expect(judge("impl", { out: DIFF })).toEqual([]);
    expect(judge("impl", { out: DIFF, applies: true })).toEqual([]);
    expect(judge("impl", { out: DIFF, applies: false })).toEqual([
      "Expected a diff that git can apply; git apply --check refused it.",
    ]);
    expect(judge("impl", { out: "" })).toHaveLength(1);
    expect(judge("impl", { out: "text\n---\ntext\n" })).toEqual([
      "Expected a diff that names a file, or a change of the work tree; found neither.",
    ]);
    expect(judge("impl", { out: "@@ -1 +1 @@\n-a\n+b\n", changed_paths: ["src/x.js"] })).toEqual([]);
  });

  it("[PACKET-57] an implementation stays inside the scope", () => {
    const renamed = "diff --git a/src/x b/lib/x\nsimilarity index 100%\nrename from src/x\nrename to lib/x\n";
    expect(judge("impl", { out: `${DIFF}${renamed}` })[0]).toContain('"lib/x", which scope.allow does not name');
    const denied = DIFF.replaceAll("src/x.js", "src/secret/x\t2026-01-01");
    expect(judgeGate("impl", given({ out: denied })).class_if_failed).toBe("scope_violation");
    expect(judge("impl", { out: DIFF.replaceAll(/[ab]\/src/g, "src"), applies: true })[0]).toContain('"x.js"');
  });

  it("[PACKET-56] proposed tests have a diff block, or say that none is needed", () => {
    const head = titled(["Added or Updated Tests", "Rationale"]);
    const judgeDiff = (text: string, change: Partial<GateInput> = {}): string[] =>
      judge("test_impl", { out: `${head}\n## Unified Diff\n${text}`, ...change });
    const block = `\`\`\`diff\n${DIFF}\`\`\`\n`;
    expect(judgeDiff(block)).toEqual([]);
    expect(judgeDiff("no diff required.")).toEqual([]);
    expect(judgeDiff("")[0]).toContain("found neither");
    expect(judgeDiff(DIFF)[0]).toContain("found neither");
    expect(judgeDiff("```diff\nNo changes required.\n```\n")[0]).toContain("in the block of the diff");
    expect(judgeDiff("```diff\n@@ -1 +1 @@\n-a\n+b\n```\n")[0]).toContain("names a file");
    expect(judgeDiff(block, { applies: false })[0]).toContain("git apply --check");
    const outside = block.replaceAll("src", "lib");
    expect(judgeDiff(outside)[0]).toContain('"lib/x.js"');
    expect(judgeDiff(`No changes required.\n${outside}`)[0]).toContain('"lib/x.js"');
  });

  it("[PACKET-59] a verification proves every command", () => {
    const commands = ["npm test", "npm run lint"];
    const all = commands.map((command) => result(command));
    expect(judge("verify", { commands, acceptance: all })).toEqual([]);
    expect(judge("verify", { commands, acceptance: all.toReversed() })).toEqual([]);
    expect(judge("verify", { commands: [] })).toEqual([]);
    expect(judge("verify", { commands, acceptance: null })).toEqual([
      'Expected a result of the acceptance command "npm test"; found that it was not run.',
      'Expected a result of the acceptance command "npm run lint"; found that it was not run.',
    ]);
    expect(judge("verify", { commands: ["a", "a"], acceptance: [result("a")] })).toHaveLength(1);
    expect(judge("verify", { commands: ["a"], acceptance: [result("a", 1)] })).toEqual([
      'Expected the acceptance command "a" to end with exit code 0; found 1.',
    ]);
    expect(judge("verify", { commands: ["a"], acceptance: [result("a", 0, true)] })[0]).toContain("ran out of time");
    expect(judgeGate("verify", given({ commands: ["a"] })).class_if_failed).toBe("contract_violation");
  });
});
