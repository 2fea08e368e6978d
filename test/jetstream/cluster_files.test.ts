/** The files of examples/cluster, as they stand but for paths and ports: three servers with TLS and accounts. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { connect } from "@nats-io/transport-node";
import { beforeAll, afterAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { unwrap } from "../../src/engine/entity/unwrap.ts";
import { NATS_SERVER } from "../support/nats_servers.mjs";
import { openWorkspace } from "../../src/engine/workspace.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { PROGRAM } from "../hosts/cli_support.ts";
import { machine } from "../support/machines.ts";
import { ROOT } from "../support/source.ts";
import { fileTempFolder, tempFolder } from "../support/temp.ts";
import { newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const FILES = join(ROOT, "examples/cluster");
const STREAM = "taskfold-acme_repo";
const NAMES = ["nats-1", "nats-2", "nats-3"];

interface Cluster {
  urls: (user: string) => string[];
  tls: { caFile: string };
  servers: ReturnType<typeof spawn>[];
}

/** Variables of a file as systemd and compose read it. */
function envOf(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").split("\n");
  return Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2)));
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

async function started(folder: string): Promise<Cluster> {
  const tls = join(folder, "tls");
  expect(spawnSync("sh", [join(FILES, "make_certificates.sh"), tls, ...NAMES], { stdio: "inherit" }).status).toBe(0);
  const ports = await freePorts(9);
  const env = { ...process.env, ...envOf(join(FILES, "nats.env")) };
  NAMES.forEach((_, i) => Object.assign(env, { [`NATS_ROUTE_${i + 1}`]: `nats://127.0.0.1:${ports[3 + i]}` }));
  const servers = NAMES.map((name, i) => {
    const own = join(folder, name);
    mkdirSync(own);
    cpSync(join(tls, name), join(own, "tls"), { recursive: true });
    cpSync(join(FILES, "accounts.conf"), join(own, "accounts.conf"));
    const conf = readFileSync(join(FILES, "nats.conf"), "utf8")
      .replaceAll("/etc/nats/", `${own}/`)
      .replaceAll("/var/lib/nats", join(own, "data"))
      .replace("0.0.0.0:4222", `127.0.0.1:${ports[i]}`)
      .replace("0.0.0.0:6222", `127.0.0.1:${ports[3 + i]}`)
      .replace("127.0.0.1:8222", `127.0.0.1:${ports[6 + i]}`);
    writeFileSync(join(own, "nats.conf"), conf);
    const log = ["-l", join(own, "log")];
    return spawn(NATS_SERVER, ["-c", join(own, "nats.conf"), ...log], { env: { ...env, NATS_NAME: name } });
  });
  const password = (user: string): string => env[`NATS_${user.toUpperCase()}_PASSWORD` as "PATH"]!;
  const urls = (user: string) => ports.slice(0, 3).map((port) => `nats://${user}:${password(user)}@127.0.0.1:${port}`);
  return { urls, tls: { caFile: join(tls, "ca.crt") }, servers };
}

/** Servers choose a leader within seconds. */
async function eventually(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (e) {
      if (attempt === 60) throw e;
      await wait(500);
    }
  }
}

/** A connection of its own, for what the engine never asks. */
async function raw(cluster: Cluster, user: string): Promise<NatsConnection> {
  const urls = cluster.urls(user).map((text) => new URL(text));
  const { username: name, password: pass } = urls[0]!;
  const servers = urls.map(({ host }) => host);
  const connection = await connect({ servers, user: name, pass, tls: cluster.tls, timeout: 5000 });
  onTestFinished(() => connection.close());
  return connection;
}

