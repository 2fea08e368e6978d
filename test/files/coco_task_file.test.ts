import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";
import { TaskfoldError } from "../../src/errors.ts";
import { type CocoTask, readCocoTaskFile, readWholeCocoTaskFile } from "../../src/files/coco_task_file.ts";
import { cocoState } from "../../src/projections/coco_state.ts";
import { readme } from "../../src/projections/readme.ts";
import { taskYaml } from "../../src/projections/task_yaml.ts";
import type { Folded } from "../../src/state/entity.ts";
import { entityOfCocoTask } from "../../src/state/foreign_entity.ts";
import { contextOf } from "../../src/views/context.ts";
import { listedOf } from "../../src/state/listed.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import { radarOf } from "../../src/views/radar.ts";
import { asWritten } from "../support/story.ts";
import { anyStory } from "../support/random_story.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING, runsOf, sampleOf, SWEEP } from "../support/sweep.ts";

const read = (text: string): CocoTask => readCocoTaskFile(text, yaml);
const least = "id: t1\ntitle: A title\ntopology: squad\nstate: created\n";

function refusal(text: string): TaskfoldError {
  try {
    read(text);
  } catch (e) {
    if (e instanceof TaskfoldError) return e;
    throw e;
  }
  throw new Error(`was read: ${text.slice(0, 80)}`);
}

function subjectOf(task: CocoTask): Folded {
  return { id: task.id, workspace: "acme/repo", entity: entityOfCocoTask(task), head: "", bytes: 0 };
}

const SAMPLES = join(ROOT, "test/data/coco");
const samples = readdirSync(SAMPLES).map((id) => ({ id, text: readFileSync(join(SAMPLES, id, "task.yaml"), "utf8") }));

describe("task files that Coco wrote", () => {
  it("[DIR-9] [PROJ-11] are read whole and keep their topology", () => {
    expect(samples).toHaveLength(3);
    for (const { id, text } of samples) {
      expect(read(text)).toMatchObject({ id, description: "", milestones: [], config: { maxConcurrentAgents: 3 } });
    }
    const blocked = read(samples.find(({ text }) => text.includes("input-required"))!.text);
    expect(blocked).toMatchObject({
      title: "One worker blocked",
      topology: "swarm",
      state: "input-required",
      createdAt: "2026-11-21T20:31:29.362494008Z",
      roster: [
        { instance: "w1", state: "completed", assignedMilestone: null, skills: [] },
        { instance: "w2", state: "awaiting" },
      ],
      gates: [
        { id: "gate-w2", type: "human-approval", state: "blocked", reason: "Which table? (+1 more)", resolvedAt: null },
      ],
    });
  });

  it("[PROJ-11] the views answer from them", () => {
    const subjects = samples.map(({ text }) => subjectOf(read(text)));
    const { result } = contextOf(subjects.map(listedOf), asWritten);
    expect(result.counts).toEqual({ plans: 0, tasks: 3 });
    expect(result.by_status).toEqual({ TODO: 0, ACTIVE: 2, DONE: 0, FAILED: 0, CANCELED: 1 });
    for (const subject of subjects) {
      expect(radarOf(subject).now).toContain(subject.id);
      expect(handoffOf(subject).notes).toEqual([]);
      expect(readme(subject)).toContain(`- id: \`${subject.id}\`\n`);
      expect(readme(subject)).toContain(`- topology: \`${subject.entity.topology}\`\n`);
    }
    const blocked = subjects.find((s) => s.entity.title === "One worker blocked")!;
    expect(radarOf(blocked).blockers).toEqual(["Gate gate-w2 is blocked: Which table? (+1 more)"]);
    expect(readme(blocked)).toContain("- state: `input-required`\n");
  });

  it("[PROJ-11] milestones are top-level steps under their own ids", () => {
    const text = `${least.replace("created", "working")}milestones:
  - {id: m1, title: Read}
  - {id: m2, title: Think, state: in_progress}
  - {id: m3, title: Wait, state: blocked, dependsOn: [m1, m2]}
  - {id: m4, title: Write, state: done}
`;
    const task = read(text);
    expect(task.milestones.map((m) => m.state)).toEqual(["pending", "working", "blocked", "done"]);
    expect(task.milestones[2]!.dependsOn).toEqual(["m1", "m2"]);
    const subject = subjectOf(task);
    expect([...subject.entity.steps.keys()]).toEqual(["m1", "m2", "m3", "m4"]);
    expect(radarOf(subject).now).toBe("Task t1: A title | s:0 Read");
    expect(radarOf(subject).blockers).toEqual(["s:2 Wait is blocked", "s:2 Wait waits for s:0 Read, s:1 Think"]);
    expect(handoffOf(subject).done).toEqual(["s:3 Write"]);
    expect(read(taskYaml(subject)).milestones.map((m) => m.state)).toEqual(["pending", "working", "blocked", "done"]);
  });

  it("[DIR-12] [PROJ-11] historic words are put right", () => {
    expect(read(least.replace("created", "gate.blocked")).state).toBe("input-required");
    expect(read(least.replace("created", "cancelled")).state).toBe("canceled");
    expect(read(`${least}roster: [{instance: w, agent: a, state: created}]\n`).roster[0]!.state).toBe("pending");
  });

  it("[DIR-12] [PROJ-11] each state comes out as it went in", () => {
    for (const state of ["created", "working", "input-required", "completed", "failed", "canceled"]) {
      expect(cocoState(subjectOf(read(least.replace("created", state))).entity)).toBe(state);
    }
    expect(radarOf(subjectOf(read(least.replace("created", "gate.blocked")))).blockers).toEqual([
      "Gate input-required is blocked",
    ]);
  });

  it("[PROJ-11] defaults stand in for what is absent", () => {
    expect(read(least)).toEqual({
      id: "t1",
      title: "A title",
      description: "",
      topology: "squad",
      state: "created",
      createdAt: null,
      updatedAt: null,
      milestones: [],
      roster: [],
      gates: [],
      config: { maxConcurrentAgents: 3, timeoutSeconds: 3600, autoApprove: false },
    });
    expect(read(`${least}description: ~\n`).description).toBe("");
    expect(read(`${least}config: {maxConcurrentAgents: 0}\n`).config.maxConcurrentAgents).toBe(0);
  });

  it("[PROJ-11] texts are what stands in the file", () => {
    for (const title of ["0o17", "1.0", "1e3", "true", "2026-01-01", "0x1F", "12:30"]) {
      expect(read(least.replace("A title", title)).title).toBe(title);
    }
    expect(read(least.replace("A title", '"\\u00e9 \\"x\\""')).title).toBe('é "x"');
    expect(read(least.replace("A title", ">-\n  folded\n  text")).title).toBe("folded text");
    expect(read(`# note\n---\n${least.replace("A title", "&a Name")}description: *a\n`).description).toBe("Name");
    expect(read(`${least}x-own: {deep: [1, 2]}\n`.replaceAll("\n", "\r\n")).id).toBe("t1");
  });

  it("[PROJ-1] [PROJ-11] what we write is read back", SWEEP, () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const task = read(taskYaml(story.subject));
        const { title, description, topology, created_at, updated_at } = story.entity;
        expect(task).toMatchObject({
          id: story.id,
          title,
          description,
          topology,
          createdAt: created_at,
          updatedAt: updated_at,
        });
        expect(task.state).toBe(cocoState(story.entity));
      }),
      runsOf(100),
    );
  });
});

