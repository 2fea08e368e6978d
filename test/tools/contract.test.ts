import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { ROOT } from "../support/source.ts";

const page = readFileSync(join(ROOT, "test/data/requirements/task-surface.md"), "utf8").replaceAll("\r\n", "\n");

/** The text under each heading that is the name of a tool. */
const sections = new Map(
  page.split(/^#+ /m).flatMap((part): [string, string][] => {
    const name = /^`(tasks_\w+)`\n/.exec(part)?.[1];
    return name === undefined ? [] : [[name, part]];
  }),
);

/** Names in `{ workspace, task?, path|step_id }`, with whether each has to be there. */
function named(shape: string): { name: string; required: boolean }[] {
  const flat = shape.replace(/:\s*(?:\[?\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}(?:\.\.\.)?\]?|"[^"]*")/g, "");
  return flat.split(/[,|]/).flatMap((word) => {
    const found = /[a-z_]+/.exec(word)?.[0];
    return found === undefined ? [] : [{ name: found, required: !word.includes("?") && !shape.includes("|") }];
  });
}

/** What stands behind a word in a section, each form of a union by itself. */
function shapes(section: string, word: string): string[] {
  const inline = [...section.matchAll(new RegExp(`^(?:- )?(?:${word}): \`(\\{.*\\})\``, "gm"))].map((m) => m[1]!);
  const block = new RegExp(`^(?:${word}):\n+\`\`\`json\n([^\`]*)\`\`\``, "m").exec(section)?.[1];
  return [...inline, ...(block === undefined ? [] : [`{${Object.keys(JSON.parse(block) as object).join("?, ")}?}`])];
}

interface Schema {
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: Schema[];
}

function members({ properties = {}, anyOf = [] }: Schema): string[] {
  return [...Object.keys(properties), ...anyOf.flatMap(members)];
}

describe("the contract of the surface", () => {
  it("[TOOL-27] every tool it names is there, and docs/tools.md lists those and all others", () => {
    const named = new Set(page.match(/\btasks_[a-z_]*[a-z]\b/g));
    expect(named.size).toBe(46);
    expect([...named].filter((name) => !Object.hasOwn(TOOLS, name))).toEqual([]);
    const guide = readFileSync(join(ROOT, "docs/tools.md"), "utf8");
    const listed = [...guide.matchAll(/^\| \[`(\w+)`\]/gm)].map((match) => match[1] ?? "");
    expect(listed.toSorted()).toEqual(Object.keys(TOOLS).toSorted());
  });

  it("[TOOL-27] every input it gives is taken, and none is required but those it requires", () => {
    let seen = 0;
    for (const [tool, section] of sections) {
      const { properties, required } = TOOLS[tool]!.input as unknown as Required<Schema>;
      for (const shape of shapes(section, "Input|Plan|Task")) {
        const inputs = named(shape);
        seen += inputs.length;
        expect(inputs.map((one) => one.name).filter((name) => !(name in properties))).toEqual([]);
        // An example of a call does not say what may be left out.
        const isExample = shape.endsWith("?}");
        const may = inputs.filter((one) => one.required || shape.includes("|")).map((one) => one.name);
        expect([tool, required.filter((name) => !isExample && !may.includes(name))]).toEqual([tool, []]);
      }
    }
    expect(seen).toBeGreaterThan(200);
  });

  it("[TOOL-27] every member of an answer that it names is in the schema of that tool's answers", () => {
    // What stands under bootstrap as its output is what closing a step gives: the page has that block in the wrong place.
    const bootstrap = sections.get("tasks_bootstrap")!;
    const outputs = [...sections].map(([tool, section]): [string, string[]] => [tool, shapes(section, "Output")]);
    outputs.push(["tasks_close_step", shapes(bootstrap, "Output")]);
    let seen = 0;
    for (const [tool, found] of outputs) {
      if (tool === "tasks_bootstrap") continue;
      const there = members(TOOLS[tool]!.output as unknown as Schema);
      for (const { name } of found.flatMap(named)) {
        seen++;
        expect(there, tool).toContain(name);
      }
    }
    expect(seen).toBeGreaterThan(15);
  });
});