describe("the files of examples/cluster", () => {
  const folder = fileTempFolder();
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await started(folder);
    const { urls, tls } = cluster;
    await eventually(async () => {
      const shared = jetstream({ servers: urls("operator"), tls, stream: STREAM, replicas: 3 });
      const first = openWorkspace({ root: join(folder, "first"), shared });
      try {
        await first.shared.init(WORKSPACE);
      } finally {
        await first.close();
      }
    });
  });

  afterAll(async () => {
    const ended = cluster.servers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(ended.map((server) => (server.kill("SIGKILL"), once(server, "exit"))));
  });

  const worker = () => machine(cluster.urls("worker"), { log: { tls: cluster.tls, stream: STREAM } });

  it("let workers write, read, keep captured output and compare", async () => {
    const [a, b] = [worker(), worker()];
    const id = await newTask(a);
    const output = "x".repeat(200_000);
    const items = [{ kind: "cmd_output", command: "npm test", stdout: output, exit_code: 0 }];
    await ok(a, "tasks_evidence_capture", { task: id, path: "s:0", items: items as never });
    const notes = Array.from({ length: 30 }, (_, i) => `note ${i}`);
    for (const note of notes) await ok(b, "tasks_note", { task: id, note });
    await a.shared.sync(WORKSPACE);
    await b.shared.sync(WORKSPACE, { blobs: "all" });
    // A machine that begins from nothing reads by a consumer, not one by one.
    const c = worker();
    await c.shared.sync(WORKSPACE, { blobs: "all" });
    expect(notesOf(c.root, id)).toEqual(notes);
    for (const one of [a, b, c]) expect(one.verify().findings).toEqual([]);
    expect((await c.shared.verify(WORKSPACE)).findings).toEqual([]);
  });

  it("let in a command line that knows the authority by NODE_EXTRA_CA_CERTS", async () => {
    const [first, ...others] = cluster.urls("worker");
    const servers = [first, ...others.map((url) => new URL(url).host)].join(",");
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: cluster.tls.caFile,
      TASKFOLD_SHARED: `${servers}?stream=${STREAM}`,
    };
    const status = spawnSync(
      process.execPath,
      [PROGRAM, "shared", "init", "--workspace", WORKSPACE, "-C", tempFolder()],
      {
        env,
        encoding: "utf8",
      },
    );
    expect(status).toMatchObject({ status: 0, stderr: "" });
    expect(status.stdout).toContain("127.0.0.1");
  });

  it("let workers change nothing of the stream, and see no other", async () => {
    const connection = await raw(cluster, "worker");
    const manager = await jetstreamManager(connection, { timeout: 1000, checkAPI: false });
    const { streams } = manager;
    const refused = {
      purge: () => streams.purge(STREAM),
      delete: () => streams.delete(STREAM),
      "delete a message": () => streams.deleteMessage(STREAM, 1),
      change: () => streams.update(STREAM, { max_msgs: 1 }),
      make: () => streams.add({ name: "other", subjects: ["other.>"] }),
      "see another": () => streams.info("other"),
      "list names": () => streams.names().next(),
      "delete the object store": () => streams.delete(`OBJ_${STREAM}`),
      "step down": () => connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${STREAM}`, "", { timeout: 1000 }),
      snapshot: () => connection.request(`$JS.API.STREAM.SNAPSHOT.${STREAM}`, "{}", { timeout: 1000 }),
      "publish elsewhere": () => connection.request("taskfold.other.x", "", { timeout: 1000 }),
      "ask the servers": () => connection.request("$SYS.REQ.SERVER.PING", "", { timeout: 1000 }),
    };
    const outcomes = await Promise.all(
      Object.entries(refused).map(async ([name, attempt]) => {
        const outcome = await attempt().then(
          () => "allowed",
          (e: unknown) => (/permission/i.test(String(e)) ? "refused" : String(e)),
        );
        return [name, outcome];
      }),
    );
    expect(Object.fromEntries(outcomes)).toEqual(
      Object.fromEntries(Object.keys(refused).map((name) => [name, "refused"])),
    );
    expect((await streams.info(STREAM)).config.num_replicas).toBe(3);
  });

  it("let no client in that does not know the authority or the password", async () => {
    const { host } = new URL(cluster.urls("worker")[0]!);
    const { password: pass } = new URL(cluster.urls("worker")[0]!);
    const options = { servers: host, timeout: 3000, maxReconnectAttempts: 0 };
    await expect(connect({ ...options, user: "worker", pass })).rejects.toThrow(/certificate/i);
    await expect(connect({ ...options, tls: cluster.tls })).rejects.toThrow(/authoriz/i);
    await expect(connect({ ...options, tls: cluster.tls, user: "worker", pass: "other" })).rejects.toThrow(/authoriz/i);
  });

  it("go on without one server", async () => {
    const a = worker();
    const id = await newTask(a, "TASK-900");
    cluster.servers[0]!.kill("SIGKILL");
    await once(cluster.servers[0]!, "exit");
    const note = { workspace: WORKSPACE, task: id, note: "still here", idempotency_key: "still-here" };
    await eventually(async () => unwrap(await a.callTool("tasks_note", note)));
    const b = worker();
    await eventually(() => b.shared.sync(WORKSPACE));
    expect(notesOf(b.root, id)).toEqual(["still here"]);
  });

  it.skipIf(spawnSync("systemd-analyze", ["--version"]).error !== undefined)("have a unit that systemd takes", () => {
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(FILES, "nats-server.service")], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("have in compose.yaml only keys that compose knows, and volumes that are declared", () => {
    const compose = parse(readFileSync(join(FILES, "compose.yaml"), "utf8"), { merge: true }) as {
      services: Record<string, Record<string, unknown> & { volumes: string[]; env_file: string }>;
      volumes: Record<string, object>;
    };
    const keys = ["image", "command", "restart", "env_file", "stop_grace_period", "environment", "ports", "volumes"];
    expect(Object.keys(compose).toSorted()).toEqual(["services", "volumes", "x-server"]);
    for (const service of Object.values(compose.services)) {
      expect(keys).toEqual(expect.arrayContaining(Object.keys(service)));
      const [files, named] = [true, false].map((isFile) =>
        service.volumes.filter((one) => one.startsWith("./") === isFile).map((one) => one.split(":")[0]!),
      );
      expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named!));
      const there = [service.env_file, ...files!.filter((one) => !one.startsWith("./tls/"))];
      expect(there.filter((one) => !existsSync(join(FILES, one)))).toEqual([]);
    }
  });

  it("name the same servers in compose.yaml, nats.env and the unit", () => {
    const compose = parse(readFileSync(join(FILES, "compose.yaml"), "utf8"), { merge: true }) as {
      services: Record<string, { environment: { NATS_NAME: string }; command: string[]; volumes: string[] }>;
    };
    expect(Object.keys(compose.services)).toEqual(NAMES);
    for (const [name, { environment, command, volumes }] of Object.entries(compose.services)) {
      expect(environment.NATS_NAME).toBe(name);
      expect(command).toEqual(["--config", "/etc/nats/nats.conf"]);
      expect(volumes).toContain(`./tls/${name}:/etc/nats/tls:ro`);
    }
    const env = envOf(join(FILES, "nats.env"));
    expect(NAMES.map((_, i) => env[`NATS_ROUTE_${i + 1}`])).toEqual(NAMES.map((name) => `nats://${name}:6222`));
    // A server that told the others its address would be called by it, and be refused without end: certificates hold names.
    expect(readFileSync(join(FILES, "nats.conf"), "utf8")).toMatch(/^ {2}advertise: \$NATS_NAME$/m);
    const unit = readFileSync(join(FILES, "nats-server.service"), "utf8");
    expect(unit).toContain("ExecStart=/usr/sbin/nats-server --config /etc/nats/nats.conf");
  });
});
