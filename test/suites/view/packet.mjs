// @ts-check
// Packets in the viewer: those of the golden folder, and one whose dispatcher is killed while a reader looks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { aRequest } from "../../../examples/demo_packet/steps/a_request.mjs";
import { cGoesOn } from "../../../examples/demo_packet/steps/c_goes_on.mjs";
import { CLI, Stage } from "../../../examples/demo/stage.mjs";
import { serve } from "./browser.mjs";
import { budgets } from "./looks.mjs";
import { accessible, asReader, assert, assertNone, check, narrow, says, settled, soon, visit } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./browser.mjs").Browser} Browser */

const GOLDEN = join(import.meta.dirname, "../../golden/packet/.coco");
/** By task, what its page has to show. */
const SHOWN = {
  "TASK-PACKET": ["gemini_brief", "codex_impl", "codex_verify", "gemini_review", "Attempt 2"],
  "TASK-FAILS": ["Failure", "retry"],
  "TASK-FORK": ["Budgets", "Acceptance"],
  "TASK-RESTORED": ["Budgets", "gemini_review", "Outputs"],
  "TASK-ARCHIVED": ["Archived"],
};

/** @param {Browser} browser @param {(name: string) => string} below @param {(site: { address: string, base: string }, name: string) => Promise<void>} look */
export async function packets(browser, below, look) {
  const golden = below("packets");
  cpSync(GOLDEN, join(golden, ".coco"), { recursive: true });
  const site = await serve(golden);
  try {
    await check(
      "packets: stages, attempts, budgets, gates, failures and outputs, light and dark, wide and narrow",
      async () => {
        await asReader(browser, site, async (page) => {
          for (const [id, texts] of Object.entries(SHOWN)) {
            await visit(page, site.base, `#/task/${id}?tab=packet`);
            await unfold(page);
            await says(page.locator("main"), texts);
            for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
              await page.emulateMedia({ colorScheme });
              const part = colorScheme === "dark" ? "theme" : undefined;
              await accessible(page, `axe on ${id}, ${colorScheme}`, part);
            }
            await page.setViewportSize({ width: 360, height: 740 });
            await narrow(page, id);
            await soon(async () => {
              const lines = await page
                .locator(".budgets .one-line")
                .evaluateAll((all) => all.map((one) => one.getClientRects().length));
              assert(
                lines.every((count) => count === 1),
                `${id}: a budget breaks over ${Math.max(...lines)} lines`,
              );
            });
            await page.setViewportSize({ width: 1280, height: 800 });
          }
        });
      },
    );
    await check("an output of a stage is read on the page", async () => {
      await asReader(browser, site, async (page) => {
        await visit(page, site.base, "#/task/TASK-PACKET?tab=packet");
        await unfold(page);
        await page.locator(".files .output-body pre").first().waitFor();
        await soon(async () => {
          const text = await page.locator(".files .output-body").first().innerText();
          assert(text.trim().length > 20, `found ${text}`);
        });
        await settled(page);
        assert(
          (await page.getByText("This output is not available here").count()) === 0,
          "expected the bytes of every output",
        );
      });
    });
    await check(
      "[regression PAGE-50] a budget that is used up more than wholly says so, and bars have their whole height",
      () => asReader(browser, site, (page) => budgets(page, site.base, "TASK-FAILS")),
    );
    await look(site, "packets");
  } finally {
    await site.stop();
  }
  await killed(browser, below);
}

/** Opens what is folded, and what is folded inside of that. @param {Page} page */
async function unfold(page) {
  for (const what of [".fold:not([open]) > summary", ".output:not([open]) > summary"]) {
    await page.evaluate((selector) => {
      for (const fold of document.querySelectorAll(`main ${selector}`)) /** @type {HTMLElement} */ (fold).click();
    }, what);
    await settled(page);
  }
}

/** @param {Browser} browser @param {(name: string) => string} below */
async function killed(browser, below) {
  const repo = below("killed");
  const stage = new Stage({ repo, temporary: below("killed-beside"), quiet: true });
  await aRequest(stage);
  const site = await serve(repo);
  try {
    await check(
      "a dispatcher that is killed is shown as gone, and the next one goes on, while a reader looks",
      async () => {
        await asReader(browser, site, async (page) => {
          await visit(page, site.base, "#/task/read-once?tab=packet");
          const state = page.locator(".packet-state");
          const stageBadge = page.locator(".stage", { hasText: "codex_impl" }).locator(".entry-head .badge");
          await says(state, ["Pending"]);
          const config = join(stage.temporary, "configs");
          const args = ["packet", "run", "read-once", "--allow-commands", "--config", config];
          const dispatcher = spawn(process.execPath, [CLI, ...args], { cwd: repo, stdio: "ignore" });
          await stageBadge.filter({ hasText: "Running" }).waitFor();
          await says(state, ["Running"]);
          dispatcher.kill("SIGKILL");
          await once(dispatcher, "exit");
          await page.locator(".packet-state", { hasText: "Interrupted" }).waitFor({ timeout: 10_000 });
          await page.locator(".stage .fold", { hasText: "process gone" }).waitFor();
          await accessible(page);
          await visit(page, site.base, "#/board");
          await says(page.locator('[data-id="read-once"]'), ["Interrupted"]);
          await visit(page, site.base, "#/task/read-once?tab=packet");
          await cGoesOn(stage);
          await page.locator(".packet-state", { hasText: "Done" }).waitFor();
          assertNone(
            stage.checks.filter(({ ok }) => !ok).map(({ name, evidence }) => `${name}: ${evidence}`),
            "the packet",
          );
          await visit(page, site.base, "#/agents?lanes=1");
          await says(page.locator("main"), ["killed"]);
        });
      },
    );
  } finally {
    await site.stop();
  }
}
