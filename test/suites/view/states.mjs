// @ts-check
// The messages of pages if a page fails, a list does not come, the folder is away, or the shared log has no server.
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./browser.mjs";
import { accessible, areThere, asReader, assert, assertNone, check, says, setting, soon, visit } from "./checks.mjs";
import { Story } from "./world.mjs";

const CLI = join(import.meta.dirname, "../../../dist/cli.cjs");
const TASK = "TASK-001";
const PROVED = "TASK-002";

/** @param {import("./browser.mjs").Browser} browser @param {(name: string) => string} below */
export async function states(browser, below) {
  const root = below("states");
  const story = new Story(root, Date.now() - 3_600_000);
  await story.say("agent:ada", "tasks_create", { kind: "task", title: "A task of many notes" });
  for (let n = 0; n < 12; n++) await story.say("agent:ada", "tasks_note", { task: TASK, note: `note ${n}` });
  const source = join(root, "src/grammar.ts");
  mkdirSync(join(root, "src"));
  writeFileSync(source, "one\ntwo\nthree\n");
  const step = { title: "Write it", success_criteria: ["it parses"], tests: ["npm test"] };
  await story.say("agent:ada", "tasks_create", { kind: "task", title: "A task with proof", steps: [step] });
  const proof = { kind: "code", title: "The grammar", path: "src/grammar.ts", start_line: 1, end_line: 2 };
  const place = { task: PROVED, path: "s:0" };
  await story.say("agent:ada", "tasks_evidence_capture", { ...place, checkpoint: "tests", items: [proof] });
  await story.say("agent:ada", "tasks_verify", { ...place, checkpoints: "gate" });
  await story.close();
  const site = await serve(root);
  try {
    await faulty(browser, site);
    await changed(browser, site, source);
    await away(browser, site, root, root);
    await away(browser, site, root, join(root, ".coco"));
    await crowded(browser, site);
  } finally {
    await site.stop();
  }
  await stale(browser, below("stale"));
  await alone(browser, root);
  await signedOut(browser, root);
}

/** @param {import("./browser.mjs").Browser} browser @param {{ address: string, base: string }} site */
async function faulty(browser, site) {
  await check("a page that meets a fault says so, the others stand, and it is tried again", () =>
    asReader(browser, site, async (page) => {
      await page.route("**/api/v1/health.json", (route) => route.fulfill({ json: { api: 1, findings: 7 } }));
      await visit(page, site.base, "#/health");
      const fault = page.locator("main [role=alert]");
      await says(fault, ["The viewer failed on this page"]);
      await accessible(page);
      await fault.getByRole("link", { name: "To the board" }).click();
      await page.locator(`[data-id="${TASK}"]`).waitFor();
      await page.goBack();
      await fault.waitFor();
      await page.unroute("**/api/v1/health.json");
      await fault.getByRole("button", { name: "Try again" }).click();
      await page.locator(".tile").first().waitFor();
    }),
  );
  await check("an older page of a list that does not come says why, and comes at the next try", () =>
    refused(browser, site, async (page) => {
      const older = "**/api/v1/entities/TASK-001/notes/0.json";
      /** @type {() => void} */
      let letGo = () => undefined;
      const held = new Promise((resolve) => (letGo = () => resolve(undefined)));
      await page.route(older, async (route) => {
        await held;
        const error = { code: "STORAGE_FAILED", message: "the disk is gone", recovery: null };
        await route.fulfill({ status: 422, json: { api: 1, error } });
      });
      await visit(page, site.base, `#/task/${TASK}?tab=notes`);
      await says(page.locator(".cut"), ["10 of 12"]);
      await page.getByRole("button", { name: "Show older ones" }).click();
      await page.locator("main .loading").waitFor();
      letGo();
      const failure = page.locator("main .failure");
      await failure.filter({ hasText: "the disk is gone" }).waitFor();
      await page.unroute(older);
      await failure.getByRole("button", { name: "Try again" }).click();
      await page.locator(".note", { hasText: "note 0" }).waitFor();
      await areThere(page.locator(".note"), 12);
      await areThere(page.locator(".cut"), 0);
    }),
  );
}

