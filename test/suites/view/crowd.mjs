// @ts-check
// Hundreds of agents in the viewer, one of them with hundreds of claims, and clocks that were years behind and ahead.
import { serve } from "./browser.mjs";
import { accessible, areThere, asReader, assert, check, figure, narrow, says, soon, visit } from "./checks.mjs";
import { Story } from "./world.mjs";

/** @typedef {import("./browser.mjs").Browser} Browser */

const AGENTS = 230;
const CLAIMS = 300;
const DAY_MS = 86_400_000;

/** @param {string} root */
async function crowd(root) {
  const early = new Story(root, 0);
  await early.say("agent:busy", "tasks_create", { kind: "task", title: "Of a clock without a battery" });
  await early.close();
  const story = new Story(root, Date.now() - 3 * DAY_MS);
  for (let n = 0; n < AGENTS; n++)
    await story.say(`agent:crowd-${n}`, "tasks_create", { kind: "task", title: `Task of agent ${n}` });
  await story.say("agent:busy", "tasks_create", { kind: "task", title: "Claimed again and again" });
  const task = `TASK-${AGENTS + 2}`;
  for (let n = 0; n < CLAIMS; n++) {
    await story.say("agent:busy", "tasks_claim", { task, ttl_s: 60 });
    await story.say("agent:busy", "tasks_release", { task });
  }
  await story.close();
  const late = new Story(root, Date.parse("2099-01-01T00:00:00Z"));
  await late.say("agent:crowd-7", "tasks_note", { task: "TASK-009", note: "of a clock that is years ahead" });
  await late.close();
}

/** @param {Browser} browser @param {(name: string) => string} below @param {(site: { address: string, base: string }, name: string) => Promise<void>} look */
export async function crowds(browser, below, look) {
  const root = below("crowd");
  await crowd(root);
  const site = await serve(root);
  const named = (/** @type {string} */ name) => ({ hasText: new RegExp(`^${name}$`) });
  await check(`${CLAIMS} claims on a lane are few bars with their number, read by keys and in a table`, () =>
    asReader(browser, site, async (page) => {
      await visit(page, site.base, "#/agents?lanes=1");
      const lane = page.locator(".agent-lane", { has: page.locator(".person-name", named("busy")) });
      const buttons = await soon(async () => {
        const count = await lane.locator("button").count();
        assert(count > 0 && count < 150, `expected as many bars as there is room for, found ${count} buttons`);
        return count;
      });
      await lane.locator('[tabindex="0"]').focus();
      let listed = 0;
      for (const key of ["Home", ...Array.from({ length: buttons }, () => "ArrowRight")]) {
        await page.keyboard.press(key);
        // A key moves the focus before its event ends.
        const at = await page.evaluate(() => document.activeElement?.querySelector(".span-count")?.textContent);
        listed += Number(at ?? 0);
      }
      assert(listed > 0.9 * CLAIMS && listed <= CLAIMS + 100, `keys came to ${listed} claims of bars with a number`);
      await lane.locator(".span:has(.span-count)").first().press("Enter");
      const count = Number(await lane.locator(".span-count").first().innerText());
      await areThere(page.locator(".mark-detail tbody tr"), Math.min(count, 100));
      await page.locator(".mark-detail").waitFor();
      const elements = await page.evaluate(() => document.querySelectorAll("*").length);
      figure(`page of ${AGENTS} agents and ${CLAIMS} claims, elements`, String(elements));
      assert(elements < 15_000, `expected a page that stays small, found ${elements} elements`);
      await accessible(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await accessible(page, "axe, dark", "theme");
      await page.setViewportSize({ width: 360, height: 740 });
      await narrow(page, "a narrow page");
    }),
  );
  await check(
    "wrong clocks: the axis begins with the work, all of the time is one button away, no agent is first by 2099",
    () =>
      asReader(browser, site, async (page) => {
        await visit(page, site.base, "#/agents?lanes=1");
        await soon(async () => {
          assert(
            (await page.locator(".agent-lane .person-name").first().innerText()) === "busy",
            "expected who acted last first",
          );
          assert(!(await page.locator(".axis").innerText()).includes("1970"), "expected no axis from 1970");
        });
        await page.locator(".notice", { hasText: "much older" }).getByRole("button").click();
        await page.locator(".axis", { hasText: "1970" }).waitFor();
        await page.getByRole("button", { name: "Last day" }).click();
        await page.locator(".axis").filter({ hasNotText: "1970" }).waitFor();
        await visit(page, site.base, "#/task/TASK-009");
        await says(page.locator("main"), ["ahead of this clock"]);
        await accessible(page);
      }),
  );
  await check(
    "pages and a search lead to every agent and every log, also after the page before and while work goes on",
    () =>
      asReader(browser, site, async (page) => {
        await visit(page, site.base, "#/agents?lanes=1");
        const first = await page.locator(".agent-lane").first().innerText();
        await page.getByRole("link", { name: "Next page" }).click();
        await page.locator(".cut", { hasText: "Page 2 of 3" }).waitFor();
        await soon(async () =>
          assert(!(await page.locator("main").innerText()).includes(first), "expected other lanes"),
        );
        const search = page.getByRole("searchbox");
        await search.fill("crowd-0");
        await page.locator(".agent-lane", { has: page.locator(".person-name", named("crowd-0")) }).waitFor();
        const story = new Story(root, Date.now());
        await story.say("agent:crowd-0", "tasks_note", { task: "TASK-002", note: "while a reader looks" });
        await story.close();
        await page.locator('.agent-lane .mark[title*="while a reader looks"]').waitFor();
        assert((await search.inputValue()) === "crowd-0", "expected the text that was typed");
        assert(await search.evaluate((field) => field === document.activeElement), "expected the focus to stay");
        await visit(page, site.base, "#/agents?sort=done&agent=agent:crowd-1");
        await says(page.locator(".agent-table tbody tr.chosen"), ["crowd-1"]);
        await says(page.locator(".agent-story"), ["Task of agent 1"]);
        await visit(page, site.base, "#/health?logs=1");
        await page.locator(".cut", { hasText: "200 of" }).getByRole("link", { name: "Next page" }).click();
        await page.waitForURL(/logs=2/);
        await page.locator(".cut", { hasText: "Page 2 of 2" }).waitFor();
        const logs = page.locator("section", { has: page.locator("h2", { hasText: "Logs" }) });
        await areThere(logs.locator("tbody tr"), AGENTS + 2 - 200);
        await accessible(page);
      }),
  );
  await look(site, "crowd");
  await site.stop();
}
