import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectionsOf } from "../../src/projections/index.ts";
import { givenTask } from "../support/given.ts";
import type { Given } from "../support/given.ts";
import { anyStory, anyText, anyTitle } from "../support/random_story.ts";
import * as t from "../support/story.ts";
import { cardId, Story } from "../support/story.ts";
import { call, newTask, ok, openTemp } from "../support/workspace.ts";

const files = (given: Given): Map<string, string> => projectionsOf({ ...given.subject("TASK-001"), bytes: 0 });

/** The head of a Markdown file, read by a YAML reader, and what stands behind it. */
function parts(text: string): { head: Record<string, unknown>; body: string } {
  const [, head = "", body = ""] = /^---\n(.*?)^---\n(.*)$/ms.exec(text) ?? [];
  return { head: parse(head) as Record<string, unknown>, body };
}

describe("decisions as files", () => {
  it("[REASON-11] front matter, the text, and the cards it rests on, nearest first", () => {
    const given = givenTask("a");
    given.call("tasks_think", {
      frame: "Which lock?",
      evidence: "It lost a write",
      decision: { title: "Take # the OS lock", text: "See evidence:cmd-0a1b2c3d-1.\nFor now.", tags: ["locks"] },
      status: { decision: "agreed" },
    });
    const decisions = [...files(given).keys()].filter((name) => name.startsWith("shared/decisions/"));
    expect(decisions).toEqual(["shared/decisions/CARD-00000003.md"]);
    expect(files(given).get("shared/decisions/CARD-00000003.md")).toBe(
      `---
title: "Take # the OS lock"
purpose: "decision"
tags: ["decision", "locks"]
task_id: "TASK-001"
agent_instance: "human:ada"
artifact_id: "CARD-00000003"
created_at: "2026-01-01T00:05:00.000Z"
---

# Take # the OS lock

- card: \`CARD-00000003\`
- status: agreed
- by: human:ada
- at: 2026-01-01T00:05:00.000Z

## Decision

> See evidence:cmd-0a1b2c3d-1.\\
> For now.

## Rests on

- evidence \`CARD-00000002\` (open): It lost a write
- frame \`CARD-00000001\` (open): Which lock?
`,
    );
  });

  it("[REASON-11] a decision that was taken back stays and says so; README lists those that hold", () => {
    const given = givenTask("a");
    given.call("tasks_think", { decision: "Keep [it]" });
    given.call("tasks_think", { decision: "Drop it" });
    given.call("tasks_undo", {});
    const all = files(given);
    expect(all.get("shared/decisions/CARD-00000002.md")).toContain("- **taken back**:");
    expect(all.get("shared/decisions/CARD-00000001.md")).not.toContain("taken back");
    const section = /## Decisions\n\n(.*?)\n\n/s.exec(`${all.get("README.md")}\n\n`)?.[1];
    expect(section).toBe("- [Keep \\[it\\]](shared/decisions/CARD-00000001.md) (open)");
  });

  it("[REASON-11] README has no such section before there is a decision", () => {
    const given = givenTask("a");
    given.call("tasks_think", { frame: "f" });
    expect(files(given).get("README.md")).not.toContain("## Decisions");
  });

  it("[REASON-11] whatever is written, the head is the YAML that was meant and the text forges no structure", () => {
    fc.assert(
      fc.property(anyTitle, anyText, (title, text) => {
        const story = new Story().do(t.card(1, "decision", title, [], text));
        const { head, body } = parts(projectionsOf(story.subject).get(`shared/decisions/${cardId(1)}.md`)!);
        expect(head).toMatchObject({ title: title.toWellFormed(), artifact_id: cardId(1), tags: ["decision"] });
        expect(body.match(/^#.*$/gm)?.length).toBe(text.trim() === "" || !body.includes("\n## ") ? 1 : 2);
      }),
    );
  });

  it("[REASON-11] cards that support each other in a circle end the list", () => {
    const story = new Story().do(t.card(1, "decision", "a", [2]), t.card(2, "decision", "b", [1]));
    const text = projectionsOf(story.subject).get(`shared/decisions/${cardId(1)}.md`)!;
    expect(text.match(/^- decision `CARD-/gm)).toHaveLength(1);
  });

  it("[REASON-11] every state folds to files of these names only", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        for (const name of projectionsOf(story.subject).keys())
          expect(name).toMatch(/^(?!shared\/decisions\/)|^shared\/decisions\/CARD-[0-9A-F]{8}\.md$/);
      }),
    );
  });
});

describe("the joined summary", () => {
  it("[REPORT-3] has Coco's front matter, and of each worker what came of it with citations", () => {
    const given = givenTask("Grammar");
    expect([...files(given).keys()]).not.toContain("shared/reports/joined-summary.md");
    given.by = "agent:w1";
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    const [evidence] = given.entity().evidence;
    given.call("tasks_report", {
      summary: "All # parses.",
      agents: [
        {
          instance: "w1",
          status: "success",
          summary: "did *it*",
          conclusions: [{ text: "it parses", evidence: [evidence!.id] }, "and fast"],
          questions: ["ship it?"],
          next_actions: ["review"],
        },
      ],
    });
    expect(files(given).get("shared/reports/joined-summary.md")).toBe(
      `---
title: "Joined Summary: Write the parser"
purpose: "What came of it, agent by agent"
tags: ["joined-summary", "subagents"]
task_id: "TASK-001"
generated_at: "2026-01-01T00:07:00.000Z"
---

# Joined Summary: Write the parser

- task: \`TASK-001\`
- generatedAt: \`2026-01-01T00:07:00.000Z\`

> All # parses.

## Workers

### ada (human)

- status: \`working\`
- summary: 0 steps closed, 0 decisions

### w1 (agent)

- status: \`success\`
- evidence: evidence:${evidence!.id}
- summary: did \\*it\\*
- conclusions:
  - it parses (evidence:${evidence!.id})
  - and fast
- questions:
  - ship it?
- nextActions:
  - review
`,
    );
  });

  it("[REPORT-3] [EVID-16] what it cites is in the index, and whatever is written stays text", async () => {
    const ws = openTemp();
    await newTask(ws);
    const { cite } = await ok(ws, "tasks_evidence_capture", {
      task: "TASK-001",
      path: "s:0",
      checks: ["CMD: npm test"],
    });
    const [citation] = cite as string[];
    const conclusions = [{ text: "so it is\n# heading\n- item", evidence: [citation!] }];
    await ok(ws, "tasks_report", { task: "TASK-001", agents: [{ instance: "w1", conclusions }] });
    const path = join(ws.root, ".coco/tasks/TASK-001/shared/reports/joined-summary.md");
    const { head, body } = parts(readFileSync(path, "utf8"));
    expect(head).toMatchObject({ title: "Joined Summary: Task TASK-001", task_id: "TASK-001" });
    expect(body).toContain(`  - so it is # heading - item (${citation})`);
    expect(ws.verify().findings).toEqual([]);
  });
});

describe("reasoning on disk", () => {
  it("[REASON-11] [REPORT-3] [DIR-26] files come back with the same bytes, and edited ones are set aside", async () => {
    const ws = openTemp();
    await newTask(ws);
    const folder = join(ws.root, ".coco/tasks/TASK-001/shared");
    await ok(ws, "tasks_think", { task: "TASK-001", decision: "Ship it" });
    await ok(ws, "tasks_report", { task: "TASK-001" });
    const [name] = readdirSync(join(folder, "decisions"));
    const path = join(folder, "decisions", name!);
    const before = readFileSync(path, "utf8");
    rmSync(join(folder, "decisions"), { recursive: true });
    rmSync(join(folder, "reports"), { recursive: true });
    await ok(ws, "tasks_note", { target: "TASK-001", note: "on" });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(ws.verify().findings).toEqual([]);
    writeFileSync(path, "mine\n");
    const { warnings } = await call(ws, "tasks_note", { target: "TASK-001", note: "and on" });
    expect(warnings.map((w) => w.code)).toEqual(["PROJECTION_DRIFT"]);
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});
