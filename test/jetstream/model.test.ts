/** One contract for the model of the simulator and for a real server. Where they differ, the model is wrong. */
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { OutgoingMessage, SharedLog, SharedMessage } from "../../src/engine/core/shared_log.ts";
import { TaskfoldError } from "../../src/errors.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import type { Fate } from "../sim/stream.mjs";
import { Place, Stream } from "../sim/stream.mjs";
import { connect } from "../sim/stream_log.mjs";
import { droppingProxy, natsServer } from "../support/nats.ts";
import { WORKSPACE } from "../support/workspace.ts";

const TIMEOUT_MS = 600;

/** The ways of the first connection to the servers can be cut; those of the others cannot. */
interface Servers {
  connect: (way?: "that can be cut") => Promise<SharedLog>;
  /** What is sent goes nowhere, or its answers do. */
  drop: (what: "both" | "answers") => void;
  /** The connection ends, and no new one is made before `heal`. */
  cut: () => Promise<void>;
  heal: () => Promise<void>;
}

async function realServers(): Promise<Servers> {
  const server = await natsServer();
  const proxy = await droppingProxy(server.port);
  return {
    connect: async (way) => {
      const url = way ? proxy.url : server.url;
      const log = await jetstream({ servers: url, timeoutMs: TIMEOUT_MS }).connect(WORKSPACE);
      onTestFinished(() => log.close());
      return log;
    },
    drop: (what) => proxy.drop(what),
    cut: server.kill,
    heal: async () => {
      proxy.heal();
      await server.start();
    },
  };
}

async function modelled(): Promise<Servers> {
  const clock = { now: () => performance.now(), after: (ms: number, run: () => void) => void setTimeout(run, ms) };
  const stream = new Stream(clock, { timeoutMs: TIMEOUT_MS });
  const cuttable = new Place();
  const place = new Place();
  const fates = (kind: Fate["kind"]) => cuttable.fates.push({ kind, ms: 0 });
  return {
    connect: async (way) => connect(stream, way ? cuttable : place, TaskfoldError),
    drop: (what) => void fates(what === "both" ? "lost" : "silent"),
    cut: async () => [cuttable, place].forEach((one) => stream.lose(one)),
    heal: async () => stream.heal([cuttable, place]),
  };
}

const ABOUT = { workspace: WORKSPACE, ids: "sequential" } as const;

function message(text: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const body = Buffer.from(`${text}\n`);
  const id = createHash("sha256").update(body).digest("base64url");
  return { id, topic: "TASK-001", headers: {}, body, ...more };
}

async function all(messages: AsyncIterable<SharedMessage>): Promise<SharedMessage[]> {
  const found: SharedMessage[] = [];
  for await (const one of messages) found.push(one);
  return found;
}

const texts = (messages: readonly SharedMessage[]) => messages.map(({ body }) => body.toString("utf8").trim());

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 15_000, interval: 10 }).toBe(true);
}

