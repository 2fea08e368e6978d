// @module-tag long
/** The page of a plan or task, as a browser shows it of an export, and the pure parts of it. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser, Page } from "playwright-core";
import { parseAddress } from "../../viewer/src/address_text.ts";
import { secondsOf } from "../../viewer/src/entity/attempt_times.ts";
import { panesOf } from "../../viewer/src/entity/taskdoc_panes.ts";
import { failingLine } from "../../src/rules/failing_line.ts";
import { excerpt } from "../../viewer/src/entity/excerpt.ts";
import { duration } from "../../viewer/src/text/format.ts";
import type { EntityAnswer, TaskdocSectionItem } from "../../src/views/viewer/api.ts";
import { en } from "../../viewer/src/text/en.ts";
import { CHROMIUM, exportedPages, LACK, launchChromium, serve, SOON } from "../support/chromium.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { call, ok, openTemp } from "../support/workspace.ts";
import { COCO_TASK } from "./view_coco.ts";
import { read, viewerOf } from "./view_support.ts";

const WIDE = `a_word_that_does_not_break_${"x".repeat(200)}`;
const TABLES = `| a | b |\n| - | - |\n| 1 | 2 |\n\n| a | b |\n| - | - |\n| 1 | ${WIDE} |\n\n    ${WIDE}\n`;
const STEP = { title: "Write it", success_criteria: ["it is written"], tests: ["npm test"] };
const FILE = { kind: "file", path: "a.ts", start_line: 1, title: "The parser" };

/** A task with a long description, a failed run beside a proof, and files that were changed after they were captured. */
async function worked(): Promise<string> {
  const ws = openTemp({ by: "agent:ada" });
  const task = "TASK-001";
  await ok(ws, "tasks_create", { kind: "task", title: "Parser", description: `**Why**\n\n${TABLES}`, steps: [STEP] });
  const on = { task, path: "s:0", checkpoint: "tests" as const };
  await ok(ws, "tasks_evidence_capture", {
    ...on,
    items: [{ kind: "run", command: "npm test", exit_code: 1, stdout: "no\n" }],
  });
  writeFileSync(join(ws.root, "a.ts"), "one\n");
  for (let n = 0; n < 7; n++)
    await ok(ws, "tasks_evidence_capture", { ...on, items: [{ ...FILE, title: `Parser ${n}` }] });
  writeFileSync(join(ws.root, "b.ts"), "one\n");
  await ok(ws, "tasks_evidence_capture", { ...on, items: [{ ...FILE, path: "b.ts" }] });
  writeFileSync(join(ws.root, "a.ts"), "two\n");
  await ok(ws, "tasks_think", { task, hypothesis: "It reads twice." });
  return ws.root;
}

