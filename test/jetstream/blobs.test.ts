import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StreamAPI } from "@nats-io/jetstream";
import { jetstreamManager, jetstream as publisher } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { connect, headers } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace } from "../../src/testing.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { jetstream } from "../../src/hosts/jetstream/jetstream.ts";
import { jetstreamOptionsIn } from "../../src/hosts/jetstream/options_in.ts";
import type { EvidenceAnswer } from "../../src/views/viewer/api.ts";
import { answer as pageOf, get, serving } from "../hosts/view_support.ts";
import { machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { call, logPath, newTask, ok, WORKSPACE } from "../support/workspace.ts";

const OUTPUT = "line\n".repeat(20_000);
const MODES = ["strict", "merge"] as const;

async function capture(ws: Workspace, task: string, stdout = OUTPUT): Promise<void> {
  const items = [{ kind: "command", command: "npm test", exit_code: 0, stdout }];
  await ok(ws, "tasks_evidence_capture", { task, path: "s:0", checkpoint: "tests", items } as never);
}

/** Makes two tasks, with other bytes each. */
async function captureTwo(ws: Workspace): Promise<void> {
  await newTask(ws);
  await newTask(ws, "TASK-002");
  await capture(ws, "TASK-001");
  await capture(ws, "TASK-002", `${OUTPUT}more`);
}

function blobsOf({ root }: Workspace, id = "TASK-001"): string[] {
  const folder = join(root, `.coco/tasks/${id}/shared/evidence/blobs`);
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function verdict(ws: Workspace): Promise<{ status: string; why: string; warned: string[] }> {
  const reply = await call(ws, "tasks_evidence_verify", { task: "TASK-001" });
  const [entry] = (reply.result as unknown as { evidence: { status: string; why: string[] }[] }).evidence;
  return { status: entry!.status, why: entry!.why.join("; "), warned: reply.warnings.map(({ code }) => code) };
}

function withoutServer({ root }: Workspace): Workspace {
  const ws = openWorkspace({ root, durability: "os" });
  onTestFinished(() => ws.close());
  return ws;
}

/** As of a clone whose commit lacks the file: the next change is published, and no machine has the bytes. */
async function captureWithoutBytes(ws: Workspace): Promise<{ name: string; path: string }> {
  await newTask(ws);
  await ws.close();
  await capture(withoutServer(ws), "TASK-001");
  const name = blobsOf(ws)[0]!;
  const path = join(ws.root, ".coco/tasks/TASK-001/shared/evidence/blobs", name);
  writeFileSync(path, "other bytes");
  return { name, path };
}

describe.each(MODES)("captured output in mode %s", (mode) => {
  it("[SHARED-34] comes to another machine when a call looks at it, and not before", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    await capture(a!, "TASK-001");
    await a!.shared.sync();
    await b!.shared.sync(WORKSPACE);
    await ok(b!, "tasks_radar", { task: "TASK-001" });
    expect(blobsOf(b!)).toEqual([]);
    expect(await verdict(b!)).toEqual({ status: "holds", why: expect.stringContaining("is as it was"), warned: [] });
    expect(blobsOf(b!)).toEqual(blobsOf(a!));
    const [name] = blobsOf(b!);
    expect(readFileSync(join(b!.root, ".coco/tasks/TASK-001/shared/evidence/blobs", name!), "utf8")).toBe(OUTPUT);
  });

  it("[SHARED-34] is not lost while no server answers: reads say where it is, and verify finds nothing wrong", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    await newTask(a!);
    await capture(a!, "TASK-001");
    await a!.shared.sync();
    await b!.shared.sync(WORKSPACE);
    await server.kill();
    const found = await verdict(b!);
    expect(found).toMatchObject({ status: "unverifiable", why: expect.stringContaining("on the shared log") });
    expect(found.warned).toContain("BYTES_REMOTE");
    const alone = withoutServer(b!);
    expect((await verdict(alone)).warned).toEqual(["BYTES_REMOTE"]);
    for (const report of [b!.verify(), alone.verify()]) {
      expect(report.findings).toMatchObject([{ code: "BYTES_REMOTE", info: true }]);
      expect(report.ok).toBe(true);
    }
  });
});

/** Works on the object store as its administrator, by name of its bucket. */
async function inObjects<T>(
  url: string,
  work: (store: { connection: NatsConnection; streams: StreamAPI; stream: string; bucket: string }) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: url });
  try {
    const { streams } = await jetstreamManager(connection);
    const stream = (await streams.names().next()).find((one) => one.startsWith("OBJ_"))!;
    return await work({ connection, streams, stream, bucket: stream.slice(4) });
  } finally {
    await connection.close();
  }
}

/** An object has its entry, and no part of it: as of a server that was restored from half a copy. */
function dropParts(url: string): Promise<void> {
  return inObjects(url, async ({ streams, stream, bucket }) => {
    const { purged } = await streams.purge(stream, { filter: `$O.${bucket}.C.>` });
    expect(purged).toBeGreaterThan(0);
  });
}

