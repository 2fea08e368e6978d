/** Times on a screen, and the screens that say first what is to be done. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { timeAndAge, timeText } from "../../src/hosts/cli/text/times.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { json, run } from "./cli_support.ts";

beforeEach(() => void vi.stubEnv("TZ", "Europe/Berlin"));

describe("a time on a screen", () => {
  const NOW = new Date("2026-11-28T12:00:00Z");

  it.each([
    ["2026-11-28T11:58:30.123Z", "28 Nov 12:58", "28 Nov 12:58, 1 min ago"],
    ["2026-11-28T11:59:50Z", "28 Nov 12:59", "28 Nov 12:59, 1 min ago"],
    ["2026-11-28T12:14:01Z", "28 Nov 13:14", "28 Nov 13:14, in 14 min"],
    ["2026-11-28T12:59:57Z", "28 Nov 13:59", "28 Nov 13:59, in 1 h"],
    ["2026-11-28T13:59:00Z", "28 Nov 14:59", "28 Nov 14:59, in 1 h 59 min"],
    ["2026-11-28T13:59:57Z", "28 Nov 14:59", "28 Nov 14:59, in 2 h"],
    ["2026-11-27T00:31:00Z", "27 Nov 01:31", "27 Nov 01:31, 1 day 11 h ago"],
    ["2026-11-27T23:30:00Z", "28 Nov 00:30", "28 Nov 00:30, 13 h ago"],
    ["2026-07-01T22:30:00Z", "02 Jul 00:30", "02 Jul 00:30, 150 days ago"],
    ["2026-12-31T23:30:00Z", "01 Jan 2027 00:30", "01 Jan 2027 00:30, in 33 days"],
  ])("[CLI-271] %s is local, with the year where it is another one, and as far away as it is", (time, text, age) => {
    expect(timeText(time, 80, NOW)).toBe(text);
    expect(timeAndAge(time, 80, NOW)).toBe(age);
  });

  it("[CLI-271] without a terminal it is UTC to the second, and what is no time stays as it is", () => {
    expect(timeText("2026-11-28T11:58:30.123Z", undefined, NOW)).toBe("2026-11-28T11:58:30Z");
    expect(timeAndAge("2026-11-28T12:58:30+01:00", undefined, NOW)).toBe("2026-11-28T11:58:30Z");
    expect(timeText("soon", 80, NOW)).toBe("soon");
    expect(timeAndAge("soon", 80, NOW)).toBe("soon");
  });
});

const SCREEN = { columns: 100, rows: 40 };
const TITLE = "A title of many words, which no column of a board has room for on one line of a terminal";

/** Two open tasks: one with a claim, one that is blocked and of which a run failed. */
async function lived(): Promise<{ cwd: string; ended: string }> {
  let now = Date.now() - 90 * 60_000;
  const ws = openTemp({ by: "human:ada", now: () => now });
  const steps = [
    { title: "Write it", success_criteria: ["it parses"], tests: ["npm test"] },
    { title: "Tell it", success_criteria: ["told"] },
  ];
  await ok(ws, "tasks_create", {
    kind: "task",
    title: TITLE,
    steps,
    priority: "HIGH",
    description: Array.from({ length: 12 }, (_, i) => `line ${i + 1}`).join("\n"),
  });
  await ok(ws, "tasks_create", { kind: "task", title: "Older", steps });
  await ok(ws, "tasks_claim", { task: "TASK-002", path: "s:0", ttl_s: 86_400 });
  now += 60_000;
  const ran = (exit_code: number) =>
    ok(ws, "tasks_evidence_capture", {
      task: "TASK-001",
      path: "s:0",
      checkpoint: "tests",
      items: [{ kind: "run", command: "npm test", exit_code }],
    });
  await ran(2);
  now += 60_000;
  await ran(1);
  await ok(ws, "tasks_block", { task: "TASK-001", path: "s:1", reason: "no words" });
  await ok(ws, "tasks_note", { task: "TASK-001", note: "begun" });
  await ws.close();
  return { cwd: ws.root, ended: new Date(now).toISOString() };
}

