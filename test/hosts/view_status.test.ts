/** What needs someone, and what happened, as the viewer answers it. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openReaderOn } from "../../src/engine/open_reader.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { exportView } from "../../src/hosts/view/export_view.ts";
import { readPageFiles } from "../../src/hosts/view/page_files.ts";
import type { EmbeddedData, EntityAnswer, StatusAnswer } from "../../src/views/viewer/api.ts";
import { NEED_KINDS } from "../../src/state/need.ts";
import type { HappenedRow } from "../../src/views/happened.ts";
import { happenedRows } from "../../src/views/happened.ts";
import { en } from "../../viewer/src/text/en.ts";
import { readVisit, visitAt, BREAK_MS } from "../../viewer/src/now/visit.ts";
import { placeOf } from "../../viewer/src/now/place_of.ts";
import { phrased, textOf } from "../../src/sentence.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium, serve, SOON } from "../support/chromium.ts";
import { passTime } from "../support/clock.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { run } from "./cli_support.ts";
import { COCO_TASK } from "./view_coco.ts";
import { builtPages, read, viewerOf } from "./view_support.ts";

const BEGAN = Date.parse("2026-03-01T10:00:00.000Z");
const ME = "human:ann";

interface World {
  ws: Workspace;
  clock: { at: number };
  viewer: Viewer;
}

const step = (title: string) => ({ title, success_criteria: ["it works"], tests: ["npm test"] });

/** Something of each kind but a conflict, by two actors on two days. */
async function world(): Promise<World> {
  const clock = { at: BEGAN };
  const ws = openTemp({ by: "agent:ada", now: () => clock.at });
  await ok(ws, "tasks_create", { kind: "plan", title: "Version 2" });
  for (const title of ["Parser", "Lexer", "Docs"])
    await ok(ws, "tasks_create", { parent: "PLAN-001", title, steps: [step("Design"), step("Code")] });
  await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:0", ttl_s: 60 });
  await ok(ws, "tasks_block", { task: "TASK-001", path: "s:1", reason: "no grammar" });
  clock.at += 86_400_000;
  const items = [{ kind: "run", command: "npm test", exit_code: 1, stdout: "red" }];
  await ok(ws, "tasks_evidence_capture", { task: "TASK-002", path: "s:0", checkpoint: "tests", items });
  for (const path of ["s:0", "s:1"]) await ok(ws, "tasks_close_step", { task: "TASK-003", path, checkpoints: "gate" });
  const taskYaml = join(ws.root, ".coco/tasks/TASK-002/README.md");
  writeFileSync(taskYaml, `${readFileSync(taskYaml, "utf8")}by hand\n`);
  appendFileSync(join(ws.root, ".coco/tasks/TASK-003/shared/human-notes.md"), "Mind the brackets.\n");
  const viewer = new Viewer({
    root: ws.root,
    version: "0.0.0",
    by: ME,
    now: () => clock.at,
    commandLine: ({ tool, input }, workspace) => `${workspace} ${tool} ${String(input["task"])}`,
  });
  onTestFinished(() => viewer.close());
  return { ws, clock, viewer };
}

const status = (viewer: Viewer): Promise<StatusAnswer> => read<StatusAnswer>(viewer, "status.json");

