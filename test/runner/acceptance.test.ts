/** Acceptance commands, as real shells. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { KEPT_BYTES, runAcceptance } from "../../src/runner/acceptance.ts";
import type { AcceptanceRequest, AcceptanceRun } from "../../src/runner/acceptance.ts";
import { tempFolder } from "../support/temp.ts";
import { membersOf, pastReady, until } from "./stage_support.ts";
import { ROTATING } from "../support/sweep.ts";

class Accepting {
  readonly cwd = tempFolder();

  run(commands: string[], more: Partial<AcceptanceRequest> = {}, signal?: AbortSignal): Promise<AcceptanceRun[]> {
    const environment = { PATH: process.env["PATH"] ?? "" };
    const { groups } = nodeRuntime;
    return runAcceptance(
      { allowed: true, commands, cwd: this.cwd, environment, wallclock_sec: 60, groups, ...more },
      signal,
    );
  }

  has(name: string): boolean {
    return existsSync(join(this.cwd, name));
  }
}

describe("acceptance commands", () => {
  it("[PACKET-103] do not run unless the caller allowed it", async () => {
    const room = new Accepting();
    expect(await room.run(["touch ran"], { allowed: false })).toEqual([]);
    expect(room.has("ran")).toBe(false);
  });

  it(
    "[PACKET-103] run as shell commands in the root, one after another, each whatever came of the one before",
    ROTATING,
    async () => {
      const room = new Accepting();
      const results = await room.run([
        "pwd; echo e >&2; sleep 0.2; touch first",
        "ls first && exit 3",
        "a=1; b=2\necho $((a + b))",
        "nope",
      ]);
      expect(results.map(({ exit_code }) => exit_code)).toEqual([0, 3, 0, 127]);
      expect(results[0]).toMatchObject({ timed_out: false, excerpt: `${room.cwd}\ne\n` });
      expect(results[0]!.stdout.toString()).toBe(`${room.cwd}\n`);
      expect(results[0]!.stderr.toString()).toBe("e\n");
      expect(results[1]!.excerpt).toBe("first\n");
      expect(results[2]!.excerpt).toBe("3\n");
      expect(results[3]!.excerpt).toContain("not found");
    },
  );

  it("[PACKET-103] end at the limit, with all that they started, and the next one runs", ROTATING, async () => {
    const room = new Accepting();
    const hanging = "ps -o pgid= -p $$ > pgid; sleep 300 & touch began; sleep 300";
    const [first, second] = await pastReady(
      (wallclock_sec) => room.run([hanging, "echo next"], { wallclock_sec }),
      () => room.has("began"),
    );
    expect(first).toMatchObject({ timed_out: true, exit_code: 143 });
    expect(membersOf(Number(readFileSync(join(room.cwd, "pgid"), "utf8")))).toEqual([]);
    expect(second).toMatchObject({ timed_out: false, exit_code: 0, excerpt: "next\n" });
  });

  it("[PACKET-103] end at an abort, and the rest does not run", async () => {
    const room = new Accepting();
    const abort = new AbortController();
    const first = "touch began; sleep 300";
    const running = room.run([first, "touch ran"], {}, abort.signal);
    await until(() => room.has("began"), "the first command to start");
    abort.abort();
    expect((await running).map(({ command }) => command)).toEqual([first]);
    expect(room.has("ran")).toBe(false);
  });

  it("[PACKET-103] that the system does not start have failed", async () => {
    const room = new Accepting();
    const [nul, long] = await room.run(["echo a\0b", `true ${"x".repeat(3_000_000)}`]);
    expect([nul!.exit_code, long!.exit_code]).toEqual([126, 126]);
    expect(nul!.excerpt).toContain("did not start");
  });

  it(
    "[PACKET-98] keep 1 MiB of each stream, beginning and end, and an excerpt of 4,000 characters",
    ROTATING,
    async () => {
      const room = new Accepting();
      const [result] = await room.run(["echo begin; yes | head -c 9000000; echo end; yes e | head -c 100 >&2"]);
      const text = result!.stdout.toString();
      expect(text.length).toBeLessThan(KEPT_BYTES + 100);
      expect(text.length).toBeGreaterThan(KEPT_BYTES);
      expect(text).toMatch(/^begin\ny\n[^]*y\n\n\[\.\.\. \d+ bytes left out \.\.\.\]\n[^]*y\nend\n$/);
      expect(result!.stderr.length).toBe(100);
      expect(Array.from(result!.excerpt).length).toBe(4000);
      expect(result!.excerpt).toMatch(/^begin\n[^]*\[\.\.\. left out \.\.\.\][^]*\nend\ne\n[^]*e\n$/);
    },
  );

  it("[PACKET-98] have secrets taken out before the excerpt is cut, and no half characters in it", async () => {
    const room = new Accepting();
    const script =
      "yes '\u{1f600}' | tr -d '\\n' | head -c 30000; printf 'secret%.0s' $(seq 2000); printf '\\377\\360\\237'";
    const redact = (text: string): string => text.replaceAll("secret", "[R]");
    const [result] = await room.run([script], { redact });
    const points = Array.from(result!.excerpt);
    expect(points.length).toBeLessThanOrEqual(4000);
    expect(result!.excerpt.isWellFormed()).toBe(true);
    expect(result!.excerpt).not.toMatch(/secret|ret\[R\]/);
    expect(result!.excerpt).toContain("[R][R]");
  });
});
