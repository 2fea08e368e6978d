// @ts-check
/**
 * The jobs that people open the pages for, done by mouse and by keyboard. Each starts where a person stands, and each number that they read is
 * compared with a second reading of the logs. Clicks above the aim fail, on any machine.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "./browser.mjs";
import { areThere, asReader, assert, check, figure, says, settled, soon, visit } from "./checks.mjs";
import {
  blockedIn,
  changesIn,
  daysIn,
  dayThere,
  eventsOf,
  logsOf,
  mostFailures,
  overIn,
  plansIn,
  revisionsOf,
  rowsIn,
  runsIn,
  stepsIn,
} from "./logs.mjs";
import { daysBefore, workdays } from "./world.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Locator} Locator */
/** @typedef {import("./logs.mjs").Event} Event */

/** Acts of a person, which count themselves. @typedef {{ acts: number, press: (what: Locator) => Promise<void>, card: (id: string) => Promise<void> }} Hands */

/** @param {Page} page @returns {Hands} */
function mouse(page) {
  return {
    acts: 0,
    async press(what) {
      this.acts++;
      await what.click();
    },
    async card(id) {
      await this.press(page.locator(`.card[href*="${id}"]`));
    },
  };
}

/** Keys in a row before a place counts as one that keys do not reach. */
const MOST_KEYS = 200;

/** Tab until the place has the focus, then Enter. @param {Page} page @returns {Hands} */
function keys(page) {
  return {
    acts: 0,
    async press(what) {
      await what.waitFor();
      for (let n = 0; n < MOST_KEYS; n++) {
        if (await what.evaluate((one) => one === document.activeElement)) {
          this.acts++;
          return page.keyboard.press("Enter");
        }
        this.acts++;
        await page.keyboard.press("Tab");
      }
      throw new Error(`expected that Tab reaches ${what.toString()}`);
    },
    // A board has hundreds of cards: keys find one by its id.
    async card(id) {
      this.acts += id.length + 2;
      await page.keyboard.press("/");
      await page.keyboard.type(id);
      await page.keyboard.press("Enter");
    },
  };
}

/**
 * @typedef {object} Job
 * @property {string} name
 * @property {number} aim clicks at most
 * @property {string} from the hash of the page where it starts
 * @property {"served" | "exported" | "one file"} [of]
 * @property {(page: Page, hands: Hands) => Promise<void>} body
 */

/** In the page: the tasks that these rows are about. @param {Element[]} all */
const TASKS = (all) => all.map((one) => one.getAttribute("data-task"));

/** @param {import("./browser.mjs").Browser} browser @param {(name: string) => string} below */
export async function jobs(browser, below) {
  const world = below("jobs");
  await workdays(world);
  const past = await daysBefore(world);
  const logs = logsOf(world);
  const cli = join(import.meta.dirname, "../../../dist/cli.cjs");
  const exported = (/** @type {string[]} */ ...more) => {
    const to = below(`jobs-export-${more.length}`);
    execFileSync(process.execPath, [cli, "view", "--export", to, ...more], { cwd: world, stdio: "pipe" });
    const file = readdirSync(to).find((name) => name.endsWith(".html"));
    return pathToFileURL(join(to, file ?? "")).href;
  };
  const places = { exported: exported(), "one file": exported("--task", past) };
  const site = await serve(world);
  /** @type {string[]} */
  const table = [];
  try {
    for (const job of jobsOf(logs, past)) {
      const { name, aim, from, of = "served", body } = job;
      /** @type {Record<string, number>} */
      const acts = {};
      await check(`${name}: at most ${aim} clicks`, async () => {
        for (const [how, handsOf] of Object.entries({ mouse, keys })) {
          const act = async (/** @type {Page} */ page, /** @type {string} */ base) => {
            await visit(page, base, from);
            const hands = handsOf(page);
            await body(page, hands);
            acts[how] = hands.acts;
          };
          if (of === "served") {
            await asReader(browser, site, (page) => act(page, site.base));
            continue;
          }
          const page = await browser.page();
          await act(page, places[of]);
          await page.context().close();
        }
        assert((acts["mouse"] ?? 0) <= aim, `expected at most ${aim} clicks, found ${acts["mouse"]}`);
      });
      table.push(`${name.padEnd(62)} ${acts["mouse"] ?? "-"} of ${aim} clicks, ${acts["keys"] ?? "-"} keys`);
    }
  } finally {
    await site.stop();
  }
  for (const line of table) figure(line, "");
}

