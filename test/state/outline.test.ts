import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outline, readMarkdown } from "../../src/state/outline.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const titles = (text: string): string[] => outline(text).map(({ level, title }) => `${"#".repeat(level)} ${title}`);

/** Lines that open, close and confuse, in any order. */
const anyMarkdown = fc
  .array(
    fc.oneof(
      fc.constantFrom("# a", "## b ##", "   ### c", "    # code", "> ## quoted", "- ## item", "##none", "#", "##\tt"),
      fc.constantFrom("```", "````", "~~~", "```bash", "```markdown", "  ```", "    ```", "- ```sh", "``` `x` ```"),
      fc.constantFrom("<!--", "-->", "<!-- # x -->", "<pre>", "</pre>", "", "- item", "1. one", "text", "\uFEFF", "  "),
      fc.string({ unit: ANY_CHARACTER, maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, "")),
    ),
    { maxLength: 25 },
  )
  .map((lines) => lines.join("\n"));

describe("outline", () => {
  it("[PACKET-50] reads level, title and line of each heading", () => {
    expect(outline("# a\n\n## 4. Fixed Decisions ##\n   ###\tc #\n#### d#")).toEqual([
      { level: 1, title: "a", line: 0 },
      { level: 2, title: "4. Fixed Decisions", line: 2 },
      { level: 3, title: "c", line: 3 },
      { level: 4, title: "d#", line: 4 },
    ]);
  });

  it.each([
    ["a fence of backticks", "```md\n## x\n```"],
    ["a fence of tildes", "~~~\n## x\n```\n## x\n~~~"],
    ["a longer fence around a shorter one", "````\n```\n## x\n```\n## x\n````"],
    ["a fence that is indented", "  ```\n## x\n  ```"],
    ["a fence in a list", "- one\n\n    ```\n    ## x\n## x\n    ```"],
    ["a fence behind a list mark", "1. ```sh\n## x\n   ```"],
    ["a fence that never ends", "```\n## x"],
    ["a quotation", "> ## x"],
    ["indented code", "    ## x"],
    ["a list item", "- ## x\n* ## x"],
    ["a comment", "<!--\n## x\n-->"],
    ["preformatted text", "<pre>\n## x\n</pre>"],
    ["a word without a blank", "##x\n####### x"],
  ])("[PACKET-50] finds no heading in %s", (_, text) => {
    expect(titles(`## before\n${text}`)).toEqual(["## before"]);
  });

  it("[PACKET-50] goes on after a block, whatever line ends it has", () => {
    const text = "```\n## x\n```\n## after\n<!-- x -->\n## then\n`````` x `` y\n## last";
    expect(titles(text)).toEqual(["## after", "## then", "## last"]);
    expect(titles(text.replaceAll("\n", "\r\n"))).toEqual(["## after", "## then", "## last"]);
  });

  it("[PACKET-50] a fence with a word inside a markdown block opens a block of its own", () => {
    expect(titles("```markdown\n## x\n```bash\n## y\n```\n## z\n```\n## after")).toEqual(["## after"]);
    // In other blocks such a line is code, as CommonMark has it.
    expect(titles("```bash\n```python\n## x\n```\n## after")).toEqual(["## after"]);
  });

  it("[PACKET-50] a shorter fence, another character and words behind it end nothing", () => {
    expect(titles("````\n```\n~~~~\n````x\n## x\n`````\n## after")).toEqual(["## after"]);
  });

  it("[PACKET-50] keeps the text of blocks, without the indent of the fence", () => {
    const { blocks } = readMarkdown("- a\n  ```sh -x\n  one\n    two\n  ```\n~~~\nthree");
    expect(blocks).toEqual([
      { info: "sh -x", line: 1, lines: ["one", "  two"], closed: true },
      { info: "", line: 5, lines: ["three"], closed: false },
    ]);
  });

  it("[PACKET-50] never throws, and CRLF changes nothing", SWEEP, () => {
    fc.assert(
      fc.property(anyMarkdown, (text) => {
        expect(outline(text.replaceAll("\n", "\r\n"))).toEqual(outline(text));
        expect(readMarkdown(text).lines).toHaveLength(readMarkdown(text).inBlock.length);
      }),
      runsOf(500),
    );
    fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => void outline(text)));
  });

  it("[PACKET-50] takes time in proportion to the text", () => {
    for (const text of ["`".repeat(200_000), "#".repeat(200_000), "- ".repeat(100_000), `## ${" ".repeat(200_000)}x`]) {
      // The square of these lengths would run into the time limit of the test.
      expect(outline(text).length).toBeLessThanOrEqual(1);
    }
  });
});
