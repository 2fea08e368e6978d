import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import type { SharedOp } from "../../src/engine/shared/message_codec.ts";
import { encodeMessages } from "../../src/engine/shared/message_codec.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { isKnownType } from "../../src/events/index.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { canonicalJson } from "../../src/log/canonical.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { droppingProxy, natsCluster, natsServer, withStream } from "../support/nats.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, logPath, newTask, notesOf, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

async function synced(...all: Workspace[]): Promise<void> {
  for (const one of [...all, ...all]) await one.shared.sync(WORKSPACE);
}

const note = (ws: Workspace, text: string, more: object = {}) =>
  call(ws, "tasks_note", { task: "TASK-001", note: text, ...more });

/** The ops of a log, with their lines. */
function opsIn(path: string): SharedOp[] {
  const { ops } = readOps(bytesSource(readFileSync(path)), { isKnownType });
  const bytesOf = ({ events }: (typeof ops)[number]) =>
    Buffer.from(events.map((e) => `${canonicalJson(e)}\n`).join(""));
  return ops.map((op) => ({ hash: op.hash, events: op.events, bytes: bytesOf(op) }));
}

/** Where messages about this go. */
function subjectOf(url: string, topic: string): Promise<string> {
  return withStream(url, async (name, { streams }) =>
    (await streams.info(name)).config.subjects[0]!.replace(">", topic),
  );
}

/**
 * Until each of three servers has all messages, as before each stop in docs/cluster.md. If another one is stopped earlier, nats-server
 * 2.9.10 may make a leader of one that lacks the last messages. These are lost then, and the machines rightly refuse.
 */
async function caughtUp(url: string): Promise<void> {
  const behind = (): Promise<string[]> =>
    withStream(url, async (name, { streams }) => {
      const { replicas = [] } = (await streams.info(name)).cluster ?? {};
      return replicas.length < 2
        ? ["no leader"]
        : replicas.filter((one) => !one.current || one.lag).map((one) => one.name);
    }).catch((e: unknown) => [String(e)]);
  await expect.poll(behind, { timeout: 20_000, interval: 200 }).toEqual([]);
}

/** A change that waits for a lock or a server waits so long. */
const WAIT_MS = 30_000;

describe("a server that is gone", () => {
  it("[SHARED-8] refuses changes at once, changes no file, answers reads, and goes on when it is back", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, { lockTimeoutMs: WAIT_MS, log: { timeoutMs: 500 } });
    await newTask(a!);
    await server.kill();
    const before = filesOf(a!.root);
    await expect
      .poll(async () => (await note(a!, "lost")).error?.code, { timeout: WAIT_MS })
      .toBe("SHARED_UNAVAILABLE");
    const began = performance.now();
    expect(await code(a!, "tasks_create", { kind: "task", title: "Lost" })).toBe("SHARED_UNAVAILABLE");
    expect(performance.now() - began, "it waits for no server").toBeLessThan(WAIT_MS);
    expect(filesOf(a!.root)).toEqual(before);
    const radar = await call(a!, "tasks_radar", { task: "TASK-001" });
    expect([radar.error, radar.warnings.map((w) => w.code)]).toEqual([null, ["SHARED_BEHIND"]]);
    await server.start();
    await expect.poll(async () => (await note(a!, "back")).error?.code ?? "ok", { timeout: 10_000 }).toBe("ok");
    expect(notesOf(a!.root)).toEqual(["back"]);
  });

  it("[SHARED-8] that was never there: a workspace opens, reads, and refuses changes", async () => {
    const local = openTemp();
    await newTask(local);
    const away = machine("nats://127.0.0.1:1", { root: local.root, log: { timeoutMs: 300 } });
    expect((await call(away, "tasks_radar", { task: "TASK-001" })).error).toBeNull();
    expect((await note(away, "no")).error?.code).toBe("SHARED_UNAVAILABLE");
  });
});

