import fc from "fast-check";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import type { TaskfoldError } from "../../src/errors.ts";
import { BEAR_IN_MIND_SECTIONS, sectionPath, TOP_LEVEL_SECTIONS } from "../../src/state/taskdoc.ts";
import { parseTaskdocTarget, targetFault } from "../../src/state/taskdoc_target.ts";
import type { GivenTarget } from "../../src/state/taskdoc_target.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";

function codeOf(given: GivenTarget): string | undefined {
  return targetFault(given)?.code;
}

function refusal(given: GivenTarget): TaskfoldError {
  try {
    parseTaskdocTarget(given);
  } catch (e) {
    if (isTaskfoldError(e)) return e;
    throw e;
  }
  throw new Error("expected a refusal");
}

/** Text that paths are made of, and what file systems trip over. */
const piece = fc.constantFrom(
  "..",
  ".",
  "/",
  "\\",
  "a",
  "UX",
  "ux",
  "x.y",
  "..",
  ".hidden",
  "goals",
  "Goals",
  "contracts",
  "bearinmind",
  "BearInMind",
  "con",
  ":",
  "\0",
  "\n",
  " ",
  "ａ",
  "é",
  "taskdoc.tsk",
  "%2e%2e",
  "~",
  "-",
  "_",
  "1",
);
const anyName = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  fc.string({ unit: ANY_CHARACTER, maxLength: 70 }),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,8}(\.[a-z]{1,4})?$/),
);

describe("names of sections", () => {
  it("[TASKDOC-2] three at the top, six in bearinmind", () => {
    for (const selector of TOP_LEVEL_SECTIONS) {
      for (const category of [undefined, null, ""])
        expect(parseTaskdocTarget({ selector, category })).toEqual({ category: null, selector });
    }
    for (const selector of BEAR_IN_MIND_SECTIONS)
      expect(parseTaskdocTarget({ selector, category: "bearinmind" })).toEqual({ category: "bearinmind", selector });
    expect(codeOf({ selector: "notes" })).toBe("TASKDOC_SELECTOR_INVALID");
    expect(codeOf({ selector: "notes", category: "bearinmind" })).toBe("TASKDOC_SELECTOR_INVALID");
    expect(refusal({ selector: "notes" }).details).toMatchObject({ allowed: TOP_LEVEL_SECTIONS });
    expect(refusal({ selector: "x", category: "bearinmind" }).details).toMatchObject({
      allowed: BEAR_IN_MIND_SECTIONS,
    });
  });

  it.each(["ux", "UX", "ux.checklists", "a.1", "a.-", "a_b-c", "constructor", "snapshots", "a".repeat(64), "console"])(
    "[TASKDOC-3] %j is a name of one's own",
    (name) => {
      expect(parseTaskdocTarget({ category: name, selector: name })).toEqual({ category: name, selector: name });
      expect(sectionPath({ category: name, selector: name })).toBe(`${name}/${name}.md`);
    },
  );

  it.each([
    "../x",
    "bearinmind/..",
    "/etc",
    "ux..checklists",
    "ux.",
    ".hidden",
    "_x",
    "1ux",
    "ux\0",
    " ux",
    "ux\n",
    "..",
    "__proto__",
    "é",
    "ux/checklist",
    "ux\\checklist",
    "!goals",
    "a".repeat(65),
    "x".repeat(300),
    "con",
    "AUX",
    "nul.txt",
    "com1",
    "notes.md",
    "notes.MD",
    "a.tsk",
    "goals.md",
  ])("[TASKDOC-3] %j is none, neither as selector nor as category", (name) => {
    expect(codeOf({ category: "ux", selector: name })).toBe("TASKDOC_SELECTOR_INVALID");
    expect(codeOf({ selector: name })).toBe("TASKDOC_SELECTOR_INVALID");
    expect(codeOf({ category: name, selector: "checklist" })).toBe("TASKDOC_CATEGORY_INVALID");
  });

  it("[TASKDOC-3] the names of the top are in no category, in whatever letters", () => {
    for (const selector of ["goals", "Goals", "CONSTRAINTS", "progress"])
      for (const category of ["ux", "bearinmind"])
        expect(codeOf({ selector, category })).toBe("TASKDOC_SELECTOR_RESERVED_TOP_LEVEL");
  });

  it("[TASKDOC-3] those of bearinmind are nowhere else, in whatever letters", () => {
    for (const selector of ["contracts", "Risks"])
      for (const category of ["ux", undefined, ""])
        expect(codeOf({ selector, category })).toBe("TASKDOC_SELECTOR_RESERVED_BEARINMIND");
    expect(codeOf({ selector: "Contracts", category: "bearinmind" })).toBe("TASKDOC_SELECTOR_INVALID");
  });

  it("[TASKDOC-3] names are compared exactly", () => {
    for (const selector of ["Goals", "GOALS", "Progress"])
      expect(codeOf({ selector })).toBe("TASKDOC_SELECTOR_INVALID");
  });

  it("[TASKDOC-3] a category is not bearinmind in other letters, nor the name of a section", () => {
    for (const category of ["BearInMind", "BEARINMIND", "goals", "Goals", "risks"])
      expect(codeOf({ category, selector: "notes" })).toBe("TASKDOC_CATEGORY_INVALID");
  });

  it("[TASKDOC-7] what is no text has a code too, and the selector is looked at first", () => {
    for (const selector of [undefined, null, ""])
      expect(codeOf({ selector, category: "../x" })).toBe("TASKDOC_SELECTOR_REQUIRED");
    for (const selector of [5, {}, [], true, ["goals"]])
      expect(codeOf({ selector, category: 5 })).toBe("TASKDOC_SELECTOR_INVALID");
    for (const category of [5, {}, [], false])
      expect(codeOf({ selector: "goals", category })).toBe("TASKDOC_CATEGORY_INVALID");
    expect(codeOf({ selector: "goals", category: "../x" })).toBe("TASKDOC_CATEGORY_INVALID");
  });

  it("[TASKDOC-7] a refusal says in two languages what was found, and is safe to print", () => {
    const { message, recovery, details } = refusal({ selector: `\u001B[2J${"x".repeat(300)}\ud800`, category: "ux" });
    expect(message).toMatch(/^Expected .*found .*: .*\.$/);
    expect(message.length).toBeLessThan(300);
    expect(JSON.stringify(message)).not.toContain("\u001B");
    expect(recovery).toContain("bearinmind");
    expect(details).toMatchObject({ category: "ux", message_zh: expect.stringMatching(/[\u4e00-\u9fff]/) as string });
    expect((details!["selector"] as string).isWellFormed()).toBe(true);
  });

  it("[TASKDOC-14] whatever is accepted is a file in the package or in one folder of it", () => {
    const root = join(sep, "task", "taskdoc.tsk");
    let accepted = 0;
    fc.assert(
      fc.property(anyName, fc.option(anyName, { nil: undefined }), (selector, category) => {
        const fault = targetFault({ selector, category });
        expect(targetFault({ selector, category })).toEqual(fault);
        if (fault) return;
        accepted++;
        const target = parseTaskdocTarget({ selector, category });
        const parts = relative(root, join(root, sectionPath(target))).split(sep);
        expect(parts).toEqual(target.category === null ? [`${selector}.md`] : [category, `${selector}.md`]);
        for (const part of parts) expect(part).toMatch(/^[A-Za-z][A-Za-z0-9_.-]*$/);
      }),
      { numRuns: 3000, seed: 5 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
