/** Users whose rights are taken away, or were never enough. A server reads its accounts again when it gets a HUP (`nats-server --signal reload`). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { NatsServer } from "../support/nats_servers.mjs";
import { filesOf, machine } from "../support/machines.ts";
import type { MachineOptions } from "../support/machines.ts";
import { natsServerFrom } from "../support/nats.ts";
import { tempFolder } from "../support/temp.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const STREAM = "taskfold-rights";
const READING = [
  "$JS.API.INFO",
  `$JS.API.STREAM.INFO.${STREAM}`,
  `$JS.API.STREAM.MSG.GET.${STREAM}`,
  `$JS.API.CONSUMER.*.${STREAM}`,
  `$JS.API.CONSUMER.*.${STREAM}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${STREAM}.>`,
  "$JS.FC.>",
];
const PUBLISHING = [...READING, `taskfold.${STREAM}.>`];
const KEEPING = [
  ...PUBLISHING,
  `$JS.API.STREAM.INFO.OBJ_${STREAM}`,
  `$JS.API.STREAM.MSG.GET.OBJ_${STREAM}`,
  `$JS.API.DIRECT.GET.OBJ_${STREAM}.>`,
  `$O.${STREAM}.>`,
];

interface Guarded {
  server: NatsServer;
  /** `undefined`: there is no such user any more. */
  give: (rights: readonly string[] | undefined) => void;
  worker: (options?: MachineOptions) => Workspace;
  operator: Workspace;
}

/** A server with an operator, and a worker of these rights. */
async function guarded(rights: readonly string[]): Promise<Guarded> {
  const folder = tempFolder();
  const conf = join(folder, "server.conf");
  const write = (given: readonly string[] | undefined): void => {
    const allow = JSON.stringify(given ?? []);
    const worker = `{ user: worker, password: w1, permissions: { publish: { allow: ${allow} }, subscribe: { allow: ["_INBOX.>"] } } }`;
    const users = ["{ user: operator, password: o1 }", ...(given ? [worker] : [])].join(", ");
    writeFileSync(
      conf,
      `jetstream { store_dir: "${folder}" }\naccounts { A { jetstream: enabled, users: [ ${users} ] } }\n`,
    );
  };
  write(rights);
  const server = await natsServerFrom(conf);
  const as = (login: string, options: MachineOptions = {}): Workspace =>
    machine(server.url.replace("//", `//${login}@`), {
      ...options,
      log: { stream: STREAM, timeoutMs: 500, ...options.log },
    });
  const operator = as("operator:o1");
  await operator.shared.init(WORKSPACE);
  const give = (given: readonly string[] | undefined): void => {
    write(given);
    server.signal("SIGHUP");
  };
  return { server, give, worker: (options) => as("worker:w1", options), operator };
}

const note = (ws: Workspace, text: string) => call(ws, "tasks_note", { task: "TASK-001", note: text });
const codeOf = async (ws: Workspace, text: string): Promise<string> => (await note(ws, text)).error?.code ?? "ok";

