// @ts-check
/**
 * `npm run e2e:view [-- --late MS] [-- --changes N] [-- --shots] [-- --judge] [-- --tasks N]`: the pages of `taskfold view` in a real browser.
 * Several programs beside each other try a share of the parts each (`SHARES`). Boards of 1,000, 5,000 and 10,000 tasks are the part `large`,
 * which runs with `--judge` or by its name.
 *
 * - `--late MS`: the browser tells every page of frames and sizes so much later, as on a busy machine.
 * - `--judge`: a figure above its limit fails; for a quiet machine. One program tries all parts.
 * - `--only PART`: of the parts this one, in one program; again for each.
 * - `--tasks N`: the part `large` has a board of so many instead, at least 200; again for each.
 * - `--changes`: how many live changes come while the run measures memory.
 * - `--shots` writes the pictures of docs/.
 * - `--pictures DIR` writes one picture of each page in each size, theme and language, for people to look at.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { scaleWorkspace } from "../../../bench/lib/scale_workspace.mjs";
import { WORKSPACE as SCALE_WORKSPACE } from "../../../bench/lib/workspaces.mjs";
import { Browser, chromiumPath, serve } from "./browser.mjs";
import {
  accessible,
  areThere,
  asReader,
  assert,
  assertNone,
  atMost,
  check,
  counts,
  enter,
  figure,
  judge,
  narrow,
  says,
  setting,
  settled,
  soon,
  visit,
} from "./checks.mjs";
import { crowds } from "./crowd.mjs";
import { hostile } from "./hostile.mjs";
import { jobs } from "./jobs.mjs";
import { lanes, looks, missing, readLater, small, steady } from "./looks.mjs";
import { logsOf, mostFailures } from "./logs.mjs";
import { now } from "./now.mjs";
import { packets } from "./packet.mjs";
import { past } from "./past.mjs";
import { states } from "./states.mjs";
import { Story, workdays } from "./world.mjs";

const root = join(import.meta.dirname, "../../..");
const { values: options } = parseArgs({
  options: {
    changes: { type: "string", default: "400" },
    late: { type: "string", default: "0" },
    shots: { type: "boolean", default: false },
    pictures: { type: "string" },
    judge: { type: "boolean", default: false },
    tasks: { type: "string", multiple: true, default: ["1000", "5000", "10000"] },
    only: { type: "string", multiple: true },
  },
});
judge(options.judge);
/** Parts by the program that tries them: a page waits for its server most of the time, and a server for its clock. */
const SHARES = [["world"], ["live"], ["crowd", "packets", "states", "coco", "long"], ["jobs", "hostile"]];
const isOne = options.only !== undefined || options.shots || options.judge || options.pictures !== undefined;
if (!isOne && chromiumPath()) process.exit(await beside());
/** @param {string} part */
const isWanted = (part) => !options.only || options.only.includes(part);
if (!chromiumPath()) {
  console.error("e2e:view lacks Chromium: install Debian's package chromium, or name the program in CHROMIUM.");
  process.exit(1);
}

/** @typedef {import("playwright-core").Page} Page */
const TASK = "TASK-003";
const PAGES = {
  now: "#/now",
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
  agents: "#/agents?lanes=1",
  "what an agent did": "#/agents?agent=agent:bob",
  health: "#/health",
  sizes: "#/health?logs=1",
  nothing: "#/task/TASK-999",
};

/** The pages of one plan and of two tasks, which the hostile folder has too. */
const HOSTILE_PAGES = Object.values(PAGES)
  .slice(4, -1)
  .map((one) => one.replace(TASK, "TASK-001").replace("TASK-007", "TASK-002"));

/** Controls in a first screen, at most. */
const MOST_CONTROLS = {
  "#/now": 24,
  "#/board": 25,
  "#/plans": 12,
  "#/plan/PLAN-001": 30,
  [`#/task/${TASK}`]: 21,
  [`#/time/${TASK}`]: 36,
  "#/agents": 19,
  "#/health": 12,
};
/** The same on a phone, where the pages stand in the menu. */
const MOST_ON_PHONE = {
  "#/now": 9,
  "#/board": 12,
  "#/plans": 8,
  "#/plan/PLAN-001": 20,
  [`#/task/${TASK}`]: 16,
  [`#/time/${TASK}`]: 22,
  "#/agents": 10,
  "#/health": 9,
};
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Counts those that a reader reaches without scrolling. @param {Page} page */
function controlsOf(page) {
  return page.evaluate(
    () =>
      [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')].filter((one) => {
        const { width, top, bottom } = one.getBoundingClientRect();
        return width > 0 && bottom > 0 && top < innerHeight;
      }).length,
  );
}

/** Megabytes, and nodes or listeners, that a page may hold more after any number of live changes. */
const MAX_GROWTH = { heap: 3, nodes: 500 };

const PICTURES = {
  packets: { packet: "#/task/TASK-PACKET?tab=packet", failed: "#/task/TASK-FAILS?tab=packet", board: "#/board" },
  crowd: {
    agents: "#/agents",
    "agents of all time": "#/agents?lanes=1&from=all",
    search: "#/agents?q=busy",
    health: "#/health?logs=2",
  },
  coco: { board: "#/board", task: "#/task/task-2f61da5b5ec7488eb79fc983790aa10c" },
};
const LOOKS = /** @type {const} */ ([
  { width: 1280, height: 800, theme: "light", locale: "en-GB" },
  { width: 1280, height: 800, theme: "dark", locale: "zh-CN" },
  { width: 360, height: 740, theme: "light", locale: "zh-CN" },
  { width: 360, height: 740, theme: "dark", locale: "en-GB" },
  { width: 3840, height: 2160, theme: "light", locale: "en-GB" },
]);

const SHOTS = {
  world: [
    ["now", "#/now", "light"],
    ["board", "#/board", "light"],
    ["task", `#/task/${TASK}`, "light"],
    ["time", `#/time/${TASK}?at=18&from=12`, "light"],
    ["plan", PAGES.graph, "light"],
    ["agents_zh", "#/agents", "light", "zh-CN"],
  ],
  packets: [["packet", "#/task/TASK-FAILS?tab=packet", "light"]],
};
const folder = mkdtempSync(join(tmpdir(), "taskfold-view-"));
const browser = await Browser.start(Number(options.late));
/** @param {string} name */
const below = (name) => {
  mkdirSync(join(folder, name));
  return join(folder, name);
};

