/** `taskfold prime --stop-hook`: what each client sends, by its documentation, and what it is answered. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import type { Ran } from "./cli_support.ts";
import { git, real, run, workspace } from "./cli_support.ts";

type Client = "claude-code" | "codex" | "cursor";

const sent = (client: Client): Record<string, unknown> =>
  JSON.parse(readFileSync(join(ROOT, "test/data/stop_hook", `${client}.json`), "utf8")) as Record<string, unknown>;

const NOTHING: Ran = { code: 0, out: "", err: "" };
const BY = ["--by", "agent:ada"];

function stop(cwd: string, client: Client, more: object = {}): Promise<Ran> {
  const form = client === "cursor" ? ["cursor"] : [];
  const stdin = `${client === "cursor" ? "\uFEFF" : ""}${JSON.stringify({ ...sent(client), ...more })}`;
  return run({ cwd, stdin }, "prime", "--stop-hook", ...form, ...BY);
}

async function reason(cwd: string): Promise<string[]> {
  const { out } = await stop(cwd, "codex");
  return out === "" ? [] : (JSON.parse(out) as { reason: string }).reason.split("\n");
}

/** How the client says that its hook has kept the agent at work so many times. */
const again = (client: Client, times: number): object =>
  client === "cursor" ? { loop_count: times } : { stop_hook_active: times > 0 };

async function claimed(): Promise<string> {
  const cwd = await workspace();
  await run({ cwd }, "claim", "1", "s:0", ...BY);
  return cwd;
}

