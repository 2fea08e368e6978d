/** Machines and servers that do not reach each other for a while, and clocks that do not agree. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { droppingProxy, natsClusterWithCuts, natsServer } from "../support/nats.ts";
import { call, code, newTask, notesOf, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const note = (ws: Workspace, text: string) =>
  call(ws, "tasks_note", { task: "TASK-001", note: text, idempotency_key: text });
const codeOf = async (ws: Workspace, text: string): Promise<string> => (await note(ws, text)).error?.code ?? "ok";

async function synced(...all: Workspace[]): Promise<void> {
  for (const one of [...all, ...all])
    await expect
      .poll(() => one.shared.sync(WORKSPACE).then(({ lacking }) => lacking, String), { timeout: 30_000 })
      .toEqual([]);
}

/** Makes the shared log; a cluster needs a moment before it can. */
async function begun(ws: Workspace): Promise<void> {
  await expect
    .poll(() => ws.shared.init(WORKSPACE).then(() => "ok", String), { timeout: 30_000, interval: 500 })
    .toBe("ok");
}

/** Makes this server the leader of the stream: the servers choose by chance. */
async function leads(url: string, name: string): Promise<void> {
  const connection = await connect({ servers: url });
  const { streams } = await jetstreamManager(connection);
  const stream = (await streams.names().next()).find((one) => one.startsWith("taskfold-"))!;
  await expect
    .poll(
      async () => {
        const leader = (await streams.info(stream)).cluster?.leader;
        if (leader !== name)
          await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, "", { timeout: 2000 });
        return leader;
      },
      { timeout: 60_000, interval: 1000 },
    )
    .toBe(name);
  await connection.close();
}

describe("a server that is cut off from the others", () => {
  it.each(["server0", "server1"])(
    "[SHARED-43] acknowledges nothing that is lost: its clients move on or are refused, and the rest goes on (%s led)",
    // Three servers elect a leader by their own clocks, and beside other work that may take more than a minute. The simulation has it, too.
    ROTATING,
    async (leader) => {
      const { servers, cut, heal } = await natsClusterWithCuts(3);
      const urls = servers.map(({ url }) => url);
      const log = { replicas: 3, timeoutMs: 1000 };
      const a = machine(urls.slice(1), { log });
      await begun(a);
      const stuck = machine(urls[0]!, { log, lockTimeoutMs: 3000 });
      // The first of its servers is the one that is cut off.
      const mobile = machine(urls, { log, lockTimeoutMs: 20_000 });
      await newTask(a);
      for (const [ws, text] of [
        [stuck, "stuck 0"],
        [mobile, "mobile 0"],
      ] as const)
        await expect.poll(() => codeOf(ws, text), { timeout: 20_000 }).toBe("ok");
      await leads(urls[1]!, leader);
      for (const [ws, text] of [
        [stuck, "stuck led"],
        [mobile, "mobile led"],
      ] as const)
        await expect.poll(() => codeOf(ws, text), { timeout: 20_000 }).toBe("ok");
      cut(0);
      const others = Array.from({ length: 5 }, (_, i) => `a ${i}`);
      const moved = async (): Promise<void> => {
        await expect.poll(() => codeOf(mobile, "mobile 1"), { timeout: 60_000 }).toBe("ok");
      };
      const work = async (): Promise<void> => {
        for (const text of others) await expect.poll(() => codeOf(a, text), { timeout: 40_000 }).toBe("ok");
      };
      const [refusal] = await Promise.all([codeOf(stuck, "stuck 1"), moved(), work()]);
      expect(["SHARED_UNAVAILABLE", "UNKNOWN_OUTCOME", "SHARED_BUSY"]).toContain(refusal);
      heal(0);
      await expect.poll(() => codeOf(stuck, "stuck 1"), { timeout: 60_000 }).toBe("ok");
      await synced(a, stuck, mobile);
      expect(notesOf(a.root).toSorted()).toEqual(
        ["stuck 0", "mobile 0", "stuck led", "mobile led", "mobile 1", "stuck 1", ...others].toSorted(),
      );
      expect(filesOf(stuck.root)).toEqual(filesOf(a.root));
      expect(filesOf(mobile.root)).toEqual(filesOf(a.root));
      expect((await a.shared.verify(WORKSPACE)).findings).toEqual([]);
    },
  );
});