describe("what stands on the page of a task", () => {
  it("[regression PAGE-61] the radar has the first line of prose, without its marks", () => {
    expect(excerpt("# The **contract**\n\nRead `once`.")).toBe("The contract");
    expect(excerpt("---\n| a | b |\n```sh\n```\n\n> 1. see [the page](https://example.org)")).toBe("see the page");
    expect(excerpt("snake_case * 2")).toBe("snake_case * 2");
    expect(excerpt("\n---\n")).toBe("");
    expect(excerpt("x".repeat(1000))).toBe(`${"x".repeat(200)}…`);
  });

  it("[PAGE-105] the first line that speaks of a failure is the one that is shown, else the last one", () => {
    const red = "\u001b[31m";
    const lineOf = (text: string): string | undefined => failingLine([text]);
    expect(lineOf(`ok 1\n${red}not ok 2 - reads blocks\u001b[0m\nError: later\n`)).toBe("not ok 2 - reads blocks");
    expect(lineOf("0 errors, 0 failed\n\n  AssertionError: expected 14\n")).toBe("AssertionError: expected 14");
    expect(lineOf("src/a.ts(1,2): error TS2304\n1 error\n")).toBe("src/a.ts(1,2): error TS2304");
    expect(lineOf("one\ntwo\n\n")).toBe("two");
    expect(lineOf("")).toBeUndefined();
  });

  it("[PAGE-105] [PROOF-39] the line of a failed run is the one that the refusal names, whichever output has it", async () => {
    const ws = openTemp({ by: "agent:ada" });
    const steps = [{ ...STEP, proof: { tests: "require" as const } }];
    await ok(ws, "tasks_create", { kind: "task", title: "T", steps });
    const [stdout, stderr] = ["ok 1\nnot ok 2 - tax of 20 percent\n", "Error: expected 20, got 19\n"];
    const item = { kind: "run" as const, command: "node tax.js", exit_code: 3, stdout, stderr };
    const on = { task: "TASK-001", path: "s:0" };
    await ok(ws, "tasks_evidence_capture", { ...on, checkpoint: "tests" as const, items: [item] });
    const { error } = await call(ws, "tasks_close_step", { ...on, checkpoints: "gate" });
    const { failing_line } = (error!.details!["failed"] as { failing_line: string }[])[0]!;
    expect(failing_line).toBe("not ok 2 - tax of 20 percent");
    const { evidence } = await read<EntityAnswer>(viewerOf(ws.root), "entities/TASK-001.json");
    expect(evidence.map((one) => one.failing_line)).toEqual([failing_line]);
    expect(failingLine([stdout, stderr])).toBe(failing_line);
  });

  it("[PAGE-104] the Taskdoc has a pane for each section at the top, also before it is written", () => {
    const written = ["progress", "bearinmind/risks"].map((name) => ({ name }) as TaskdocSectionItem);
    expect(panesOf([]).map(({ name, section }) => [name, section])).toEqual([
      ["goals", undefined],
      ["constraints", undefined],
      ["progress", undefined],
    ]);
    expect(panesOf(written).map(({ name, section }) => [name, section])).toEqual([
      ["goals", undefined],
      ["constraints", undefined],
      ["progress", written[0]],
      ["bearinmind/risks", written[1]],
    ]);
  });

  it("[regression PAGE-66] less than a second is told in milliseconds, and never as none", () => {
    const at = "2026-01-01T00:00:00.400Z";
    const ran = (duration_sec: number | null, ended_at: string | null): string => {
      const seconds = secondsOf({ duration_sec, started_at: at, ended_at });
      return seconds === null ? "" : duration(seconds, en.durations);
    };
    expect(ran(0, "2026-01-01T00:00:00.750Z")).toBe("350 ms");
    expect(ran(0, at)).toBe("< 1 s");
    expect(ran(0, "no time")).toBe("< 1 s");
    expect(ran(2, "2026-01-01T00:00:02.400Z")).toBe("2 s");
    expect(ran(null, null)).toBe("");
  });

  it("[PAGE-51] an address of no page is no board", () => {
    expect(parseAddress("#/nonsense").page).toBe("nowhere");
    for (const hash of ["", "#", "#/"]) expect(parseAddress(hash).page).toBe("now");
  });
});

