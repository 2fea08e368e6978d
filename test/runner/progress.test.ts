/** What a person sees of a stage: on a terminal, and where there is none. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { StageProgress, tailOf } from "../../src/runner/progress.ts";
import { tempFolder } from "../support/temp.ts";
import { until } from "./stage_support.ts";
import { ROTATING } from "../support/sweep.ts";

class Screen {
  text = "";
  readonly progress: StageProgress;

  constructor({ isTerminal = false, interval_sec = 0.1, columns = 80 } = {}) {
    const write = (text: string): void => void (this.text += text);
    this.progress = new StageProgress({
      write,
      isTerminal,
      interval_sec,
      columns: () => columns,
      runtime: nodeRuntime,
    });
  }
}

describe("progress without a terminal", () => {
  it("[PACKET-112] is one line at the start, one for each interval, one at the end", ROTATING, async () => {
    const screen = new Screen();
    screen.progress.started("codex_impl");
    await until(() => screen.text.split("running").length > 3, "three lines of the interval");
    screen.progress.completed();
    const after = screen.text;
    await sleep(250);
    expect(screen.text).toBe(after);
    expect(after).toMatch(/^codex_impl started\n(?:codex_impl running \(\d+s\)\n){3,}codex_impl completed \(\d+s\)\n$/);
  });

  it("[PACKET-112] has no lines between start and end if the interval is 0", async () => {
    const screen = new Screen({ interval_sec: 0 });
    screen.progress.started("codex_impl");
    await sleep(150);
    screen.progress.completed();
    expect(screen.text).toBe("codex_impl started\ncodex_impl completed (0s)\n");
  });
});

describe("progress on a terminal", () => {
  it("[PACKET-112] writes over one line, which is gone at the end and never wraps", async () => {
    const screen = new Screen({ isTerminal: true, columns: 20 });
    screen.progress.started("codex_implementation");
    await until(() => screen.text.split("\r").length > 3, "the line to be written over");
    screen.progress.completed();
    const [first, ...written] = screen.text.split("\r\u001b[2K");
    expect(first).toBe("codex_implementation started\n");
    expect(written.length).toBeGreaterThan(2);
    expect(new Set(written.slice(0, -1))).toEqual(new Set(["codex_implementatio"]));
    expect(written.at(-1)).toMatch(/^codex_implementation completed \(\d+s\)\n$/);
  });
});

describe("a failed stage", () => {
  it("[PACKET-112] shows the last 40 lines of the log, with control characters made visible", async () => {
    const log = join(tempFolder(), "log");
    const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n}`);
    writeFileSync(log, `${lines.join("\n")}\n\u001b]0;owned\u0007\u001b[2J\rhidden \u202etxet\n`);
    const screen = new Screen();
    screen.progress.started("codex_impl");
    screen.progress.failed("exit code 1\u001b[31m\nsecond", tailOf(nodeDisk, log));
    const shown = screen.text.split("\n").slice(1);
    expect(shown[0]).toBe("codex_impl failed (0s): exit code 1\\x1b[31m second");
    expect(shown.length).toBe(1 + 40 + 1);
    expect(shown[1]).toBe("  | line 99961");
    expect(shown[40]).toBe("  | \\x1b]0;owned\\x07\\x1b[2J\\x0dhidden \\u202etxet");
  });

  it("[PACKET-112] shows what there is of a short log, and nothing of one that is not there", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "short"), Buffer.from("a\n\xff\nno end", "latin1"));
    expect(tailOf(nodeDisk, join(folder, "short"))).toEqual(["a", "\ufffd", "no end"]);
    expect(tailOf(nodeDisk, join(folder, "none"))).toEqual([]);
    writeFileSync(join(folder, "long"), "x".repeat(1_000_000));
    expect(tailOf(nodeDisk, join(folder, "long")).join("").length).toBeLessThan(3000);
  });
});
