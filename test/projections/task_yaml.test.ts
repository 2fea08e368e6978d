import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormatsModule from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { cocoState } from "../../src/projections/coco_state.ts";
import { projectionsOf, RENDERER } from "../../src/projections/index.ts";
import { readme } from "../../src/projections/readme.ts";
import { taskYaml } from "../../src/projections/task_yaml.ts";
import { toSecond } from "../../src/to_second.ts";
import { anyStory } from "../support/random_story.ts";
import { ROOT } from "../support/source.ts";
import * as t from "../support/story.ts";
import { Story, stepId } from "../support/story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
addFormatsModule.default(ajv);
const schema = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join(ROOT, "test/data/coco-schemas", name), "utf8")) as object);
const isTask = schema("task.schema.json");
const isEvidence = schema("evidence-entry.schema.json");

interface TaskFile {
  [key: string]: unknown;
  milestones: { id: string; state: string }[];
  gates: Record<string, unknown>[];
  roster: Record<string, unknown>[];
  steps: Record<string, unknown>[];
}

function read(story: Story): TaskFile {
  const doc = parseDocument(taskYaml(story.subject), { version: "1.2" });
  expect([...doc.errors, ...doc.warnings]).toEqual([]);
  return doc.toJS() as TaskFile;
}

const NULLABLE = [
  "instructionsRef",
  "blockedAt",
  "resolvedAt",
  "resolvedBy",
  "assignedMilestone",
  "parent",
  "parentRoot",
];

/** Names of members that are null where a reader refuses it. */
function badNulls(value: unknown, name = ""): string[] {
  if (value === null) return NULLABLE.includes(name) ? [] : [name];
  if (typeof value !== "object") return [];
  return Object.entries(value as object).flatMap(([key, v]) => badNulls(v, Array.isArray(value) ? name : key));
}

