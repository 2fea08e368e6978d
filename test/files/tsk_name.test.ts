import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEncapsulatedPathLexical } from "../../src/state/tsk_name.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";

/** Those of a list for which the guard does not say what is expected. */
function wrong(expected: boolean, paths: readonly string[]): string[] {
  return paths.filter((path) => isEncapsulatedPathLexical(path) !== expected);
}

describe("names of packages", () => {
  it("[GUARD-1] one segment that ends in .tsk is enough, wherever it stands and whatever follows", () => {
    const paths = [
      "a.tsk",
      "a.tsk/",
      "./a.tsk/goals.md",
      "x/y/a.tsk/ux/checklist.md",
      "/abs/a.tsk/goals.md",
      "a.tsk\\goals.md",
      "x\\a.tsk",
      "x/a.tsk/../b",
      "x/a.tsk/../../a",
      "..//a.tsk",
      ".tsk",
      ".tsk/goals.md",
      ".coco/tasks/TASK-001/taskdoc.tsk/progress.md",
    ];
    expect(wrong(true, paths)).toEqual([]);
  });

  it("[GUARD-1] names that only resemble one are let through", () => {
    const paths = [
      "",
      ".",
      "..",
      "/",
      "a.tsk.bak/x",
      "a.tsk-old",
      "a.tsks/x",
      "atsk",
      "tsk/goals.md",
      "a.ts/k",
      "a.ts k",
      "a.t/sk",
      "src/tasks.ts",
      "taskdoc.md",
      "C:\\work\\notes.md",
      "файл.ткс",
      "任务/进度.md",
      "x.txt:zone",
      ".coco/tasks/TASK-001/events.jsonl",
    ];
    expect(wrong(false, paths)).toEqual([]);
  });

  it("[GUARD-2] letter case, compatibility forms, accents and what is not seen make no difference", () => {
    const paths = [
      "A.TSK/goals.md",
      "a.TsK",
      "a.\uFF54\uFF53\uFF4B",
      "a\uFF0Etsk",
      "a\u2024tsk",
      "a.t\u017Fk",
      "a.ts\u212A",
      "a.\u{1D42D}\u{1D42C}\u{1D424}",
      "a.\u24E3sk",
      "a.t\u0301sk",
      "a.t\u015Bk",
      "a.t\u200Bsk",
      "a.tsk\uFEFF",
      "a.ts\u2060k\u00AD",
      "a.\u202Etsk",
      "a.tsk\u0001",
      "a.tsk\uE000",
      "a.tsk\uF029",
      "a.tsk\uD800",
      "a.tsk\u180E/goals.md",
    ];
    expect(wrong(true, paths)).toEqual([]);
  });

  it("[GUARD-2] look-alikes of the suffix, of separators and of the colon are taken for them", () => {
    const paths = [
      "a.\u0442\u0455\u043A",
      "a.\u0422\u0405\u041A",
      "a.\u03C4s\u03BA",
      "a\u3002tsk",
      "a\u06F0tsk",
      "a.tsk\u2215goals.md",
      "a.tsk\u2044goals.md",
      "a.tsk\uFF0Fgoals.md",
      "a.tsk\uFF3Cgoals.md",
      "a.tsk\u00A5goals.md",
      "a.tsk\u2236x",
      "a.tsk\uFF1A$DATA",
    ];
    expect(wrong(true, paths)).toEqual([]);
  });

  it("[GUARD-2] dots and blanks at the end of a segment, and short names, are seen through", () => {
    const paths = ["a.tsk.", "a.tsk...", "a.tsk ", "a.tsk . .", "a.tsk./goals.md", "a.tsk \\goals.md", "a.tsk\t"];
    expect(wrong(true, [...paths, "ALPHA~1.TSK", "x/MY-LON~2.TSK/GOALS.MD", "a.tsk\u00A0", "a.tsk\u3000"])).toEqual([]);
  });

  it("[GUARD-2] drives, streams, hosts and devices hide nothing", () => {
    const paths = [
      "C:\\w\\a.tsk\\goals.md",
      "C:a.tsk",
      "c:a.tsk\\goals.md",
      "\\\\host\\share\\a.tsk\\goals.md",
      "//host/share/a.tsk",
      "\\\\?\\C:\\w\\a.tsk",
      "\\\\.\\C:\\a.tsk\\x",
      "\\\\?\\UNC\\host\\share\\a.tsk",
      "a.tsk::$DATA",
      "a.tsk:x:$DATA",
      "a.tsk::$INDEX_ALLOCATION\\goals.md",
      "a.tsk.:x",
      "file.txt:a.tsk",
    ];
    expect(wrong(true, paths)).toEqual([]);
  });

  it("[GUARD-1] NUL and what is no string is refused, and nothing throws", () => {
    expect(wrong(true, ["a\0", "\0", "notes.md\0.tsk"])).toEqual([]);
    for (const value of [undefined, null, 5, {}, ["a"], Buffer.from("notes.md"), new URL("file:///a")]) {
      expect(isEncapsulatedPathLexical(value as unknown as string)).toBe(true);
    }
  });

  it("[GUARD-1] it never throws, and says the same of a path and of what is put before and behind it", () => {
    const anything = fc.string({ unit: ANY_CHARACTER, maxLength: 40 });
    fc.assert(
      fc.property(anything, anything, anything, (before, path, after) => {
        const longer = `${before}/${path}/${after}`;
        expect(isEncapsulatedPathLexical(path) && !isEncapsulatedPathLexical(longer)).toBe(false);
        expect(isEncapsulatedPathLexical(`${before}/x.tsk/${after}`)).toBe(true);
      }),
    );
  });

  it("[GUARD-1] ordinary names are never refused", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}(\.(md|ts|json|txt|task|tskx))?$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        expect(isEncapsulatedPathLexical(names.join("/"))).toBe(false);
        expect(isEncapsulatedPathLexical(`C:\\${names.join("\\")}`)).toBe(false);
      }),
    );
  });
});
