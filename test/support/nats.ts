/** Servers and proxies that end with their test. */
import { onTestFinished } from "vitest";
import * as servers from "../../scripts/nats_servers.mjs";
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
