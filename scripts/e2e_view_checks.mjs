// @ts-check
// The shared tools of the viewer's browser test: counted checks, printed figures, and going to a page.

/** @typedef {import("playwright-core").Page} Page */

export const counts = { passed: 0, failed: 0 };
/** Pages of the check that runs: one that fails leaves none of them to ask a server that is gone. @type {Set<Page>} */
const reading = new Set();

/** A page of a reader of that site, for one check. @param {import("./e2e_view_browser.mjs").Browser} browser @param {{ address: string, base: string }} site @param {(page: Page) => Promise<void>} body @param {import("./e2e_view_browser.mjs").Options} [options] */
export async function asReader(browser, site, body, options) {
  const page = await browser.page(options);
  reading.add(page);
  await enter(page, site.address);
  await body(page);
  reading.delete(page);
  await page.context().close();
}

/** @param {string} name @param {() => Promise<unknown>} body */
export async function check(name, body) {
  const began = performance.now();
  try {
    await body();
    counts.passed++;
    console.log(`   ok  ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    counts.failed++;
    for (const page of reading) await page.context().close();
    reading.clear();
    console.log(` FAIL  ${name}\n       ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @param {unknown} condition @param {string} text @returns {asserts condition} */
export function assert(condition, text) {
  if (!condition) throw new Error(text);
}

/** @param {string[]} list @param {string} what */
export function assertNone(list, what) {
  assert(list.length === 0, `${what}: ${list.slice(0, 8).join("\n       ")}`);
}

/** @param {string} name @param {string} value */
export function figure(name, value) {
  console.log(`       ${name.padEnd(46)} ${value}`);
}

let isJudging = false;

/** From now on a figure above its limit fails. @param {boolean} on */
export function judge(on) {
  isJudging = on;
}

/** A figure with a limit, which holds on a quiet machine. @param {string} name @param {number} ms @param {number} most */
export function atMost(name, ms, most) {
  figure(name, `${ms.toFixed(0)} ms of ${most} ms`);
  if (!isJudging || ms <= most) return;
  counts.failed++;
  console.log(` FAIL  ${name}: expected at most ${most} ms, found ${ms.toFixed(0)} ms`);
}

/** Opens the printed address, and waits for the page that it leads to. @param {Page} page @param {string} address */
export async function enter(page, address) {
  await page.goto(address);
  await page.waitForURL((url) => !url.searchParams.has("token"));
}

/** Goes to a place and waits until nothing is loading there. @param {Page} page @param {string} base @param {string} hash */
export async function visit(page, base, hash) {
  await page.goto(base + hash);
  await page.waitForFunction(
    () =>
      document.querySelector("main")?.textContent && !document.querySelector("main .loading, main [aria-busy=true]"),
  );
  await page.waitForTimeout(120);
}
