import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { child, firstMessage } from "../support/child.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { openWith } from "../support/open_with.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

describe("a change on its way", () => {
  it("[regression SHARED-5] shares a message with those that wait at the same time", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    const ids = Array.from({ length: 16 }, (_, i) => `TASK-${100 + i}`);
    for (const id of ids) await newTask(a!, id);
    const before = (await a!.shared.status()).last;
    await Promise.all(ids.map((task) => ok(a!, "tasks_note", { task, note: "at once" })));
    const { last, lacking } = await a!.shared.status();
    expect(last - before).toBeLessThan(5);
    expect(lacking).toEqual([]);
    const b = machine(server.url);
    await b.shared.sync(WORKSPACE);
    expect(ids.flatMap((id) => notesOf(b.root, id))).toHaveLength(16);
  });

  it("[SHARED-2] is seen by no reader before the shared log has it", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((done) => (open = done));
    let publishing = false;
    const b = openWith(server.url, (log) => ({
      publish: async (message, expected) => {
        publishing = true;
        await gate;
        return log.publish(message, expected);
      },
    }));
    const before = await ok(b, "tasks_radar", { task: "TASK-001" });
    const writing = ok(b, "tasks_edit", { task: "TASK-001", title: "Another" });
    await expect.poll(() => publishing).toBe(true);
    expect(await ok(b, "tasks_radar", { task: "TASK-001" })).toEqual(before);
    open();
    await writing;
    expect(await ok(b, "tasks_radar", { task: "TASK-001" })).not.toEqual(before);
  });

  it("[SHARED-2] is refused on a state of the present: what another machine made a moment ago is known", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const b = openWith(server.url, () => ({ follow: () => () => undefined }));
    await ok(b, "tasks_note", { task: "TASK-001", note: "open" });
    await newTask(a!, "TASK-002");
    await ok(b, "tasks_note", { task: "TASK-002", note: "known" });
    await ok(a!, "tasks_claim", { task: "TASK-002", path: "s:0" });
    await ok(a!, "tasks_release", { task: "TASK-002", path: "s:0" });
    expect(await code(b, "tasks_claim", { task: "TASK-002", path: "s:0" })).toBeUndefined();
  });

  it("[SHARED-2] that others are always faster than ends with SHARED_BUSY, and nothing has changed", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    let rounds = 0;
    const b = openWith(
      server.url,
      (log) => ({
        publish: async (message, expected) => {
          await ok(a!, "tasks_note", { task: "TASK-001", note: `faster ${rounds++}` });
          return log.publish(message, expected);
        },
      }),
      { lockTimeoutMs: 300 },
    );
    const reply = await call(b, "tasks_note", { task: "TASK-001", note: "slow" });
    expect(reply.error?.code).toBe("SHARED_BUSY");
    expect(rounds).toBeGreaterThan(2);
    expect(notesOf(b.root)).not.toContain("slow");
    expect(notesOf(a!.root)).toHaveLength(rounds);
  });

  it.each(["strict", "merge"] as const)(
    "[SHARED-1] that another machine cuts off between two of its messages goes out whole in the next round (%s)",
    async (mode) => {
      const server = await natsServer();
      const [a] = await machines(server.url, 1);
      await newTask(a!);
      let cut = 0;
      const b = openWith(
        server.url,
        (log) => ({
          publish: async (message, expected) => {
            if (message.part?.startsWith("2/") === true && cut++ === 0)
              await ok(a!, "tasks_note", { task: "TASK-001", note: "between" });
            return log.publish(message, expected);
          },
        }),
        { mode, lockTimeoutMs: 3000 },
      );
      await ok(b, "tasks_radar", { task: "TASK-001" });
      const steps = Array.from({ length: 12 }, (_, i) => ({
        title: `Step ${i}`,
        success_criteria: ["x".repeat(200_000)],
        tests: ["npm test"],
      }));
      await ok(b, "tasks_decompose", { task: "TASK-001", steps });
      for (const one of [b, a!, b]) await one.shared.sync(WORKSPACE);
      expect(cut).toBe(2);
      expect(notesOf(b.root)).toEqual(["between"]);
      expect(filesOf(a!.root)).toEqual(filesOf(b.root));
    },
  );

  it("[SHARED-9] whose process dies after it is stored is in the logs with the next process", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    await a!.close();
    const said = await child(
      a!.root,
      `import { jetstream } from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/jetstream.js")).href)};
       const port = jetstream({ servers: ${JSON.stringify(server.url)} });
       const shared = { ...port, connect: async (workspace) => {
         const log = await port.connect(workspace);
         const { publish } = log;
         log.publish = async (...all) => { const done = await publish.apply(log, all); if (done.kind === "accepted") process.kill(process.pid, "SIGKILL"); return done; };
         return log;
       } };
       const ws = openWorkspace({ root, shared });
       process.send(await call(ws, "tasks_note", { task: "TASK-001", note: "stored", idempotency_key: "k" }));`,
    );
    expect(said).toBe("exited: null");
    expect(notesOf(a!.root)).toEqual([]);
    const next = machine(server.url, { root: a!.root });
    const again = await call(next, "tasks_note", { task: "TASK-001", note: "stored", idempotency_key: "k" });
    expect([again.error, again.warnings.map((w) => w.code)]).toEqual([null, ["REPLAYED"]]);
    expect(notesOf(a!.root)).toEqual(["stored"]);
    await next.shared.sync();
    expect(next.verify().findings).toEqual([]);
  });
});

describe("the packages of NATS", () => {
  it("[regression SHARED-21] are named with the command that installs them where they are missing", async () => {
    const folder = tempFolder();
    cpSync(join(ROOT, "dist/jetstream.js"), join(folder, "jetstream.js"));
    cpSync(join(ROOT, "dist/cli"), join(folder, "cli"), { recursive: true });
    mkdirSync(join(folder, "node_modules"));
    // What is installed with the package, and what a user adds is missing.
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { dependencies: object };
    for (const name of Object.keys(dependencies))
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name), "junction");
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const program = join(folder, "program.mjs");
    writeFileSync(
      program,
      `import { jetstream } from "./jetstream.js";
       jetstream({ servers: "nats://127.0.0.1:1" }).connect("acme/repo").catch((e) => process.send({ code: e.code, recovery: e.recovery }));`,
    );
    expect(await firstMessage(program)).toEqual({
      code: "SHARED_UNAVAILABLE",
      recovery: "npm install @nats-io/transport-node @nats-io/jetstream @nats-io/obj",
    });
  });
});
