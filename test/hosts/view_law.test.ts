/** A law of the viewer: after each kind of change it answers as one that is opened then, and another answer has another tag. */
import { expect, it } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import type { BoardAnswer, EntityAnswer, EvidenceAnswer } from "../../src/views/viewer/api.ts";
import { LIST_NAMES } from "../../src/views/viewer/api.ts";
import type { JsonObject } from "../../src/state/json.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import { passTime } from "../support/clock.ts";
import { packetManifest, REVIEW } from "../support/packet_work.ts";
import { ROTATING_SWEEP, sampleOf } from "../support/sweep.ts";
import { openTemp, START, WORKSPACE } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";

const MINUTE = 60_000;
const plan = "PLAN-001";
const [one, two, three] = ["TASK-001", "TASK-002", "TASK-003"] as const;
const gate = { criteria: true, tests: true };

function step(title: string): JsonObject {
  return { title, success_criteria: ["samples parse"], tests: ["npm test"] };
}

type Change = [what: string, tool: ToolName, input: JsonObject, by?: string];

/** Each after those before it. */
const CHANGES: Change[] = [
  ["a plan", "tasks_create", { title: "Version 2" }],
  ["a task", "tasks_create", { parent: plan, title: "A parser", steps: [step("Grammar"), step("Parser")] }],
  ["a task that waits", "tasks_create", { parent: plan, title: "Docs", depends_on: [one], steps: [step("Write")] }],
  ["a task without a plan", "tasks_create", { kind: "task", title: "Alone" }],
  ["a note", "tasks_note", { task: one, path: "s:0", note: "see https://ci.example/1" }],
  ["a note of another agent", "tasks_note", { task: one, note: "of the whole" }, "agent:ben"],
  ["a new title", "tasks_edit", { task: one, title: "A better parser" }],
  ["a new title of the plan", "tasks_edit", { plan: plan, title: "Version 3", tags: ["parsing"] }],
  ["a claim of a step", "tasks_claim", { task: one, path: "s:0", ttl_s: 7200 }],
  ["a claim of a task", "tasks_claim", { task: two, ttl_s: 7200 }, "agent:ben"],
  ["a claim that is over", "tasks_claim", { task: three, ttl_s: 60 }, "agent:ben"],
  ["a release", "tasks_release", { task: one, path: "s:0" }],
  ["a hand-over", "tasks_claim", { task: one, path: "s:0", ttl_s: 7200 }, "agent:ben"],
  ["an end of that", "tasks_release", { task: one, path: "s:0" }, "agent:ben"],
  ["a take-over", "tasks_release", { task: two, force: true, reason: "gone" }],
  ["a block", "tasks_block", { task: one, path: "s:1", reason: "no grammar" }],
  ["an end of a block", "tasks_block", { task: one, path: "s:1", blocked: false }],
  [
    "captured output that fails",
    "tasks_evidence_capture",
    {
      task: one,
      path: "s:0",
      checkpoint: "tests",
      items: [{ kind: "run", command: "make", exit_code: 1, stdout: "no" }],
    },
  ],
  [
    "captured output",
    "tasks_evidence_capture",
    {
      task: one,
      path: "s:0",
      checkpoint: "tests",
      items: [{ kind: "run", command: "make", exit_code: 0, stdout: "ok" }],
    },
  ],
  ["a checkpoint", "tasks_verify", { task: one, path: "s:0", checkpoints: gate }],
  ["a closed step", "tasks_close_step", { task: one, path: "s:0", checkpoints: gate }, "agent:ben"],
  ["a reopened step", "tasks_progress", { task: one, path: "s:0", completed: false }],
  ["an undo", "tasks_undo", { task: one }],
  ["a redo", "tasks_redo", { task: one }],
  ["a section of the Taskdoc", "change_mind", { task: one, selector: "goals", content: "# Fast\n" }],
  [
    "a category of the Taskdoc",
    "change_mind",
    { task: one, category: "bearinmind", selector: "risks", content: "It grows.\n" },
  ],
  ["cards and a trace", "tasks_think", { task: one, decision: "Recursive descent", trace: "It is simple" }],
  ["a patch", "tasks_patch", { task: one, ops: [{ op: "set", field: "description", value: "Reads all samples" }] }],
  ["more steps", "tasks_decompose", { task: one, parent: "s:1", steps: [step("Lexer"), step("Tree")] }],
  ["a step defined", "tasks_define", { task: one, path: "s:1.s:0", title: "Scanner", blockers: ["a decision"] }],
  ["a node", "tasks_task_add", { task: one, parent_step: "s:1", title: "Inquiry" }],
  ["a deleted step", "tasks_delete", { task: one, path: "s:1.s:1" }],
  ["a checklist", "tasks_plan", { plan: plan, steps: ["Design", "Build"], doc: "First design" }],
  ["the next line of a checklist", "tasks_plan", { plan: plan, advance: true }],
  ["a contract", "tasks_contract", { plan: plan, current: "Reads what version 1 wrote" }],
  [
    "a report",
    "tasks_report",
    { task: one, summary: "Half done", agents: [{ instance: "ada-1", summary: "grammar" }] },
  ],
  [
    "a transaction",
    "tasks_batch",
    {
      atomic: true,
      operations: [one, two].map((task) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } })),
    },
  ],
  ["a focus", "tasks_focus_set", { task: two }],
  [
    "a packet",
    "packet_define",
    { task: two, manifest: packetManifest(), inputs: { "user_request.md": "Review it.\n" } },
  ],
  ["a stage that begins", "packet_stage_start", { task: two, stage: "gemini_review" }],
  [
    "a stage that fails",
    "packet_stage_finish",
    { task: two, stage: "gemini_review", exit_code: 1, err: "socket closed\n" },
  ],
  ["a second attempt", "packet_stage_start", { task: two, stage: "gemini_review" }],
  [
    "a stage that ends",
    "packet_stage_finish",
    { task: two, stage: "gemini_review", exit_code: 0, out: REVIEW, err: "read\n" },
  ],
  ["a task that ends", "tasks_complete", { task: three }],
  ["the archive", "tasks_archive", { tasks: [three] }],
  ["a way back", "tasks_restore", { task: three }],
  ["a task that is deleted", "tasks_delete", { target: three }],
  ["a task that fails", "tasks_complete", { task: one, status: "FAILED", reason: "no grammar" }],
  ["a task that goes on", "tasks_complete", { task: one, status: "ACTIVE" }],
  ["a packet that goes to the archive", "packet_archive", { task: two }],
  ["a packet that comes back", "packet_restore", { task: two }],
  ["a claim that will be over", "tasks_claim", { task: one, ttl_s: 7200 }],
];

