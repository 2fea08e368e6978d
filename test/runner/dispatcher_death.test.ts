// @module-tag long
// @module-tag rotating
/** A dispatcher that is killed leaves no child: each one is a process of its own, on the built package. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../support/source.ts";
import { membersOf, sha256, StageRoom, until } from "./stage_support.ts";

/** As long as a slow machine may take. */
const GONE = { timeout: 100_000, interval: 50 };
const SAY_GROUP = "ps -o pgid= -p $$ > pgid.part; mv pgid.part pgid;";

beforeAll(() => {
  if (!existsSync(join(ROOT, "dist/runner/servant_process.js")))
    throw new Error("expected a build in dist; run `npm run build`");
});

function dispatch(room: StageRoom, script: string): ChildProcess {
  const dispatcher = spawn(process.execPath, [join(ROOT, "test/runner/dispatcher.mjs"), room.root, script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void dispatcher.kill("SIGKILL"));
  return dispatcher;
}

async function groupIn(room: StageRoom): Promise<number> {
  await until(() => existsSync(join(room.root, "pgid")), "the servant to start");
  return Number(readFileSync(join(room.root, "pgid"), "utf8"));
}

async function endOf(dispatcher: ChildProcess): Promise<string> {
  let said = "";
  dispatcher.stdout!.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await once(dispatcher, "close");
  return said;
}

describe("a dispatcher that is killed by SIGKILL", () => {
  it.each([
    ["sleeps", "sleep 300"],
    ["writes", "yes"],
    ["forks", "for n in 1 2 3; do (while :; do sleep 0.2; done) & done; wait"],
    ["ignores SIGTERM", "trap '' TERM HUP PIPE; while :; do sleep 0.2; done"],
  ])("[PACKET-94] leaves no process of a servant that %s", async (_what, servant) => {
    const room = new StageRoom();
    const dispatcher = dispatch(room, `${SAY_GROUP} ${servant}`);
    const group = await groupIn(room);
    await sleep(100);
    expect(membersOf(group).length).toBeGreaterThan(0);
    dispatcher.kill("SIGKILL");
    await once(dispatcher, "exit");
    await until(() => membersOf(group).length === 0, "no process of the group");
    const outputs = readdirSync(join(room.task, "outputs"));
    expect(outputs.filter((name) => !name.endsWith(".partial"))).toEqual([]);
  });

  it.runIf(process.platform === "linux")("[PACKET-94] leaves none that made a group of its own", async () => {
    const room = new StageRoom();
    const dispatcher = dispatch(room, `exec bash -c 'set -m; sleep 300 & echo $! > other; ${SAY_GROUP} sleep 300'`);
    const group = await groupIn(room);
    const other = Number(readFileSync(join(room.root, "other"), "utf8"));
    dispatcher.kill("SIGKILL");
    await expect.poll(() => [group, other].flatMap(membersOf), GONE).toEqual([]);
  });

  it("[PACKET-94] at any moment of the start starts nothing that outlives it", async () => {
    const room = new StageRoom();
    for (let n = 0; n < 12; n++) {
      const dispatcher = dispatch(room, `ps -o pgid= -p $$ > group-${n}; exec sleep 300`);
      await sleep(40 + n * 12);
      dispatcher.kill("SIGKILL");
      await once(dispatcher, "exit");
    }
    await sleep(500);
    const groups = readdirSync(room.root).filter((name) => name.startsWith("group-"));
    const idOf = (name: string): number => Number(readFileSync(join(room.root, name), "utf8"));
    const left = (): number[] =>
      groups
        .map(idOf)
        .filter((id) => id > 0)
        .flatMap(membersOf);
    await expect.poll(left, GONE).toEqual([]);
  });

  it("[PACKET-94] lets the next one run the same stage", async () => {
    const room = new StageRoom();
    const killed = dispatch(room, `${SAY_GROUP} echo old; exec sleep 300`);
    const group = await groupIn(room);
    killed.kill("SIGKILL");
    await until(() => membersOf(group).length === 0, "no process of the group");
    const { run } = JSON.parse(await endOf(dispatch(room, "echo new"))) as { run: { exit_code: number } };
    expect(run.exit_code).toBe(0);
    expect(room.text("outputs/codex_impl.codex.out")).toBe("new\n");
  });
});

describe("a dispatcher that ends by itself", () => {
  it("[PACKET-94] leaves no guard behind", async () => {
    const room = new StageRoom();
    const dispatcher = dispatch(room, "ps -A -o ppid=,pid=,args= | grep taskfold-guard | grep -v grep");
    await endOf(dispatcher);
    const guards = room
      .text("outputs/codex_impl.codex.out")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([ppid]) => Number(ppid) === dispatcher.pid);
    expect(guards.length).toBe(1);
    await until(() => !existsSync(`/proc/${guards[0]![1]}`) || isGone(Number(guards[0]![1])), "the guard to end");
  });

  it("[PACKET-98] has taken 50 MB of output to disk with at most 32 MB of memory", async () => {
    const told = async (script: string) =>
      JSON.parse(await endOf(dispatch(new StageRoom(), script))) as {
        rss_kib: number;
        run: { truncated: boolean; files: { out: { size: number; sha256: string; lines: number } } };
      };
    const little = await told("echo x");
    const much = await told("yes 0123456 | head -c 50000000");
    expect(much.run).toMatchObject({ truncated: false, files: { out: { size: 50_000_000, lines: 6_250_000 } } });
    expect(much.run.files.out.sha256).toBe(sha256("0123456\n".repeat(6_250_000)));
    expect((much.rss_kib - little.rss_kib) / 1024).toBeLessThan(32);
  });
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return true;
  }
}
