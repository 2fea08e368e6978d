import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMarkdownTaskdoc } from "../../src/rules/markdown_taskdoc.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { runsOf, SWEEP, ROTATING } from "../support/sweep.ts";

/** The sections by name, and the lines without one. */
function read(text: string): Record<string, string | number> {
  const { sections, unplaced } = readMarkdownTaskdoc(text);
  return { ...Object.fromEntries(sections.map(({ selector, content }) => [selector, content])), unplaced };
}

describe("a Taskdoc of one Markdown file", () => {
  it("[IMPORT-1] the three headings give three sections, without the headings and the blank lines around", () => {
    const text = "## Goals\n\n- ship\n\n## Constraints\n- MUST be small\n\n\n## Progress\n\nnothing yet\n";
    expect(read(text)).toEqual({
      goals: "- ship\n",
      constraints: "- MUST be small\n",
      progress: "nothing yet\n",
      unplaced: 0,
    });
  });

  it("[IMPORT-1] headings are known in English and Chinese, at level 1 and 2, in any case, with marks around them", () => {
    for (const heading of [
      "## Goals",
      "# goals",
      "## GOAL:",
      "## **Goals** ##",
      "##\tGoals",
      "## 目标",
      "# 目标：",
      "## 目标 (Goals)",
      "## Goals / 目标",
      "## 目标（Goals）",
      "Goals\n=====",
      "目标\n---",
    ]) {
      expect(read(`## 约束\nc\n\n${heading}\ng\n`), heading).toEqual({ constraints: "c\n", goals: "g\n", unplaced: 0 });
    }
    expect(read("# 约束\nc\n# 进度\np")).toEqual({ constraints: "c\n", progress: "p", unplaced: 0 });
  });

  it("[IMPORT-7] text that no section heads is kept in progress, in its order, with its headings", () => {
    const text = "# My task\n\nintro\n\n## Goals\ng\n### Details\nd\n## Notes\nn\n## Progress\np\n## constructor\nx\n";
    expect(read(text)).toEqual({
      goals: "g\n### Details\nd\n",
      progress: "# My task\n\nintro\n\n## Notes\nn\n\np\n\n## constructor\nx\n",
      unplaced: 6,
    });
    expect(read("just text")).toEqual({ progress: "just text", unplaced: 1 });
  });

  it("[IMPORT-7] what only looks like a heading of a section stays where it stands", () => {
    for (const line of [
      "### Goals",
      "##Goals",
      "#目标",
      "  ## Goals",
      "    ## Goals",
      "> ## Goals",
      "- ## Goals",
      "\\## Goals",
      "Goals",
      "Goals\n- one",
      "text\nGoals\n---",
    ])
      expect(read(`## Progress\n${line}\n`), line).toEqual({ progress: `${line}\n`, unplaced: 0 });
    for (const heading of ["## Goals and constraints", "## Non-goals", "## 目标受众", "## Goals Progress"])
      expect(read(`## Goals\ng\n${heading}\nx\n`), heading).toMatchObject({
        goals: "g\n",
        progress: `${heading}\nx\n`,
      });
  });

  it("[IMPORT-1] a section that comes twice is joined, as two paragraphs", () => {
    expect(read("## Goals\na\n## Progress\np\n## Goals\nb\n")).toEqual({
      goals: "a\n\nb\n",
      progress: "p\n",
      unplaced: 0,
    });
    expect(read("## Goals\na\n\n## Goals\n\nb")).toEqual({ goals: "a\n\nb", unplaced: 0 });
  });

  it("[IMPORT-1] in code and comments nothing is a heading", () => {
    for (const block of [
      "```\n## Goals\n```",
      "```md\n## Goals\n~~~\n``\n````",
      "~~~ `x`\n# 目标\n```\n~~~",
      "   ````\n## Goals\n```\n   ````",
      "<!--\n## Goals\n-->",
      "<!-- a\n\n## Goals\n b --> c",
    ])
      expect(read(`## Constraints\n${block}\n## Progress\np\n`), block).toEqual({
        constraints: `${block}\n`,
        progress: "p\n",
        unplaced: 0,
      });
    expect(read("## Constraints\n```\n## Goals\n")).toEqual({ constraints: "```\n## Goals\n", unplaced: 0 });
  });

  it("[IMPORT-1] code in a list ends with the list, closed or not", () => {
    for (const list of [
      "- ```js\n  code\n  ```",
      "1. x\n   ~~~\n   code\n   ~~~",
      "- ```\n  never closed",
      "* a\n  ```",
    ])
      expect(read(`## Goals\n${list}\n## Progress\np\n`), list).toEqual({
        goals: `${list}\n`,
        progress: "p\n",
        unplaced: 0,
      });
    expect(read("## Goals\n<!-- short --> x\n## Progress\n``` not code ```\n## Constraints\nc")).toMatchObject({
      goals: "<!-- short --> x\n",
      progress: "``` not code ```\n",
      constraints: "c",
    });
  });

  it("[IMPORT-7] line ends stay as they are, a byte order mark at the start goes", () => {
    expect(read("\uFEFF## Goals\r\n\r\na\r\nb\r\n## Progress\rp\r\u2028q\u0085")).toEqual({
      goals: "a\r\nb\r\n",
      progress: "p\r\u2028q\u0085",
      unplaced: 0,
    });
    expect(read("## Goals\na\uFEFF")).toEqual({ goals: "a\uFEFF", unplaced: 0 });
  });

  it("[IMPORT-7] a file with nothing but headings and blank lines gives nothing", () => {
    for (const text of ["", "\uFEFF", "\n \n\t\r\n", "## Goals\n\n## Progress\n", "# 目标"])
      expect(read(text)).toEqual({ unplaced: 0 });
  });
});