describe("a machine that is cut off", () => {
  it("[SHARED-8] notices within some pings, is refused at once, and has what it missed once it is back", async () => {
    const server = await natsServer();
    const proxy = await droppingProxy(server.port);
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const b = machine(proxy.url, { lockTimeoutMs: 600, log: { timeoutMs: 200 } });
    await expect.poll(() => codeOf(b, "before"), { timeout: 20_000 }).toBe("ok");
    proxy.drop("both");
    expect(await codeOf(b, "lost")).toBe("UNKNOWN_OUTCOME");
    await expect.poll(() => codeOf(b, "lost"), { timeout: 20_000 }).toBe("SHARED_UNAVAILABLE");
    expect(proxy.lost()).toMatch(/^H?PUB /m);
    const { length } = proxy.lost();
    expect(await codeOf(b, "refused")).toBe("SHARED_UNAVAILABLE");
    expect(proxy.lost().slice(length), "it sends nothing and waits for no answer").not.toMatch(/^H?PUB /m);
    const radar = await call(b, "tasks_radar", { task: "TASK-001" });
    expect(radar.warnings.map((w) => w.code)).toEqual(["SHARED_BEHIND"]);
    expect(await codeOf(a!, "meanwhile")).toBe("ok");
    proxy.heal();
    await expect.poll(() => codeOf(b, "lost"), { timeout: 20_000 }).toBe("ok");
    await synced(a!, b);
    expect(notesOf(a!.root).toSorted()).toEqual(["before", "lost", "meanwhile"]);
    expect(filesOf(b.root)).toEqual(filesOf(a!.root));
  });
});

describe("clocks that are an hour apart", () => {
  const HOUR = 3_600_000;
  const claim = (ws: Workspace, more: object = {}) =>
    call(ws, "tasks_claim", { task: "TASK-001", path: "s:0", ...more });

  it.each([
    ["ahead", HOUR, undefined],
    ["behind", -HOUR, "LEASE_HELD"],
  ] as const)(
    "[SHARED-32] a machine whose clock is %s judges claims by it, and no two claims are in effect",
    async (_, skew, expected) => {
      const server = await natsServer();
      const [right] = await machines(server.url, 1, { by: "agent:right" });
      await newTask(right!);
      const wrong = machine(server.url, { by: "agent:wrong", now: () => Date.now() + skew });
      const held = await claim(right!);
      expect(held.error).toBeNull();
      const { fence } = (held.result as { lease: { fence: number } }).lease;
      expect((await claim(wrong)).error?.code).toBe(expected);
      const change = { task: "TASK-001", path: "s:0", reason: "mine" };
      const codes = [await code(right!, "tasks_block", { ...change, fence }), await code(wrong, "tasks_block", change)];
      // One of them has the claim, and it is the same one on both machines.
      expect(codes).toEqual(expected ? [undefined, "LEASE_HELD"] : ["LEASE_HELD", undefined]);
      await synced(right!, wrong);
      expect(filesOf(wrong.root)).toEqual(filesOf(right!.root));
      expect(right!.verify().findings).toEqual([]);
    },
  );

  it("[SHARED-32] a claim of a machine whose clock is behind is over for the others when their clocks say so", async () => {
    const server = await natsServer();
    const [right] = await machines(server.url, 1, { by: "agent:right" });
    await newTask(right!);
    const behind = machine(server.url, { by: "agent:behind", now: () => Date.now() - HOUR });
    const held = await claim(behind);
    const { fence } = (held.result as { lease: { fence: number } }).lease;
    expect((await claim(right!)).error).toBeNull();
    expect(await code(behind, "tasks_block", { task: "TASK-001", path: "s:0", reason: "mine", fence })).toBe(
      "LEASE_HELD",
    );
    await synced(right!, behind);
    expect(filesOf(behind.root)).toEqual(filesOf(right!.root));
  });
});
