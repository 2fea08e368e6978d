// @ts-check
// A folder that attacks its readers: nothing of it runs, freezes a page or breaks its layout, and no file of it changes.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "./browser.mjs";
import { areThere, asReader, assert, assertNone, check, figure, resize, settled, soon, visit } from "./checks.mjs";
import {
  COCO_REFUSED,
  COCO_SHOWN,
  hostileCoco,
  hostileNames,
  hostileOutputs,
  hostileSizes,
  SIZES_PAGES,
  STORM_COUNT,
  STORM_TASK,
} from "./attacks.mjs";
import { BAD_TIMES, hostileFolder, Story } from "./world.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** Milliseconds for which no text of a folder may hold up a page, on a machine that does other work too. */
const MAX_FROZEN = 4000;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** @param {import("./browser.mjs").Browser} browser @param {(name: string) => string} below @param {string[]} pages */
export async function hostile(browser, below, pages) {
  const attacker = below("hostile");
  await hostileFolder(attacker);
  const story = new Story(attacker, Date.now() - 60 * 60_000);
  await hostileNames(attacker, story, "agent:mallory");
  await hostileOutputs(attacker, story, "agent:mallory");
  await hostileSizes(attacker, story, "agent:mallory");
  await story.close();
  hostileCoco(attacker);
  const before = cocoFiles(attacker);
  const named = ["TASK-NAMES", STORM_TASK, "constructor", "toString", "hasOwnProperty", ...Object.keys(COCO_SHOWN)];
  const hashes = [
    ...["group=tag", "group=agent", "group=plan", "group=priority", "tag=__proto__"].map((query) => `#/board?${query}`),
    "#/plans",
    "#/agents",
    "#/agents?lanes=1&from=1e20&to=2e20",
    "#/health",
    ...Object.keys(BAD_TIMES).flatMap((id) => [`#/task/${id}?tab=packet`, `#/time/${id}`]),
    ...named.flatMap((id) => [`#/task/${id}`, `#/time/${id}?at=2&from=1`]),
    ...["evidence", "taskdoc", "notes", "reasoning", "check"].map((tab) => `#/task/TASK-NAMES?tab=${tab}`),
    ...SIZES_PAGES,
    ...pages,
  ];
  const site = await serve(attacker);
  await attacked(browser, { base: site.base, hashes, locale: "en-GB", how: "its server" }, (read) =>
    asReader(browser, site, read),
  );
  await check("large outputs and storms of codes are opened and searched, and freeze no page", () =>
    asReader(browser, site, (page) => storms(page, site.base)),
  );
  await check("a task.yaml that is a bomb, nested or tagged is a warning, and no page waits for it", () =>
    asReader(browser, site, (page) => refused(page, site.base)),
  );
  await site.stop();
  const to = below("hostile-export");
  execFileSync(process.execPath, [join(import.meta.dirname, "../../../dist/cli.cjs"), "view", "--export", to], {
    cwd: attacker,
    stdio: "pipe",
  });
  const base = pathToFileURL(join(to, "index.html")).href;
  // The other language once, and here: both ways show the same pages.
  await attacked(browser, { base, hashes, locale: "zh-CN", how: "its export, in Chinese" }, async (read) => {
    const page = await browser.page({ locale: "zh-CN" });
    await read(page);
    await page.context().close();
  });
  await check("folders of another program are as they were: none was adopted", async () =>
    assert(cocoFiles(attacker) === before, "expected the same files with the same bytes"),
  );
}

/** The files of folders that were not adopted, with their bytes. @param {string} root */
function cocoFiles(root) {
  const tasks = join(root, ".coco/tasks");
  return JSON.stringify(
    [...Object.keys(COCO_SHOWN), ...Object.keys(COCO_REFUSED)].flatMap((id) =>
      readdirSync(join(tasks, id), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [entry.parentPath, entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")]),
    ),
  );
}

/** From now on the page notes its longest task. @param {Page} page */
async function noteLongTasks(page) {
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        Reflect.set(globalThis, "longest", Math.max(duration, Number(Reflect.get(globalThis, "longest") ?? 0)));
    }).observe({ type: "longtask" });
  });
  await page.reload();
}

/** The longest task since the last look. @param {Page} page @returns {Promise<number>} */
function longestTask(page) {
  return page.evaluate(() => {
    const longest = Number(Reflect.get(globalThis, "longest") ?? 0);
    Reflect.set(globalThis, "longest", 0);
    return longest;
  });
}

/** @param {Page} page */
async function unfold(page) {
  await page.evaluate(() => {
    const folded = "main details:not([open]) > summary, main .step-line[aria-expanded=false]";
    for (const fold of document.querySelectorAll(folded)) /** @type {HTMLElement} */ (fold).click();
  });
  await settled(page);
}

