/** What a person found who used the command line from its pages alone. */
import { appendFileSync, cpSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BLOCKED, JOINED, placeSample } from "../support/coco.ts";
import { tempFolder } from "../support/temp.ts";
import { json, refused, result, run, workspace } from "./cli_support.ts";

const TERMINAL = { screen: { columns: 60, rows: 24 } };

/** A workspace with one log that two sides wrote, each giving it another title. */
async function withConflict(cwd: string, id: string): Promise<void> {
  const there = tempFolder();
  cpSync(cwd, there, { recursive: true });
  await run({ cwd }, "edit", id, "--title", "Ours");
  await run({ cwd: there }, "edit", id, "--title", "Theirs");
  const log = `.coco/tasks/${id}/events.jsonl`;
  const [ours, theirs] = [cwd, there].map((root) => readFileSync(join(root, log), "utf8").split("\n"));
  writeFileSync(join(cwd, log), [...new Set([...ours!, ...theirs!])].filter((line) => line !== "").join("\n") + "\n");
  await run({ cwd }, "resolve");
}

describe("ids", () => {
  it("[CLI-112] 1 stays TASK-001 when that lies in the archive", async () => {
    const cwd = await workspace();
    await run({ cwd }, "complete", "1", "--status", "CANCELED");
    expect(await run({ cwd }, "archive", "1", "-q")).toMatchObject({ code: 0, out: "TASK-001\n" });
    expect((await run({ cwd }, "show", "1", "-q")).out).toBe("TASK-001\n");
    await run({ cwd }, "add", "Next", "--depends-on", "1");
    expect(await result(cwd, "show", "2")).toMatchObject({ detail: { depends_on: ["TASK-001"] } });
    expect(await run({ cwd }, "restore", "1", "-q")).toMatchObject({ code: 0, out: "TASK-001\n" });
    expect((await run({ cwd }, "show", "plan-1", "-q")).out).toBe("PLAN-001\n");
  });

  it("[CLI-112] packet commands and taskdoc import take short ids, too", async () => {
    const cwd = await workspace();
    for (const argv of [
      ["packet", "next", "1"],
      ["packet", "archive", "task-1"],
    ] as const)
      expect((await run({ cwd }, ...argv)).err, argv.join(" ")).not.toContain("UNKNOWN_ID");
  });

  it("[regression CLI-206] a plan that is not there is no empty list", async () => {
    const cwd = await workspace();
    for (const command of ["list", "ready", "board"])
      expect(await refused(cwd, "UNKNOWN_ID", 3, command, "--plan", "PLAN-002")).toContain("Did you mean PLAN-001");
    expect((await run({ cwd }, "ready", "--plan", "1")).code).toBe(0);
  });
});

