import { join } from "node:path";
import { jetstream as client } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { openWorkspace } from "../../dist/index.js";
import { jetstream } from "../../dist/jetstream.js";
import { call, TASK, WORKSPACE } from "./workspaces.mjs";

const STEPS = Array.from({ length: 12 }, (_, i) => ({
  title: `Step ${i}`,
  success_criteria: ["it works"],
  tests: ["npm test"],
}));

/** Machines on one shared log, each with a task of its own. @param {import("../../test/support/nats_servers.mjs").NatsServer} server */
export async function machines(server, folder, count, { mode = "strict", tasks = 1, ...options } = {}) {
  const all = [];
  for (let i = 0; i < count; i++) {
    const shared = jetstream({ servers: server.url, mode, stream: `bench-${folder.split("/").at(-1)}` });
    const ws = openWorkspace({ root: join(folder, `machine${i}`), projections: "manual", ...options, shared });
    await ws.shared.init(WORKSPACE);
    all.push(ws);
  }
  for (let i = 0; i < count * tasks; i++)
    await call(all[i % count], "tasks_create", { kind: "task", id: `TASK-${101 + i}`, title: TASK, steps: STEPS });
  for (const ws of all) await ws.shared.sync();
  return all;
}

let notes = 0;

/** One mutation of about 400 bytes. */
export function noteOn(ws, n) {
  return call(ws, "tasks_note", {
    task: `TASK-${101 + n}`,
    path: `s:${notes % 12}`,
    note: `Note ${notes++}: the grammar is ambiguous here.`,
  });
}

/** Bare publishes of such a line, each on the condition that no message came since the last one. */
export async function barePublisher(server, name) {
  const connection = await connect({ servers: server.url });
  const { jetstreamManager } = await import("@nats-io/jetstream");
  const { streams } = await jetstreamManager(connection);
  await streams.add({ name, subjects: [`${name}.>`] });
  const js = client(connection);
  const bytes = new Uint8Array(700).fill(97);
  let last = (await js.publish(`${name}.x`, bytes)).seq;
  const run = async (n) => {
    for (let i = 0; i < n; i++) last = (await js.publish(`${name}.x`, bytes, { expect: { lastSequence: last } })).seq;
  };
  /** Reads everything. */
  const consume = async (stream, each) => {
    const { state } = await streams.info(stream);
    const consumer = await js.consumers.get(stream, {});
    const messages = await consumer.consume({ max_messages: 1000 });
    for await (const message of messages) {
      each(message.data);
      if (message.seq >= state.last_seq) break;
    }
  };
  return { run, consume, close: () => connection.close() };
}
