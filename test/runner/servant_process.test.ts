// @module-tag rotating
/** Stages as real processes: what a servant is given, and what is left of its output. */
import { chmodSync, constants, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ServantProcess } from "../../src/runner/servant_process.ts";
import { STAGE_FILES } from "../../src/state/packet.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { outputPipes } from "../../src/processes/output_pipe.ts";
import { tempFolder } from "../support/temp.ts";
import { SERVANTS, sha256, StageRoom } from "./stage_support.ts";

const OUT = "outputs/codex_impl.codex.out";
const ERR = "outputs/codex_impl.codex.err";
const WRAPPER = "outputs/codex_impl.codex.wrapper.log";
const print = (...args: string[]): string[] => ["sh", "-c", 'for a; do printf "%s\\n" "$a"; done', "sh", ...args];

describe("the arguments of a servant", () => {
  it("[PACKET-90] [PACKET-29] have the five placeholders filled in once, with paths from the working folder on, and nothing else is expanded", async () => {
    const room = new StageRoom();
    const odd = "{stage} $HOME `touch x` $(touch x) ; * \\";
    const args = [
      "--model={model}",
      "{role}/{stage}",
      "{task_dir}",
      "{prompt_file}",
      "{other}",
      "$PATH;*",
      "~",
      "a\nb",
      "",
    ];
    const run = await room.run(print(...args), { model: odd });
    expect(run.exit_code).toBe(0);
    const task = ".coco/tasks/TASK-001";
    const prompt = `${task}/inputs/prompt/codex.impl.md`;
    const given = [`--model=${odd}`, "impl/codex_impl", task, prompt, "{other}", "$PATH;*", "~", "a\nb", ""];
    expect(room.text(OUT)).toBe(given.map((arg) => `${arg}\n`).join(""));
    expect(readdirSync(room.root)).toEqual([".coco"]);
    expect(room.text(WRAPPER)).not.toContain(room.root);
    await room.run(print("{task_dir}", "{prompt_file}"), { cwd: room.task });
    expect(room.text(OUT)).toBe(".\ninputs/prompt/codex.impl.md\n");
  });

  it("[PACKET-90] name a program of an absolute folder of PATH: an empty or relative entry finds none of the repository", async () => {
    const room = new StageRoom();
    mkdirSync(join(room.root, "bin"));
    for (const name of ["codex", "bin/codex"]) {
      writeFileSync(join(room.root, name), "#!/bin/sh\necho planted\n");
      chmodSync(join(room.root, name), 0o755);
    }
    const cwd = process.cwd();
    onTestFinished(() => process.chdir(cwd));
    process.chdir(room.root);
    for (const PATH of ["", ":", ".:bin", "bin:/nowhere"]) {
      const run = await room.run(["codex"], { environment: { PATH } });
      expect([PATH, run.exit_code, room.text(OUT)]).toEqual([PATH, 127, ""]);
    }
    const environment = { PATH: `bin:${join(room.root, "bin")}` };
    await room.run(["codex"], { environment });
    expect(room.text(OUT)).toBe("planted\n");
    await room.run(["./bin/codex"], { environment });
    expect(room.text(OUT)).toBe("planted\n");
  });

  it("[PACKET-90] are all that it gets besides the environment it is given", async () => {
    const room = new StageRoom();
    await room.run(["env"], { environment: { PATH: "/usr/bin:/bin", GIVEN: "a b" } });
    const names = room
      .text(OUT)
      .split("\n")
      .map((line) => line.split("=")[0]);
    // The shell that starts it may add where it is.
    const own = names.filter((name) => name !== "" && !["PWD", "OLDPWD", "SHLVL", "_"].includes(name!));
    expect(new Set(own)).toEqual(new Set(["GIVEN", "PATH"]));
  });
});