describe("prime --stop-hook", () => {
  it.each(["claude-code", "codex", "cursor"] as const)(
    "[ONBOARD-18] keeps the agent at work twice in a row, in the form of %s",
    async (client) => {
      const cwd = await claimed();
      const out: string[] = [];
      for (let times = 0; times < 4; times++) {
        const ran = await stop(cwd, client, again(client, times));
        expect(ran).toMatchObject({ code: 0, err: "" });
        out.push(ran.out);
      }
      expect(out.slice(2)).toEqual(["", ""]);
      const [first, second] = out.map((text) => (text === "" ? {} : (JSON.parse(text) as Record<string, string>)));
      expect(second).toEqual(first);
      const call = "Run: npx --no -- taskfold --by agent:ada run TASK-001 s:0 --for tests -- npm test";
      const said = client === "cursor" ? first!["followup_message"] : first!["reason"];
      expect(Object.keys(first!)).toEqual(client === "cursor" ? ["followup_message"] : ["decision", "reason"]);
      expect(said).toContain(call);
      // A new turn of the same session counts anew.
      expect((await stop(cwd, client, again(client, 0))).out).toBe(out[0]);
    },
  );

  it("[ONBOARD-18] names the one call that is missing, from the claim to the end", async () => {
    const cwd = await workspace();
    expect(await reason(cwd)).toEqual([]);
    await run({ cwd }, "claim", "1", "s:0", ...BY);
    const begin = 'Taskfold: you hold a claim on TASK-001 s:0 "Write the grammar", ';
    const release =
      "If you cannot finish it now, give it back: npx --no -- taskfold --by agent:ada release TASK-001 s:0";
    const line = (args: string): string => `Run: npx --no -- taskfold --by agent:ada ${args}`;
    expect(await reason(cwd)).toEqual([
      `${begin}of which a declared test has no run.`,
      line("run TASK-001 s:0 --for tests -- npm test"),
      release,
    ]);
    const item = (exit_code: number): string =>
      JSON.stringify({
        task: "TASK-001",
        path: "s:0",
        checkpoint: "tests",
        items: [{ kind: "run", command: "npm test", exit_code, stdout: "x" }],
      });
    await run({ cwd }, "call", "tasks_evidence_capture", item(1), ...BY);
    expect((await reason(cwd))[0]).toBe(`${begin}of which a run for tests failed.`);
    await run({ cwd }, "call", "tasks_evidence_capture", item(0), ...BY);
    const confirm = line("done TASK-001 s:0 --confirm gate");
    expect(await reason(cwd)).toEqual([`${begin}which is open: criteria, tests not confirmed.`, confirm, release]);
    await run({ cwd }, "done", "1", "s:0", "--confirm", "gate", ...BY);
    expect(await reason(cwd)).toEqual([]);
    await run({ cwd }, "call", "tasks_evidence_capture", item(2), "--by", "agent:bob");
    expect(await reason(cwd)).toEqual([
      'Taskfold: you closed TASK-001 s:0 "Write the grammar", of which a run for tests failed.',
      line("run TASK-001 s:0 --for tests -- npm test"),
    ]);
    const others = await run(
      { cwd, stdin: JSON.stringify(sent("codex")) },
      "prime",
      "--stop-hook",
      "--by",
      "agent:bob",
    );
    expect(others).toEqual(NOTHING);
  });

  it("[ONBOARD-18] gives a blocked step back, and completes a task that is claimed as a whole", async () => {
    const cwd = await claimed();
    await run({ cwd }, "block", "1", "s:0", "--reason", "no answer", ...BY);
    expect((await reason(cwd)).slice(1)).toEqual(["Run: npx --no -- taskfold --by agent:ada release TASK-001 s:0"]);
    await run({ cwd }, "unblock", "1", "s:0", ...BY);
    await run({ cwd }, "release", "1", "s:0", ...BY);
    await run({ cwd }, "call", "tasks_claim", '{"task":"TASK-001"}', ...BY);
    expect((await reason(cwd))[1]).toContain(" run TASK-001 s:0 --for tests");
    for (const path of ["s:0", "s:1"]) await run({ cwd }, "done", "1", path, "--confirm", "gate", ...BY);
    expect((await reason(cwd))[1]).toBe("Run: npx --no -- taskfold --by agent:ada complete TASK-001");
    await run({ cwd }, "complete", "1", ...BY);
    expect(await reason(cwd)).toEqual([]);
  });

  it("[ONBOARD-18] names no call that would be refused: what another actor has to do, the claim is given back for", async () => {
    const cwd = await claimed();
    const call = (tool: string, input: object, by = "agent:bob") =>
      run({ cwd }, "call", tool, JSON.stringify({ task: "TASK-001", path: "s:0", ...input }), "--by", by);
    const release = "Run: npx --no -- taskfold --by agent:ada release TASK-001 s:0";
    const why = async (): Promise<string[]> => (await reason(cwd)).map((line) => line.replace(/^.*grammar", /, ""));
    const define = async (input: object): Promise<void> => {
      expect((await call("tasks_define", input, "agent:ada")).code).toBe(0);
    };
    await define({ tests: [], confirm: ["criteria"] });
    const [first, verify] = await why();
    expect([first, verify]).toEqual([
      "which is open: tests not confirmed.",
      expect.stringContaining("call tasks_verify"),
    ]);
    // The call that is named goes through.
    const input = /'(\{.*\})'/.exec(verify!)![1]!;
    expect((await run({ cwd }, "call", "tasks_verify", input, ...BY)).code).toBe(0);
    expect(await why()).toEqual(["of which another actor confirms criteria.", release]);
    await run({ cwd }, "release", "1", "s:0", ...BY);
    expect(await reason(cwd)).toEqual([]);
    await call("tasks_verify", { checkpoints: { criteria: true } });
    await run({ cwd }, "claim", "1", "s:0", ...BY);
    expect((await why())[1]).toBe("Run: npx --no -- taskfold --by agent:ada done TASK-001 s:0");
    await define({ proof: { security: "warn", docs: "require" } });
    expect((await why())[0]).toBe("of which proof of docs is missing.");
    const item = { kind: "run", command: "npm run docs", exit_code: 0, stdout: "x" };
    await call("tasks_evidence_capture", { checkpoint: "docs", items: [item] }, "agent:ada");
    const done = (await why())[1]!;
    expect(done).toContain("done TASK-001 s:0 --confirm docs");
    await define({ tests: ["true"], proof: { tests: "repeated" } });
    expect(await why()).toEqual(["of which another actor repeats tests.", release]);
    await define({ depends_on: ["s:1"] });
    expect(await why()).toEqual(["which waits for s:1.", release]);
  });

  it("[ONBOARD-18] names a step below that can go on, gives a step without its packet back, and asks for the signature that is missing", async () => {
    const cwd = await workspace();
    const call = async (tool: string, input: object): Promise<void> => {
      const told = JSON.stringify({ task: "TASK-001", path: "s:0", ...input });
      expect(await run({ cwd }, "call", tool, told, ...BY)).toMatchObject({ code: 0 });
    };
    await call("tasks_define", { packet: true });
    await call("tasks_claim", {});
    expect((await reason(cwd))[0]).toContain("which names a packet, and the task has none");
    expect((await reason(cwd))[1]).toContain("release TASK-001 s:0");
    await call("tasks_release", {});
    await call("tasks_define", { packet: false, tests: ["true"], proof: { tests: "attested" } });
    await call("tasks_claim", {});
    expect((await reason(cwd))[1]).toContain("run TASK-001 s:0 --for tests -- true");
    expect(real(cwd, ["run", "1", "s:0", "--for", "tests", ...BY, "--", "true"]).code).toBe(0);
    expect((await reason(cwd))[0]).toContain("of which proof of tests is not signed");
    expect((await reason(cwd))[1]).toBe("Run: npx --no -- taskfold --by agent:ada attest TASK-001 s:0");
    const below = ["first", "second"].map((title) => ({ title, success_criteria: ["it works"] }));
    await call("tasks_decompose", { path: undefined, parent: "s:0", steps: below });
    await run({ cwd }, "block", "1", "s:0.s:0", "--reason", "no answer", ...BY);
    expect((await reason(cwd))[1]).toContain("done TASK-001 s:0.s:1");
  });

  it("[ONBOARD-18] a claim of the whole task owes a step that its holder can go on with, and a failed run before the end", async () => {
    const cwd = await workspace();
    const call = (tool: string, input: object) =>
      run({ cwd }, "call", tool, JSON.stringify({ task: "TASK-001", ...input }), ...BY);
    await call("tasks_claim", {});
    await run({ cwd }, "block", "1", "s:0", "--reason", "no answer", ...BY);
    expect((await reason(cwd))[0]).toContain("TASK-001 s:1");
    await run({ cwd }, "unblock", "1", "s:0", ...BY);
    for (const path of ["s:0", "s:1"]) await run({ cwd }, "done", "1", path, "--confirm", "gate", ...BY);
    const items = [{ kind: "run", command: "npm run lint", exit_code: 1, stdout: "x" }];
    await call("tasks_evidence_capture", { checkpoint: "tests", items });
    expect((await reason(cwd))[1]).toBe(
      "Run: npx --no -- taskfold --by agent:ada run TASK-001 --for tests -- npm run lint",
    );
  });

  it("[ONBOARD-18] has the test run again where the proof of a closed step is stale", ROTATING, async () => {
    const cwd = await workspace();
    git(cwd, "init", "-q");
    writeFileSync(join(cwd, "a.ts"), "one");
    git(cwd, "add", "-A");
    git(cwd, "commit", "-q", "-m", "first");
    const define = '{"task":"TASK-001","path":"s:0","tests":["true"],"proof":{"tests":"captured"}}';
    await run({ cwd }, "call", "tasks_define", define, ...BY);
    expect(real(cwd, ["run", "1", "s:0", "--for", "tests", ...BY, "--", "true"]).code).toBe(0);
    // A step that is held does not close on stale proof.
    await run({ cwd }, "claim", "1", "s:0", ...BY);
    writeFileSync(join(cwd, "a.ts"), "other");
    expect((await reason(cwd)).slice(0, 2)).toEqual([
      'Taskfold: you hold a claim on TASK-001 s:0 "Write the grammar", of which proof of tests is stale.',
      "Run: npx --no -- taskfold --by agent:ada run TASK-001 s:0 --for tests -- true",
    ]);
    writeFileSync(join(cwd, "a.ts"), "one");
    expect((await run({ cwd }, "done", "1", "s:0", "--confirm", "gate", ...BY)).code).toBe(0);
    expect(await reason(cwd)).toEqual([]);
    writeFileSync(join(cwd, "a.ts"), "two");
    expect(await reason(cwd)).toEqual([
      'Taskfold: you closed TASK-001 s:0 "Write the grammar", of which proof of tests is stale.',
      "Run: npx --no -- taskfold --by agent:ada run TASK-001 s:0 --for tests -- true",
    ]);
  });

  it("[ONBOARD-18] says nothing and ends with 0, whatever goes wrong", ROTATING, async () => {
    const cwd = await claimed();
    for (const stdin of [
      "",
      "{",
      "[]",
      "null",
      "\u0000",
      '{"hook_event_name":"Stop"}',
      '{"hook_event_name":"PreToolUse"}',
    ])
      for (const form of [[], ["cursor"]])
        expect(await run({ cwd, stdin }, "prime", "--stop-hook", ...form, ...BY), stdin).toEqual(NOTHING);
    for (const more of [{ status: "aborted" }, { status: "error" }, { loop_count: "0" }])
      expect(await stop(cwd, "cursor", more)).toEqual(NOTHING);
    // The count of the session is gone: the hook cannot know how often it blocked.
    expect(await stop(cwd, "codex", { stop_hook_active: true })).toEqual(NOTHING);
    expect(await stop(tempFolder(), "codex")).toEqual(NOTHING);
    expect(await run({ cwd, stdin: "{}" }, "prime", "--stop-hook", "emacs")).toMatchObject({ code: 2 });
    writeFileSync(join(cwd, ".coco/workspace.yaml"), "workspace: [\n");
    expect(await stop(cwd, "codex")).toEqual(NOTHING);
    expect(real(cwd, ["prime", "--stop-hook"]).code).toBe(0);
  });

  it("[ONBOARD-18] keeps no agent that it cannot count", async () => {
    const cwd = await claimed();
    const registry = join(cwd, ".coco/registry");
    const machine = readdirSync(registry).find((name) => name.startsWith("machine-"))!;
    // A file in the place of the folder of counts.
    rmSync(join(registry, machine, "stops"), { recursive: true, force: true });
    writeFileSync(join(registry, machine, "stops"), "");
    expect(await stop(cwd, "claude-code")).toEqual(NOTHING);
  });

  it("[ONBOARD-18] ends with 0 where stdin has no end, and in a folder that was deleted", ROTATING, async () => {
    const cwd = await claimed();
    const gone = tempFolder();
    const program = [process.execPath, join(ROOT, "dist/cli.cjs"), "prime", "--stop-hook"];
    const ran = (line: string, folder: string) =>
      spawnSync("sh", ["-c", line, "sh", ...program], { cwd: folder, encoding: "utf8", timeout: 60_000 });
    for (const [line, folder] of [
      // The shell holds the other end of the pipe open.
      ['mkfifo "$PWD/open"; exec 9<> "$PWD/open"; "$@" < "$PWD/open"', cwd],
      ['rmdir "$PWD"; "$@" < /dev/null', gone],
    ] as const) {
      const { status, stdout, stderr } = ran(line, folder);
      expect([status, stdout, stderr], line).toEqual([0, "", ""]);
    }
  });
});