describe("rights that are taken away while a workspace is open", () => {
  it.each([
    ["the user is gone", undefined],
    ["the user may only read", READING],
  ])(
    "[SHARED-56] refuse a change of mode strict at once where %s, by name, and it goes on once they are back",
    async (_, left) => {
      const { give, worker } = await guarded(KEEPING);
      const ws = worker({ lockTimeoutMs: 30_000 });
      await newTask(ws);
      await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
      give(left);
      await expect.poll(() => codeOf(ws, "early"), { timeout: 5000 }).toBe("SHARED_DENIED");
      const files = filesOf(ws.root);
      const began = performance.now();
      const { error } = await note(ws, "refused");
      expect(performance.now() - began, "it waits for no server").toBeLessThan(30_000);
      expect(error).toMatchObject({ code: "SHARED_DENIED", recovery: expect.stringContaining("rights") });
      expect(error?.message).toMatch(left ? /Permissions Violation for Publish/ : /Authorization Violation/);
      expect(notesOf(ws.root)).not.toContain("refused");
      expect(filesOf(ws.root)).toEqual(files);
      const radar = await call(ws, "tasks_radar", { task: "TASK-001" });
      expect(radar.error).toBeNull();
      expect(radar.warnings.map((w) => w.message).join(" ")).toMatch(left ? /^$/ : /with the rights of this user/);
      give(KEEPING);
      await expect.poll(() => codeOf(ws, "back"), { timeout: 15_000 }).toBe("ok");
      expect(notesOf(ws.root).filter((text) => text !== "early")).toEqual(["one", "back"]);
    },
  );

  it("[SHARED-56] do not keep mode merge from its work: status says so, and it publishes once they are back", async () => {
    const { give, worker, operator } = await guarded(KEEPING);
    const ws = worker({ log: { mode: "merge" } });
    await newTask(ws);
    await ws.shared.sync(WORKSPACE);
    give(undefined);
    await expect.poll(async () => (await ws.shared.status()).trouble?.code, { timeout: 5000 }).toBe("SHARED_DENIED");
    // The next call hears of it once, whichever that is.
    const told: string[] = [];
    const hears = async (calling: ReturnType<typeof call>): Promise<string[]> => {
      const { error, warnings } = await calling;
      expect(error).toBeNull();
      told.push(...warnings.map((one) => one.code));
      return told;
    };
    await hears(note(ws, "meanwhile"));
    const status = await ws.shared.status();
    expect(status).toMatchObject({ last: 2, taken_in: 2, lacking: ["TASK-001"] });
    expect(status.trouble?.message).toContain("Authorization Violation");
    await expect
      .poll(() => hears(call(ws, "tasks_radar", { task: "TASK-001" })), { timeout: 5000 })
      .toContain("SHARED_BEHIND");
    await ws.close();
    const again = worker({ root: ws.root, log: { mode: "merge" } });
    await ok(again, "tasks_note", { task: "TASK-001", note: "of another process" });
    expect((await again.shared.status()).trouble?.code).toBe("SHARED_DENIED");
    give(KEEPING);
    await expect
      .poll(() => again.shared.sync(WORKSPACE).then(({ trouble }) => trouble, String), { timeout: 15_000 })
      .toBeNull();
    await operator.shared.sync(WORKSPACE);
    expect(notesOf(operator.root)).toEqual(["meanwhile", "of another process"]);
  });
});

describe("a right that is missing", () => {
  it("[SHARED-56] to publish: reads work, changes are SHARED_DENIED and name the subject", async () => {
    const { worker, operator } = await guarded(READING);
    await newTask(operator);
    const ws = worker();
    expect((await call(ws, "tasks_radar", { task: "TASK-001" })).error).toBeNull();
    const { error } = await note(ws, "no");
    expect(error).toMatchObject({ code: "SHARED_DENIED", details: { operation: "publish" } });
    expect(error?.details?.["subject"]).toContain(`taskfold.${STREAM}.`);
    expect(notesOf(ws.root)).toEqual([]);
  });

  it("[SHARED-56] to the object store: changes without captured output work, others are SHARED_DENIED", async () => {
    const { worker, operator } = await guarded(PUBLISHING);
    await newTask(operator);
    const ws = worker();
    await ok(ws, "tasks_note", { task: "TASK-001", note: "yes" });
    const { last } = await ws.shared.status();
    const items = [{ kind: "cmd_output", command: "npm test", stdout: "x".repeat(100_000), exit_code: 0 }];
    const { error } = await call(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", items } as never);
    expect(error?.code).toBe("SHARED_DENIED");
    expect((await ws.shared.status()).last).toBe(last);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "still" });
    expect(ws.verify().findings).toEqual([]);
  });

  it("[SHARED-56] to connect at all: a workspace opens, reads, and refuses changes", async () => {
    const { operator, server } = await guarded(KEEPING);
    await newTask(operator);
    await operator.close();
    const ws = machine(server.url.replace("//", "//worker:wrong@"), { root: operator.root, log: { stream: STREAM } });
    const radar = await call(ws, "tasks_radar", { task: "TASK-001" });
    expect([radar.error, radar.warnings.map((w) => w.code)]).toEqual([null, ["SHARED_BEHIND"]]);
    expect(await codeOf(ws, "no")).toBe("SHARED_DENIED");
    expect(await ws.shared.status().then(String, (e: { code: string }) => e.code)).toBe("SHARED_DENIED");
  });
});
