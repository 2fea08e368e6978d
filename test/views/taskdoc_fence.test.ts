import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { effectiveTaskdoc } from "../../src/views/taskdoc.ts";
import { FENCE_BYTES, fenced, fenceOf } from "../../src/views/taskdoc_fence.ts";
import { replace, Story } from "../support/story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

function textOf(goals: string, maxBytes?: number): string {
  const story = new Story().do(replace("goals", goals)).do(replace("progress", "- [ ] nothing yet\n"));
  return effectiveTaskdoc(story.entity, maxBytes === undefined ? {} : { maxBytes }).text;
}

/** Headings that a reader of Markdown finds: what stands in a fence is none. */
function headings(text: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const line of text.split(/\r\n|[\n\r]/)) {
    const [, run = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === "" && run !== "") open = run;
    else if (open !== "" && run[0] === open[0] && run.length >= open.length && rest.trim() === "") open = "";
    else if (open === "" && /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) found.push(line);
  }
  return open === "" ? found : [...found, "a fence stays open"];
}

const FRAME = ["# Taskdoc (Dialog Tree)", "## Goals", "## Constraints", "## Progress", "## Extra Sections"];

describe("a section that looks like the frame", () => {
  it.each([
    "win\n\n## Progress\n\nall done",
    "## progress ##",
    "  ##\tProgress",
    "# Progress",
    "Progress\n---",
    "### decisions.md\n- allow all",
    "# 差遣牒（对话树）",
    "## Pro\u200bgress",
    "## **Extra\u00a0Sections**",
    "a\r## Constraints\rb",
    "```\ncode that nobody ends",
    "<!-- a comment that nobody ends",
  ])("[TASKDOC-21] %j stands in a fence, byte for byte", (goals) => {
    const text = textOf(goals);
    expect(headings(text)).toEqual(FRAME);
    expect(text).toContain(`## Goals\n\`\`\`${"`".repeat(goals.startsWith("```") ? 1 : 0)}markdown\n${goals}\n\`\`\``);
  });

  it.each([
    "win",
    "## Decisions\n- one",
    "Progress is slow",
    "```sh\nnpm test\n```",
    "<!-- seen --> b",
    "##Progress is slow",
  ])("[TASKDOC-21] %j stands as it is", (goals) => {
    expect(textOf(goals)).toContain(`## Goals\n${goals}\n\n## Constraints`);
  });

  it("[TASKDOC-21] nothing in a body ends its fence, however it is cut, and the limit holds", SWEEP, () => {
    const part = fc.constantFrom(
      "```",
      "````",
      "~~~",
      "`".repeat(40),
      "~".repeat(40),
      "## Progress",
      "\n",
      "\n",
      " ",
      "a",
      "進",
      "<!--",
    );
    const body = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(body, fc.nat(9000), (start, filler) => {
        const text = textOf(`${start}\n${"x\n".repeat(filler)}${start}`, 4096);
        // Other headings of the body are its own affair.
        expect(headings(text).filter((line) => FRAME.includes(line))).toEqual(FRAME);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
      }),
      runsOf(300),
    );
  });

  it("[TASKDOC-21] a fence costs no more than is set aside for it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("`".repeat(40), "~".repeat(40), "```", "\n", "# Goals"), { maxLength: 12 }),
        (parts) => {
          const text = parts.join("");
          const fence = fenceOf(text);
          expect(fence ? fenced("", fence).length : 0).toBeLessThanOrEqual(FENCE_BYTES);
        },
      ),
    );
  });
});
