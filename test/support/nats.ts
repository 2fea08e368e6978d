/** Servers and proxies that end with their test. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { onTestFinished } from "vitest";
import * as servers from "./nats_servers.mjs";
import { tempFolder } from "./temp.ts";

export async function natsServer(...options: string[]): Promise<servers.NatsServer> {
  const server = await servers.natsServer(tempFolder(), ...options);
  onTestFinished(server.kill);
  return server;
}

export async function natsServerFrom(conf: string): Promise<servers.NatsServer> {
  const server = await servers.natsServerFrom(conf);
  onTestFinished(server.kill);
  return server;
}

export async function natsCluster(count: number): Promise<servers.NatsServer[]> {
  const all = await servers.natsCluster(tempFolder(), count);
  for (const server of all) onTestFinished(server.kill);
  return all;
}

export async function natsClusterWithCuts(
  count: number,
): Promise<Awaited<ReturnType<typeof servers.natsClusterWithCuts>>> {
  const cluster = await servers.natsClusterWithCuts(tempFolder(), count);
  onTestFinished(cluster.close);
  for (const server of cluster.servers) onTestFinished(server.kill);
  return cluster;
}

export async function droppingProxy(to: number): Promise<servers.Proxy> {
  const proxy = await servers.droppingProxy(to);
  onTestFinished(proxy.close);
  return proxy;
}

/** The stream as its administrator sees it. */
export async function withStream<T>(
  url: string,
  work: (name: string, manager: JetStreamManager) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    const name = (await manager.streams.names().next()).find((one) => one.startsWith("taskfold-"))!;
    return await work(name, manager);
  } finally {
    await connection.close();
  }
}
