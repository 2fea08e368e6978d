import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOP_LEVEL_SECTIONS } from "../../src/state/taskdoc.ts";
import { fitBytes } from "../../src/views/budget.ts";
import { radarOf } from "../../src/views/radar.ts";
import { effectiveTaskdoc } from "../../src/views/taskdoc.ts";
import type { EffectiveOptions } from "../../src/views/taskdoc.ts";
import { taskdocAuditOf } from "../../src/views/taskdoc_audit.ts";
import { anySection, anyText } from "../support/random_story.ts";
import { note, replace, Story } from "../support/story.ts";

const effective = (story: Story, options: EffectiveOptions = {}) => effectiveTaskdoc(story.entity, options);
const INDEX = "## Extra Sections\nNot injected; read one with recall_taskdoc({ category, selector }):\n";

/** A task with these sections, written in this order. */
function taskdoc(sections: Record<string, string>): Story {
  const story = new Story();
  for (const [name, content] of Object.entries(sections)) story.do(replace(name, content));
  return story;
}

const anySections = fc.array(
  fc.tuple(anySection, fc.oneof(anyText, fc.constantFrom("x".repeat(9000), "line\n".repeat(2000)))),
  {
    maxLength: 12,
  },
);
const anyTaskdoc = anySections.map((changes) => {
  const story = new Story();
  for (const [name, content] of changes) story.do(replace(name, content));
  return story;
});

