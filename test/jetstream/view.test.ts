import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { BoardAnswer, ChangeEvent } from "../../src/views/viewer/api.ts";
import { answer, listen, serving } from "../hosts/view_support.ts";
import { machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";

const MODES = ["strict", "merge"] as const;

const board = (view: Parameters<typeof answer>[0]): Promise<BoardAnswer> => answer<BoardAnswer>(view, "board/0.json");

async function say(ws: Workspace, text: string): Promise<void> {
  await ok(ws, "tasks_note", { task: "TASK-001", note: text });
  await ws.sharedLog().sync();
}

describe.each(MODES)("the viewer of a workspace with a shared log in mode %s", (mode) => {
  it("[VIEWER-70] takes in changes of other machines, and pages hear of them, without any call on this machine", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    await b!.sharedLog().sync(WORKSPACE);
    const view = await serving(b!.root, { shared: b!.sharedLog() });
    const { events } = listen(view);
    await expect.poll(() => events.some(({ data }) => (data as { shared?: string }).shared === "followed")).toBe(true);
    await say(a!, "written elsewhere");
    const heard = () =>
      events.flatMap(({ name, data }) => (name === "change" ? (data as ChangeEvent).changes : [])).map(({ id }) => id);
    await expect.poll(heard).toContain("TASK-001");
    await newTask(a!, "TASK-002");
    await a!.sharedLog().sync();
    await expect.poll(async () => (await board(view)).rows.map(({ id }) => id)).toContain("TASK-002");
  });

  it("[VIEWER-71] says on pages and on stderr that no server answers, shows what this machine has, and goes on after", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    await b!.sharedLog().sync(WORKSPACE);
    await server.kill();
    const told: string[] = [];
    const view = await serving(b!.root, { shared: b!.sharedLog(), log: (message) => told.push(message) });
    const { events } = listen(view);
    const sides = () => events.map(({ data }) => (data as { shared?: string | null }).shared);
    await expect.poll(() => sides().at(-1), { timeout: 20_000 }).toBe("away");
    expect(told).toEqual([expect.stringContaining("pages show what this machine has. ")]);
    expect((await board(view)).rows.map(({ id }) => id)).toContain("TASK-001");
    await server.start();
    await expect.poll(() => told.at(-1), { timeout: 30_000 }).toBe("pages follow the shared log again.");
    await expect.poll(() => sides().at(-1)).toBe("followed");
    await say(a!, "after the pause");
    const revision = async () => (await board(view)).rows.find(({ id }) => id === "TASK-001")?.revision;
    await expect.poll(revision).toBe(2);
  });
});

describe("view --shared", () => {
  it("[VIEWER-70] exports what other machines wrote, or says that it could not ask for it", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    await b!.sharedLog().sync(WORKSPACE);
    await b!.close();
    await say(a!, "only elsewhere");
    const exported = async (): Promise<{ text: string; err: string }> => {
      const dir = join(tempFolder(), "review");
      const args = ["-C", b!.root, "--shared", server.url, "view", "--export", dir, "--task", "TASK-001"];
      const child = spawn(process.execPath, [join(ROOT, "dist/cli.cjs"), ...args]);
      let err = "";
      child.stderr.on("data", (data) => (err += String(data)));
      await new Promise((done) => child.once("close", done));
      return { text: readFileSync(join(dir, "TASK-001.html"), "utf8"), err };
    };
    const whole = await exported();
    expect(whole.text).toContain("only elsewhere");
    await say(a!, "never seen here");
    await server.kill();
    const alone = await exported();
    expect(alone.text).toContain("only elsewhere");
    expect(alone.text).not.toContain("never seen here");
    expect(alone.err).toContain("the export holds what this machine has.");
  });
});