describe("looking", () => {
  it("[CLI-118] search looks in the archive when asked, and says when it finds nothing", async () => {
    const cwd = await workspace();
    await run({ cwd }, "complete", "1", "--status", "CANCELED");
    await run({ cwd }, "archive", "1");
    expect(await run({ cwd }, "search", "grammar")).toEqual({
      code: 1,
      out: "Nothing found. 1 archived: --archived searches there.\n",
      err: "",
    });
    expect(await run({ cwd }, "search", "--archived", "grammar")).toEqual({
      code: 0,
      out: "TASK-001  CANCELED  A parser\n  s:0  Write the grammar\n",
      err: "",
    });
    await run({ cwd }, "add", "A grammar to drop", "-q");
    await run({ cwd }, "rm", "2", "--yes");
    expect((await run({ cwd }, "search", "drop")).code).toBe(1);
    expect((await run({ cwd }, "search", "drop", "--archived")).out).toMatch(/^TASK-002 {2}deleted {2}A grammar/);
  });

  it("[CLI-202] status reads every log of a small workspace, plans too, and says what it did not read of a large one", async () => {
    const cwd = await workspace();
    await withConflict(cwd, "PLAN-001");
    await run({ cwd }, "add", "Not begun", "-q");
    await withConflict(cwd, "TASK-002");
    const status = async (...argv: string[]): Promise<string> => (await run({ cwd }, "status", ...argv)).out;
    expect(await status()).toMatch(/^Conflicts {2}- PLAN-001: Conflict on title.*\n +- TASK-002: Conflict on title/m);
    expect(await status()).not.toContain("Not read");
    for (let i = 0; i < 13; i++) await run({ cwd }, "add", `More ${i}`, "--priority", "HIGH", "-q");
    const most = await status();
    expect(most).not.toContain("Conflicts");
    expect(most).toMatch(/^Not read +1 plan and 15 tasks: taskfold status --all looks/m);
    expect(await result(cwd, "status")).toMatchObject({ unseen: { plans: 1, tasks: 15 }, needs_you: [] });
    expect(await status("--all")).toMatch(/^Conflicts {2}- PLAN-001.*\n +- TASK-002/m);
    expect(await result(cwd, "status", "--all")).toMatchObject({ unseen: { plans: 0, tasks: 0 } });
  }, 180_000);

  it("[CLI-202] [STATUS-1] status and prime tell conflicts of what has ended, and status counts what it did not read of that", async () => {
    const cwd = await workspace();
    await withConflict(cwd, "TASK-001");
    await run({ cwd }, "complete", "1", "--status", "CANCELED", "-q");
    await withConflict(cwd, "PLAN-001");
    await run({ cwd }, "complete", "plan-1", "--status", "CANCELED", "-q");
    const told = /^Conflicts {2}- PLAN-001: Conflict on title.*\n +- TASK-001: Conflict on title/m;
    expect((await run({ cwd }, "status")).out).toMatch(told);
    expect((await run({ cwd }, "prime")).out).toMatch(/^Conflicts:\n- PLAN-001 .*\n- TASK-001 /m);
    for (let i = 2; i < 12; i++) {
      await run({ cwd }, "add", `More ${i}`, "-q");
      await run({ cwd }, "complete", String(i), "-q");
    }
    const most = await run({ cwd }, "status");
    expect(most.out).not.toContain("Conflicts");
    expect(most.out).toMatch(/^Not read +12 that ended: taskfold status --all looks/m);
    const { out } = await run({ cwd }, "status", "--all");
    expect(out).toMatch(told);
    expect(out).not.toContain("Not read");
  }, 180_000);

  it("[CLI-202] a task whose log cannot be read is no task that status did not read", async () => {
    const cwd = await workspace();
    writeFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "");
    const { out } = await run({ cwd }, "status", "--all");
    expect(out).not.toContain("Not read");
  });

  it("[regression CLI-249] status names a task either to complete or as blocked", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "First", "--step", "only", "-q");
    await run({ cwd }, "edit", "2", "--depends-on", "1", "-q");
    expect((await run({ cwd }, "status")).out).toMatch(/^Waiting +- TASK-002: Waits for TASK-001/m);
    await run({ cwd }, "done", "2", "only", "--confirm", "gate", "-q");
    const { out } = await run({ cwd }, "status");
    expect(out).toMatch(/^To complete +- taskfold complete TASK-002/m);
    expect(out).not.toContain("Blocked");
    expect(await result(cwd, "status")).toMatchObject({ needs_you: [{ what: "complete", task: "TASK-002" }] });
    expect((await run({ cwd }, "complete", "2")).code).toBe(0);
  });

  it("[CLI-202] status names what was changed by hand, and the command that ends the row", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Second", "-q");
    const drift = async (...argv: string[]) =>
      (
        (await result(cwd, "status", ...argv)) as unknown as {
          needs_you: { what: string; task: string; why: string }[];
        }
      ).needs_you.filter(({ what }) => what === "drift");
    const fileOf = (id: string, name: string): string => join(cwd, ".coco/tasks", id, name);
    const earlier = readFileSync(fileOf("TASK-002", "README.md"));
    await run({ cwd }, "note", "2", "a note", "-q");
    expect(await drift()).toEqual([]);
    expect((await run({ cwd }, "status")).out).not.toContain("Drift");

    // Git may bring an earlier file, and a sparse checkout leaves files out: no edit is lost there.
    writeFileSync(fileOf("TASK-002", "README.md"), earlier);
    rmSync(fileOf("PLAN-001", "README.md"));
    expect(await drift()).toEqual([]);

    appendFileSync(fileOf("TASK-001", "README.md"), "an edit\n");
    writeFileSync(fileOf("PLAN-001", "task.yaml"), "x\n");
    expect(await drift()).toMatchObject([
      { task: "PLAN-001", why: "task.yaml changed by hand" },
      { task: "TASK-001", title: "A parser", why: "README.md changed by hand" },
    ]);
    expect((await run({ cwd }, "status")).out).toMatch(
      /^Drift +- PLAN-001: task\.yaml changed by hand; taskfold note PLAN-001 '<fill: .*>'\n +- TASK-001: README\.md .*taskfold note TASK-001 '<fill: .*>'$/m,
    );

    // A clone, and a program that replaces a text in all files, leave the times of one write.
    const readme = fileOf("TASK-002", "README.md");
    await run({ cwd }, "note", "2", "another", "-q");
    const { atime, mtime } = statSync(fileOf("TASK-002", "task.yaml"));
    appendFileSync(readme, "hidden\n");
    for (const name of ["task.yaml", "README.md"]) utimesSync(fileOf("TASK-002", name), atime, mtime);
    const ids = async (...argv: string[]) => (await drift(...argv)).map(({ task }) => task);
    expect(await ids()).toEqual(["PLAN-001", "TASK-001", "TASK-002"]);

    for (let i = 0; i < 16; i++) await run({ cwd }, "add", `More ${i}`, "--priority", "HIGH", "-q");
    await run({ cwd }, "complete", "3", "--status", "CANCELED", "-q");
    appendFileSync(fileOf("TASK-003", "README.md"), "an edit\n");
    expect(await ids()).toEqual([]);
    expect((await run({ cwd }, "status")).out).toMatch(/^Not read .*looks for conflicts and drift there/m);
    expect(await ids("--all")).toEqual(["PLAN-001", "TASK-001", "TASK-002", "TASK-003"]);
  }, 180_000);

  it("[CLI-9] a long title wraps at the top of a page, with its marks below", async () => {
    const cwd = await workspace();
    await run({ cwd }, "edit", "1", "--title", "word ".repeat(20).trim());
    for (const command of ["show", "radar", "handoff"]) {
      const [head = ""] = (await run({ cwd, ...TERMINAL }, command, "1")).out.split("\n\n");
      expect(head.split("\n"), command).toHaveLength(3);
      expect(head.match(/\bword\b/g), command).toHaveLength(20);
      expect(head, command).toMatch(/^ {10}\(task, TODO.*\)$/m);
      expect(
        head.split("\n").filter((row) => row.length > 60),
        command,
      ).toEqual([]);
    }
  });

  it("[regression CLI-203] sentences wrap on a terminal, and name options where call names fields", async () => {
    const cwd = await workspace();
    await run({ cwd }, "note", "1", "word ".repeat(30).trim());
    await run({ cwd }, "block", "1", "s:0", "--reason", "the key");
    for (const argv of [["history", "1"], ["delta"], ["log", "1"], ["show", "1"]]) {
      const { out } = await run({ cwd, ...TERMINAL }, ...argv);
      expect(out.match(/\bword\b/g), argv[0]).toHaveLength(30);
      // The cursor of the last line is one word.
      const rows = out.trimEnd().split("\n").slice(0, -1);
      expect(
        rows.filter((row) => row.length > 60),
        argv[0],
      ).toEqual([]);
    }
    const history = (await run({ cwd }, "history", "1", "--limit", "2")).out;
    expect(history.match(/Blocked s:0/g)).toHaveLength(1);
    expect(history).toMatch(/^before these: --before 2$/m);
    expect((await run({ cwd }, "history", "1")).out).toMatch(/^stays: undo does not take it back$/m);
    expect((await run({ cwd }, "delta", "--limit", "1")).out).toMatch(/; from here: --since \S+$/m);
    expect((await run({ cwd }, "call", "tasks_delta", '{"limit":1}')).out).toMatch(/from here: "since": "\S+"$/m);
    expect((await run({ cwd }, "unblock", "1")).out).toBe('TASK-001 revision 4: Unblocked s:0 "Write the grammar".\n');
  });
});

