/** Every host gives the engine the same: one list of calls that need git, a configuration or none, made through each of them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";
import { MANIFEST } from "../packet/packet_support.ts";
import { HOSTS } from "./each_host.ts";
import { ROTATING } from "../support/sweep.ts";

async function inRepository(): Promise<{ root: string; commit: string }> {
  const { ada } = repository();
  const ws = openTemp({ root: ada.root });
  await newTask(ws);
  ada.commit("begin");
  const commit = ada.git("rev-parse", "HEAD").trim();
  const items = [commit, "0".repeat(40)].map((sha) => ({ kind: "code", title: sha, commit: sha, content: "c" }));
  await ok(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", items });
  await ws.close();
  return { root: ada.root, commit };
}

describe.each(Object.entries(HOSTS))("%s", (_name, open) => {
  it(
    "[regression MCP-90] compares with the base branch, and looks for commits, in a repository",
    ROTATING,
    async () => {
      const { root } = await inRepository();
      const call = await open(root);
      const snapshot = await call("tasks_snapshot", { task: "TASK-001" });
      expect(snapshot.result!["graph_diff"]).toMatchObject({ available: true, base: "main" });
      const checked = await call("tasks_evidence_verify", { task: "TASK-001" });
      expect(checked.result!["summary"]).toMatchObject({ total: 2, holds: 1, broken: 1, unverifiable: 0 });
    },
  );

  it("[regression MCP-90] says outside of one that there is no repository", ROTATING, async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await newTask(ws);
    await ws.close();
    const snapshot = await (await open(root))("tasks_snapshot", { task: "TASK-001" });
    expect(snapshot.result!["graph_diff"]).toMatchObject({
      available: false,
      reason: expect.stringContaining("no repository"),
    });
  });

  it("[regression MCP-90] plans a packet by the configuration of the workspace", ROTATING, async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await newTask(ws);
    await ws.close();
    mkdirSync(join(root, "configs/servant"), { recursive: true });
    writeFileSync(join(root, "configs/servant/codex.yaml"), "tool: codex\n");
    const { error } = await (await open(root))("packet_define", { task: "TASK-001", manifest: MANIFEST });
    expect(error?.message).toContain("configs/servant/codex.yaml");
  });
});