const many = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join("");

describe("task files that are broken", () => {
  const broken: [string, string, string][] = [
    ["empty", "", "a map"],
    ["a list", "- a\n", "a map"],
    ["a text", "hello\n", "a map"],
    ["half a quoted text", 'id: t1\ntitle: "A ti', "quote"],
    ["half a file", "id: t1\ntitle: A title\n", "topology"],
    ["a repeated key", `${least}title: Another\n`, "unique"],
    ["a byte order mark", `\uFEFF${least}`, "byte order mark"],
    ["two documents", `${least}---\n${least}`, "document"],
    ["an unknown tag", least.replace("A title", "!!js/function 'x'"), "tag"],
    ["an alias to nothing", least.replace("A title", "*nobody"), "alias"],
    ["a null list", `${least}milestones:\n`, "milestones"],
    ["a null roster", `${least}roster: ~\n`, "roster"],
    ["a map for a list", `${least}gates: {}\n`, "gates"],
    ["a text in a list of maps", `${least}milestones: [x]\n`, "milestones[0]"],
    ["a milestone without a title", `${least}milestones: [{id: a}]\n`, "milestones[0].title"],
    [
      "a roster entry of no known state",
      `${least}roster: [{instance: a, agent: b, state: working}]\n`,
      "roster[0].state",
    ],
    ["a gate of no known type", `${least}gates: [{id: a, type: b, state: open}]\n`, "gates[0].type"],
    ["a null config", `${least}config:\n`, "config"],
    ["a negative config", `${least}config: {timeoutSeconds: -1}\n`, "config.timeoutSeconds"],
    ["an unsafe id", least.replace("t1", "../t1"), "id"],
    ["a blank title", least.replace("A title", '" "'), "title"],
    ["a null title", least.replace("A title", "~"), "title"],
    ["a map for a title", least.replace("A title", "{a: b}"), "title"],
    ["an unknown topology", least.replace("squad", "Squad"), "topology"],
    ["an unknown state", least.replace("created", "toString"), "state"],
    ["a null state", least.replace("created", "~"), "state"],
    ["a date without a time", `${least}createdAt: 2026-01-01\n`, "createdAt"],
    ["a null time", `${least}updatedAt: ~\n`, "updatedAt"],
    ["too much", `${least}description: ${"x".repeat(1024 * 1024)}\n`, "1048576"],
    ["a key twice, as text and as number", `${least}x: {1: a, "1": b}\n`, "unique"],
    ["a key twice behind many", `${least}x:\n${many(15_000, (i) => `  k${i}: 1\n`)}  k7: 1\n`, "unique"],
    ["a list for a key", `${least}? [a, b]\n: c\n`, "keys"],
    ["too many keys", `${least}x:\n${many(85_000, (i) => `  k${i}: 1\n`)}`, "200000 tokens"],
    ["too many aliases", `${least}x: &x 1\ny: [${many(1001, () => "*x,")}]\n`, "1000 aliases"],
    ["deep lists", `${least}x: ${"- ".repeat(50)}${"[".repeat(20)}1${"]".repeat(20)}\n`, "YAML"],
    ["a mistake at every character", `${least}${"}".repeat(199_000)}\n`, "YAML"],
    ["deep brackets", `${least}x: ${"[".repeat(5000)}\n`, "YAML"],
  ];
  for (const [what, text, names] of broken) {
    it(`[PROJ-11] [ADOPT-40] ${what} is refused, naming ${names}`, ROTATING, () => {
      const error = refusal(text);
      expect(error.code).toBe("LOG_UNREADABLE");
      expect(error.message).toContain(names);
      expect(error.message.length).toBeLessThan(400);
    });
  }

  it("[PROJ-11] aliases that multiply cost nothing", () => {
    let bomb = "a0: &a0 [x, x]\n";
    for (let i = 1; i < 40; i++) bomb += `a${i}: &a${i} [*a${i - 1}, *a${i - 1}]\n`;
    expect(read(`${bomb}${least}`).id).toBe("t1");
    expect(refusal(`${bomb}${least}config: {timeoutSeconds: *a39}\n`).message).toContain("config.timeoutSeconds");
    expect(refusal(`${bomb}${least}milestones: *a39\n`).message).toContain("milestones[0]");
  });

  it("[ADOPT-40] 20,000 keys are read, and errors keep their traces afterwards", ROTATING, () => {
    expect(read(`${least}x:\n${many(20_000, (i) => `  k${i}: 1\n`)}`).id).toBe("t1");
    expect(new Error("x").stack).toContain("coco_task_file.test");
  });

  it("[ADOPT-40] keys that objects have of their own are members like others, and no merge key merges", () => {
    const extra = `__proto__: {title: a}\nconstructor: b\nx: &x {title: c}\n<<: *x\n`;
    const whole = readWholeCocoTaskFile(`${least}${extra}`, yaml);
    expect(whole.task.title).toBe("A title");
    expect(whole.extra.map(({ path }) => path)).toEqual(["__proto__", "constructor", "x", "<<"]);
    expect(({} as { title?: string }).title).toBeUndefined();
  });

  it.each([
    ["inside of itself", "x: &x [*x, *x]\n", "inside of itself"],
    ["inside of itself, in a map", "x: &x {a: {b: *x}}\n", "inside of itself"],
    ["of much text", `x: &x ${"a".repeat(900_000)}\ny: [${many(5, () => "*x,")}]\n`, "written out"],
    ["of aliases", `a0: &a0 [x, x]\n${many(40, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)}`, "written out"],
  ])(
    "[ADOPT-40] an alias %s is refused where it would be written out, and read past elsewhere",
    (_what, text, says) => {
      expect(read(`${least}${text}`).id).toBe("t1");
      expect(() => readWholeCocoTaskFile(`${least}${text}`, yaml)).toThrow(
        expect.objectContaining({ code: "LOG_UNREADABLE", message: expect.stringContaining(says) as string }),
      );
    },
  );

  it("[PROJ-11] any prefix of a file is read or refused, never anything else", SWEEP, () => {
    const outcome = (text: string): string => {
      try {
        return read(text).id;
      } catch (e) {
        return e instanceof TaskfoldError ? e.code : String(e);
      }
    };
    for (const { id, text } of samples) {
      const ends = sampleOf(
        Array.from({ length: text.length }, (_, end) => end),
        Math.ceil(text.length / 4),
      );
      const outcomes = new Set([...ends, text.length - 1].map((end) => outcome(text.slice(0, end))));
      expect([...outcomes]).toEqual(["LOG_UNREADABLE", id]);
    }
  });
});
