// @ts-check
// A real browser for the viewer's tests: nothing leaves the machine, and what a page must not do is written down.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { chromium } from "playwright-core";

const CLI = join(import.meta.dirname, "../../../dist/cli.cjs");
/** Every address but this machine's is asked of a proxy that is not there. */
const PROXY = { server: "http://127.0.0.1:9", bypass: "127.0.0.1" };
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** Where the browser is; undefined where this machine has none. */
export function chromiumPath() {
  const places = [
    process.env["CHROMIUM"] ?? "",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  return places.find((path) => path !== "" && existsSync(path));
}

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContextOptions} Options */

/** By page, requests without an answer. The stream of changes never ends. @type {WeakMap<Page, Set<import("playwright-core").Request>>} */
const asked = new WeakMap();

/** Whether answers are on their way to the page. @param {Page} page */
export function isAsking(page) {
  return (asked.get(page)?.size ?? 0) > 0;
}

/** From now on. @param {Page} page */
function followRequests(page) {
  const requests = new Set();
  asked.set(page, requests);
  page.on("request", (request) => {
    // A new document does not get the answers that the one before asked for.
    if (request.isNavigationRequest()) requests.clear();
    if (!request.url().endsWith("/events")) requests.add(request);
  });
  for (const end of /** @type {const} */ (["requestfinished", "requestfailed"]))
    page.on(/** @type {"requestfinished"} */ (end), (request) => requests.delete(request));
}

export class Browser {
  /** The forbidden acts of pages: by name, each with its place. @type {string[]} */
  faults = [];
  #browser;
  #lateMs;
  /** @param {import("playwright-core").Browser} browser @param {number} lateMs */
  constructor(browser, lateMs) {
    this.#browser = browser;
    this.#lateMs = lateMs;
  }

  /** @param {number} [lateMs] by which the browser tells its pages later of frames and sizes, as on a busy machine */
  static async start(lateMs = 0) {
    const executablePath = chromiumPath();
    if (!executablePath) throw new Error("no Chromium");
    return new Browser(await chromium.launch({ executablePath, args: FLAGS.split(" "), proxy: PROXY }), lateMs);
  }

  /** A page of a reader who was never here before. @param {Options} [options] @returns {Promise<Page>} */
  async page(options = {}) {
    const page = await this.timedPage(options);
    await page.context().route("**/*", (route) => (isOwn(route.request()) ? route.continue() : route.abort()));
    return page;
  }

  /**
   * The same page for times. A request that this program lets go on waits for it, on processors that server and browser need, and
   * the browser keeps no answer then.
   * @param {Options} [options] @returns {Promise<Page>}
   */
  async timedPage(options = {}) {
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
      ...options,
    });
    context.on("page", followRequests);
    if (this.#lateMs > 0) await context.addInitScript(tellLate, this.#lateMs);
    const page = await context.newPage();
    pages.set(page, { viewport: { width: 1280, height: 800 }, ...options });
    page.once("close", () => pages.delete(page));
    context.on("request", (request) => {
      if (!isOwn(request)) this.faults.push(`request to ${request.url()}`);
    });
    page.on("dialog", (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("pageerror", (error) => this.faults.push(`error: ${error.stack ?? error.message} at ${page.url()}`));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`console: ${message.text()} at ${page.url()}`);
    });
    return page;
  }

  close() {
    return this.#browser.close();
  }
}

/** In a page: it is told later of frames, and of the size of the window and of boxes. @param {number} ms */
function tellLate(ms) {
  const frame = requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (told) => frame((time) => setTimeout(() => told(time), ms));
  globalThis.ResizeObserver = class extends ResizeObserver {
    constructor(/** @type {ResizeObserverCallback} */ told) {
      super((...given) => setTimeout(() => told(...given), ms));
    }
  };
  const queryOf = matchMedia.bind(globalThis);
  globalThis.matchMedia = (text) => {
    const query = queryOf(text);
    query.addEventListener("change", (event) => {
      if (!event.isTrusted) return;
      event.stopImmediatePropagation();
      setTimeout(() => query.dispatchEvent(new Event("change")), ms);
    });
    return query;
  };
}

/** Open pages, each with how it was opened. @type {Map<Page, Options>} */
const pages = new Map();

/** After a check that failed: pages have the size, the colours and the settings again with which they were opened. */
export async function restorePages() {
  for (const [page, options] of pages) {
    // It may be closed by now.
    await restored(page, options).catch(() => undefined);
  }
}

/** @param {Page} page @param {Options} options */
async function restored(page, { viewport, colorScheme = "light", reducedMotion = "reduce" }) {
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({ media: "screen", colorScheme, reducedMotion });
  await page.evaluate(() => localStorage.clear());
}

/** Whether it stays on this machine. @param {import("playwright-core").Request} request */
function isOwn(request) {
  const { protocol, hostname } = new URL(request.url());
  return protocol === "file:" || hostname === "127.0.0.1";
}

/** Rules that the colours of a theme can break; all others are the same in each theme. */
const OF_COLOURS = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/**
 * The faults that axe finds in the present page, a line each. `theme`: of a page that was looked at whole in another theme before.
 * @param {Page} page @param {"theme"} [part] @returns {Promise<string[]>}
 */
export async function violations(page, part) {
  // Evaluated from outside: the policy of the page lets no script in.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(
    (more) =>
      /** @type {{ axe: { run: (of: Document, how: object) => Promise<{ violations: { id: string, nodes: { target: string[], html: string, failureSummary: string }[] }[] }> } }} */ (
        /** @type {unknown} */ (globalThis)
      ).axe.run(document, { resultTypes: ["violations"], preload: false, ...more }),
    part === "theme" ? OF_COLOURS : {},
  );
  return found.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map((node) => `${id}: ${node.target.join(" ")} ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}

/** Starts `taskfold view` on a folder. @param {string} root @param {string[]} [options] before the command @param {string[]} [more] behind it @returns {Promise<{ address: string, base: string, stop: () => Promise<void> }>} */
export async function serve(root, options = [], more = []) {
  const child = spawn(process.execPath, [CLI, ...options, "view", ...more], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const line = /^http\S+/m.exec(said);
      if (line) resolve(line[0]);
    });
    child.once("exit", (code) => reject(new Error(`taskfold view ended with ${code}: ${errors}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", () => resolve(undefined));
      child.kill("SIGINT");
    });
  return { address, base: address.replace(/\?.*/, ""), stop: async () => void (await stop()) };
}
