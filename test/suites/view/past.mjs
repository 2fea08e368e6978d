// @ts-check
// A log of thousands of revisions: its history is filtered, and a reader drags and plays over it.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "./browser.mjs";
import { accessible, areThere, asReader, assert, check, figure, says, settled, soon, visit } from "./checks.mjs";
import { longPast } from "./world.mjs";

/** @typedef {import("playwright-core").Page} Page */
const REVISIONS = 5000;
const HISTORY_PAGES = REVISIONS / 200;
const ODD = { at: 7, by: "agent:odd" };
/** Milliseconds that a slider rests before the page asks for what it stands at. */
const REST = 120;
const TIME = "#/time/TASK-001";

/** @param {import("./browser.mjs").Browser} browser @param {(name: string) => string} below */
export async function past(browser, below) {
  const root = below("past");
  await longPast(root, { revisions: REVISIONS, odd: ODD });
  const site = await serve(root);
  try {
    await check("the filter of the history finds a change on another page, and says of how many", () =>
      asReader(browser, site, (page) => filtered(page, site.base)),
    );
    await check("a reader drags over 5,000 revisions: few requests, and the last place is shown", () =>
      asReader(browser, site, (page) => dragged(page, site.base)),
    );
    await check("the past plays: a request for each revision that is shown, and the last one stays", () =>
      asReader(browser, site, (page) => played(page, site.base)),
    );
  } finally {
    await site.stop();
  }
  const to = below("past-export");
  const cli = join(import.meta.dirname, "../../../dist/cli.cjs");
  execFileSync(process.execPath, [cli, "view", "--export", to], { cwd: root, stdio: "pipe" });
  await check("an export filters the whole history, too", async () => {
    const page = await browser.page();
    await filtered(page, pathToFileURL(join(to, "index.html")).href);
    await page.context().close();
  });
}

/** Counts requests for answers whose names hold this text. @param {Page} page @param {RegExp} wanted */
function counted(page, wanted) {
  const urls = /** @type {string[]} */ ([]);
  page.on("request", (request) => {
    if (wanted.test(request.url())) urls.push(request.url());
  });
  return urls;
}

/** @param {Page} page @param {string} base */
async function filtered(page, base) {
  await visit(page, base, TIME);
  const asked = counted(page, /\/history\/\d+\.json/);
  const field = page.getByRole("searchbox");
  const status = page.locator(".history [role=status]");
  await page.evaluate(() => {
    Reflect.set(globalThis, "longest", 0);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        Reflect.set(globalThis, "longest", Math.max(duration, Number(Reflect.get(globalThis, "longest"))));
    }).observe({ type: "longtask" });
  });
  // All changes pass at first: what the letters before the last one began is given up.
  await field.pressSequentially(ODD.by, { delay: 40 });
  await status.filter({ hasText: "1 of 5,000 changes match" }).waitFor({ timeout: 30_000 });
  await soon(async () => {
    const found = await page.locator(".op").allInnerTexts();
    assert(found.length === 1 && found[0]?.startsWith(String(ODD.at)), `found ${found.join()}`);
  });
  const isFocused = await field.evaluate((one) => one === document.activeElement);
  assert(isFocused, "expected the filter to keep the focus");
  assert(asked.length <= 2 * HISTORY_PAGES, `expected each page once or twice, found ${asked.length} requests`);
  await field.fill("agent:ada");
  await status.filter({ hasText: "4,999 of 5,000 changes match" }).waitFor({ timeout: 30_000 });
  const cut = page.locator(".history .cut");
  await says(cut, ["200 of 4,999"]);
  await cut.getByRole("button").click();
  await areThere(page.locator(".op"), 400);
  const took = await page.evaluate(() => Number(Reflect.get(globalThis, "longest")));
  figure("a filter over 5,000 revisions, longest task", `${took.toFixed(0)} ms`);
  await field.fill("nothing of this");
  await page.locator(".history .empty-title").waitFor({ timeout: 30_000 });
  await accessible(page);
  await field.fill("");
  await page.locator(".history select").waitFor();
}

/** @param {Page} page @param {string} base */
async function dragged(page, base) {
  await visit(page, base, `${TIME}?at=1`);
  const asked = counted(page, /\/(revisions|history)\//);
  const box = await page.getByRole("slider").boundingBox();
  assert(box, "expected a slider");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 8, y);
  const began = performance.now();
  await page.mouse.down();
  const steps = 60;
  for (let n = 0; n <= steps; n++) {
    await page.mouse.move(box.x + 8 + ((box.width - 40) * n) / steps, y);
    await page.waitForTimeout(15);
  }
  await page.mouse.up();
  const took = performance.now() - began;
  const at = Number(await page.getByRole("slider").inputValue());
  assert(at > REVISIONS / 2 && at < REVISIONS, `expected a place in the second half, found ${at}`);
  const start = performance.now();
  await page.locator("h1", { hasText: `As of ${at}` }).waitFor({ timeout: 30_000 });
  figure("after a drag over 5,000 revisions, the page after", `${(performance.now() - start).toFixed(0)} ms`);
  assert(
    asked.some((url) => url.endsWith(`/revisions/${at}.json`)),
    `expected the last place to be asked for, found ${asked.at(-1)}`,
  );
  // The page asks once the slider rests: the steps of a slow machine are rests.
  const most = took / REST + 2;
  assert(
    asked.length <= 2 * most,
    `expected at most ${most.toFixed(0)} rests in ${took.toFixed(0)} ms, found ${asked.length} requests`,
  );
  await settled(page);
  await soon(async () => {
    const [title, label] = [await page.locator("h1").innerText(), await page.locator(".player output").innerText()];
    assert(title === `As of ${at}` && label.includes(`${at} of ${REVISIONS}`), `found ${title}, ${label}`);
  });
  const answers = [];
  for (const revision of [2, 2500, 4999]) {
    const before = performance.now();
    const status = await page.evaluate(
      async (n) => (await fetch(`api/v1/entities/TASK-001/revisions/${n}.json`, { cache: "no-store" })).status,
      revision,
    );
    assert(status === 200, `found ${status}`);
    answers.push(`${revision}: ${(performance.now() - before).toFixed(0)} ms`);
  }
  figure("the answer of one revision of 5,000", answers.join(", "));
}

/** @param {Page} page @param {string} base */
async function played(page, base) {
  await visit(page, base, `${TIME}?at=2000`);
  const asked = counted(page, /\/revisions\//);
  await page.getByLabel("Speed").selectOption("4");
  const start = performance.now();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => Number(/\d+/.exec(document.querySelector("h1")?.textContent ?? "")) >= 2010);
  figure("ten revisions play at four times the speed in", `${(performance.now() - start).toFixed(0)} ms`);
  await page.getByRole("button", { name: "Pause" }).click();
  const at = Number(await page.getByRole("slider").inputValue());
  await page.locator("h1", { hasText: `As of ${at}` }).waitFor({ timeout: 30_000 });
  await settled(page);
  assert((await page.locator("h1").innerText()) === `As of ${at}`, "expected the place where it paused");
  const shown = at - 2000;
  // One more is on its way, so that each is there before it is shown.
  assert(asked.length <= shown + 2, `expected one request a revision, found ${asked.length} for ${shown}`);
}