/** @param {Event[]} logs @param {string} past @returns {Job[]} */
function jobsOf(logs, past) {
  return [
    {
      name: "what needs me, and what happened since yesterday",
      aim: 0,
      from: "",
      body: (page) => needsAndHappened(page, logs),
    },
    {
      name: "is it done, show me the proof",
      aim: 1,
      from: "#/board",
      body: (page, hands) => proved(page, hands, logs, "TASK-001"),
    },
    {
      name: "why is it stuck, who holds it until when",
      aim: 1,
      from: "",
      body: (page, hands) => stuck(page, hands, logs, "TASK-011"),
    },
    {
      name: "review two changed tasks from the export",
      aim: 2,
      from: "",
      of: "exported",
      body: (page, hands) => reviewed(page, hands, logs),
    },
    {
      name: "which agent fails most, and its failures",
      aim: 2,
      from: "#/agents",
      body: (page, hands) => failures(page, hands, logs),
    },
    {
      name: "[PAGE-105] the task as of a day, and what changed since",
      aim: 2,
      from: `#/task/${past}`,
      body: (page, hands) => asOfDay(page, hands, logs, past),
    },
    {
      name: "[PAGE-105] what changed of the task since yesterday",
      aim: 1,
      from: `#/task/${past}`,
      body: (page, hands) => sinceYesterday(page, hands, logs, past),
    },
    { name: "a word in a note", aim: 0, from: "", body: (page) => wordInNote(page, logs, "zeugma") },
    { name: "[PAGE-105] two plans side by side", aim: 1, from: "", body: (page, hands) => plans(page, hands, logs) },
    {
      name: "[VIEWER-41] one file for a colleague",
      aim: 0,
      from: "",
      of: "one file",
      body: (page) => oneFile(page, logs, past),
    },
  ];
}

/** @param {Page} page @param {Event[]} logs */
async function needsAndHappened(page, logs) {
  await page.locator(".happened").first().waitFor();
  await areThere(page.locator(".needs li[data-task]"), Number(await page.locator("#needs-title .count").innerText()));
  await soon(async () => {
    const blocked = await page.locator("#needs-blocked + ul li[data-task]").evaluateAll(TASKS);
    assert(blocked.join() === blockedIn(logs).join(), `expected ${blockedIn(logs).join()}, found ${blocked.join()}`);
    const over = await page.locator("#needs-claim_over + ul li[data-task]").evaluateAll(TASKS);
    assert(over.join() === overIn(logs).join(), `expected ${overIn(logs).join()}, found ${over.join()}`);
  });
  const days = await page
    .locator(".happened")
    .evaluateAll((all) =>
      all.map((one) => `${one.getAttribute("data-day")} ${one.querySelector(".count")?.textContent}`),
    );
  // A reader of what happened since yesterday sees both days without a click; days before stand behind "Show more".
  const wanted = daysIn(logs).slice(0, 2).join();
  assert(days.slice(0, 2).join() === wanted, `expected ${wanted}, found ${days.join()}`);
  // That all rows are those of the logs takes a click more than the job.
  await page.getByRole("button", { name: "Show more" }).click();
  const rows = await soon(async () => {
    const found = await page
      .locator(".happened li[data-task]")
      .evaluateAll((all) =>
        all.map((one) =>
          [
            one.closest("section")?.getAttribute("data-day"),
            ...["by", "task", "count"].map((of) => one.getAttribute(`data-${of}`)),
          ].join(" "),
        ),
      );
    assert(found.length > 20, `found ${found.length} rows`);
    return found.toSorted();
  });
  assert(changesIn(logs).length <= 100, "expected a story of the changes that the page has");
  assert(rows.join("\n") === rowsIn(logs).join("\n"), `expected ${rowsIn(logs).join("; ")}, found ${rows.join("; ")}`);
}

/** @param {Page} page @param {Hands} hands @param {Event[]} logs @param {string} id */
async function proved(page, hands, logs, id) {
  await hands.card(id);
  const { titles, done } = stepsIn(logs, id);
  await says(page.locator(".entity-head"), ["Done", `${done.size}/${titles.size}`]);
  const runs = runsIn(logs, id);
  const cards = page.locator(".proof-card", { has: page.locator(".proof-link") });
  await areThere(cards, runs.length);
  const told = await cards.allInnerTexts();
  assert(
    runs.every(({ commit }) => commit),
    "expected runs at a commit",
  );
  for (const [n, { by, command, exit_code, commit }] of runs.entries())
    for (const part of [command, `exit code ${exit_code}`, by.replace(/^\w+:/, ""), `commit ${commit?.slice(0, 12)}`])
      assert(told[n]?.toLowerCase().includes(part), `no ${part} in ${told[n]}`);
}

