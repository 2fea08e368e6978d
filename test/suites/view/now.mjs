// @ts-check
// The first page: a need leads to its place. `jobs.mjs` compares its lists with the logs.
import { assert, check, soon, visit } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string} base */
export async function now(page, base) {
  await check("a need leads to its step, and its command is there to copy", async () => {
    await visit(page, base, "#/now");
    const need = page.locator("#needs-blocked + ul li", { hasText: "TASK-009" });
    assert(/^taskfold unblock TASK-009 STEP-\w+$/.test(await need.locator("code").innerText()), "expected a command");
    await need.getByRole("button", { name: "Copy" }).click();
    await soon(async () => {
      const selected = await page.evaluate(() => String(getSelection()));
      const isCopied = (await need.getByRole("button").innerText()) === "Copied";
      assert(isCopied || selected.startsWith("taskfold unblock"), "expected the command copied or selected");
    });
    await need.getByRole("link").click();
    await page.locator('[id="step-s:0"] .step-body').waitFor();
    await page.goBack();
  });
}
