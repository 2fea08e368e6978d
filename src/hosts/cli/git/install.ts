/** `taskfold git install`, `uninstall` and `status`: what git itself runs in this clone. */
import { EXIT, TaskfoldError } from "../../../errors.ts";
import { nodeDisks } from "../../../disks.ts";
import { attributeFindingsAt } from "../../../engine/repair/verify_attributes.ts";
import { openGit } from "../../git/git_port.ts";
import { findingsText, hasFaults } from "../text/findings_text.ts";
import type { DriverState } from "../../git/install_driver.ts";
import { checkAttributes, driverState, installDriver, uninstallDriver } from "../../git/install_driver.ts";
import type { HooksState } from "../../git/install_hooks.ts";
import { hooksState, installHooks, uninstallHooks } from "../../git/install_hooks.ts";
import type { Repository } from "../../git/repository.ts";
import { openRepository } from "../../git/repository.ts";
import type { CliResult } from "../cli_result.ts";
import { reportReply } from "../cli_result.ts";
import { sentences } from "../text/layout.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";

/** Limits of a driver, because git asks none (GIT-10 to GIT-13). */
const LIMITS = [
  "A file that one side alone changed is taken from that side, and the overview from ours: taskfold rebuild writes both anew.",
  "Two tasks with one id, a task that one side archived or deleted, and a log with missing lines stop git: taskfold resolve --stage.",
  "An octopus merge, git am and git checkout -m stop where they stopped before: taskfold resolve --stage.",
  "A commit whose lines are there already stops a rebase or a cherry-pick as empty: git rebase --skip, git cherry-pick --skip.",
  "git revert takes no line out of a log, and stops as empty: taskfold undo takes a change back.",
  "Hosts that merge on their side run no driver: merge their branch here, or resolve afterwards.",
];

export function install(session: Session, { hooks = false }: { hooks?: boolean }): Promise<CliResult> {
  const repository = neededRepository(session);
  const { program } = session.io;
  if (!program) throw new TaskfoldError("INTERNAL", "Expected to know the files of this program, found none.");
  // Attributes that cannot be read and a hook that cannot be kept are refusals, which change nothing.
  checkAttributes(repository);
  if (hooks) installHooks(repository, program);
  installDriver(repository, program);
  session.changed();
  return Promise.resolve(
    answer(
      session,
      repository,
      "install",
      `The merge driver ${hooks ? "and the hooks are" : "is"} in place for this clone and its work trees.`,
    ),
  );
}

export function uninstall(session: Session): Promise<CliResult> {
  const repository = neededRepository(session);
  checkAttributes(repository);
  const removed = [uninstallHooks(repository), uninstallDriver(repository)].includes(true);
  if (removed) session.changed();
  const said = removed ? "This clone is as it was before install." : "There was nothing to take out.";
  return Promise.resolve(answer(session, repository, "uninstall", said));
}

export function status(session: Session): Promise<CliResult> {
  return Promise.resolve(answer(session, neededRepository(session), "status"));
}

function answer(
  { root, columns: wide, errColumns: errWide, quiet }: Session,
  repository: Repository,
  command: string,
  said?: string,
): CliResult {
  const driver = driverState(repository);
  const hooks = hooksState(repository);
  const attributes = attributeFindingsAt(nodeDisks(), root, openGit(root));
  const isInPlace =
    driver.state !== "partly" && hooks.state !== "partly" && (driver.isThere || driver.state === "not installed");
  // Install did its work; the warning says the rest.
  const isWell = isInPlace && !(command === "status" && hasFaults(attributes));
  const json = reportReply(`git ${command}`, {
    driver: {
      state: driver.state,
      program: driver.program,
      program_there: driver.isThere,
    },
    hooks: { state: hooks.state, kept: hooks.kept },
    attributes,
    limits: LIMITS,
  });
  return {
    exit: isWell ? EXIT.ok : EXIT.refused,
    json,
    human: () => ({
      out: quiet ? "" : `${said === undefined ? statusText(driver, hooks, wide) : sentences(said, wide)}\n`,
      err: `${isInPlace ? "" : `${sentences(advice(driver), errWide)}\n`}${findingsText(attributes, errWide)}`,
    }),
  };
}

function statusText(driver: DriverState, hooks: HooksState, wide: number | undefined): string {
  const kept = hooks.kept.length === 0 ? "" : `; called first: ${hooks.kept.join(", ")}`;
  return [
    `merge driver: ${driver.state}`,
    ...(driver.state === "not installed" ? [] : [`  runs: ${safeLine(driver.program.join(" "))}`]),
    `hooks: ${hooks.state}${kept}`,
    "Git does not ask the driver about:",
    ...LIMITS.map((line) => sentences(`  ${line}`, wide)),
  ].join("\n");
}

function advice({ state, isThere }: DriverState): string {
  if (state !== "not installed" && !isThere)
    return "The program that git would start is gone. Until taskfold git install runs again, logs are joined by git and folded files stop a merge.";
  return "A part of it is missing or was changed. Next: taskfold git install, with --hooks where you want the hooks.";
}

function neededRepository({ root }: Session): Repository {
  const repository = openRepository(root);
  if (repository) return repository;
  throw new TaskfoldError(
    "INVALID_INPUT",
    "Expected a folder inside a git work tree. This one is in none, there is no git program, or its .git leads to a repository that does not name this folder.",
    { recovery: "Run taskfold git install inside of a clone." },
  );
}
