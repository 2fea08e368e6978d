/** Pages of revisions: what other tasks were then stands in no log, and no page guesses it from how they are now. */
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/sentence.ts";
import type { EntityAnswer } from "../../src/views/viewer/api.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium } from "../support/chromium.ts";
import { ROTATING } from "../support/sweep.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";

const steps = ["One", "Other"].map((title) => ({ title, success_criteria: ["done"], tests: ["npm test"] }));
const checkpoints = { criteria: true, tests: true };

/** A task that another one waits for. */
async function waited(): Promise<Workspace> {
  const ws = openTemp({ by: "agent:ada" });
  await ok(ws, "tasks_create", { title: "Version 2" });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser", steps });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Its docs", depends_on: ["TASK-001"], steps });
  await ok(ws, "tasks_note", { task: "TASK-002", note: "here" });
  return ws;
}

async function finish(ws: Workspace): Promise<void> {
  for (const path of ["s:0", "s:1"]) await ok(ws, "tasks_close_step", { task: "TASK-001", path, checkpoints });
  await ok(ws, "tasks_complete", { task: "TASK-001" });
}

describe("the page of a revision", () => {
  it("[VIEWER-7] judges no other task by how it stands now, and has the radar of the engine at that revision", async () => {
    const ws = await waited();
    const pages = async (): Promise<EntityAnswer[]> => {
      const viewer = viewerOf(ws.root);
      const alone = await read<EntityAnswer>(viewer, "entities/TASK-002/revisions/1.json");
      expect((await viewer.revisions("TASK-002", 1, 1)).get(1)).toEqual(alone);
      return [alone, await read<EntityAnswer>(viewer, "entities/TASK-002.json")];
    };
    const [past, present] = await pages();
    expect(present!.waits_for.map(({ id }) => id)).toEqual(["TASK-001"]);
    expect(present!.depends_on[0]!.status).toBe("TODO");
    await finish(ws);
    const [pastAfter] = await pages();
    for (const page of [past!, pastAfter!]) {
      expect(page.depends_on).toEqual([
        { id: "TASK-001", title: "A parser", kind: "task", status: null, archived: false },
      ]);
      expect(page.parent).toMatchObject({ title: "Version 2", status: null });
      expect(page.waits_for).toEqual([]);
      expect(page.steps.map(({ state }) => state)).not.toContain("waiting");
      const { radar } = await ok(ws, "tasks_radar", { task: "TASK-002", at: 1 });
      const { now, why, verify, next, blockers } = page.radar;
      const lists = { verify: verify.map(textOf), next: next.map(textOf), blockers: blockers.map(textOf) };
      expect({ now: now.text, why, ...lists }).toEqual(radar);
    }
    expect({ ...pastAfter!, latest: past!.latest }).toEqual(past);
  });

  it.skipIf(CHROMIUM === undefined)(
    `[regression PAGE-90] says that it does not show how other tasks stood then, in both languages${LACK}`,
    ROTATING,
    async () => {
      const ws = await waited();
      await ok(ws, "tasks_note", { task: "TASK-001", note: "here" });
      await ok(ws, "tasks_note", { plan: "PLAN-001", note: "here" });
      const at = exportedPages(ws.root);
      const browser = await launchChromium();
      try {
        for (const [locale, sentence] of [
          ["en-GB", "Other plans and tasks are not shown as they were then."],
          ["zh-CN", "不显示其他计划和任务当时的状态。"],
        ] as const) {
          const page = await browser.newPage({ locale });
          page.setDefaultTimeout(8000);
          const told = async (hash: string): Promise<number> => {
            await page.goto(at(hash));
            await page.locator(".time-main h1").waitFor();
            return page.getByText(sentence).count();
          };
          expect(await told("#/time/TASK-002?at=1")).toBe(1);
          expect(await told("#/time/PLAN-001?at=1")).toBe(1);
          expect(await told("#/time/TASK-002"), "the present shows it").toBe(0);
          expect(await told("#/time/TASK-001?at=1"), "it names no other").toBe(0);
          await page.close();
        }
      } finally {
        await browser.close();
      }
    },
  );
});
