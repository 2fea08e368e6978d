// @ts-check
// `npm run e2e:view [-- --minutes N] [-- --shots]`: the pages of `taskfold view` in a real browser.
// `--minutes`: how long live changes come while memory is measured; `--shots` writes the pictures of docs/.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { scaleWorkspace } from "../bench/lib/scale_workspace.mjs";
import { Browser, chromiumPath, serve, violations } from "./e2e_view_browser.mjs";
import { hostileFolder, Story, workdays } from "./e2e_view_world.mjs";

const root = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: { minutes: { type: "string", default: "0.3" }, shots: { type: "boolean", default: false } },
});
if (!chromiumPath()) {
  console.error("e2e:view lacks Chromium: install Debian's package chromium, or name the program in CHROMIUM.");
  process.exit(1);
}

/** @typedef {import("playwright-core").Page} Page */
const TASK = "TASK-003";
const PAGES = {
  board: "#/board",
  "board by plan": "#/board?group=plan",
  plans: "#/plans",
  plan: "#/plan/PLAN-001",
  graph: "#/plan/PLAN-001?tab=graph",
  checklist: "#/plan/PLAN-001?tab=checklist",
  contract: "#/plan/PLAN-001?tab=contract",
  task: `#/task/${TASK}`,
  evidence: `#/task/${TASK}?tab=evidence`,
  taskdoc: `#/task/${TASK}?tab=taskdoc`,
  notes: `#/task/${TASK}?tab=notes`,
  reasoning: `#/task/${TASK}?tab=reasoning`,
  check: `#/task/${TASK}?tab=check`,
  conflict: "#/task/TASK-007",
  "taskdoc in conflict": "#/task/TASK-007?tab=taskdoc",
  time: `#/time/${TASK}?at=9&from=3`,
  "time of a plan": "#/time/PLAN-001?at=1",
  agents: "#/agents",
  health: "#/health",
  nothing: "#/task/TASK-999",
};

