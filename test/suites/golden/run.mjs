// @ts-check
/**
 * The golden workspaces of test/golden: logs that every release has to replay, and the files they fold to. Needs a build.
 *
 * - `npm run golden -- --check` prints each difference of the files that the present code folds; exit code 1 if there is any.
 * - `npm run golden -- --update` writes the folded files anew, for a review; it never touches a log.
 * - `npm run golden -- --make` makes the missing workspaces; each is made once, and never anew.
 * - `npm run golden -- --check taskdoc` takes one of them: v1, v1-adopted, taskdoc, v2 or packet.
 *
 * A workspace may hold effective/<id>.<language>[.<max_bytes>].md: the effective Taskdoc of an entity, byte for byte.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeAdopted } from "./adopted.mjs";
import { makeGolden } from "./make.mjs";
import { makePackets } from "./packet.mjs";
import { makeTaskdocGolden } from "./taskdoc.mjs";
import { makeWork } from "./work.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean" },
    update: { type: "boolean" },
    make: { type: "boolean" },
    dist: { type: "string" },
  },
});
const dist = values.dist ?? join(import.meta.dirname, "../../..", "dist");
const golden = join(import.meta.dirname, "../../..", "test", "golden");
const SUMS = "logs.sha256";
const EFFECTIVE = "effective";

/** @type {typeof import("../../../src/testing.ts")} */
const library = await import(`${dist}/testing.js`);

/** Digest and path of every log, one a line: what may never change. @param {string} root */
function sums(root) {
  return readdirSync(join(root, ".coco"), { recursive: true, encoding: "utf8" })
    .filter((name) => /^(tasks|archive)[\\/][^\\/]+[\\/]events\.jsonl$/.test(name))
    .toSorted()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(root, ".coco", name)))
          .digest("hex")}  ${name.replaceAll("\\", "/")}\n`,
    )
    .join("");
}

/** Which effective Taskdoc a file of the folder `effective` holds. @param {string} name */
function effectiveOf(name) {
  const match = /^(.+)\.(en|zh)(?:\.(\d+))?\.md$/.exec(name);
  if (!match) throw new Error(`expected <id>.<language>[.<max_bytes>].md, found ${name}`);
  const [, id = "", language, most] = match;
  return {
    id,
    options: { language: /** @type {"en" | "zh"} */ (language), ...(most ? { maxBytes: Number(most) } : {}) },
  };
}

/** Effective Taskdocs as they are now, by file name. @param {import("../../../src/index.ts").Workspace} ws @param {readonly string[]} names */
function effectiveTexts(ws, names) {
  return names.map((name) => {
    const { id, options } = effectiveOf(name);
    return /** @type {const} */ ([name, ws.taskdoc.render(id, options).text]);
  });
}

/** @param {string} root */
function effectiveNames(root) {
  return existsSync(join(root, EFFECTIVE)) ? readdirSync(join(root, EFFECTIVE)).toSorted() : [];
}

/** @param {string} root @param {string} name */
async function check(root, name) {
  const ws = library.openWorkspace({ root });
  const { findings, entities, events } = ws.verify();
  const texts = effectiveTexts(ws, effectiveNames(root));
  await ws.close();
  const faults = findings
    .filter((f) => !f.info)
    .map((f) => `${f.code} ${f.file}:${f.line ?? "-"} (byte ${f.byte ?? "-"}): ${f.message}`);
  for (const [file, text] of texts)
    if (readFileSync(join(root, EFFECTIVE, file), "utf8") !== text)
      faults.push(`${EFFECTIVE}/${file} is rendered otherwise`);
  if (readFileSync(join(root, SUMS), "utf8") !== sums(root))
    faults.push(`a log of ${name} was changed; bring it back from git`);
  console.log(
    `${name}: ${entities} logs, ${events} events, ${faults.length === 0 ? "as committed" : `${faults.length} differences`}`,
  );
  for (const fault of faults) console.log(`- ${fault}`);
  return faults.length === 0;
}

const { sealOp } = await import(`${dist}/log/envelope.js`);
/** @type {Record<string, (root: string) => Promise<void>>} */
const MAKERS = {
  v1: (root) => makeGolden(root, library, sealOp),
  "v1-adopted": (root) => makeAdopted(root, library),
  taskdoc: (root) => makeTaskdocGolden(root, library),
  v2: (root) => makeWork(root, library),
  packet: (root) => makePackets(root, library),
};
const EFFECTIVE_FILES = [
  ...["PLAN-001", "TASK-EMPTY", "TASK-FULL", "TASK-ODD", "TASK-FORK"].flatMap((id) => [`${id}.en.md`, `${id}.zh.md`]),
  "TASK-LARGE.en.4096.md",
  "TASK-LARGE.zh.6000.md",
];

const unknown = positionals.filter((name) => !Object.hasOwn(MAKERS, name));
if (unknown.length > 0) throw new Error(`expected ${Object.keys(MAKERS).join(" or ")}, found ${unknown.join(", ")}`);
if (values.make) {
  const missing = Object.entries(MAKERS).filter(([name]) => !existsSync(join(golden, name)));
  if (missing.length === 0) throw new Error("expected one that is not there yet: golden logs are never made anew");
  for (const [name, make] of missing) {
    const root = join(golden, name);
    await make(root);
    writeFileSync(join(root, SUMS), sums(root));
    if (name !== "taskdoc") continue;
    mkdirSync(join(root, EFFECTIVE));
    const ws = library.openWorkspace({ root });
    for (const [file, text] of effectiveTexts(ws, EFFECTIVE_FILES)) writeFileSync(join(root, EFFECTIVE, file), text);
    await ws.close();
  }
}
const chosen = readdirSync(golden).filter((name) => positionals.length === 0 || positionals.includes(name));
for (const name of chosen.toSorted()) {
  const root = join(golden, name);
  if (values.update) {
    const ws = library.openWorkspace({ root });
    await ws.repair.rebuild();
    for (const [file, text] of effectiveTexts(ws, effectiveNames(root)))
      writeFileSync(join(root, EFFECTIVE, file), text);
    await ws.close();
    // A golden workspace holds no state of a machine.
    for (const own of ["registry", "locks"]) rmSync(join(root, ".coco", own), { recursive: true, force: true });
  }
  if (!(await check(root, name))) process.exitCode = 1;
}
