/** A process that stands still for longer than servers wait for it: a laptop that slept. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { filesOf, machine } from "../support/machines.ts";
import { natsServerFrom } from "../support/nats.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

/** A server has given a client up after so long, and a claim of a second is over. */
const ASLEEP_MS = 4000;

/** A machine in a process of its own, which makes calls when it is told to. */
class Sleeper {
  readonly root = tempFolder();
  readonly #process: ChildProcess;

  constructor(url: string) {
    const program = join(tempFolder(), "sleeper.mjs");
    const dist = (file: string): string => JSON.stringify(pathToFileURL(join(ROOT, "dist", file)).href);
    writeFileSync(
      program,
      `import { openWorkspace } from ${dist("index.js")};
       import { jetstream } from ${dist("jetstream.js")};
       const [root, servers] = process.argv.slice(2);
       const ws = openWorkspace({ root, by: "agent:sleeper", durability: "os", projections: "manual", shared: jetstream({ servers }) });
       process.on("message", async ([tool, input]) => process.send(await ws.callTool(tool, { workspace: ${JSON.stringify(WORKSPACE)}, ...input })));
       process.on("disconnect", () => process.exit());`,
    );
    this.#process = fork(program, [this.root, url], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    onTestFinished(() => void this.#process.kill("SIGKILL"));
  }

  async call(tool: string, input: object): Promise<Reply> {
    this.#process.send([tool, { task: "TASK-001", ...input }]);
    const [reply] = (await once(this.#process, "message")) as [Reply];
    return reply;
  }

  stop(): void {
    this.#process.kill("SIGSTOP");
  }

  wake(): void {
    this.#process.kill("SIGCONT");
  }
}

/** A server that soon gives up clients that do not answer, or do not read, and its log. */
async function impatientServer(how: string) {
  const folder = tempFolder();
  const conf = join(folder, "server.conf");
  const log = join(folder, "log");
  writeFileSync(
    conf,
    `jetstream { store_dir: "${folder}" }
     log_file: "${log}"
     debug: true
     ${how}`,
  );
  const server = await natsServerFrom(conf);
  return { server, log: () => readFileSync(log, "utf8") };
}

/** More than the server keeps for a client that does not read. */
const NOTE = 60_000;
const NOTES = 250;
const LOG = ".coco/tasks/TASK-001/events.jsonl";

const claim = { path: "s:0", ttl_s: 1 };
const mine = { path: "s:0", reason: "I still hold it" };

describe("a process that stood still", () => {
  it("[SHARED-8] takes in what came meanwhile before it decides: a claim that ran out is over", async () => {
    const { server, log } = await impatientServer('ping_interval: "1s", ping_max: 1');
    const a = machine(server.url, { by: "agent:awake" });
    await a.shared.init(WORKSPACE);
    await newTask(a);
    const sleeper = new Sleeper(server.url);
    const held = (await sleeper.call("tasks_claim", claim)).result as { lease: { fence: number } };
    const { fence } = held.lease;
    expect((await call(a, "tasks_block", { task: "TASK-001", ...mine })).error?.code).toBe("LEASE_HELD");
    sleeper.stop();
    await wait(ASLEEP_MS);
    expect(log()).toContain("Stale Connection");
    await ok(a, "tasks_claim", { task: "TASK-001", path: "s:0" });
    for (const note of ["one", "two"]) await ok(a, "tasks_note", { task: "TASK-001", note });
    sleeper.wake();
    // The first answer after the sleep may be that no server is there: it is never one of the old state.
    const answers: string[] = [];
    for (let attempt = 0; attempt < 50 && answers.at(-1) !== "LEASE_HELD"; attempt++) {
      answers.push((await sleeper.call("tasks_block", { ...mine, fence })).error?.code ?? "ok");
      await wait(100);
    }
    expect(answers.at(-1)).toBe("LEASE_HELD");
    expect(["SHARED_UNAVAILABLE", "UNKNOWN_OUTCOME", "LEASE_HELD"]).toEqual(expect.arrayContaining(answers));
    expect((await sleeper.call("tasks_block", mine)).error?.code).toBe("LEASE_HELD");
    expect((await sleeper.call("tasks_note", { note: "three" })).error).toBeNull();
    await a.shared.sync();
    expect(notesOf(a.root)).toEqual(["one", "two", "three"]);
    expect(notesOf(sleeper.root)).toEqual(["one", "two", "three"]);
  });

  it("[regression SHARED-50] and read nothing while another machine wrote much has all of it soon, without being cut off again", async () => {
    const { server, log } = await impatientServer('write_deadline: "500ms", max_pending: 6MB');
    const a = machine(server.url, { by: "agent:awake", projections: "manual" });
    await a.shared.init(WORKSPACE);
    await newTask(a);
    const sleeper = new Sleeper(server.url);
    expect((await sleeper.call("tasks_note", { note: "one" })).error).toBeNull();
    sleeper.stop();
    const long = "x".repeat(NOTE);
    const due = Array.from({ length: NOTES }, (_, i) => `${i} ${long}`);
    for (const note of due) await ok(a, "tasks_note", { task: "TASK-001", note });
    sleeper.wake();
    const last = async (): Promise<string | undefined> =>
      (await sleeper.call("tasks_note", { note: "two" })).error?.code;
    await expect.poll(last, { timeout: 60_000, interval: 500 }).toBeUndefined();
    // Once for its sleep. A machine that asks for more than it reads is cut off over and over.
    expect(log().match(/connection closed: Slow Consumer/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(notesOf(sleeper.root).length).toBeGreaterThan(NOTES);
    await a.shared.sync();
    expect(notesOf(a.root).slice(0, NOTES + 1)).toEqual(["one", ...due]);
    expect(filesOf(sleeper.root)[LOG]).toEqual(filesOf(a.root)[LOG]);
  });
});
