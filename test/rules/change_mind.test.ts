import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { taskdocPolicyCopy } from "../../src/state/taskdoc_policy.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const EMPTY = sha("");

function content(given: Given, key: string): string | undefined {
  return given.entity().taskdoc.get(key)?.content;
}

describe("change_mind", () => {
  it("[TASKDOC-8] replaces one section whole, by one event, and nothing else", () => {
    const given = givenTask("a");
    given.call("change_mind", { selector: "goals", content: "first\n" });
    const before = structuredClone([...given.entity().taskdoc]);
    const told = given.call("change_mind", { selector: "progress", content: "- [ ] a\n" });
    expect(types(told)).toEqual(["taskdoc_changed"]);
    expect(told.result).toMatchObject({
      task: "TASK-001",
      revision: 3,
      category: null,
      selector: "progress",
      path: "taskdoc.tsk/progress.md",
      bytes: 8,
      sha256: sha("- [ ] a\n"),
      previous_sha256: EMPTY,
      event: { type: "taskdoc_changed", message: "Replaced progress of the Taskdoc (8 bytes)." },
    });
    expect(JSON.stringify(told.result)).not.toContain("- [ ] a");
    expect([...given.entity().taskdoc].slice(0, 1)).toEqual(before);
    const { status, title, notes } = given.entity();
    expect({ status, title, notes }).toEqual({ status: "TODO", title: "Write the parser", notes: [] });
    given.call("change_mind", { selector: "goals", category: "", content: "second" });
    expect(content(given, "goals.md")).toBe("second");
  });

  it("[TASKDOC-8] works on plans", () => {
    const given = givenTask("a");
    given.call("change_mind", { plan: "PLAN-001", selector: "goals", content: "of the plan" });
    expect(given.entity("PLAN-001").taskdoc.get("goals.md")?.content).toBe("of the plan");
    expect(content(given, "goals.md")).toBeUndefined();
  });

  it("[TASKDOC-9] keeps the text exactly", () => {
    const given = givenTask("a");
    for (const text of ["\uFEFFa\r\nb\r\n\r\n", "    code\n", "a\u2028b", "## Progress\n", "x", "🚀\n\n\n", " x "]) {
      given.call("change_mind", { category: "ux", selector: "odd", content: text });
      expect(content(given, "ux/odd.md")).toBe(text);
      expect(given.call("recall_taskdoc", { category: "ux", selector: "odd" }).result).toMatchObject({
        content: text,
        bytes: Buffer.byteLength(text),
        sha256: sha(text),
      });
    }
  });

  it("[TASKDOC-9] refuses content that is missing or blank, or that is no text", () => {
    const given = givenTask("a");
    const codeOf = (text?: string): string =>
      given.refusal("change_mind", { selector: "goals", ...(text === undefined ? {} : { content: text }) }).code;
    expect(codeOf()).toBe("TASKDOC_CONTENT_REQUIRED");
    for (const blank of ["", " ", "\n\t \r\n", "\uFEFF", "\u3000"]) expect(codeOf(blank)).toBe("TASKDOC_CONTENT_EMPTY");
    for (const odd of ["a\0b", "a\ud800b", "\udc00"]) expect(codeOf(odd)).toBe("TASKDOC_CONTENT_NOT_TEXT");
    const { recovery } = given.refusal("change_mind", { selector: "progress" });
    expect(recovery).toBe('An input that works: {"selector":"progress","content":"- first item\\n- second item\\n"}');
  });

  it("[TASKDOC-9] takes 256 KiB of UTF-8 and not a byte more", () => {
    const given = givenTask("a");
    const most = "é".repeat(128 * 1024);
    given.call("change_mind", { selector: "goals", content: most });
    expect(given.refusal("change_mind", { selector: "goals", content: `${most}x` }).code).toBe(
      "TASKDOC_CONTENT_TOO_LARGE",
    );
  });

  it("[TASKDOC-12] clears on purpose only, and only what holds text", () => {
    const given = givenTask("a");
    expect(given.refusal("change_mind", { selector: "goals", clear: true }).code).toBe("ALREADY_DONE");
    expect(given.refusal("change_mind", { category: "ux", selector: "x", clear: true }).code).toBe(
      "TASKDOC_SECTION_MISSING",
    );
    given.call("change_mind", { selector: "goals", content: "win" });
    expect(given.refusal("change_mind", { selector: "goals", clear: true, content: "" }).code).toBe("INVALID_INPUT");
    expect(given.refusal("change_mind", { selector: "goals", clear: false }).code).toBe("TASKDOC_CONTENT_REQUIRED");
    const told = given.call("change_mind", { selector: "goals", clear: true });
    expect(told.result).toMatchObject({ bytes: 0, sha256: EMPTY, previous_sha256: sha("win") });
    expect(content(given, "goals.md")).toBe("");
    expect(given.refusal("change_mind", { selector: "goals", clear: true }).code).toBe("ALREADY_DONE");
  });

  it("[TASKDOC-13] replaces only what the caller has seen, when it says what that is", () => {
    const given = givenTask("a");
    const section = { category: "ux", selector: "list" };
    given.by = "agent:one";
    given.call("change_mind", { ...section, content: "one", previous_content_hash: EMPTY });
    given.by = "agent:two";
    const late = given.refusal("change_mind", { ...section, content: "two", previous_content_hash: EMPTY });
    expect(late.code).toBe("TASKDOC_HASH_MISMATCH");
    expect(late.details).toMatchObject({
      current_content_hash: sha("one"),
      current_content: "one",
      updated_by: "agent:one",
      updated_revision: 2,
      expected: EMPTY,
    });
    expect(late.suggestions).toMatchObject([{ tool: "recall_taskdoc", args: section }]);
    given.call("change_mind", { ...section, content: "both", previous_content_hash: sha("one") });
    expect(content(given, "ux/list.md")).toBe("both");
    for (const hash of ["", "abc", sha("both").toUpperCase()])
      expect(given.refusal("change_mind", { ...section, content: "x", previous_content_hash: hash }).code).toBe(
        "TASKDOC_HASH_MISMATCH",
      );
  });

  it("[TASKDOC-13] says that the text of now is longer than what it shows of it", () => {
    const given = givenTask("a");
    const late = { selector: "goals", content: "x", previous_content_hash: EMPTY };
    given.call("change_mind", { selector: "goals", content: "é".repeat(8_000) });
    expect(given.refusal("change_mind", late).details).not.toHaveProperty("current_content_cut");
    given.call("change_mind", { selector: "goals", content: "é".repeat(8_001) });
    const { details } = given.refusal("change_mind", late);
    expect(details).toMatchObject({ current_content_cut: true, current_bytes: 16_002 });
    expect(details?.["current_content"]).toMatch(/^é{7999}…$/);
  });

  it("[TASKDOC-3] refuses a name that differs from one that is there in case alone", () => {
    const given = givenTask("a");
    given.call("change_mind", { category: "ux", selector: "list", content: "x" });
    const twin = given.refusal("change_mind", { category: "UX", selector: "other", content: "x" });
    expect([twin.code, twin.details?.["allowed"]]).toEqual(["TASKDOC_CATEGORY_INVALID", ["ux"]]);
    expect(given.refusal("change_mind", { category: "ux", selector: "List", content: "x" }).code).toBe(
      "TASKDOC_SELECTOR_INVALID",
    );
    expect(given.refusal("recall_taskdoc", { category: "UX", selector: "list" }).code).toBe("TASKDOC_SECTION_MISSING");
    given.call("change_mind", { category: "api", selector: "LIST", content: "x" });
  });

  it("[TASKDOC-8] undo passes over it, and cannot be told to take it back", () => {
    const given = givenTask("a");
    given.call("tasks_edit", { title: "Another title" });
    const told = given.call("change_mind", { selector: "goals", content: "kept" });
    const op = told.events[0]!.event_id;
    expect(given.refusal("tasks_undo", { op }).code).toBe("NOTHING_TO_UNDO");
    given.call("tasks_undo", {});
    expect(given.entity().title).toBe("Write the parser");
    expect(content(given, "goals.md")).toBe("kept");
    given.call("change_mind", { selector: "goals", content: "newer" });
    given.call("tasks_redo", {});
    expect(content(given, "goals.md")).toBe("newer");
  });
});