describe("a cluster of servers", () => {
  it("[SHARED-2] loses its servers one after the other, and the machines go on", async () => {
    const servers = await natsCluster(3);
    const urls = servers.map((server) => server.url);
    const log = { replicas: 3, timeoutMs: 1000 };
    const [a, b] = [machine(urls, { log }), machine(urls, { log })];
    await expect
      .poll(
        () =>
          a.shared.init(WORKSPACE).then(
            () => "ok",
            (e: Error) => e.message,
          ),
        { timeout: 20_000, interval: 500 },
      )
      .toBe("ok");
    await newTask(a);
    for (const [i, server] of servers.entries()) {
      await server.kill();
      for (const [ws, name] of [
        [a, "a"],
        [b, "b"],
      ] as const) {
        const text = `${name} without ${i}`;
        await expect
          .poll(async () => (await note(ws, text, { idempotency_key: text })).error?.code ?? "ok", { timeout: 20_000 })
          .toBe("ok");
      }
      await server.start();
      await caughtUp(urls[i]!);
    }
    await synced(a, b);
    expect(notesOf(a.root).toSorted()).toEqual(
      [0, 1, 2].flatMap((i) => [`a without ${i}`, `b without ${i}`]).toSorted(),
    );
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
  });
});

describe("a server that answers nothing", () => {
  it("[SHARED-43] is left by no process that closes meanwhile, and by none whose last question was answered", async () => {
    const server = await natsServer();
    const urls = [server.url, server.url.replace("127.0.0.1", "localhost")];
    const log = await jetstream({ servers: urls, timeoutMs: 300 }).connect(WORKSPACE);
    await log.create({ workspace: WORKSPACE, ids: "sequential" });
    const ask = (): Promise<string> =>
      log.state().then(
        () => "answered",
        () => "silent",
      );
    // The system stops a process a moment after the signal, and until then it answers.
    const stop = async (): Promise<void> => {
      server.signal("SIGSTOP");
      await expect.poll(ask, { timeout: 20_000 }).toBe("silent");
    };
    const isSilent = async (): Promise<void> => {
      await stop();
      server.signal("SIGCONT");
      await expect.poll(ask, { timeout: 20_000 }).toBe("answered");
    };
    const { doubts } = log;
    await isSilent();
    await wait(1500);
    await isSilent();
    expect(log.doubts).toBe(doubts);
    await stop();
    await wait(1500);
    const asked = ask();
    await log.close();
    server.signal("SIGCONT");
    expect(await asked).toBe("silent");
  });
});

describe("a missing answer", () => {
  it("[SHARED-9] is settled when the way is open again: the change is made once", async () => {
    const server = await natsServer();
    const proxy = await droppingProxy(server.port);
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const b = machine(proxy.url, { log: { timeoutMs: 300 } });
    await ok(b, "tasks_note", { task: "TASK-001", note: "before" });
    proxy.drop("answers");
    const waiting = note(b, "once", { idempotency_key: "k1" });
    await new Promise((done) => setTimeout(done, 700));
    await ok(a!, "tasks_note", { task: "TASK-001", note: "meanwhile" });
    proxy.heal();
    expect((await waiting).error).toBeNull();
    await synced(a!, b);
    expect(notesOf(a!.root).toSorted()).toEqual(["before", "meanwhile", "once"]);
    expect(filesOf(b.root)).toEqual(filesOf(a!.root));
  });

  it("[SHARED-9] for too long is UNKNOWN_OUTCOME, and the same key is safe", async () => {
    const server = await natsServer();
    const proxy = await droppingProxy(server.port);
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const b = machine(proxy.url, { lockTimeoutMs: 600, log: { timeoutMs: 300 } });
    await ok(b, "tasks_note", { task: "TASK-001", note: "before" });
    proxy.drop("answers");
    const lost = await note(b, "once", { idempotency_key: "k1" });
    expect([lost.error?.code, lost.error?.details?.["reason"]]).toEqual(["UNKNOWN_OUTCOME", "NOT_CONFIRMED"]);
    proxy.heal();
    await expect
      .poll(async () => (await note(b, "once", { idempotency_key: "k1" })).error?.code ?? "ok", { timeout: 10_000 })
      .toBe("ok");
    await synced(a!, b);
    expect(notesOf(a!.root)).toEqual(["before", "once"]);
  });
});

