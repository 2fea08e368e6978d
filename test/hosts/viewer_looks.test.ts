/** What a browser shows of a workspace, on pages of a running server and of an export. */
import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentsAnswer, BoardAnswer } from "../../src/views/viewer/api.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium, serve, SOON } from "../support/chromium.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp } from "../support/workspace.ts";

const STEP = { title: "One", success_criteria: ["It works"], tests: ["npm test"] };
describe("the looks of the viewer's pages", () => {
  it.skipIf(CHROMIUM === undefined)(
    `[PAGE-51] [regression PAGE-48, PAGE-49, PAGE-50, PAGE-52] sizes, budgets, what is missing and who is refused${LACK}`,
    ROTATING,
    async () => {
      const root = tempFolder();
      cpSync(join(ROOT, "test/golden/packet/.coco"), join(root, ".coco"), { recursive: true });
      const server = await serve(root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1000, height: 500 } });
        await page.goto(server.address);
        await page.goto(`${new URL("/", server.address).href}#/board`);
        await page.locator(".card").first().waitFor();
        expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
        await page.goto(`${new URL("/", server.address).href}#/task/TASK-FAILS?tab=packet`);
        const bar = page.locator(".meter").first();
        await bar.waitFor();
        expect((await bar.locator("span").boundingBox())?.height).toBe((await bar.boundingBox())?.height);
        await page.goto(`${new URL("/", server.address).href}#/task/TASK-999`);
        const alert = page.locator("main [role=alert]");
        await alert.waitFor();
        expect(await alert.innerText()).toContain("nothing at this address");
        expect(await alert.innerText()).not.toMatch(/GET|tasks_/);
        await page.setViewportSize({ width: 360, height: 740 });
        await page.goto(`${new URL("/", server.address).href}#/health?logs=1`);
        await page.locator(".sideways").waitFor({ state: "visible" });
        // As after a start of another server on the same port.
        await page.context().clearCookies();
        await page.reload().catch(() => undefined);
        expect(await page.locator("body").innerText()).toContain("did not say who it is");
      } finally {
        await browser.close();
        await server.stop();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[PAGE-51] [regression PAGE-98] a board of which a page is refused says how much of it is here, and reads it again${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp();
      for (const title of ["One", "Two", "Three"]) await ok(ws, "tasks_create", { kind: "task", title });
      const server = await serve(ws.root);
      const browser = await launchChromium();
      try {
        const context = await browser.newContext({ locale: "en-GB" });
        const page = await context.newPage();
        let isWhole = false;
        await context.route("**/api/v1/board/0.json", async (route) => {
          const answer = await route.fetch();
          const board = (await answer.json()) as BoardAnswer;
          const shown = isWhole ? board : { ...board, pages: 2, rows: board.rows.slice(0, 2) };
          await route.fulfill({ response: answer, json: shown });
        });
        const error = { code: "STORAGE_FAILED", message: "The disk failed.", recovery: null };
        await page
          .context()
          .route("**/api/v1/board/1.json", (route) => route.fulfill({ status: 500, json: { api: 1, error } }));
        await page.goto(server.address);
        await page.goto(`${new URL("/", server.address).href}#/board`);
        const notice = page.locator(".board-page [role=alert]");
        await notice.waitFor();
        expect(await notice.innerText()).toContain("2 of 3 plans and tasks are here. The disk failed.");
        expect(await page.locator(".card").count()).toBe(2);
        const plans = await context.newPage();
        await plans.goto(`${new URL("/", server.address).href}#/plans`);
        expect(await plans.locator(".page [role=alert]").innerText()).toContain("2 of 3 plans and tasks are here.");
        await plans.close();
        isWhole = true;
        await notice.getByRole("button", { name: "Try again" }).click();
        await notice.waitFor({ state: "detached" });
        expect(await page.locator(".card").count()).toBe(3);
        for (const task of ["TASK-001", "TASK-002"]) await ok(ws, "tasks_edit", { task, priority: "high" });
        await page.getByText("Changed: TASK-001, TASK-002").waitFor({ state: "attached" });
      } finally {
        await browser.close();
        await server.stop();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[PAGE-105] the page looks for the lane of a story that is on another page of lanes by now${LACK}`,
    ROTATING,
    async () => {
      const server = await serve(await lived());
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB" });
        let [isMoved, readings] = [true, 0];
        await page.route("**/api/v1/agents.json", async (route) => {
          const answer = await route.fetch();
          const agents = (await answer.json()) as AgentsAnswer;
          readings++;
          await route.fulfill({ response: answer, json: isMoved ? { ...agents, lanes: [] } : agents });
        });
        await page.goto(server.address);
        await page.goto(`${new URL("/", server.address).href}#/agents?agent=agent:ada`);
        const moved = page.locator(".empty", { hasText: "another page of lanes" });
        await moved.waitFor();
        await expect.poll(() => readings, SOON).toBeGreaterThan(1);
        isMoved = false;
        await moved.getByRole("button", { name: "Try again" }).click();
        await page.locator(".agent-story").waitFor();
      } finally {
        await browser.close();
        await server.stop();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[PAGE-105] [PAGE-51] [regression PAGE-76, PAGE-78] a plan's trouble, filters of a phone, paper, and a lost connection${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp({ now: Date.now });
      await ok(ws, "tasks_create", { title: "Version 2" });
      for (let n = 0; n < 40; n++)
        await ok(ws, "tasks_create", { parent: "PLAN-001", title: `Task ${n}`, priority: "HIGH", steps: [STEP] });
      await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "no grammar yet" });
      const server = await serve(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 500 } });
        await page.goto(server.address);
        const base = new URL("/", server.address).href;
        await page.goto(`${base}#/plans`);
        const card = page.locator(".plan-card");
        await card.waitFor();
        expect(await card.locator(".standing .badge").allInnerTexts()).toEqual(["Blocked 1", "Ready 39"]);
        await page.goto(`${base}#/plan/PLAN-001`);
        const row = page.locator("tr", { hasText: "TASK-001" });
        await row.locator(".badge", { hasText: "Blocked" }).waitFor();
        expect(await row.innerText()).toContain("HIGH");
        await page.evaluate("dispatchEvent(new Event('beforeprint'))");
        expect(await page.locator("tbody tr:not(.gap)").count()).toBe(40);
        await page.evaluate("dispatchEvent(new Event('afterprint'))");
        await page.locator(".standing a").first().click();
        await page.locator(".card").first().waitFor();
        expect(await page.locator(".card").count()).toBe(1);
        await page.setViewportSize({ width: 360, height: 740 });
        const filters = page.getByRole("button", { name: "Filters (2)" });
        await filters.click();
        expect(await page.getByLabel("Group by").isVisible()).toBe(true);
        await filters.click();
        expect(await page.getByLabel("Group by").isVisible()).toBe(false);
        expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
        await server.stop();
        await page.locator("main .live-hint").waitFor();
        expect(await page.locator(".live-hint").innerText()).toContain("start `taskfold view` again");
      } finally {
        await browser.close();
        await server.stop();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[regression PAGE-53] an export that is read later tells a claim as of the export${LACK}`,
    ROTATING,
    async () => {
      const ws = openTemp({ now: Date.now });
      const { id } = (await ok(ws, "tasks_create", { kind: "task", title: "One" })) as { id: string };
      await ok(ws, "tasks_claim", { task: id, ttl_s: 3600 });
      const at = exportedPages(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB" });
        await page.clock.install({ time: Date.now() + 11 * 86_400_000 });
        await page.goto(at("#/board"));
        const badge = page.locator(".card .badge.violet").first();
        await badge.waitFor();
        expect(await badge.innerText()).toContain("as of the export");
      } finally {
        await browser.close();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[PAGE-105] [regression PAGE-82, PAGE-83, PAGE-85, PAGE-88, PAGE-130] the past, lanes, charts and remedies${LACK}`,
    ROTATING,
    async () => {
      const root = await lived();
      const at = exportedPages(root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
        await page.goto(at("#/time/TASK-001?at=4"));
        const entry = page.locator(".op-body li a");
        await entry.waitFor();
        expect(await entry.getAttribute("href")).toMatch(/#\/task\/TASK-001\?tab=evidence&entry=cmd-/);
        expect(await page.locator(".op-body").innerText()).toMatch(/exit code 1\s+For s:0 Tests/);
        expect(await page.locator(".player output").innerText()).toMatch(
          /^As of [A-Z][a-z]+,? \d+ [A-Z][a-z]+, \d+:\d+\s+Revision 4 of 6[^]*ada$/,
        );
        expect(await page.locator(".past .facts-line").innerText()).toMatch(/Changed \d+ [A-Z][a-z]+, \d+:/);
        expect(await page.locator("nav [aria-current]").innerText()).toBe("Board");
        const tabs = async (): Promise<number> => (await page.locator('[role="tablist"]').boundingBox())!.y;
        await page.getByRole("button", { name: "Last", exact: true }).click();
        await page.locator(".entity-head h1", { hasText: "much longer" }).waitFor();
        const below = await tabs();
        await page.getByRole("button", { name: "First", exact: true }).click();
        await page.locator(".past h1", { hasText: "Old title" }).waitFor();
        expect(await tabs()).toBe(below);
        await page.goto(at("#/agents"));
        const failing = page.locator(".agent-table tbody tr").first();
        await failing.waitFor();
        expect(await failing.innerText()).toContain("ada");
        expect(
          await page.locator("a[href]:visible, button:visible, select:visible, summary:visible").count(),
        ).toBeLessThan(21);
        await failing.click();
        await page.getByRole("button", { name: "Only failures" }).click();
        await expect.poll(() => page.locator(".agent-story tbody tr").count(), SOON).toBe(1);
        await page.goto(at("#/agents?lanes=1&agent=agent:bob"));
        const lane = page.locator(".agent-lane", { hasText: "bob" });
        await lane.waitFor();
        expect(await lane.locator(".lane-waits").innerText()).toMatch(/Stuck on TASK-002 s:0: blocked: no grammar/);
        expect(await page.locator(".chip[aria-pressed=false]").count()).toBe(0);
        await page.locator(".chip", { hasText: "claim" }).click();
        expect(await page.locator("main").innerText()).toMatch(/marks? of hidden kinds/);
        expect(await page.locator(".bars-scale").innerText()).toMatch(/^\d+ changes?$/);
        const sentence = page.locator(".agent-story .sentence").first();
        expect((await sentence.boundingBox())!.width).toBeGreaterThan(400);
        await page.setViewportSize({ width: 390, height: 844 });
        await page.locator(".agent-list > li.chosen").waitFor();
        expect(await page.locator(".agent-table").count()).toBe(0);
        const over =
          '[...document.querySelectorAll(".top, .agent-list")].map((one) => one.scrollWidth - one.clientWidth)';
        expect(await page.evaluate(over)).toEqual([0, 0]);
        expect(await page.locator("nav:visible").count()).toBe(0);
        await page.getByRole("button", { name: "Pages, colours, language and keys" }).click();
        await page.getByRole("link", { name: "Agents" }).click();
        await expect.poll(() => page.locator("nav:visible").count(), SOON).toBe(0);
        await page.goto(at("#/agents?lanes=1&agent=agent:bob"));
        await page.setViewportSize({ width: 360, height: 740 });
        const box = 'document.querySelector(".agent-story .table-box")';
        await expect.poll(() => page.evaluate(`${box}.scrollWidth - ${box}.clientWidth`)).toBe(0);
        expect(await page.evaluate('getComputedStyle(document.querySelector(".lanes-axis")).position')).toBe("sticky");
        // A choice writes the address a moment later. If the reader goes elsewhere before that, and the browser tells of it late,
        // the way to the other page stands.
        await page.addInitScript(`addEventListener("hashchange", (event) => {
          if (!event.isTrusted) return;
          event.stopImmediatePropagation();
          setTimeout(() => dispatchEvent(new Event("hashchange")), 400);
        })`);
        await page.reload();
        await page.locator(".chip", { hasText: "claim" }).click();
        await page.goto(at("#/health"));
        const remedy = page.locator(".finding details").first();
        await remedy.waitFor();
        expect(await remedy.getAttribute("open")).not.toBeNull();
        expect(await remedy.locator("dd").first().innerText()).toMatch(/^[A-Z]/);
      } finally {
        await browser.close();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[PAGE-105] [regression PAGE-122, PAGE-123] steps of a plan, days of the past, folds, paper and one menu${LACK}`,
    ROTATING,
    async () => {
      const DAY = 86_400_000;
      const begin = Date.now() - 3 * DAY;
      let time = begin;
      const ws = openTemp({ now: () => time });
      await ok(ws, "tasks_create", { title: "Version 2" });
      const steps = [STEP, { ...STEP, title: "Two" }];
      await ok(ws, "tasks_create", { parent: "PLAN-001", title: "First", steps, description: "long ".repeat(300) });
      await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Second", depends_on: ["TASK-001"], steps: [STEP] });
      await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
      time += 3 * DAY;
      await ok(ws, "tasks_note", { task: "TASK-001", note: "today" });
      const server = await serve(ws.root);
      const browser = await launchChromium();
      try {
        const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
        await page.goto(server.address);
        const base = new URL("/", server.address).href;
        const open = async (hash: string): Promise<void> => void (await page.goto(`${base}${hash}`));
        const text = (what: string): Promise<string> => page.locator(what).first().innerText();
        await open("#/plans");
        await expect.poll(() => text(".plan-card"), SOON).toContain("1 of 3 steps done");
        expect(await text(".plan-card")).toContain("0 of 2 tasks done");
        await open("#/plan/PLAN-001?tab=graph");
        await expect.poll(() => text(".graph-lists"), SOON).toContain("2 tasks, 2 open steps");
        await open("#/task/TASK-001");
        await page.getByRole("link", { name: "Since yesterday" }).click();
        await expect.poll(() => text(".difference h2"), SOON).toContain("From revision 2 to 3");
        await page.locator(".day").first().click();
        await expect.poll(() => text(".player output"), SOON).toContain("Revision 2 of 3");
        const day = new Date(begin).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
        expect((await text(".player output")).replaceAll(",", "")).toContain(`As of ${day.replaceAll(",", "")}`);
        await page.getByRole("button", { name: "Compare with 1", exact: true }).click();
        await expect.poll(() => text(".difference h2"), SOON).toContain("From revision 1 to 2");
        await open(`#/time/TASK-001?from=${new Date(Date.now() + DAY).toISOString().slice(0, 10)}`);
        await expect.poll(() => text(".time-main .notice"), SOON).toContain("Nothing has changed since");
        await open("#/health");
        await page.locator("summary", { hasText: "Sizes and growth" }).waitFor();
        expect(await page.locator(".table-box").count()).toBe(0);
        await open("#/health?logs=1");
        await page.getByRole("region", { name: "Logs" }).waitFor();
        await open("#/task/TASK-001");
        await page.locator(".step").nth(1).waitFor();
        expect(await page.locator(".step-body").count()).toBe(1);
        const description = page.locator("details.fold", { hasText: "long long" });
        const isOpen = async (): Promise<boolean> => (await description.getAttribute("open")) !== null;
        for (const before of [false, true]) {
          if (before) await description.locator("summary").click();
          await expect.poll(isOpen, SOON).toBe(before);
          await page.evaluate("dispatchEvent(new Event('beforeprint'))");
          await expect.poll(() => page.locator(".step-body").count(), SOON).toBe(2);
          await expect.poll(isOpen, SOON).toBe(true);
          await page.evaluate("dispatchEvent(new Event('afterprint'))");
          await expect.poll(() => page.locator(".step-body").count(), SOON).toBe(1);
          expect(await isOpen()).toBe(before);
        }
        await page.getByRole("button", { name: "Colours, language and keys" }).click();
        // The list of keys opens from the menu, too, and gives the focus back to its button.
        await page.getByRole("button", { name: "Keyboard" }).click();
        await page.locator("dialog.help dt").first().waitFor();
        await page.keyboard.press("Escape");
        const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
        await expect.poll(focused, SOON).toBe("Colours, language and keys");
        await page.getByRole("button", { name: "Colours, language and keys" }).click();
        await page.getByRole("combobox", { name: "Language" }).selectOption("zh");
        await expect.poll(() => text("nav"), SOON).toContain("看板");
      } finally {
        await browser.close();
        await server.stop();
      }
    },
  );

  it.skipIf(CHROMIUM === undefined)(
    `[VIEWER-41] a file about one task has its page and its past, and leads to no other${LACK}`,
    ROTATING,
    async () => {
      const root = await lived();
      const ws = openTemp({ root, by: "agent:ada", now: Date.now });
      await ok(ws, "tasks_create", { title: "Version 2" });
      await ok(ws, "tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
      await ok(ws, "tasks_create", { parent: "PLAN-001", title: "The third one", depends_on: ["TASK-001"] });
      await ws.close();
      const page = exportedPages(root, "TASK-001");
      const browser = await launchChromium();
      try {
        const reader = await browser.newPage({ locale: "en-GB" });
        await reader.goto(page(""));
        await expect.poll(() => reader.locator("nav a").allInnerTexts(), SOON).toEqual(["TASK-001", "Time"]);
        await reader.goto(page("#/board"));
        await reader.locator(".entity-head h1").waitFor();
        expect(await reader.locator(".card").count()).toBe(0);
        const pages = (): Promise<string[]> =>
          reader.locator('a[href^="#/"]').evaluateAll((all) => all.map((one) => one.getAttribute("href")!.slice(2)));
        await reader.locator(".tag", { hasText: "parser" }).waitFor();
        expect((await pages()).filter((to) => !/^(?:task|time)\/TASK-001/.test(to))).toEqual([]);
        expect(await reader.locator(".entity-link").allInnerTexts()).toEqual([
          "TASK-002 The second one",
          "TASK-003 The third one",
        ]);
        for (const gone of ["#/nonsense", "#/task/TASK-002"]) {
          await reader.goto(page(gone));
          const way = reader.locator(".empty a.button");
          await expect.poll(() => way.innerText(), SOON).toBe("To TASK-001");
          expect((await pages()).filter((to) => !/^(?:task|time)\/TASK-001/.test(to))).toEqual([]);
          await way.click();
          await reader.locator(".entity-head h1").waitFor();
        }
        await reader.locator("nav a", { hasText: "Time" }).click();
        await reader.locator(".player").waitFor();
        for (const key of ["g", "b", "/", "?"]) await reader.keyboard.press(key);
        await reader.locator("dialog.help:not(.search)").waitFor();
        expect(reader.url()).toMatch(/#\/time\/TASK-001$/);
        const keys = await reader.locator("dialog.help:not(.search) dt").allInnerTexts();
        expect(keys.map((one) => one.replaceAll(/\s/g, ""))).toEqual([
          "?",
          "gt",
          "T",
          "Esc",
          "[]",
          "k",
          "←→HomeEnd",
          "←↑→↓",
          "+-0",
        ]);
        const ofPlan = exportedPages(root, "PLAN-001");
        for (const [hash, place] of [
          ["", ".task-title"],
          ["#/plan/PLAN-001?tab=graph", ".graph-world .node"],
        ] as const) {
          await reader.goto("about:blank");
          await reader.goto(ofPlan(hash));
          await reader.locator(place, { hasText: "TASK-003" }).waitFor();
          expect((await pages()).filter((to) => !/^(?:plan|task|time)\/PLAN-001/.test(to))).toEqual([]);
        }
      } finally {
        await browser.close();
      }
    },
  );
});

/** Two tasks: one whose title grew, with a run that failed, and one that is claimed and blocked. A file was edited by hand. */
async function lived(): Promise<string> {
  const ws = openTemp({ by: "agent:ada", now: Date.now });
  const steps = [{ title: "Write it", success_criteria: ["it parses"], tests: ["npm test"] }];
  await ok(ws, "tasks_create", { kind: "task", title: "Old title", tags: ["parser"], steps });
  await ok(ws, "tasks_note", { task: "TASK-001", note: "begun" });
  await ok(ws, "tasks_note", { task: "TASK-001", note: "going on" });
  await ok(ws, "tasks_evidence_capture", {
    task: "TASK-001",
    path: "s:0",
    checkpoint: "tests",
    items: [{ kind: "run", command: "npm test", exit_code: 1 }],
  });
  const title = "A title that is much longer than the old one, so that it stands on two lines at the top of the page";
  await ok(ws, "tasks_edit", { task: "TASK-001", title });
  await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "who knows" });
  const bob = openTemp({ root: ws.root, by: "agent:bob", now: Date.now });
  await ok(bob, "tasks_create", { kind: "task", title: "The second one", steps });
  await ok(bob, "tasks_claim", { task: "TASK-002", path: "s:0", ttl_s: 86_400 });
  await ok(bob, "tasks_block", { task: "TASK-002", path: "s:0", reason: "no grammar" });
  appendFileSync(join(ws.root, ".coco/tasks/TASK-001/task.yaml"), "# by hand\n");
  return ws.root;
}
