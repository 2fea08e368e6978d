import { describe, expect, it } from "vitest";
import type { AgentReport } from "../../src/state/report.ts";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";

const agents = (given: Given): AgentReport[] => given.entity().report!.agents;

function worked(): Given {
  const given = givenTask("Grammar", "Importer");
  given.by = "agent:w1";
  given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
  given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
  given.by = "agent:w2";
  given.call("tasks_think", { decision: "Leave the importer out" });
  return given;
}

describe("tasks_report", () => {
  it("[REPORT-1] writes one event with all of it, which cannot be undone; the last one counts", () => {
    const given = worked();
    const told = given.call("tasks_report", {
      title: "First week",
      summary: "Half done.",
      agents: [{ instance: "w1", status: "success", conclusions: ["it parses"], questions: ["which?"] }],
    });
    expect(types(told)).toEqual(["report_generated"]);
    expect(given.entity().report).toMatchObject({ title: "First week", summary: "Half done.", by: "agent:w2" });
    expect(told.events[0]).toMatchObject({ title: "First week", agents: agents(given) });
    given.call("tasks_report", { title: "Second week" });
    expect(given.entity().report?.title).toBe("Second week");
    expect(given.past().ops.at(-1)?.undoable).toBe(false);
  });

  it("[REPORT-1] [LEASE-7] says of work with blockers in words that it is blocked, as of work with a block", () => {
    const given = worked();
    given.call("tasks_define", { path: "s:1", blockers: ["no key"] });
    given.call("tasks_report", {});
    expect(agents(given).map(({ status }) => status)).toContain("blocked");
  });

  it("[REPORT-1] takes from the state who closed, proved and decided what", () => {
    const given = worked();
    given.call("tasks_report", {});
    const [evidence] = given.entity().evidence;
    expect(given.entity().report).toMatchObject({
      title: "Write the parser",
      summary: "ACTIVE, 1 of 2 steps closed",
    });
    expect(agents(given).map((a) => [a.agent, a.instance, a.status, a.summary, a.conclusions])).toEqual([
      ["human", "ada", "working", "0 steps closed, 0 decisions", []],
      [
        "agent",
        "w1",
        "working",
        "1 step closed, 0 decisions",
        [{ text: "Closed s:0 Grammar", evidence: [evidence!.id] }],
      ],
      [
        "agent",
        "w2",
        "working",
        "0 steps closed, 1 decision",
        [{ text: "Decided: Leave the importer out", evidence: [] }],
      ],
    ]);
    given.call("tasks_block", { path: "s:1", reason: "key" });
    given.call("tasks_report", {});
    expect(agents(given)[0]?.status).toBe("blocked");
    given.call("tasks_complete", { status: "FAILED", reason: "no time" });
    given.call("tasks_report", {});
    expect(agents(given)[0]?.status).toBe("failed");
  });

  it("[REPORT-1] cites evidence that is linked to no checkpoint, by who captured it", () => {
    const given = worked();
    given.by = "agent:w2";
    given.call("tasks_evidence_capture", { path: "s:1", checks: ["CMD: npm run lint"] });
    given.call("tasks_evidence_capture", { checks: ["LINK: https://ci.example/1"], checkpoint: "docs" });
    given.by = "agent:w1";
    given.call("tasks_evidence_capture", { path: "s:1", checks: ["CMD: npm test"], checkpoint: "tests" });
    given.call("tasks_report", {});
    const [, lint, link] = given.entity().evidence.map(({ id }) => id);
    expect(agents(given).map((a) => [a.instance, a.conclusions.at(-1)])).toEqual([
      ["ada", undefined],
      ["w2", { text: "Captured npm run lint, https://ci.example/1", evidence: [lint, link] }],
      ["w1", expect.objectContaining({ text: "Closed s:0 Grammar" })],
    ]);
    expect(given.entity().report?.summary).toBe("ACTIVE, 1 of 2 steps closed");
  });

  it("[REPORT-1] what is given replaces that, member by member; who was not known comes last", () => {
    const given = worked();
    const [evidence] = given.entity().evidence;
    given.call("tasks_report", {
      agents: [
        { instance: "w9", summary: "looked on" },
        {
          instance: "w1",
          status: "success",
          conclusions: [{ text: "proven", evidence: [`evidence:${evidence!.id}`] }],
        },
      ],
    });
    expect(agents(given).map((a) => [a.instance, a.status, a.summary])).toEqual([
      ["ada", "working", "0 steps closed, 0 decisions"],
      ["w1", "success", "1 step closed, 0 decisions"],
      ["w2", "working", "0 steps closed, 1 decision"],
      ["w9", "working", "looked on"],
    ]);
    expect(agents(given)[1]?.conclusions).toEqual([{ text: "proven", evidence: [evidence!.id] }]);
  });

  it("[REPORT-1] refuses evidence that is not there, an agent named twice, and a conclusion that says nothing", () => {
    const given = worked();
    const refused = (agent: object): string =>
      given.refusal("tasks_report", { agents: [agent as { instance: string }] }).code;
    expect(refused({ instance: "w1", conclusions: [{ text: "x", evidence: ["cmd-00000000-1"] }] })).toBe("UNKNOWN_ID");
    expect(refused({ instance: "w1", conclusions: [" "] })).toBe("INVALID_INPUT");
    expect(refused({ instance: " " })).toBe("INVALID_INPUT");
    const twice = given.refusal("tasks_report", { agents: [{ instance: "w1" }, { instance: "w1" }] });
    expect(twice.code).toBe("INVALID_INPUT");
  });

  it("[REPORT-1] says by the state of the task how the work of each stands", () => {
    const statusAfter = (work: (given: Given) => void) => {
      const given = givenTask("a");
      work(given);
      given.call("tasks_report", {});
      return agents(given)[0]!.status;
    };
    const complete = (status: "DONE" | "FAILED" | "CANCELED") => (given: Given) =>
      void given.call("tasks_complete", { status, reason: "so" });
    const close = (given: Given) => given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const block = (given: Given) => void given.call("tasks_block", { path: "s:0", reason: "key" });
    expect([complete("FAILED"), complete("CANCELED"), block, close].map(statusAfter)).toEqual([
      "failed",
      "failed",
      "blocked",
      "working",
    ]);
    expect(statusAfter((given) => (close(given), complete("DONE")(given)))).toBe("success");
    const forced = { path: "s:0", completed: true, force: true, reason: "so" } as const;
    const blockedAndClosed = (given: Given) => {
      given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
      block(given);
      given.call("tasks_progress", forced);
    };
    expect(statusAfter(blockedAndClosed)).toBe("working");
  });

  it("[REPORT-1] what its caller says of an agent stands in place of what the log says, member by member", () => {
    const given = worked();
    given.call("tasks_report", {
      agents: [
        { instance: "w1", summary: "It parses." },
        {
          instance: "w9",
          next_actions: ["rest", " "],
          questions: ["why?"],
          conclusions: [{ text: "so", evidence: [] }],
        },
      ],
    });
    expect(agents(given).map(({ instance, agent, status, summary }) => [instance, agent, status, summary])).toEqual([
      ["ada", "human", "working", "0 steps closed, 0 decisions"],
      ["w1", "agent", "working", "It parses."],
      ["w2", "agent", "working", "0 steps closed, 1 decision"],
      ["w9", "agent", "working", ""],
    ]);
    expect(agents(given)[1]!.conclusions).toHaveLength(1);
    expect(agents(given)[3]).toMatchObject({
      next_actions: ["rest"],
      questions: ["why?"],
      conclusions: [{ text: "so", evidence: [] }],
    });
    const told = (more: object) =>
      given.refusal("tasks_report", { agents: [{ instance: "a" }, { instance: "b", ...more }] } as never).message;
    expect(told({ instance: "a" })).toBe("Expected each agent once, found a again in agents[1].");
    expect(told({ conclusions: ["x", " "] })).toBe(
      "Expected agents[1].conclusions[1] to say something, found only blanks.",
    );
    expect(told({ conclusions: [{ text: "x", evidence: ["evidence:none"] }] })).toBe(
      'Expected the id of an evidence entry, found "none".',
    );
    expect(told({ summary: "\ud800" })).toContain("agents[1].summary");
    expect(told({ instance: "\n" })).toContain("agents[1].instance");
  });
});
