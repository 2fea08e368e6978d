/** Real tool calls on a real workspace, at random: the same numbers give the same calls. */
import type { JsonObject } from "../../src/state/json.ts";
import fc from "fast-check";
import { RandomCalls, randomFrom } from "./random_calls.mjs";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { openWorkspace } from "./open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { watched } from "./outputs.ts";
import { counting, ticking } from "./workspace.ts";

/** One number per call, so that a failing run shrinks by leaving calls out. */
export function anyWork(longest: number): fc.Arbitrary<number[]> {
  return fc.array(fc.nat(), { minLength: 1, maxLength: longest });
}

/** The real disk without syncs: no law is about a crash, and waiting for the disk would take nearly all of the time. */
export const UNSYNCED: Disk = {
  ...nodeDisk,
  fsync: () => undefined,
  fdatasyncSync: () => undefined,
  fdatasync: () => Promise.resolve(),
  syncFolder: () => undefined,
};

/** Codes that no random call may ever lead to. */
const NEVER = new Set([
  "INTERNAL",
  "UNKNOWN_OUTCOME",
  "STORAGE_FAILED",
  "LOG_UNREADABLE",
  "LOG_INCOMPLETE",
  "LOG_TWO_ROOTS",
]);

export class RandomWork {
  readonly ws: Workspace;
  readonly calls: RandomCalls;

  constructor(
    root: string,
    seed: string,
    { calls, ...options }: Partial<WorkspaceOptions> & { calls?: RandomCalls } = {},
  ) {
    this.ws = watched(
      openWorkspace({
        durability: "os",
        disk: UNSYNCED,
        now: ticking(),
        newId: counting(seed),
        ...options,
        root,
      }),
    );
    this.calls = new RandomCalls();
    for (const [id, known] of calls?.entities ?? []) this.calls.entities.set(id, { ...known, steps: [...known.steps] });
  }

  /** Makes the calls; `after` looks at the workspace after each. */
  async do(numbers: readonly number[], after: (reply: Reply) => void = () => undefined): Promise<void> {
    for (const n of numbers) {
      const call = this.calls.next(randomFrom(n));
      const reply = await this.ws.callTool(call.tool, call.input as JsonObject);
      if (reply.error && NEVER.has(reply.error.code))
        throw new Error(`${call.tool} ${JSON.stringify(call.input)}: ${reply.error.code} ${reply.error.message}`);
      this.calls.heard(call, reply);
      after(reply);
    }
  }
}
