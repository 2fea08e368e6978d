// @ts-check
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACCENTS, FIXED, SHARP_S } from "../tiny_slug.mjs";

const TEST = "node --test --test-reporter=tap test/sharp_s.test.mjs";

/** @param {import("../stage.mjs").Stage} stage */
export async function kDegrees(stage) {
  stage.section(
    "Degrees of proof",
    "A claim, a run that Taskfold made, the same run repeated by CI at the merged commit, and a signature over it.",
  );
  stage.git("switch", "--quiet", "-c", "sharp-s");
  const made = await stage.call("human:mo", "tasks_create", {
    kind: "task",
    title: "Straße gives strasse",
    steps: [
      {
        title: "Write ß as ss",
        success_criteria: ["Straße gives strasse"],
        tests: [TEST],
        proof: { tests: "repeated" },
      },
    ],
  });
  if (!made.success) throw new Error(made.error?.message);
  const task = made.result.id;
  for (const [path, text] of Object.entries(SHARP_S)) writeFileSync(join(stage.repo, path), text);
  commit(stage, "A test for ß");

  stage.print("   Claimed: the agent says that the test passed. It never ran, and it fails.");
  const claim = { kind: "run", command: TEST, exit_code: 0, stdout: "# pass 1" };
  await stage.call("agent:ada", "tasks_evidence_capture", { task, path: "s:0", items: [claim], checkpoint: "tests" });
  const claimed = await close(stage, task);
  stage.check("a claim is not enough", claimed?.code === "PROOF_REQUIRED", claimed?.message);
  commit(stage, "A claim");
  const listed = stage.taskfold("--by", "agent:ci", "prove", task);
  stage.check(
    "prove lists what it would run, and runs nothing without leave",
    listed.code === 2 && listed.out.includes(TEST) && listed.err.includes("--allow-commands"),
    listed.out,
  );
  const forged = stage.taskfold("--by", "agent:ci", "prove", task, "--allow-commands");
  stage.check("a forged exit code is caught: the test fails at that commit", forged.code === 1, forged.out);

  stage.print("\n   Captured: the agent corrects the code, and Taskfold runs the test.");
  writeFileSync(
    join(stage.repo, ACCENTS),
    (FIXED[ACCENTS] ?? "").replace("text.normalize", 'text.replace(/ß/g, "ss").normalize'),
  );
  const run = stage.taskfold("--by", "agent:ada", "run", task, "s:0", "--", ...TEST.split(" "));
  const captured = await close(stage, task);
  stage.check(
    "the run passes, and is still the agent's own",
    run.code === 0 && captured?.code === "PROOF_REQUIRED",
    captured?.message,
  );
  commit(stage, "Write ß as ss");
  stage.git("switch", "--quiet", "main");
  stage.git("merge", "--quiet", "--no-edit", "--no-ff", "sharp-s");

  stage.print("\n   Repeated: CI runs the test in a clean work tree of the merged commit.");
  const repeated = stage.taskfold("--by", "agent:ci", "prove", task, "--allow-commands");
  stage.check(
    "CI repeats the run at the merged commit",
    repeated.code === 0 && repeated.out.includes("repeated"),
    repeated.out,
  );
  const closed = await close(stage, task);
  const done = await stage.call("agent:ada", "tasks_complete", { task });
  stage.check(
    "the step closes",
    closed === null && done.success,
    closed?.message ?? done.error?.message ?? `${task} is DONE`,
  );
  commit(stage, "Straße gives strasse, repeated by CI");
  attested(stage, task);
}

/** @param {import("../stage.mjs").Stage} stage @param {string} task */
function attested(stage, task) {
  stage.print(
    "\n   Attested: CI signs what it saw. A reader has a fresh clone, and his own file of the keys that he trusts.",
  );
  const key = join(stage.temporary, "ci_key");
  stage.run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const signers = join(stage.temporary, "allowed_signers");
  writeFileSync(signers, `ci@example.com ${readFileSync(`${key}.pub`, "utf8")}`);
  const signed = stage.taskfold("--by", "agent:ci", "attest", task, "--key", key);
  stage.check("CI signs the proof with a key of SSH", signed.code === 0, signed.out + signed.err);
  commit(stage, "Signed by CI");
  const clone = join(stage.temporary, "signed");
  stage.git("clone", "--quiet", stage.repo, clone);
  const read = stage.taskfold("-C", clone, "verify", task, "--signers", signers);
  stage.show(read.out);
  stage.check(
    "a fresh clone says who vouches for it",
    read.code === 0 && read.out.includes("vouched by ci@example.com"),
    read.out,
  );

  // The attacker turns the failed run into one that passed, and makes every hash right again.
  const log = join(clone, ".coco/tasks", task, "events.jsonl");
  const names = new Map();
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const forged = lines.map((line) => {
    let text = line.replace(/"exit_code":1\b/, '"exit_code":0');
    for (const [before, after] of names) text = text.replaceAll(before, after);
    const { hash, ...rest } = JSON.parse(text);
    const after = createHash("sha256")
      .update(JSON.stringify(sorted(rest)))
      .digest("base64url");
    names.set(hash, after);
    return JSON.stringify(sorted({ ...rest, hash: after }));
  });
  writeFileSync(log, `${forged.join("\n")}\n`);
  stage.taskfold("-C", clone, "rebuild");
  const caught = stage.taskfold("-C", clone, "verify", task, "--signers", signers);
  stage.check(
    "a forged exit code is caught, although every hash is right",
    caught.code === 1 && caught.out.includes("SIGNATURE_BROKEN"),
    caught.out,
  );
}

/** Keys in the order in which hashes are taken of them. @param {unknown} value @returns {unknown} */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** Null, or the refusal. @param {import("../stage.mjs").Stage} stage @param {string} task */
async function close(stage, task) {
  return (await stage.call("agent:ada", "tasks_close_step", { task, path: "s:0", checkpoints: "gate" })).error;
}

/** @param {import("../stage.mjs").Stage} stage @param {string} message */
function commit(stage, message) {
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", message);
}
