// @ts-check
/**
 * `npm run forge -- [--json] [--only PATTERN] [--every N]`: an attacker may write each file of a repository and call every tool, and has no
 * trusted key. He tries to make an unproved step pass `verify --signers`, with real folders, git and ssh-keygen. Exit code 1 unless no way
 * passed, and the honest work beside them did.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isTaskfoldError } from "../../../dist/errors.js";
import { copied, Forger, judged, makeKeys, makeRepository, taskfold, withoutConfiguration } from "./world.mjs";
import { UNPROVED, WAYS } from "./ways.mjs";
import { tempRoot } from "../../support/temp_root.mjs";

/** @typedef {import("./ways.mjs").Way} Way */
/** @typedef {{ way: string, passed: boolean, by: string[] }} Tried */

/** @param {{ only?: RegExp, every?: number }} [options] */
export async function forge({ only, every = 1 } = {}) {
  const folder = mkdtempSync(join(tempRoot(), "taskfold-forge-"));
  const configured = withoutConfiguration();
  try {
    const keys = makeKeys(join(folder, "keys"));
    const base = join(folder, "base");
    await makeRepository(base, keys, "acme/repo");
    const other = join(folder, "other");
    await makeOther(other, keys);
    const seen = join(folder, "acme-repo.seen");
    const honest = await judged(base, keys, { seen });
    const fresh = await judged(base, keys, { fresh: true });
    if (!stepOf(fresh, { task: "TASK-001", title: "Parse" })?.vouched)
      throw new Error(`A fresh proof does not pass: ${JSON.stringify(fresh)}`);
    // The run that failed after the signature is the only fault.
    const faults = honest.findings.filter(({ info, file }) => !info && !file.includes("TASK-004"));
    const vouched = ["TASK-001", "TASK-002", "TASK-005"].every(
      (task) => stepOf(honest, { task, title: "Parse" })?.vouched,
    );
    if (
      faults.length > 0 ||
      !vouched ||
      !isSigned(honest, "TASK-002", "agnes") ||
      !isSigned(honest, "TASK-003", "paula")
    )
      throw new Error(`Honest work does not pass: ${JSON.stringify(honest)}`);
    /** @type {Tried[]} */
    const tried = [];
    for (const way of WAYS.filter(({ name }, i) => (only ? only.test(name) : i % every === 0))) {
      const place = join(folder, "tried");
      copied(base, join(place, "repository"));
      tried.push(await tryWay(way, new Forger(join(place, "repository"), { keys, other, seen })));
      rmSync(place, { recursive: true, force: true });
    }
    return { tried, passed: tried.filter(({ passed }) => passed) };
  } finally {
    configured();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same id in another workspace, where the step that is unproved here is proved and signed. @param {string} root @param {import("./world.mjs").Keys} keys */
async function makeOther(root, keys) {
  await makeRepository(root, keys, "acme/other", { isWhole: false });
  writeFileSync(join(root, "print.mjs"), 'console.log("ok 1 - prints");\n');
  await taskfold(root, ["run", "TASK-001", "s:1", "--for", "tests", "--", "node", "print.mjs"]);
  await taskfold(root, ["attest", "TASK-001", "s:1", "--key", keys.ana]);
  await taskfold(root, ["done", "TASK-001", "s:1", "--confirm", "gate"]);
}

/** @param {Way} way @param {Forger} forger @returns {Promise<Tried>} */
async function tryWay({ name, target = UNPROVED, read: { seen = false, file, ...read } = {}, forge: attack }, forger) {
  const refused = await attack(forger);
  const named = file === undefined || file === "" ? file : resolve(forger.root, file);
  try {
    const report = await judged(forger.root, forger.keys, {
      ...read,
      seen: seen ? forger.seen : undefined,
      file: named,
    });
    const step = stepOf(report, target);
    // A way that leaves its step open tried nothing.
    if (!refused && !step?.done) throw new Error(`"${name}" did not close ${target.title} of ${target.task}`);
    // The faults of this task alone: other tasks have faults of their own.
    const told = report.findings.filter(({ info, file }) => !info && file.split("/")[2] === target.task);
    const by = [...new Set(told.map(({ code }) => code))];
    return { way: name, passed: step?.done === true && !by.some((code) => FOUND.test(code)), by };
  } catch (e) {
    if (!refused || !isTaskfoldError(e)) throw e;
    return { way: name, passed: false, by: [e.code] };
  }
}

/** Findings that tell of the attack itself. */
const FOUND = /^(?:SIGNATURE_BROKEN|NOT_VOUCHED|SAME_ROOT|LINE_|PREV_|OP_|BLOB_)/;

/** @param {Awaited<ReturnType<typeof judged>>} report @param {import("./world.mjs").Target} target */
function stepOf({ vouched = [] }, { task, title }) {
  return vouched.find(({ id }) => id === task)?.steps.find((step) => step.title === title);
}

/** Whether that person's signature in the log holds. @param {Awaited<ReturnType<typeof judged>>} report @param {string} task @param {string} name */
function isSigned({ vouched = [] }, task, name) {
  const signatures = vouched.find(({ id }) => id === task)?.signatures ?? [];
  return signatures.some(({ status, principal }) => status === "holds" && principal === `${name}@example.org`);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      only: { type: "string" },
      every: { type: "string", default: "1" },
    },
  });
  const { tried, passed } = await forge({
    every: Number(values.every),
    ...(values.only === undefined ? {} : { only: new RegExp(values.only, "i") }),
  });
  if (values.json) console.log(JSON.stringify({ tried: tried.length, passed: passed.length, ways: tried }));
  else {
    for (const { way, passed: isPassed, by } of tried)
      console.log(`${isPassed ? "PASSED" : "found "} ${way}${by.length > 0 ? ` (${by.join(", ")})` : ""}`);
    console.log(`${tried.length} tried, ${passed.length} passed`);
  }
  if (passed.length > 0) process.exitCode = 1;
}
