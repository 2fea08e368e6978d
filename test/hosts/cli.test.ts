import { safeLine } from "../../src/hosts/cli/text/safe_text.ts";
import { cutTo } from "../../src/hosts/cli/text/width.ts";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../../src/errors.ts";
import { nodeIo } from "../../src/hosts/cli/io.ts";
import { json, PROGRAM, run, workspace } from "./cli_support.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { ROTATING } from "../support/sweep.ts";

describe("where and who", () => {
  it("[CLI-1] the root is the nearest folder upwards that holds .coco", async () => {
    const cwd = await workspace();
    const deep = join(cwd, "src/parser");
    mkdirSync(deep, { recursive: true });
    expect((await run({ cwd: deep }, "list")).out).toContain("TASK-001");
    expect(readdirSync(deep)).toEqual([]);
  });

  it("[CLI-1] -C goes elsewhere, from the current folder", async () => {
    const cwd = await workspace();
    const other = tempFolder();
    expect((await run({ cwd: other }, "-C", cwd, "list")).out).toContain("TASK-001");
    expect((await run({ cwd: join(cwd, "..") }, "-C", cwd.split("/").at(-1)!, "list")).out).toContain("TASK-001");
  });

  it("[CLI-1] what can make a workspace makes the folder of -C, and nothing else does", async () => {
    const cwd = tempFolder();
    const made = (...args: string[]) => json({ cwd }, "-C", "new/below", ...args);
    for (const args of [
      ["list"],
      ["show", "1"],
      ["tools", "tasks_note"],
      ["init", "--rename", "a/b"],
      ["call", "tasks_radar"],
      ["git", "status"],
    ])
      expect(await made(...args), args.join(" ")).toMatchObject({
        code: 2,
        doc: {
          error: {
            code: "INVALID_INPUT",
            message: expect.stringContaining("a folder that is there, found nothing at") as string,
            recovery: expect.stringContaining(`taskfold -C ${join(cwd, "new/below")} init`) as string,
          },
        },
      });
    // As of a variable of a shell that is not set.
    for (const args of [["list"], ["init"], ["add", "x"]])
      expect(await json({ cwd }, "-C", "", ...args)).toMatchObject({
        code: 2,
        doc: { error: { code: "INVALID_INPUT", message: 'Expected -C to name a folder, found "".' } },
      });
    expect(readdirSync(cwd)).toEqual([]);
    const refused = await made("call", "tasks_create", '{"workspace":"a/b"}');
    expect(refused.doc.error?.code).toBe("INVALID_INPUT");
    expect(readdirSync(cwd)).toEqual([]);
    await made("call", "tasks_create", '{"workspace":"a/b","title":"x"}');
    expect(readdirSync(join(cwd, "new/below"))).toEqual([".coco"]);
    expect((await json({ cwd }, "-C", "other/widgets", "init")).doc.result).toMatchObject({ workspace: "widgets" });
    writeFileSync(join(cwd, "file"), "");
    const blocked = await json({ cwd }, "-C", "file/below", "init");
    expect(blocked).toMatchObject({ code: 2, doc: { error: { message: expect.stringContaining("is a file") } } });
  });

  it("[CLI-1] to git the folder is as if it were there", async () => {
    const { ada } = repository();
    ada.git("remote", "add", "origin", "https://host.example/acme/widgets.git");
    const { doc } = await json({ cwd: ada.root }, "-C", "new/below", "init");
    expect(doc.result).toMatchObject({ workspace: "acme/widgets" });
  });

  it("[CLI-1] init makes a workspace in the current folder, also below another one", async () => {
    const cwd = await workspace();
    const inner = join(cwd, "vendor");
    mkdirSync(inner);
    await run({ cwd: inner }, "init", "--workspace", "acme/inner");
    expect((await json({ cwd: inner }, "list")).doc.result).toMatchObject({ workspace: "acme/inner" });
    expect((await json({ cwd }, "list")).doc.result).toMatchObject({ workspace: "acme/repo" });
  });

  it("[CLI-2] --by wins over TASKFOLD_BY, which wins over human:local", async () => {
    const cwd = await workspace();
    const env = { TASKFOLD_BY: "agent:env" };
    const note = ["call", "tasks_note", '{"task":"TASK-001","note":"x"}'];
    await run({ cwd }, ...note);
    await run({ cwd, env }, ...note);
    await run({ cwd, env }, "--by", "agent:option", ...note);
    const { result } = (await json({ cwd }, "log", "TASK-001")).doc as unknown as {
      result: { events: { by: string }[] };
    };
    expect(result.events.slice(-3).map(({ by }) => by)).toEqual(["human:local", "agent:env", "agent:option"]);
  });

  it("[CLI-2] a name that nobody can have is refused", async () => {
    const cwd = await workspace();
    const { code, doc } = await json({ cwd }, "list", "--by", "somebody else");
    expect({ code, error: doc.error?.code }).toEqual({ code: 2, error: "INVALID_INPUT" });
  });

  it("[CLI-5] options may stand before or after the command", async () => {
    const cwd = await workspace();
    const elsewhere = tempFolder();
    const before = await run({ cwd: elsewhere }, "-C", cwd, "--json", "--by", "agent:a", "radar", "TASK-001");
    const after = await run({ cwd: elsewhere }, "radar", "TASK-001", "--by", "agent:a", "--json", "-C", cwd);
    expect(before.code).toBe(0);
    expect(after).toEqual(before);
  });

  it("[CLI-4] the bound id is filled in, and another one is not overruled", async () => {
    const cwd = await workspace();
    const call = (workspaceId?: string) =>
      json(
        { cwd },
        "call",
        "tasks_focus_get",
        JSON.stringify(workspaceId === undefined ? {} : { workspace: workspaceId }),
      );
    expect((await call()).doc.result).toMatchObject({ workspace: "acme/repo" });
    expect(await call("acme/other")).toMatchObject({ code: 4, doc: { error: { code: "WORKSPACE_MISMATCH" } } });
  });

  it("[CLI-4] an unbound folder takes no write that names no workspace", async () => {
    const cwd = tempFolder();
    const refused = await json({ cwd }, "call", "tasks_create", '{"title":"A plan"}');
    expect(refused).toMatchObject({ code: 2, doc: { intent: "tasks_create", error: { code: "INVALID_INPUT" } } });
    expect(readdirSync(cwd)).toEqual([]);
    const named = await json({ cwd }, "call", "tasks_create", '{"workspace":"acme/named","title":"A plan"}');
    expect(named).toMatchObject({ code: 0, doc: { result: { qualified_id: "acme/named:PLAN-001" } } });
  });
});

