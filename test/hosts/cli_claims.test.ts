import pc from "picocolors";
import { expect, it } from "vitest";
import { resultText } from "../../src/hosts/cli/text/result_text.ts";
import { run, workspace } from "./cli_support.ts";

it("[regression CLI-25] a claim says its number, and later calls go by it", async () => {
  const cwd = await workspace();
  const claimed = await run({ cwd }, "call", "tasks_claim_next", '{"task":"TASK-001"}');
  const fence = Number(/^ {2}fence (\d+)/m.exec(claimed.out)![1]);
  const at = { task: "TASK-001", path: "s:0", fence };
  expect((await run({ cwd }, "call", "tasks_release", JSON.stringify(at))).out).not.toContain("fence");
  expect((await run({ cwd }, "call", "tasks_release", JSON.stringify(at))).err).toContain("LEASE_LOST");
});

it("[LEASE-9] [regression CLI-25] a release after which the claim of another branch holds names its holder, and no number of the caller's", () => {
  const lease = {
    by: "agent:bob",
    claimed_at: "2026-01-02T00:00:00.000Z",
    expires_at: "2026-01-08T00:00:00.000Z",
    fence: 2,
  };
  const events = [{ type: "lease_released", message: "Released the claim on s:0." }];
  const reply = { intent: "tasks_release", result: { task: "TASK-001", revision: 5, lease, events } } as never;
  expect(resultText(reply, { colors: pc.createColors(false), program: "taskfold" })).toBe(
    "TASK-001 revision 5: Released the claim on s:0.\n  claimed by agent:bob until 2026-01-08T00:00:00Z\n",
  );
});
