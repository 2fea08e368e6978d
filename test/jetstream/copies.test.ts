/** A server that was cut off while it led, and kept a message that never counted. Its copy of the stream differs from then on. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { SharedLog, SharedLogPort, SharedMessage } from "../../src/engine/core/shared_log.ts";
import { openWorkspace } from "../../src/engine/workspace.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { filesOf } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { publishes } from "../support/publishes.ts";
import { tempFolder } from "../support/temp.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

/** What the copy of one server has in the place of a message of the leader. */
interface Copy {
  isCut: boolean;
  kept: SharedMessage | undefined;
  /** How often many messages were read from it. */
  reads: number;
}

/** The log of a real server, of which many messages are read from such a copy. */
function through(log: SharedLog, copy: Copy): SharedLog {
  const read: SharedLog["read"] = async function* (after, upTo, from) {
    const isFromCopy = from !== "leader" && upTo - after > 16;
    if (isFromCopy) copy.reads++;
    for await (const message of log.read(after, upTo, from))
      yield isFromCopy && message.seq === copy.kept?.seq ? copy.kept : message;
  };
  const publish: SharedLog["publish"] = async (message, expected) => {
    if (!copy.isCut) return log.publish(message, expected);
    const { id, part, behind, body } = message;
    copy.kept = { seq: expected + 1, id, part, behind, body };
    return { kind: "absent", why: "the server is cut off from the others" };
  };
  const own: Partial<SharedLog> = { read, publish };
  return new Proxy(log, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in own ? own : log, name);
      return typeof value === "function" ? value.bind(log) : value;
    },
  });
}

function machineThrough(url: string, copy: Copy, more: Partial<WorkspaceOptions> = {}): Workspace {
  const { mode, blobs, address, connect } = jetstream({ servers: url });
  const shared: SharedLogPort = { mode, blobs, address, connect: async (name) => through(await connect(name), copy) };
  const workspace = openWorkspace({
    root: tempFolder(),
    by: "agent:ada",
    durability: "os",
    shared,
    lockTimeoutMs: 300,
    ...more,
  });
  onTestFinished(() => workspace.close());
  return workspace;
}

describe("a copy that kept a message which never counted", () => {
  it.each([
    ["among others", 30],
    ["as the last one that is taken in together with others", 200],
  ])("[SHARED-43] is not believed by a machine that is new, where it lies %s: the leader is asked", async (_, at) => {
    const { url } = await natsServer();
    const copy: Copy = { isCut: false, kept: undefined, reads: 0 };
    const a = machineThrough(url, copy);
    await a.shared.init(WORKSPACE);
    await newTask(a);
    const note = (text: string) => call(a, "tasks_note", { task: "TASK-001", note: text });
    const isAt = async (seq: number): Promise<boolean> => (await a.shared.status()).last >= seq;
    for (let i = 0; !(await isAt(at - 1)); i++) await ok(a, "tasks_note", { task: "TASK-001", note: `n${i}` });
    copy.isCut = true;
    expect((await note("never counted")).error?.code).toBe("SHARED_UNAVAILABLE");
    copy.isCut = false;
    expect(copy.kept?.seq).toBe(at);
    for (let i = 0; i < 40; i++) await ok(a, "tasks_note", { task: "TASK-001", note: `m${i}` });
    const b = machineThrough(url, copy, { telemetry: publishes().telemetry });
    const status = await b.shared.init(WORKSPACE);
    expect(copy.reads).toBeGreaterThan(0);
    expect(status).toMatchObject({ last: at + 39, taken_in: at + 39, lacking: [] });
    await b.shared.sync(WORKSPACE);
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
    expect(notesOf(b.root)).not.toContain("never counted");
    await ok(b, "tasks_note", { task: "TASK-001", note: "of b" });

    const { findings } = await b.shared.verify();
    expect(findings).toEqual([
      {
        code: "COPY_DIFFERS",
        id: null,
        message: expect.stringContaining(`in message ${at}. Machines take in the leader's`),
      },
    ]);
  });
});
