// @ts-check
// The first page: what needs someone and what happened, in numbers that the logs alone give.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { areThere, assert, check, soon, visit } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ ts: string, by: string, type: string, op: { id: string }, payload: Record<string, unknown>, taskId: string }} Event */

/** In the page: the tasks that these rows are about. @param {Element[]} all */
const TASKS = (all) => all.map((one) => one.getAttribute("data-task"));

/** @param {Page} page @param {string} base @param {string} world */
export async function now(page, base, world) {
  await check(
    "what needs someone and what happened since yesterday: no click, and the numbers of the logs",
    async () => {
      await page.goto(base);
      await page.locator(".happened").first().waitFor();
      const logs = logsOf(world);
      await areThere(page.locator(".needs li[data-task]"), await needsTold(page));
      await soon(async () => {
        const blocked = await page.locator("#needs-blocked + ul li[data-task]").evaluateAll(TASKS);
        assert(
          blocked.join() === blockedIn(logs).join(),
          `expected ${blockedIn(logs).join()}, found ${blocked.join()}`,
        );
        const over = await page.locator("#needs-claim_over + ul li[data-task]").evaluateAll(TASKS);
        assert(over.join() === overIn(logs).join(), `expected ${overIn(logs).join()}, found ${over.join()}`);
      });
      const days = await page
        .locator(".happened")
        .evaluateAll((all) =>
          all.map((one) => `${one.getAttribute("data-day")} ${one.querySelector(".count")?.textContent}`),
        );
      assert(days.join() === daysIn(logs).join(), `expected ${daysIn(logs).join()}, found ${days.join()}`);
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
      assert(
        rows.join("\n") === rowsIn(logs).join("\n"),
        `expected ${rowsIn(logs).join("; ")}, found ${rows.join("; ")}`,
      );
    },
  );
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

/** Of the badges of all kinds. @param {Page} page */
async function needsTold(page) {
  return Number(await page.locator("#needs-title .count").innerText());
}

/** @param {string} world @returns {Event[]} */
function logsOf(world) {
  const tasks = join(world, ".coco/tasks");
  return readdirSync(tasks)
    .toSorted()
    .flatMap((id) => readFileSync(join(tasks, id, "events.jsonl"), "utf8").split("\n"))
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

/** One of each change, whatever it wrote. @param {Event[]} logs */
function changesIn(logs) {
  return [...new Map(logs.map((event) => [event.op.id, event])).values()];
}

/** `day by task count`, in order of letters. @param {Event[]} logs */
function rowsIn(logs) {
  /** @type {Map<string, number>} */
  const rows = new Map();
  for (const { ts, by, taskId } of changesIn(logs)) {
    const row = `${ts.slice(0, 10)} ${by} ${taskId}`;
    rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  return [...rows].map(([row, count]) => `${row} ${count}`).toSorted();
}

/** The newest day first. @param {Event[]} logs */
function daysIn(logs) {
  const days = changesIn(logs).map(({ ts }) => ts.slice(0, 10));
  const each = [...new Set(days)].toSorted().toReversed();
  return each.map((day) => {
    const count = days.filter((one) => one === day).length;
    return `${day} ${count} change${count === 1 ? "" : "s"}`;
  });
}

/** Tasks with a step that is blocked or has a blocker, by id. Nothing unblocks or closes such a step in this story. @param {Event[]} logs */
function blockedIn(logs) {
  const marked = logs.filter(({ type }) => type === "step.blocked").map(({ taskId }) => taskId);
  const named = logs
    .filter(({ type, payload }) => type === "steps.added" && /"blockers":\["/.test(JSON.stringify(payload)))
    .map(({ taskId }) => taskId);
  return [...marked, ...named].toSorted();
}

/** Open tasks of which the last claim ran out before now, by id. @param {Event[]} logs */
function overIn(logs) {
  const ended = new Set(
    logs.filter(({ type }) => type === "task.completed" || type === "status.changed").map(({ taskId }) => taskId),
  );
  const last = new Map(
    logs
      .filter(({ type }) => type === "lease.claimed")
      .map(({ taskId, payload }) => [taskId, String(payload["expires_at"])]),
  );
  const at = new Date().toISOString();
  return [...last].flatMap(([task, until]) => (until < at && !ended.has(task) ? [task] : [])).toSorted();
}