describe("the status as the viewer answers it", () => {
  it("[VIEWER-150] has the rows of tasks_status in its order, each need with the command that ends it", async () => {
    const { ws, clock, viewer } = await world();
    const reader = openReaderOn({ root: ws.root, workspace: WORKSPACE, by: ME, now: () => clock.at });
    onTestFinished(() => reader.close());
    const { result } = await reader.callTool("tasks_status", { workspace: WORKSPACE, since: "1970-01-01" });
    const told = result as unknown as Omit<StatusAnswer, "happened"> & { happened: HappenedRow[] };
    const answer = await status(viewer);
    const kinds = [...new Set(answer.needs_you.map(({ what }) => what))];
    expect(kinds).toEqual(NEED_KINDS.filter((kind) => kind !== "conflict" && kind !== "gate"));
    const { happened, happened_more, unseen } = answer;
    expect({ happened: happenedRows(happened), happened_more, unseen }).toEqual({
      happened: told.happened,
      happened_more: told.happened_more,
      unseen: told.unseen,
    });
    expect(answer.needs_you.map((need) => ({ ...need, why: need.why.text }))).toEqual(
      told.needs_you.map((need) => {
        const line = `${WORKSPACE} ${need.call?.tool} ${need.task}`;
        return { ...need, command: need.command ?? line };
      }),
    );
    expect(answer.needs_you.map(({ command }) => command)).toContain(`${WORKSPACE} tasks_block TASK-001`);
    expect(answer.needs_you.find(({ what }) => what === "drift")?.command).toBe(`${WORKSPACE} tasks_note TASK-002`);
  });

  it("[CLI-118] [STATUS-1] the board of the terminal and that of the page have one word for a claim that ended", async () => {
    const ws = openTemp({ now: () => Date.parse("2026-03-01T10:00:00.000Z") });
    const steps = [{ title: "First", success_criteria: ["x"] }];
    const made = await ws.callTool("tasks_create", { workspace: WORKSPACE, kind: "task", title: "A", steps });
    const claim = { workspace: WORKSPACE, task: "TASK-001", path: "s:0", ttl_s: 60 };
    const claimed = await ws.callTool("tasks_claim", claim, { by: "agent:ben" });
    expect([made.error, claimed.error]).toEqual([null, null]);
    expect((await run({ cwd: ws.root }, "board")).out).toContain("[claim ended]");
    expect(en.signal.expired).toBe("claim ended");
  });

  it("[STATUS-2] [VIEW-4] a row that the claim of another actor holds names no command, and the page of its task no change that is refused", async () => {
    const { ws, clock, viewer } = await world();
    const { lease } = await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 600 });
    const { expires_at: until } = lease as { expires_at: string };
    await viewer.lookAgain();
    const blocked = async () => (await status(viewer)).needs_you.find(({ what }) => what === "blocked");
    const next = async () => (await read<EntityAnswer>(viewer, "entities/TASK-001.json")).radar.next;
    const texts = async () => (await next()).map(textOf);
    expect(await blocked()).toMatchObject({ held: { by: "agent:ada", until }, call: null, command: null });
    const ends = `Claim s:0 Design when the claim of agent:ada ends: ${until.replace(".000", "")}`;
    expect(await texts()).toEqual([ends]);
    expect((await next()).map(zh.sentence)).toEqual([
      `在 agent:ada 的认领于 ${until.replace(".000", "")} 结束后认领 s:0 Design`,
    ]);
    clock.at += 600_000;
    await viewer.lookAgain();
    expect((await blocked())?.command).toBe(`${WORKSPACE} tasks_block TASK-001`);
    expect(await texts()).toEqual(["Confirm criteria, tests for s:0 Design"]);
  });

  it("[VIEWER-150] stays the same text while only the time goes on, and is another one once a file or a claim is", async () => {
    const { ws, clock, viewer } = await world();
    const etag = async (): Promise<string> => (await viewer.answer("status.json")).etag;
    const first = await etag();
    const { now } = await status(viewer);
    clock.at += 1000;
    passTime(60_000);
    expect([await etag(), (await status(viewer)).now]).toEqual([first, now]);
    await ok(ws, "tasks_claim", { task: "TASK-002", path: "s:1", ttl_s: 60 });
    await viewer.lookAgain();
    const claimed = await etag();
    expect(claimed).not.toBe(first);
    clock.at += 61_000;
    const over = await status(viewer);
    expect(over.needs_you.filter(({ what }) => what === "claim_over").map(({ task }) => task)).toEqual([
      "TASK-001",
      "TASK-002",
    ]);
  });

  it("[VIEWER-150] an export has it, and that of one task has the rows of what its page names", ROTATING, async () => {
    const { ws, viewer } = await world();
    const exported = async (only?: string): Promise<StatusAnswer> => {
      const dir = tempFolder();
      const pages = readPageFiles(builtPages());
      await exportView({ viewer, pages, dir, from: ws.root, now: new Date(BEGAN).toISOString(), only });
      if (only === undefined) return JSON.parse(readFileSync(join(dir, "api/v1/status.json"), "utf8")) as StatusAnswer;
      const html = readFileSync(join(dir, `${only}.html`), "utf8");
      const [, data = ""] = /id="taskfold-data">(.*?)<\/script>/s.exec(html) ?? [];
      return (JSON.parse(data) as EmbeddedData)["status.json"] as StatusAnswer;
    };
    for (let i = 0; i < 12; i++) await ok(ws, "tasks_create", { kind: "task", title: `Not begun ${i}` });
    const all = await exported();
    expect(all).toEqual(await status(viewer));
    expect(all.unseen.tasks).toBeGreaterThan(10);
    const one = await exported("TASK-001");
    expect(one.unseen).toEqual({ plans: 0, tasks: 0, ended: 0, archived: 0 });
    expect(new Set(one.needs_you.map(({ task }) => task))).toEqual(new Set(["TASK-001"]));
    expect(new Set(one.happened.map(({ task }) => task))).toEqual(new Set(["PLAN-001", "TASK-001"]));
  });

  it("[VIEWER-150] says that nothing needs anyone where another program made the only folder", async () => {
    const root = tempFolder();
    mkdirSync(join(root, ".coco/tasks/coco-1"), { recursive: true });
    writeFileSync(join(root, ".coco/tasks/coco-1/task.yaml"), COCO_TASK);
    expect(await status(viewerOf(root))).toMatchObject({ needs_you: [], happened: [], happened_more: false });
  });
});