try {
  if (isWanted("world")) {
    await check("the first load is small", sizes);
    await everyday();
  }
  if (isWanted("jobs")) await jobs(browser, below);
  if (isWanted("live")) await changing();
  if (isWanted("crowd")) await crowds(browser, below, look);
  if (isWanted("packets"))
    await packets(browser, below, async (site, name) => {
      await shots(site, SHOTS.packets);
      await look(site, name);
    });
  if (isWanted("states")) await states(browser, below);
  if (isWanted("coco")) await foreign();
  if (isWanted("long")) {
    await long();
    await past(browser, below);
  }
  if (isWanted("hostile")) await hostile(browser, below, HOSTILE_PAGES);
  if (isWanted("large")) {
    await check("an empty page takes the browser this long", floor);
    await check("the first load is small", sizes);
    for (const tasks of options.tasks) await large(Number(tasks));
  }
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
console.log(`\n${counts.passed} of ${counts.passed + counts.failed} checks hold.`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** All shares at once. @returns {Promise<number>} the exit code */
async function beside() {
  const told = await Promise.all(
    SHARES.map(async (parts) => {
      const only = [...process.argv.slice(2), ...parts.flatMap((part) => ["--only", part])];
      const child = spawn(process.execPath, [import.meta.filename, ...only], { stdio: ["ignore", "pipe", "inherit"] });
      let said = "";
      child.stdout.on("data", (chunk) => {
        said += chunk;
        process.stdout.write(chunk);
      });
      const code = await new Promise((done) => child.once("close", done));
      const [, passed = 0, all = 0] = /(\d+) of (\d+) checks hold/.exec(said) ?? [];
      return { code: Number(code ?? 1), passed: Number(passed), all: Number(all) };
    }),
  );
  const sum = (/** @type {"passed" | "all"} */ of) => told.reduce((total, one) => total + one[of], 0);
  console.log(`\nTogether ${sum("passed")} of ${sum("all")} checks hold.`);
  return told.every(({ code }) => code === 0) ? 0 : 1;
}

async function everyday() {
  const world = below("world");
  await workdays(world);
  const site = await serve(world);
  try {
    // Before anything is changed here.
    await shots(site, SHOTS.world);
    await look(site, "");
    const page = await browser.page();
    await enter(page, site.address);
    await now(page, site.base);
    await eachPage(page, site.base);
    await looks(page, site.base, TASK);
    await missing(page, site.base);
    await small(page, site.base, TASK);
    await lanes(page, site.base);
    await steady(page, site.base, TASK);
    await workedWith(page, site.base, world);
    await otherReaders(site);
    await page.context().close();
  } finally {
    await site.stop();
  }
  await exported(world);
}

async function changing() {
  const world = below("live");
  await workdays(world);
  const site = await serve(world);
  try {
    const page = await browser.page();
    await enter(page, site.address);
    await live(page, site.base, world);
    await page.context().close();
  } finally {
    await site.stop();
  }
}

async function sizes() {
  const view = join(root, "dist/view");
  const size = (/** @type {string} */ name) => gzipSync(readFileSync(join(view, name)), { level: 9 }).length;
  for (const name of readdirSync(view)) figure(`${name}, compressed`, `${(size(name) / 1000).toFixed(1)} kB`);
  const first = ["index.html", "app.css", "shared.js", "app.js"].reduce((sum, name) => sum + size(name), 0);
  figure("first load, compressed", `${(first / 1000).toFixed(1)} kB of 75 kB`);
  // No machine is too slow for it.
  assert(first <= 75_000, "expected a first load of at most 75 kB");
}

/** @param {Page} page @param {string} base */
async function eachPage(page, base) {
  await check(
    "[PAGE-105] [regression PAGE-123] health folds what asks nothing of anyone, and each first screen has few controls",
    async () => {
      await visit(page, base, "#/health");
      await areThere(page.locator(".table-box"), 0);
      await page.locator("summary", { hasText: "Sizes and growth" }).click();
      await page.getByRole("region", { name: "Logs" }).waitFor();
      const found = [];
      /** @type {[typeof WIDE, Record<string, number>][]} */
      const screens = [
        [WIDE, MOST_CONTROLS],
        [PHONE, MOST_ON_PHONE],
      ];
      for (const [screen, pages] of screens) {
        await page.setViewportSize(screen);
        for (const [name, most] of Object.entries(pages)) {
          await visit(page, base, name);
          const controls = await controlsOf(page);
          const of = `${name} at ${screen.width}`;
          figure(`controls in the first screen of ${of}`, `${controls} of ${most}`);
          if (controls > most) found.push(`${of} has ${controls} controls, expected at most ${most}`);
        }
      }
      await page.setViewportSize(WIDE);
      assertNone(found, "first screens");
    },
  );
  for (const [name, hash] of Object.entries(PAGES)) {
    await check(`${name}: axe finds nothing, light and dark`, async () => {
      for (const theme of /** @type {const} */ (["light", "dark"])) {
        await page.emulateMedia({ colorScheme: theme });
        await visit(page, base, hash);
        await accessible(page, `axe, ${theme}`, theme === "dark" ? "theme" : undefined);
      }
      await soon(async () =>
        assert(await page.locator("h1, .empty-title").first().textContent(), "expected a heading"),
      );
    });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await check(
    "[regression PAGE-130] on a phone the pages stand in the menu, agents in a list, and no part scrolls to the side",
    async () => {
      await page.setViewportSize(PHONE);
      await visit(page, base, "#/agents");
      await page.locator(".agent-list > li").first().waitFor();
      await areThere(page.locator(".agent-table"), 0);
      await areThere(page.locator("nav:visible"), 0);
      for (const part of [".top", ".agent-list"]) {
        const over = await page.locator(part).evaluate((one) => one.scrollWidth - one.clientWidth);
        assert(over <= 0, `${part} goes on to the side by ${over} pixels`);
      }
      await page.getByRole("button", { name: "Pages, colours, language and keys" }).click();
      await page.getByRole("link", { name: "Health" }).click();
      await page.getByRole("heading", { name: "Health", level: 1 }).waitFor();
      await areThere(page.locator("nav:visible"), 0);
      await page.setViewportSize(WIDE);
    },
  );
  await check("[regression PAGE-110] a card is as high as its text: no title of the board is cut", async () => {
    for (const screen of [WIDE, PHONE]) {
      await page.setViewportSize(screen);
      await visit(page, base, "#/board");
      await page.locator(".card").first().waitFor();
      const cut = await page
        .locator(".card-title")
        .evaluateAll((all) => all.flatMap((one) => (one.scrollHeight > one.clientHeight + 1 ? [one.textContent] : [])));
      assertNone(cut, "titles that are cut");
    }
    await page.setViewportSize(WIDE);
  });
  await check("a narrow page of 360 pixels scrolls in one direction, on each page", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const [name, hash] of Object.entries(PAGES)) {
      await visit(page, base, hash);
      await narrow(page, name);
      await accessible(page, `axe on ${name}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check(
    "a page of 3840 pixels is read from afar: larger letters, its width used, nothing cut, on each page",
    async () => {
      await page.setViewportSize({ width: 3840, height: 2160 });
      for (const [name, hash] of Object.entries(PAGES)) {
        await visit(page, base, hash);
        await soon(async () => {
          const found = await page.evaluate(() => {
            const boxes = [...document.querySelectorAll("main > *, main > * > *")].map((one) =>
              one.getBoundingClientRect(),
            );
            const seen = boxes.filter(({ width }) => width > 0);
            const texts = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("main .markdown p"))];
            return {
              width: document.documentElement.scrollWidth,
              letter: Number.parseFloat(getComputedStyle(document.body).fontSize),
              left: Math.min(...seen.map((box) => box.left)),
              right: innerWidth - Math.max(...seen.map((box) => box.right)),
              line: Math.max(
                0,
                ...texts.map((one) => one.clientWidth / Number.parseFloat(getComputedStyle(one).fontSize)),
              ),
            };
          });
          const { width, letter, left, right, line } = found;
          const isWhole = width <= 3840 && left >= -1 && right >= -1 && Math.abs(left - right) < 20;
          assert(
            isWhole && left + right < 1920,
            `${name}: expected half of the width in its middle, ${JSON.stringify(found)}`,
          );
          assert(
            letter >= 17 && line < 60.5,
            `${name}: expected large letters and short lines, ${JSON.stringify(found)}`,
          );
        });
        await accessible(page, `axe on ${name}`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
}

/** @param {Page} page @param {string} base @param {string} world */
async function workedWith(page, base, world) {
  await check("the board: filters, groups and search stand in the address, and the back button goes back", async () => {
    await visit(page, base, "#/board");
    await page.getByRole("button", { name: "Filters" }).click();
    await soon(async () => {
      const marks = await page.locator(".chip .count").allInnerTexts();
      assert(marks.length > 0 && !marks.includes("0"), `expected filters that find tasks, found ${marks.join()}`);
    });
    await page.getByRole("button", { name: /Blocked/ }).click();
    await page.waitForURL(/is=blocked/);
    // The address is written before the cards are.
    await soon(async () => {
      const blocked = await page.locator(".card").count();
      assert(blocked > 0 && blocked < 15, `${blocked} cards`);
    });
    await page.getByLabel("Group by").selectOption("tag");
    await page.waitForURL(/group=tag/);
    await page.waitForSelector(".lane-head");
    await page.locator(".card").first().click();
    await page.waitForSelector(".entity-head h1");
    await page.goBack();
    await page.waitForSelector(".lane-head");
    await page.waitForURL((url) => url.href.includes("is=blocked") && url.href.includes("group=tag"));
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("searchbox").fill("grammar");
    await page.waitForFunction(() => document.querySelectorAll(".card").length < 15);
    await page.waitForURL(/grammar/);
    const again = await page.context().newPage();
    await again.goto(page.url());
    await again.waitForSelector(".card");
    await soon(async () =>
      assert((await again.getByRole("searchbox").inputValue()) === "grammar", "expected the search in a new page"),
    );
    await again.close();
  });
  await check("what stands out has a word beside its icon", async () => {
    await visit(page, base, "#/board");
    await soon(async () => {
      // The words of a badge may stand on two lines.
      const text = (await page.locator(".board").innerText()).replaceAll("\n", " ");
      for (const word of ["Ready", "Blocked", "bob until", "Conflicts", "Failed", "Waits"])
        assert(text.includes(word), `no ${word}`);
    });
  });
  await check("deep links: a step, an entry of evidence, a revision beside another", async () => {
    await visit(page, base, `#/task/${TASK}?step=s:1.s:2`);
    await page.locator('[id="step-s:1.s:2"] .step-body').waitFor();
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
    await page.locator(".output-tools [role=status]").first().filter({ hasText: "match" }).waitFor();
    await page.locator(".command .badge").first().filter({ hasText: "exit code 1" }).waitFor();
  });
  await check("evidence is text or a download, and never a page", async () => {
    await visit(page, base, "#/board");
    await visit(page, base, "#/task/TASK-004?tab=evidence");
    await page.locator(".output summary").first().click();
    const raw = page.locator(".output-body a", { hasText: "Raw text" }).first();
    const got = await page.evaluate(
      async (address) => {
        const response = await fetch(address);
        return [response.headers.get("content-type"), response.headers.get("content-security-policy")].join(" ");
      },
      (await raw.getAttribute("href")) ?? "",
    );
    assert(got.startsWith("text/plain") && got.includes("sandbox"), `found ${got}`);
    const [download] = await Promise.all([
      page.waitForEvent("download", { timeout: 10_000 }),
      page.locator(".output-body a", { hasText: "Download" }).first().click({ timeout: 10_000 }),
    ]);
    assert(/^[0-9a-f]{64}\.txt$/.test(download.suggestedFilename()), "expected a file of its digest");
  });
  await check(
    "both texts of the Taskdoc stand beside each other where branches disagree, with who and when",
    async () => {
      await visit(page, base, PAGES["taskdoc in conflict"]);
      await soon(async () => {
        const sides = await page.locator(".section .side").allInnerTexts();
        assert(sides.length === 2, `found ${sides.length}`);
        for (const part of ["ann", "cyd", "on every sample.", "broken samples too.", "ago"])
          assert(sides.join("\n").includes(part), `no ${part} in ${sides.join("\n")}`);
      });
    },
  );
  await check("agents: kills, take-overs, what each waits for, throughput; marks are read by keys", async () => {
    await visit(page, base, PAGES.agents);
    const named = (/** @type {string} */ name) => page.locator(".person-name", { hasText: new RegExp(`^${name}$`) });
    const lane = (/** @type {string} */ name) => page.locator(".agent-lane", { has: named(name) });
    await soon(async () => {
      assert((await lane("ada").locator(".span.end-killed").count()) > 0, "expected a claim that was killed");
      assert((await lane("cyd").innerText()).includes("Stuck on"), "expected cyd to wait");
      assert((await page.locator(".bar-column").count()) > 20, "expected a bar for each hour, empty ones too");
      assert((await lane("bob").locator('.lane-track [tabindex="0"]').count()) === 1, "expected one stop for Tab");
    });
    await page.getByRole("button", { name: "agent cyd" }).click();
    await says(page.locator(".agent-story"), ["not cleared for use yet"]);
    await page.getByRole("button", { name: "agent bob" }).click();
    await says(page.locator(".agent-story"), ["taken over"]);
    await lane("bob").locator(".mark").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator(".mark-detail tbody tr").first().waitFor();
    await page.keyboard.press("End");
    await soon(async () => {
      const isLast = await lane("bob")
        .locator(".mark, .span")
        .evaluateAll((all) => {
          const leftOf = (/** @type {Element | null} */ one) =>
            Number.parseFloat(/** @type {HTMLElement} */ (one).style.left);
          return leftOf(document.activeElement) === Math.max(...all.map(leftOf));
        });
      assert(isLast, "expected the last place of the lane");
    });
  });
  await check(
    "[PAGE-105] which agent fails most, and its failures: two clicks, and the numbers of the logs",
    async () => {
      await visit(page, base, "#/agents");
      const row = page.locator(".agent-table tbody tr").first();
      const failures = await soon(async () => {
        const [name, done, failed, rate] = await row.locator("th, td").allInnerTexts();
        const most = mostFailures(logsOf(world));
        assert(
          name?.endsWith(most.name) && Number(failed) === most.failed,
          `expected ${JSON.stringify(most)}, found ${name} with ${failed}`,
        );
        const share = Math.round((100 * Number(failed)) / (Number(done) + Number(failed)));
        assert(rate === `${share}%`, `expected ${share}%, found ${rate}`);
        return Number(failed);
      });
      const controls = await controlsOf(page);
      assert(controls <= 20, `expected at most 20 controls in the first screen, found ${controls}`);
      await row.getByRole("button").click();
      await page.getByRole("button", { name: "Only failures" }).click();
      await areThere(page.locator(".agent-story tbody tr"), failures);
      await says(page.locator(".agent-story tbody tr").first(), ["failure"]);
      await page.getByLabel("Sort by").selectOption("done");
      await page.waitForURL(/sort=done/);
      await soon(async () => {
        const done = (await page.locator(".agent-table tbody td:nth-child(2)").allInnerTexts()).map(Number);
        assert(done.join() === done.toSorted((a, b) => b - a).join(), `found ${done.join()}`);
      });
    },
  );
  await check(
    "what agents held is read by keys and in a table: who, what, from, until; what lasts reaches to now",
    async () => {
      await visit(page, base, PAGES.agents);
      const named = (/** @type {string} */ name) => page.locator(".person-name", { hasText: new RegExp(`^${name}$`) });
      const lane = page.locator(".agent-lane", { has: named("cyd") });
      // In the whole of two days its claims begin side by side: one bar with their number, and a table of all of them.
      const bar = lane.locator(".span.end-open");
      const several = await soon(async () => {
        assert((await bar.count()) === 1, `expected one bar, found ${await bar.count()}`);
        return Number(await bar.locator(".span-count").innerText());
      });
      await bar.focus();
      await page.keyboard.press("Enter");
      await soon(async () => {
        const listed = await page.locator(".mark-detail tbody tr").count();
        assert(several > 1 && listed === several, `expected ${several} claims, found ${listed}`);
      });
      // In the time around them each is a bar of its own.
      const around = await page.evaluate(async () => {
        const answer = await fetch("api/v1/agents.json");
        /** @type {{ lanes: { by: string, spans: { from: string, end: string }[] }[] }} */
        const { lanes } = await answer.json();
        const spans = lanes.find(({ by }) => by.endsWith(":cyd"))?.spans ?? [];
        const begins = spans.flatMap(({ from, end }) => (end === "open" ? Date.parse(from) : []));
        const [first, last] = [Math.min(...begins), Math.max(...begins)];
        return `from=${2 * first - last - 1000}&to=${2 * last - first + 1000}`;
      });
      await visit(page, base, `${PAGES.agents}&${around}`);
      await lane.locator('[tabindex="0"]').focus();
      await page.keyboard.press("Home");
      for (let n = 0; n < 30; n++) {
        await settled(page);
        if (await page.evaluate(() => document.activeElement?.matches(".span.end-open"))) break;
        await page.keyboard.press("ArrowRight");
      }
      const label = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
      assert(/^cyd: Claim TASK-\d+ .+, .+ – .+ at the latest: ongoing$/.test(label), `found ${label}`);
      await page.keyboard.press("Enter");
      await soon(async () => {
        const row = await page.locator(".mark-detail tbody tr").innerText();
        for (const part of ["Claim", "TASK-0", "at the latest", "ongoing"])
          assert(row.includes(part), `no ${part} in ${row}`);
        const ends = await lane.locator(".span.end-open").evaluateAll((all) =>
          all.map((one) => {
            const track = /** @type {HTMLElement} */ (one.parentElement).getBoundingClientRect();
            return track.right - one.getBoundingClientRect().right;
          }),
        );
        assert(
          ends.length === 2 && ends.every((gap) => Math.abs(gap) < 2),
          `expected claims to now, found ${ends.join()}`,
        );
      });
      await visit(page, base, "#/agents?agent=agent:ada");
      const card = page.locator(".agent-story");
      await card.locator("summary", { hasText: "Claims and stages" }).click();
      await card.locator("details[open] tbody", { hasText: "killed" }).waitFor();
      await accessible(page);
    },
  );
  await check("the history tells what was written by step and text, in both languages", async () => {
    await visit(page, base, `#/time/${TASK}`);
    const note = page.locator(".op", { hasText: "Noted on s:1.s:1" }).first();
    await note.locator(".op-line").click();
    await soon(async () => {
      const body = await note.locator(".op-body").innerText();
      assert(/s:1\.s:1 note/.test(body) && body.includes("A block has a scope of its own now."), `found ${body}`);
      assert((await page.locator(".history").innerText()).search(/note\.[A-Za-z0-9_-]{20}/) < 0, "expected no hash");
    });
    await page.locator(".op", { hasText: "Undid" }).first().locator(".op-line").click();
    await page.locator(".op.undone").first().waitFor();
    await setting(page, "Language", "zh");
    await page.locator(".op-body", { hasText: "确认" }).waitFor();
    await setting(page, "语言", "en");
  });
  await check("the difference of any two revisions, chosen in the history, whichever is the older", async () => {
    await visit(page, base, `#/time/${TASK}?at=18`);
    await page.getByRole("button", { name: "Compare with 18", exact: true }).click();
    await page
      .locator(".op", { has: page.locator(".op-number", { hasText: /^12$/ }) })
      .locator(".op-line")
      .click();
    // That of the revision before stands there until the answer comes.
    await page.locator(".difference h2", { hasText: "12 to 18" }).waitFor();
    await page.waitForSelector(".difference .changes");
    await soon(async () => {
      const text = await page.locator(".difference").innerText();
      assert(text.includes("Criteria · confirmed") && text.includes("yes"), `found ${text}`);
    });
  });
  await check("tabs go by arrows, and dates in sentences stand in the reader's zone", async () => {
    await visit(page, base, `#/task/${TASK}`);
    await page.getByRole("tab", { name: "Steps" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/tab=taskdoc/);
    await page.keyboard.press("End");
    await page.waitForURL(/tab=evidence/);
    await areThere(page.getByRole("tab"), 4);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.waitForURL(/tab=check/);
    await soon(async () => {
      const radar = await page.locator(".radar").innerText();
      assert(/claimed by agent:bob until \d/.test(radar) && !/T\d\d:\d\d:\d\d/.test(radar), `found ${radar}`);
    });
  });
  await check("the way back leads to the place on the board that a reader left, with its focus", async () => {
    await page.setViewportSize({ width: 1280, height: 420 });
    await visit(page, base, "#/board");
    await page.evaluate(() => document.querySelector(".board")?.scrollTo(0, 260));
    await page.locator('[data-id="TASK-009"]').focus();
    await settled(page);
    const before = await page.evaluate(() => document.querySelector(".board")?.scrollTop);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".entity-head h1");
    await page.goBack();
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-id") === "TASK-009");
    await soon(async () => {
      const after = await page.evaluate(() => document.querySelector(".board")?.scrollTop);
      assert(before === after && Number(after) > 0, `left at ${before}, came back to ${after}`);
    });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check("in the graph Tab never leads out of sight", async () => {
    await visit(page, base, PAGES.graph);
    await page.waitForSelector(".graph-world .node");
    await page.locator(".graph-box").focus();
    for (let n = 0; n < 5; n++) await page.keyboard.press("+");
    const nodes = await page.locator(".graph-world .node").count();
    for (let n = 0; n < nodes; n++) {
      await page.keyboard.press("Tab");
      await soon(async () => {
        const out = await page.evaluate(() => {
          const inner = document.activeElement?.getBoundingClientRect();
          const outer = document.querySelector(".graph-box")?.getBoundingClientRect();
          if (!inner || !outer || !document.activeElement?.matches(".node")) return "no node";
          const isIn = inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top;
          return isIn && inner.bottom <= outer.bottom ? "" : String(document.activeElement.textContent);
        });
        assert(out === "", `out of sight: ${out}`);
      });
    }
  });
  await check("kinds of marks and the filter of the history stand in the address", async () => {
    await visit(page, base, PAGES.agents);
    await page.getByRole("button", { name: "evidence", exact: true }).click();
    await page.waitForURL(/hide=/);
    await page.reload();
    const chip = page.getByRole("button", { name: "evidence", exact: true });
    await soon(async () =>
      assert((await chip.getAttribute("aria-pressed")) === "false", "expected evidence to stay hidden"),
    );
    await visit(page, base, `#/time/${TASK}`);
    await page.getByRole("searchbox").fill("scope");
    await page.waitForFunction(() => location.hash.includes("find=scope"));
  });
  await check("who asks for less motion gets none", async () => {
    await visit(page, base, "#/board");
    const moving = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll("*")].filter((one) => getComputedStyle(one).transitionDuration !== "0s").length,
      );
    assert((await moving()) === 0, "expected no transition");
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await soon(async () => assert((await moving()) > 0, "expected transitions for other readers"));
    await page.emulateMedia({ reducedMotion: "reduce" });
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
  await check("the graph calls ready what it lists as ready, and none of it blocked", async () => {
    await visit(page, base, PAGES.graph);
    await page.waitForSelector(".graph-world .node");
    await soon(async () => {
      const ready = await page.locator(".named").first().locator(".id").allInnerTexts();
      assert(ready.includes("TASK-011"), `expected a task that is partly blocked, found ${ready.join()}`);
      for (const id of ready) {
        const marks = await page.locator(".node", { hasText: id }).locator(".node-mark").allTextContents();
        assert(marks.includes("Ready") && !marks.includes("Blocked"), `${id}: ${marks.join()}`);
      }
    });
    await visit(page, base, "#/task/TASK-011");
    await soon(async () => {
      const head = await page.locator(".facts-line .badge").allInnerTexts();
      assert(head.includes("Ready") && !head.includes("Partly blocked"), `found ${head.join()}`);
    });
    await visit(page, base, "#/board?is=blocked");
    await page.locator('[data-id="TASK-011"]', { hasText: "Partly blocked" }).waitFor();
  });
  await check("badges are whole or counted, and what they say is in their titles", async () => {
    for (const width of [1280, 1000, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await visit(page, base, "#/board");
      await soon(async () => {
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll(".card-signals")].flatMap((line) => {
            const badges = [.../** @type {NodeListOf<HTMLElement>} */ (line.querySelectorAll(".badge"))];
            const isOut = line.scrollWidth > line.clientWidth + 1;
            return badges
              .filter((one) => isOut || [...one.children].some((part) => part.scrollWidth > part.clientWidth + 1))
              .filter((one) => !one.querySelector(".visually-hidden"))
              .map((one) => one.innerText);
          }),
        );
        assertNone(cut, `cut at ${width}`);
        const titles = await page
          .locator(".card-signals .badge")
          .evaluateAll((all) => all.map((one) => one.getAttribute("title")));
        assert(titles.length > 0 && titles.every(Boolean), "expected a title on each");
      });
    }
    const selects = await page.evaluate(() =>
      [.../** @type {NodeListOf<HTMLSelectElement>} */ (document.querySelectorAll(".settings select"))]
        .filter((one) => {
          const free = /** @type {HTMLElement} */ (one.cloneNode(true));
          free.style.cssText = "position:absolute;max-width:none;width:auto";
          one.after(free);
          const needed = free.offsetWidth;
          free.remove();
          return needed > one.offsetWidth;
        })
        .map((one) => one.value),
    );
    assertNone(selects, "a choice that is cut");
  });
  await check(
    "on a phone the graph opens at text that is read, around what is ready; all of it is one button away",
    async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await visit(page, base, PAGES.graph);
      await page.waitForSelector(".graph-world .node");
      const seen = () =>
        page.evaluate(() => {
          const box = /** @type {Element} */ (document.querySelector(".graph-box")).getBoundingClientRect();
          const nodes = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".node"))].map((node) => {
            const { left, right, top, bottom, width } = node.getBoundingClientRect();
            const title = /** @type {Element} */ (node.querySelector(".node-title"));
            const size = (Number.parseFloat(getComputedStyle(title).fontSize) * width) / node.offsetWidth;
            const isIn = left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom;
            return { ready: node.classList.contains("ready"), isIn, size };
          });
          return {
            nodes: nodes.length,
            size: nodes[0]?.size ?? 0,
            in: nodes.filter(({ isIn }) => isIn).length,
            ready: nodes.some(({ ready, isIn }) => ready && isIn),
          };
        });
      await soon(async () => {
        const first = await seen();
        assert(first.size >= 10 && first.ready, `found ${JSON.stringify(first)}`);
      });
      await page.getByRole("button", { name: "Show all" }).click();
      await soon(async () => {
        const all = await seen();
        assert(all.nodes > 0 && all.in === all.nodes, `expected all of it, found ${JSON.stringify(all)}`);
      });
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
  await check(
    "[regression PAGE-75] the graph opens at the critical path, and its list leads to each node, by keys too",
    async () => {
      await page.setViewportSize({ width: 800, height: 600 });
      await visit(page, base, PAGES.plan);
      await visit(page, base, PAGES.graph);
      await page.waitForSelector(".graph-world .node");
      const isIn = (/** @type {string} */ id) =>
        page.evaluate((wanted) => {
          const outer = /** @type {Element} */ (document.querySelector(".graph-box")).getBoundingClientRect();
          const inner = document.querySelector(`.node[data-id="${wanted}"]`)?.getBoundingClientRect();
          return Boolean(inner && inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top);
        }, id);
      const list = page.locator(".named", { hasText: "Critical path" }).locator("button");
      const ids = await soon(async () => {
        const named = await list.locator(".id").allInnerTexts();
        assert(await isIn(named[0] ?? ""), "expected the begin of the critical path in sight");
        assert((await list.first().innerText()).includes("Parse statements"), "expected titles");
        return named;
      });
      const last = ids.at(-1) ?? "";
      assert(!(await isIn(last)), "expected more than there is room for");
      await list.last().press("Enter");
      await page.waitForFunction((id) => document.activeElement?.getAttribute("data-id") === id, last);
      await soon(async () => assert(await isIn(last), "expected its node in sight"));
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
  await check("the graph pans and zooms", async () => {
    await visit(page, base, PAGES.graph);
    await page.waitForSelector(".graph-world .node");
    const where = () => page.locator(".graph-world").getAttribute("style");
    let before = await where();
    for (const key of ["+", "ArrowLeft"]) {
      await page.locator(".graph-box").press(key);
      before = await soon(async () => {
        const now = await where();
        assert(now !== before, `expected it to move by ${key}`);
        return now;
      });
    }
    // It has a critical path.
    await page.locator(".edge.critical").first().waitFor({ state: "attached" });
  });
  await check("Tab comes to a card after a filter took the card that had the focus", async () => {
    await visit(page, base, "#/board");
    const ids = await page.locator(".card").evaluateAll((all) => all.map((one) => one.dataset["id"] ?? ""));
    const last = ids.at(-1);
    await page.locator(".card").last().focus();
    await page.locator("#search").fill(ids[0] ?? "");
    await page.waitForFunction((id) => !document.querySelector(`.card[data-id="${id}"]`), last);
    await tabToCard(page);
    await page.evaluate(() => (location.hash = "#/plans"));
  });
  await check(
    "[PAGE-105] a word in a note: a key, typing and Enter, from each page, and no letter is lost",
    async () => {
      for (const [hash, key] of [
        ["#/task/TASK-005", "/"],
        ["#/agents", "Control+k"],
        ["#/board", "/"],
      ]) {
        await visit(page, base, String(hash));
        await page.locator("body").press(String(key));
        await page.keyboard.type("scope of its own");
        assert((await page.locator(".search input").inputValue()) === "scope of its own", "expected each letter");
        await page.keyboard.press("Enter");
        await page.waitForURL(/#\/task\/TASK-003\?tab=notes$/);
        await page.locator(".note", { hasText: "A block has a scope of its own now." }).waitFor();
      }
      await page.locator("body").press("/");
      const field = page.locator(".search input");
      await soon(async () => assert((await field.inputValue()) === "scope of its own", "expected the last search"));
      await page.keyboard.type("bob");
      await page.locator(".found a", { hasText: /bob$/ }).waitFor();
      await accessible(page);
      await field.fill("no such word");
      await says(page.locator(".search [role=status]"), ["Nothing found for", "notes, evidence and agents of"]);
      await page.keyboard.press("Escape");
      await page.locator(".search").waitFor({ state: "detached" });
    },
  );
  await check(
    "[PAGE-105] is it done, show me the proof: a card has the test, the run, its end, who, when and the failing line",
    async () => {
      await visit(page, base, "#/board");
      await page.locator('[data-id="TASK-004"]').click();
      await page.locator(".proof-card.is-red").waitFor();
      await says(page.locator(".proof-card.is-red"), ["Declared", "exit code 1", "bob", "ago", "newest run failed:"]);
      await soon(async () => {
        const line = await page.locator(".proof-card.is-red .failure-line").innerText();
        assert(/fail|error|✗|✖/i.test(line), `found ${line}`);
      });
      await accessible(page);
    },
  );
  await check("the keyboard alone goes everywhere", async () => {
    await visit(page, base, "#/board");
    await page.locator("body").press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]"));
    await tabToCard(page);
    const focused = () => page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset["id"]);
    const first = await focused();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((id) => /** @type {HTMLElement} */ (document.activeElement).dataset["id"] !== id, first);
    await page.keyboard.press("ArrowRight");
    await settled(page);
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
      await settled(page);
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForFunction((start) => location.hash.startsWith(start), hash);
    }
  });
}

/** @param {Page} page */
async function tabToCard(page) {
  for (let n = 0; n < 40; n++) {
    await settled(page);
    if (await page.evaluate(() => document.activeElement?.classList.contains("card"))) return;
    await page.keyboard.press("Tab");
  }
  assert(false, "expected Tab to come to a card");
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
    await settled(page);
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
    atMost("a change is on the page after (median of 7)", median(took), 300);
    await settled(page);
    assert(
      JSON.stringify(await kept()) === JSON.stringify(before),
      `kept ${JSON.stringify(before)}, then ${JSON.stringify(await kept())}`,
    );
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check("a change between the first answers and the stream of events is on the page", async () => {
    const late = await page.context().newPage();
    /** @type {() => void} */
    let letGo = () => undefined;
    const held = new Promise((resolve) => (letGo = () => resolve(undefined)));
    // Its own stream: the other page has that of all pages of this browser.
    await late.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "locks"));
    await late.route("**/api/v1/events", async (route) => {
      await held;
      await route.continue();
    });
    await late.goto(`${base}#/board`);
    await late.locator('[data-id="TASK-006"]').waitFor();
    await story.say(by, "tasks_edit", { task: "TASK-006", title: "Written before the stream began" });
    letGo();
    await late.locator('[data-id="TASK-006"]', { hasText: "before the stream" }).waitFor({ timeout: 10_000 });
    await late.close();
    await story.say(by, "tasks_edit", { task: "TASK-006", title: "Messages that name line and column" });
  });
  await check(
    "an answer that was on its way when the stream of events began, and is older, is asked for again",
    async () => {
      const late = await page.context().newPage();
      await late.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "locks"));
      /** @type {() => void} */
      let letStream = () => undefined;
      const streamHeld = new Promise((resolve) => (letStream = () => resolve(undefined)));
      /** @type {() => void} */
      let letAnswer = () => undefined;
      const answerHeld = new Promise((resolve) => (letAnswer = () => resolve(undefined)));
      await late.route("**/api/v1/events", async (route) => {
        await streamHeld;
        await route.continue();
      });
      let asked = 0;
      await late.route("**/api/v1/entities/TASK-006.json", async (route) => {
        if (asked++ > 0) return route.continue();
        const older = await route.fetch();
        await story.say(by, "tasks_edit", { task: "TASK-006", title: "Written while an answer was on its way" });
        letStream();
        await answerHeld;
        return route.fulfill({ response: older });
      });
      // Nothing else is read before the stream begins: another answer of an older stamp would have all of them asked for again.
      for (const name of ["workspace.json", "board/*"])
        await late.route(`**/api/v1/${name}`, async (route) => {
          await answerHeld;
          await route.continue();
        });
      await late.goto(`${base}#/task/TASK-006`);
      await late.locator(".live.live").waitFor({ timeout: 10_000 });
      letAnswer();
      await late.locator("h1", { hasText: "while an answer was on its way" }).waitFor({ timeout: 30_000 });
      await late.close();
      await story.say(by, "tasks_edit", { task: "TASK-006", title: "Messages that name line and column" });
    },
  );
  await check("what git and an editor write is on the page while a reader looks", async () => {
    const git = (/** @type {string[]} */ ...args) =>
      execFileSync("git", ["-c", "user.name=ann", "-c", "user.email=ann@example.org", ...args], {
        cwd: world,
        stdio: ["ignore", "pipe", "pipe"],
        encoding: "utf8",
      });
    const title = page.locator('[data-id="TASK-006"] .card-title');
    const isShown = (/** @type {string} */ text) => title.filter({ hasText: text }).waitFor({ timeout: 10_000 });
    git("init", "-q", "-b", "main");
    git("add", "-A", "-f", ".coco/tasks");
    git("commit", "-q", "-m", "before");
    await visit(page, base, "#/board");
    git("checkout", "-q", "-b", "side");
    await story.say(by, "tasks_edit", { task: "TASK-006", title: "Written on a branch" });
    await isShown("Written on a branch");
    git("commit", "-q", "-a", "-m", "branch");
    const start = performance.now();
    git("checkout", "-q", "main");
    await isShown("Messages that name line and column");
    figure(
      "a checkout of git is on the page after, with git's own time",
      `${(performance.now() - start).toFixed(0)} ms`,
    );
    git("merge", "-q", "side");
    await isShown("Written on a branch");
    git("checkout", "-q", "-B", "side", "main~1");
    await isShown("Messages that name line and column");
    // An editor writes another file and puts it in the place of the one that was there.
    const goals = join(world, `.coco/tasks/${TASK}/taskdoc.tsk/goals.md`);
    await visit(page, base, `#/task/${TASK}?tab=check`);
    const before = readFileSync(goals, "utf8");
    writeFileSync(`${goals}~`, `${before}\nBy an editor.\n`);
    renameSync(`${goals}~`, goals);
    await page.locator("main", { hasText: "PROJECTION_DIFFERS" }).waitFor({ timeout: 60_000 });
    writeFileSync(goals, before);
  });
  await check("the page of a plan, and that of a task that waits, follow what others change", async () => {
    await visit(page, base, "#/plan/PLAN-001");
    const row = page.locator("tr", { hasText: "TASK-005" });
    await story.say(by, "tasks_claim", { task: "TASK-005", ttl_s: 600 });
    await row.filter({ hasText: "Active" }).waitFor({ timeout: 30_000 });
    await visit(page, base, "#/task/TASK-006");
    await page.locator(".radar", { hasText: "Waits for TASK-005 (ACTIVE" }).waitFor({ timeout: 30_000 });
    await story.say(by, "tasks_release", { task: "TASK-005" });
    await page.locator(".radar", { hasText: "Waits for TASK-005 (TODO" }).waitFor({ timeout: 30_000 });
  });
  await check("ten pages of one browser are live at once, also when the first of them closes", async () => {
    const context = page.context();
    const pages = await Promise.all(Array.from({ length: 9 }, () => context.newPage()));
    const all = [page, ...pages];
    for (const one of all) await one.goto(`${base}#/board`);
    const see = (/** @type {string} */ title) =>
      Promise.all(
        pages.map((one) => one.locator('[data-id="TASK-006"]', { hasText: title }).waitFor({ timeout: 10_000 })),
      );
    await Promise.all(all.map((one) => one.locator(".live.live").waitFor({ timeout: 10_000 })));
    await story.say(by, "tasks_edit", { task: "TASK-006", title: "Seen by ten pages" });
    await see("Seen by ten pages");
    // The first page holds the stream of all.
    await page.goto("about:blank");
    await story.say(by, "tasks_edit", { task: "TASK-006", title: "Seen by nine pages" });
    await see("Seen by nine pages");
    for (const one of pages) await one.close();
    await story.say(by, "tasks_edit", { task: "TASK-006", title: "Messages that name line and column" });
  });
  await check("a card that moves takes focus and selection along", async () => {
    await visit(page, base, "#/board");
    await page.locator('[data-id="TASK-006"]').focus();
    await page.evaluate(() =>
      getSelection()?.selectAllChildren(
        /** @type {Element} */ (document.querySelector('[data-id="TASK-006"] .card-title')),
      ),
    );
    await settled(page);
    const status = () =>
      page.locator('[data-id="TASK-005"]').evaluate((card) => card.closest(".cell")?.getAttribute("data-place"));
    const before = await status();
    await story.say(by, "tasks_claim", { task: "TASK-005", ttl_s: 600 });
    await page.waitForFunction(
      (place) => document.querySelector('[data-id="TASK-005"]')?.closest(".cell")?.getAttribute("data-place") !== place,
      before,
    );
    await settled(page);
    await soon(async () => {
      const focused = await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).dataset["id"]);
      assert(focused === "TASK-006", `expected TASK-006 to keep the focus, found ${focused}`);
      const chosen = await page.evaluate(() => getSelection()?.toString());
      assert(chosen === "Messages that name line and column", `expected its title to stay selected, found ${chosen}`);
    });
    await story.say(by, "tasks_release", { task: "TASK-005" });
  });
  await check(
    "the page of a task changes while a reader looks: what is open, typed, chosen and scrolled to stays",
    async () => {
      await page.setViewportSize({ width: 1280, height: 500 });
      await visit(page, base, "#/task/TASK-004?tab=evidence");
      await page.locator(".output summary").first().click();
      await page.locator(".output-tools input").first().fill("test");
      await page.waitForSelector(".output mark");
      await page.evaluate(() => {
        scrollTo(0, 200);
        getSelection()?.selectAllChildren(/** @type {Element} */ (document.querySelector(".entry h3")));
      });
      const kept = () =>
        page.evaluate(() => {
          const field = /** @type {HTMLInputElement} */ (document.activeElement);
          return JSON.stringify([
            scrollY,
            field.value,
            document.querySelectorAll(".output mark").length,
            getSelection()?.toString(),
          ]);
        });
      await page.locator(".output-tools input").first().focus();
      await page.evaluate(() => scrollTo(0, 200));
      await settled(page);
      const before = await kept();
      for (let n = 1; n <= 3; n++) {
        const title = `Expressions by precedence, text ${n}`;
        await story.say("agent:bob", "tasks_edit", { task: "TASK-004", title });
        await page.waitForFunction((text) => document.querySelector("h1")?.textContent === text, title);
      }
      await settled(page);
      assert((await kept()) === before, `kept ${before}, then ${await kept()}`);
      await visit(page, base, "#/time/TASK-004?at=2");
      await page.getByRole("slider").focus();
      await story.say("agent:bob", "tasks_edit", { task: "TASK-004", title: "Parse expressions by precedence" });
      await page.waitForFunction(() => Number(document.querySelector("#time-slider")?.getAttribute("max")) >= 8);
      await settled(page);
      assert(page.url().endsWith("at=2"), `expected the revision to stay, found ${page.url()}`);
      assert(
        await page.evaluate(() => document.activeElement?.id === "time-slider"),
        "expected the slider to keep the focus",
      );
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
  await check("a live change keeps the place in the history, and the mark that is read", async () => {
    await page.setViewportSize({ width: 1280, height: 500 });
    await visit(page, base, `#/time/${TASK}?at=3`);
    await page.evaluate(() => document.querySelector(".ops")?.scrollTo(0, 0));
    const note = (/** @type {string} */ text) => story.say("agent:bob", "tasks_note", { task: TASK, note: text });
    await note("seen by a reader of the history");
    await page.locator(".op-message", { hasText: "seen by a reader of the history" }).waitFor();
    await settled(page);
    const top = await page.evaluate(() => document.querySelector(".ops")?.scrollTop);
    assert(top === 0, `expected the list to stay at its top, found ${top}`);
    await visit(page, base, `${PAGES.agents}&agent=agent:bob`);
    const mark = page.locator(".agent-lane .mark").first();
    const acts = page.locator(".agent-story .inline .kind", { hasText: "Note" });
    const before = await acts.innerText();
    await mark.click();
    await note("seen by a reader of the lanes");
    await soon(async () => assert((await acts.innerText()) !== before, "expected the note on the page"));
    await settled(page);
    assert((await page.locator('.mark[aria-pressed="true"]').count()) === 1, "expected the mark to stay chosen");
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check(
    "a marker that a stopped merge left in a log is a warning on the open page, until it is gone",
    async () => {
      await visit(page, base, "#/task/TASK-010");
      const log = join(world, ".coco/tasks/TASK-010/events.jsonl");
      const bytes = readFileSync(log);
      const warning = page.locator(".entity-main > .entries .mono");
      assert((await warning.count()) === 0, "expected no warning before");
      appendFileSync(log, "<<<<<<< HEAD\n");
      await warning.first().waitFor();
      writeFileSync(log, bytes);
      await warning.first().waitFor({ state: "detached" });
    },
  );
  await check("what people write into a folded file is drift on the board, without a change of any log", async () => {
    await visit(page, base, "#/health");
    await page.waitForFunction(() => !document.querySelector(".facts-line progress"), undefined, { timeout: 60_000 });
    const readme = join(world, ".coco/tasks/TASK-010/README.md");
    const text = readFileSync(readme, "utf8");
    writeFileSync(readme, `${text}by hand\n`);
    // The server looks at a folder again after a while; opening its page looks at once.
    await visit(page, base, "#/task/TASK-010?tab=check");
    await page.locator("main", { hasText: "PROJECTION_DIFFERS" }).waitFor();
    await visit(page, base, "#/board");
    await page.reload();
    await page.locator('[data-id="TASK-010"]', { hasText: "Drift" }).waitFor();
    writeFileSync(readme, text);
  });
  await check("memory stays while changes come", async () => {
    await visit(page, base, `#/task/${TASK}`);
    const client = await page.context().newCDPSession(page);
    const held = async () => {
      await client.send("HeapProfiler.collectGarbage");
      const { usedSize } = await client.send("Runtime.getHeapUsage");
      const { nodes, jsEventListeners } = await client.send("Memory.getDOMCounters");
      return { heap: usedSize / 1e6, nodes, listeners: jsEventListeners };
    };
    let changes = 0;
    const change = async (/** @type {number} */ upTo) => {
      while (changes < upTo) {
        const task = changes % 2 ? "TASK-005" : "TASK-006";
        await story.say(by, "tasks_edit", { task, title: `Change ${changes++}` });
        // The page has the time to be told of each.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      }
      await settled(page);
    };
    // After the first changes a page has all that it keeps for good.
    const whole = Number(options.changes);
    await change(whole / 4);
    const before = await held();
    await change(whole);
    const after = await held();
    figure(
      `memory after ${changes} changes`,
      `${before.heap.toFixed(1)} MB, ${after.heap.toFixed(1)} MB, ${after.nodes} nodes`,
    );
    const found = `found ${JSON.stringify(before)}, then ${JSON.stringify(after)}`;
    assert(after.heap < before.heap + MAX_GROWTH.heap, `expected memory to stay, ${found}`);
    assert(after.nodes < before.nodes + MAX_GROWTH.nodes, `expected the nodes to stay, ${found}`);
    assert(after.listeners < before.listeners + MAX_GROWTH.nodes, `expected the listeners to stay, ${found}`);
  });
  await story.close();
}

/** Chinese, a theme of one's own, a server that is stopped. @param {{ address: string, base: string }} site */
async function otherReaders(site) {
  await check("Chinese: from the browser's language, and by the switch", async () => {
    const page = await browser.page({ locale: "zh-CN" });
    await enter(page, site.address);
    await page.waitForSelector(".rows");
    await says(page.locator("nav"), ["看板"]);
    await visit(page, site.base, `#/task/${TASK}`);
    const own = await page.locator(".radar .radar-part:not(:last-child) li, .due li").allInnerTexts();
    await visit(page, site.base, `#/time/${TASK}`);
    own.push(...(await page.locator(".op-message").allInnerTexts()));
    await visit(page, site.base, `${PAGES.agents}&agent=agent:cyd`);
    own.push(...(await page.locator(".agent-story .notice").allInnerTexts()));
    assert(own.length > 20, `expected sentences, found ${own.length}`);
    assertNone(
      own.filter((line) => !/\p{Script=Han}/u.test(line)),
      "English",
    );
    assert((await page.locator("html").getAttribute("lang")) === "zh-CN", "expected lang");
    for (const hash of Object.values(PAGES).slice(0, -1)) {
      await visit(page, site.base, hash);
      await accessible(page, `axe on ${hash}`);
    }
    await setting(page, "语言", "en");
    await says(page.locator("nav"), ["Board"]);
    await page.reload();
    await says(page.locator("nav"), ["Board"]);
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
  await check(
    "[regression PAGE-123] the switch of colours, in the menu with the language and the keys, wins over the system, and lasts",
    async () => {
      const page = await browser.page({ colorScheme: "dark" });
      await enter(page, site.address);
      await page.waitForSelector(".rows");
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = await ground();
      await setting(page, "Colours", "light");
      await soon(async () => assert((await ground()) !== dark, "expected another ground"));
      await page.reload();
      await page.waitForSelector(".rows");
      await soon(async () => assert((await ground()) !== dark, "expected the choice to last"));
      await page.context().close();
    },
  );
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
    await areThere(page.locator(".card"), 15);
    await says(page.locator(".live"), ["Export"]);
    await visit(page, base, `#/time/${TASK}?at=4&from=2`);
    await page.waitForSelector(".difference .changes");
    for (const [query, missing] of /** @type {const} */ ([
      ["at=255&from=3", ["revision 255"]],
      ["at=4&from=300", ["revision 300", "nothing is compared"]],
    ])) {
      await visit(page, base, `#/time/${TASK}?${query}`);
      const parts = [...missing, "Revisions 1 to", "taskfold view"];
      await says(page.locator(".notice.amber").first(), parts);
    }
    await visit(page, base, PAGES.graph);
    await page.waitForSelector(".graph-world .node");
    await visit(page, base, "#/task/TASK-004?tab=evidence");
    await page.locator(".output summary").first().click();
    await page.waitForSelector(".output pre .ansi-red");
    await accessible(page);
    await page.context().close();
  });
  await readLater(browser, pathToFileURL(join(folder, "export", "index.html")).href);
  await check("one task in one file: its page, its past, its output", async () => {
    const to = join(folder, "one");
    cli("view", "--export", to, "--task", TASK);
    const name = readdirSync(to).find((file) => file.endsWith(".html"));
    assert(name, `expected a page in ${readdirSync(to).join(", ")}`);
    const page = await browser.page();
    await page.goto(pathToFileURL(join(to, name)).href);
    await page.locator(".entity-head h1", { hasText: "Parse statements" }).waitFor();
    await visit(page, pathToFileURL(join(to, name)).href, `#/task/${TASK}?tab=taskdoc`);
    await page.waitForSelector(".markdown strong");
    const base = pathToFileURL(join(to, name)).href;
    await visit(page, base, `#/task/${TASK}?tab=evidence`);
    await page.locator(".output summary").first().click();
    await page.waitForSelector(".output pre .ansi-red, .output pre .ansi-green");
    await visit(page, base, `#/time/${TASK}?at=3&from=9`);
    await page.waitForSelector(".difference .changes");
    await page.getByRole("slider").fill("2");
    await page.waitForFunction(() => document.querySelector(".time-main .entity-head")?.textContent?.includes("0/3"));
    await accessible(page);
    figure("one task in one file", `${(readFileSync(join(to, name)).length / 1000).toFixed(0)} kB`);
    await page.context().close();
  });
}

/** A task with more steps, evidence and history than a page shows at once. */
async function long() {
  const folderOfTask = below("long");
  const story = new Story(folderOfTask, Date.now() - 86_400_000);
  const by = "agent:ada";
  const step = (/** @type {number} */ n) => ({ title: `Step ${n}`, success_criteria: ["done"], tests: ["npm test"] });
  const steps = Array.from({ length: 400 }, (_, n) => step(n));
  await story.say(by, "tasks_create", { kind: "task", title: "A long task", steps });
  for (const path of ["s:0", "s:1"]) await story.say(by, "tasks_decompose", { task: "TASK-001", parent: path, steps });
  for (let n = 0; n < 22; n++) {
    const items = Array.from({ length: 10 }, (_, i) => ({ kind: "run", command: `run ${n * 10 + i}`, exit_code: 0 }));
    await story.say(by, "tasks_evidence_capture", { task: "TASK-001", items });
  }
  const stdout = Array.from({ length: 7000 }, (_, n) => `line ${n}: the letter is seen\n`).join("");
  const items = [{ kind: "run", command: "seven thousand lines", stdout, exit_code: 0 }];
  await story.say(by, "tasks_evidence_capture", { task: "TASK-001", items });
  for (let n = 0; n < 120; n++) await story.say(by, "tasks_note", { task: "TASK-001", note: `note ${n}` });
  await story.close();
  const site = await serve(folderOfTask);
  await check("a search of one letter in 7,000 lines counts all, marks those near, and goes around", () =>
    asReader(browser, site, async (page) => {
      await visit(page, site.base, "#/task/TASK-001?tab=evidence");
      await page.locator(".entry", { hasText: "seven thousand lines" }).locator(".output summary").click();
      await page.locator(".output-tools input").waitFor();
      await page.locator(".output-tools input").fill("line 6999");
      await page.locator(".output mark").waitFor();
      const longest = await page.evaluate(() => {
        Reflect.set(globalThis, "longest", 0);
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries())
            Reflect.set(globalThis, "longest", Math.max(duration, Number(Reflect.get(globalThis, "longest"))));
        }).observe({ type: "longtask" });
        return 0;
      });
      assert(longest === 0, "expected to begin anew");
      await page.locator(".output-tools input").fill("e");
      const status = page.locator(".output-tools [role=status]");
      await status.filter({ hasText: "42,000 matches" }).waitFor();
      await soon(async () => {
        const marks = await page.locator(".output mark").count();
        assert(marks > 100 && marks < 400, `expected the nearest to be marked, found ${marks}`);
      });
      await page.locator(".output-tools input").press("Shift+Enter");
      await status.filter({ hasText: "42,000 / 42,000" }).waitFor();
      await page.locator(".output mark.current").waitFor();
      await soon(async () => {
        const shown = await page.locator(".output mark.current").evaluate((mark) => {
          const [inner, outer] = [mark, mark.closest("pre")].map((one) =>
            /** @type {Element} */ (one).getBoundingClientRect(),
          );
          return !!inner && !!outer && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
        });
        assert(shown, "expected the last place in sight");
      });
      await page.locator(".output-tools input").press("Enter");
      await status.filter({ hasText: /^1 \/ 42,000/ }).waitFor();
      await settled(page);
      const took = await page.evaluate(() => Number(Reflect.get(globalThis, "longest")));
      figure("a search of one letter in 7,000 lines, longest task", `${took.toFixed(0)} ms`);
    }),
  );
  await check("a task of 1,200 steps and 220 entries: pages of steps, and a link to the oldest entry", () =>
    asReader(browser, site, async (page) => {
      await visit(page, site.base, "#/task/TASK-001?step=s:399");
      await page.locator('[id="step-s:399"] .step-body').waitFor();
      await page.getByRole("button", { name: "Expand all" }).click();
      await page.locator(".step-body").nth(1).waitFor();
      await settled(page);
      const elements = await page.evaluate(() => document.querySelectorAll("*").length);
      assert(elements < 20_000, `expected a page that stays small, found ${elements} elements`);
      const oldest = await page.evaluate(async () => {
        const answer = await fetch("api/v1/entities/TASK-001/evidence/0.json");
        return String((await answer.json()).evidence[0].id);
      });
      await visit(page, site.base, `#/task/TASK-001?tab=evidence&entry=${oldest}`);
      await page.locator(".entry.marked", { hasText: "run 0" }).waitFor();
    }),
  );
  await check(
    "lists that are cut say how much of them is shown, and show the rest: marks, and evidence of the past",
    () =>
      asReader(browser, site, async (page) => {
        await visit(page, site.base, "#/agents");
        await page.locator(".row-choice").first().click();
        const card = page.locator(".agent-story");
        const rows = () => card.locator("tbody tr").count();
        await card.locator(".cut", { hasText: "100 of 146" }).waitFor();
        await card.getByRole("button", { name: "Show more" }).click();
        await soon(async () =>
          assert((await rows()) === 146 && (await card.locator(".cut").count()) === 0, `found ${await rows()} rows`),
        );
        await visit(page, site.base, "#/time/TASK-001?at=27&tab=evidence");
        const cut = page.locator(".cut");
        await cut.filter({ hasText: "200 of 221" }).waitFor();
        assert((await page.locator(".entry h3", { hasText: /^run 0$/ }).count()) === 0, "expected the newest alone");
        await cut.getByRole("button", { name: "Show older ones" }).click();
        await page.locator(".entry h3", { hasText: /^run 0$/ }).waitFor();
        await areThere(page.locator(".entry"), 221);
        await visit(page, site.base, "#/task/TASK-001?tab=notes");
        await page.getByRole("button", { name: "Show older ones" }).click();
        await page.locator(".note", { hasText: /note 0\s*$/ }).waitFor();
        await areThere(page.locator(".note"), 120);
      }),
  );
  await site.stop();
}

/** Folders that Coco made and no engine adopted. */
async function foreign() {
  const coco = below("coco");
  cpSync(join(root, "test/data/coco"), join(coco, ".coco/tasks"), { recursive: true });
  const site = await serve(coco);
  await check("folders of Coco that were not adopted: shown from their task.yaml, and left as they are", async () => {
    await asReader(browser, site, async (page) => {
      await visit(page, site.base, "#/board");
      await soon(async () => {
        const cards = await page.locator(".card").allInnerTexts();
        assert(cards.length === 3, `expected 3 cards, found ${cards.length}`);
        for (const card of cards) assert(card.includes("Not adopted"), `found ${card}`);
      });
      const blocked = "#/task/task-2f61da5b5ec7488eb79fc983790aa10c";
      await visit(page, site.base, blocked);
      const parts = ["One worker blocked", "it is not adopted", "gate-w2", "Which table?", "w1", "awaiting"];
      await says(page.locator("main"), parts);
      await accessible(page);
      await visit(page, site.base, blocked.replace("task/", "time/"));
      await says(page.locator(".empty-title"), ["no history"]);
      for (const hash of ["#/plans", "#/agents", "#/health"]) await visit(page, site.base, hash);
      await page.setViewportSize({ width: 360, height: 740 });
      for (const hash of ["#/board", blocked]) {
        await visit(page, site.base, hash);
        await narrow(page, hash);
      }
    });
    const names = readdirSync(join(coco, ".coco"));
    assert(names.join() === "tasks", `expected nothing beside the tasks, found ${names.join(", ")}`);
  });
  await look(site, "coco");
  await site.stop();
}

/** @param {number} tasks */
async function large(tasks) {
  const many = below(`many-${tasks}`);
  await scaleWorkspace(many, { tasks, open: tasks / 10, plan: true });
  const site = await serve(many);
  const story = new Story(many, Date.now(), SCALE_WORKSPACE);
  const shown = tasks.toLocaleString("en-GB");
  await check(`a board of ${shown} tasks`, async () => {
    const page = await browser.timedPage();
    await page.addInitScript(timesOf, shown);
    for (const how of ["first", "second"]) {
      // From another page: to the same address a browser goes without a visit.
      await page.goto("about:blank");
      await page.goto(`${how === "first" ? site.address : site.base}#/board`);
      await page.waitForFunction(() => "all" in Reflect.get(globalThis, "shownAfter"), undefined, { polling: 100 });
      const [document0, paint] = await begun(page);
      const { cards, all } = await page.evaluate(() => Reflect.get(globalThis, "shownAfter"));
      figure(`${shown} tasks, ${how} visit: document, paint`, `${document0.toFixed(0)} ms, ${paint.toFixed(0)} ms`);
      atMost(`${shown} tasks, ${how} visit: first cards`, cards, tasks > 1000 ? 1800 : 700);
      atMost(`${shown} tasks, ${how} visit: all cards`, all, tasks > 1000 ? 2000 : 1000);
    }
    const counts = [];
    for (let i = 1; i <= 20; i++) {
      await page.evaluate((part) => {
        const box = /** @type {HTMLElement} */ (document.querySelector(".board"));
        box.scrollTop = box.scrollHeight * part;
      }, i / 20);
      await settled(page);
      counts.push(await page.locator(".card").count());
    }
    const slow = await page.evaluate(async () => {
      const box = /** @type {HTMLElement} */ (document.querySelector(".board"));
      box.scrollTop = 0;
      /** @type {number[]} */
      const gaps = [];
      let last = performance.now();
      for (let n = 0; n < 120; n++) {
        await new Promise((done) => requestAnimationFrame(done));
        const now = performance.now();
        gaps.push(now - last);
        last = now;
        box.scrollTop += 90;
      }
      return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.95)] ?? 0;
    });
    figure("a frame while scrolling, 95 of 100 at most", `${slow.toFixed(0)} ms`);
    const most = Math.max(...counts);
    figure("cards on the page at once, at most", String(most));
    assert(most < 200, `expected few cards on the page, found ${most}`);
    assert((counts.at(-1) ?? 0) > 0, "expected cards at the end");
    await page.setViewportSize({ width: 360, height: 740 });
    await soon(async () => {
      const cards = await page.locator(".card").count();
      assert(cards > 0 && cards < 100, `expected few cards on a narrow page, found ${cards}`);
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    const start = performance.now();
    await page.getByRole("searchbox").fill(`TASK-${tasks - 5}`);
    await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
    figure("a search is shown after", `${(performance.now() - start).toFixed(0)} ms`);
    await page.context().close();
  });
  await check(`what needs someone of ${shown} tasks`, () =>
    asReader(browser, site, async (page) => {
      for (const how of ["first", "second"]) {
        const began = performance.now();
        await page.goto(`${site.base}#/now`);
        await page.reload();
        await page.locator(".happened").first().waitFor();
        atMost(`${shown} tasks, ${how} visit: what needs someone`, performance.now() - began, 500);
      }
    }),
  );
  await check(`a change and the agents of ${shown} tasks`, () =>
    asReader(browser, site, async (page) => {
      await visit(page, site.base, "#/board");
      const took = [];
      for (let n = 0; n < 7; n++) {
        const title = `Change ${n}`;
        await story.say("human:ann", "tasks_edit", { task: `TASK-${tasks}`, title });
        const began = performance.now();
        await page.locator(".card", { hasText: title }).waitFor();
        took.push(performance.now() - began);
      }
      atMost(`${shown} tasks: a change is on the page after (median of 7)`, median(took), 300);
      for (const how of ["first", "second"]) {
        const began = performance.now();
        await page.goto(`${site.base}#/agents`);
        await page.reload();
        await page.locator(".agent-table tbody tr").first().waitFor();
        atMost(`${shown} tasks, ${how} visit: agents`, performance.now() - began, tasks > 5000 ? 1600 : 800);
      }
    }),
  );
  await check(`taskfold status of ${shown} tasks beside taskfold list`, async () => {
    /** @type {Record<string, number[]>} */
    const times = { list: [], status: [] };
    for (let n = 0; n < 5; n++)
      for (const [command, took] of Object.entries(times)) {
        const began = performance.now();
        const ran = spawnSync(process.execPath, [join(root, "dist/cli.cjs"), command], { cwd: many, encoding: "utf8" });
        assert(ran.status === 0, `${command} ended with ${ran.status ?? ran.signal}: ${ran.stderr}`);
        took.push(performance.now() - began);
      }
    const [list, status] = [median(times["list"] ?? []), median(times["status"] ?? [])];
    atMost(`${shown} tasks: taskfold status, twice taskfold list at most (medians of 5)`, status, 2 * list);
  });
  await check(`a plan of ${shown} tasks has the rows in sight on its page, and scrolls to the last`, () =>
    asReader(browser, site, async (page) => {
      await visit(page, site.base, "#/plan/PLAN-001");
      const table = page.locator(`.tall table[aria-rowcount="${tasks + 1}"]`);
      await table.waitFor();
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator(".tall").evaluate((box) => box.scrollTo(0, 0));
        await page.locator(".tall tbody tr", { hasText: "TASK-001" }).first().waitFor();
        await page.locator(".tall").evaluate((box) => box.scrollTo(0, box.scrollHeight));
        const last = table.locator(`tr[aria-rowindex="${tasks + 1}"]`);
        await last.filter({ hasText: `TASK-${tasks}` }).waitFor();
        await soon(async () => {
          const inSight = await last.evaluate((row) => {
            const box = /** @type {Element} */ (row.closest(".tall")).getBoundingClientRect();
            return row.getBoundingClientRect().bottom <= box.bottom + 2;
          });
          assert(inSight, `${width}: expected the last row in sight`);
          const rows = await table.locator("tr").count();
          assert(rows < 100, `${width}: expected few rows, found ${rows}`);
        });
      }
      await accessible(page);
    }),
  );
  await story.close();
  await site.stop();
}

