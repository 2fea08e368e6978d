import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { coverage } from "../scripts/coverage.mjs";
import { ROOT, filesBelow } from "./support/source.ts";

function read(path: string): { path: string; text: string } {
  return { path, text: readFileSync(join(ROOT, path), "utf8").replaceAll("\r\n", "\n") };
}

describe("coverage of the specification", () => {
  const report = coverage({
    coverage: read("spec/coverage.md").text,
    spec: filesBelow("spec", ".md")
      .filter((path) => path.split("/").length === 2)
      .map(read),
    tests: filesBelow("test", ".ts").map(read),
  });

  it("reads the tables and the rules", () => {
    expect(report.tables.map(({ name }) => name)).toContain("Task directory (task-directory Specification)");
    expect(report.rules.map(({ id }) => id)).toContain("DIR-1");
  });

  it("a rule answers every requirement, a test title quotes every rule, and no name leads nowhere", () => {
    // As text, so that a failure prints every gap and not their number.
    expect(report.problems.join("\n")).toBe("");
  });

  it("a number in the sources names a rule or a regression", () => {
    const ids = new Set([...report.rules.map(({ id }) => id), ...report.regressions]);
    const words = new Set([...ids].map((id) => id.replace(/-\d+$/, "")));
    const lost = ["src", "viewer/src"]
      .flatMap((folder) => filesBelow(folder))
      .filter((path) => /\.tsx?$/.test(path) && !path.includes("/generated/"))
      .flatMap((path) =>
        [...read(path).text.matchAll(/\b([A-Z]{2,10})-[1-9]\d*\b/g)].flatMap(([id, word]) =>
          words.has(word!) && !ids.has(id) ? [`${path}: ${id}`] : [],
        ),
      );
    expect(lost).toEqual([]);
  });
});

describe("coverage of the task directory", () => {
  const table = coverage({ coverage: read("spec/coverage.md").text, spec: [], tests: [] }).tables.find(({ name }) =>
    name.startsWith("Task directory"),
  );
  const rows = new Map<string, string>();
  for (const { where, text } of table?.requirements ?? []) rows.set(where, (rows.get(where) ?? "") + plain(text));
  const sections = sectionsOf(read("test/data/requirements/task-directory.md").text);

  it("reads the requirements", () => {
    expect(sections.size).toBe(23);
    expect(sections.get("Scenario: Parse legacy state values")).toContain("`input-required`");
  });

  it("its rows say every line of the requirements, word for word, in order, and nothing else", () => {
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(sections));
  });
});

describe.each([
  ["task-surface.md", "Contracts, Task Execution Surface"],
  ["encapsulated-taskdoc.zh.md", "Encapsulated Taskdoc, Chinese"],
  ["encapsulated-taskdoc.md", "Encapsulated Taskdoc, English"],
])("coverage of %s", (file, title) => {
  const table = coverage({ coverage: read("spec/coverage.md").text, spec: [], tests: [] }).tables.find(({ name }) =>
    name.startsWith(title),
  );
  const rows = (table?.requirements ?? []).map(({ where, text }) => [where, plain(text)]);

  it("its rows say every line of the document, word for word, in order, and nothing else", () => {
    const lines = linesOf(read(`test/data/requirements/${file}`).text);
    expect(lines.length).toBeGreaterThan(160);
    expect(rows).toEqual(lines);
  });
});

/** Every line of a page that is no heading and no fence, below the heading it stands under; a cell of a table holds no bar. */
function linesOf(page: string): [string, string][] {
  const lines: [string, string][] = [];
  let [heading, fenced] = ["", false];
  for (const line of page.split("\n")) {
    const found = fenced ? undefined : /^#+ (.*)$/.exec(line)?.[1];
    if (line.startsWith("```")) fenced = !fenced;
    else if (found !== undefined) heading = found;
    else if (line.trim() !== "") lines.push([heading, plain(line.trim().replaceAll("|", "/"))]);
  }
  return lines;
}

