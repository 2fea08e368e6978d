/**
 * The shared log of a workspace as a stream of NATS JetStream: one stream a workspace, and its evidence in an object store beside it. The
 * packages of NATS are loaded when a connection is made, so a workspace that shares nothing needs none of them.
 */
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import type { SharedBlobs, SharedLog, SharedLogPort, SharedMode } from "../../engine/core/shared_log.ts";
import { SHARED_BLOBS, SHARED_MODES } from "../../engine/core/shared_log.ts";
import { Access } from "./access.ts";
import { isDenial, refusalOf } from "./failure.ts";
import { guardParser } from "./parser.ts";
import { guardSockets } from "./sockets.ts";
import { openStream } from "./stream.ts";
import type { NatsPackages } from "./packages.ts";

export interface JetStreamOptions {
  /** One address or several of one cluster: `nats://127.0.0.1:4222`, also `nats://user:password@host`. */
  servers: string | readonly string[];
  /** `strict`: a change counts once the stream has it. `merge`: once this machine has it. Default `strict`. */
  mode?: SharedMode;
  /**
   * `on_demand`: this machine fetches captured output of others when a call looks at it. `all`: behind each change. A machine that
   * commits the folders to git needs `all`. Default `on_demand`.
   */
  blobs?: SharedBlobs;
  /** A file of credentials, as `nsc` writes it. */
  credentials?: string;
  /** Texts in PEM, or the files that hold them. Without it the address decides: `tls://host`. */
  tls?: {
    ca?: string;
    cert?: string;
    key?: string;
    caFile?: string;
    certFile?: string;
    keyFile?: string;
  };
  /** Name of the stream (default: made of the workspace's id). */
  stream?: string;
  /** How many servers of the cluster keep the stream, when it is made. Default 1. */
  replicas?: number;
  /** How many bytes the stream may have, when it is made; it then refuses new messages. Default: as many as the server allows. */
  maxBytes?: number;
  /** How long one question to a server may take, in milliseconds. Default 2,000. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 2000;
/** A file of credentials has two short keys. */
const MAX_CREDENTIALS = 64 * 1024;
/** A server that answers no two pings is gone. They are so many questions apart. */
const PINGS = 5;
const INSTALL = "npm install @nats-io/transport-node @nats-io/jetstream @nats-io/obj";
const STREAM_NAME = /^[A-Za-z0-9_-]{1,200}$/;

/** The shared log that `openWorkspace` takes as `shared`. Connects when the workspace needs it first. */
export function jetstream(options: JetStreamOptions): SharedLogPort {
  checkOptions(options);
  const { mode = "strict", blobs = "on_demand" } = options;
  const servers = [options.servers].flat();
  const address = servers.map(withoutPassword).join(",");
  return { mode, blobs, address, connect: (workspace) => connect(options, servers, { address, workspace }) };
}

async function connect(
  options: JetStreamOptions,
  servers: readonly string[],
  about: { address: string; workspace: string },
): Promise<SharedLog> {
  const packages = await load();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const access = new Access();
  guardParser(packages.transport);
  let connection: NatsConnection;
  try {
    connection = await packages.transport.connect({
      ...loginOf(packages, options, servers),
      servers: servers.map(withoutLogin),
      timeout: timeoutMs,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: () => access.delayMs(),
      // Rights that were taken away may come back.
      ignoreAuthErrorAbort: true,
      pingInterval: PINGS * timeoutMs,
      name: "taskfold",
      // A trace for each question, in case it fails, costs a third of the question. Our errors say what was asked.
      noAsyncTraces: true,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
    });
    guardSockets(connection);
  } catch (e) {
    if (isDenial(packages.transport, e)) throw refusalOf(packages, about.address, e);
    throw new TaskfoldError(
      "SHARED_UNAVAILABLE",
      `Expected a NATS server at ${about.address}; ${textOf(e)}. Nothing was changed.`,
      {
        cause: e,
        recovery: "Start the server or correct the address, then call again.",
      },
    );
  }
  return openStream(packages, connection, { ...options, ...about, timeoutMs }, access);
}

async function load(): Promise<NatsPackages> {
  try {
    const [transport, jetStream, objects] = await Promise.all([
      import("@nats-io/transport-node"),
      import("@nats-io/jetstream"),
      import("@nats-io/obj"),
    ]);
    return { transport, jetStream, objects };
  } catch (e) {
    throw new TaskfoldError("SHARED_UNAVAILABLE", `Expected the packages of NATS; ${textOf(e)}.`, {
      cause: e,
      recovery: INSTALL,
      details: { reason: "NO_PACKAGE" },
    });
  }
}

function loginOf(
  { transport }: NatsPackages,
  { credentials }: JetStreamOptions,
  servers: readonly string[],
): Partial<ConnectionOptions> {
  if (credentials !== undefined)
    return { authenticator: transport.credsAuthenticator(nodeDisk.outside.readFile(credentials, MAX_CREDENTIALS)) };
  const login = servers.map((server) => parsed(server)).find((url) => url.username !== "");
  if (!login) return {};
  const [user, pass] = [login.username, login.password].map(decodeURIComponent);
  return pass === "" ? { token: user! } : { user: user!, pass: pass! };
}

function parsed(server: string): URL {
  return new URL(server.includes("://") ? server : `nats://${server}`);
}

function withoutLogin(server: string): string {
  const { hostname, port, protocol } = parsed(server);
  return `${protocol}//${hostname}:${port || "4222"}`;
}

function withoutPassword(server: string): string {
  const url = parsed(server);
  return url.username === "" ? withoutLogin(server) : withoutLogin(server).replace("//", "//…@");
}

function checkOptions({ servers, mode, blobs, stream, replicas }: JetStreamOptions): void {
  const given = [servers].flat();
  if (given.length === 0 || !given.every(isAddress))
    throw refused(`Expected servers such as nats://127.0.0.1:4222, found ${JSON.stringify(servers)}.`);
  if (mode !== undefined && !SHARED_MODES.includes(mode))
    throw refused(`Expected mode to be ${SHARED_MODES.join(" or ")}, found ${JSON.stringify(mode)}.`);
  if (blobs !== undefined && !SHARED_BLOBS.includes(blobs))
    throw refused(`Expected blobs to be ${SHARED_BLOBS.join(" or ")}, found ${JSON.stringify(blobs)}.`);
  if (stream !== undefined && !STREAM_NAME.test(stream))
    throw refused(`Expected stream to be a name of letters, digits, _ and -, found ${JSON.stringify(stream)}.`);
  if (replicas !== undefined && ![1, 3, 5].includes(replicas))
    throw refused(`Expected replicas to be 1, 3 or 5, found ${JSON.stringify(replicas)}.`);
}

function isAddress(server: unknown): boolean {
  return typeof server === "string" && URL.canParse(server.includes("://") ? server : `nats://${server}`);
}

function refused(message: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", message, {
    recovery: 'For example: jetstream({ servers: "nats://127.0.0.1:4222" }).',
  });
}

function textOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