let failed = 0;
let passed = 0;
/** @param {string} name @param {() => Promise<unknown>} body */
async function check(name, body) {
  try {
    await body();
    passed++;
    console.log(`   ok  ${name}`);
  } catch (error) {
    failed++;
    console.log(` FAIL  ${name}\n       ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @param {unknown} condition @param {string} text */
function assert(condition, text) {
  if (!condition) throw new Error(text);
}

/** @param {string[]} list @param {string} what */
function assertNone(list, what) {
  assert(list.length === 0, `${what}: ${list.slice(0, 8).join("\n       ")}`);
}

/** @param {string} name @param {string} value */
function figure(name, value) {
  console.log(`       ${name.padEnd(46)} ${value}`);
}

/** Opens the printed address, and waits for the page that it leads to. @param {Page} page @param {string} address */
async function enter(page, address) {
  await page.goto(address);
  await page.waitForURL((url) => !url.searchParams.has("token"));
}

/** Goes to a place and waits until nothing is loading there. @param {Page} page @param {string} base @param {string} hash */
async function visit(page, base, hash) {
  await page.goto(base + hash);
  await page.waitForFunction(
    () =>
      document.querySelector("main")?.textContent && !document.querySelector("main .loading, main [aria-busy=true]"),
  );
  await page.waitForTimeout(120);
}

const folder = mkdtempSync(join(tmpdir(), "taskfold-view-"));
const browser = await Browser.start();
/** @param {string} name */
const below = (name) => {
  mkdirSync(join(folder, name));
  return join(folder, name);
};

try {
  sizes();
  const world = below("world");
  await workdays(world);
  const site = await serve(world);
  try {
    // Before anything is changed here.
    if (options.shots) await shots(site);
    const page = await browser.page();
    await enter(page, site.address);
    await eachPage(page, site.base);
    await workedWith(page, site.base);
    await live(page, site.base, world);
    await otherReaders(site);
    await page.context().close();
  } finally {
    await site.stop();
  }
  await exported(world);
  await hostile();
  for (const tasks of [1000, 10_000]) await large(tasks);
  await check("no page asked another machine, opened a dialog, or met an error", async () => {
    // The server tells that a task is not there, and the browser notes it as an error.
    assertNone(
      browser.faults.filter((fault) => !/404.*TASK-999$/.test(fault)),
      "faults",
    );
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${passed} of ${passed + failed} checks hold.`);
process.exitCode = failed > 0 ? 1 : 0;

function sizes() {
  const view = join(root, "dist/view");
  const size = (/** @type {string} */ name) => gzipSync(readFileSync(join(view, name)), { level: 9 }).length;
  for (const name of readdirSync(view)) figure(`${name}, compressed`, `${(size(name) / 1000).toFixed(1)} kB`);
  const first = ["index.html", "app.css", "app.js"].reduce((sum, name) => sum + size(name), 0);
  figure("first load, compressed", `${(first / 1000).toFixed(1)} kB of 200 kB`);
  assert(first + size("markdown.js") <= 200_000, "expected a first load of at most 200 kB");
}

/** @param {Page} page @param {string} base */
async function eachPage(page, base) {
  for (const [name, hash] of Object.entries(PAGES)) {
    await check(`${name}: axe finds nothing, light and dark`, async () => {
      for (const theme of /** @type {const} */ (["light", "dark"])) {
        await page.emulateMedia({ colorScheme: theme });
        await visit(page, base, hash);
        assertNone(
          (await violations(page)).map((line) => `${theme} ${line}`),
          "axe",
        );
      }
      const heading = await page.locator("h1, .empty-title").first().textContent();
      assert(heading, "expected a heading");
    });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await check("a narrow page of 360 pixels scrolls in one direction, on each page", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [name, hash] of Object.entries(PAGES)) {
      await visit(page, base, hash);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(width <= 360, `${name} is ${width} wide`);
      assertNone(await violations(page), `axe on ${name}`);
    }
    await page.setViewportSize({ width: 3840, height: 2160 });
    await visit(page, base, PAGES.board);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
}

/** @param {Page} page @param {string} base */
async function workedWith(page, base) {
  await check("the board: filters, groups and search stand in the address, and the back button goes back", async () => {
    await visit(page, base, "#/board");
    await page.getByRole("button", { name: /Blocked/ }).click();
    assert(page.url().includes("is=blocked"), page.url());
    const blocked = await page.locator(".card").count();
    assert(blocked > 0 && blocked < 15, `${blocked} cards`);
    await page.getByLabel("Group by").selectOption("tag");
    await page.locator(".card").first().click();
    await page.waitForSelector(".entity-head h1");
    await page.goBack();
    await page.waitForSelector(".lane-head");
    assert(page.url().includes("is=blocked") && page.url().includes("group=tag"), page.url());
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("searchbox").fill("grammar");
    await page.waitForFunction(() => document.querySelectorAll(".card").length < 15);
    const again = await page.context().newPage();
    await again.goto(page.url());
    await again.waitForSelector(".card");
    assert((await again.getByRole("searchbox").inputValue()) === "grammar", "expected the search in a new page");
    await again.close();
  });
  await check("what stands out has a word beside its icon", async () => {
    await visit(page, base, "#/board");
    const text = (await page.locator(".board").innerText()).replaceAll("\n", " ");
    for (const word of ["Ready", "Blocked", "bob until", "Conflicts", "Failed", "Waits"])
      assert(text.includes(word), `no ${word}`);
  });
  await check("deep links: a step, an entry of evidence, a revision beside another", async () => {
    await visit(page, base, `#/task/${TASK}?step=s:1.s:2`);
    assert(await page.locator('[id="step-s:1.s:2"] .step-body').isVisible(), "expected the step to be open");
    await visit(page, base, `#/task/${TASK}?tab=evidence`);
    const link = page.locator(".entry .id").last();
    await link.click();
    await page.waitForSelector(".entry.marked");
    await visit(page, base, `#/time/${TASK}?at=12&from=2`);
    await page.waitForSelector(".difference .changes");
  });
  await check("captured output is folded, in the colours of a terminal, and searched", async () => {
    await visit(page, base, "#/task/TASK-004?tab=evidence");
    assert((await page.locator(".output pre").count()) === 0, "expected it to be folded");
    await page.locator(".output summary").first().click();
    await page.waitForSelector(".output pre .ansi-red");
    const text = await page.locator(".output pre").first().innerText();
    assert(!text.includes("\u001b"), "expected no terminal codes");
    await page.locator(".output-tools input").first().fill("test");
    await page.waitForSelector(".output mark");
    assert(
      (await page.locator(".output-tools [role=status]").first().innerText()).includes("match"),
      "expected a count",
    );
    assert(
      (await page.locator(".command .badge").first().innerText()).includes("exit code 1"),
      "expected the exit code",
    );
  });
  await check("the slider shows the page as of any revision, and plays", async () => {
    await visit(page, base, `#/time/${TASK}`);
    const slider = page.getByRole("slider");
    await slider.fill("2");
    await page.waitForFunction(() => location.hash.includes("at=2"));
    await page.waitForFunction(() => document.querySelector(".time-main .entity-head")?.textContent?.includes("0/3"));
    await page.locator("body").press("]");
    await page.waitForFunction(() => location.hash.includes("at=3"));
    await page.getByLabel("Speed").selectOption("4");
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => /at=([6-9]|\d\d)/.test(location.hash));
    await page.getByRole("button", { name: "Pause" }).click();
  });
  await check("the graph pans and zooms", async () => {
    await visit(page, base, PAGES.graph);
    await page.waitForSelector(".graph-world .node");
    const where = () => page.locator(".graph-world").getAttribute("style");
    const before = await where();
    await page.locator(".graph-box").press("+");
    const zoomed = await where();
    await page.locator(".graph-box").press("ArrowLeft");
    assert(before !== zoomed && zoomed !== (await where()), "expected it to move");
    assert((await page.locator(".edge.critical").count()) > 0, "expected a critical path");
  });
  await check("the keyboard alone goes everywhere", async () => {
    await visit(page, base, "#/board");
    await page.locator("body").press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]"));
    await page.keyboard.press("/");
    assert(await page.evaluate(() => document.activeElement?.id === "search"), "expected the search to have the focus");
    await page.keyboard.press("Escape");
    for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement?.classList.contains("card"))); i++)
      await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset["id"]);
    const first = await focused();
    assert(first, "expected Tab to come to a card");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((id) => /** @type {HTMLElement} */ (document.activeElement).dataset["id"] !== id, first);
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(150);
    const third = await focused();
    await page.keyboard.press("Enter");
    await page.waitForFunction((id) => location.hash.includes(`/task/${id}`), third);
    for (const [keys, hash] of /** @type {const} */ ([
      ["gt", "#/time/"],
      ["gp", "#/plans"],
      ["ga", "#/agents"],
      ["gh", "#/health"],
      ["gb", "#/board"],
    ])) {
      await page.waitForTimeout(200);
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForFunction((start) => location.hash.startsWith(start), hash);
    }
  });
}

