/** Shared logs that were made in part, or with other limits than a later `shared init` asks for. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import { machine } from "../support/machines.ts";
import { natsCluster, natsServer } from "../support/nats.ts";
import { call, newTask, ok, WORKSPACE } from "../support/workspace.ts";

const STREAM = "taskfold-making";
const OBJECTS = `OBJ_${STREAM}`;

async function managerOf(url: string): Promise<JetStreamManager> {
  const connection = await connect({ servers: url });
  onTestFinished(() => connection.close());
  return jetstreamManager(connection);
}

const refusalOf = (made: Promise<unknown>): Promise<string> =>
  made.then(
    () => "made",
    (e: unknown) => (isTaskfoldError(e) ? `${e.code} ${e.message} ${e.recovery}` : String(e)),
  );

describe("a shared log that was made in part", () => {
  it("[SHARED-20] takes no change before it is whole, and init completes it", async () => {
    const server = await natsServer();
    const { streams } = await managerOf(server.url);
    const log = { stream: STREAM };
    const description = JSON.stringify({ taskfold: 1, workspace: WORKSPACE, ids: "sequential" });
    await streams.add({ name: STREAM, subjects: [`taskfold.${STREAM}.x.>`], description });
    const early = machine(server.url, { log, lockTimeoutMs: 1000 });
    const { error } = await call(early, "tasks_create", { kind: "task", title: "Too early" });
    expect([error?.code, error?.details?.["reason"]]).toEqual(["SHARED_UNAVAILABLE", "NOT_MADE"]);
    const a = machine(server.url, { log });
    expect((await a.shared.init(WORKSPACE)).last).toBe(1);
    expect((await streams.info(OBJECTS)).config.num_replicas).toBe(1);
    await newTask(a);
    await streams.delete(OBJECTS);
    expect((await machine(server.url, { log }).shared.init(WORKSPACE)).last).toBe(2);
    expect((await streams.info(OBJECTS)).config.name).toBe(OBJECTS);
    await ok(a, "tasks_note", { task: "TASK-001", note: "on" });
  });
});

describe("a shared log that is there with other limits", () => {
  it("[SHARED-20] gets as many copies as init asks for, and keeps them when a later one asks for fewer", async () => {
    const servers = await natsCluster(3);
    const urls = servers.map(({ url }) => url);
    const init = (replicas?: number) =>
      refusalOf(
        machine(urls, { log: { stream: STREAM, ...(replicas === undefined ? {} : { replicas }) } }).shared.init(
          WORKSPACE,
        ),
      );
    await expect.poll(() => init(1), { timeout: 30_000, interval: 500 }).toBe("made");
    const { streams } = await managerOf(urls[0]!);
    const copies = async () =>
      Promise.all([STREAM, OBJECTS].map(async (name) => (await streams.info(name)).config.num_replicas));
    expect(await copies()).toEqual([1, 1]);
    await expect.poll(() => init(3), { timeout: 30_000, interval: 500 }).toBe("made");
    expect(await copies()).toEqual([3, 3]);
    await expect.poll(() => init(), { timeout: 30_000, interval: 500 }).toBe("made");
    const refused = await init(1);
    expect(refused).toMatch(/^INVALID_INPUT Expected replicas of at least 3.*found 1.*nats stream edit/);
    expect(await copies()).toEqual([3, 3]);
  });

  it("[SHARED-20] gets more room, and never less", async () => {
    const server = await natsServer();
    const init = (maxBytes?: number) =>
      refusalOf(
        machine(server.url, { log: { stream: STREAM, ...(maxBytes === undefined ? {} : { maxBytes }) } }).shared.init(
          WORKSPACE,
        ),
      );
    expect(await init(100_000)).toBe("made");
    const { streams } = await managerOf(server.url);
    const config = async () => (await streams.info(STREAM)).config;
    expect(await init(200_000)).toBe("made");
    expect(await config()).toMatchObject({ max_bytes: 200_000, discard: "new", deny_delete: true, deny_purge: true });
    expect(await init()).toBe("made");
    expect(await init(50_000)).toMatch(/^INVALID_INPUT Expected maxBytes of at least 200000/);
    expect((await config()).max_bytes).toBe(200_000);
  });
});
