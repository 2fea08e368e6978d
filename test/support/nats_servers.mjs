// @ts-check
// Real servers of NATS JetStream on loopback, each with a folder of its own, and ways to them that can be cut. Used by tests and scripts.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

export const NATS_SERVER = "nats-server";
const TRIES = 200;
const TRY_MS = 50;

/**
 * @typedef {object} NatsServer
 * @property {string} name
 * @property {string} url
 * @property {number} port
 * @property {() => Promise<void>} kill Ends it as a power cut would, with what it has on disk.
 * @property {() => Promise<void>} start Brings it back.
 * @property {(signal: NodeJS.Signals) => void} signal
 */

/**
 * @typedef {object} Proxy
 * @property {string} url
 * @property {(direction: "both" | "answers") => void} drop Lets nothing more through, and closes nothing.
 * @property {() => string} lost what the client sent and the server never had
 * @property {() => void} heal Ends every connection; new ones are let through.
 * @property {() => void} close
 */

/** Whether the program is installed. */
export function hasNatsServer() {
  return spawnSync(NATS_SERVER, ["--version"]).error === undefined;
}

/** One server, up when this returns. @param {string} folder @param {string[]} options */
export async function natsServer(folder, ...options) {
  const [port = 0] = await freePorts(1);
  return started("server0", port, ["-js", "-sd", folder, ...options]);
}

/** A server with this file, which it reads again on a HUP: so the file, not an option, says where its streams are. @param {string} conf */
export async function natsServerFrom(conf) {
  const [port = 0] = await freePorts(1);
  return started("server0", port, ["-c", conf]);
}

/** Servers of one cluster. They tell clients of no other address than the one that these know. @param {string} folder @param {number} count */
export async function natsCluster(folder, count) {
  const ports = await freePorts(2 * count);
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`);
  return Promise.all(
    ports.slice(0, count).map((port, i) => {
      const name = `server${i}`;
      const own = join(folder, name);
      mkdirSync(own, { recursive: true });
      const cluster = [
        "--cluster_name",
        "taskfold",
        "--cluster",
        routes[i] ?? "",
        "--routes",
        routes.join(","),
        "--no_advertise",
      ];
      return started(name, port, ["-js", "-n", name, "-sd", own, ...cluster]);
    }),
  );
}

/**
 * Servers of one cluster, of which each can be cut off from the others. A proxy on each way between two can drop everything.
 * @param {string} folder @param {number} count
 */
export async function natsClusterWithCuts(folder, count) {
  const [nowhere = 0, ...ports] = await freePorts(2 * count + 1);
  const routePorts = ports.slice(count);
  const ways = await Promise.all(
    routePorts.map((_, from) =>
      Promise.all(routePorts.map(async (port, to) => (from === to ? undefined : droppingProxy(port)))),
    ),
  );
  const servers = await Promise.all(
    ports.slice(0, count).map((port, i) => {
      const name = `server${i}`;
      const own = join(folder, name);
      mkdirSync(own, { recursive: true });
      const routes = (ways[i] ?? []).flatMap((way) => way?.url ?? []).join(",");
      const route = `nats://127.0.0.1:${routePorts[i]}`;
      const cluster = ["--cluster_name", "taskfold", "--cluster", route, "--routes", routes];
      // Servers tell each other of routes, around the proxies: this one leads nowhere.
      const told = ["--cluster_advertise", `127.0.0.1:${nowhere}`, "--no_advertise"];
      return started(name, port, ["-js", "-n", name, "-sd", own, ...cluster, ...told]);
    }),
  );
  /** @param {number} i */
  const waysOf = (i) =>
    ways.flatMap((row, from) => row.filter((_, to) => from === i || to === i)).flatMap((way) => way ?? []);
  return {
    servers,
    /** @param {number} i */
    cut: (i) => waysOf(i).forEach((way) => way.drop("both")),
    /** @param {number} i */
    heal: (i) => waysOf(i).forEach((way) => way.heal()),
    close: () => ways.flat().forEach((way) => way?.close()),
  };
}

/** @param {string} name @param {number} port @param {string[]} options @returns {Promise<NatsServer>} */
async function started(name, port, options) {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let running;
  const start = async () => {
    running = spawn(NATS_SERVER, ["-a", "127.0.0.1", "-p", String(port), ...options], { stdio: "ignore" });
    await answering(port);
  };
  const kill = async () => {
    const server = running;
    running = undefined;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  };
  await start();
  process.once("exit", () => running?.kill("SIGKILL"));
  return { name, url: `nats://127.0.0.1:${port}`, port, kill, start, signal: (signal) => void running?.kill(signal) };
}

/** @param {number} port */
async function answering(port) {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const isUp = await new Promise((done) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("data", () => {
        socket.destroy();
        done(true);
      });
      socket.once("error", () => done(false));
    });
    if (isUp) return;
    await new Promise((done) => setTimeout(done, TRY_MS));
  }
  throw new Error(`expected ${NATS_SERVER} on port ${port}`);
}

/** @param {number} count */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** A way to a server that can be cut without either end noticing. @param {number} to @returns {Promise<Proxy>} */
export async function droppingProxy(to) {
  let dropping = "no";
  let lost = "";
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      if (dropping === "both") lost += data.toString("latin1");
      else upstream.write(data);
    });
    upstream.on("data", (data) => void (dropping === "no" && client.write(data)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `nats://127.0.0.1:${portOf(server)}`,
    drop: (direction) => {
      dropping = direction;
    },
    lost: () => lost,
    heal: () => {
      dropping = "no";
      destroyAll();
    },
    close: () => {
      destroyAll();
      server.close();
    },
  };
}

/** @param {import("node:net").Server} server */
function portOf(server) {
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
