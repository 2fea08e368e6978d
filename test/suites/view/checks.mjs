// @ts-check
// The shared tools of the viewer's browser test: counted checks, reads that wait, printed figures, and going to a page.
import { isAsking, restorePages, violations } from "./browser.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Locator} Locator */

export const counts = { passed: 0, failed: 0 };
/** Pages of the check that runs: one that fails leaves none of them to ask a server that is gone. @type {Set<Page>} */
const reading = new Set();

/** A page of a reader of that site, for one check. @param {import("./browser.mjs").Browser} browser @param {{ address: string, base: string }} site @param {(page: Page) => Promise<void>} body @param {import("./browser.mjs").Options} [options] */
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
    await restorePages();
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

/** Milliseconds that a page may take to show what it was asked for, on a machine that does other work too. */
const PATIENCE_MS = 20_000;

/**
 * Reads a page, and asserts what was read, again until all of it holds: a page shows a moment later what it was asked for. The body acts on
 * nothing. If it does not hold in time, what it found last is the failure of the check.
 * @template T @param {() => Promise<T>} body @returns {Promise<T>}
 */
export async function soon(body) {
  for (const deadline = performance.now() + PATIENCE_MS; ;) {
    try {
      return await body();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((done) => setTimeout(done, 40));
  }
}

/** The text of it has all of these. @param {Locator} what @param {readonly string[]} parts */
export function says(what, parts) {
  return soon(async () => {
    const text = await what.innerText();
    for (const part of parts) assert(text.includes(part), `no ${part} in ${text.slice(0, 1000)}`);
  });
}

/** So many of them are on the page. @param {Locator} what @param {number} wanted */
export function areThere(what, wanted) {
  return soon(async () => {
    const found = await what.count();
    assert(found === wanted, `expected ${wanted} of ${what.toString()}, found ${found}`);
  });
}

/** Axe finds nothing on the page. @param {Page} page @param {string} [what] @param {"theme"} [part] */
export function accessible(page, what = "axe", part) {
  return soon(async () => assertNone(await violations(page, part), what));
}

/** A page of 360 pixels scrolls in one direction. @param {Page} page @param {string} name */
export function narrow(page, name) {
  return soon(async () => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(width <= 360, `${name} is ${width} wide`);
  });
}

/** Chooses a theme or a language in the menu, by the names that they have now. @param {Page} page @param {string} name @param {string} value */
export async function setting(page, name, value) {
  await page.locator("[popovertarget=settings]").click();
  await page.getByRole("combobox", { name }).selectOption(value);
  await page.keyboard.press("Escape");
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

/** Goes to a place, and waits until the page is calm there. @param {Page} page @param {string} base @param {string} hash */
export async function visit(page, base, hash) {
  await page.goto(base + hash);
  await settled(page);
}

/** Gives the page another size, and waits until it is calm. @param {Page} page @param {{ width: number, height: number }} size */
export async function resize(page, size) {
  await page.setViewportSize(size);
  await settled(page);
}

/** Frames without a change after which a page is calm. */
const CALM_FRAMES = 4;

/** Until the page has asked for all that it shows, has it, and draws nothing anew. @param {Page} page */
export async function settled(page) {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
    if ((await isCalm(page)) && !isAsking(page)) return;
  }
}

/** Looks for some frames. @param {Page} page @returns {Promise<boolean>} */
function isCalm(page) {
  return page.evaluate(async (frames) => {
    let isChanged = false;
    const observer = new MutationObserver(() => (isChanged = true));
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let n = 0; n < frames && !isChanged; n++)
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    observer.disconnect();
    const main = document.querySelector("main");
    return !isChanged && Boolean(main?.textContent) && !main?.querySelector(".loading, [aria-busy=true]");
  }, CALM_FRAMES);
}
