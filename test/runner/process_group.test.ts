// @module-tag long
// @module-tag rotating
/** Servants that do not want to end, and what they leave behind. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LINGER_MS } from "../../src/processes/process_group.ts";
import { membersOf, pastReady, StageRoom, until } from "./stage_support.ts";
import { ROTATING } from "../support/sweep.ts";

const WRAPPER = "outputs/codex_impl.codex.wrapper.log";
const OUT = "outputs/codex_impl.codex.out";
/** Writes the number of its group to a file. */
/** The file is there with its line, or not yet. */
const SAY_GROUP = "echo $$ > group; ps -o pgid= -p $$ > pgid.part; mv pgid.part pgid;";

function groupOf(room: StageRoom): number {
  const group = Number(readFileSync(join(room.root, "pgid"), "utf8"));
  expect(group).toBe(Number(readFileSync(join(room.root, "group"), "utf8")));
  return group;
}

describe("the limit of time", () => {
  it("[PACKET-94] ends the whole process group by SIGTERM", async () => {
    const room = new StageRoom();
    const script = `${SAY_GROUP} sleep 300 & (sleep 300 | cat) & echo began; wait`;
    const began = performance.now();
    let limit = 0;
    const run = await pastReady(
      (wallclock_sec) => room.sh(script, { limits: { wallclock_sec: (limit = wallclock_sec) } }),
      () => room.text(OUT) === "began\n",
    );
    expect(run).toMatchObject({ timed_out: true, aborted: false, exit_code: 143, signal: "SIGTERM" });
    // Well below the 300 s of the servant, however slow the machine is.
    expect(performance.now() - began).toBeLessThan(100_000);
    expect(room.text(OUT)).toBe("began\n");
    expect(membersOf(groupOf(room))).toEqual([]);
    expect(room.text(WRAPPER)).toContain(`The limit of ${limit} s has passed. SIGTERM goes to its process group.`);
  });

  it("[PACKET-94] lets a servant that ends by itself on SIGTERM say what it has to say", async () => {
    const room = new StageRoom();
    const script = "trap 'echo saved; exit 9' TERM; echo began; while :; do sleep 0.05; done";
    const run = await pastReady(
      (wallclock_sec) => room.sh(script, { limits: { wallclock_sec } }),
      () => room.text(OUT).startsWith("began\n"),
    );
    expect(run).toMatchObject({ timed_out: true, exit_code: 9, signal: null });
    expect(room.text(OUT)).toBe("began\nsaved\n");
  });

  it("[PACKET-94] ends by SIGKILL after 5 s what ignores SIGTERM, forks and closes its output", ROTATING, async () => {
    const room = new StageRoom();
    const stubborn = "trap '' TERM HUP INT; echo ready >> ready; exec >&- 2>&-; while :; do sleep 0.2; done";
    const script = `rm -f ready; ${SAY_GROUP} sh -c "${stubborn}" & sh -c "${stubborn}" & ${stubborn}`;
    let began = 0;
    const run = await pastReady(
      (wallclock_sec) => {
        began = performance.now();
        return room.sh(script, { limits: { wallclock_sec } });
      },
      () => existsSync(join(room.root, "ready")) && readFileSync(join(room.root, "ready")).length === 3 * 6,
    );
    const ms = performance.now() - began;
    expect(run).toMatchObject({ timed_out: true, exit_code: 137, signal: "SIGKILL" });
    expect(ms).toBeGreaterThan(5000);
    expect(membersOf(groupOf(room))).toEqual([]);
    expect(room.text(WRAPPER)).toContain("It still ran after 5 s. SIGKILL goes to its process group.");
  });

  it.runIf(process.platform === "linux")(
    "[PACKET-94] ends on Linux also those that made a group of their own",
    async () => {
      const room = new StageRoom();
      // Job control gives each command of the background its own group.
      const script = `${SAY_GROUP} set -m; sleep 300 & echo $! > other; sleep 300`;
      await pastReady(
        (wallclock_sec) => room.run(["bash", "-c", script], { limits: { wallclock_sec } }),
        () => existsSync(join(room.root, "other")),
      );
      const other = Number(readFileSync(join(room.root, "other"), "utf8"));
      expect(other).toBeGreaterThan(0);
      expect([groupOf(room), other].flatMap(membersOf)).toEqual([]);
    },
  );

  it("[PACKET-94] may be further away than a timer reaches", async () => {
    const run = await new StageRoom().sh("sleep 0.2; exit 3", { limits: { wallclock_sec: 10_000_000 } });
    expect(run).toMatchObject({ exit_code: 3, timed_out: false });
  });
});

describe("an abort", () => {
  it("[PACKET-94] ends the group as the limit does", async () => {
    const room = new StageRoom();
    const abort = new AbortController();
    const running = room.sh(`${SAY_GROUP} sleep 300 & sleep 300`, {}, abort.signal);
    await until(() => existsSync(join(room.root, "pgid")), "the servant to start");
    abort.abort();
    expect(await running).toMatchObject({ aborted: true, timed_out: false, exit_code: 143 });
    expect(membersOf(groupOf(room))).toEqual([]);
  });

  it("[PACKET-94] before the start runs nothing", async () => {
    const room = new StageRoom();
    await expect(room.sh("touch ran", {}, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(() => readFileSync(join(room.root, "ran"))).toThrow("ENOENT");
  });
});

describe("what a servant leaves running", () => {
  it("[PACKET-94] is ended after a second, and what it wrote until then is kept", async () => {
    const room = new StageRoom();
    const began = performance.now();
    const run = await room.sh(`${SAY_GROUP} (sleep 0.3; echo late; sleep 300; echo never) & echo done; exit 4`);
    const ms = performance.now() - began;
    expect(run).toMatchObject({ exit_code: 4, signal: null, timed_out: false });
    expect(ms).toBeGreaterThan(LINGER_MS);
    // The second of waiting is no part of what the servant took; whole seconds are rounded.
    expect(run.duration_sec * 1000).toBeLessThan(ms - LINGER_MS + 1000);
    expect(ms).toBeLessThan(100_000);
    expect(room.text(OUT)).toBe("done\nlate\n");
    expect(room.text(WRAPPER)).toContain("It ended and left processes.");
    expect(membersOf(groupOf(room))).toEqual([]);
  });

  it("[PACKET-94] is ended also where it has no output open", async () => {
    const room = new StageRoom();
    await room.sh(`${SAY_GROUP} sleep 300 >/dev/null 2>&1 </dev/null & exit 0`);
    expect(membersOf(groupOf(room))).toEqual([]);
  });

  it("[PACKET-94] does not keep the run waiting if it left the group and holds the output", ROTATING, async () => {
    const room = new StageRoom();
    const began = performance.now();
    const run = await room.sh(
      "echo out; setsid sh -c 'echo $$ > far; exec sleep 300' & until [ -s far ]; do sleep 0.1; done; exit 0",
    );
    expect(run.exit_code).toBe(0);
    expect(performance.now() - began).toBeLessThan(100_000);
    expect(room.text(OUT)).toBe("out\n");
    process.kill(Number(readFileSync(join(room.root, "far"), "utf8")), "SIGKILL");
  });

  it("[PACKET-94] nothing: a servant that ends alone is not waited for", async () => {
    const room = new StageRoom();
    await room.sh(`${SAY_GROUP} sleep 0.1 & wait`);
    expect(room.text(WRAPPER)).not.toContain("SIGTERM");
    await until(() => membersOf(groupOf(room)).length === 0, "an empty group");
  });
});
