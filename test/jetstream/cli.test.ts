import { describe, expect, it } from "vitest";
import { natsServer } from "../support/nats.ts";
import { taskfold } from "../support/taskfold.ts";
import { tempFolder } from "../support/temp.ts";

describe("the command line on a shared log", () => {
  it("[SHARED-22] takes the servers from --shared or TASKFOLD_SHARED: init, work on two machines, status, verify, leave", async () => {
    const server = await natsServer();
    const [a, b] = [tempFolder(), tempFolder()];
    const env = { TASKFOLD_SHARED: server.url, TASKFOLD_BY: "human:ann" };
    const run = (cwd: string, ...args: string[]) => taskfold(cwd, { env }, ...args);
    expect(await run(a, "shared", "init", "--workspace", "acme/repo")).toMatchObject({ exit: 0, err: "" });
    expect((await run(a, "plan", "add", "Version 2")).exit).toBe(0);
    expect((await run(a, "add", "A parser", "--plan", "1", "--step", "Grammar")).exit).toBe(0);
    expect((await run(b, "shared", "init", "--workspace", "acme/repo")).exit).toBe(0);
    expect((await run(b, "claim", "TASK-001", "grammar")).exit).toBe(0);
    const refused = await taskfold(
      a,
      { env: { TASKFOLD_BY: "human:bob" } },
      "--shared",
      server.url,
      "claim",
      "TASK-001",
      "grammar",
    );
    expect(refused.exit).toBe(4);
    expect(refused.err).toContain("human:ann");
    expect((await run(a, "list")).out).toContain("A parser");
    const status = JSON.parse((await run(a, "--json", "shared", "status")).out) as { result: object };
    expect(status.result).toMatchObject({ workspace: "acme/repo", mode: "strict", last: 4, taken_in: 4, lacking: [] });
    expect(await run(a, "shared", "verify")).toMatchObject({ exit: 0, err: "" });
    expect((await run(a, "shared", "leave")).exit).toBe(0);
    expect((await run(a, "shared", "init")).exit).toBe(0);
    expect((await run(b, "shared", "verify")).exit).toBe(0);
    expect((await taskfold(a, { env: {} }, "shared", "status")).exit).toBe(2);
  });
});