/** Writes the entry of each object anew. */
function rewriteEntries(url: string, change: (entry: Record<string, unknown>) => unknown): Promise<void> {
  return inObjects(url, async ({ connection, streams, stream, bucket }) => {
    const { state } = await streams.info(stream, { subjects_filter: `$O.${bucket}.M.>` });
    for (const subject of Object.keys(state.subjects ?? {})) {
      const message = await streams.getMessage(stream, { last_by_subj: subject });
      const rollup = headers();
      rollup.set("Nats-Rollup", "sub");
      const entry = change(message!.json<Record<string, unknown>>());
      const text = typeof entry === "string" ? entry : JSON.stringify(entry);
      await publisher(connection).publish(subject, text, { headers: rollup });
    }
  });
}

/** How an object can be there and not be the bytes. */
const DAMAGE: [string, (url: string) => Promise<void>][] = [
  ["has its entry alone", dropParts],
  ["has the entry of other bytes", (url) => rewriteEntries(url, (entry) => ({ ...entry, digest: "SHA-256=AAAA" }))],
  ["names the parts of every object", (url) => rewriteEntries(url, (entry) => ({ ...entry, nuid: ">" }))],
  ["has an entry that is no JSON", (url) => rewriteEntries(url, () => "{")],
  [
    "is a link to itself",
    (url) =>
      rewriteEntries(url, (entry) => ({ ...entry, options: { link: { bucket: entry.bucket, name: entry.name } } })),
  ],
];

describe.each(DAMAGE)("an object of the object store that %s", (_, damage) => {
  it("[SHARED-19] is lacking, and a machine that has the bytes puts them there with a sync of bytes", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { timeoutMs: 500 } });
    await captureTwo(a!);
    await damage(server.url);
    await b!.shared.sync(WORKSPACE);
    expect((await b!.shared.fetch()).lacking).toHaveLength(2);
    expect((await a!.shared.sync(WORKSPACE, { blobs: "all" })).blobs).toMatchObject({ published: 2 });
    expect(await b!.shared.fetch()).toEqual({ fetched: 2, lacking: [] });
    expect(blobsOf(b!)).toEqual(blobsOf(a!));
  });

  it("[SHARED-19] is put there anew by a machine that captures the same bytes", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { timeoutMs: 500 } });
    await newTask(a!);
    await newTask(a!, "TASK-002");
    await capture(a!, "TASK-001");
    await damage(server.url);
    await capture(a!, "TASK-002");
    await b!.shared.sync(WORKSPACE);
    expect(await b!.shared.fetch()).toEqual({ fetched: 2, lacking: [] });
  });
});

describe("verify of a shared log", () => {
  it("[SHARED-41] reads captured bytes there, says where they are, and puts them there if it is asked to", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await newTask(a!);
    await capture(a!, "TASK-001");
    await b!.shared.sync(WORKSPACE);
    expect(await a!.shared.verify()).toMatchObject({ files: 1, restored: 0, findings: [] });
    await corrupt(server.url);
    const [name] = blobsOf(a!);
    const lacking = (way: string): object => ({
      code: "BYTES_LACKING",
      id: "TASK-001",
      message: expect.stringMatching(new RegExp(`shared/evidence/blobs/${name!}.*${way}`)),
    });
    expect((await b!.shared.verify(WORKSPACE, { restore: true })).findings).toEqual([
      lacking("on a machine that has the bytes"),
    ]);
    expect((await a!.shared.verify()).findings).toEqual([lacking("this machine has the bytes")]);
    expect(await a!.shared.verify(WORKSPACE, { restore: true })).toMatchObject({ restored: 1, findings: [] });
    expect(await b!.shared.verify()).toMatchObject({ files: 1, restored: 0, findings: [] });
    expect(await b!.shared.fetch()).toEqual({ fetched: 1, lacking: [] });
  });
});

/** Other parts than the entry says, and as many of them. */
function corrupt(url: string): Promise<void> {
  return inObjects(url, async ({ connection, streams, stream, bucket }) => {
    const filter = `$O.${bucket}.C.>`;
    const { state } = await streams.info(stream, { subjects_filter: filter });
    await streams.purge(stream, { filter });
    for (const [subject, count] of Object.entries(state.subjects ?? {}))
      for (let i = 0; i < count; i++) await publisher(connection).publish(subject, "other bytes");
  });
}

describe("bytes of which the object store has no more than the entry", () => {
  it("[SHARED-34] do not keep a machine with blobs: all from closing", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    for (const id of ["TASK-001", "TASK-002", "TASK-003"]) {
      await newTask(a!, id);
      await capture(a!, id, `${OUTPUT}${id}`);
    }
    await dropParts(server.url);
    const b = machine(server.url, { log: { blobs: "all", timeoutMs: 500 } });
    expect((await call(b, "tasks_radar", { task: "TASK-001" })).error).toBeNull();
    const began = performance.now();
    await b.close();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(blobsOf(b)).toEqual([]);
  });
});