describe("outside of a workspace", () => {
  const commands = [
    ["verify"],
    ["list"],
    ["radar"],
    ["handoff", "TASK-001"],
    ["log", "TASK-001"],
    ["history"],
    ["delta"],
    ["undo"],
    ["rebuild"],
    ["resolve", "--dry-run"],
    ["adopt", "TASK-001", "--dry-run"],
    ["taskdoc", "show"],
    ["taskdoc", "history", "TASK-001"],
    ["call", "tasks_context"],
    ["call", "tasks_radar", '{"workspace":"acme/repo"}'],
  ];
  it.each(commands)("[CLI-80] %s is NO_WORKSPACE", async (...argv) => {
    const cwd = tempFolder();
    expect(await json({ cwd }, ...argv)).toMatchObject({
      code: 3,
      doc: { success: false, error: { code: "NO_WORKSPACE" } },
    });
    const { code, out, err } = await run({ cwd }, ...argv);
    expect([code, out, err.split(":")[0]]).toEqual([3, "", "NO_WORKSPACE"]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("[CLI-80] what needs none is answered, and folders that another program made are looked at", async () => {
    const cwd = tempFolder();
    for (const argv of [["tools"], ["mcp", "--print-tools"], ["--help"]])
      expect([argv, (await run({ cwd }, ...argv)).code]).toEqual([argv, 0]);
    mkdirSync(join(cwd, ".coco", "tasks"), { recursive: true });
    expect((await run({ cwd }, "list")).code).toBe(0);
  });
});

describe("what it prints", () => {
  it("[CLI-5] --json prints one document, whatever happens", async () => {
    const cwd = await workspace();
    const lines: [number, string, ...string[]][] = [
      [0, "tasks_context", "list"],
      [0, "tasks_radar", "radar", "TASK-001"],
      [3, "tasks_radar", "radar", "TASK-999"],
      [2, "tasks_note", "call", "tasks_note", "{"],
      [2, "nothing", "nothing"],
      [2, "taskfold"],
      [2, "log", "log", "TASK-001", "--limit", "many"],
      [2, "radar", "radar", "--colour"],
      [2, "radar", "radar", "TASK-001", "TASK-002"],
      [2, "taskfold", "--by"],
      [0, "taskfold", "--help"],
      [0, "taskfold", "--version"],
    ];
    for (const [code, intent, ...argv] of lines) {
      const ran = await json({ cwd }, ...argv);
      expect({ argv, code: ran.code, intent: ran.doc["intent"] }).toEqual({ argv, code, intent });
      expect(Object.keys(ran.doc)).toEqual(["success", "intent", "result", "warnings", "suggestions", "error"]);
    }
  });

  it("[CLI-6] every kind of failure has its exit code, with --json and without", async () => {
    const cwd = await workspace();
    const calls: [string, number, ...string[]][] = [
      ["CHECKPOINTS_NOT_CONFIRMED", 1, "call", "tasks_done", '{"task":"TASK-001","path":"s:0"}'],
      ["UNKNOWN_TOOL", 2, "call", "tasks_magic"],
      ["UNKNOWN_ID", 3, "handoff", "TASK-404"],
      ["UNKNOWN_ID", 3, "log", "TASK-404"],
      ["UNKNOWN_ID", 3, "verify", "TASK-404"],
      ["REVISION_MISMATCH", 4, "call", "tasks_note", '{"task":"TASK-001","note":"x","expected_revision":9}'],
      ["WORKSPACE_MISMATCH", 4, "init", "--workspace", "acme/other"],
    ];
    for (const [error, code, ...argv] of calls) {
      const ran = await json({ cwd }, ...argv);
      expect({ argv, code: ran.code, error: ran.doc.error?.code }).toEqual({ argv, code, error });
      const plain = await run({ cwd }, ...argv);
      expect({ argv, code: plain.code, out: plain.out }).toEqual({ argv, code, out: "" });
      expect(plain.err.startsWith(`${error}: `)).toBe(true);
    }
    expect(new Set(Object.values(ERROR_CODES))).toEqual(new Set([1, 2, 3, 4, 5, 6, 70]));
  });

  it("[CLI-7] an error says what was found, what to do, and a command that a shell runs as it stands", async () => {
    const cwd = await workspace();
    await run(
      { cwd },
      "call",
      "tasks_define",
      JSON.stringify({ task: "TASK-001", path: "s:0", title: 'it\'s `$HOME` "x"' }),
    );
    const done = await run({ cwd }, "call", "tasks_done", '{"task":"TASK-001","path":"s:0"}', "--by", "agent:o-k");
    const [error = "", recovery = "", suggested = ""] = done.err.split("\n");
    expect(error).toMatch(/^CHECKPOINTS_NOT_CONFIRMED: Expected .* found criteria not confirmed/);
    expect(recovery).toMatch(/^ {2}Confirm what is missing/);
    const command = suggested.replace(/^ {2}try: /, "");
    expect(command).toMatch(/^taskfold --by agent:o-k call tasks_verify /);

    const shell = spawnSync("sh", ["-c", `taskfold() { "$NODE" "$PROGRAM" "$@"; }; ${command}`], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, NODE: process.execPath, PROGRAM },
    });
    expect({ code: shell.status, out: shell.stdout }).toEqual({
      code: 0,
      out: 'TASK-001 revision 3: Confirmed criteria, tests of s:0 "it\'s `$HOME` "x"".\n',
    });
  });

  it("[CLI-7] warnings go to stderr, the answer to stdout", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_create", '{"kind":"task","title":"Nothing to do"}');
    const { code, out, err } = await run({ cwd }, "call", "tasks_complete", '{"task":"TASK-002"}');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^TASK-002 revision 2: Completed/) });
    expect(err).toMatch(/^warning NO_STEPS: /);
  });

  it("[regression VIEW-89] the radar of a plan begins with its tasks", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_claim_next", '{"plan":"PLAN-001"}', "--by", "agent:ada");
    const { code, out } = await run({ cwd }, "radar", "PLAN-001");
    expect(code).toBe(0);
    expect(out.replace(/until \S+Z/, "until ...")).toMatch(
      /Tasks +- 1 in all: 1 ACTIVE\n +- ready: TASK-001 s:1 .+\n +- claimed: TASK-001 s:0 by agent:ada until \.\.\.\nNow /,
    );
    const cut: string[] = [];
    for (let max = 1300; max > 500; max -= 100) {
      const { out: short } = await run({ cwd }, "radar", "PLAN-001", "--max-chars", String(max));
      cut.push(/Tasks[^]*(?=Now )/.exec(short)?.[0].replace(/\s+/g, " ") ?? "nothing");
    }
    expect(cut).toContain("Tasks - 1 in all: 1 ACTIVE - ready: 1 more - claimed: 1 more ");
    expect(cut).toContain("Tasks (left out to fit max_chars) ");
    expect(cut).not.toContain("nothing");
  });

  it("[CLI-7] radar stands in five blocks under each other", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_edit", JSON.stringify({ task: "TASK-001", description: "One.\nTwo." }));
    const { out } = await run({ cwd }, "radar", "TASK-001");
    expect(out).toBe(
      [
        "TASK-001  A parser  (task, TODO, revision 2)",
        "",
        "Now       Task TASK-001: A parser | s:0 Write the grammar",
        "Why       One.",
        "          Two.",
        "Verify    - s:0 Write the grammar: confirm criteria, tests",
        "          - criterion: samples parse",
        "          - test: npm test",
        "Next      - Confirm criteria, tests for s:0 Write the grammar",
        "Blockers  none",
        "",
      ].join("\n"),
    );
  });

  it("[CLI-70] control characters of user text are printed as escapes", async () => {
    const cwd = await workspace();
    const hostile = "a\u001b]0;owned\u0007b\u009b31mc\u202ed\u007fe\u2028f\rg";
    await run({ cwd }, "call", "tasks_note", JSON.stringify({ task: "TASK-001", note: hostile }));
    await run({ cwd }, "call", "tasks_edit", JSON.stringify({ task: "TASK-001", description: hostile }));
    // oxlint-disable-next-line no-control-regex -- what must not be there
    const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
    const commands = [
      ["radar", "TASK-001"],
      ["handoff", "TASK-001"],
      ["log", "TASK-001"],
      ["list"],
      ["call", "tasks_note", JSON.stringify({ task: "TASK-001", note: hostile })],
      ["call", "tasks_note", JSON.stringify({ task: hostile, note: "x" })],
      ["call", hostile],
      [hostile],
      ["verify", hostile],
    ];
    for (const argv of commands) {
      const { out, err } = await run({ cwd }, ...argv);
      expect({ argv, raw: raw.test(out + err) }).toEqual({ argv, raw: false });
    }
    const { out } = await run({ cwd }, "radar", "TASK-001");
    expect(out).toContain("a\\x1b]0;owned\\x07b\\x9b31mc\\u202ed\\x7fe\\u2028f\\x0dg");
  });

  it("[CLI-70] JSON keeps the value and has no raw control character either", async () => {
    const cwd = await workspace();
    const hostile = "a\u001b[31m\u009b31m\u007f";
    await run({ cwd }, "call", "tasks_edit", JSON.stringify({ task: "TASK-001", description: hostile }));
    const { out } = await run({ cwd }, "--json", "radar", "TASK-001");
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(out)).toBe(false);
    expect((JSON.parse(out) as { result: { radar: { why: string } } }).result.radar.why).toBe(hostile);
  });

  it("[CLI-70] joiners of emoji and between letters are printed, and cut by no escape", async () => {
    const shown = [
      "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
      "\u{1f3f3}\ufe0f\u200d\u{1f308}",
      "\u0645\u06cc\u200c\u062e",
      "\u0915\u094d\u200d\u0937",
    ];
    for (const text of shown) expect(safeLine(text)).toBe(text);
    const hidden: [string, string][] = [
      ["a\u200cb", "a\\u200cb"],
      ["ad\u200dmin", "ad\\u200dmin"],
      ["\u200d\u{1f469}", "\\u200d\u{1f469}"],
      ["\u{1f469}\u200d", "\u{1f469}\\u200d"],
      ["\u0645\u200c", "\u0645\\u200c"],
      ["a\ufe0f", "a\\ufe0f"],
      ["\u{1f469}\u200b\u{1f467}", "\u{1f469}\\u200b\u{1f467}"],
    ];
    for (const [text, told] of hidden) expect(safeLine(text)).toBe(told);
    const escaped = safeLine("ab\u202ecd\u{e0041}ef\x1b");
    const whole = /^(?:[^\\]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]+\})*$/;
    for (let most = 1; most <= escaped.length; most++) expect(cutTo(escaped, most).replace("…", "")).toMatch(whole);
  });

  it("[CLI-70] characters that nobody sees are printed as escapes, and JSON keeps the value", async () => {
    const cwd = await workspace();
    const unseen = "a\u00adb\u200bc\u{e0041}d\ufe0fe\u2060f\u3164g";
    await run({ cwd }, "call", "tasks_edit", JSON.stringify({ task: "TASK-001", description: unseen }));
    for (const argv of [
      ["radar", "TASK-001"],
      ["call", unseen],
      ["verify", unseen],
      ["--json", "radar", "TASK-001"],
    ]) {
      const { out, err } = await run({ cwd }, ...argv);
      expect(out + err, argv[0]).not.toMatch(/\u00ad|\u200b|\u{e0041}|\ufe0f|\u2060|\u3164/u);
    }
    expect((await run({ cwd }, "radar", "TASK-001")).out).toContain(
      "a\\xadb\\u200bc\\u{e0041}d\\ufe0fe\\u2060f\\u3164g",
    );
    const { out } = await run({ cwd }, "--json", "radar", "TASK-001");
    expect(out).toContain("\\udb40\\udc41");
    expect((JSON.parse(out) as { result: { radar: { why: string } } }).result.radar.why).toBe(unseen);
  });

  it("[CLI-9] colours only where they are wanted", ROTATING, async () => {
    const cwd = await workspace();
    const ESC = "\u001b";
    expect((await run({ cwd, color: true }, "radar", "TASK-001")).out).toContain(`${ESC}[1m`);
    expect((await run({ cwd, color: false }, "radar", "TASK-001")).out).not.toContain(ESC);
    const child = (env: Record<string, string>) =>
      spawnSync(process.execPath, [PROGRAM, "radar", "TASK-001"], {
        cwd,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], ...env },
      });
    expect(child({}).stdout).not.toContain(ESC);
    expect(child({ FORCE_COLOR: "1" }).stdout).toContain(ESC);
    expect(child({ FORCE_COLOR: "1", NO_COLOR: "1" }).stdout).not.toContain(ESC);
  });

  it("[CLI-9] a reader that has read enough is no error", async () => {
    const cwd = await workspace();
    const script = 'set -o pipefail; "$NODE" "$PROGRAM" tools | true';
    const { status, stderr } = spawnSync("bash", ["-c", script], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, NODE: process.execPath, PROGRAM },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("[CLI-118] help and version go to stdout", async () => {
    const cwd = tempFolder();
    const help = await run({ cwd }, "--help");
    expect(help).toMatchObject({ code: 0, err: "" });
    const commands = ["init", "call", "radar", "handoff", "list", "log", "verify", "rebuild", "resolve", "tools"];
    for (const command of commands) expect(help.out).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
    const { version } = JSON.parse(readFileSync(join(PROGRAM, "../../package.json"), "utf8")) as { version: string };
    const { node } = process.versions;
    const text = `taskfold ${version}, format 1 of the log, Node.js ${node}\n`;
    expect(await run({ cwd }, "--version")).toEqual({ code: 0, out: text, err: "" });
    expect((await json({ cwd }, "--version")).doc.result).toEqual({ version, format: 1, node, text });
    expect(await run({ cwd })).toEqual({ code: 2, out: "", err: help.out });
    const wrong = await run({ cwd }, "lsit");
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toMatch(/^INVALID_INPUT: unknown command 'lsit' \(Did you mean list\?\)\n/);
  });

  it("knows this process", () => {
    const io = nodeIo();
    expect(io.cwd).toBe(process.cwd());
    expect(io.env["PATH"]).toBe(process.env["PATH"]);
  });
});
