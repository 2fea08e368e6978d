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
import { withCommands } from "../everyday_command.ts";
import { remedy, TASKFOLD } from "../../../remedy.ts";

/** Limits of a driver, because git asks none (GIT-10). */
const LIMITS = [
  remedy`A file that one side alone changed is taken from that side, and the overview from ours: ${TASKFOLD} rebuild writes both anew.`,
  remedy`Two tasks with one id, a task that one side archived or deleted, and a log with missing lines stop git: ${TASKFOLD} resolve --stage.`,
  remedy`An octopus merge, git am and git checkout -m stop where they stopped before: ${TASKFOLD} resolve --stage.`,
  remedy`A commit whose lines are there already stops a rebase or a cherry-pick as empty: git rebase --skip, git cherry-pick --skip.`,
  remedy`git revert takes no line out of a log, and stops as empty: ${TASKFOLD} undo takes a change back.`,
  remedy`Hosts that merge on their side run no driver: merge their branch here, or resolve afterwards.`,
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
  const text = removed ? "This clone is as it was before install." : "There was nothing to take out.";
  return Promise.resolve(answer(session, repository, "uninstall", text));
}

export function status(session: Session): Promise<CliResult> {
  return Promise.resolve(answer(session, neededRepository(session), "status"));
}

function answer(session: Session, repository: Repository, command: string, text?: string): CliResult {
  const { root, columns: wide, errColumns: errWide, quiet, program } = session;
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
    limits: LIMITS.map(({ recovery }) => recovery),
  });
  return {
    exit: isWell ? EXIT.ok : EXIT.refused,
    json,
    human: () => ({
      out: quiet ? "" : `${text === undefined ? statusText(driver, hooks, session) : sentences(text, wide)}\n`,
      err: `${isInPlace ? "" : `${sentences(advice(driver, program), errWide)}\n`}${findingsText(attributes, session, errWide)}`,
    }),
  };
}

function statusText(driver: DriverState, hooks: HooksState, session: Session): string {
  const kept = hooks.kept.length === 0 ? "" : `; called first: ${hooks.kept.join(", ")}`;
  return [
    `merge driver: ${driver.state}`,
    ...(driver.state === "not installed" ? [] : [`  runs: ${safeLine(driver.program.join(" "))}`]),
    `hooks: ${hooks.state}${kept}`,
    "Git does not ask the driver about:",
    ...LIMITS.map((line) => sentences(`  ${withCommands(session, line)}`, session.columns)),
  ].join("\n");
}

function advice({ state, isThere }: DriverState, program: string): string {
  if (state !== "not installed" && !isThere)
    return `The program that git would start is gone. Until ${program} git install runs again, logs are joined by git and folded files stop a merge.`;
  return `A part of it is missing or was changed. Next: ${program} git install, with --hooks where you want the hooks.`;
}

function neededRepository({ root }: Session): Repository {
  const repository = openRepository(root);
  if (repository) return repository;
  throw new TaskfoldError(
    "INVALID_INPUT",
    "Expected a folder inside a git work tree. This one is in none, there is no git program, or its .git leads to a repository that does not name this folder.",
    remedy`Run ${TASKFOLD} git install inside of a clone.`,
  );
}