/** @param {Page} page @param {Hands} hands @param {Event[]} logs @param {string} id */
async function stuck(page, hands, logs, id) {
  await hands.press(page.locator("#needs-blocked + ul li", { hasText: id }).getByRole("link"));
  const of = eventsOf(logs, id);
  const blocked = of.findLast(({ type }) => type === "step.blocked");
  const claim = of.findLast(({ type }) => type === "lease.claimed");
  await says(page.locator(".step.marked .why-not"), [String(blocked?.payload["reason"])]);
  const until = new Intl.DateTimeFormat("en-GB", {
    timeZone: "Europe/Berlin",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(Date.parse(String(claim?.payload["expires_at"])));
  await says(page.locator(".entity-head"), [`${claim?.by.replace(/^\w+:/, "")} until ${until}`]);
}

/** @param {Page} page @param {Hands} hands @param {Event[]} logs */
async function reviewed(page, hands, logs) {
  for (const id of ["TASK-003", "TASK-004"]) {
    await hands.press(page.locator(`.happened li[data-task="${id}"]`).first().getByRole("link").first());
    const { titles, done } = stepsIn(logs, id);
    await says(page.locator(".entity-head"), [id, `${done.size}/${titles.size}`]);
    await page.goBack();
    await page.locator(".happened").first().waitFor();
  }
}

/** @param {Page} page @param {Hands} hands @param {Event[]} logs */
async function failures(page, hands, logs) {
  const { name, failed } = mostFailures(logs);
  const row = page.locator(".agent-table tbody tr").first();
  await soon(async () => {
    const [who, , count] = await row.locator("th, td").allInnerTexts();
    assert(
      who?.endsWith(name) && Number(count) === failed,
      `expected ${name} with ${failed}, found ${who} with ${count}`,
    );
  });
  await hands.press(row.getByRole("button"));
  await hands.press(page.getByRole("button", { name: "Only failures" }));
  await areThere(page.locator(".agent-story tbody tr"), failed);
}

/** The second of the days that the task changed on. @param {Page} page @param {Hands} hands @param {Event[]} logs @param {string} id */
async function asOfDay(page, hands, logs, id) {
  const times = revisionsOf(logs, id);
  const day = [...new Set(times.map(dayThere))][1] ?? "";
  const revision = times.filter((ts) => dayThere(ts) <= day).length;
  await hands.press(page.locator(".entity-head").getByRole("link", { name: "Time machine" }));
  await hands.press(page.locator(".day").nth(1));
  await says(page.locator(".player output"), [`Revision ${revision} of ${times.length}`, "As of "]);
  await says(page.locator(".difference h2"), [`${revision} to ${times.length}`]);
  await says(page.locator(".difference"), ["Read exponents", "zeugma"]);
  await settled(page);
  const untilThen = stepsIn(
    logs.filter(({ ts }) => dayThere(ts) <= day),
    id,
  );
  await says(page.locator(".time-main .entity-head"), [`${untilThen.done.size}/${untilThen.titles.size}`]);
}

/** @param {Page} page @param {Hands} hands @param {Event[]} logs @param {string} id */
async function sinceYesterday(page, hands, logs, id) {
  const times = revisionsOf(logs, id);
  const today = Date.parse(`${dayThere(new Date().toISOString())}T12:00:00Z`);
  const yesterday = new Date(today - 86_400_000).toISOString().slice(0, 10);
  const before = times.filter((ts) => dayThere(ts) < yesterday).length;
  await hands.press(page.locator(".entity-head").getByRole("link", { name: "Since yesterday" }));
  await says(page.locator(".difference h2"), [`${before} to ${times.length}`]);
  await says(page.locator(".difference"), ["Read exponents"]);
}

/** @param {Page} page @param {Event[]} logs @param {string} word */
async function wordInNote(page, logs, word) {
  const noted = logs.find(({ type, payload }) => type === "step.noted" && String(payload["note"]).includes(word));
  await page.keyboard.press("/");
  await page.keyboard.type(word);
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(String(noted?.taskId)));
  await says(page.locator(".note").first(), [String(noted?.payload["note"])]);
}

/** @param {Page} page @param {Hands} hands @param {Event[]} logs */
async function plans(page, hands, logs) {
  await hands.press(page.locator("nav").getByRole("link", { name: "Plans" }));
  const found = plansIn(logs);
  assert(found.size > 1, "expected two plans");
  for (const [id, { steps, tasks }] of found) {
    const card = page.locator(".plan-card", { hasText: id });
    await says(card, [`${steps.done} of ${steps.total} step`, `${tasks.done} of ${tasks.total} task`]);
  }
}

/** @param {Page} page @param {Event[]} logs @param {string} id */
async function oneFile(page, logs, id) {
  const { titles, done } = stepsIn(logs, id);
  await says(page.locator(".entity-head"), [id, `${done.size}/${titles.size}`]);
  await says(page.locator("nav"), [id, "Time"]);
  await areThere(page.locator("nav a"), 2);
}
