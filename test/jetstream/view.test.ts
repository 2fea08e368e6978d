import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { BoardAnswer, ChangeEvent } from "../../src/views/viewer/api.ts";
import { answer, get, listen, serving } from "../hosts/view_support.ts";
import { filesOf, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";

const MODES = ["strict", "merge"] as const;

const board = (view: Parameters<typeof answer>[0]): Promise<BoardAnswer> => answer<BoardAnswer>(view, "board/0.json");

async function say(ws: Workspace, text: string): Promise<void> {
  await ok(ws, "tasks_note", { task: "TASK-001", note: text });
  await ws.shared.sync();
}

describe.each(MODES)("the viewer of a workspace with a shared log in mode %s", (mode) => {
  it("[VIEWER-70] takes in changes of other machines, and pages hear of them, without any call on this machine", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
    const view = await serving(b!.root, { shared: b!.shared });
    const { events } = listen(view);
    const isFollowed = () => events.some(({ data }) => (data as { shared?: string }).shared === "followed");
    await expect.poll(isFollowed, { timeout: 20_000 }).toBe(true);
    await say(a!, "written elsewhere");
    const heard = () =>
      events.flatMap(({ name, data }) => (name === "change" ? (data as ChangeEvent).changes : [])).map(({ id }) => id);
    await expect.poll(heard).toContain("TASK-001");
    await newTask(a!, "TASK-002");
    await a!.shared.sync();
    await expect.poll(async () => (await board(view)).rows.map(({ id }) => id)).toContain("TASK-002");
  });

  it("[VIEWER-70] says on pages and on stderr that no server answers, shows what this machine has, and goes on after", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
    await server.kill();
    const told: string[] = [];
    const view = await serving(b!.root, { shared: b!.shared, log: (message) => told.push(message) });
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

  it("[VIEWER-70] makes nothing anew in the place of a folder that was taken away, and goes on once it is back", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
    const told: string[] = [];
    const view = await serving(b!.root, { shared: b!.shared, log: (message) => told.push(message) });
    const { events } = listen(view);
    const sides = () => events.map(({ data }) => (data as { shared?: string | null }).shared);
    await expect.poll(() => sides().at(-1), { timeout: 20_000 }).toBe("followed");
    const coco = join(b!.root, ".coco");
    renameSync(coco, join(b!.root, "moved"));
    await say(a!, "while it was away");
    // A folder of the second kind is left where git takes away what it keeps: names that it ignores stay.
    for (const left of ["no folder", "a folder without workspace.yaml"]) {
      if (left !== "no folder") mkdirSync(join(coco, "locks"), { recursive: true });
      await expect(b!.shared.catchUp(), left).rejects.toMatchObject({ code: "STORAGE_FAILED" });
      await expect(b!.shared.fetch("TASK-001"), left).rejects.toMatchObject({
        code: expect.stringMatching(/^(STORAGE_FAILED|UNKNOWN_ID)$/) as string,
      });
      await expect.poll(async () => (await get(view, "/api/v1/board/0.json")).status).toBe(500);
      expect(existsSync(coco), left).toBe(left !== "no folder");
    }
    await expect.poll(() => told.at(-1), { timeout: 20_000 }).toContain("pages show what this machine has. Expected");
    expect(readdirSync(coco, { recursive: true })).toEqual(["locks"]);
    rmSync(coco, { recursive: true });
    renameSync(join(b!.root, "moved"), coco);
    await expect.poll(() => told.at(-1), { timeout: 20_000 }).toBe("pages follow the shared log again.");
    const revision = async () => (await board(view)).rows.find(({ id }) => id === "TASK-001")?.revision;
    await expect.poll(revision).toBe(2);
    await expect.poll(() => filesOf(b!.root)).toEqual(filesOf(a!.root));
  });

  it("[VIEWER-70] leaves nothing behind when it ends while the folder is away", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
    const view = await serving(b!.root, { shared: b!.shared });
    await board(view);
    renameSync(join(b!.root, ".coco"), join(b!.root, "moved"));
    await say(a!, "while it was away");
    await view.close();
    await b!.close();
    expect(readdirSync(b!.root)).toEqual(["moved"]);
  });
});

describe("view --shared", () => {
  it("[VIEWER-70] exports what other machines wrote, or says that it could not ask for it", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
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
