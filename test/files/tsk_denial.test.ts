import { describe, expect, it } from "vitest";
import { encapsulationError } from "../../src/guard/tsk_denial.ts";
import type { FileOperation } from "../../src/guard/tsk_denial.ts";
import { taskdocPolicyCopy } from "../../src/state/taskdoc_policy.ts";

const OPERATIONS: FileOperation[] = ["read", "write", "list", "move", "delete", "search"];

describe("the refusal", () => {
  it("[GUARD-1] [GUARD-17] what is no string is refused like any path, without a call for it", () => {
    for (const odd of [5, null, undefined, {}, ["a.tsk"]]) {
      const error = encapsulationError("write", odd as unknown as string, { language: "zh", content: "x" });
      expect(error).toMatchObject({ code: "TASKDOC_ENCAPSULATED", suggestions: [] });
      expect(error.details?.["path"]).toBe(`<${odd === null ? "null" : typeof odd}>`);
    }
  });

  it("[GUARD-17] reading a section is answered with recall_taskdoc for that section", () => {
    const error = encapsulationError("read", ".coco/tasks/TASK-001/taskdoc.tsk/ux/checklist.md", {
      workspace: "acme/repo",
    });
    expect(error.code).toBe("TASKDOC_ENCAPSULATED");
    expect(error.message).toBe(
      'Expected a path outside of Taskdoc packages (*.tsk/) to read, found ".coco/tasks/TASK-001/taskdoc.tsk/ux/checklist.md": ' +
        "general file tools do not touch them.",
    );
    expect(error.suggestions).toEqual([
      {
        tool: "recall_taskdoc",
        args: { workspace: "acme/repo", target: "TASK-001", category: "ux", selector: "checklist" },
        reason: "Reads this section.",
      },
    ]);
    expect(error.details).toEqual({
      operation: "read",
      path: ".coco/tasks/TASK-001/taskdoc.tsk/ux/checklist.md",
    });
    expect(error.exit).toBe(1);
  });

  it("[GUARD-17] writing is answered with change_mind and the text, deleting with clear", () => {
    const path = "plans\\a.tsk\\goals.md";
    expect(encapsulationError("write", path, { content: "- ship" }).suggestions).toEqual([
      {
        tool: "change_mind",
        args: { selector: "goals", content: "- ship" },
        reason: "Replaces the whole text of this section.",
      },
    ]);
    expect(encapsulationError("delete", path).suggestions).toEqual([
      { tool: "change_mind", args: { selector: "goals", clear: true }, reason: "Empties this section." },
    ]);
  });

  it("[GUARD-17] no call is suggested that would be refused or would write a made-up text", () => {
    expect(encapsulationError("write", "a.tsk/goals.md").suggestions).toEqual([]);
    expect(encapsulationError("read", "a.tsk/goals.md").suggestions).toEqual([]);
    expect(encapsulationError("list", "a.tsk").suggestions).toEqual([]);
    expect(encapsulationError("read", "a.tsk/x/y/z.md").suggestions).toEqual([]);
    expect(encapsulationError("read", "link/goals.md").suggestions).toEqual([]);
    expect(encapsulationError("move", "a.tsk/ux/z.md").suggestions).toEqual([]);
  });

  it("[GUARD-17] the recovery of every operation names the right tool, in both languages", () => {
    for (const language of ["en", "zh"] as const) {
      for (const operation of OPERATIONS) {
        const tool = ["read", "list", "search"].includes(operation) ? "recall_taskdoc(" : "change_mind(";
        expect(encapsulationError(operation, "a.tsk", { language }).recovery).toContain(tool);
      }
    }
  });

  it("[GUARD-17] a folder is refused with the packages that it holds", () => {
    const packages = ["a.tsk", "b/c.tsk", "d.tsk", "e.tsk", "f.tsk"];
    const error = encapsulationError("delete", "plans", { packages });
    expect(error.message).toBe(
      'Expected a folder without Taskdoc packages (*.tsk/) to delete, found "plans" with a.tsk, b/c.tsk, d.tsk, +2.',
    );
    expect(error.recovery).toMatch(/path by path.*change_mind/);
    expect(error.details).toEqual({ operation: "delete", path: "plans", packages });
  });

  it("[GUARD-17] a path of any length and with any character gives one short line", () => {
    const { message } = encapsulationError("read", `a.tsk/\n\u001b[2J${"x".repeat(5000)}`);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(400);
  });

  it("[GUARD-17] Chinese says the same with the same code and calls", () => {
    for (const operation of OPERATIONS) {
      const options = { workspace: "acme/repo", content: "x" };
      const en = encapsulationError(operation, "a.tsk/ux/c.md", options);
      const zh = encapsulationError(operation, "a.tsk/ux/c.md", { ...options, language: "zh" });
      expect(zh.code).toBe(en.code);
      expect(zh.details).toEqual(en.details);
      const calls = (error: typeof en): unknown[] => error.suggestions.map(({ tool, args }) => ({ tool, args }));
      expect(calls(zh)).toEqual(calls(en));
      for (const text of [zh.message, zh.recovery, ...zh.suggestions.map(({ reason }) => reason)]) {
        expect(text).toMatch(/\p{Script=Han}/u);
      }
      expect(zh.message).toContain('"a.tsk/ux/c.md"');
    }
    expect(encapsulationError("move", "plans", { language: "zh", packages: ["a.tsk"] }).message).toContain("a.tsk");
  });
});

describe("the canonical text", () => {
  it("[GUARD-19] both languages name the same files, tools and headings in the same order, and end in one newline", () => {
    const code = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
    const zh = taskdocPolicyCopy("zh");
    const en = taskdocPolicyCopy("en");
    expect(code(zh)).toEqual(code(en));
    expect(code(zh)).toHaveLength(25);
    for (const text of [zh, en]) expect(text).toMatch(/[^\n]\n$/);
  });

  it("[GUARD-19] it says what is forbidden, by what tools a Taskdoc is changed and read, and what is injected in which order", () => {
    const en = taskdocPolicyCopy("en");
    for (const words of [
      "general file tools MUST NOT read/write/list them",
      "`change_mind` (whole-section replace",
      "`recall_taskdoc({ category, selector })`",
      "`goals.md`, `constraints.md`, `progress.md`",
      "`contracts.md`, `acceptance.md`, `grants.md`, `runbook.md`, `decisions.md`, `risks.md`",
      "`## Bear In Mind` between `## Constraints` and `## Progress`",
      "No other directories/files inside `.tsk/` are auto-injected",
    ]) {
      expect(en).toContain(words);
    }
  });
});
