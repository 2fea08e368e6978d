/** Opens workspaces for tests: without a shared log, or each root over a log of its own, as the project of the run says. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { inject, onTestFinished, TestRunner } from "vitest";
import type { SharedLogPort, SharedMode } from "../../src/engine/core/shared_log.ts";
import * as testing from "../../src/testing.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { FaultyDisk } from "./faulty_disk.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The mode in which the tests of this project share their workspaces; undefined where they share none. */
    mode: SharedMode | undefined;
    /** The server that has their logs. */
    server: string | undefined;
  }
}

/** Streams of the roots that were opened since they were last taken, and the workspaces that were not closed. */
const streams = new Set<string>();
const opened = new Set<Workspace>();

/** What a test has opened until now; it is for the caller to end that. */
export function takeOpened(): { streams: string[]; workspaces: Workspace[] } {
  const taken = { streams: [...streams], workspaces: [...opened] };
  streams.clear();
  opened.clear();
  return taken;
}

function open(options: WorkspaceOptions): Workspace {
  const [mode, server] = [inject("mode"), inject("server")];
  if (mode === undefined || server === undefined || options?.shared || typeof options?.root !== "string")
    return testing.openWorkspace(options);
  const shared = logOf(options, jetstream({ servers: server, mode, stream: streamOf(options.root) }));
  const workspace = testing.openWorkspace({ ...options, shared });
  // Before its folder goes. A test that closes it itself hears of what fails there.
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await Promise.allSettled([workspace.close()])));
  opened.add(workspace);
  return workspace;
}

export const openWorkspace = open as typeof testing.openWorkspace;

/** The shared log of a root, which is made when it is opened first. A process that dies with its disk is connected no more. */
function logOf({ ids = "sequential", disk }: WorkspaceOptions, port: SharedLogPort): SharedLogPort {
  return {
    ...port,
    connect: async (workspace) => {
      const log = await port.connect(workspace);
      if (disk instanceof FaultyDisk) disk.whenGone(() => void Promise.allSettled([log.close()]));
      await log.create({ workspace, ids });
      return log;
    },
  };
}

/** One root, one stream: what opens the root again finds its log. */
function streamOf(root: string): string {
  const name = `test-${createHash("sha256").update(resolve(root)).digest("hex").slice(0, 20)}`;
  streams.add(name);
  return name;
}