/** @param {number[]} numbers */
function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/**
 * In the page: when the first cards and all of them are shown, which is once a frame has them. A look in each
 * frame would make the browser draw all the time, so the page is looked at when it changes.
 * @param {string} text of the toolbar, once all are there
 */
function timesOf(text) {
  /** @type {Record<string, number>} */
  const times = {};
  Reflect.set(globalThis, "shownAfter", times);
  /** @type {Set<string>} */
  const seen = new Set();
  const take = (/** @type {string} */ name, /** @type {unknown} */ isThere) => {
    if (!isThere || seen.has(name)) return;
    seen.add(name);
    requestAnimationFrame(() => setTimeout(() => (times[name] = performance.now())));
  };
  new MutationObserver(() => {
    take("cards", document.querySelector(".card"));
    take("all", document.querySelector(".toolbar [role=status]")?.textContent?.includes(text));
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

/** Milliseconds until the document was there, and until something was painted. @param {Page} page @returns {Promise<[number, number]>} */
function begun(page) {
  return page.evaluate(() => [
    /** @type {PerformanceResourceTiming} */ (performance.getEntriesByType("navigation")[0]).responseEnd,
    performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  ]);
}

/** Prints the share of the browser itself: a page with the style sheet and the script of the pages, which is compiled and does nothing. */
async function floor() {
  const scripts = ["shared.js", "app.js"].map((name) => readFileSync(join(root, "dist/view", name), "utf8"));
  /** @type {Record<string, [string, string | Uint8Array]>} */
  const files = {
    "/": [
      "text/html",
      '<!doctype html><link rel="stylesheet" href="app.css"><script defer src="app.js"></script><p>A page',
    ],
    "/app.css": ["text/css", readFileSync(join(root, "dist/view/app.css"))],
    "/app.js": ["text/javascript", `false && (() => {${scripts.join("\n")}})()`],
  };
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ""] ?? ["text/plain", ""];
    response.setHeader("content-type", type).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  for (const how of ["the first page of a browser", "a later page"]) {
    const page = await browser.timedPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0, undefined, {
      polling: 100,
    });
    const [document0, paint] = await begun(page);
    figure(`an empty page, ${how}: document, paint`, `${document0.toFixed(0)} ms, ${paint.toFixed(0)} ms`);
    await page.context().close();
  }
  server.closeAllConnections();
  server.close();
}

/** Without such a font each letter is the same box. @param {Page} page @returns {Promise<boolean>} */
function hasChineseFont(page) {
  return page.evaluate(() => {
    const pictureOf = (/** @type {string} */ letter) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 40 });
      const context = canvas.getContext("2d");
      if (!context) return "";
      context.font = "30px sans-serif";
      context.fillText(letter, 2, 32);
      return canvas.toDataURL();
    };
    return pictureOf("看") !== pictureOf("板");
  });
}

