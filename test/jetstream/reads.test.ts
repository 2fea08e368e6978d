/** Reading a shared log whose servers die or fall silent meanwhile. */
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { describe, expect, it, onTestFinished } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import { Incoming } from "../../src/engine/shared/incoming.ts";
import type { SharedLog } from "../../src/engine/core/shared_log.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { droppingProxy, natsCluster, natsServer } from "../support/nats.ts";
import { WORKSPACE } from "../support/workspace.ts";

const STREAM = "taskfold-reads";

async function opened(servers: string | string[], timeoutMs = 1000): Promise<SharedLog> {
  const log = await jetstream({ servers, stream: STREAM, timeoutMs, replicas: [servers].flat().length }).connect(
    WORKSPACE,
  );
  onTestFinished(() => log.close());
  return log;
}

/** Makes the stream with so many messages. A cluster needs a moment before it can. */
async function filled(log: SharedLog, count: number): Promise<void> {
  await expect
    .poll(() => log.create({ workspace: WORKSPACE, ids: "sequential" }).then(({ last }) => last, String), {
      timeout: 30_000,
      interval: 500,
    })
    .toBe(1);
  for (let i = 2; i <= count; i++) {
    const message = { id: `m${i}`, topic: "t", headers: {}, body: Buffer.from(String(i)) };
    expect(await log.publish(message, i - 1)).toEqual({ kind: "accepted", seq: i });
  }
}

async function seqsOf(log: SharedLog, after: number, upTo: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of log.read(after, upTo)) found.push(seq);
  return found;
}

const COUNT = 60;
const ALL = Array.from({ length: COUNT }, (_, i) => i + 1);

async function leaderOf(url: string): Promise<string | undefined> {
  const connection = await connect({ servers: url });
  const { streams } = await jetstreamManager(connection);
  const { cluster } = await streams.info(STREAM);
  await connection.close();
  return cluster?.leader;
}

describe("reading a shared log", () => {
  it.each([
    ["many messages", 0],
    ["few messages", COUNT - 5],
  ])("[regression SHARED-55] goes on with %s where the server that had the stream has just died", async (_, after) => {
    const servers = await natsCluster(3);
    const log = await opened(servers.map(({ url }) => url));
    await filled(log, COUNT);
    const name = await leaderOf(servers[0]!.url);
    await servers.find((one) => one.name === name)!.kill();
    expect(await seqsOf(log, after, COUNT)).toEqual(ALL.slice(after));
  });

  it("[regression SHARED-55] goes on where answers are missing for a while, each message once and in order", async () => {
    const server = await natsServer();
    const proxy = await droppingProxy(server.port);
    await filled(await opened(server.url), COUNT);
    // Longer than the pause and the connection after it take.
    const log = await opened(proxy.url, 2000);
    const reading = log.read(0, COUNT)[Symbol.asyncIterator]();
    const found = [((await reading.next()).value as { seq: number }).seq];
    proxy.drop("answers");
    setTimeout(() => proxy.heal(), 500);
    for (let next = await reading.next(); !next.done; next = await reading.next()) found.push(next.value.seq);
    expect(found).toEqual(ALL);
  });

  it("[regression SHARED-55] does not skip a message that the server has lost", async () => {
    const server = await natsServer();
    const connection = await connect({ servers: server.url });
    onTestFinished(() => connection.close());
    const { streams } = await jetstreamManager(connection);
    const subject = `taskfold.${STREAM}.t`;
    await streams.add({ name: STREAM, subjects: [subject] });
    for (let i = 1; i <= COUNT; i++) await connection.request(subject, String(i));
    const log = await opened(server.url);
    expect(await streams.deleteMessage(STREAM, 30, false)).toBe(true);
    const found: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const { seq } of log.read(0, COUNT)) found.push(seq);
    };
    await expect(reading()).rejects.toMatchObject({ code: "SHARED_UNAVAILABLE" });
    expect(found).toEqual(ALL.slice(0, 29));
  });

  it.each([
    ["many messages", 0],
    ["few messages", COUNT - 5],
  ])("[regression SHARED-55] ends with SHARED_UNAVAILABLE for %s where no answer comes", async (_, after) => {
    const server = await natsServer();
    const proxy = await droppingProxy(server.port);
    await filled(await opened(server.url), COUNT);
    const log = await opened(proxy.url, 300);
    proxy.drop("answers");
    const refusal = await seqsOf(log, after, COUNT).then(String, (e: unknown) => isTaskfoldError(e) && e.code);
    expect(refusal).toBe("SHARED_UNAVAILABLE");
  });
});

describe("publishing what another machine published", () => {
  it("[SHARED-2] [SHARED-12] loses the race if messages lie before it, and is no second message", async () => {
    const server = await natsServer();
    const [log, other] = [await opened(server.url), await opened(server.url)];
    await filled(other, 4);
    const same = (n: number) => ({ id: `m${n}`, topic: "t", headers: {}, body: Buffer.from(String(n)) });
    // This machine has read messages 1 and 2: it may not go on behind 4.
    expect(await log.publish(same(4), 2)).toEqual({ kind: "lost", last: 4 });
    const heard: number[] = [];
    onTestFinished(log.follow(2, ({ seq }) => heard.push(seq)));
    await expect.poll(() => heard).toEqual([3, 4]);
    expect(await log.publish(same(3), 4)).toEqual({ kind: "accepted", seq: 4 });
    expect((await log.state())?.last).toBe(4);
  });
});

describe("following a shared log", () => {
  it("tells each message of another process, and none that this one published itself", async () => {
    const server = await natsServer();
    const [log, other] = [await opened(server.url), await opened(server.url)];
    await filled(log, 2);
    const heard: number[] = [];
    onTestFinished(log.follow(2, ({ seq }) => heard.push(seq)));
    for (let seq = 3; seq <= 40; seq++) {
      const message = { id: `m${seq}`, topic: "t", headers: {}, body: Buffer.from(String(seq)) };
      expect(await (seq > 37 ? other : log).publish(message, seq - 1)).toEqual({ kind: "accepted", seq });
    }
    await expect.poll(() => heard).toEqual([38, 39, 40]);
  });

  it("[regression SHARED-50] keeps no more than some megabytes of what was heard and not taken in", () => {
    const incoming = new Incoming();
    const body = Buffer.alloc(1024 * 1024);
    const hear = (seq: number): void => incoming.add({ seq, id: String(seq), part: undefined, body });
    for (let seq = 1; seq <= 100; seq++) hear(seq);
    expect(incoming.behind(0).length).toBe(16);
    for (let seq = 1; seq <= 10; seq++) for (let again = 0; again < 5; again++) hear(seq);
    expect(incoming.behind(0).length).toBe(10);
  });
});