describe("the first page", () => {
  it("[PAGE-105] leads from each need to the place that has it", () => {
    const at = (what: (typeof NEED_KINDS)[number], path: string | null = null): string =>
      placeOf({ what, task: "TASK-001", path });
    expect(at("blocked", "s:1")).toBe("#/task/TASK-001?step=s%3A1");
    expect(["proof", "drift", "note", "complete"].map((what) => at(what as "proof"))).toEqual([
      "#/task/TASK-001?tab=evidence",
      "#/task/TASK-001?tab=check",
      "#/task/TASK-001?tab=notes",
      "#/task/TASK-001",
    ]);
  });

  it("[PAGE-105] a visit ends after half an hour without a look, and the next one knows when", () => {
    const first = visitAt(undefined, BEGAN);
    expect(first).toEqual({ seen: BEGAN, before: null });
    const again = visitAt(first, BEGAN + BREAK_MS);
    expect(again).toEqual({ seen: BEGAN + BREAK_MS, before: null });
    const next = visitAt(again, BEGAN + 2 * BREAK_MS + 1);
    expect(next).toEqual({ seen: BEGAN + 2 * BREAK_MS + 1, before: BEGAN + BREAK_MS });
    expect(visitAt(next, next.seen + 1).before).toBe(BEGAN + BREAK_MS);
    expect([readVisit("5.3"), readVisit("5."), readVisit("x.3"), readVisit(undefined)]).toEqual([
      { seen: 5, before: 3 },
      { seen: 5, before: null },
      undefined,
      undefined,
    ]);
  });

  it("[PAGE-105] says why in Chinese on Chinese pages, for each kind of need", async () => {
    const { viewer } = await world();
    const { needs_you: needs } = await status(viewer);
    for (const { why } of needs) expect(zh.sentence(why), why.text).toMatch(/\p{Script=Han}/u);
    const others = [
      phrased`${"s:0 a"}: proof of ${["tests"]} is stale: ${"src/a.ts"}`,
      phrased`${"s:0 a"} is closed, and proof of ${["tests"]} is missing`,
      phrased`${"s:0 a"} has weak proof of ${["tests", "docs"]}: a command or a link is missing`,
      phrased`${"s:0 a"} is closed, and ${["criteria"]} not confirmed`,
      phrased`${"s:0 a"} waits for another actor to confirm ${["tests"]}`,
      phrased`The ${"plan"} is open, and the claim of ${"agent:ada"} ended`,
      phrased`The ${"task"}: a run for ${["tests"]} failed: evidence:${"0123456789ab"}${phrased` (${"npm test"})`} ended with exit code ${1}`,
      phrased`Every task of it has ended`,
    ];
    for (const why of others) {
      const chinese = zh.sentence(why);
      expect(chinese, why.text).toMatch(/\p{Script=Han}/u);
      expect(chinese).not.toMatch(/proof|closed|claim of|confirm|ended/);
    }
    expect(Object.keys(en.now.kinds)).toEqual([...NEED_KINDS]);
  });
});