describe("the prompt of a servant", () => {
  const text = "Zeile 1\r\n\u{1f600} last line without an end";

  it("[PACKET-91] comes by stdin as a file that can be opened again, by path, or as the last argument", async () => {
    const room = new StageRoom();
    const path = "inputs/prompt/gemini.brief.md";
    await room.run(["cat", "/dev/stdin"], { prompt: { text, mode: "stdin", path } });
    expect(room.text(OUT)).toBe(text);
    await room.run(["cat", "{prompt_file}"], { prompt: { text, mode: "file", path } });
    expect(room.text(OUT)).toBe(text);
    await room.run(["printf", "%s"], { prompt: { text, mode: "argument", path } });
    expect(room.text(OUT)).toBe(text);
    expect(room.text(path)).toBe(text);
    for (const mode of ["file", "argument"] as const) {
      await room.run(["sh", "-c", "cat"], { prompt: { text, mode, path } });
      expect(room.text(OUT), mode).toBe("");
    }
  });

  it("[PACKET-91] is what the caller gave, whatever stood in its file", async () => {
    const room = new StageRoom();
    mkdirSync(join(room.task, "inputs/prompt"), { recursive: true });
    writeFileSync(join(room.task, "inputs/prompt/codex.impl.md"), "somebody else's prompt");
    await room.run(["cat"]);
    expect(room.text(OUT)).toBe("Make it.\n");
  });

  it("[PACKET-91] need not be read by the servant", async () => {
    const run = await new StageRoom().run(["true"], {
      prompt: { text: "x".repeat(5_000_000), mode: "stdin", path: "inputs/prompt/a.md" },
    });
    expect(run.exit_code).toBe(0);
  });

  it("[PACKET-91] is an argument of at most 51,200 bytes; more is refused before anything runs or is written", async () => {
    const room = new StageRoom();
    const prompt = { text: "é".repeat(25_600), mode: "argument", path: "inputs/prompt/copilot.runbook.md" } as const;
    await room.run(["printf", "%s"], { prompt });
    expect(room.bytes(OUT).length).toBe(51_200);
    const other = new StageRoom();
    const refused = other.run(["touch", "ran"], { prompt: { ...prompt, text: `${prompt.text}x` } });
    await expect(refused).rejects.toMatchObject({ code: "CONTENT_TOO_LARGE", message: /51200 bytes.*found 51201/ });
    expect(readdirSync(other.root)).toEqual([".coco"]);
    expect(readdirSync(other.task)).toEqual([]);
  });
});