describe("screens about work", () => {
  it("[STATUS-11] status: rows are by days of the zone on a terminal, and of UTC elsewhere", async () => {
    let now = Date.parse("2026-03-10T21:00:00.000Z");
    const ws = openTemp({ by: "human:ada", now: () => now });
    await ok(ws, "tasks_create", { kind: "task", title: "Late" });
    for (const hours of [1, 2, 3]) {
      now = Date.parse("2026-03-10T21:00:00.000Z") + hours * 3_600_000;
      await ok(ws, "tasks_note", { task: "TASK-001", note: `after ${hours}` });
    }
    await ws.close();
    const { root: cwd } = ws;
    const rows = async (screen?: typeof SCREEN): Promise<string[]> => {
      const { out } = await run({ cwd, ...(screen ? { screen } : {}) }, "status", "--since", "2026-03-01");
      return [...out.replaceAll(/\s+/g, " ").matchAll(/after \d\.?( \(and \d changes? before\))?/g)].map(
        ([row]) => row,
      );
    };
    expect(await rows(SCREEN)).toEqual(["after 3. (and 1 change before)", "after 1. (and 1 change before)"]);
    expect(await rows()).toEqual(["after 3.", "after 2. (and 2 changes before)"]);
    const { doc } = await json({ cwd }, "status", "--since", "2026-03-01");
    expect((doc.result as { happened: object[] }).happened).toMatchObject([
      { day: "2026-03-11", count: 1 },
      { day: "2026-03-10", count: 3, until: "2026-03-10T23:00:00.000Z" },
    ]);
  });

  it("[STATUS-10] status --max-chars bounds its answer with what it adds, and its screen says what was left out", async () => {
    const { cwd } = await lived();
    for (const max of [300, 1000, 9000]) {
      const { doc } = await json({ cwd }, "status", "--since", "1d", "--max-chars", String(max));
      expect(JSON.stringify(doc.result).length).toBeLessThanOrEqual(max);
      const { code, out, err } = await run({ cwd }, "status", "--since", "1d", "--max-chars", String(max));
      expect([code, out]).toEqual([0, expect.stringContaining("You are")]);
      expect(err.includes("BUDGET_TRUNCATED")).toBe(max < 9000);
      expect(out.includes("Left out")).toBe(max < 9000);
    }
  });

  it("[STATUS-10] no row of a screen says that there is nothing where a small budget left it out", async () => {
    const ws = openTemp({ by: "human:ada", now: Date.now });
    const steps = [{ title: "Write it", success_criteria: ["it parses"] }];
    for (const title of ["One", "Two"]) await ok(ws, "tasks_create", { kind: "task", title, steps });
    await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 86_400 });
    await ok(ws, "tasks_block", { task: "TASK-002", path: "s:0", reason: "no words" });
    await ws.close();
    const cwd = ws.root;
    // A line of it is no object: the log is damaged.
    appendFileSync(join(cwd, ".coco/tasks/TASK-002/events.jsonl"), "[]\n");
    // Needs have rows by their kinds.
    const labelsOf = (out: string): string[] =>
      Array.from(out.matchAll(/^[A-Z][a-z]+(?: [a-z]+)*(?= {2})/gm), ([one]) =>
        one === "Blocked" ? "Needs you" : one,
      );
    const whole = labelsOf((await run({ cwd }, "--by", "human:ada", "status")).out);
    expect(whole).toEqual(expect.arrayContaining(["In all", "Needs you", "Not whole", "Mine"]));
    for (const max of [256, 400, 600, 900, 1200]) {
      const { out } = await run({ cwd }, "--by", "human:ada", "status", "--max-chars", String(max));
      expect([max, out.match(/nothing yet|none$|^Needs you +nothing/m)?.[0]]).toEqual([max, undefined]);
      const left = /^Left out +from (.*); a larger --max-chars shows it$/m.exec(out)?.[1]?.split(", ") ?? [];
      expect([max, whole.filter((label) => ![...labelsOf(out), ...left].includes(label))]).toEqual([max, []]);
    }
  });

  it("[STATUS-10] on a terminal the warning of a small budget is about the rows that stand there", async () => {
    let now = Date.parse("2026-03-10T21:30:00.000Z");
    const ws = openTemp({ by: "human:ada", now: () => now });
    await ok(ws, "tasks_create", { kind: "task", title: "Late" });
    // In Berlin the second note is of the next day.
    now += 3_600_000;
    await ok(ws, "tasks_note", { task: "TASK-001", note: "x".repeat(100) });
    now += 3_600_000;
    await ok(ws, "tasks_note", { task: "TASK-001", note: "y".repeat(100) });
    await ws.close();
    const cwd = ws.root;
    const asked = ["status", "--since", "2026-03-01"];
    const { doc } = await json({ cwd }, ...asked);
    const room = JSON.stringify(doc.result).length;
    const fits = async (screen?: typeof SCREEN): Promise<boolean[]> => {
      const { out, err } = await run({ cwd, ...(screen ? { screen } : {}) }, ...asked, "--max-chars", String(room));
      return [err.includes("BUDGET_TRUNCATED"), out.includes("Left out")];
    };
    expect([await fits(), await fits(SCREEN)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it("[CLI-271] a time in the words of a person stays on a terminal as it is", async () => {
    const ws = openTemp({ by: "human:ada" });
    const tests = ["run --since 2026-03-04T05:06:07.123Z"];
    const steps = [{ title: "from 2026-03-04T05:06:07Z on", success_criteria: ["it works"], tests }];
    await ok(ws, "tasks_create", { kind: "task", title: "backup-2026-01-01T00:00:00Z.tar", steps });
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "outage at 2026-03-05T05:00:00Z" });
    await ws.close();
    const wide = { cwd: ws.root, screen: SCREEN, terminal: { columns: 100 } };
    for (const [command, ...texts] of [
      ["status", "outage at 2026-03-05T05:00:00Z"],
      ["radar", "outage at 2026-03-05T05:00:00Z", "backup-2026-01-01T00:00:00Z.tar"],
      ["show", "from 2026-03-04T05:06:07Z on", "run --since 2026-03-04T05:06:07.123Z"],
      ["history", "outage at 2026-03-05T05:00:00Z"],
    ] as const) {
      const { out } = await run(wide, command, ...(command === "status" ? [] : ["1"]));
      const words = out.replaceAll(/\s+/g, " ");
      for (const text of texts) expect([command, words]).toEqual([command, expect.stringContaining(text)]);
    }
  });

  it("[CLI-271] radar, handoff and show name the end of a claim in the zone on a terminal, and in UTC to the second elsewhere", async () => {
    let now = Date.parse("2026-03-10T21:00:00.000Z");
    const ws = openTemp({ by: "agent:ada", now: () => now });
    await ok(ws, "tasks_create", { title: "Version 2" });
    const steps = [{ title: "until 2026-01-01T00:00:00Z", success_criteria: ["it works"] }];
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A", steps });
    now = Date.now();
    const { lease } = await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 86_400 });
    await ws.close();
    const { expires_at } = lease as { expires_at: string };
    const words = (text: string): string => text.replaceAll(/\s+/g, " ");
    const here = timeAndAge(expires_at, 100);
    const there = timeText(expires_at, undefined);
    expect(there).not.toBe(expires_at);
    for (const [command, id, before] of [
      ["show", "TASK-001", "is claimed by agent:ada until "],
      ["radar", "TASK-001", "claimed by agent:ada until "],
      ["handoff", "TASK-001", "claimed by agent:ada until "],
      ["radar", "PLAN-001", "the first claim ends at "],
      ["handoff", "PLAN-001", "claimed by agent:ada until "],
    ] as const) {
      const wide = words((await run({ cwd: ws.root, screen: SCREEN }, command, id)).out);
      expect(wide).toContain(`${before}${here}`);
      expect(wide).not.toContain(there);
      expect(words((await run({ cwd: ws.root }, command, id)).out)).toContain(`${before}${there}`);
      const { doc } = await json({ cwd: ws.root, screen: SCREEN }, command, id);
      expect(JSON.stringify(doc.result)).toContain(`${before}${there}`);
    }
    const own = words((await run({ cwd: ws.root, screen: SCREEN }, "radar", "PLAN-001")).out);
    expect(own).toContain(`claimed: TASK-001 s:0 by agent:ada until ${here}`);
    const radars = await Promise.all(
      ["show", "radar"].map(
        async (command) => (await json({ cwd: ws.root }, command, "PLAN-001")).doc.result!["radar"],
      ),
    );
    expect(radars[0]).toEqual(radars[1]);
    const told = words((await run({ cwd: ws.root, screen: SCREEN }, "radar", "TASK-001")).out);
    expect(told).toContain("until 2026-01-01T00:00:00Z");
  });

  it("[STATUS-2] [CLI-271] status: a row that the claim of another actor holds says who and until when, and no command that is refused", async () => {
    const ws = openTemp({ by: "agent:ada", now: () => Date.now() });
    const steps = [{ title: "Write it", success_criteria: ["it works"] }];
    await ok(ws, "tasks_create", { kind: "task", title: "A", steps });
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "no licence" });
    const { lease } = await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 86_400 });
    await ws.close();
    const until = (lease as { expires_at: string }).expires_at;
    const told = async (by: string, screen?: typeof SCREEN): Promise<string> =>
      (await run({ cwd: ws.root, ...(screen ? { screen } : {}) }, "--by", by, "status")).out.replaceAll(/\s+/g, " ");
    expect(await told("agent:ada")).toContain("unblock TASK-001 STEP-");
    expect(await told("human:bob")).toContain(`claimed by agent:ada until ${timeText(until, undefined)}`);
    const wide = await told("human:bob", SCREEN);
    expect(wide).toContain(`claimed by agent:ada until ${timeAndAge(until, 100)}`);
    expect(wide).not.toContain("unblock");
  });

  it("[CLI-271] [regression ERR-29] a refusal names a time in the zone and as far away as it is on a terminal, and in UTC elsewhere", async () => {
    let now = Date.now() - 2 * 3_600_000 - 30_000;
    const ws = openTemp({ by: "agent:ada", now: () => now });
    const steps = ["Write it", "Tell it", "Ship it"].map((title) => ({ title, success_criteria: ["it works"] }));
    await ok(ws, "tasks_create", { kind: "task", title: "A", steps });
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    const closed = new Date(now).toISOString();
    const { lease: held } = await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:1", ttl_s: 86_400 });
    now += 1000;
    const { lease: over } = await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:2", ttl_s: 60 });
    await ws.close();
    const { expires_at } = held as { expires_at: string };
    const { expires_at: ended, fence } = over as { expires_at: string; fence: number };
    const on = { cwd: ws.root };
    for (const [code, before, time, ...words] of [
      ["ALREADY_DONE", "was closed by agent:ada at ", closed, "done", "1", "s:0"],
      ["LEASE_HELD", "agent:ada has claimed it until ", expires_at, "claim", "1", "s:1"],
      ["LEASE_HELD", "agent:ada has claimed it until ", expires_at, "run", "1", "s:1", "--", "true"],
      [
        "LEASE_LOST",
        "which expired at ",
        ended,
        "call",
        "tasks_note",
        JSON.stringify({ task: "TASK-001", path: "s:2", note: "late", fence }),
      ],
    ] as const) {
      const said = async (screen?: typeof SCREEN): Promise<string> =>
        (
          await run({ ...on, ...(screen ? { screen, terminal: { columns: 100 } } : {}) }, "--by", "human:bob", ...words)
        ).err.replaceAll(/\s+/g, " ");
      const piped = await said();
      expect(piped).toContain(`${code}: `);
      expect(piped).toContain(`${before}${timeText(time, undefined)}`);
      const [wide, here] = [await said(SCREEN), timeAndAge(time, 100)];
      expect(wide).toContain(`${before}${here}`);
      expect(here).toMatch(/ago$|, in /);
      const { doc } = await json({ ...on, screen: SCREEN }, "--by", "human:bob", ...words);
      expect(doc.error!.message).toContain(`${before}${timeText(time, undefined)}`);
    }
  });

  it("[STATUS-2] [PROOF-108] status: a failed run that Taskfold made has a look as its call, and its command runs the test again", async () => {
    const ws = openTemp({ by: "human:ada" });
    const steps = [{ title: "Write it", success_criteria: ["it works"], tests: ["exit 3"] }];
    await ok(ws, "tasks_create", { kind: "task", title: "A", steps });
    await ws.close();
    const on = { cwd: ws.root };
    await run(on, "run", "TASK-001", "s:0", "--for", "tests", "--", "sh", "-c", "exit 3");
    const { doc } = await json(on, "status");
    expect((doc.result as { needs_you: unknown[] }).needs_you).toMatchObject([
      {
        what: "proof",
        path: "s:0",
        call: { tool: "tasks_evidence_verify" },
        command: "taskfold run TASK-001 s:0 --for tests -- sh -c 'exit 3'",
      },
    ]);
  });

  it("[CLI-118] board: whole titles, what changed last on top, and marks of claims, priority, blocks and proof", async () => {
    const { cwd } = await lived();
    const piped = (await run({ cwd }, "board")).out;
    expect(piped).toContain("TASK-001 0/2");
    const card = piped.slice(piped.indexOf("TASK-001"), piped.indexOf("TASK-002")).replaceAll(/\s+/g, " ");
    expect(card).toBe(`TASK-001 0/2 ${TITLE} [HIGH, proof, blocked] `);
    expect(piped.slice(piped.indexOf("TASK-002")).replaceAll(/\s+/g, " ")).toBe("TASK-002 0/2 Older [human:ada] ");
    expect(piped.split("\n").every(({ length }) => length <= 80)).toBe(true);
    const wide = (await run({ cwd, env: { COLUMNS: "320" } }, "board")).out;
    expect(wide).toContain(TITLE);
    for (const COLUMNS of ["0", "-5", "wide", "1", "400000000", "9".repeat(400)])
      expect((await run({ cwd, env: { COLUMNS } }, "board")).code).toBe(0);
  });

  it("[CLI-271] [regression CLI-115] show: steps with claims and proof before what it is about, and a long description folded on a terminal", async () => {
    const { cwd, ended } = await lived();
    const shown = timeText(ended, 100);
    const { out } = await run({ cwd, screen: SCREEN }, "show", "1");
    const at = (text: string): number => {
      expect(out).toContain(text);
      return out.indexOf(text);
    };
    expect(at("Next ")).toBeLessThan(at("s:0  [ ]"));
    expect(at("s:0  [ ]")).toBeLessThan(at("About "));
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `failed run for tests: exit 1, ${shown}, 1 h 28 min ago: npm test (cmd-`,
    );
    expect(out.slice(at("Evidence\n"))).toMatch(/^Evidence\ncmd-\S+ +exit 2 +s:0 tests +npm test/);
    expect(out).toContain("line 10\n");
    expect(out).not.toContain("line 11");
    expect(out).toContain("(2 lines more: taskfold show TASK-001 --full)");
    expect(out).toContain(`${shown}  human:ada  begun`);
    expect((await run({ cwd, screen: SCREEN }, "show", "1", "--full")).out).toContain("line 12\n");
    const radar = (await run({ cwd, screen: SCREEN }, "radar", "1")).out;
    expect(radar).toContain("line 10\n");
    expect(radar).not.toContain("line 11");
    expect(radar.replaceAll(/\s+/g, " ")).toContain("(2 lines more: taskfold show TASK-001 --full)");
    expect((await run({ cwd }, "radar", "1")).out).toContain("line 12\n");
    expect((await run({ cwd }, "show", "1")).out).toContain("line 12\n");
    expect((await run({ cwd, screen: SCREEN }, "show", "2")).out).toMatch(/- claimed by human:ada until \d\d \w{3} /);
    expect(JSON.stringify(await json({ cwd }, "show", "1"))).toContain(ended);
  });
});