describe("task.yaml", () => {
  it("[PROJ-3] [DIR-9] is the head of a list, then Coco's task file and our keys", () => {
    const story = new Story({ title: 'Fix: the "parser"', description: "It\ncrashes." });
    story.do(t.addSteps(0, ["Reproduce", "Repair"])).do(...t.block(1, "no key"));
    expect(taskYaml(story.subject)).toBe(`id: "TASK-001"
title: "Fix: the \\"parser\\""
kind: "task"
status: "ACTIVE"
revision: 3
priority: "MEDIUM"
tags: []
parent: null
parentRoot: null
dependsOn: []
dependsOnRoots: []
stepCount: 2
stepsDone: 0
updatedAt: "2026-01-01T00:02:00.000Z"
deleted: false
root: "${story.entity.root}"
renderer: 10
head: ["${story.subject.head}", 1500, "b1322b1d"]
description: "It\\ncrashes."
topology: "squad"
state: "input-required"
createdAt: "2026-01-01T00:00:00.000Z"
milestones:
  - id: "STEP-00000000"
    title: "Reproduce"
    state: "pending"
    dependsOn: []
  - id: "STEP-00000001"
    title: "Repair"
    state: "blocked"
    dependsOn: []
roster: []
gates:
  - id: "gate-STEP-00000001"
    type: "human-approval"
    state: "blocked"
    reason: "no key"
    instructionsRef: "./shared/human-notes.md"
    blockedAt: "2026-01-01T00:02:00.000Z"
    resolvedAt: null
    resolvedBy: null
config:
  maxConcurrentAgents: 3
  timeoutSeconds: 3600
  autoApprove: false
taskdoc: "taskdoc.tsk"
steps:
  - id: "STEP-00000000"
    path: "s:0"
    title: "Reproduce"
    state: "pending"
    missing: "criteria, tests"
  - id: "STEP-00000001"
    path: "s:1"
    title: "Repair"
    state: "blocked"
    missing: "criteria, tests"
`);
  });

  it("[DIR-9] [PROJ-3] passes Coco's schema in every state, with no null that its reader refuses", SWEEP, () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const file = read(story);
        expect(isTask(file), JSON.stringify(isTask.errors)).toBe(true);
        expect(badNulls(file)).toEqual([]);
        expect(file).toMatchObject({
          id: story.id,
          title: story.entity.title,
          description: story.entity.description,
          updatedAt: story.entity.updated_at,
          revision: story.entity.revision,
          renderer: RENDERER,
          config: { maxConcurrentAgents: 3, timeoutSeconds: 3600, autoApprove: false },
        });
      }),
      runsOf(300),
    );
  });

  it("[PROJ-3] [PROJ-18] has what an edit set, and ids as they were written", () => {
    const ref = { id: "PLAN-007", root: "r".repeat(43) };
    const story = new Story().do(t.edit({ priority: "HIGH", tags: ["a: b", "off"], depends_on: [ref] }));
    story.entity.parent = ref;
    expect(isTask(read(story))).toBe(true);
    expect(read(story)).toMatchObject({
      parent: "PLAN-007",
      priority: "HIGH",
      tags: ["a: b", "off"],
      dependsOn: ["PLAN-007"],
    });
  });

  it("[DIR-9] a plan passes it too", () => {
    const plan = new Story({ kind: "plan", title: "Release" });
    expect(isTask(read(plan))).toBe(true);
    expect(read(plan)).toMatchObject({
      id: "PLAN-001",
      kind: "plan",
      milestones: [],
      steps: [],
      gates: [],
      roster: [],
    });
  });

  it("[DIR-12] state follows the log", () => {
    const story = new Story().do(t.addSteps(0, ["a", "b"]));
    const steps: [() => unknown, string][] = [
      [() => story, "created"],
      [() => story.do(t.verify(0)), "working"],
      [() => story.do(t.close(0)), "working"],
      [() => story.do(...t.block(1)), "input-required"],
      [() => story.do(...t.unblock(1)), "working"],
      [() => story.do(t.reopen(0, "no")), "working"],
      [() => story.do(t.status("ACTIVE")), "working"],
      [() => story.apart([t.edit({ title: "left" })], [t.edit({ title: "right" })]), "input-required"],
      [() => story.do(t.status("CANCELED")), "canceled"],
      [() => story.do(t.status("FAILED")), "failed"],
      [() => story.do(t.edit({ title: "both" }), t.status("ACTIVE")), "working"],
      [() => story.do(t.remove(0), t.remove(1), t.complete()), "completed"],
    ];
    for (const [act, state] of steps) {
      act();
      expect(cocoState(story.entity)).toBe(state);
    }
  });

  it("[DIR-16] [PROJ-5] milestones are the live top-level steps", () => {
    const story = new Story().do(t.addSteps(0, ["a", "b", "c", "d", "e"]), t.addSteps(10, ["below"], 1));
    story
      .do(t.verify(0), t.close(0))
      .do(t.verify(10), t.close(10))
      .do(...t.block(2))
      .do(t.remove(3));
    expect(read(story).milestones.map((m) => [m.id, m.state])).toEqual([
      [stepId(0), "done"],
      [stepId(1), "working"],
      [stepId(2), "blocked"],
      [stepId(4), "pending"],
    ]);
    expect(read(story).steps.map((s) => s["path"])).toEqual(["s:0", "s:1", "s:1.s:0", "s:2", "s:4"]);
    story.do(t.verify(4, { criteria: true }));
    expect(read(story).milestones.at(-1)!.state).toBe("working");
    expect(read(story).steps.at(-1)).toMatchObject({ state: "working", missing: "tests" });
  });

  it("[PROJ-5] a closed step says when and by whom, and neither once it is open again", () => {
    const story = new Story().do(t.addSteps(0, ["a", "b"])).do(t.verify(0), t.close(0));
    const { done_at: doneAt, done_by: doneBy } = story.entity.steps.get(stepId(0))!;
    expect(doneAt).toMatch(/^2026-/);
    expect(read(story).steps[0]).toMatchObject({ state: "done", doneAt, doneBy });
    expect(read(story).steps[1]).not.toHaveProperty("doneAt");
    expect(readme(story.subject)).toContain(`\`closed\` ${toSecond(doneAt!)} by ${doneBy}\n`);
    story.do(t.reopen(0, "a case was missed"));
    expect(read(story).steps[0]).not.toHaveProperty("doneAt");
    expect(read(story).steps[0]).not.toHaveProperty("doneBy");
    expect(readme(story.subject)).not.toContain("`closed`");
  });

  it("[PROJ-3] what has ended says when and by whom, and neither once it is open again", () => {
    const story = new Story().do(t.status("FAILED"));
    const { ended_at: endedAt, ended_by: endedBy } = story.entity;
    expect(endedAt).toMatch(/^2026-/);
    expect(read(story)).toMatchObject({ status: "FAILED", endedAt, endedBy });
    expect(taskYaml(story.subject)).toContain(`endedAt: "${endedAt}"\nendedBy: "${endedBy}"\ntaskdoc: `);
    expect(readme(story.subject)).toContain(`\n- status: \`FAILED\`\n- ended: ${toSecond(endedAt!)} by ${endedBy}\n`);
    story.do(t.status("ACTIVE"));
    expect(read(story)).not.toHaveProperty("endedAt");
    expect(read(story)).not.toHaveProperty("endedBy");
    expect(readme(story.subject)).not.toContain("- ended");
    const other = { ...story.subject, entity: { ...story.entity, status: "DONE" as const } };
    expect(taskYaml(other)).toContain("endedAt: null\nendedBy: null\n");
    expect(readme(other)).not.toContain("- ended");
  });

  it("[DIR-16] [PROJ-5] a block is a gate, without a reason when there is none, and goes with its step", () => {
    const story = new Story().do(t.addSteps(0, ["a"])).do(...t.block(0));
    expect(read(story).gates).toEqual([
      {
        id: `gate-${stepId(0)}`,
        type: "human-approval",
        state: "blocked",
        instructionsRef: "./shared/human-notes.md",
        blockedAt: "2026-01-01T00:02:00.000Z",
        resolvedAt: null,
        resolvedBy: null,
      },
    ]);
    story.do(...t.unblock(0));
    expect(read(story).gates).toMatchObject([{ state: "approved", resolvedBy: "human:ann" }]);
    story.do(...t.block(0)).do(t.remove(0));
    expect(read(story)).toMatchObject({ gates: [], state: "created" });
  });

  it("[DIR-16] a roster entry is never active, pending or dormant", () => {
    const story = new Story();
    for (const state of ["active", "awaiting", "completed", "failed"] as const) {
      story.entity.agents.set(state, { instance: state, agent: "worker", state });
    }
    expect(isTask(read(story))).toBe(true);
    expect(read(story).roster.map((r) => [r["instance"], r["state"]])).toEqual([
      ["active", "awaiting"],
      ["awaiting", "awaiting"],
      ["completed", "completed"],
      ["failed", "failed"],
    ]);
  });
});

