// @module-tag long
// @module-tag rotating
/** Whose acceptance commands run where a brief names its own, and what that proves. Real programs, real git. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { finishByHand, startByHand } from "../../src/runner/stage_by_hand.ts";
import type { AllowCommands } from "../../src/runner/stage_attempt.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { TASK } from "../packet/packet_support.ts";
import { ok } from "../support/workspace.ts";
import { PacketRoom, script } from "./packet_room.ts";
import { PACK } from "./servants/answers.mjs";

const LIMIT = { timeout: 180_000 };
const SECTIONS = PACK.map((title) => `## ${title}\nx\n`);

/** A brief with these commands; the reviews and reports behind it. */
function brief(...commands: string[]): string {
  const heads = ["Summary", "Acceptance", "Scope", "Constraints"].map((title) => `## ${title}\nx\n`);
  const verify = `## Verify Commands\n\`\`\`sh\n${commands.join("\n")}\n\`\`\`\n`;
  return `${heads.join("")}${verify}## Updated Context Pack\n${SECTIONS.join("")}`;
}

async function roomOf(own: string[], briefs: string[], acceptance?: string): Promise<PacketRoom> {
  const gemini = script('cat > /dev/null; cat "$ANSWER" 2>/dev/null || cat .git/answer');
  const manifest: JsonObject = {
    routing: { intent: "safe_impl", pipeline: { flags: { enable_review: false } } },
    scope: { allow: ["src/"], deny: [] },
    acceptance: { commands: own, criteria: [] },
    budgets: { retry_budget: 0, paid_call_budget: 20, max_wallclock_sec: 60 },
  };
  const servants = {
    gemini,
    codex: script(
      "cat > /dev/null; mkdir -p src; echo b >> src/a.txt; printf -- '--- a/src/a.txt\\n+++ b/src/a.txt\\n@@ -0,0 +1 @@\\n+b\\n'",
    ),
  };
  const room = await PacketRoom.make({ manifest, servants });
  writeFileSync(join(room.root, ".git/answer"), brief(...briefs));
  if (acceptance === undefined) return room;
  Object.assign(room.config.groups.impl, { acceptance });
  return room;
}

async function ran(room: PacketRoom, allowCommands: AllowCommands) {
  const ws = room.open();
  const step = { title: "S", success_criteria: ["c"], tests: ["t"], packet: true };
  await ok(ws, "tasks_decompose", { task: TASK, steps: [step] });
  const run = await room.run({ allowCommands }, ws);
  const closed = await ws.call("tasks_close_step", {
    workspace: "acme/repo",
    task: TASK,
    path: "s:0",
    checkpoints: { criteria: true },
  });
  const shown = room.told.flatMap((event) =>
    event.type === "command" ? [`${event.from} ${event.runs ? "runs" : "shown"} ${event.command}`] : [],
  );
  return {
    outcome: run.outcome,
    warned: run.warnings.map(({ code }) => code).filter((code) => code === "ACCEPTANCE_OVERRIDDEN"),
    proved: closed.success,
    shown,
    summary: room.read("outputs/_summary.md"),
  };
}

describe("the commands of a brief", () => {
  it(
    "[PACKET-79] [PACKET-219] prove nothing where they ran in the place of the manifest's, and say so",
    LIMIT,
    async () => {
      const result = await ran(await roomOf(["false"], ["true"]), true);
      expect(result).toMatchObject({ outcome: "done", warned: ["ACCEPTANCE_OVERRIDDEN"], proved: false });
      expect(result.shown).toEqual(["brief runs true"]);
      expect(result.summary).toContain("- of the brief, exit code 0: true\n- of the manifest, not run: false\n");
      expect(result.summary).toContain("- ACCEPTANCE_OVERRIDDEN");
    },
  );

  it("[PACKET-79] [regression PACKET-403] are shown and not run with manifest", LIMIT, async () => {
    const result = await ran(await roomOf(["true"], ["false"]), "manifest");
    expect(result).toMatchObject({ outcome: "done", warned: [], proved: true });
    expect(result.shown).toEqual(["brief shown false", "manifest runs true"]);
    expect(result.summary).toContain("- of the brief, not run: false\n- of the manifest, exit code 0: true\n");
  });

  it.each([
    [["true"], ["true && true"], { outcome: "done", proved: true }],
    [["false"], ["true"], { outcome: "failed", proved: false }],
    [["true"], ["false"], { outcome: "failed", proved: false }],
  ])("[PACKET-79] run before the manifest's with both: %j after %j", LIMIT, async (own, briefs, expected) => {
    const result = await ran(await roomOf(own, briefs), "both");
    expect(result).toMatchObject({ ...expected, warned: [] });
    expect(result.shown).toEqual([`brief runs ${briefs[0]}`, `manifest runs ${own[0]}`]);
  });

  it("[PACKET-79] run as the configuration says, unless the caller says otherwise", LIMIT, async () => {
    expect(await ran(await roomOf(["false"], ["true"], "both"), true)).toMatchObject({ outcome: "failed" });
    expect(await ran(await roomOf(["false"], ["true"], "both"), "brief")).toMatchObject({ outcome: "done" });
  });

  it("[PACKET-105] change nothing outside of the scope", LIMIT, async () => {
    const result = await ran(await roomOf(["true"], ["echo pwned >> lib_evil.txt"]), "both");
    expect(result).toMatchObject({ outcome: "failed", proved: false });
  });
});

describe("an attempt", () => {
  it("[PACKET-408] is judged by what it began with, also after a merge", LIMIT, async () => {
    const room = await roomOf(["true"], ["true"]);
    const stage = "gemini_brief";
    const before = room.read("events.jsonl");
    await startByHand(room.ws, { task: TASK, stage });
    const ours = room.read("events.jsonl").slice(before.length);
    // Another branch, whose change comes first in the order of replay or last: the start event has what counts.
    writeFileSync(room.path("events.jsonl"), before);
    const scope = { allow: ["."], deny: [] };
    await ok(room.open(), "packet_patch", { task: TASK, manifest: { scope, acceptance: { commands: [] } } });
    const theirs = room.read("events.jsonl").slice(before.length);
    for (const merged of [ours + theirs, theirs + ours]) {
      writeFileSync(room.path("events.jsonl"), before + merged);
      const ws = room.open();
      const { attempts } = internalsOf(ws).packetAccess(TASK).packet();
      expect(attempts[0]).toMatchObject({ scope: { allow: ["src/"] }, commands: { manifest: ["true"], brief: null } });
      await ws.close();
    }
    writeFileSync(join(room.root, "outside.txt"), "x");
    const ws = room.open(room.config, { git: () => openGit(room.root) });
    const out = join(room.root, ".git/answer");
    const reply = await finishByHand(ws, { task: TASK, stage, exit_code: 0, out });
    const reasons = expect.arrayContaining([expect.stringContaining('found "outside.txt"')]);
    expect(reply).toMatchObject({ result: { passed: false, reasons } });
  });
});