describe("what a stage leaves", () => {
  it("[PACKET-92] is four files, each told with path, size, digest and lines", async () => {
    const room = new StageRoom();
    const run = await room.sh("echo one; echo two; printf three; echo err >&2");
    expect(room.text(OUT)).toBe("one\ntwo\nthree");
    for (const name of STAGE_FILES) {
      const bytes = room.bytes(run.files[name].path);
      expect(run.files[name]).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
    }
    expect([run.files.out.lines, run.files.err.lines]).toEqual([3, 1]);
    expect(room.text("outputs/codex_impl.codex.compose.log")).toBe("1 part\n");
    expect(readdirSync(join(room.task, "outputs")).length).toBe(4);
  });

  it("[PACKET-92] has the partial name while the stage runs, and replaces what an earlier run left", async () => {
    const room = new StageRoom();
    mkdirSync(join(room.task, "outputs"));
    for (const path of [OUT, `${OUT}.partial`]) writeFileSync(join(room.task, path), "of an earlier run, and longer");
    const run = await room.sh(`echo new; sleep 0.3; cat ${join(room.task, OUT)}; ls ${join(room.task, "outputs")}`);
    expect(room.text(OUT)).toContain("new\nof an earlier run, and longer");
    expect(room.text(OUT)).toContain("codex_impl.codex.err.partial");
    expect(run.files.out.sha256).toBe(sha256(room.bytes(OUT)));
    expect(readdirSync(join(room.task, "outputs")).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("[PACKET-98] keeps bytes that are no UTF-8 and control characters as they are", async () => {
    const room = new StageRoom();
    const script = "printf '\\377\\376\\000\\033[2J\\r\\n\\200'; printf '\\377\\033]0;title\\007\\n' >&2";
    const run = await room.sh(script);
    expect(room.bytes(OUT)).toEqual(Buffer.from("fffe001b5b324a0d0a80", "hex"));
    expect(run.files.out).toMatchObject({ lines: 2, sha256: sha256(room.bytes(OUT)) });
    expect(run.stderr.head).toEqual(["\ufffd\u001b]0;title\u0007"]);
  });

  it("[PACKET-98] keeps so many bytes of each stream, reads and drops the rest, and says so in the wrapper log", async () => {
    const room = new StageRoom();
    const limits = { wallclock_sec: 60, output_bytes: 1000 };
    const run = await room.sh("yes | head -c 3000000; yes n | head -c 1001 >&2; exit 5", { limits });
    expect(run).toMatchObject({ exit_code: 5, truncated: true, files: { out: { size: 1000 }, err: { size: 1000 } } });
    expect(room.text(WRAPPER)).toContain(".out has the first 1000 of 3000000 bytes; the rest was dropped.");
    expect(room.text(WRAPPER)).toContain(".err has the first 1000 of 1001 bytes");
    const exact = await room.sh("yes | head -c 1000", { limits });
    expect(exact).toMatchObject({ truncated: false, files: { out: { size: 1000, lines: 500 } } });
  });

  it("[PACKET-98] tells the first 20 lines of stderr, and of the others the last 20", async () => {
    const lines = async (script: string): Promise<string> => {
      const { head, tail } = (await new StageRoom().sh(`{ ${script}; } >&2`)).stderr;
      return `${head.join(" ")} | ${tail.join(" ")}`;
    };
    expect(await lines("true")).toBe(" | ");
    expect(await lines("seq 3")).toBe("1 2 3 | ");
    expect(await lines("seq 22")).toBe(`${Array.from({ length: 20 }, (_, n) => n + 1).join(" ")} | 21 22`);
    const last = Array.from({ length: 20 }, (_, n) => 2_000_000 - 19 + n).join(" ");
    expect(await lines("seq 2000000")).toMatch(new RegExp(`^1 2 .* 20 \\| ${last}$`));
    const long = (await new StageRoom().sh("yes | tr -d '\\n' | head -c 900000 >&2")).stderr;
    expect(long.head.join("").length + long.tail.join("").length).toBeLessThan(50_000);
  });

  it("[PACKET-100] has a wrapper log with arguments, limits and names of the environment, and neither values nor prompt", async () => {
    const room = new StageRoom();
    const prompt = { text: "the-secret-prompt", mode: "argument", path: "inputs/prompt/copilot.runbook.md" } as const;
    const environment = { PATH: process.env["PATH"]!, API_KEY: "the-secret-value" };
    await room.run(["true", "--model", "{model}"], { prompt, environment });
    const log = room.text(WRAPPER);
    expect(log).toContain('["true","--model","gpt-5.3-codex","<text of inputs/prompt/copilot.runbook.md>"]');
    expect(log).toContain("Environment: API_KEY PATH.");
    expect(log).toContain("Limits: 60 s, 67108864 bytes");
    expect(log).toContain("ended with exit code 0");
    expect(log).not.toContain("the-secret");
  });
});

describe("the output of a servant", () => {
  it("[PACKET-92] comes through pipes of the system: /dev/stdout and /dev/stderr can be opened again", async () => {
    const room = new StageRoom();
    const run = await room.sh("echo a; echo b >/dev/stdout; echo c | tee /dev/stderr; echo d");
    expect([run.exit_code, room.text(OUT), room.text(ERR)]).toEqual([0, "a\nb\nc\nd\n", "c\n"]);
    // A descriptor that does not block is what programs do not expect.
    const flags = await room.sh("cat /proc/self/fdinfo/1; true");
    expect(flags.exit_code).toBe(0);
    expect(Number.parseInt(/flags:\s+(\d+)/.exec(room.text(OUT))?.[1] ?? "0", 8) & constants.O_NONBLOCK).toBe(0);
  });

  it("[PACKET-92] leaves nothing in the temporary folder", async () => {
    const room = new StageRoom();
    vi.stubEnv("TMPDIR", tempFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    await room.sh("echo a");
    await room.run(["no-such-servant"]);
    expect(readdirSync(tmpdir())).toEqual([]);
    vi.stubEnv("TMPDIR", join(room.root, "gone"));
    // Some are made ahead.
    const takeAll = async (): Promise<void> => {
      for (;;) for (const pipe of await outputPipes()) pipe.destroy();
    };
    await expect(takeAll()).rejects.toMatchObject({ code: "STORAGE_FAILED" });
    await expect(room.sh("touch ran")).rejects.toMatchObject({ code: "STORAGE_FAILED" });
    expect(readdirSync(room.root)).toEqual([".coco"]);
  });
});

describe("the end of a servant", () => {
  it("[PACKET-90] is its exit code, or 128 and the number of the signal that ended it", async () => {
    const room = new StageRoom();
    expect(await room.sh("exit 42")).toMatchObject({ exit_code: 42, signal: null, timed_out: false });
    expect(await room.sh("kill -s KILL $$")).toMatchObject({ exit_code: 137, signal: "SIGKILL", timed_out: false });
    expect(await room.sh("kill -s TERM $$")).toMatchObject({ exit_code: 143, signal: "SIGTERM", aborted: false });
    expect(await room.sh("exit 137")).toMatchObject({ exit_code: 137, signal: null });
  });

  it("[PACKET-90] is 127 for a command that is not there and 126 for one that cannot be executed, with a sentence in .err", async () => {
    const room = new StageRoom();
    const file = (name: string, text: string, mode: number): string => {
      writeFileSync(join(room.root, name), text);
      chmodSync(join(room.root, name), mode);
      return `./${name}`;
    };
    const cases: [string, number, RegExp][] = [
      ["no-such-servant", 127, /"no-such-servant" in an absolute folder of PATH, but it is not there/],
      ["./no/such", 127, /Expected the command ".\/no\/such", but it is not there/],
      [file("plain", "echo", 0o644), 126, /Expected ".\/plain" to be executable/],
      ["./.coco", 127, /not there/],
      [file("lost", "#!/no/such/interpreter\n", 0o755), 127, /./],
    ];
    for (const [command, code, sentence] of cases) {
      const run = await room.run([command]);
      expect([command, run.exit_code]).toEqual([command, code]);
      expect(room.text(ERR)).toMatch(sentence);
      expect(run.stderr.head.length).toBeGreaterThan(0);
      expect(run.files.err.sha256).toBe(sha256(room.bytes(ERR)));
    }
  });

  it("[PACKET-90] is 126 where the system does not take the arguments", async () => {
    const room = new StageRoom();
    const run = await room.run(["true", "x".repeat(3_000_000)]);
    expect(run.exit_code).toBe(126);
    expect(room.text(ERR)).not.toBe("");
  });

  it("[PACKET-83] has times of a clock that may be set meanwhile: the end is the start and the duration", async () => {
    const room = new StageRoom();
    let now = Date.parse("2026-02-18T12:00:00.900Z");
    const servants = new ServantProcess({
      disk: room.disk,
      runtime: nodeRuntime,
      now: () => (now -= 3_600_000) + 3_600_000,
    });
    const run = await servants.run(room.request(["sleep", "1.1"]));
    expect(run).toMatchObject({ start: "2026-02-18T12:00:00Z", end: "2026-02-18T12:00:01Z", duration_sec: 1 });
  });
});

describe("a stage that is refused", () => {
  it("[regression PACKET-101] has not run and has changed nothing", async () => {
    const room = new StageRoom();
    const file = (path: string): object => ({ files: { ...room.request([]).files, out: path } });
    const cases: [string, string[], object][] = [
      ["INVALID_INPUT", [], {}],
      ["INVALID_INPUT", ["touch", "a\0b"], {}],
      ["INVALID_INPUT", ["touch", "ran"], { limits: { wallclock_sec: 0 } }],
      ["INVALID_INPUT", ["touch", "ran"], { limits: { wallclock_sec: Number.NaN } }],
      ["INVALID_INPUT", ["touch", "ran"], { limits: { wallclock_sec: 1, output_bytes: -1 } }],
      ["INVALID_INPUT", ["touch", "ran"], { cwd: join(room.root, "gone") }],
      ["INVALID_INPUT", ["touch", "ran"], { environment: { PATH: "/bin", "A=B": "" } }],
      ["PATH_UNSAFE", ["touch", "ran"], file("../TASK-002/outputs/x")],
      ["PATH_UNSAFE", ["touch", "ran"], file("/etc/x")],
      ["PATH_UNSAFE", ["touch", "ran"], file("outputs//x")],
    ];
    for (const [code, command, more] of cases)
      await expect(room.run(command, more as never), JSON.stringify(more)).rejects.toMatchObject({ code });
    expect(readdirSync(room.root)).toEqual([".coco"]);
    expect(readdirSync(room.task)).toEqual([]);
  });

  it("[regression PACKET-101] follows no link below the root", async () => {
    for (const name of ["outputs", "inputs"]) {
      const room = new StageRoom();
      const outside = tempFolder();
      symlinkSync(outside, join(room.task, name));
      await expect(room.run(["touch", "ran"])).rejects.toMatchObject({ code: "PATH_UNSAFE" });
      expect(readdirSync(outside)).toEqual([]);
      expect(existsSync(join(room.root, "ran"))).toBe(false);
    }
  });

  it("[regression PACKET-102] ends the servant where its output cannot be kept, and gives no file its name", async () => {
    const room = new StageRoom();
    const disk = new FaultyDisk(room.disk);
    const servants = new ServantProcess({ disk, runtime: nodeRuntime });
    disk.fail({ kind: "write", path: /\.out\.partial$/ }, "ENOSPC", { after: 5 });
    const run = servants.run(room.request(["sh", "-c", "while :; do echo x; sleep 0.01; done"]));
    await expect(run).rejects.toMatchObject({ code: "STORAGE_FULL" });
    expect(readdirSync(join(room.task, "outputs")).filter((name) => !name.endsWith(".partial"))).toEqual([]);
  });
});

describe("the servants of the tests", () => {
  const runs: [string, string[], "stdin" | "file" | "argument"][] = [
    ["codex_impl", [join(SERVANTS, "codex.mjs"), "exec", "--model", "{model}", "--role", "{role}", "-"], "stdin"],
    [
      "gemini_brief",
      [join(SERVANTS, "gemini.mjs"), "-m", "{model}", "--role", "{role}", "--prompt-file", "{prompt_file}"],
      "file",
    ],
    ["copilot_runbook", [join(SERVANTS, "copilot.mjs"), "--model", "{model}", "--role", "{role}", "-p"], "argument"],
  ];

  it.each(runs)("[PACKET-91] %s answers in the form of its role, and fails on demand", async (stage, command, mode) => {
    const room = new StageRoom();
    const prompt = { text: "Do it.\n", mode, path: "inputs/prompt/p.md" };
    const run = await room.run(command, { stage, prompt });
    expect(run.exit_code).toBe(0);
    expect(room.text(run.files.out.path)).toMatch(/^(?:--- \/dev\/null|## Summary|## Problem)\n/);
    expect(run.stderr.head[0]).toContain("7 characters of prompt");
    const failing = await room.run(command, {
      stage,
      prompt: { ...prompt, text: "Do it.\nservant-fail: 13 no network\n" },
    });
    expect(failing).toMatchObject({ exit_code: 13, stderr: { head: ["no network"] }, files: { out: { size: 0 } } });
    const environment = { PATH: process.env["PATH"]!, SERVANT_FAIL: "10" };
    expect(await room.run(command, { stage, prompt, environment })).toMatchObject({ exit_code: 10 });
  });
});