/** No box reaches beyond the page, unless one around it scrolls or cuts. @param {Page} page @param {string} hash */
function assertNoOverflow(page, hash) {
  return soon(async () => {
    const found = await page.evaluate(() => {
      const isOut = (/** @type {Element} */ one) => one.getBoundingClientRect().right > innerWidth + 1;
      const isHeld = (/** @type {Element} */ one) => {
        for (let box = one.parentElement; box && box.tagName !== "MAIN"; box = box.parentElement)
          if (getComputedStyle(box).overflowX !== "visible" && !isOut(box)) return true;
        return false;
      };
      const boxes = [...document.querySelectorAll("main *")].filter((one) => isOut(one) && !isHeld(one));
      const blocks = boxes.filter((one) => getComputedStyle(one).display !== "inline");
      return {
        width: document.documentElement.scrollWidth - innerWidth,
        boxes: blocks.slice(0, 5).map((one) => `${one.tagName} ${one.getAttribute("class")}`),
      };
    });
    assert(found.width <= 0 && found.boxes.length === 0, `${hash} is too wide: ${JSON.stringify(found)}`);
  });
}

/**
 * @param {import("./browser.mjs").Browser} browser
 * @param {{ base: string, hashes: string[], locale: string, how: string }} where
 * @param {(read: (page: Page) => Promise<void>) => Promise<void>} open
 */
async function attacked(browser, { base, hashes, locale, how }, open) {
  await check(
    `a hostile folder: no script runs, no dialog opens, nothing is asked for, no error, no page freezes, no phone scrolls to the side (${how})`,
    async () => {
      const before = browser.faults.length;
      let slowest = { took: 0, hash: "" };
      await open(async (page) => {
        await page.goto(`${base}#/board`);
        await noteLongTasks(page);
        await page.waitForSelector("main h1, main .board");
        await soon(async () => {
          const lang = await page.evaluate(() => document.documentElement.lang);
          assert(lang !== "" && locale.startsWith(lang.slice(0, 2)), `expected ${locale}, found ${lang}`);
        });
        for (const hash of hashes) {
          await visit(page, base, hash);
          await unfold(page);
          const found = await page.evaluate(() => [
            Reflect.get(globalThis, "attacked") ?? Reflect.get(Object.prototype, "polluted"),
            document.querySelectorAll("main iframe, main script, main img, main style, main [onload], main [onerror]")
              .length,
            document.querySelectorAll('a[href^="javascript:" i], a[href^="data:" i], a[href^="//"]').length,
          ]);
          // A page that met a fault of its own says so, and nothing of it comes to the console.
          assert(
            (await page.locator("main .failure").count()) === 0,
            `${hash}: ${(await page.locator("main").innerText()).slice(0, 500)}`,
          );
          assert(found[0] === undefined && found[1] === 0 && found[2] === 0, `${hash}: ${JSON.stringify(found)}`);
          await assertNoOverflow(page, hash);
          const took = await longestTask(page);
          await resize(page, PHONE);
          await assertNoOverflow(page, `${hash} on a phone`);
          await page.setViewportSize(DESK);
          if (took > slowest.took) slowest = { took, hash };
        }
        assertNone(browser.faults.slice(before), "faults");
      });
      figure("the longest task of a page", `${slowest.took.toFixed(0)} ms, ${slowest.hash}`);
      assert(slowest.took < MAX_FROZEN, `expected no page to freeze, found ${JSON.stringify(slowest)}`);
    },
  );
}

/** @param {Page} page @param {string} base */
async function storms(page, base) {
  await noteLongTasks(page);
  await visit(page, base, `#/task/${STORM_TASK}?tab=evidence`);
  const entries = page.locator(".entry");
  await areThere(entries, STORM_COUNT);
  for (let n = 0; n < STORM_COUNT; n++) {
    const entry = entries.nth(n);
    const name = await entry.locator("h3").innerText();
    await entry.locator(".output summary").first().click();
    await entry.locator(".output pre").waitFor({ timeout: 30_000 });
    await entry.locator(".output-tools input").fill("e");
    const status = entry.locator(".output-tools [role=status]");
    await status.filter({ hasText: /match/ }).waitFor({ timeout: 30_000 });
    await entry.locator("button", { hasText: /\(16\// }).waitFor({ timeout: 60_000 });
    await entry.locator(".output-tools input").press("Enter");
    await settled(page);
    await assertNoOverflow(page, name);
    const took = await longestTask(page);
    figure(`${name}: ${await status.innerText()}, longest task`, `${took.toFixed(0)} ms`);
    assert(took < MAX_FROZEN, `expected ${name} to freeze no page, found ${took} ms`);
    await entry.locator(".output summary").first().click();
  }
}

/** @param {Page} page @param {string} base */
async function refused(page, base) {
  await visit(page, base, "#/health");
  const warnings = await page.evaluate(async () => {
    const answer = await fetch("api/v1/workspace.json");
    return JSON.stringify((await answer.json()).warnings);
  });
  for (const id of Object.keys(COCO_REFUSED)) assert(warnings.includes(id), `no ${id} in ${warnings.slice(0, 2000)}`);
  const start = performance.now();
  await page.evaluate(() => fetch("api/v1/board/0.json", { cache: "no-store" }).then((answer) => answer.text()));
  figure("the board beside them", `${(performance.now() - start).toFixed(0)} ms`);
}