describe.skipIf(CHROMIUM === undefined)(`the page of a task in a browser${LACK}`, ROTATING, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  async function pageOf(root: string): Promise<{ page: Page; visit: (hash: string) => Promise<string> }> {
    const at = exportedPages(root);
    const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
    const visit = async (hash: string): Promise<string> => {
      await page.goto("about:blank");
      await page.goto(at(hash));
      await page.locator("main h1").waitFor();
      return page.locator("main").innerText();
    };
    return { page, visit };
  }

  it("[PAGE-20] [PAGE-105] [regression PAGE-61] the description is Markdown, once, and what is wide in it scrolls in a box with a name", async () => {
    const { page, visit } = await pageOf(await worked());
    await visit("#/task/TASK-001");
    const boxes = page.locator(".markdown .table-box, .markdown pre");
    await page.getByRole("group", { name: "Table, scrolls" }).waitFor();
    await page.getByRole("group", { name: "Code, scrolls" }).waitFor();
    await expect
      .poll(() => boxes.evaluateAll((all) => all.map((one) => one.getAttribute("tabindex"))), SOON)
      .toEqual([null, "0", "0"]);
    const main = page.locator("main");
    await expect.poll(async () => (await main.innerText()).split("Why"), SOON).toHaveLength(2);
    await expect.poll(() => main.innerText(), SOON).not.toContain("**");
    await expect.poll(() => page.locator(".markdown strong").innerText(), SOON).toBe("Why");
    expect(await page.locator(".entity-main .markdown strong").count()).toBe(1);
    expect(await page.getByRole("tab").allInnerTexts()).toEqual(["Steps\n1", "Taskdoc\n0", "History", "More"]);
    await page.getByRole("tab", { name: "More" }).click();
    await page.locator(".section-choice[aria-current]", { hasText: "Evidence" }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth"), SOON).toBe(360);
  });

  it("[regression PAGE-62, PAGE-69] an entry says who captured it and its command once, and a card its text", async () => {
    const { page, visit } = await pageOf(await worked());
    await visit("#/task/TASK-001?tab=evidence&show=failed");
    const entry = page.locator(".entry");
    await entry.getByText("As recorded").waitFor();
    const text = await entry.innerText();
    expect(text).toContain("ada");
    expect(text.split("npm test")).toHaveLength(2);
    const tick = page.locator(".radar-part", { hasText: "To verify" }).locator(".icon");
    await expect.poll(() => entry.locator(".badge.plain .icon").innerHTML(), SOON).not.toBe(await tick.innerHTML());
    const reasoning = await visit("#/task/TASK-001?tab=reasoning");
    expect(reasoning.split("Trace")[0]!.split("It reads twice.")).toHaveLength(2);
  });

  it("[PAGE-105] what no longer holds has its title, its file and its step, and the rest at a click", async () => {
    const { page, visit } = await pageOf(await worked());
    await visit("#/task/TASK-001?tab=check");
    const notice = page.locator(".notice.red");
    await notice.waitFor();
    await expect.poll(() => notice.count(), SOON).toBe(1);
    await expect
      .poll(() => notice.locator("li").first().innerText(), SOON)
      .toMatch(/^Parser 6 a\.ts:1-1 has changed · For s:0 Write it$/);
    await expect.poll(() => notice.locator("li").count(), SOON).toBe(5);
    await notice.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => notice.locator("li").count(), SOON).toBe(7);
    await expect
      .poll(() => page.locator(".notice.green").innerText(), SOON)
      .toContain("The log and the files of this folder are in order.");
    await visit("#/task/TASK-001?step=s:0");
    const checkpoints = page.locator(".checkpoints");
    await expect.poll(() => checkpoints.innerText(), SOON).toMatch(/proof failed[^]*newest run failed: npm test/);
    await expect.poll(() => page.locator(".facts-line").innerText(), SOON).toContain("Failed proof");
    const link = await page.getByRole("link", { name: "Link to s:0" }).boundingBox();
    expect(Math.min(link!.width, link!.height)).toBeGreaterThanOrEqual(24);
  });

  it("[PAGE-105] why a step is blocked stands on the page once, at the step, folded or not", async () => {
    const ws = openTemp();
    const task = "TASK-001";
    const steps = ["Design", "Code", "Ship"].map((title) => ({ ...STEP, title }));
    await ok(ws, "tasks_create", { kind: "task", title: "Parser", steps });
    await ok(ws, "tasks_block", { task, path: "s:0", reason: "no grammar" });
    await ok(ws, "tasks_define", { task, path: "s:1", blockers: ["the key"] });
    const { page, visit } = await pageOf(ws.root);
    await visit("#/task/TASK-001");
    const told = async (words: string): Promise<number> =>
      (await page.locator("body").innerText()).split(words).length - 1;
    for (const press of ["Expand all", "Collapse all"]) {
      await page.getByRole("button", { name: press }).click();
      await expect.poll(() => page.locator(".step-body").count(), SOON).toBe(press === "Expand all" ? 3 : 0);
      expect([await told("no grammar"), await told("the key")]).toEqual([1, 1]);
      // The badge of the state, at each of both.
      expect(await told("Blocked")).toBe(2);
    }
    expect(await page.locator('[id="step-s:0"]').innerText()).toContain("no grammar");
    expect(await page.locator('[id="step-s:1"]').innerText()).toContain("Waits for: the key");
    expect(await page.locator(".radar").innerText()).toMatch(/Next\s+Unblock s:0 Design/);
  });

  it("[regression PAGE-64] a task without steps begins with its packet, whose state stands in the head", async () => {
    const root = tempFolder();
    cpSync(join(ROOT, "test/golden/packet/.coco"), join(root, ".coco"), { recursive: true });
    const { page, visit } = await pageOf(root);
    const text = await visit("#/task/TASK-FAILS");
    await expect.poll(() => page.getByRole("tab", { selected: true }).innerText(), SOON).toContain("Packet");
    await expect.poll(() => page.locator(".facts-line").innerText(), SOON).toContain("Packet: Failed");
    expect(text).toContain("1 Jan · ");
  });

  it("[regression PAGE-65] what is put away says so once, and what Coco keeps names the way to adopt it", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "Parser", steps: [STEP] });
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED", reason: "no need" });
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    mkdirSync(join(ws.root, ".coco/tasks/coco-1"), { recursive: true });
    writeFileSync(join(ws.root, ".coco/tasks/coco-1/task.yaml"), COCO_TASK);
    const { page, visit } = await pageOf(ws.root);
    await visit("#/task/TASK-001");
    await expect.poll(() => page.locator(".radar").innerText(), SOON).toMatch(/Next\s+This is archived\./);
    await expect
      .poll(async () => (await page.locator(".entity-head").innerText()).split(/archive/i), SOON)
      .toHaveLength(2);
    await visit("#/task/coco-1");
    await expect.poll(() => page.locator(".entity-head").innerText(), SOON).toContain("taskfold adopt coco-1");
    await expect
      .poll(() => page.locator(".radar").innerText(), SOON)
      .toMatch(/Next\s+Work on it with Coco, or adopt it/);
  });

  it("[PAGE-51] an id that is not there is named, and so is an address of no page", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "Parser" });
    const { page, visit } = await pageOf(ws.root);
    await expect.poll(() => visit("#/task/TASK-999"), SOON).toContain("TASK-999");
    await expect.poll(() => visit("#/nonsense"), SOON).toContain("There is no page at this address.");
    await page.getByRole("link", { name: "To the board" }).click();
    await page.locator(".card").waitFor();
  });

  it("[regression PAGE-69] evidence that comes in above leaves what has the focus in sight", async () => {
    const root = await worked();
    const server = await serve(root);
    try {
      const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 1040 } });
      await page.goto(server.address);
      await page.goto(`${new URL("/", server.address).href}#/task/TASK-001?tab=evidence&show=runs`);
      // The check of the folder comes later than the page, and has a line above it.
      await page.locator(".notice.red").waitFor();
      await page.locator(".output summary").click();
      const search = page.getByRole("searchbox", { name: "Search the output" });
      await search.focus();
      await expect.poll(() => page.evaluate("scrollY"), SOON).toBe(0);
      const before = (await search.boundingBox())!.y;
      const ws = openTemp({ root });
      const runs = Array.from({ length: 5 }, (_, n) => ({ kind: "run", command: `npm run ${n}`, exit_code: 0 }));
      await ok(ws, "tasks_evidence_capture", { task: "TASK-001", items: runs });
      await page.locator(".entry", { hasText: "npm run 4" }).waitFor();
      await expect.poll(async () => Math.abs((await search.boundingBox())!.y - before), SOON).toBeLessThan(10);
    } finally {
      await server.stop();
    }
  });
});