describe("a large file", () => {
  it("[IMPORT-7] takes no longer than its size, whatever it is made of", ROTATING, () => {
    const many = 200_000;
    for (const unit of [" ", "#", "# ", "`", "```\n", "~", "-", "<!--", "Goals ", "a ", "\t\r"]) {
      const text = `## Goals\n# ${unit.repeat(many)}x\n`;
      // A pattern that tried every place would be here for minutes, and the test would be stopped.
      expect(readMarkdownTaskdoc(text).sections.length).toBeGreaterThan(0);
    }
  });
});

describe("nothing is lost", () => {
  const end = fc.constantFrom("\n", "\r\n", "\r");
  const known = fc.constantFrom(
    ["goals", "## Goals"],
    ["goals", "# 目标"],
    ["constraints", "## 约束："],
    ["progress", "## progress"],
  );
  /** A piece of a document: lines in which `@` is to become a text of its own, and where they have to land. */
  const piece = fc.oneof(
    known.map(([to, line]) => ({ heads: to!, lines: [line!], keeps: false })),
    fc
      .constantFrom("## Notes", "# A title", "## 目标受众")
      .map((line) => ({ heads: "progress", lines: [`${line} @`], keeps: true })),
    fc
      .constantFrom(
        ["@", "@"],
        ["@", "", "  @ "],
        ["```@", "## Goals @", "# 进度", "```"],
        ["~~~", "```", "## Progress", "@", "~~~"],
        ["<!-- @", "", "## Goals", "-->"],
        ["- @", "  ```", "  @", "  ```"],
        ["- ```", "  @"],
        ["", "### Goals @", "@"],
        ["> ## Goals @", "| @ |", "\t# Goals @"],
      )
      .map((lines) => ({ heads: null, lines, keeps: true })),
  );

  it("[IMPORT-7] every line lands once, whole, in the section that its heading says, and in its order", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), end, fc.boolean(), (pieces, eol, bom) => {
        const expected: Record<string, string[]> = { goals: [], constraints: [], progress: [] };
        let section = "progress";
        let n = 0;
        const document = pieces.flatMap(({ heads, lines, keeps }) => {
          section = heads ?? section;
          // Blank lines between the pieces, so that a list of one is not read on in the next.
          const texts = lines.map((line) => line.replace("@", () => `@${n++}`));
          if (keeps) expected[section]!.push(...texts.filter((line) => line.trim() !== ""));
          return [...texts, ""];
        });
        const { sections } = readMarkdownTaskdoc((bom ? "\uFEFF" : "") + document.map((line) => line + eol).join(""));
        const found: Record<string, string[]> = { goals: [], constraints: [], progress: [] };
        for (const { selector, content } of sections)
          found[selector] = content.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
        expect(found).toEqual(expected);
      }),
    );
  });

  it("[IMPORT-7] of any text, all that goes is blank lines and headings of sections", SWEEP, () => {
    const word = fc.constantFrom(
      "## Goals",
      "目标",
      "---",
      "===",
      "# Progress",
      "```",
      "~~~",
      "<!--",
      "-->",
      "- x",
      "  ",
      "\r",
      "\n",
      "\uFEFF",
      "# ",
    );
    const text = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: word },
        { weight: 2, arbitrary: fc.constant("\n") },
        fc.string({ unit: ANY_CHARACTER }),
      ),
    );
    const linesOf = (all: string): string[] => all.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
    fc.assert(
      fc.property(text, (parts) => {
        const source = parts.join("");
        const { sections } = readMarkdownTaskdoc(source);
        const left = linesOf(source.replace(/^\uFEFF/, ""));
        for (const line of sections.flatMap(({ content }) => linesOf(content))) {
          const at = left.indexOf(line);
          expect(at).not.toBe(-1);
          left.splice(at, 1);
        }
        expect(left.filter((line) => !/goal|progress|目标/i.test(line) && !/^[-=]{3,}[ \t]*$/.test(line))).toEqual([]);
        for (const { content } of sections) expect(source).toContain(linesOf(content)[0]);
      }),
      runsOf(500),
    );
  });
});