/** What stands below each heading of a requirement or scenario, as one plain text. */
function sectionsOf(page: string): Map<string, string> {
  const sections = new Map<string, string>();
  let section: string | undefined;
  for (const line of page.slice(page.indexOf("## Requirements")).split("\n")) {
    const heading = /^#+ (?:Requirement: )?(.*)$/.exec(line)?.[1];
    if (heading !== undefined) section = heading === "Requirements" ? undefined : heading;
    else if (section !== undefined) sections.set(section, (sections.get(section) ?? "") + plain(line));
  }
  return sections;
}

/** Without what only sets the lines apart: list marks, bold, blanks, and the punctuation between two of them. */
function plain(text: string): string {
  return text.replace(/^- /, "").replaceAll(/\*\*|[\s、，；：。:]/g, "");
}

describe("the coverage report", () => {
  const page = (rules: string): string =>
    `# C\n\n## Seed\n\n| where | requirement | rules |\n| --- | --- | --- |\n| A | it SHALL hold | ${rules} |\n`;
  const spec = [{ path: "spec/a.md", text: "# A\n\n- **AB-1** It holds.\n  AB-2 is not a rule here.\n" }];
  // Put together from parts, so that this file itself quotes no rule.
  const quoting = (id: string): { path: string; text: string }[] => [
    { path: "test/a.test.ts", text: `it("${"["}${id}] it holds", () => {});` },
  ];
  const problems = (rules: string, id: string, pages = spec): string[] =>
    coverage({ coverage: page(rules), spec: pages, tests: quoting(id) }).problems;

  it("has nothing to say when all is covered", () => {
    const report = coverage({ coverage: page("AB-1"), spec, tests: quoting("AB-1") });
    expect(report.problems).toEqual([]);
    expect(report.tables).toEqual([
      { name: "Seed", requirements: [{ where: "A", text: "it SHALL hold", rules: ["AB-1"], line: 7 }] },
    ]);
    expect(report.rules[0]?.tests).toHaveLength(1);
  });

  it("names a requirement without a rule", () => {
    expect(problems("", "AB-1")).toEqual(['spec/coverage.md:7: no rule answers "it SHALL hold"']);
  });

  it("names rules that do not exist, in the table and in a title", () => {
    expect(problems("AB-1, AB-9", "AB-1")).toEqual(["spec/coverage.md:7: there is no rule AB-9"]);
    expect(problems("AB-1", "AB-2")).toEqual([
      "test/a.test.ts: [AB-2] it holds: there is no rule AB-2",
      "spec/a.md:3: no test title quotes [AB-1]",
    ]);
  });

  it("takes a regression for no rule: its number stands in a title alone", () => {
    const both = [...quoting("AB-1"), ...quoting("regression AB-7, AB-8")];
    const report = coverage({ coverage: page("AB-1"), spec, tests: both });
    expect(report.regressions).toEqual(["AB-7", "AB-8"]);
    expect(report.problems).toEqual([]);
    expect(problems("AB-1", "regression AB-1")).toEqual([
      "test/a.test.ts: [regression AB-1] it holds: AB-1 is a rule",
      "spec/a.md:3: no test title quotes [AB-1]",
    ]);
  });

  it("names a rule that is given twice", () => {
    const twice = [...spec, { path: "spec/b.md", text: "### AB-1\n" }];
    expect(problems("AB-1", "AB-1", twice)).toEqual(["spec/b.md:1: AB-1 is given twice, first in spec/a.md:3"]);
  });

  it("does not count a comment as a test", () => {
    const tests = [{ path: "test/a.test.ts", text: "// [AB-1] it holds\n" }];
    expect(coverage({ coverage: page("AB-1"), spec, tests }).problems).toEqual([
      "spec/a.md:3: no test title quotes [AB-1]",
    ]);
  });
});
