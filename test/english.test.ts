import { describe, expect, it } from "vitest";
import { englishFindings, findingLine } from "./support/english.mjs";
import { ENGLISH_LIST, englishFiles, findingCounts, listedCounts, projectFindings } from "./support/english_files.mjs";
import { ROOT } from "./support/source.ts";

/** The kinds of finding in a page or a source, each with its line. */
function found(text: string, path = "page.md"): string[] {
  return englishFindings(path, text).map(({ kind, line }) => `${line} ${kind}`);
}

const words = (count: number): string => Array.from({ length: count }, (_none, at) => `W${at}`).join(" ");

describe("the English of the project", () => {
  const findings = projectFindings(ROOT, englishFiles(ROOT));
  const counts = findingCounts(findings);
  const listed = listedCounts(ROOT);

  it("reads pages, rules, decisions and sources, and nothing that is generated", () => {
    const files = englishFiles(ROOT);
    const pages = ["README.md", "CHANGELOG.md", "docs/git.md", "spec/log.md", "spec/decisions/0004-bundle.md"];
    const programs = [
      "src/errors.ts",
      "viewer/src/help.tsx",
      "test/suites/fuzz/run.mjs",
      "bench/run.mjs",
      "action/run.mjs",
    ];
    expect([...pages, ...programs].filter((path) => !files.includes(path))).toEqual([]);
    expect(files.filter((path) => path.includes("/generated/") || path === "docs/commands.md")).toEqual([]);
  });

  it("no file has more findings than the list says", () => {
    const worse = findings.filter(({ path }) => (counts[path] ?? 0) > (listed[path] ?? 0));
    expect(worse.map(findingLine)).toEqual([]);
  });

  it("the list has no number above what is found: `npm run english -- --list` writes it anew", () => {
    const stale = Object.entries(listed).filter(([path, count]) => (counts[path] ?? 0) < count);
    expect(stale.map(([path, count]) => `${ENGLISH_LIST}: ${path}: ${count}, found ${counts[path] ?? 0}`)).toEqual([]);
  });
});

describe("the lint", () => {
  it("shows file, line and sentence", () => {
    const [finding] = englishFindings("page.md", "# Title\n\nA file stays. Nobody\nreads it.\n");
    expect(finding && findingLine(finding)).toBe("page.md:3: word: Nobody reads it.");
  });

  it.each(["Somebody reads it.", "It is free for anybody.", "It keeps everybody out.", "It goes to whoever asks."])(
    "finds a pronoun in place of a noun: %s",
    (text) => {
      expect(found(text)).toEqual(["1 word"]);
    },
  );

  it.each(["The calls settle.", "The next write heals it.", "Mending joins logs.", "The owner is never robbed."])(
    "finds a coined word: %s",
    (text) => {
      expect(found(text)).toEqual(["1 coined"]);
    },
  );

  it.each([
    "What is gone stays away.",
    "A file stays. Who waits is refused.",
    "- **LOG-1** What differs is kept.",
    "A file stays; what is gone is told.",
  ])("finds a clause as the subject: %s", (text) => {
    expect(found(text)).toEqual(["1 clause"]);
  });

  it("finds a sentence of 26 words, and takes one of 25", () => {
    expect(found(`One. ${words(25)}.`)).toEqual([]);
    expect(found(`One. ${words(26)}.`)).toEqual(["1 long"]);
    expect(found(`- **LOG-1** ${words(13)}\n  ${words(13)}.`)).toEqual(["1 long"]);
    expect(found(`| a | ${words(26)} |\n| --- | --- |\n| b | ${words(25)} |`)).toEqual(["1 long"]);
  });

  it("counts a code span and a link's text, and no address and no reference in brackets", () => {
    expect(found(`${words(23)} \`a b c\` [d](https://e.example/f) (LOG-7, ARCHIVED).`)).toEqual([]);
    expect(found(`${words(24)} \`a b c\` [d](https://e.example/f).`)).toEqual(["1 long"]);
  });

  it("begins a new sentence at each item, row, heading and paragraph, and reads no code block", () => {
    const half = words(20);
    expect(found(`## ${half}\n\n${half}:\n\n- ${half}\n- ${half}\n\n| ${half} | ${half} |\n`)).toEqual([]);
    expect(found(`\`\`\`sh\nnobody ${words(30)}\n\`\`\`\n\nUse \`nobody\`.`)).toEqual([]);
  });

  it("reads comments and texts of sources, joined texts as one", () => {
    const text = [
      "/** What somebody wrote. */",
      "const a = 1; // Who asks is refused",
      `const b = "${words(13)} " + \`${words(12)} \${a} end\`;`,
      'const c = ["somebody", "nobody asks here"];',
      "const d = /nobody asks/;",
      "// The first line.\n// The second line.\n// The third line.",
    ].join("\n");
    expect(found(text, "a.ts")).toEqual(["1 word", "1 clause", "2 clause", "3 long", "4 word", "6 comment"]);
  });

  it("takes doc comments of any length, code in texts, and comments for programs", () => {
    const text = [
      `/**\n * ${words(20)}.\n * ${words(20)}.\n *\n * ${words(20)}.\n * @param a ${words(20)}\n */`,
      "// oxlint-disable-next-line nobody -- generated",
      'export { somebody } from "./who asks.ts";',
      "const name = `nobody`;",
      "/** @property {() => void} heal Ends it. */",
      "// Two lines\n// of prose.",
    ].join("\n");
    expect(found(text, "a.ts")).toEqual([]);
  });

  it("takes code in texts: programs, tables of shapes, and keys of YAML", () => {
    const shell =
      'while read -r pid _; do case $(ps -o stat= -p "$pid") in nobody) ;; *) echo $pid >> "$calls" ;; esac; done';
    const shapes = "task.edited patch:@patch; nobody.left reason? items*:@item title text".repeat(4);
    const keys = `goal: ${words(20)}\nscope:\n  allow: ${words(20)}`;
    const command = `taskfold add "What nobody reads."${" --step 'nobody asks'".repeat(5)}`;
    for (const code of [shell, shapes, keys, command]) expect(found(`const a = \`${code}\`;`, "a.ts")).toEqual([]);
    expect(found(`const a = \`goal: ${words(25)}\`;`, "a.ts")).toEqual(["1 long"]);
    expect(found('const a = "step_id:STEP is a field that nobody reads";', "a.ts")).toEqual(["1 word"]);
  });

  it("takes a clause that is no sentence, and names of files", () => {
    expect(found("## What counts\n\n| what it is | what it does |\n\nSee [repair.md](repair.md).\n")).toEqual([]);
    expect(found("| what it does is written. |")).toEqual(["1 clause"]);
    expect(found('const a = `expected ${b}`, c = "what was found";', "a.ts")).toEqual([]);
    expect(found('const a = "What it did", b = `What waits in ${title}`;', "a.ts")).toEqual([]);
    expect(found('const a = "What it did.", b = "What waits in the plan here goes on";', "a.ts")).toHaveLength(2);
  });

  it("finds no fault with correct English", () => {
    const text =
      "If the sync fails, the engine takes the write back.\n\nWhat does a gate check? It checks four facts.\n";
    expect(found(text)).toEqual([]);
  });
});