/** @param {import("./browser.mjs").Browser} browser @param {{ address: string, base: string }} site @param {string} source */
async function changed(browser, site, source) {
  await check("a proof whose file was changed is called one that no longer holds, beside its claim and above it", () =>
    asReader(browser, site, async (page) => {
      await visit(page, site.base, `#/task/${PROVED}?step=s:0`);
      const proofs = page.locator(".checkpoints");
      await proofs.getByText("proved", { exact: true }).waitFor();
      assert((await page.locator(".notice.red").count()) === 0, "expected a proof that holds");
      writeFileSync(source, "another\nfile\n");
      await page.goto("about:blank");
      await visit(page, site.base, `#/task/${PROVED}?step=s:0`);
      await proofs.getByText("proof no longer valid", { exact: true }).waitFor();
      await page.locator(".notice.red", { hasText: "Proof that is no longer valid" }).getByRole("link").waitFor();
      await accessible(page);
    }),
  );
}

/** A run of files that a later one changed. @param {import("./browser.mjs").Browser} browser @param {string} root */
async function stale(browser, root) {
  const start = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
    execFileSync(program, args, { cwd: root, stdio: "pipe" });
  start("git", "init", "-q", "-b", "main");
  writeFileSync(join(root, "grammar.ts"), "one\n");
  const story = new Story(root, Date.now() - 3_600_000);
  const step = { title: "Write it", success_criteria: ["it parses"], tests: ["true"], proof: { tests: "captured" } };
  await story.say("agent:ada", "tasks_create", { kind: "task", title: "A task with a run", steps: [step] });
  await story.close();
  start("git", "add", "grammar.ts");
  start("git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "first");
  start(process.execPath, CLI, "run", TASK, "s:0", "--close", "--", "true");
  const site = await serve(root);
  try {
    await check(
      "[regression PROOF-99] stale proof is said above the tabs, at its checkpoint and at its entry, in both languages",
      () =>
        asReader(browser, site, async (page) => {
          await visit(page, site.base, `#/task/${TASK}?step=s:0`);
          const proofs = page.locator(".checkpoints");
          await proofs.getByText("proved", { exact: true }).waitFor();
          assert((await page.locator(".entity-main > .notice.amber").count()) === 0, "expected a proof of these files");
          writeFileSync(join(root, "grammar.ts"), "two\n");
          // A person who comes back from an editor sees it. Each look begins anew, so one is waited for.
          await page.evaluate(() => dispatchEvent(new Event("focus")));
          await areThere(page.getByText("proof is stale", { exact: true }), 1);
          await says(page.locator(".entity-main > .notice.amber"), [
            "Stale proof",
            "Write it",
            '"grammar.ts" changed since',
          ]);
          await accessible(page);
          await visit(page, site.base, `#/task/${TASK}?tab=evidence`);
          await says(page.locator(".entry"), ["Stale", '"grammar.ts" changed since (not committed)']);
          await setting(page, "Language", "zh");
          await says(page.locator(".entry"), ["已过时", '"grammar.ts" 此后已更改（未提交）']);
          await accessible(page);
        }),
    );
  } finally {
    await site.stop();
  }
}

/** @param {import("./browser.mjs").Browser} browser @param {{ address: string, base: string }} site @param {string} root @param {string} gone */
async function away(browser, site, root, gone) {
  const what = gone === root ? "the folder" : ".coco";
  await check(`a page that is opened while ${what} is away says that, and shows it once it is back`, async () => {
    await refused(browser, site, async (page) => {
      await page.locator(".live.live").waitFor();
      const aside = `${root}-aside`;
      renameSync(gone, aside);
      try {
        await page.locator(".live.failed").waitFor({ timeout: 20_000 });
        await page.goto("about:blank");
        await page.goto(`${site.base}#/task/${TASK}`);
        await page.locator(".live.failed").waitFor({ timeout: 10_000 });
        await says(page.locator(".live"), ["The workspace cannot be read"]);
        await soon(async () => {
          const why = await page.locator("main [role=alert]").innerText();
          assert(/folder|workspace/i.test(why) && !why.includes("does not answer"), `found ${why}`);
        });
      } finally {
        renameSync(aside, gone);
      }
      await page.locator(".live.live").waitFor({ timeout: 20_000 });
      await page.locator("h1", { hasText: "A task of many notes" }).waitFor();
    });
  });
}

/** @param {import("./browser.mjs").Browser} browser @param {string} root */
async function signedOut(browser, root) {
  const first = await serve(root);
  await check("[PAGE-51] a page of a server that was started again says that it is signed out, and what to open", () =>
    refused(browser, first, async (page) => {
      await visit(page, first.base, "#/board");
      await page.locator(".live.live").waitFor();
      await first.stop();
      await page.locator(".live.lost").waitFor();
      await page.evaluate(() => (location.hash = "#/health"));
      await page.locator("main [role=alert]", { hasText: "does not answer" }).waitFor();
      const second = await serve(root, [], ["--port", new URL(first.base).port]);
      try {
        await page.locator(".live.refused", { hasText: "Signed out" }).waitFor({ timeout: 20_000 });
        await page.locator("main [role=alert]", { hasText: "open the one that" }).waitFor();
        await page.locator(".live-hint", { hasText: "Open the address" }).waitFor();
        await accessible(page);
        // The cookie is of the browser: the old page goes on.
        const other = await page.context().newPage();
        await other.goto(second.address);
        await page.locator(".live.live").waitFor({ timeout: 20_000 });
        await page.locator(".tile").first().waitFor();
      } finally {
        await second.stop();
      }
    }),
  );
}

/** @param {import("./browser.mjs").Browser} browser @param {{ address: string, base: string }} site */
async function crowded(browser, site) {
  await check(
    "[PAGE-51] a page beyond the last that may listen says so, and is live once another one goes",
    async () => {
      const token = new URL(site.address).searchParams.get("token") ?? "";
      const headers = { authorization: `Bearer ${token}` };
      const { end, answers } = await allStreams(`${site.base}api/v1/events`, headers);
      await refused(browser, site, async (page) => {
        await page.locator(".live.full", { hasText: "too many pages are open" }).waitFor();
        await page.locator("#happened-title").waitFor();
        assert(
          answers.length === 64,
          "expected 64 answers, held until now: else the garbage collector closes their streams",
        );
        end.abort();
        await page.locator(".live.live").waitFor({ timeout: 10_000 });
      });
    },
  );
}

/** Takes all 64 streams. The server learns a moment late that the page of an earlier check has gone. @param {string} url @param {Record<string, string>} headers */
async function allStreams(url, headers) {
  for (const deadline = Date.now() + 10_000; ;) {
    const end = new AbortController();
    const asked = Array.from({ length: 64 }, () => fetch(url, { headers, signal: end.signal }));
    const answers = await Promise.all(asked);
    if (answers.every(({ status }) => status === 200)) return { end, answers };
    assert(Date.now() < deadline, "expected 64 streams");
    end.abort();
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** A browser notes each answer that is a refusal as an error. @param {import("./browser.mjs").Browser} browser @param {{ address: string, base: string }} site @param {(page: import("playwright-core").Page) => Promise<void>} body */
async function refused(browser, site, body) {
  const before = browser.faults.length;
  await asReader(browser, site, body);
  const noted = browser.faults.splice(before);
  assertNone(
    noted.filter(
      (fault) =>
        !/Failed to load resource.*(status of (401|422|500|503)|ERR_CONNECTION_(REFUSED|RESET|CLOSED)|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE)/.test(
          fault,
        ),
    ),
    "faults",
  );
}

/** @param {import("./browser.mjs").Browser} browser @param {string} root */
async function alone(browser, root) {
  // No server listens there.
  const site = await serve(root, ["--shared", "nats://127.0.0.1:1"]);
  try {
    await check("pages of a workspace whose shared log does not answer say that other machines are left out", () =>
      asReader(browser, site, async (page) => {
        await visit(page, site.base, "#/board");
        await page.locator(".live.alone").waitFor({ timeout: 20_000 });
        await says(page.locator(".live"), ["Live, without other machines"]);
        await areThere(page.locator(".card"), 2);
        await page.setViewportSize({ width: 360, height: 740 });
        await page.locator(".live.alone").waitFor();
        await accessible(page);
      }),
    );
  } finally {
    await site.stop();
  }
}
