import { beforeEach, describe, expect, it } from "vitest";
import type { Draft } from "../../src/events/define.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { sha256 } from "../../src/log/canonical.ts";
import { taskYaml } from "../../src/projections/task_yaml.ts";
import type { Link } from "../../src/state/entity.ts";
import { entityToJson } from "../../src/state/entity_json.ts";
import { Branches } from "../support/branches.ts";
import { givenTask } from "../support/given.ts";
import { creation } from "../support/logs.ts";

const ONE = "STEP-00000001";
const TWO = "STEP-00000002";
const message = "A sentence.";
const said = (type: string, payload: object): Draft => ({ type, payload: { ...payload, message } });
const added = (parent: string | null, ...ids: string[]) =>
  said("steps.added", {
    parent,
    steps: ids.map((id) => ({ id, title: id, success_criteria: [], tests: [], blockers: [] })),
  });
const item = (more: object) => ({ kind: "command-execution", title: "t", summary: "s", counts: true, ...more });

describe("effects of events", () => {
  let log: Branches;
  let root: SealedOp;

  beforeEach(() => {
    log = new Branches();
    root = log.op([], "agent:a", creation(message), added(null, ONE));
  });

  it("[EVENT-45] a gate is blocked anew in place of any, and approved where there is one", () => {
    const gate = { gateId: "gate-x" };
    const none = log.op([root], "agent:a", said("gate.approved", gate));
    expect(log.entity().gates.size).toBe(0);
    const shut = log.op([none], "agent:a", said("gate.blocked", { ...gate, reason: "why" }));
    const blank = { id: "gate-x", own: true, resolved_at: null, resolved_by: null };
    const at = shut.events[0]!.ts;
    expect(log.entity().gates.get("gate-x")).toEqual({ ...blank, state: "blocked", reason: "why", blocked_at: at });
    const open = log.op([shut], "agent:b", said("gate.approved", gate));
    expect(log.entity().gates.get("gate-x")).toMatchObject({
      state: "approved",
      reason: "why",
      resolved_at: open.events[0]!.ts,
      resolved_by: "agent:b",
    });
    log.op([open], "agent:a", said("gate.blocked", gate));
    expect(log.entity().gates.get("gate-x")).toMatchObject({ ...blank, state: "blocked", reason: null });
  });

  const gone = { step_id: TWO };
  const node = { ...gone, node_id: "NODE-00000001" };
  const stage = { stage: "codex_impl", run: "0123abcd" };
  it.each<[string, object]>([
    ["step.defined", { ...gone, title: "x" }],
    ["step.verified", { ...gone, checkpoints: { tests: true } }],
    ["step.done", gone],
    ["step.reopened", { ...gone, reason: "x" }],
    ["step.blocked", { ...gone, reason: null }],
    ["step.unblocked", gone],
    ["step.deleted", gone],
    ["lease.claimed", { ...gone, ttl_s: 60, expires_at: "2030-01-01T00:00:00.000Z", fence: 2 }],
    ["lease.released", gone],
    ["task.node_defined", { ...node, title: "x" }],
    ["task.node_deleted", node],
    ["packet.archived", { archived: true, dropped: [] }],
    ["packet.budget_reset", { kind: "retry_budget", used: 1, reason: "x" }],
    ["packet.override_set", { commands: ["x"], run: null }],
    ["stage.interrupted", { ...stage, reason: "x" }],
    ["stage.passed", { ...stage, checks: [] }],
    ["stage.reopened", { stage: stage.stage, reason: "x" }],
  ])("[EVENT-1] %s of what is not there changes nothing", (type, payload) => {
    const after = (draft: Draft): unknown => {
      const own = new Branches();
      own.op([own.op([], "agent:a", creation(message), added(null, ONE))], "agent:a", draft);
      const { hash } = own.ops[1]!.events[0]!;
      const { entity, noEffect } = own.fold();
      expect(noEffect.map(({ reason }) => reason)).toEqual([]);
      return JSON.parse(JSON.stringify(entityToJson({ ...entity!, updated_at: "" })).replaceAll(hash, "HASH"));
    };
    expect(after(said(type, payload))).toEqual(after(said("x.note", {})));
  });

  it("[LOG-13] lost ends are kept by head: the first word on one counts, an accepted one stays so, and the last 64 stay", () => {
    const shorter = (head: string, revision: number) => ({ head, revision, found: "f", found_revision: 1 });
    const end = (head: string, revision: number, accepted: boolean) => ({ ...shorter(head, revision), accepted });
    let tip = root;
    const gap = (payload: object): void => {
      tip = log.op([tip], "system", said("log.gap", { void: [], ...payload }));
    };
    gap({});
    expect(log.entity().lost_ends).toEqual([]);
    gap({ shorter: shorter("a", 5) });
    gap({ shorter: shorter("a", 9) });
    expect(log.entity().lost_ends).toEqual([end("a", 5, false)]);
    gap({ accepted: ["a", "b"] });
    gap({ shorter: shorter("a", 9) });
    const unknown = { head: "b", revision: 0, found: "", found_revision: 0, accepted: true };
    expect(log.entity().lost_ends).toEqual([end("a", 5, true), unknown]);
    for (let n = 0; n < 63; n++) gap({ shorter: shorter(`c${n}`, n) });
    expect(log.entity().lost_ends).toHaveLength(64);
    expect(log.entity().lost_ends.slice(0, 2)).toEqual([unknown, end("c0", 0, false)]);
  });

  it("[EVENT-51] [STEP-7] evidence has an id, a source and links by what the item says", () => {
    const blob = (sha: string) => ({ sha256: sha, size: 1, excerpt: "" });
    const items = [
      item({ command: "npm test", exit_code: 0, stdout: blob("aa"), diff: blob("bb"), counts: false }),
      item({ kind: "file-anchor", path: "a.ts", start_line: 3, attachment: { path: "x.txt" } }),
      item({ kind: "runtime-event-range", url: "https://x.invalid" }),
    ];
    const op = log.op(
      [root],
      "agent:a",
      said("evidence.captured", { step_id: ONE, checkpoints: ["docs", "docs"], items }),
    );
    const { hash, ts } = op.events[0]!;
    const hex = Buffer.from(hash, "base64url").toString("hex").slice(0, 8);
    const entity = log.entity();
    const as = { title: "t", summary: "s", createdAt: ts };
    expect(entity.evidence).toEqual([
      {
        ...as,
        id: `cmd-${hex}-1`,
        kind: "command-execution",
        sources: [
          {
            type: "commandExecution",
            command: "npm test",
            cwd: ".",
            exitCode: 0,
            stdoutRef: "./shared/evidence/blobs/aa",
          },
        ],
        artifactRefs: ["./shared/evidence/blobs/bb"],
      },
      {
        ...as,
        id: `file-${hex}-2`,
        kind: "file-anchor",
        sources: [{ type: "fileAnchor", path: "a.ts", startLine: 3, endLine: 3 }],
        artifactRefs: ["x.txt"],
      },
      {
        ...as,
        id: `log-${hex}-3`,
        kind: "runtime-event-range",
        sources: [{ type: "runtimeEventRange", eventsRef: "./events.jsonl" }],
      },
    ]);
    const [{ time, op: place }] = entity.steps.get(ONE)!.linked.docs as [Link];
    expect([time, place]).toEqual([entity.updated_at, entity.revision - 1]);
    const none = { command: null, cwd: null, exit_code: null, backed: false, op: place, time };
    expect(entity.steps.get(ONE)!.linked.docs).toEqual([
      { evidence: `cmd-${hex}-1`, counts: false, receipt: "CMD", ...none, command: "npm test", exit_code: 0 },
      { evidence: `file-${hex}-2`, counts: true, receipt: null, ...none },
      { evidence: `log-${hex}-3`, counts: true, receipt: "LINK", ...none },
    ]);
  });

  it("[STEP-7] evidence that does not count asks for the checkpoint, and is no proof", () => {
    const given = givenTask({ title: "a", proof: { security: "require" } });
    given.call("tasks_evidence_capture", { path: "s:0", attachments: ["gone.txt"], checkpoint: ["docs", "security"] });
    given.call("tasks_verify", { path: "s:0", checkpoints: { criteria: true, tests: true, security: true } });
    const missing = given.refusal("tasks_progress", { path: "s:0", completed: true });
    expect([missing.code, missing.details?.["missing"]]).toEqual(["CHECKPOINTS_NOT_CONFIRMED", ["docs"]]);
    given.call("tasks_verify", { path: "s:0", checkpoints: { docs: true } });
    expect(given.refusal("tasks_progress", { path: "s:0", completed: true }).code).toBe("PROOF_REQUIRED");
  });

  it("[STEP-62] task.yaml names what a gate lacks in one order, also of a closed step", () => {
    const given = givenTask({ title: "a", proof: { security: "require", tests: "require" } }, "b");
    given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
    given.call("tasks_evidence_capture", { path: "s:1", checks: ["audited"], checkpoint: "docs" });
    const text = taskYaml({ ...given.subject("TASK-001"), bytes: 0 });
    const missing = [...text.matchAll(/missing: (.*)$/gm)].map((match) => match[1]!.replaceAll('"', ""));
    expect(missing).toEqual(["criteria, tests, security, proof of tests, proof of security", "docs"]);
  });

  it("[STEP-63] a blank is what JavaScript trims, and other texts stay as they are", () => {
    const given = givenTask("a");
    expect(given.refusal("tasks_note", { note: " \t\n\u00a0\u2003\u3000\u2028\ufeff" }).code).toBe("INVALID_INPUT");
    given.call("tasks_note", { note: " \u200b " });
    expect(given.entity().notes.at(-1)?.text).toBe(" \u200b ");
  });

  it("[EVENT-52] the last notes and lines of the trace are kept, all are counted, and a known card is passed over", () => {
    let tip = root;
    for (let i = 0; i < 25; i++)
      tip = log.op(
        [tip],
        "agent:a",
        said("step.noted", { step_id: ONE, note: `n${i}` }),
        said("trace.added", { text: `t${i}` }),
      );
    const card = { card_id: "CARD-0000000A", stage: "test", text: "x", status: "open", tags: [], supports: [] };
    tip = log.op(
      [tip],
      "agent:a",
      said("card.added", { ...card, title: "first" }),
      said("card.added", { ...card, title: "second" }),
    );
    const entity = log.entity();
    expect(entity.notes.map((n) => n.text)).toEqual(Array.from({ length: 10 }, (_, i) => `n${i + 15}`));
    expect([entity.note_count, entity.steps.get(ONE)!.notes, entity.trace_count]).toEqual([25, 25, 26]);
    expect([entity.trace.length, entity.trace[0]!.text]).toEqual([20, "t6"]);
    const { hash: _, ts, by } = tip.events[0]!;
    expect(entity.trace.at(-1)).toEqual({ id: card.card_id, ts, by, kind: "test", card: card.card_id, text: "first" });
    expect([entity.cards.size, entity.card_counts.test]).toEqual([1, 1]);
  });

  it("[EVENT-55] paths are moved by additions only, and settle when an op that saw both works in the list", () => {
    const one = log.op([root], "agent:a", added(null, TWO));
    const other = log.op([root], "agent:b", said("step.noted", { step_id: ONE, note: "works there" }));
    expect(log.entity().moved.size).toBe(0);
    const third = log.op([other], "agent:b", added(null, "STEP-00000003"));
    expect([...log.entity().moved]).toEqual([["children", [TWO, "STEP-00000003"]]]);
    const aside = log.op([one, third], "agent:a", said("step.noted", { step_id: null, note: "not there" }));
    expect(log.entity().moved.size).toBe(1);
    log.op([aside], "agent:a", said("step.noted", { step_id: TWO, note: "there" }));
    expect(log.entity().moved.size).toBe(0);
  });

  it("[EVENT-56] one section for names that differ in case, and none for names that no call may give", () => {
    const changed = (category: string | null, selector: string, content: string) =>
      said("taskdoc.changed", { category, selector, content, sha256: "s", previous_sha256: "p" });
    const file = "shared/human-notes.md";
    log.op(
      [root],
      "agent:a",
      changed("Ux", "List", "one"),
      changed("ux", "LIST", "two"),
      changed("ux", "other", "three"),
      changed("..", "x", "no"),
      changed(null, "contracts", "no"),
      said("notes.changed", { file, content: "by hand", sha256: "d" }),
    );
    const { taskdoc, people } = log.entity();
    expect([...taskdoc.values()].map(({ category, selector, content }) => [category, selector, content])).toEqual([
      ["Ux", "List", "two"],
      ["Ux", "other", "three"],
    ]);
    expect(people[file]).toMatchObject({ content: "by hand", sha256: "d", revision: 2 });
  });

  it("[EVENT-57] an adopted task begins with its steps, and later lines say more of agents and gates", () => {
    log = new Branches();
    const step = (id: string, state: string) => ({ id, milestone: id, title: id, state, depends_on: [] });
    const begun = log.op(
      [],
      "agent:a",
      said("task.adopted", {
        title: "T",
        description: "",
        topology: "squad",
        status: "ACTIVE",
        created_at: "2025-01-01T00:00:00.123456789Z",
        updated_at: "2025-06-01T00:00:00.000000000Z",
        steps: [step(ONE, "done"), step(TWO, "blocked")],
        roster: [{ instance: "w1", agent: "coder", state: "active", assigned: null, skills: [] }],
        gates: [],
        config: { maxConcurrentAgents: 1, timeoutSeconds: 2, autoApprove: true },
        evidence: [],
        people: [],
        files: [],
      }),
    );
    expect(log.entity()).toMatchObject({
      kind: "task",
      status: "ACTIVE",
      created_at: "2025-01-01T00:00:00.123456789Z",
    });
    expect([...log.entity().steps.values()].map((s) => [s.done, s.blocked, s.confirmed.docs])).toEqual([
      [true, false, true],
      [false, true, false],
    ]);
    const line = (ts: string, type: string, payload: object) =>
      Buffer.from(`${JSON.stringify({ ts, type, taskId: "x", payload })}\n`);
    const lines = [
      line("2025-05-01T00:00:00Z", "agent.failed", { agentInstance: "w1" }),
      line("2025-07-01T00:00:00Z", "agent.cancelled", { agentInstance: "w2" }),
      line("2025-07-01T00:00:01Z", "gate.blocked", { gateId: "g" }),
      line("2025-07-01T00:00:02Z", "gate.rejected", { gateId: "g" }),
    ];
    const hashes = lines.map((one) => sha256(one.subarray(0, -1)));
    log.op([begun], "system", said("foreign.adopted", { hashes }));
    const { agents, gates } = log.fold(Buffer.concat([...lines, ...log.ops.map((op) => op.bytes)])).entity!;
    expect([...agents.values()].map(({ instance, agent, state }) => [instance, agent, state])).toEqual([
      ["w1", "coder", "active"],
      ["w2", "w2", "failed"],
    ]);
    expect(gates.get("g")).toMatchObject({ own: false, state: "rejected", resolved_by: "foreign" });
  });
});