describe.each([
  ["the model of a stream", modelled],
  ["a stream of a real server", realServers],
])("%s", (_, start) => {
  let servers: Servers;
  let log: SharedLog;

  beforeEach(async () => {
    servers = await start();
    log = await servers.connect("that can be cut");
  });

  async function made(): Promise<void> {
    await log.create(ABOUT);
  }

  it("[SHARED-20] is not there before it is made, and is made once", async () => {
    expect(await log.state()).toBeNull();
    const other = await servers.connect();
    const [one, two] = [await log.create(ABOUT), await other.create(ABOUT)];
    expect(one).toMatchObject({ about: ABOUT, first: 1, last: 1 });
    expect(two).toEqual(one);
    expect(await log.state()).toEqual(one);
    expect(await all(log.read(0, 1))).toMatchObject([{ seq: 1, id: "taskfold-workspace" }]);
  });

  it("[SHARED-2] [regression DUR-103] stores a message behind the last one of the whole stream alone, whatever it is about", async () => {
    await made();
    expect(await log.publish(message("a"), 1)).toEqual({ kind: "accepted", seq: 2 });
    expect(await log.publish(message("b", { topic: "TASK-002" }), 1)).toEqual({ kind: "lost", last: 2 });
    expect(await log.publish(message("c", { topic: "TASK-002" }), 2)).toEqual({ kind: "accepted", seq: 3 });
    expect(texts(await all(log.read(1, 3)))).toEqual(["a", "c"]);
  });

  it("[SHARED-2] lets one of several win that race", async () => {
    await made();
    const other = await servers.connect();
    await other.state();
    const sent = ["a", "b", "c", "d"].map((text, i) => (i % 2 ? log : other).publish(message(text), 1));
    const kinds = (await Promise.all(sent)).map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(["accepted", "lost", "lost", "lost"]);
  });

  it("[SHARED-9] stores a message that is sent twice once, and says where it is", async () => {
    await made();
    await log.publish(message("a"), 1);
    expect(await log.publish(message("a"), 1)).toEqual({ kind: "lost", last: 2 });
    expect(await log.publish(message("a"), 2)).toEqual({ kind: "accepted", seq: 2 });
    await log.publish(message("b"), 2);
    expect(await log.publish(message("a"), 1)).toEqual({ kind: "lost", last: 2 });
    expect((await log.state())?.last).toBe(3);
  });

  it("[SHARED-1] [regression SHARED-55] gives every message as it was sent, in order, few and many", async () => {
    await made();
    const count = 40;
    for (let i = 0; i < count; i++)
      await log.publish(message(`m${i}`, i === 3 ? { part: "1/2", behind: "mark" } : {}), 1 + i);
    const last = count + 1;
    const wanted = Array.from({ length: count }, (_, i) => `m${i}`);
    const other = await servers.connect();
    expect(texts(await all(other.read(1, last)))).toEqual(wanted);
    expect(texts(await all(other.read(1, last, "leader")))).toEqual(wanted);
    expect(texts(await all(other.read(last - 2, last)))).toEqual(wanted.slice(-2));
    const [sent] = await all(other.read(4, 5));
    expect(sent).toMatchObject({ seq: 5, id: message("m3").id, part: "1/2", behind: "mark" });
  });

  it("[SHARED-13] tells followers of the messages of others, in order, and not of their own", async () => {
    await made();
    const other = await servers.connect();
    const heard: SharedMessage[] = [];
    log.follow(1, (one) => heard.push(one));
    await log.publish(message("mine"), 1);
    await other.publish(message("a"), 2);
    await other.publish(message("b"), 3);
    await until(() => heard.some(({ seq }) => seq === 4));
    const first = heard.filter(({ seq }, i) => heard.findIndex((one) => one.seq === seq) === i);
    expect(texts(first)).toEqual(["a", "b"]);
  });

  it("[SHARED-19] keeps bytes under their digest", async () => {
    await made();
    const bytes = Buffer.from("captured");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect([await log.hasBlob(sha256), await log.getBlob(sha256)]).toEqual([false, undefined]);
    await log.putBlob(sha256, bytes);
    await log.putBlob(sha256, bytes);
    const other = await servers.connect();
    expect([await other.hasBlob(sha256), await other.getBlob(sha256)]).toEqual([true, bytes]);
  });

  it("[SHARED-9] does not say what became of a message whose answer is lost, and the same id finds it stored", async () => {
    await made();
    await log.state();
    servers.drop("answers");
    expect(await log.publish(message("a"), 1)).toMatchObject({ kind: "unknown" });
    const other = await servers.connect();
    expect(await other.publish(message("a"), 1)).toEqual({ kind: "lost", last: 2 });
    expect((await other.state())?.last).toBe(2);
  });

  it("[SHARED-9] does not say what became of a message that reached no server, and the same id stores it", async () => {
    await made();
    await log.state();
    servers.drop("both");
    expect(await log.publish(message("a"), 1)).toMatchObject({ kind: "unknown" });
    const other = await servers.connect();
    expect((await other.state())?.last).toBe(1);
    expect(await other.publish(message("a"), 1)).toEqual({ kind: "accepted", seq: 2 });
  });

  it("[SHARED-8] [SHARED-13] refuses while no server answers, and tells when one does again", async () => {
    await made();
    let backs = 0;
    log.whenBack(() => backs++);
    const { doubts } = log;
    await servers.cut();
    await until(() => !log.connected);
    expect(await log.publish(message("a"), 1)).toMatchObject({ kind: "absent" });
    await expect(log.state()).rejects.toMatchObject({ code: "SHARED_UNAVAILABLE" });
    await servers.heal();
    await until(() => backs > 0);
    expect(log.connected).toBe(true);
    expect(log.doubts).toBeGreaterThan(doubts);
    expect((await log.state())?.last).toBe(1);
    expect(await log.publish(message("a"), 1)).toEqual({ kind: "accepted", seq: 2 });
  });
});
