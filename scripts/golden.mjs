// @ts-check
// The golden workspaces of test/golden: logs that every release has to replay, and the files they fold to. Needs a build.
//
//   npm run golden -- --check    says what the present code folds otherwise; exit code 1 if there is anything
//   npm run golden -- --update   writes the folded files anew, for a review; never touches a log
//   npm run golden -- --make     was used once to make v1; refuses when it is there
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeGolden } from "./golden_make.mjs";

const { values } = parseArgs({
  options: {
    check: { type: "boolean" },
    update: { type: "boolean" },
    make: { type: "boolean" },
    dist: { type: "string" },
  },
});
const dist = values.dist ?? join(import.meta.dirname, "..", "dist");
const golden = join(import.meta.dirname, "..", "test", "golden");
const SUMS = "logs.sha256";

/** @type {typeof import("../src/index.ts")} */
const library = await import(`${dist}/index.js`);

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

/** @param {string} root @param {string} name */
async function check(root, name) {
  const ws = library.openWorkspace({ root });
  const { findings, entities, events } = ws.verify();
  await ws.close();
  const faults = findings
    .filter((f) => !f.info)
    .map((f) => `${f.code} ${f.file}:${f.line ?? "-"} (byte ${f.byte ?? "-"}): ${f.message}`);
  if (readFileSync(join(root, SUMS), "utf8") !== sums(root))
    faults.push(`a log of ${name} was changed; bring it back from git`);
  console.log(
    `${name}: ${entities} logs, ${events} events, ${faults.length === 0 ? "as committed" : `${faults.length} differences`}`,
  );
  for (const fault of faults) console.log(`- ${fault}`);
  return faults.length === 0;
}

if (values.make) {
  const root = join(golden, "v1");
  if (existsSync(root)) throw new Error("expected no test/golden/v1, found one: golden logs are never made anew");
  const { sealOp } = await import(`${dist}/log/envelope.js`);
  await makeGolden(root, library, sealOp);
  writeFileSync(join(root, SUMS), sums(root));
}
for (const name of readdirSync(golden).toSorted()) {
  const root = join(golden, name);
  if (values.update) {
    const ws = library.openWorkspace({ root });
    await ws.rebuild();
    await ws.close();
    // What belongs to a machine is no part of a golden workspace.
    for (const own of ["registry", "locks"]) rmSync(join(root, ".coco", own), { recursive: true, force: true });
  }
  if (!(await check(root, name))) process.exitCode = 1;
}
