/** Before each test file of a project that shares its workspaces: which tests run, and the end of what they opened. */
import { relative } from "node:path";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeEach, inject, onTestFinished } from "vitest";
import { whyLocal } from "./local_only.ts";
import { takeOpened } from "./open.ts";
import { ROOT } from "./source.ts";

declare module "vitest" {
  interface TaskMeta {
    /** How many roots a test opened over a shared log. */
    sharedRoots?: number;
    /** Why it is left out over a shared log. */
    isLocal?: string;
  }
}

const mode = inject("mode")!;
const connection = await connect({ servers: inject("server")!, timeout: 10_000 });
const { streams } = await jetstreamManager(connection, { checkAPI: false, timeout: 10_000 });

/** Nothing that a test opened runs on behind it. Returns how many roots it opened. */
async function endOpened(): Promise<number> {
  const taken = takeOpened();
  await Promise.allSettled(taken.workspaces.map((workspace) => workspace.close()));
  for (const name of taken.streams) await Promise.allSettled([streams.delete(name), streams.delete(`OBJ_${name}`)]);
  return taken.streams.length;
}

beforeEach(({ task, skip }) => {
  const reason = whyLocal(mode, relative(ROOT, task.file.filepath), task.fullTestName);
  if (reason !== undefined) {
    task.meta.isLocal = reason;
    skip(reason);
  }
  // What was registered first ends last: the test's own cleanup goes before.
  onTestFinished(async () => {
    task.meta.sharedRoots = await endOpened();
  });
});

afterAll(async () => {
  await endOpened();
});