describe("git beside the shared log", () => {
  it("[SHARED-12] takes lines away: they are back before the next change", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    const early = readFileSync(logPath(a!.root));
    for (const text of ["one", "two"]) await ok(a!, "tasks_note", { task: "TASK-001", note: text });
    await a!.close();
    writeFileSync(logPath(a!.root), early);
    const again = machine(server.url, { root: a!.root });
    await ok(again, "tasks_note", { task: "TASK-001", note: "three" });
    expect(notesOf(again.root)).toEqual(["one", "two", "three"]);
    await synced(again, b!);
    expect(filesOf(b!.root)).toEqual(filesOf(again.root));
    expect(again.verify().findings).toEqual([]);
  });

  it("[SHARED-12] brings lines: they are published first, and logs with branches have the same bytes everywhere", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    const fork = tempFolder();
    cpSync(join(a!.root, ".coco"), join(fork, ".coco"), { recursive: true });
    await ok(b!, "tasks_note", { task: "TASK-001", note: "shared" });
    await synced(a!, b!);
    const local = openTemp({ root: fork, now: Date.now });
    await ok(local, "tasks_note", { task: "TASK-001", note: "by git" });
    await ok(local, "tasks_create", { kind: "task", id: "TASK-050", title: "By git" });
    // As a merge by union leaves it.
    const theirs = readFileSync(logPath(fork), "utf8").split("\n").slice(-2);
    writeFileSync(logPath(a!.root), readFileSync(logPath(a!.root), "utf8") + theirs.join("\n"));
    cpSync(join(fork, ".coco/tasks/TASK-050"), join(a!.root, ".coco/tasks/TASK-050"), { recursive: true });
    expect((await a!.shared.status()).lacking.toSorted()).toEqual(["TASK-001", "TASK-050"]);
    await ok(a!, "tasks_note", { task: "TASK-001", note: "after" });
    await synced(a!, b!);
    expect(notesOf(b!.root).toSorted()).toEqual(["after", "by git", "shared"]);
    expect(notesOf(b!.root).at(-1)).toBe("after");
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
    expect(Object.keys(filesOf(b!.root))).toContain(".coco/tasks/TASK-050/events.jsonl");
    expect((await a!.shared.status()).lacking).toEqual([]);
  });

  it("[SHARED-12] a clone joins: what it has counts once, and what the shared log lacks is published", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    await ok(a!, "tasks_note", { task: "TASK-001", note: "one" });
    const root = tempFolder();
    cpSync(join(a!.root, ".coco"), join(root, ".coco"), { recursive: true });
    rmSync(join(root, ".coco/registry"), { recursive: true });
    const local = openTemp({ root, now: Date.now });
    await ok(local, "tasks_note", { task: "TASK-001", note: "offline" });
    await local.close();
    const b = machine(server.url, { root });
    await ok(b, "tasks_note", { task: "TASK-001", note: "joined" });
    await synced(a!, b);
    expect(notesOf(a!.root)).toEqual(["one", "offline", "joined"]);
    expect(filesOf(b.root)).toEqual(filesOf(a!.root));
  });

  it("[SHARED-12] two machines that made one id before they shared: the later one gets the name of resolve", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const local = openTemp({ now: Date.now });
    await newTask(local);
    await local.close();
    const b = machine(server.url, { root: local.root });
    await b.shared.sync();
    await synced(a!, b);
    const ids = readdirSync(join(a!.root, ".coco/tasks")).toSorted();
    expect(ids).toEqual(["TASK-001", expect.stringMatching(/^TASK-001-[0-9a-f]{6}$/)]);
    await synced(a!, b);
    expect(filesOf(b.root)).toEqual(filesOf(a!.root));
    expect(a!.verify().findings.filter((one) => !one.info)).toEqual([]);
  });
});

describe("a stream that is another one", () => {
  it("[SHARED-13] is not published over, whether it is deleted, made anew or shorter", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    await a!.close();
    await withStream(server.url, (name, manager) => manager.streams.delete(name));
    const gone = machine(server.url, { root: a!.root });
    expect((await note(gone, "x")).error?.code).toBe("SHARED_UNAVAILABLE");
    await gone.close();
    const b = machine(server.url);
    await b.shared.init(WORKSPACE);
    const other = machine(server.url, { root: a!.root });
    expect((await note(other, "x")).error?.code).toBe("SHARED_REPLACED");
    await other.shared.leave();
    const again = machine(server.url, { root: a!.root });
    await again.shared.init();
    await synced(again, b);
    expect(existsSync(logPath(b.root))).toBe(true);
  });
});

