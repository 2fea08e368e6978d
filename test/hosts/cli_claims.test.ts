import { expect, it } from "vitest";
import { run, workspace } from "./cli_support.ts";

it("[CLI-25] a claim says its number, and later calls go by it", async () => {
  const cwd = await workspace();
  const claimed = await run({ cwd }, "call", "tasks_claim_next", '{"task":"TASK-001"}');
  const fence = Number(/^ {2}fence (\d+)/m.exec(claimed.out)![1]);
  const at = { task: "TASK-001", path: "s:0", fence };
  expect((await run({ cwd }, "call", "tasks_release", JSON.stringify(at))).out).not.toContain("fence");
  expect((await run({ cwd }, "call", "tasks_release", JSON.stringify(at))).err).toContain("LEASE_LOST");
});