interface Told {
  etag: string;
  stamp: string;
  /** An answer, or the refusal in its place. */
  body: unknown;
}

async function told(viewer: Viewer, name: string): Promise<Told> {
  let tags = { etag: "", stamp: "" };
  try {
    const { body, ...made } = await viewer.answer(name);
    tags = made;
    return { ...tags, body: JSON.parse(await body()) as unknown };
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return { ...tags, body: { code: e.code, message: e.message } };
  }
}

async function partsOf(viewer: Viewer, id: string): Promise<string[]> {
  const { latest } = await read<EntityAnswer>(viewer, `entities/${id}.json`);
  const { evidence } = await read<EvidenceAnswer>(viewer, `entities/${id}/evidence/0.json`);
  const last = latest.revision;
  const outputs = evidence.flatMap(({ runs }) => runs.flatMap(({ stdout }) => stdout?.sha256 ?? []));
  return [
    "check",
    "history/0",
    `differences/1-${last}`,
    ...[1, Math.max(1, last - 1), last].map((revision) => `revisions/${revision}`),
    ...LIST_NAMES.flatMap((list) => [`${list}/0`, `revisions/${last}/${list}/0`]),
    ...outputs.map((sha256) => `output/${sha256}/0`),
  ];
}

/** An answer of every kind. */
async function namesOf(viewer: Viewer): Promise<string[]> {
  const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
  const names = ["workspace", "board/0", "standings", "agents", "health", "logs/0"];
  for (const { id } of rows) {
    names.push(`plans/${id}/graph`);
    const parts = await partsOf(viewer, id);
    names.push(`entities/${id}`, ...parts.map((part) => `entities/${id}/${part}`));
  }
  return [...new Set(names)].map((name) => `${name}.json`);
}

it(
  "[VIEWER-27] after each kind of change a viewer that stays open answers as a new one, and another answer has another tag",
  ROTATING_SWEEP,
  async () => {
    const ws = openTemp();
    let now = START + 30 * MINUTE;
    const open = viewerOf(ws.root, () => now);
    const before = new Map<string, Told>();
    const compare = async (what: string): Promise<void> => {
      passTime(MINUTE);
      const fresh = new Viewer({ root: ws.root, version: "0.0.0", now: () => now });
      for (const viewer of [open, fresh]) await viewer.finishChecks();
      for (const name of await namesOf(fresh)) {
        const [mine, other] = [await told(open, name), await told(fresh, name)];
        expect(mine.body, `${what}: ${name}`).toEqual(other.body);
        expect(mine.stamp, `${what}: ${name}`).toBe(other.stamp);
        const last = before.get(name);
        const tagged = last?.etag === mine.etag ? last.body : mine.body;
        expect(mine.body, `${what}: ${name} has the same tag`).toEqual(tagged);
        before.set(name, mine);
      }
      fresh.close();
    };
    const looked = new Set([...sampleOf(CHANGES, 4), CHANGES.at(-1)!].map(([what]) => what));
    for (const [what, tool, input, by = "agent:ada"] of CHANGES) {
      const { error } = await ws.callTool(tool, { workspace: WORKSPACE, ...input }, { by });
      expect(error, what).toBeNull();
      if (looked.has(what)) await compare(what);
    }
    now += 180 * MINUTE;
    await compare("the end of a claim");
  },
);
