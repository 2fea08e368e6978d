import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { repository } from "../support/git.ts";
import { call, logLines, newTask, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const NOTES = "shared/human-notes.md";
const MANIFEST = "shared/context-manifest.yaml";
const SEEN = "Read shared/human-notes.md: a person changed it";

function fileOf(root: string, file = NOTES): string {
  return join(root, ".coco/tasks/TASK-001", file);
}

function typesOf(root: string): string[] {
  return logLines(root).map((line) => (JSON.parse(line) as { type: string }).type);
}

function lastOf(root: string, type: string): { by: string; payload: { content: string; file: string } } {
  return logLines(root)
    .map((line) => JSON.parse(line))
    .findLast((event) => event.type === type);
}

async function next(ws: Workspace, by = "agent:one"): Promise<string[]> {
  const { result } = await ws.callTool("tasks_radar", { workspace: WORKSPACE, task: "TASK-001" }, { by });
  return (result!["radar"] as JsonObject)["next"] as string[];
}

describe("files of people's", () => {
  it("[DIR-24] [PEOPLE-1] what a person wrote is read into the log by the next write, before its own op", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), "# Human notes\r\n\r\n- Use port 8080.\r\n");
    const reply = await call(ws, "tasks_note", { task: "TASK-001", note: "on it" });
    expect(reply.error).toBeNull();
    expect(reply.warnings.map((w) => w.code)).toEqual(["NOTES_CHANGED"]);
    expect(typesOf(ws.root).slice(-2)).toEqual(["notes.changed", "step.noted"]);
    expect(lastOf(ws.root, "notes.changed")).toMatchObject({
      by: "system",
      payload: { file: NOTES, content: "# Human notes\n\n- Use port 8080.\n" },
    });
    expect(readFileSync(fileOf(ws.root), "utf8")).toBe("# Human notes\r\n\r\n- Use port 8080.\r\n");
    expect((await call(ws, "tasks_note", { task: "TASK-001", note: "again" })).warnings).toEqual([]);
    expect(typesOf(ws.root).filter((type) => type === "notes.changed")).toHaveLength(1);
    expect(ws.verify()).toMatchObject({ ok: true });
  });

  it("[PEOPLE-1] the text that was there from the start is nobody's change, with CR LF neither", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), readFileSync(fileOf(ws.root), "utf8").replaceAll("\n", "\r\n"));
    expect((await call(ws, "tasks_note", { task: "TASK-001", note: "on it" })).warnings).toEqual([]);
    expect(typesOf(ws.root)).not.toContain("notes.changed");
  });

  it("[ENG-3] an expectation is compared with the state before the engine's own op", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = (await ok(ws, "tasks_radar", { task: "TASK-001" }))["target"] as JsonObject;
    writeFileSync(fileOf(ws.root), "mind the gap\n");
    const late = await call(ws, "tasks_note", { task: "TASK-001", note: "x", expected_revision: 7 });
    expect(late.error?.code).toBe("REVISION_MISMATCH");
    expect(typesOf(ws.root)).not.toContain("notes.changed");
    const revision = before["revision"] as number;
    await ok(ws, "tasks_note", {
      task: "TASK-001",
      note: "x",
      expected_revision: revision,
      expected_head: before["head"] as string,
    });
    const after = (await ok(ws, "tasks_radar", { task: "TASK-001" }))["target"] as JsonObject;
    expect(after["revision"]).toBe(revision + 2);
  });

  it("[ENG-3] of calls that go out together, only the first is compared with that state", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), "mind the gap\n");
    const replies = await Promise.all(
      ["one", "two"].map((note) => call(ws, "tasks_note", { task: "TASK-001", note, expected_revision: 1 })),
    );
    expect(replies.map((reply) => reply.error?.code)).toEqual([undefined, "REVISION_MISMATCH"]);
  });

  it("[PEOPLE-3] a file with conflict markers, not UTF-8, too large or behind a link is not read in", async () => {
    const ws = openTemp();
    await newTask(ws);
    const path = fileOf(ws.root);
    const write = async (content: string | Buffer): Promise<string[]> => {
      rmSync(path);
      writeFileSync(path, content);
      return (await call(ws, "tasks_note", { task: "TASK-001", note: "x" })).warnings.map((w) => w.code);
    };
    expect(await write("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")).toEqual(["NOTES_CONFLICT_MARKERS"]);
    expect((await call(ws, "tasks_note", { task: "TASK-001", note: "x" })).warnings).toHaveLength(1);
    expect(await write(Buffer.from([0x61, 0xff]))).toEqual(["NOTES_NOT_READ"]);
    expect(await write("x".repeat(256 * 1024 + 1))).toEqual(["NOTES_NOT_READ"]);
    const elsewhere = join(ws.root, "secret.md");
    writeFileSync(elsewhere, "secret\n");
    rmSync(path);
    symlinkSync(elsewhere, path);
    const linked = await call(ws, "tasks_note", { task: "TASK-001", note: "x" });
    expect(linked.error).toBeNull();
    expect(linked.warnings.map((w) => w.code)).toEqual(["NOTES_NOT_READ"]);
    expect(typesOf(ws.root)).not.toContain("notes.changed");
    expect(await write("Title\n=======\n\nfine\n")).toEqual(["NOTES_CHANGED"]);
  });

  it("[DIR-24] [PEOPLE-3] a missing file comes back with what was read of it last", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), "kept\n");
    await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
    rmSync(fileOf(ws.root));
    rmSync(fileOf(ws.root, MANIFEST));
    const reply = await call(ws, "tasks_note", { task: "TASK-001", note: "two" });
    expect(reply.warnings).toEqual([]);
    expect(readFileSync(fileOf(ws.root), "utf8")).toBe("kept\n");
    expect(readFileSync(fileOf(ws.root, MANIFEST), "utf8")).toBe("attachments: []\n");
    rmSync(fileOf(ws.root));
    await ws.repair.rebuild("TASK-001");
    expect(readFileSync(fileOf(ws.root), "utf8")).toBe("kept\n");
  });

  it("[PEOPLE-5] radar tells each actor until that one has made a change after the reading in", async () => {
    const ws = openTemp({ by: "agent:one" });
    await newTask(ws);
    const plain = await next(ws);
    const note = (by: string, text = "x") =>
      ws.call("tasks_note", { workspace: WORKSPACE, task: "TASK-001", note: text }, { by });
    const firstLine = async (by: string): Promise<string> => (await next(ws, by))[0]!;
    writeFileSync(fileOf(ws.root), "mind the gap\n");
    const before = tree(ws.root);
    expect(await firstLine("agent:one")).toContain(`${SEEN}, and no change has read it`);
    expect(tree(ws.root)).toEqual(before);
    await note("agent:one", "was decided without it");
    expect(await firstLine("agent:one")).toContain(SEEN);
    for (let i = 0; i < 12; i++) await note("agent:two");
    expect(await next(ws, "agent:two")).toEqual(plain);
    expect(await firstLine("agent:one")).toContain(SEEN);
    expect(await firstLine("human:ada")).toContain(SEEN);
    await note("agent:one", "has seen it");
    expect(await next(ws, "agent:one")).toEqual(plain);
    writeFileSync(fileOf(ws.root), "mind the gap, and the step\n");
    await note("agent:two");
    await note("agent:two");
    expect(await firstLine("agent:one")).toContain(SEEN);
    expect(await next(ws, "agent:two")).toEqual(plain);
  });

  it("[PEOPLE-5] of more than 64 actors the earliest are told once more", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), "mind the gap\n");
    for (let i = 0; i <= 65; i++)
      await ws.call("tasks_note", { workspace: WORKSPACE, task: "TASK-001", note: "x" }, { by: `agent:${i}` });
    const told = [];
    for (let i = 0; i <= 65; i++) if ((await next(ws, `agent:${i}`))[0]!.includes(SEEN)) told.push(i);
    // The first made the change that went with the reading in.
    expect(told).toEqual([0, 1]);
  });

  it("[PEOPLE-5] handoff shows what stands in the files that people changed", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root, MANIFEST), "attachments:\n  - id: a\n");
    await ok(ws, "tasks_note", { task: "TASK-001", note: "mine" });
    const { notes } = (await ok(ws, "tasks_handoff", { task: "TASK-001" }))["handoff"] as { notes: JsonObject[] };
    expect(notes.map((note) => note["text"])).toEqual(["mine", `${MANIFEST}: attachments:\n  - id: a`]);
  });

  it("[PEOPLE-5] of a long file the end is shown, where people wrote last", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), `- First.\n${"🚀".repeat(2000)}\n- Last of all.\n`);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "mine" });
    const { notes } = (await ok(ws, "tasks_handoff", { task: "TASK-001" }))["handoff"] as { notes: JsonObject[] };
    const end = `${"🚀".repeat(999 - "\n- Last of all.".length)}\n- Last of all.`;
    expect(notes.at(-1)!["text"]).toBe(`${NOTES} (the end of 2024 characters): …${end}`);
  });

  it("[PEOPLE-1] a refused call reads nothing in, and the next one does", async () => {
    const ws = openTemp();
    await newTask(ws);
    writeFileSync(fileOf(ws.root), "mind the gap\n");
    const refused = await call(ws, "tasks_done", { task: "TASK-001", path: "s:0" });
    expect(refused.error?.code).toBe("CHECKPOINTS_NOT_CONFIRMED");
    expect(typesOf(ws.root)).not.toContain("notes.changed");
    await ok(ws, "tasks_note", { task: "TASK-001", note: "x" });
    expect(typesOf(ws.root)).toContain("notes.changed");
    expect(existsSync(fileOf(ws.root))).toBe(true);
  });

  it(
    "[PEOPLE-7] branches that read in different texts are in conflict until somebody puts the file right",
    ROTATING,
    async () => {
      const { ada, cloneOf } = repository();
      const first = openTemp({ root: ada.root });
      await newTask(first);
      ada.commit("made");
      const bob = cloneOf(ada, "bob");
      const second = openTemp({ root: bob.root, by: "human:bob" });
      for (const [ws, clone, text] of [
        [first, ada, "from ada\n"],
        [second, bob, "from bob\n"],
      ] as const) {
        writeFileSync(fileOf(clone.root), text);
        await ok(ws, "tasks_note", { task: "TASK-001", note: text });
        clone.commit(text);
      }
      expect(ada.merge(bob)).toBe(false);
      await first.repair.resolve();
      const blockers = async () =>
        ((await ok(first, "tasks_radar", { task: "TASK-001" }))["radar"] as JsonObject)["blockers"] as string[];
      expect((await blockers())[0]).toContain(`Conflict on ${NOTES}: `);
      const open = await call(first, "tasks_note", { task: "TASK-001", note: "markers" });
      expect(open.warnings.map((w) => w.code)).toEqual(["NOTES_CONFLICT_MARKERS"]);
      expect(await blockers()).toHaveLength(1);
      writeFileSync(fileOf(ada.root), "from bob\n");
      await ok(first, "tasks_note", { task: "TASK-001", note: "settled" });
      expect(await blockers()).toEqual([]);
      expect(lastOf(ada.root, "notes.changed").payload.content).toBe("from bob\n");
    },
  );
});
