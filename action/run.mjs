// @ts-check
// The action, in order: it resolves and pushes if asked, verifies, and reports the changes. Needs node and git alone.
import { appendFileSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { comparedWith } from "./event.mjs";
import { putComment } from "./comment.mjs";
import { findProgram, Taskfold } from "./program.mjs";
import { prove } from "./prove.mjs";
import { resolveAndPush } from "./resolve.mjs";
import { report } from "./report.mjs";

const { env } = process;
// No command of a pull request gets the token.
const { TASKFOLD_TOKEN: token = "" } = env;
delete env["TASKFOLD_TOKEN"];

/** @param {string} message @param {"warning" | "error"} [kind] */
function warn(message, kind = "warning") {
  // The runner reads commands in what is printed: a line break would end this one.
  const line = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll("##[", "## [");
  console.log(`::${kind}::${line}`);
}

/** @param {string | undefined} path @param {string} text */
function append(path, text) {
  if (path) appendFileSync(path, text);
}

/** @param {Taskfold} taskfold @param {import("./event.mjs").Compared} compared @param {boolean} resolved @returns {import("./prove.mjs").Outcome} */
function proofOf(taskfold, compared, resolved) {
  const mode = env["TASKFOLD_PROVE"] ?? "";
  if (mode !== "true" && mode !== "push") return { proved: null, isRight: null, pushed: false };
  // A commit that was pushed is the branch by now.
  const head = resolved ? taskfold.git("rev-parse", "HEAD").out : compared.head;
  const asked = { prepare: env["TASKFOLD_PROVE_PREPARE"] ?? "", pushes: mode === "push" };
  return prove(taskfold, { ...compared, head }, asked, (message) => warn(message));
}

/** The files of the workspace at a commit, as GitHub shows them. @param {Taskfold} taskfold @param {string} commit */
function linksTo(taskfold, commit) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env;
  if (!server || !repository) return [];
  const folder = taskfold.git("rev-parse", "--show-prefix").out;
  return ["--links", `${server}/${repository}/blob/${commit}/${folder.split("/").map(encodeURIComponent).join("/")}`];
}

async function main() {
  const event = JSON.parse(readFileSync(env["GITHUB_EVENT_PATH"] ?? "", "utf8"));
  const compared = comparedWith(event);
  const top = env["GITHUB_WORKSPACE"] ?? process.cwd();
  const taskfold = new Taskfold(findProgram(env), resolve(top, env["TASKFOLD_FOLDER"] ?? "."));
  const resolved =
    env["TASKFOLD_RESOLVE"] === "true" ? resolveAndPush(taskfold, compared, (message) => warn(message)) : false;
  const { proved, isRight, pushed: hasProof } = proofOf(taskfold, compared, resolved);
  const pushed = resolved || hasProof;

  const verified = taskfold.json("verify", ...(compared.base === null ? [] : ["--git-base", compared.base]));
  const isCompared = compared.base !== null && verified.error === undefined;
  const range = compared.base === null ? [] : ["--merge-base", compared.base, "HEAD"];
  const changed = isCompared ? taskfold.json("diff", ...range) : { tasks: [] };
  // The commit that GitHub merged for a try is gone with the pull request; that of the branch stays.
  const shown = pushed || compared.head === null ? taskfold.git("rev-parse", "HEAD").out : compared.head;
  const markdown = isCompared ? taskfold.says("diff", "--markdown", ...linksTo(taskfold, shown), ...range) : "";
  const text = report({ verified, markdown, pushed, proved });

  append(env["GITHUB_STEP_SUMMARY"], `${text}\n`);
  const faults = (verified.findings ?? []).filter(({ info }) => !info).length;
  append(
    env["GITHUB_OUTPUT"],
    `findings=${faults}\ntasks=${changed.tasks?.length ?? 0}\nproved=${isRight ?? ""}\npushed=${pushed}\n`,
  );
  if (compared.number !== null && env["TASKFOLD_COMMENT"] !== "false") {
    const said = await putComment(
      {
        api: env["GITHUB_API_URL"] ?? "https://api.github.com",
        repository: env["GITHUB_REPOSITORY"] ?? "",
        token,
        author: env["TASKFOLD_COMMENT_AUTHOR"] || "github-actions[bot]",
      },
      compared.number,
      text,
    );
    if (said !== null) warn(said);
  }
  // The text itself is not printed: a runner obeys lines of what it is shown.
  console.log(`${changed.tasks?.length ?? 0} plans and tasks changed, ${faults} findings of verify.`);
  if (verified.error !== undefined) warn(`verify was refused: ${verified.error.message}`, "error");
  if (isRight === false) warn("A declared test failed, or was not recorded; the job summary names it.", "error");
  if (isRight === false || verified.error !== undefined || (faults > 0 && env["TASKFOLD_FAIL"] !== "false"))
    process.exitCode = 1;
}

await main();
