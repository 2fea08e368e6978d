/** State is changed in place; what was said of it is not, and what is said of it is nobody's handle on it. */
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const READS = ["radar", "handoff", "resume", "resume_pack", "resume_super", "snapshot", "mirror", "history"] as const;
/** More than the rings of notes and trace hold. */
const ROUNDS = 15;

async function work(ws: Workspace, task: string, round: string): Promise<object[]> {
  const said: object[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const text = `${round} ${i}`;
    said.push(await ok(ws, "tasks_note", { task, path: "s:0", note: text }));
    said.push(await ok(ws, "tasks_think", { task, hypothesis: text, trace: text }));
    said.push(await ok(ws, "tasks_define", { task, path: "s:0", success_criteria: [text], tests: ["npm test", text] }));
    said.push(await ok(ws, "tasks_edit", { task, title: text, tags: [`t${i}`] }));
    said.push(await ok(ws, "tasks_decompose", { task, steps: [{ title: text, success_criteria: [text], tests: [] }] }));
    said.push(
      await ok(ws, "tasks_evidence_capture", { task, path: "s:0", checkpoint: "tests", checks: [`CMD: ${text}`] }),
    );
  }
  return said;
}

const readAll = (ws: Workspace, target: string): Promise<object[]> =>
  Promise.all(READS.map((name) => ok(ws, `tasks_${name}`, { target })));

/** Whatever can be written to is. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) spoil(member);
  if (Array.isArray(value)) value.push("spoilt");
  else for (const key of Object.keys(value)) (value as Record<string, unknown>)[key] = "spoilt";
}

describe("an answer", () => {
  it("[ENG-12] stays what it was, whatever changes afterwards", ROTATING, async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    const kept = [...(await work(ws, task, "before")), ...(await readAll(ws, task))];
    const before = structuredClone(kept);
    await work(ws, task, "after");
    expect(kept).toEqual(before);
  });

  it("[ENG-12] is the caller's own: what is done to it changes no state", async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    const said = await work(ws, task, "before");
    const before = await readAll(ws, task);
    said.push(...(await readAll(ws, task)));
    spoil(said);
    expect(await readAll(ws, task)).toEqual(before);
  });
});
