import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inline, quote } from "../../src/projections/markdown.ts";
import { readme } from "../../src/projections/readme.ts";
import { toSecond } from "../../src/to_second.ts";
import { anyStory, anyText } from "../support/random_story.ts";
import * as t from "../support/story.ts";
import { Story, stepId } from "../support/story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** What is left of escaped text once every escaped character is taken out: none of it may mean anything. */
const bare = (text: string): string => text.replaceAll(/\\[!-/:-@[-`{-~]|&#96;/g, "x");

const markup = fc.string({ unit: fc.constantFrom(...Array.from("\\`*_[]()<>|~&@$:/#+-.1w \n\u202E")), maxLength: 30 });

/** Control characters, line ends, and characters that turn or hide what follows. */
const hidden = (c: string): boolean =>
  c < " " || (c >= "\u007F" && c <= "\u009F") || /[\u2028-\u202E\u2066-\u2069\uFEFF]/.test(c);

const file = (path: string): object => ({
  kind: "runtime-event-range",
  title: "a file",
  summary: "",
  counts: true,
  attachment: { path, size: 1, sha256: "b".repeat(64) },
});

describe("README.md", () => {
  it("[DIR-7] [PROJ-8] names id, topology and state, the last two at the end", () => {
    expect(readme(new Story().subject)).toBe(
      "# Fix the parser\n\n- id: `TASK-001`\n- status: `TODO`\n- who: not claimed, last change by human:ann\n- next: add steps\n\n" +
        "## Last changes\n\n- 2026-01-01T00:00:00Z human:ann: Made.\n\n" +
        "## Fields\n\n- topology: `squad`\n- state: `created`\n- kind: `task`\n- revision: `1`\n",
    );
  });

  it("[DIR-7] the state is that of the log, in every state", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const text = readme(story.subject);
        expect(text.match(/^- id: `TASK-001`$/gm)).toHaveLength(1);
        expect(text.match(/^- topology: `squad`$/gm)).toHaveLength(1);
        expect(text.match(/^- state: `[a-z-]+`$/gm)).toHaveLength(1);
        expect(text.match(/^# /gm)).toHaveLength(1);
        expect(text).toContain(`- revision: \`${story.entity.revision}\`\n`);
      }),
    );
    const story = new Story().do(t.complete());
    expect(readme(story.subject)).toContain("- state: `completed`\n");
  });

  it("[PROJ-8] shows the task whole", () => {
    const story = new Story({ description: "It crashes.\n\n- on empty input\n- on tabs" })
      .do(t.addSteps(0, ["Reproduce", "Repair"]), t.addSteps(2, ["Bisect"], 1))
      .do(t.verify(0), t.close(0, { forced: "trivial" }))
      .do(t.define(1, { proof: { tests: "require", docs: "warn" }, blockers: ["the key"] }), ...t.block(1, "no key"))
      .do(t.capture(1, ["tests"], [t.command("npm test")]))
      .do(t.note("Ask Eve.\nTwice.", 1));
    const [evidence] = story.entity.evidence;
    expect(readme(story.subject).split("\n## Last changes")[0]).toBe(`# Fix the parser

- id: \`TASK-001\`
- status: \`ACTIVE\`
- progress: 1 of 3 steps closed
- who: not claimed, last change by human:ann
- next: s:1.s:0 Bisect, which lacks criteria, tests

## Description

> It crashes.
>
> \\- on empty input\\
> \\- on tabs

## Steps

- [x] s:0 Reproduce (\`${stepId(0)}\`) \`closed by force\` 2026-01-01T00:02:00Z by human:ann: trivial
  - [x] criteria: it holds
  - [x] tests: npm test
- [ ] s:1 Repair (\`${stepId(1)}\`) \`blocked\`: no key
  - [ ] criteria: it holds
  - [ ] tests: npm test (evidence:${evidence!.id})
  - [x] proof of tests
  - [ ] proof of docs (not required)
  - waits for: the key
  - [ ] s:1.s:0 Bisect (\`${stepId(2)}\`)
    - [ ] criteria: it holds
    - [ ] tests: npm test

## Evidence

- evidence:${evidence!.id} npm test (command-execution)

## Notes

- 2026-01-01T00:05:00Z human:ann on s:1

  > Ask Eve.\\
  > Twice.
`);
  });

  it("[PROJ-8] begins with how far the work is, who has it and what is next", () => {
    const head = (story: Story): string[] => readme(story.subject).split("\n\n")[1]!.split("\n");
    const story = new Story().do(t.addSteps(0, ["Write", "Try"], null, { success_criteria: [], tests: [] }));
    expect(head(story).slice(2)).toEqual([
      "- progress: 0 of 2 steps closed",
      "- who: not claimed, last change by human:ann",
      "- next: s:0 Write, which lacks criteria, tests",
    ]);
    story.do(t.verify(0));
    expect(head(story).at(-1)).toBe("- next: s:0 Write, which can be closed");
    story.do(t.close(0)).do(...t.block(1, "no key"));
    expect(head(story)).toContain("- next: s:1 Try, which is blocked");
    story.entity.lease = { by: "agent:ada", claimed_at: "", expires_at: "2026-01-01T09:00:00.000Z", fence: 1 };
    story.entity.children[1]!.lease = { ...story.entity.lease, by: "agent:*bob*" };
    expect(head(story)).toContain(
      "- who: agent:ada until 2026-01-01T09:00:00Z, agent:\\*bob\\* on s:1 until 2026-01-01T09:00:00Z",
    );
    expect(head(new Story().apart([t.edit({ title: "left" })], [t.edit({ title: "right" })]))).toContain(
      "- next: resolve the conflict about title",
    );
    const ended = head(new Story().do(t.complete()));
    expect(ended).toContain("- status: `DONE`");
    expect(ended.filter((line) => /^- (?:who|next):/.test(line))).toEqual([]);
  });

  it("[PROJ-8] of an open plan, whose log does not tell its tasks, no status is said that they may contradict", () => {
    const plan = new Story({ kind: "plan" });
    expect(readme(plan.subject)).toMatch(/^- status: open, its tasks say how far it is: `taskfold show PLAN-001`$/m);
    expect(readme(plan.do(t.complete()).subject)).toMatch(/^- status: `DONE`$/m);
  });

  it("[PROJ-8] [PROJ-18] details hold what an edit set, the same whatever order its keys came in", () => {
    const details = (contract_data: object): string => {
      const story = new Story().do(
        t.edit({
          priority: "HIGH",
          tags: ["parser", "a, *b*"],
          depends_on: [{ id: "PLAN-007", root: "r".repeat(43) }],
          domain: "front",
          contract_data,
        }),
      );
      return readme(story.subject).split("\n## Details\n\n")[1]!.split("\n## ")[0]!;
    };
    expect(details({ b: [1, { d: null, c: "x" }], a: true })).toBe(
      "- priority: HIGH\n- tags: parser, a, \\*b\\*\n- depends on: PLAN-007\n- domain: front\n" +
        '- contract data: {"a":true,"b":\\[1,{"c":"x","d":null}\\]}\n',
    );
    expect(details({ a: true, b: [1, { c: "x", d: null }] })).toBe(details({ b: [1, { d: null, c: "x" }], a: true }));
    expect(readme(new Story().subject)).not.toContain("## Details");
  });

  it("[regression PROJ-62] links the plan, captured output and attached files, and shows how a run ended", () => {
    const sha256 = "a".repeat(64);
    const kept = { sha256, size: 3, excerpt: "ok" };
    const story = new Story().do(
      t.addSteps(0, ["Test"]),
      t.capture(0, ["tests"], [t.command("npm test", { exit_code: 0, stdout: kept, content: kept })]),
      t.capture(0, ["tests"], [file("./outputs/report.txt"), file("./out (1)/[x].txt")]),
    );
    story.entity.parent = { id: "PLAN-001", root: "r".repeat(43) };
    const text = readme(story.subject);
    expect(text).toContain("- parent: [PLAN-001](../PLAN-001/README.md)\n");
    const blob = `shared/evidence/blobs/${sha256}`;
    const [run, report, odd] = text.split("\n## Evidence\n\n")[1]!.split("\n");
    expect(run).toMatch(/^- evidence:cmd-[0-9a-f]{8}-1 npm test \(command-execution\), exit code 0, /);
    expect(run!.endsWith(`, [stdout](${blob}), [kept text](${blob})`)).toBe(true);
    expect(report!.endsWith(", [outputs/report.txt](outputs/report.txt)")).toBe(true);
    // Nothing that would need an escape becomes the target of a link.
    expect(odd!.endsWith(", out (1)/\\[x\\].txt")).toBe(true);
    story.entity.parent = { id: "../x](y", root: "r".repeat(43) };
    expect(readme(story.subject)).toContain("- parent: ../x\\](y\n");
    story.entity.parent = { id: "PLAN-001", root: "r".repeat(43) };
    story.entity.deleted = true;
    expect(readme(story.subject)).toContain("- parent: PLAN-001\n");
  });

  it("[PROJ-8] what proves nothing is marked where it stands and where a checkpoint names it", () => {
    const items = [
      t.command("npm test", { counts: false, exit_code: 3 }),
      { ...file("./outputs/none.txt"), counts: false, attachment: { path: "./outputs/none.txt", missing: true } },
      t.command("<fill: command>", { counts: false }),
    ];
    const story = new Story().do(
      t.addSteps(0, ["Test"], null, { proof: { tests: "require", docs: "warn" } }),
      t.capture(0, ["tests"], items),
    );
    const text = readme(story.subject);
    const [failed, missing, open] = story.entity.evidence.map(({ id }) => id);
    const said = ["`failed` with exit code 3", "`missing`", "`no proof`"];
    expect(text).toContain(
      `(evidence:${failed} ${said[0]}, evidence:${missing} ${said[1]}, evidence:${open} ${said[2]})\n`,
    );
    expect(text).toContain("  - [ ] proof of tests `missing`\n  - [ ] proof of docs (not required)\n");
    const lines = text.split("\n## Evidence\n\n")[1]!.split("\n");
    expect(lines.slice(0, 3).map((line) => line.split("), ")[1])).toEqual(said);
    const proven = new Story().do(t.addSteps(0, ["x"]), t.capture(0, ["tests"], [t.command("npm test")]));
    expect(readme(proven.subject)).not.toMatch(/`(?:missing|no proof|failed)`/);
  });

  it("[PROJ-8] [regression PROJ-62] a run that failed says why, and one that Taskfold made and that passed is marked so", () => {
    const run = { argv: ["npm", "test"], env: [], platform: "linux" };
    const captured = { started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:01Z", ...run };
    const items = [
      t.command("npm test", { counts: false, exit_code: 3, failing_line: "not ok 3 - *parses*" }),
      t.command("npm test", { exit_code: 0, captured }),
      t.command("npm test", { exit_code: 0 }),
    ];
    const story = new Story().do(t.addSteps(0, ["Test"]), t.capture(0, ["tests"], items));
    const [failed, passed, claimed] = story.entity.evidence.map(({ id }) => id);
    const text = readme(story.subject);
    expect(text).toContain(
      `(evidence:${failed} \`failed\` with exit code 3, evidence:${passed} \`passed\` \`captured\`, evidence:${claimed})`,
    );
    expect(text).toMatch(/ \(command-execution\), `failed` with exit code 3: not ok 3 - \\\*parses\\\*\n/);
  });

  it("[regression PROJ-61] no time in it is finer than a second", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        expect(readme(story.subject)).not.toMatch(/\d\d:\d\d:\d\d\.\d/);
      }),
    );
    expect(toSecond("2026-01-01T00:05:00.123456789Z")).toBe("2026-01-01T00:05:00Z");
  });

  it("[PROJ-8] conflicts show every value and who wrote it", () => {
    const story = new Story().apart([t.edit({ title: "left" })], [t.edit({ title: "right", tags: ["a"] })]);
    expect(readme(story.subject)).toContain(
      "## Conflicts\n\n- title was written on two branches\n  - by human:ann: left\n  - by agent:bob (shown): right\n",
    );
  });

  it("[PROJ-8] says how many notes there are when only the last are shown", () => {
    const story = new Story();
    for (let i = 0; i < 12; i++) story.do(t.note(`note ${i}`));
    const text = readme(story.subject);
    expect(text).toContain("## Last 10 of 12 notes\n");
    expect(text).not.toContain("note 1\n");
    expect(text).toContain("note 2\n");
  });

  it("[PROJ-9] hostile titles and texts make the same structure as plain ones", () => {
    const frame = (text: string): string => {
      const story = new Story({ title: `T ${text}`, description: `D ${text}` });
      story.do(t.addSteps(0, [`S ${text}`], null, { success_criteria: [`C ${text}`], blockers: [`B ${text}`] }));
      story.do(...t.block(0, `R ${text}`)).do(t.capture(0, ["tests"], [t.command(`E ${text}`)]));
      // What a line begins with, and how many lines there are, is the structure; quoted lines are checked below.
      const lines = readme(story.subject).split("\n");
      return lines
        .filter((line) => !line.startsWith(">"))
        .map((line) => line.slice(0, 3))
        .join("\n");
    };
    const plain = frame("x");
    fc.assert(
      fc.property(anyText, (text) => {
        expect(frame(text)).toBe(plain);
      }),
    );
  });

  it("[PROJ-9] no character that means something is left bare", SWEEP, () => {
    fc.assert(
      fc.property(fc.oneof(anyText, markup), (text) => {
        const line = inline(text);
        expect(Array.from(line).filter(hidden)).toEqual([]);
        expect(bare(line)).not.toMatch(/[\\`*_[\]<>|~&@$]|:\/\/|www\./i);
        for (const quoted of quote(text).split("\n").slice(0, -1)) {
          expect(quoted).toMatch(/^>( |$)/);
          expect(quoted.slice(2)).not.toMatch(/^([#+=:-]|\d+[.)]|\s)/);
          expect(bare(quoted.slice(2)).replace(/\\$/, "")).not.toMatch(/[\\`*_[\]<>|~&@$]/);
        }
      }),
      runsOf(500),
    );
  });

  it("[PROJ-9] line breaks in titles become spaces, hidden and turning characters show", () => {
    expect(inline("a\r\n\r\nb\u2028c\td")).toBe("a b c d");
    expect(inline("a\u202Etxt.exe\u0007")).toBe("a\uFFFDtxt.exe\uFFFD");
    expect(inline("see https://e.x and www.e.x, ask a@b.c")).toBe("see https\\://e.x and www\\.e.x, ask a\\@b.c");
    expect(readme(new Story({ title: "C ##" }).subject)).toMatch(/^# C \\#\\#\n/);
  });

  it("[PROJ-9] what is not seen shows, also where it takes two units of UTF-16", () => {
    const unseen = [
      0xad, 0x200b, 0x200d, 0x2060, 0x2062, 0x3164, 0xfe0f, 0xfff9, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0x1d173,
    ];
    const anyUnseen = fc.constantFrom(...unseen.map((point) => String.fromCodePoint(point)));
    fc.assert(
      fc.property(anyUnseen, fc.string(), fc.string(), (c, before, after) => {
        const story = new Story({ description: `${before}${c}${after}` }).do(
          t.note(`a${c}b\n${c}`),
          t.addSteps(0, [`x${c}y`]),
        );
        expect(readme(story.subject)).not.toContain(c);
        expect(inline(`a${c}b`)).toBe("a\uFFFDb");
        expect(quote(c)).toContain("\uFFFD");
      }),
    );
    expect(inline("caf\u00e9 \u{1f600} \u5b57")).toBe("caf\u00e9 \u{1f600} \u5b57");
  });

  it("[PROJ-9] a quote keeps lines apart and never ends in a bare backslash", () => {
    expect(quote("a\nb\n\n   c\\\n1. d\n")).toBe("> a\\\n> b\n>\n> c\\\\\\\n> 1\\. d\n");
    expect(quote(" \n\t\n")).toBe("");
    expect(quote("a\nb", "  ")).toBe("  > a\\\n  > b\n");
  });
});