describe("the evidence index", () => {
  it("[EVID-1] [PROJ-7] is an empty array at first", () => {
    expect(projectionsOf(new Story().subject).get("shared/evidence/index.json")).toBe("[]\n");
  });

  it("[EVID-3] [EVID-1] every entry of any state passes Coco's closed schema, in the order of the log", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const text = projectionsOf(story.subject).get("shared/evidence/index.json")!;
        const entries = JSON.parse(text) as { id: string }[];
        for (const entry of entries) expect(isEvidence(entry), JSON.stringify(isEvidence.errors)).toBe(true);
        expect(entries.map((e) => e.id)).toEqual(story.entity.evidence.map((e) => e.id));
        expect(text.endsWith("\n")).toBe(true);
      }),
    );
  });

  it("[EVID-3] [EVID-8] each kind of source passes it", () => {
    const blob = { sha256: "ab".repeat(32), size: 3, excerpt: "ok\n" };
    const items = [
      t.command("npm test", { exit_code: 0, stdout: blob, stderr: blob }),
      {
        kind: "file-anchor",
        title: "lexer",
        summary: "s",
        counts: true,
        path: "src/lexer.ts",
        start_line: 3,
        end_line: 9,
      },
      {
        kind: "runtime-event-range",
        title: "https://e.x",
        summary: "",
        counts: true,
        url: "https://e.x",
        content: blob,
      },
    ];
    const story = new Story().do(t.capture(null, [], items));
    const entries = JSON.parse(projectionsOf(story.subject).get("shared/evidence/index.json")!) as unknown[];
    for (const entry of entries) expect(isEvidence(entry), JSON.stringify(isEvidence.errors)).toBe(true);
    const ref = `./shared/evidence/blobs/${blob.sha256}`;
    expect(entries).toMatchObject([
      {
        kind: "command-execution",
        sources: [{ command: "npm test", cwd: ".", exitCode: 0, stdoutRef: ref, stderrRef: ref }],
      },
      { kind: "file-anchor", sources: [{ path: "src/lexer.ts", startLine: 3, endLine: 9 }] },
      { kind: "runtime-event-range", sources: [{ eventsRef: "./events.jsonl" }], artifactRefs: [ref] },
    ]);
  });
});

describe("the files of an entity", () => {
  it("[PROJ-7] [DIR-26] are three, those of the Taskdoc and those of decisions, and a function of the subject alone", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const files = projectionsOf(story.subject);
        const decisions = story.entity.decisions.map((id) => `shared/decisions/${id}.md`);
        const taskdoc = ["goals", "constraints", "progress"].map((name) => `taskdoc.tsk/${name}.md`);
        const names = [...files.keys()].filter((name) => !decisions.includes(name));
        const [first, others] = [names.slice(0, 6), names.slice(6)];
        expect(first).toEqual(["task.yaml", "README.md", "shared/evidence/index.json", ...taskdoc]);
        expect([...files.keys()].slice(names.length)).toEqual(decisions);
        for (const name of others) expect(name).toMatch(/^taskdoc\.tsk\/[A-Za-z0-9.]+\/[a-z]+\.md$/);
        expect(new Set(others.map((name) => name.toLowerCase())).size).toBe(others.length);
        expect([...projectionsOf(story.subject)]).toEqual([...files]);
        for (const text of files.values()) expect(Buffer.from(text).toString("utf8")).toBe(text);
      }),
    );
  });
});
