/** Machines whose shared log does some things otherwise, on a real server. */
import { onTestFinished } from "vitest";
import type { SharedLog, SharedLogPort, SharedMode } from "../../src/engine/core/shared_log.ts";
import { openWorkspace } from "../../src/engine/workspace.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { PATIENCE_MS } from "./machines.ts";
import { tempFolder } from "./temp.ts";

/** The log at this address, with some of its methods done otherwise. */
function otherwise(url: string, change: (log: SharedLog) => Partial<SharedLog>, mode: SharedMode): SharedLogPort {
  const port = jetstream({ servers: url, mode, timeoutMs: PATIENCE_MS });
  const connect = async (workspace: string): Promise<SharedLog> => {
    const log = await port.connect(workspace);
    const changed = change(log);
    return new Proxy(log, {
      get: (target, name: keyof SharedLog) => {
        const value = changed[name] ?? target[name];
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  return { ...port, connect };
}

/** A machine whose log does some things otherwise. */
export function openWith(
  url: string,
  change: (log: SharedLog) => Partial<SharedLog>,
  { mode = "strict", ...options }: { mode?: SharedMode; lockTimeoutMs?: number } = {},
): Workspace {
  const ws = openWorkspace({ root: tempFolder(), durability: "os", ...options, shared: otherwise(url, change, mode) });
  onTestFinished(() => ws.close());
  return ws;
}