describe("a page of the viewer", () => {
  it.each(["", "/evidence/0", "/revisions/2"])(
    "[SHARED-34] (entities/ID%s) looks at captured output: it is fetched first; without a server the answer says where it is",
    async (answer) => {
      const server = await natsServer();
      const [a, b] = await machines(server.url, 2);
      await newTask(a!);
      await capture(a!, "TASK-001");
      await b!.shared.sync(WORKSPACE);
      const [name] = blobsOf(a!);
      const refused = await get(await serving(b!.root), `/raw/v1/TASK-001/${name}`);
      expect(refused.status).toBe(404);
      expect(JSON.parse(refused.body)).toMatchObject({
        error: { message: expect.stringContaining("on the shared log") },
      });
      const asked = await serving(b!.root, { shared: b!.shared });
      const page = await pageOf<EvidenceAnswer>(asked, `entities/TASK-001${answer}.json`);
      expect(page.evidence[0]!.runs[0]!.stdout).toMatchObject({ sha256: name, size: OUTPUT.length });
      expect((await get(asked, `/raw/v1/TASK-001/${name}`)).body).toBe(OUTPUT);
    },
  );
});

describe("bytes that events name", () => {
  it("[SHARED-34] come behind each change with blobs: all", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    const b = machine(server.url, { log: { blobs: "all" } });
    await newTask(a!);
    await b.shared.sync(WORKSPACE);
    await capture(a!, "TASK-001");
    await expect.poll(() => blobsOf(b)).toEqual(blobsOf(a!));
    const late = machine(server.url, { log: { blobs: "all" } });
    await late.shared.sync(WORKSPACE);
    expect(blobsOf(late)).toEqual(blobsOf(a!));
    expect(jetstream(jetstreamOptionsIn(`${server.url}?blobs=all`)).blobs).toBe("all");
    expect(() => jetstream(jetstreamOptionsIn(`${server.url}?blobs=some`))).toThrow(/blobs to be on_demand or all/);
  });

  it("[SHARED-34] come with a sync that asks for them, and a fetch says what the shared log lacks", async () => {
    const server = await natsServer();
    const [a, b, c] = await machines(server.url, 3);
    await captureTwo(a!);
    await b!.shared.sync(WORKSPACE, { blobs: "all" });
    expect([blobsOf(b!), blobsOf(b!, "TASK-002")]).toEqual([blobsOf(a!), blobsOf(a!, "TASK-002")]);
    await c!.shared.sync(WORKSPACE);
    expect(await c!.shared.fetch("TASK-002")).toEqual({ fetched: 1, lacking: [] });
    expect([blobsOf(c!), blobsOf(c!, "TASK-002").length]).toEqual([[], 1]);
    await expect(c!.shared.fetch("TASK-009")).rejects.toMatchObject({ code: "UNKNOWN_ID" });
  });

  it("[SHARED-34] that the object store lacks, too, are missing", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    const { name } = await captureWithoutBytes(a!);
    await machine(server.url, { root: a!.root }).shared.sync();
    await b!.shared.sync(WORKSPACE);
    expect(b!.verify().findings).toMatchObject([{ code: "BYTES_REMOTE" }]);
    expect(await verdict(b!)).toEqual({ status: "broken", why: expect.stringContaining("is not there"), warned: [] });
    expect(b!.verify().findings).toMatchObject([{ code: "BLOB_MISSING" }]);
    expect((await b!.shared.fetch()).lacking).toEqual([{ id: "TASK-001", path: `shared/evidence/blobs/${name}` }]);
  });

  it("[SHARED-34] that the object store lacked are asked for again half a minute later", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    let now = Date.now();
    const b = machine(server.url, { now: () => now });
    const { name, path } = await captureWithoutBytes(a!);
    const again = machine(server.url, { root: a!.root });
    await again.shared.sync();
    await b.shared.sync(WORKSPACE);
    expect((await verdict(b)).status).toBe("broken");
    writeFileSync(path, OUTPUT);
    expect(await again.shared.sync(WORKSPACE, { blobs: "all" })).toMatchObject({ blobs: { published: 1 } });
    now += 31_000;
    expect((await verdict(b)).status).toBe("holds");
    expect(blobsOf(b)).toEqual([name]);
  });

  it("[SHARED-34] [SHARED-12] that git took away with their lines are on the shared log once the lines are back", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    const early = readFileSync(logPath(a!.root));
    await capture(a!, "TASK-001");
    await a!.close();
    writeFileSync(logPath(a!.root), early);
    rmSync(join(a!.root, ".coco/tasks/TASK-001/shared/evidence/blobs"), { recursive: true });
    const again = machine(server.url, { root: a!.root });
    await ok(again, "tasks_note", { task: "TASK-001", note: "next" });
    expect(again.verify()).toMatchObject({ ok: true, findings: [{ code: "BYTES_REMOTE" }] });
    expect((await verdict(again)).status).toBe("holds");
  });
});
