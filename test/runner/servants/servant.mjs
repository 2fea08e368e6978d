// @ts-check
// What the three servants have in common: a prompt comes in, an answer of the role goes to stdout. A servant fails on demand:
//   SERVANT_FAIL in the environment, or a line `servant-fail:` in the prompt: EXIT CODE and a text for stderr
//   SERVANT_SLEEP in the environment, or a line `servant-sleep:` in the prompt: seconds before it answers
// and a line `servant-write: PATH TEXT` makes it write a file where it runs.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ANSWERS, marker } from "./answers.mjs";

/** The value after an option. @param {string[]} args @param {...string} names */
export function option(args, ...names) {
  const at = args.findIndex((arg) => names.includes(arg));
  return at === -1 ? undefined : args[at + 1];
}

/** @param {{ tool: string, role: string | undefined, prompt: string }} asked */
export async function answer({ tool, role = process.env["SERVANT_ROLE"], prompt }) {
  const seconds = Number(marker(prompt, "sleep") ?? process.env["SERVANT_SLEEP"] ?? 0);
  if (seconds > 0) await sleep(seconds * 1000);
  const [path, ...words] = marker(prompt, "write")?.split(" ") ?? [];
  if (path) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${words.join(" ")}\n`);
  }
  const [code, ...text] = (marker(prompt, "fail") ?? process.env["SERVANT_FAIL"] ?? "").split(" ");
  if (code) {
    process.stderr.write(`${text.join(" ") || `${tool}: it failed on demand`}\n`);
    process.exitCode = Number(code);
    return;
  }
  const form = role === undefined ? undefined : ANSWERS[role];
  if (!form) {
    process.stderr.write(`${tool}: expected a role, found ${role}\n`);
    process.exitCode = 2;
    return;
  }
  process.stderr.write(`${tool}: ${prompt.length} characters of prompt\n`);
  process.stdout.write(form(prompt));
}
