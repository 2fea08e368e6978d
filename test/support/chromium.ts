/** Debian's Chromium, and an export of the viewer that it opens from disk. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { ROOT } from "./source.ts";
import { tempFolder } from "./temp.ts";

export const CHROMIUM = [process.env["CHROMIUM"] ?? "", "/usr/bin/chromium"].find(
  (path) => path !== "" && existsSync(path),
);
/** Named in the title, so that a run without a browser says what it lacks. */
export const LACK = CHROMIUM ? "" : " (lacks Chromium, Debian's package chromium)";

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM!, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
}

/** For `expect.poll` of what a page shows: a page shows a moment later what it was asked for. */
export const SOON = { timeout: 20_000, interval: 40 };

/** Exports the workspace, or the plan or task `only`, by the built program. Returns the address of its page for a hash. */
export function exportedPages(root: string, only?: string): (hash: string) => string {
  const dir = join(tempFolder(), "out");
  const task = only === undefined ? [] : ["--task", only];
  const args = [join(ROOT, "dist/cli.cjs"), "view", "--export", dir, ...task];
  execFileSync(process.execPath, args, { cwd: root, stdio: "ignore" });
  return (hash) => `${pathToFileURL(join(dir, `${only ?? "index"}.html`)).href}${hash}`;
}

/** The workspace on a server of the built program. */
export async function serve(root: string): Promise<{ address: string; stop: () => Promise<unknown> }> {
  const child = spawn(process.execPath, [join(ROOT, "dist/cli.cjs"), "view"], { cwd: root });
  let said = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    if (/^http\S+\s/m.test(said)) break;
  }
  // A test may stop it before its end does.
  const ended = once(child, "exit");
  const stop = (): Promise<unknown> => {
    child.kill("SIGINT");
    return ended;
  };
  return { address: /^http\S+/m.exec(said)![0], stop };
}