/** Pictures for docs/ and the README. @param {{ address: string, base: string }} site @param {string[][]} pictures */
async function shots(site, pictures) {
  if (!options.shots) return;
  for (const [name, hash, theme, locale = "en-GB"] of pictures) {
    const page = await browser.page({
      viewport: { width: 1280, height: 760 },
      locale,
      colorScheme: theme === "dark" ? "dark" : "light",
    });
    await enter(page, site.address);
    await visit(page, site.base, hash ?? "");
    assert(await hasChineseFont(page), "the pictures lack a font with Chinese letters: Debian's fonts-noto-cjk");
    // A check of all folders tells what was changed by hand: a board before that has other badges.
    await soon(async () => {
      const isChecked = await page.evaluate(async () => (await (await fetch("api/v1/health.json")).json()).complete);
      assert(isChecked, "expected that all folders are checked");
    });
    await visit(page, site.base, hash ?? "");
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(root, "docs", `view_${name}.png`) });
    await page.context().close();
  }
}

/** Pictures for people. @param {{ address: string, base: string }} site @param {string} name */
async function look(site, name) {
  if (!options.pictures) return;
  const pages = name in PICTURES ? PICTURES[/** @type {keyof typeof PICTURES} */ (name)] : PAGES;
  for (const { width, height, theme, locale } of LOOKS) {
    const page = await browser.page({ viewport: { width, height }, colorScheme: theme, locale });
    await enter(page, site.address);
    for (const [of, hash] of Object.entries(pages)) {
      await visit(page, site.base, hash);
      await page.waitForTimeout(300);
      const file = `${name}${name && "-"}${of}-${width}-${theme}-${locale.slice(0, 2)}.png`.replaceAll(" ", "_");
      await page.screenshot({ path: join(options.pictures, file), fullPage: width < 2000 });
    }
    await page.context().close();
  }
}