describe.skipIf(CHROMIUM === undefined)(`the first page in a browser${LACK}`, ROTATING, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it("[PAGE-105] has each need under its kind with its command, and the changes of each day", async () => {
    const { ws } = await world();
    const at = exportedPages(ws.root);
    // 10:00 of UTC is the evening of the day there.
    const zone = { timezoneId: "Pacific/Kiritimati", locale: "en-GB" };
    const page = await browser.newPage({ ...zone, viewport: { width: 1280, height: 800 } });
    await page.goto(at(""));
    const kinds = page.locator(".needs h3 .badge");
    const wanted = ["complete", "proof", "claim_over", "blocked", "drift", "note"] as const;
    await expect.poll(() => kinds.allInnerTexts(), SOON).toEqual(wanted.map((kind) => en.now.kinds[kind]));
    const blocked = page.locator("#needs-blocked + ul");
    expect(await blocked.innerText()).toMatch(/TASK-001 Parser[^]*is blocked: no grammar[^]*taskfold unblock TASK-001/);
    expect(await page.locator(".happened h3").allInnerTexts()).toEqual([
      "3 Mar 2026 3 changes",
      "2 Mar 2026 6 changes",
    ]);
    await blocked.getByRole("link").click();
    await page.locator('[id="step-s:1"]').waitFor();
    await page.close();
  });

  it("[PAGE-105] says that nothing needs anyone, and what was done last", async () => {
    const ws = openTemp({ by: "agent:ada", now: () => BEGAN });
    await ok(ws, "tasks_create", { kind: "task", title: "Parser" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "begun" });
    await ok(ws, "tasks_complete", { task: "TASK-001" });
    const page = await browser.newPage({ locale: "en-GB" });
    await page.goto(exportedPages(ws.root)(""));
    const empty = page.locator(".empty");
    await expect
      .poll(() => empty.innerText(), SOON)
      .toMatch(/Nothing needs you[^]*Completed task "Parser"[^]*TASK-001/);
    await page.close();
  });

  it("[PAGE-105] marks what is new since the visit before", async () => {
    const ws = openTemp({ by: "agent:ada" });
    await ok(ws, "tasks_create", { kind: "task", title: "Parser" });
    const server = await serve(ws.root);
    try {
      const page = await browser.newPage({ locale: "en-GB" });
      await page.goto(server.address);
      await page.locator(".happened").waitFor();
      expect(await page.locator(".visit").count()).toBe(0);
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name.startsWith("taskfold_visit_"));
      const before = Date.parse("2025-01-01T00:00:00.000Z");
      await page.context().addCookies([{ ...cookie!, value: `${before}.` }]);
      await page.reload();
      await expect.poll(() => page.locator(".visit").innerText(), SOON).toMatch(/^1 new since your last visit, 1 Jan/);
      expect(await page.locator(".happened .badge").innerText()).toBe("new");
      await page.close();
    } finally {
      await server.stop();
    }
  });
});