describe("recall_taskdoc", () => {
  it("[TASKDOC-18] reads what is not at the top", () => {
    const given = givenTask("a");
    given.by = "agent:one";
    given.call("change_mind", { category: "bearinmind", selector: "grants", content: "- none\n" });
    const told = given.call("recall_taskdoc", { category: "bearinmind", selector: "grants" });
    expect(told.events).toEqual([]);
    expect(told.result).toEqual({
      task: "TASK-001",
      kind: "task",
      revision: 2,
      head: given.subject("TASK-001").head,
      category: "bearinmind",
      selector: "grants",
      path: "taskdoc.tsk/bearinmind/grants.md",
      content: "- none\n",
      bytes: 7,
      sha256: sha("- none\n"),
      updated_at: expect.stringMatching(/^2026-/) as string,
      updated_by: "agent:one",
      updated_revision: 2,
    });
  });

  it("[TASKDOC-18] refuses the three at the top, what is not there, and names as change_mind does", () => {
    const given = givenTask("a");
    given.call("change_mind", { selector: "goals", content: "win" });
    const codeOf = (category: string, selector: string): string =>
      given.refusal("recall_taskdoc", { category, selector }).code;
    expect(codeOf("", "goals")).toBe("TASKDOC_SECTION_INJECTED");
    expect(codeOf("ux", "goals")).toBe("TASKDOC_SELECTOR_RESERVED_TOP_LEVEL");
    expect(codeOf("ux", "contracts")).toBe("TASKDOC_SELECTOR_RESERVED_BEARINMIND");
    expect(codeOf("../..", "passwd")).toBe("TASKDOC_CATEGORY_INVALID");
    expect(codeOf("ux", "../goals")).toBe("TASKDOC_SELECTOR_INVALID");
    expect(codeOf("bearinmind", "risks")).toBe("TASKDOC_SECTION_MISSING");
    given.call("change_mind", { category: "ux", selector: "list", content: "x" });
    const missing = given.refusal("recall_taskdoc", { category: "ux", selector: "other" });
    expect(missing.details).toMatchObject({ sections: ["ux/list"] });
    expect(missing.recovery).toContain("ux/list");
  });

  it("[TASKDOC-18] cuts the text to max_chars and says so", () => {
    const given = givenTask("a");
    given.call("change_mind", { category: "ux", selector: "list", content: "🚀".repeat(3000) });
    const { result, warnings } = given.call("recall_taskdoc", { category: "ux", selector: "list", max_chars: 1000 });
    expect(Array.from(JSON.stringify(result)).length).toBeLessThanOrEqual(1000);
    expect(result["content"]).toMatch(/^(🚀)+…$/u);
    expect(result).toMatchObject({ bytes: 12_000, budget: { truncated: ["content"] } });
    expect(warnings?.map((w) => w.code)).toEqual(["BUDGET_TRUNCATED"]);
  });
});

describe("what agents are told", () => {
  it("[TASKDOC-20] both descriptions have the restrictions and the rules of injection, whole", () => {
    for (const name of ["change_mind", "recall_taskdoc"])
      expect(TOOLS[name]!.doc).toContain(taskdocPolicyCopy("en").trimEnd());
  });
});
