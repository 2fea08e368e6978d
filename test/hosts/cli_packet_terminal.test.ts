// @module-tag long
// @module-tag rotating
/** A run that a person watches and stops: the built program, on a pseudo terminal, with signals of the system. */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TestContext } from "vitest";
import type { Packet } from "../../src/state/packet.ts";
import { REVIEW } from "../packet/packet_support.ts";
import { membersOf, until } from "../runner/stage_support.ts";
import { PROGRAM } from "./cli_support.ts";
import { Desk } from "./packet_desk.ts";

const FAST = { timeout: 180_000 };
const RUN = [process.execPath, PROGRAM, "packet", "run", "read-once", "--config", "../configs"];
const STAGE = "gemini_review";

/** A packet of one stage; its servant says its process group, then does this in the root of the workspace. */
async function desk(servant: string): Promise<Desk> {
  const one = new Desk({ routing: { intent: "review_only" } });
  one.servant("gemini", [], "stdin", { command: ["sh", "-c", servant] });
  writeFileSync(join(one.folder, "answer"), REVIEW);
  expect((await one.create()).code).toBe(0);
  return one;
}

const SLEEPS = "[ -f ../pgid ] && exec cat ../answer; ps -o pgid= -p $$ > ../part; mv ../part ../pgid; exec sleep 300";

async function groupOf(one: Desk): Promise<number> {
  const path = join(one.folder, "pgid");
  await until(() => existsSync(path), "the servant to start");
  return Number(readFileSync(path, "utf8"));
}

class Ran {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  said = "";

  constructor([command, ...args]: readonly string[], cwd: string) {
    this.process = spawn(command!, args, { cwd });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream.on("data", (chunk: Buffer) => (this.said += chunk.toString()));
    this.#ended = once(this.process, "close");
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  async code(): Promise<number | null> {
    await this.#ended;
    return this.process.exitCode;
  }
}

/** A pseudo terminal, as `script` of util-linux makes one; its exit code is that of the program. */
function onTerminal(context: TestContext, cwd: string): Ran {
  const version = spawnSync("script", ["--version"], { encoding: "utf8" });
  const has = version.error === undefined && version.stdout.includes("util-linux");
  if (!has) context.skip("it needs the program `script` of util-linux, which is not installed here");
  const quoted = RUN.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return new Ran(["script", "-qec", `stty cols 24; exec ${quoted}`, "/dev/null"], cwd);
}

/** What is on record, and that nothing is left: then the next run goes on to the end. */
async function stoppedAndResumed(one: Desk, group: number): Promise<void> {
  expect(membersOf(group)).toEqual([]);
  const types = one
    .read("events.jsonl")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types.filter((type) => type.startsWith("stage."))).toEqual(["stage.started", "stage.interrupted"]);
  expect(JSON.parse(one.read("state/stats.json"))).toMatchObject({ paid_calls_used: 1, stages_completed: [] });
  expect((await one.json("next", "read-once")).doc.result).toMatchObject({ stage: STAGE, because: "interrupted" });
  const again = new Ran(RUN, one.cwd);
  expect(await again.code(), again.said).toBe(0);
  const shown = (await one.json("next", "read-once")).doc.result as { because: string };
  expect(shown).toMatchObject({ stage: null, because: "done" });
  expect(JSON.parse(one.read("state/stats.json")) as Packet).toMatchObject({ paid_calls_used: 2 });
}

describe("a run on a terminal", () => {
  it("[PACKET-112] [PACKET-152] writes over one line that is as wide as the terminal", FAST, async (context) => {
    const one = await desk("sleep 2.6; cat ../answer");
    const ran = onTerminal(context, one.cwd);
    expect(await ran.code(), ran.said).toBe(0);
    const [erase, text] = ["\r\u001b[2K", ran.said.replaceAll("\r\n", "\n")];
    expect(text).toContain(`${STAGE} started\n${erase}gemini_review running (${erase}gemini_review running (${erase}`);
    expect(text).toMatch(/gemini_review completed \([23]s\)\nread-once: done\./);
  });

  it("[PACKET-152] Ctrl-C ends the stage and its processes, and the next run goes on", FAST, async (context) => {
    const one = await desk(SLEEPS);
    const ran = onTerminal(context, one.cwd);
    const group = await groupOf(one);
    ran.process.stdin.write("\u0003");
    expect(await ran.code(), ran.said).toBe(1);
    expect(ran.said.replace(/\s+/g, " ")).toContain("read-once: aborted at gemini_review");
    await stoppedAndResumed(one, group);
  });
});

describe("a run without a terminal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "[PACKET-152] %s ends the stage and its processes, and the next run goes on",
    FAST,
    async (signal) => {
      const one = await desk(SLEEPS);
      const ran = new Ran(RUN, one.cwd);
      const group = await groupOf(one);
      ran.process.kill(signal);
      expect(await ran.code(), ran.said).toBe(1);
      expect(ran.said.replace(/\s+/g, " ")).toContain("read-once: aborted at gemini_review");
      await stoppedAndResumed(one, group);
    },
  );

  it("[PACKET-152] asked twice it ends at once, and the next run records what was left", FAST, async () => {
    const one = await desk(`trap '' TERM HUP; ${SLEEPS.replace("exec sleep 300", "while :; do sleep 0.1; done")}`);
    const ran = new Ran(RUN, one.cwd);
    const group = await groupOf(one);
    ran.process.kill("SIGINT");
    await new Promise((done) => setTimeout(done, 300));
    ran.process.kill("SIGINT");
    await ran.code();
    expect(ran.process.signalCode).toBe("SIGINT");
    await until(() => membersOf(group).length === 0, "no process of the group");
    await new Ran(RUN, one.cwd).code();
    expect((await one.json("next", "read-once")).doc.result).toMatchObject({ because: "done" });
  });
});
