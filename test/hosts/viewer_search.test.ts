/** The search of the viewer: what `taskfold search` finds, of a server and of an export. */
import { describe, expect, it } from "vitest";
import type { BoardAnswer, SearchAnswer } from "../../src/views/viewer/api.ts";
import { SEARCH_ROWS } from "../../src/views/viewer/api.ts";
import type { Viewer } from "../../src/engine/open_viewer.ts";
import { foundInRows } from "../../viewer/src/found_in_rows.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium, serve, SOON } from "../support/chromium.ts";
import { passTime } from "../support/clock.ts";
import { ROTATING } from "../support/sweep.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { run } from "./cli_support.ts";
import { read, viewerOf } from "./view_support.ts";

const search = (viewer: Viewer, text: string): Promise<SearchAnswer> =>
  read<SearchAnswer>(viewer, `search/${encodeURIComponent(text)}.json`);

describe("the search of the viewer", () => {
  it("[VIEWER-5] has what `taskfold search` finds, titles first, and actors by their names", async () => {
    const ws = openTemp({ by: "agent:ada" });
    const steps = [{ title: "Scope a block", success_criteria: ["done"], tests: ["npm test"] }];
    await ok(ws, "tasks_create", { title: "Version 2" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Statements", steps });
    await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "A block has a scope / of its own: 100 %" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "The scope of names" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Put away: scope" });
    await ok(ws, "tasks_complete", { task: "TASK-003", status: "CANCELED", reason: "so" });
    await ok(ws, "tasks_archive", { tasks: ["TASK-003"] });
    const viewer = viewerOf(ws.root);
    for (const text of ["scope", "SCOPE / of", "100 %", "PLAN-001", "nowhere"]) {
      const { out } = await run({ cwd: ws.root }, "search", text, "--json");
      const { tasks } = (JSON.parse(out) as { result: { tasks: SearchAnswer["rows"] } }).result;
      const answer = await search(viewer, text);
      const places = ({ id, found }: (typeof tasks)[number]): unknown => ({ id, found });
      expect(answer.rows.map(places), text).toEqual(expect.arrayContaining(tasks.map(places)));
      expect([answer.rows.length, answer.total, answer.searched, answer.archived], text).toEqual([
        tasks.length,
        tasks.length,
        3,
        1,
      ]);
    }
    const { rows } = await search(viewer, "scope");
    expect(rows.map(({ id, kind }) => [id, kind])).toEqual([
      ["TASK-002", "task"],
      ["TASK-001", "task"],
    ]);
    expect((await search(viewer, "AD")).agents).toEqual(["agent:ada"]);
    // A change is found at once.
    await ok(ws, "tasks_edit", { task: "TASK-002", title: "Names" });
    passTime(300);
    expect((await search(viewer, "scope")).rows.map(({ id }) => id)).toEqual(["TASK-001"]);
    for (const name of ["search/.json", "search/%zz.json", "search/%FF.json", `search/${"x".repeat(201)}.json`])
      await expect(read(viewer, name), name).rejects.toMatchObject({ code: "UNKNOWN_ID" });
    const board = await read<BoardAnswer>(viewer, "board/0.json");
    const held = foundInRows(board.rows, "NAMES");
    expect(held).toMatchObject({ total: 1, searched: 3, archived: 1, agents: [], rows: [{ id: "TASK-002" }] });
    expect(foundInRows(board.rows, "ada").agents).toEqual(["agent:ada"]);
  });

  it("[VIEWER-5] a text that very many say is cut, and counted whole", async () => {
    const ws = openTemp();
    for (let n = 0; n <= SEARCH_ROWS; n++) await ok(ws, "tasks_create", { kind: "task", title: `Task ${n}` });
    const { rows, total } = await search(viewerOf(ws.root), "task");
    expect([rows.length, total]).toEqual([SEARCH_ROWS, SEARCH_ROWS + 1]);
  });
});

describe.skipIf(CHROMIUM === undefined)(`the search in a browser${LACK}`, ROTATING, () => {
  it("[PAGE-105] a key, letters and Enter lead to a note, no letter is lost, and an export says what it searches", async () => {
    const ws = openTemp({ by: "agent:ada" });
    await ok(ws, "tasks_create", { kind: "task", title: "Statements" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "A block has a scope" });
    const server = await serve(ws.root);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ locale: "en-GB" });
      await page.goto(server.address);
      await page.goto(`${new URL("/", server.address).href}#/task/TASK-001`);
      await page.locator("main h1").waitFor();
      await page.locator("body").press("/");
      await page.keyboard.type("a scope");
      expect(await page.locator(".search input").inputValue()).toBe("a scope");
      await page.keyboard.press("Enter");
      await page.waitForURL(/TASK-001\?tab=notes$/);
      await page.locator(".note", { hasText: "A block has a scope" }).waitFor();
      await page.locator("body").press("Control+k");
      await page.keyboard.type("nowhere");
      const told = page.locator(".search [role=status]");
      await expect
        .poll(() => told.innerText(), SOON)
        .toMatch(/Nothing found for “nowhere”\. Searched: ids, .* 1 plan or task\./);
      await page.keyboard.press("Escape");
      await page.locator(".search").waitFor({ state: "detached" });
      await page.goto(exportedPages(ws.root)("#/board"));
      await page.locator(".card").waitFor();
      await page.locator("body").press("/");
      await page.keyboard.type("a scope");
      await expect.poll(() => told.innerText(), SOON).toContain("This export is searched by ids, titles");
      await page.locator(".search input").fill("statem");
      await page.locator(".found a", { hasText: "Statements" }).click();
      await page.locator(".entity-head h1").waitFor();
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});
