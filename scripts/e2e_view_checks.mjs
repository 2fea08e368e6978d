// @ts-check
// What the parts of the viewer's browser test share: counted checks, printed figures, and going to a page.

/** @typedef {import("playwright-core").Page} Page */

export const counts = { passed: 0, failed: 0 };

/** @param {string} name @param {() => Promise<unknown>} body */
export async function check(name, body) {
  try {
    await body();
    counts.passed++;
    console.log(`   ok  ${name}`);
  } catch (error) {
    counts.failed++;
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
