import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { hasNatsServer, natsServer } from "../../test/support/nats_servers.mjs";
import { openWorkspace } from "../../dist/index.js";
import { jetstream } from "../../dist/jetstream.js";
import { inverse, paired, spread } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { barePublisher, machines, noteOn } from "../lib/shared.mjs";
import { call, WORKSPACE } from "../lib/workspaces.mjs";

/** A workspace over NATS JetStream against bare JetStream; none where nats-server is missing. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  if (!hasNatsServer()) {
    console.error("Left out: nats-server is not installed.");
    return [];
  }
  const server = await natsServer(setting.folder());
  try {
    return [
      await strict(setting, server),
      await callers(setting, server),
      await several(setting, server),
      await merge(setting, server),
      await catchingUp(setting, server),
    ];
  } finally {
    await server.kill();
  }
}

/** Rounds before those that count: about 3,000 changes. A process spends them compiling, as with figures 1 to 5. */
const WARM = 60;

const us = (n) => `${n.toFixed(0)} us`;

async function strict(setting, server) {
  const [ws] = await machines(server, setting.folder(), 1, { durability: "os" });
  const bare = await barePublisher(server, "bare31");
  const ours = async (n) => {
    for (let i = 0; i < n; i++) await noteOn(ws, 0);
  };
  const { ratio, a, b } = await paired(ours, bare.run, { rounds: setting.quick ? 7 : 21, na: 50, nb: 50, warm: WARM });
  await bare.close();
  await ws.close();
  const told = `${us(a)} a change, ${us(b)} a publish with an expectation`;
  return row({
    figure: 31,
    name: "strict change",
    unit: "publish",
    spread: inverse(ratio),
    better: "higher",
    must: 0.6,
    aim: 0.8,
    told,
  });
}

async function callers(setting, server) {
  const [ws] = await machines(server, setting.folder(), 1, { durability: "os", tasks: 16 });
  const one = async (n) => {
    for (let i = 0; i < n; i++) await noteOn(ws, 0);
  };
  const many = (n) =>
    Promise.all(
      Array.from({ length: 16 }, async (_, caller) => {
        for (let i = 0; i < n / 16; i++) await noteOn(ws, caller);
      }),
    );
  const { ratio, a, b } = await paired(many, one, { rounds: setting.quick ? 5 : 15, na: 480, nb: 60, warm: WARM / 6 });
  await ws.close();
  const told = `${us(a)} a change with 16 callers on 16 tasks, ${us(b)} with one`;
  return row({
    figure: 32,
    name: "16 callers, strict",
    unit: "one caller",
    spread: inverse(ratio),
    better: "higher",
    must: 6,
    aim: 10,
    told,
  });
}

/** In one process each machine has less than a machine of its own would. */
async function several(setting, server) {
  const all = await machines(server, setting.folder(), 4, { durability: "os" });
  const one = async (n) => {
    for (let i = 0; i < n; i++) await noteOn(all[0], 0);
  };
  const four = (n) =>
    Promise.all(
      all.map(async (ws, machine) => {
        for (let i = 0; i < n / 4; i++) await noteOn(ws, machine);
      }),
    );
  const { ratio, a, b } = await paired(four, one, { rounds: setting.quick ? 5 : 15, na: 80, nb: 60, warm: 2 });
  for (const ws of all) await ws.close();
  const told = `${us(a)} a change of four machines on tasks of their own, ${us(b)} of one`;
  return row({
    figure: 33,
    name: "four machines, strict",
    unit: "one machine",
    spread: inverse(ratio),
    better: "higher",
    must: 1,
    aim: 1.5,
    told,
  });
}

async function merge(setting, server) {
  const [ws] = await machines(server, setting.folder(), 1, { mode: "merge" });
  const local = openWorkspace({ root: join(setting.folder(), "local"), projections: "manual" });
  const steps = Array.from({ length: 12 }, (_, i) => ({
    title: `Step ${i}`,
    success_criteria: ["it works"],
    tests: ["npm test"],
  }));
  await call(local, "tasks_create", { kind: "task", id: "TASK-101", title: "Local", steps });
  const side = (on) => async (n) => {
    for (let i = 0; i < n; i++) await noteOn(on, 0);
  };
  const { ratio, a, b } = await paired(side(ws), side(local), {
    rounds: setting.quick ? 7 : 21,
    na: 50,
    nb: 50,
    warm: WARM,
  });
  await local.close();
  await ws.close();
  const told = `${us(a)} a change, ${us(b)} without a shared log`;
  return row({
    figure: 34,
    name: "change in mode merge",
    unit: "local change",
    spread: inverse(ratio),
    better: "higher",
    must: 0.9,
    aim: 1,
    told,
  });
}

/** A new machine takes in what one wrote, against a consumer that appends the same bytes to a file. */
async function catchingUp(setting, server) {
  const folder = setting.folder();
  const [ws] = await machines(server, folder, 1, { durability: "os", tasks: 16 });
  const ops = setting.quick ? 4000 : 100_000;
  await Promise.all(
    Array.from({ length: 64 }, async (_, caller) => {
      for (let i = 0; i < ops / 64; i++) await noteOn(ws, caller % 16);
    }),
  );
  await ws.close();
  const stream = `bench-${folder.split("/").at(-1)}`;
  const bare = await barePublisher(server, "bare35");
  const ratios = [];
  let told = "";
  for (let round = 0; round < 3; round++) {
    const at = join(setting.folder(), "log");
    mkdirSync(at, { recursive: true });
    let began = performance.now();
    const fd = openSync(join(at, "log"), "a");
    await bare.consume(stream, (data) => writeSync(fd, data));
    closeSync(fd);
    const floor = performance.now() - began;
    const shared = jetstream({ servers: server.url, stream });
    const fresh = openWorkspace({
      root: join(setting.folder(), "fresh"),
      durability: "os",
      projections: "manual",
      shared,
    });
    began = performance.now();
    await fresh.shared.catchUp(WORKSPACE);
    const ours = performance.now() - began;
    await fresh.close();
    ratios.push(floor / ours);
    told = `${ours.toFixed(0)} ms for ${ops} changes, ${floor.toFixed(0)} ms to consume and append`;
  }
  await bare.close();
  return row({
    figure: 35,
    name: "catching up",
    unit: "consume and append",
    spread: spread(ratios),
    better: "higher",
    must: 0.5,
    aim: 0.8,
    told,
  });
}