describe("messages", () => {
  it("[SHARED-1] that no Taskfold wrote go to the quarantine, and later ones count", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    const connection = await connect({ servers: server.url });
    connection.publish(await subjectOf(server.url, "several"), "not ours");
    await connection.flush();
    await connection.close();
    await ok(a!, "tasks_note", { task: "TASK-001", note: "later" });
    await synced(a!, b!);
    expect(notesOf(b!.root)).toEqual(["later"]);
    const kept = readdirSync(join(b!.root, ".coco/registry/quarantine")).filter((one) => one.startsWith("shared-"));
    expect(kept).toHaveLength(1);
  });

  it("[SHARED-1] that bring ops a second time, beside others, leave every machine in step", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    for (const text of ["one", "two"]) await ok(a!, "tasks_note", { task: "TASK-001", note: text });
    const ops = opsIn(logPath(a!.root));
    const again = { id: "TASK-001", made: false, prev: ops[1]!.events[0]!.prev, root: ops[0]!.hash, ops: [ops[1]!] };
    const [message] = encodeMessages([again], 1e6, 0);
    const connection = await connect({ servers: server.url });
    connection.publish(await subjectOf(server.url, message!.topic), message!.body);
    await connection.flush();
    await connection.close();
    await synced(a!, b!);
    const inStep = { lacking: [], last: 5, taken_in: 5 };
    for (const one of [a!, b!]) expect(await one.shared.status()).toMatchObject(inStep);
    await ok(b!, "tasks_note", { task: "TASK-001", note: "three" });
    await synced(a!, b!);
    expect(notesOf(a!.root)).toEqual(["one", "two", "three"]);
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
  });

  it("[SHARED-1] too large for one go in several, and count together", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    const steps = Array.from({ length: 12 }, (_, i) => ({
      title: `Step ${i}`,
      success_criteria: ["x".repeat(200_000)],
      tests: ["npm test"],
    }));
    await ok(a!, "tasks_decompose", { task: "TASK-001", steps });
    await ok(b!, "tasks_note", { task: "TASK-001", note: "after" });
    await synced(a!, b!);
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
    expect(readFileSync(logPath(b!.root)).length).toBeGreaterThan(2_000_000);
  });

  it("[SHARED-18] that do not fit into the stream are refused, and nothing is dropped", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, { log: { maxBytes: 40_000 } });
    await newTask(a!);
    let refused: string | undefined;
    let made = 0;
    for (let i = 0; i < 50 && refused === undefined; i++) {
      refused = (await note(a!, "x".repeat(2000))).error?.code;
      made += refused === undefined ? 1 : 0;
    }
    expect(refused).toBe("SHARED_UNAVAILABLE");
    expect(notesOf(a!.root)).toHaveLength(made);
    const { config, state } = await withStream(server.url, (name, manager) => manager.streams.info(name));
    expect([config.max_age, config.discard, config.deny_delete, config.deny_purge]).toEqual([0, "new", true, true]);
    expect(state.first_seq).toBe(1);
  });

  it("[SHARED-19] name captured bytes that the object store has", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const output = "line\n".repeat(20_000);
    await ok(a!, "tasks_evidence_capture", {
      task: "TASK-001",
      path: "s:0",
      items: [{ kind: "command", command: "npm test", exit_code: 0, stdout: output }],
    } as never);
    const folder = join(a!.root, ".coco/tasks/TASK-001/shared/evidence/blobs");
    const [blob] = readdirSync(folder);
    const objects = await withStream(server.url, async (_name, manager) => {
      const names: string[] = [];
      for await (const stream of manager.streams.list()) names.push(`${stream.config.name}:${stream.state.messages}`);
      return names.find((name) => name.startsWith("OBJ_"));
    });
    expect(blob).toMatch(/^[0-9a-f]{64}$/);
    expect(objects).not.toMatch(/:0$/);
  });
});

describe("one machine", () => {
  it("[SHARED-16] has processes that share what it has taken in; without the file it begins again, and nothing changes", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const second = machine(server.url, { root: a!.root });
    const texts = Array.from({ length: 20 }, (_, i) => `note ${i}`);
    await Promise.all(texts.map((text, i) => ok(i % 2 ? a! : second, "tasks_note", { task: "TASK-001", note: text })));
    expect(notesOf(a!.root).toSorted()).toEqual(texts.toSorted());
    await a!.close();
    await second.close();
    const before = filesOf(a!.root);
    rmSync(join(a!.root, ".coco/registry"), { recursive: true });
    const third = machine(server.url, { root: a!.root });
    await third.shared.sync();
    expect(filesOf(a!.root)).toEqual(before);
    expect(third.verify().findings).toEqual([]);
  });

  it("[SHARED-20] says how far each side is", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    const status = await a!.shared.status();
    expect(status).toEqual({ address: server.url, mode: "strict", last: 2, taken_in: 2, lacking: [], trouble: null });
    expect((await b!.shared.sync(WORKSPACE)).taken_in).toBe(2);
  });
});