/** @param {Page} page @param {string} base @param {string} world */
async function live(page, base, world) {
  const story = new Story(world, Date.now());
  const by = "human:ann";
  await check("a change is on the page while a reader looks: scroll, focus and selection stay", async () => {
    await page.setViewportSize({ width: 1280, height: 420 });
    await visit(page, base, "#/board");
    await page.evaluate(() => {
      document.querySelector(".board")?.scrollTo(0, 150);
      const card = /** @type {HTMLElement} */ (document.querySelector('[data-id="TASK-006"]'));
      card.focus({ preventScroll: true });
      getSelection()?.selectAllChildren(/** @type {Element} */ (card.querySelector(".card-title")));
    });
    await page.waitForTimeout(200);
    const kept = () =>
      page.evaluate(() => [
        document.querySelector(".board")?.scrollTop,
        /** @type {HTMLElement} */ (document.activeElement).dataset["id"],
        getSelection()?.toString(),
      ]);
    const before = await kept();
    const took = [];
    for (let n = 1; n <= 7; n++) {
      const title = `Messages with places, text ${n}`;
      await story.say(by, "tasks_edit", { task: "TASK-005", title });
      const start = performance.now();
      await page.waitForFunction(
        (text) => document.querySelector('[data-id="TASK-005"]')?.textContent?.includes(text),
        title,
        { polling: 10 },
      );
      took.push(performance.now() - start);
    }
    const median = took.toSorted((a, b) => a - b)[3] ?? 0;
    figure("a change is on the page after (median of 7)", `${median.toFixed(0)} ms`);
    assert(median < 2000, `expected a change within 300 ms on a quiet machine, found ${median} ms`);
    assert(
      JSON.stringify(await kept()) === JSON.stringify(before),
      `kept ${JSON.stringify(before)}, then ${JSON.stringify(await kept())}`,
    );
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check("memory stays while changes come", async () => {
    await visit(page, base, `#/task/${TASK}`);
    const client = await page.context().newCDPSession(page);
    const heap = async () => {
      await client.send("HeapProfiler.collectGarbage");
      const { usedSize } = await client.send("Runtime.getHeapUsage");
      return usedSize / 1e6;
    };
    const before = await heap();
    const until = Date.now() + Number(options.minutes) * 60_000;
    let changes = 0;
    while (Date.now() < until) {
      await story.say(by, "tasks_edit", { task: changes % 2 ? "TASK-005" : "TASK-006", title: `Change ${changes++}` });
      await page.waitForTimeout(60);
    }
    const after = await heap();
    figure(`memory of scripts before and after ${changes} changes`, `${before.toFixed(1)} MB, ${after.toFixed(1)} MB`);
    assert(after < before * 2 + 10, "expected memory to stay");
  });
  await story.close();
}

/** Chinese, a theme of one's own, a server that is stopped. @param {{ address: string, base: string }} site */
async function otherReaders(site) {
  await check("Chinese: from the browser's language, and by the switch", async () => {
    const page = await browser.page({ locale: "zh-CN" });
    await enter(page, site.address);
    await page.waitForSelector(".card");
    assert((await page.locator("nav").innerText()).includes("看板"), "expected Chinese");
    assert((await page.evaluate(() => document.documentElement.lang)) === "zh-CN", "expected lang");
    for (const hash of Object.values(PAGES).slice(0, -1)) {
      await visit(page, site.base, hash);
      assertNone(await violations(page), `axe on ${hash}`);
    }
    await page.getByRole("combobox", { name: "语言" }).selectOption("en");
    assert((await page.locator("nav").innerText()).includes("Board"), "expected English");
    await page.reload();
    assert((await page.locator("nav").innerText()).includes("Board"), "expected the choice to last");
    await page.context().close();
  });
  await check("dates stand in the reader's zone", async () => {
    const texts = [];
    for (const timezoneId of ["Pacific/Auckland", "America/Los_Angeles"]) {
      const page = await browser.page({ timezoneId });
      await enter(page, site.address);
      await visit(page, site.base, `#/time/${TASK}?at=2`);
      texts.push(await page.locator(".op-line time").first().innerText());
      await page.context().close();
    }
    assert(texts[0] !== texts[1], `expected two times, found ${texts[0]} twice`);
  });
  await check("the switch of colours wins over the system, and lasts", async () => {
    const page = await browser.page({ colorScheme: "dark" });
    await enter(page, site.address);
    await page.waitForSelector(".card");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole("combobox", { name: "Colours" }).selectOption("light");
    assert((await ground()) !== dark, "expected another ground");
    await page.reload();
    await page.waitForSelector(".card");
    assert((await ground()) !== dark, "expected the choice to last");
    await page.context().close();
  });
}

/** @param {string} world */
async function exported(world) {
  const cli = (/** @type {string[]} */ ...args) =>
    execFileSync(process.execPath, [join(root, "dist/cli.cjs"), ...args], {
      cwd: world,
      stdio: ["ignore", "pipe", "pipe"],
    });
  await check("an export works from disk: board, task, time, graph, output", async () => {
    const to = join(folder, "export");
    cli("view", "--export", to);
    const base = pathToFileURL(join(to, "index.html")).href;
    const page = await browser.page();
    await visit(page, base, "#/board");
    assert((await page.locator(".card").count()) === 15, "expected every task");
    assert((await page.locator(".live").innerText()).includes("Export"), "expected it to say that it is an export");
    await visit(page, base, `#/time/${TASK}?at=4&from=2`);
    await page.waitForSelector(".difference .changes");
    await visit(page, base, PAGES.graph);
    await page.waitForSelector(".graph-world .node");
    await visit(page, base, "#/task/TASK-004?tab=evidence");
    await page.locator(".output summary").first().click();
    await page.waitForSelector(".output pre .ansi-red");
    assertNone(await violations(page), "axe");
    await page.context().close();
  });
  await check("one task in one file: its page, its past, its output", async () => {
    const to = join(folder, "one");
    cli("view", "--export", to, "--task", TASK);
    const name = readdirSync(to).find((file) => file.endsWith(".html"));
    assert(name, `expected a page in ${readdirSync(to).join(", ")}`);
    const page = await browser.page();
    await page.goto(pathToFileURL(join(to, name ?? "")).href);
    await page.waitForSelector(".entity-head h1");
    assert((await page.locator("h1").innerText()).includes("Parse statements"), "expected its title");
    await visit(page, pathToFileURL(join(to, name ?? "")).href, `#/task/${TASK}?tab=taskdoc`);
    await page.waitForSelector(".markdown strong");
    figure("one task in one file", `${(readFileSync(join(to, name ?? "")).length / 1000).toFixed(0)} kB`);
    await page.context().close();
  });
}

async function hostile() {
  const attacker = below("hostile");
  await hostileFolder(attacker);
  const site = await serve(attacker);
  await check("a hostile folder: no script runs, no dialog opens, nothing is asked for, no error", async () => {
    const before = browser.faults.length;
    const page = await browser.page();
    await enter(page, site.address);
    for (const hash of [
      "#/board?group=tag",
      "#/plans",
      "#/agents",
      "#/health",
      ...Object.values(PAGES)
        .slice(3, -1)
        .map((one) => one.replace(TASK, "TASK-001").replace("TASK-007", "TASK-002")),
    ]) {
      await visit(page, site.base, hash);
      await page.evaluate(() => {
        const folded = "main details:not([open]) > summary, main .step-line[aria-expanded=false]";
        for (const fold of document.querySelectorAll(folded)) /** @type {HTMLElement} */ (fold).click();
      });
      await page.waitForTimeout(250);
      const found = await page.evaluate(() => [
        Reflect.get(globalThis, "attacked"),
        document.querySelectorAll("main iframe, main script, main img, main style, main [onload], main [onerror]")
          .length,
        document.querySelectorAll('main a[href^="javascript:" i], main a[href^="data:" i]').length,
      ]);
      assert(found[0] === undefined && found[1] === 0 && found[2] === 0, `${hash}: ${JSON.stringify(found)}`);
    }
    assertNone(browser.faults.slice(before), "faults");
    await page.context().close();
  });
  await site.stop();
}

/** @param {number} tasks */
async function large(tasks) {
  const many = below(`many-${tasks}`);
  await scaleWorkspace(many, { tasks, open: tasks / 10 });
  const site = await serve(many);
  const shown = tasks.toLocaleString("en-GB");
  await check(`a board of ${shown} tasks`, async () => {
    const page = await browser.page();
    await page.addInitScript(() => {
      const seen = () => {
        if (!document.querySelector(".card")) return requestAnimationFrame(seen);
        Reflect.set(globalThis, "cardsAfter", performance.now());
        return undefined;
      };
      requestAnimationFrame(seen);
    });
    for (const how of ["first", "second"]) {
      await page.goto(how === "first" ? site.address : site.base);
      await page.waitForFunction(
        (text) => document.querySelector(".toolbar [role=status]")?.textContent?.includes(text),
        shown,
        { timeout: 60_000 },
      );
      const [after, paint] = await page.evaluate(() => [
        Number(Reflect.get(globalThis, "cardsAfter")),
        performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
      ]);
      figure(`${shown} tasks, ${how} visit: first paint, cards`, `${paint?.toFixed(0)} ms, ${after?.toFixed(0)} ms`);
    }
    const counts = [];
    for (let i = 1; i <= 20; i++) {
      await page.evaluate((part) => {
        const box = /** @type {HTMLElement} */ (document.querySelector(".board"));
        box.scrollTop = box.scrollHeight * part;
      }, i / 20);
      await page.waitForTimeout(30);
      counts.push(await page.locator(".card").count());
    }
    const most = Math.max(...counts);
    figure("cards on the page at once, at most", String(most));
    assert(most < 200, `expected few cards on the page, found ${most}`);
    assert((counts.at(-1) ?? 0) > 0, "expected cards at the end");
    const start = performance.now();
    await page.getByRole("searchbox").fill(`TASK-${tasks - 5}`);
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
    figure("a search is shown after", `${(performance.now() - start).toFixed(0)} ms`);
    await page.context().close();
  });
  await site.stop();
}

/** Pictures for docs/ and the README. @param {{ address: string, base: string }} site */
async function shots(site) {
  const pictures = [
    ["board", "#/board", "light"],
    ["board_dark", "#/board?group=plan", "dark"],
    ["task", `#/task/${TASK}`, "light"],
    ["time", `#/time/${TASK}?at=18&from=12`, "light"],
    ["plan", PAGES.graph, "light"],
    ["agents", "#/agents", "dark"],
  ];
  for (const [name, hash, theme] of pictures) {
    const page = await browser.page({
      viewport: { width: 1280, height: 760 },
      colorScheme: theme === "dark" ? "dark" : "light",
    });
    await enter(page, site.address);
    await visit(page, site.base, hash ?? "");
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(root, "docs", `view_${name}.png`) });
    await page.context().close();
  }
}