describe("the effective Taskdoc", () => {
  it("[TASKDOC-21] of a new task has its headings and nothing below them", () => {
    const { text, sections, index, bytes, truncated, violations } = effective(new Story());
    expect(text).toBe(`# Taskdoc (Dialog Tree)\n\n## Goals\n\n\n## Constraints\n\n\n## Progress\n\n\n${INDEX}(none)`);
    expect(sections.map((s) => [s.path, s.content, s.updated_at])).toEqual(
      TOP_LEVEL_SECTIONS.map((name) => [`taskdoc.tsk/${name}.md`, "", null]),
    );
    expect({ index, truncated, violations, bytes }).toEqual({
      index: [],
      truncated: false,
      violations: [],
      bytes: Buffer.byteLength(text),
    });
  });

  it("[TASKDOC-21] has the sections in the fixed order, in whatever order they were written", () => {
    const story = taskdoc({
      progress: "p\n",
      "bearinmind/risks": "r\n\n",
      "bearinmind/contracts": "c",
      "ux/list": "never shown",
      constraints: "must\r\n",
      goals: "g",
      "bearinmind/decisions": "d\n",
    });
    expect(effective(story).text).toBe(
      [
        "# Taskdoc (Dialog Tree)",
        "",
        "## Goals",
        "g",
        "",
        "## Constraints",
        "must",
        "",
        "## Bear In Mind",
        "### contracts.md",
        "c",
        "### decisions.md",
        "d",
        "### risks.md",
        "r",
        "",
        "## Progress",
        "p",
        "",
        `${INDEX}- ux/list`,
      ].join("\n"),
    );
  });

  it("[TASKDOC-21] takes away the line breaks at the end of a body and nothing else", () => {
    const body = "\uFEFF    code\r\n\r\na\u2028b \t";
    const { text, sections } = effective(
      taskdoc({ goals: `${body}\r\n\n\r`, "bearinmind/grants": "x", "bearinmind/risks": "" }),
    );
    expect(text).toContain(`## Goals\n${body}\n\n## Constraints\n`);
    expect(text).not.toContain("risks");
    expect(sections[0]).toMatchObject({ content: `${body}\r\n\n\r`, shown_bytes: Buffer.byteLength(body) });
    // A pattern that looks for breaks at the end would take minutes here.
    expect(effective(taskdoc({ goals: `${"\n".repeat(200_000)}x` }), { maxBytes: 300_000 }).text).toContain(
      "\nx\n\n## C",
    );
  });

  it("[TASKDOC-23] always lists the other sections with text, by code unit", () => {
    const story = taskdoc({ "ux/b": "x", "ux/a": "x", "ux.c/z": "x", "Zeta/n": "x", "ux/a-b": "x", "api/gone": "x" });
    story.do(replace("api/gone", ""));
    const { text, index } = effective(story);
    expect(text.slice(text.indexOf(INDEX))).toBe(`${INDEX}- Zeta/n\n- ux.c/z\n- ux/a\n- ux/a-b\n- ux/b`);
    expect(index.map((s) => s.path)).toContain("taskdoc.tsk/ux.c/z.md");
    expect(index[0]).not.toHaveProperty("content");
  });

  it("[TASKDOC-23] lists 64 at most, then how many more", () => {
    const names = Array.from({ length: 70 }, (_, i) => `extra/n${String(i).padStart(2, "0")}`);
    const { text, index, truncated } = effective(taskdoc(Object.fromEntries(names.map((name) => [name, "x"]))));
    expect(text.endsWith("- extra/n63\n- and 6 more")).toBe(true);
    expect([index.length, truncated]).toEqual([70, true]);
  });

  it("[TASKDOC-24] depends on nothing but the sections", () => {
    fc.assert(
      fc.property(anySections, fc.constantFrom<"en" | "zh">("en", "zh"), (changes, language) => {
        const [story, last] = [new Story(), new Map<string, string>()];
        for (const [name, content] of changes) {
          story.do(replace(name, content), note("something else"));
          // What differs in case alone is one section, and keeps the name that came first.
          const known = [...last.keys()].find((key) => key.toLowerCase() === name.toLowerCase());
          if (name !== "../escape") last.set(known ?? name, content);
        }
        const other = new Story({ id: "TASK-9", title: "Another", description: "of something else" });
        for (const [name, content] of [...last].toReversed()) other.do(replace(name, content));
        expect(effective(story, { language }).text).toBe(effective(other, { language }).text);
        expect(effective(story, { language })).toEqual(effective(story, { language }));
      }),
    );
  });

  it("[TASKDOC-24] in Chinese has another first heading and other words of the engine's own", () => {
    const story = taskdoc({ goals: "g", "ux/list": "x" });
    const [en, zh] = [effective(story).text, effective(story, { language: "zh" }).text].map((text) => text.split("\n"));
    expect(zh![0]).toBe("# 差遣牒（对话树）");
    expect(zh!.length).toBe(en!.length);
    expect(zh!.filter((line, i) => line !== en![i])).toHaveLength(2);
  });

  it("[TASKDOC-24] fits its limit in any state, and is whole where it fits", () => {
    fc.assert(
      fc.property(anyTaskdoc, fc.integer({ min: 1, max: 40_000 }), (story, maxBytes) => {
        const whole = effective(story, { maxBytes: 1_000_000 });
        const cut = effective(story, { maxBytes });
        const most = Math.max(maxBytes, 4096);
        expect(Buffer.byteLength(cut.text)).toBe(cut.bytes);
        expect(cut.bytes).toBeLessThanOrEqual(most);
        expect(cut.truncated).toBe(whole.bytes > most);
        expect(cut.text === whole.text).toBe(!cut.truncated);
        expect(cut.sections).toEqual(
          whole.sections.map((s, i) => ({ ...s, shown_bytes: cut.sections[i]!.shown_bytes })),
        );
      }),
    );
  });

  it("[TASKDOC-24] cuts the longest bodies, at the end of a line, and says so", () => {
    const story = taskdoc({ goals: "- a goal\n".repeat(2000), constraints: "short\n", progress: "進".repeat(3000) });
    const { text, sections } = effective(story, { maxBytes: 6000 });
    const lines = text.split("\n");
    const note = lines.findIndex((line) => line.startsWith("[Cut: "));
    expect(lines[note - 1]).toBe("- a goal");
    expect(lines[note]).toBe(
      `[Cut: ${sections[0]!.shown_bytes} of 17999 bytes are shown; change_mind replaces all of them.]`,
    );
    expect(text).toContain("## Constraints\nshort\n\n");
    expect(text).toMatch(/## Progress\n進+\n\[Cut: \d+ of 9000 bytes/);
    expect(Buffer.byteLength(text)).toBeGreaterThan(5900);
  });

  it("[TASKDOC-24] texts share the room alike: what is short stays, what is long is cut to one size", () => {
    const fitted = fitBytes(
      ["a".repeat(1000), "b".repeat(1000), "c".repeat(100)],
      900,
      (shown, of) => `[${shown}/${of}]`,
    );
    expect(fitted[2]).toEqual({ text: "c".repeat(100), shown: 100, of: 100 });
    expect(fitted[0]!.text.length).toBe(fitted[1]!.text.length);
    expect(fitted.reduce((sum, { text }) => sum + text.length, 0)).toBeGreaterThan(880);
    expect(fitBytes(["aaaa\nbbbb"], 0, () => "[cut]")[0]!.text).toBe("[cut]");
  });

  it("[TASKDOC-26] tells a forged heading from its own", () => {
    const story = taskdoc({
      goals: "win\n\n## Progress\n\nall done\n",
      progress: "## Progress\n\n- [ ] nothing yet\n",
    });
    const { text, sections } = effective(story);
    expect(text.match(/^## Progress$/gm)).toHaveLength(3);
    expect(sections.map((s) => [s.heading, s.content])).toEqual([
      ["## Goals", "win\n\n## Progress\n\nall done\n"],
      ["## Constraints", ""],
      ["## Progress", "## Progress\n\n- [ ] nothing yet\n"],
    ]);
  });

  it("[TASKDOC-26] says of each section who wrote it when", () => {
    const [goals] = effective(taskdoc({ goals: "one", progress: "p" }).do(replace("goals", "two"))).sections;
    expect(goals).toMatchObject({
      category: null,
      selector: "goals",
      updated_by: "human:ann",
      updated_revision: 4,
      bytes: 3,
    });
  });

  it("[TASKDOC-17] [TASKDOC-26] shows the later of two texts, and holds both", () => {
    const story = new Story().apart([replace("goals", "of ann")], [replace("goals", "of bob")]);
    const { text, sections, violations } = effective(story);
    expect(text).toContain("## Goals\nof bob\n");
    expect(sections[0]!.conflict?.map((c) => [c.by, c.content])).toEqual([
      ["human:ann", "of ann"],
      ["agent:bob", "of bob"],
    ]);
    expect(violations).toMatchObject([{ kind: "conflict", path: "taskdoc.tsk/goals.md" }]);
    expect(radarOf(story.subject).blockers).toEqual([
      'Conflict on taskdoc.tsk/goals.md: "of ann" by human:ann or "of bob" by agent:bob (shown); write it again to resolve it',
    ]);
    const same = "- [x] grammar\n".repeat(20);
    const long = new Story().apart([replace("goals", `${same}🚀 of ann`)], [replace("goals", `${same}🚁 of bob`)]);
    expect(radarOf(long.subject).blockers[0]).toMatch(
      /"….{5,30}🚀 of ann" by human:ann or "….{5,30}🚁 of bob" by agent:bob/u,
    );
    expect(effective(story.do(replace("goals", "of both"))).violations).toEqual([]);
    const cleared = new Story().apart([replace("goals", "")], [replace("goals", "x")]);
    expect(cleared.entity.conflicts.size).toBe(1);
    expect(new Story().apart([replace("goals", "x")], [replace("goals", "x")]).entity.conflicts.size).toBe(0);
  });

  it("[TASKDOC-3] names that differ in case alone are one section after a merge", () => {
    const story = new Story().apart([replace("UX/list", "one")], [replace("ux/list", "two")]);
    expect(effective(story).index.map((s) => s.path)).toEqual(["taskdoc.tsk/UX/list.md"]);
    story.do(replace("Ux/other", "three"));
    expect(effective(story).index.map((s) => s.path)).toEqual(["taskdoc.tsk/UX/list.md", "taskdoc.tsk/UX/other.md"]);
  });
});

describe("the audit", () => {
  it("[TASKDOC-28] has first and last change of each section, and how many", () => {
    const story = taskdoc({ progress: "one", "ux/list": "x" }).do(
      replace("progress", "two"),
      replace("progress", "three"),
    );
    const [goals, , progress, list] = taskdocAuditOf(story.entity);
    expect(goals).toEqual({
      category: null,
      selector: "goals",
      path: "taskdoc.tsk/goals.md",
      changes: 0,
      bytes: 0,
      first: null,
      last: null,
    });
    expect(progress).toMatchObject({
      changes: 3,
      bytes: 5,
      first: { revision: 2, by: "human:ann" },
      last: { revision: 4 },
    });
    expect(progress!.first!.event).not.toBe(progress!.last!.event);
    expect(list).toMatchObject({ path: "taskdoc.tsk/ux/list.md", changes: 1 });
    expect(list!.first).toEqual(list!.last);
  });

  it("[TASKDOC-28] counts every change that had an effect, in any state", () => {
    fc.assert(
      fc.property(anySections, (changes) => {
        const story = new Story();
        for (const [name, content] of changes) story.do(replace(name, content));
        const keys = changes.map(([name]) => name.toLowerCase());
        for (const { changes: count, first, last, selector, category } of taskdocAuditOf(story.entity)) {
          const key = [category, selector]
            .filter((part) => part !== null)
            .join("/")
            .toLowerCase();
          expect(count).toBe(keys.filter((other) => other === key).length);
          // Creation is the first revision.
          expect(first?.revision ?? 1).toBe(keys.indexOf(key) + 2);
          expect([first, last].map((change) => change === null)).toEqual([count === 0, count === 0]);
          expect(last?.revision ?? 1).toBe(count === 0 ? 1 : keys.lastIndexOf(key) + 2);
        }
      }),
    );
  });
});