describe("sentences", () => {
  it("[regression EVENT-69, CLI-203] two events of one sentence say it once, in answers, README and undo", async () => {
    const cwd = await workspace();
    const title = "A step with a title that is also far longer than sixty columns of a terminal";
    await run({ cwd }, "add", "Long", "--step", title);
    const reason = "waiting for the licence department to sign the agreement with the supplier";
    await run({ cwd }, "block", "2", "s:0", "--reason", reason);
    const told = (await json({ cwd }, "history", "2", "--limit", "1")).doc.result as unknown as Told;
    const sentence = `Blocked s:0 "${title}": ${reason}.`;
    expect(told.operations[0]!.message).toBe(sentence);
    const readme = readFileSync(join(cwd, ".coco/tasks/TASK-002/README.md"), "utf8");
    expect(readme.match(/Blocked s:0/g)).toHaveLength(1);
    const { out } = await run({ cwd }, "history", "2", "--limit", "1");
    expect(out).toContain(`Blocked s:0 "${title}": ${reason}.\n`);
    expect(out.match(/Blocked/g)).toHaveLength(1);
    await run({ cwd }, "unblock", "2", "s:0");
    expect((await run({ cwd }, "history", "2", "--limit", "1")).out.match(/Unblocked/g)).toHaveLength(1);
    expect((await run({ cwd }, "undo", "2")).out.match(/Unblocked/g)).toHaveLength(1);
    // What an answer reads from a snapshot and what it folds from the log are one text.
    expect((await run({ cwd }, "verify", "2")).code).toBe(0);
  });

  it("[regression CLI-204] the recovery of a step that does not close is a whole command", async () => {
    const cwd = await workspace();
    await run({ cwd }, "block", "1", "s:0", "--reason", "x");
    const blocked = await refused(cwd, "STEP_BLOCKED", 1, "done", "1", "s:0", "--confirm", "gate");
    expect(blocked).toContain("Unblock it, or close it by taskfold done TASK-001 s:0 --force --reason WHY.");
    const closed = ["done", "1", "s:0", "--confirm", "gate", "--force", "--reason", "WHY"];
    expect((await run({ cwd }, ...closed)).code).toBe(0);
    await run({ cwd }, "call", "tasks_block", '{"task":"TASK-001","path":"s:1","reason":"y"}');
    const call = '{"task":"TASK-001","path":"s:1","checkpoints":"gate"}';
    expect((await run({ cwd }, "call", "tasks_close_step", call)).err).toContain(
      "close TASK-001 s:1 by tasks_progress with force and a reason.",
    );
  });
});

interface Told {
  operations: { message: string }[];
}

describe("mistakes", () => {
  it("[regression CLI-204] a mistake in the arguments shows the usage of its command", async () => {
    const cwd = await workspace();
    expect(await refused(cwd, "INVALID_INPUT", 2, "note")).toContain(
      "Usage: taskfold note [options] <id> <text...>; taskfold help note tells more.",
    );
    expect(await refused(cwd, "INVALID_INPUT", 2, "plan", "add", "--no")).toContain(
      "Usage: taskfold plan add [options]",
    );
    expect(await refused(cwd, "INVALID_INPUT", 2, "shwo")).toContain("taskfold --help lists");
  });

  it("[regression CLI-204] a recovery names commands, and the tools where tools are called", async () => {
    const cwd = await workspace();
    expect(await refused(cwd, "UNKNOWN_ID", 3, "show", "99")).toContain("taskfold list lists the ids");
    const called = await run({ cwd }, "call", "tasks_radar", '{"task":"TASK-099"}');
    expect(called.err).toContain("tasks_context lists the ids");
    expect((await run({ cwd }, "undo", "1", "--op", "none")).err).toContain("try: taskfold history TASK-001\n");
    await run({ cwd }, "claim", "1", "--by", "bob");
    expect(await refused(cwd, "LEASE_HELD", 4, "release", "1")).toContain(
      "with taskfold release TASK-001 --force --reason WHY.",
    );
    await run({ cwd }, "release", "1", "--by", "bob");
    await run({ cwd }, "claim", "1", "grammar", "--by", "bob");
    const held = await refused(cwd, "LEASE_HELD", 4, "done", "1", "grammar", "--confirm", "gate");
    const [, line = ""] = /with taskfold (release [^.]*)\./.exec(held) ?? [];
    expect(line).toBe("release TASK-001 s:0 --force --reason WHY");
    expect((await run({ cwd }, ...line.split(" "))).code).toBe(0);
    expect((await run({ cwd }, "history", "--before", "none")).err).toContain("try: taskfold history\n");
    expect(await refused(cwd, "INVALID_INPUT", 2, "add", "A title", "--plan", "TASK-001")).toContain(
      "try: taskfold add 'A title'\n",
    );
    const focus = await refused(cwd, "TARGET_REQUIRED", 2, "show");
    expect(focus).toContain("taskfold call tasks_focus_set.");
    expect(focus).toContain("try: taskfold show PLAN-001\n");
  });
});

describe("adopt", () => {
  it("[CLI-118] takes several folders, goes on after one that is refused, and tells it", async () => {
    const cwd = tempFolder();
    for (const id of [BLOCKED, JOINED]) placeSample(cwd, id);
    const { code, doc } = await json({ cwd }, "adopt", BLOCKED, "nothing", JOINED);
    expect(code).toBe(1);
    expect(doc.result).toMatchObject({
      adopted: [
        { id: BLOCKED, changed: true },
        { id: JOINED, changed: true },
      ],
      refused: [{ code: "UNKNOWN_ID" }],
    });
    const again = await run({ cwd }, "adopt", BLOCKED, JOINED, "--again");
    expect(again).toMatchObject({ code: 0, err: "" });
    expect(again.out).toBe(`${BLOCKED}: nothing new to take in.\n${JOINED}: nothing new to take in.\n`);
  });
});
