/** `taskfold prove`: declared tests, run again in a clean work tree of a commit (PROOF-70 and PROOF-72). */
import { cleanCheckout, removeAbandonedCheckouts } from "../git/clean_checkout.ts";
import type { CleanCheckout } from "../git/clean_checkout.ts";
import { commitAsked } from "../git/logs_between.ts";
import type { Repository } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import { nodeRuntime } from "../../node_runtime.ts";
import type { Workspace } from "../../engine/workspace.ts";
import type { Warning } from "../../errors.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { StageProgress } from "../../runner/progress.ts";
import { counted } from "../../state/counted.ts";
import type { Degree } from "../../state/degree.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import type { OwnEntry } from "./attest.ts";
import { keyMeant, signProof } from "./attest.ts";
import type { CliResult } from "./cli_result.ts";
import { reportReply } from "./cli_result.ts";
import type { Declared, ProveCommand } from "./declared_tests.ts";
import { changedTasks, commandsOf, stepsChanged, stepsNamed } from "./declared_tests.ts";
import type { Proved, RunOptions } from "./prove_runner.ts";
import { ProveRunner } from "./prove_runner.ts";
import { safeLine } from "./text/safe_text.ts";
import { warningsText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

interface ProveOptions extends RunOptions {
  gitBase?: string;
  at: string;
  allowCommands?: boolean;
  sign?: boolean;
  key?: string;
}

/** Lists the commands; runs them where that is allowed. 1 where one fails, or a run is not recorded. */
export async function prove(session: Session, words: readonly string[], options: ProveOptions): Promise<CliResult> {
  const repository = openRepository(session.workspaceRoot());
  if (!repository) throw noRepository();
  const commit = commitAsked(repository, options.at);
  const warnings: Warning[] = [];
  const steps =
    words.length > 0
      ? await stepsNamed(session, words)
      : await stepsChanged(session, changedTasks(repository, commit, options.gitBase, warnings));
  const commands = commandsOf(steps);
  if (commands.length === 0 || !options.allowCommands) {
    if (commands.length > 0) warnings.push(notAllowed(session, words, options));
    return listed(session, { commit, commands, options, warnings });
  }
  // Without a key nothing runs: what passes could not be signed.
  if (options.sign) keyMeant(session, repository.root, options.key);
  return session.within((workspace) => proved(session, workspace, { repository, commit, commands, options, warnings }));
}

interface Work {
  commit: string;
  commands: ProveCommand[];
  options: ProveOptions;
  warnings: Warning[];
}

function listed(session: Session, { commit, commands, options, warnings }: Work): CliResult {
  const json = {
    commit,
    ran: false,
    prepare: options.prepare ?? [],
    commands: commands.map((one) => shownCommand(one)),
    failed: 0,
  };
  return {
    exit: commands.length === 0 ? EXIT.ok : EXIT.usage,
    json: reportReply("prove", json, warnings),
    human: () => ({
      out:
        commands.length === 0
          ? "None of these steps declares a test, or has a run to repeat.\n"
          : [
              `Would run in a clean work tree of ${commit.slice(0, 12)}:`,
              ...(options.prepare ?? []).map((command) => `  ${safeLine(command)}  (first, no evidence)`),
              ...commands.map((one) => `  ${safeLine(one.command)}  ${stepNames(one.steps)}`),
              "",
            ].join("\n"),
      err: warningsText(warnings, session),
    }),
  };
}

/** `degree`: of the run, if there was one. */
function shownCommand({ command, steps }: ProveCommand, degree?: Degree): object {
  return {
    command,
    steps: steps.map((step) => {
      const { task, step_id, path, title, test, checkpoints } = step;
      return {
        task,
        step_id,
        path,
        title,
        test,
        checkpoints,
        ...(degree ? { degree: countedDegree([step], degree) } : {}),
      };
    }),
  };
}

/** The degree as the gate of the steps counts it: the highest of them. */
function countedDegree(steps: readonly Declared[], degree: Degree): Degree {
  return degree === "repeated" && steps.every(({ own }) => own !== null) ? "captured" : degree;
}

function stepNames(steps: readonly Declared[]): string {
  const names = steps.map(({ task, path, title }) => `${task} ${path} ${JSON.stringify(title)}`);
  return firstOf(names);
}

const SHOWN = 5;

function firstOf(names: readonly string[]): string {
  return safeLine(names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ""));
}

function notAllowed(session: Session, words: readonly string[], options: ProveOptions): Warning {
  const given = [
    ...words,
    ...(options.gitBase === undefined ? [] : ["--git-base", options.gitBase]),
    ...(options.at === "HEAD" ? [] : ["--at", options.at]),
    ...(options.prepare ?? []).flatMap((command) => ["--prepare", command]),
  ];
  return {
    code: "COMMANDS_NOT_ALLOWED",
    message: "Nothing was run. The commands come from the steps, so each author of a step may have chosen one.",
    recovery: `Read them, then: ${[session.program, "prove", ...given.map(shellQuote), "--allow-commands"].join(" ")}`,
  };
}

async function proved(
  session: Session,
  workspace: Workspace,
  work: Work & { repository: Repository },
): Promise<CliResult> {
  const { io } = session;
  const asked = io.interruption?.();
  const { commit, options, warnings } = work;
  const progress = new StageProgress({
    write: session.json ? () => undefined : (text) => io.stderr(text),
    isTerminal: io.terminal !== undefined,
    columns: io.terminal?.columns ?? (() => 80),
    interval_sec: 10,
    runtime: nodeRuntime,
  });
  removeAbandonedCheckouts();
  const done: Proved[] = [];
  const refused: string[] = [];
  let isPrepared = true;
  try {
    const runner = new ProveRunner({ env: io.env, workspace, progress, options, signal: asked?.signal });
    for (const one of work.commands) {
      const checkout = cleanCheckout(work.repository, commit);
      if (one === work.commands[0]) warnings.push(...leftOut(checkout));
      try {
        isPrepared = await runner.prepare(checkout);
        const outcome = isPrepared ? await runner.run(one, checkout) : undefined;
        if (!outcome) break;
        done.push(outcome.proved);
        refused.push(...outcome.refused);
        warnings.push(...changedBefore(one.command, outcome.changed));
      } finally {
        if (!checkout.remove()) warnings.push(notRemoved(checkout));
      }
    }
  } finally {
    progress.stop();
    asked?.end();
  }
  const failed = done.filter(({ exit_code }) => exit_code !== 0).length;
  const left = work.commands.length - done.length;
  const signed = options.sign ? await signedOf(session, workspace, done, options.key) : undefined;
  refused.push(...(signed?.refused ?? []));
  const isWhole = isPrepared && failed === 0 && left === 0 && refused.length === 0;
  const commands = done.map(({ evidence, exit_code, timed_out, degree, duration_sec, ...one }) => ({
    ...shownCommand(one, degree),
    exit_code,
    timed_out,
    degree: countedDegree(one.steps, degree),
    duration_sec,
    evidence,
  }));
  const json = {
    commit,
    ran: true,
    prepared: isPrepared,
    commands,
    failed,
    not_run: left,
    refused,
    ...(signed ? { signed: signed.rows } : {}),
  };
  return {
    exit: isWhole ? EXIT.ok : EXIT.refused,
    json: reportReply("prove", json, warnings),
    human: () => ({
      out: [
        ...done.map(provedLine),
        ...refused.map(safeLine),
        ...(signed?.lines ?? []),
        summary(work, { failed, left, isPrepared }),
        "",
      ].join("\n"),
      err: warningsText(warnings, session),
    }),
  };
}

/** Signs the entries of the tests that ran here and passed, and nothing that was there before. */
async function signedOf(
  session: Session,
  workspace: Workspace,
  done: readonly Proved[],
  key: string | undefined,
): Promise<{ rows: object[]; lines: string[]; refused: string[] }> {
  const wanted = done.flatMap(({ exit_code, steps, command, evidence }): OwnEntry[] =>
    steps.flatMap(({ task, step_id }, n) => {
      const id = evidence[n] ?? null;
      return exit_code !== 0 || id === null ? [] : [{ task, step_id, evidence: id, command }];
    }),
  );
  if (wanted.length === 0) return { rows: [], lines: [], refused: [] };
  const { recorded, refused } = await signProof(session, workspace, wanted, key);
  const rows = recorded.map(({ envelope: _bytes, ...row }) => row);
  const lines = rows.map(
    ({ id, revision, key: by, evidence }) => `signed  ${id} revision ${revision} by ${by}  evidence:${evidence}`,
  );
  return { rows, lines, refused };
}

function provedLine({ command, steps, exit_code, timed_out, degree }: Proved): string {
  const how = exit_code === 0 ? "passed" : timed_out ? "failed (time is up)" : `failed (exit code ${exit_code})`;
  return `${how}  ${safeLine(command)}  ${stepNames(steps)}  ${countedDegree(steps, degree)}${whyLess(steps, degree)}`;
}

function whyLess(steps: readonly Declared[], degree: Degree): string {
  const own = degree === "repeated" ? steps.filter((step) => step.own !== null) : [];
  if (own.length === 0) return "";
  const [first] = own as [Declared];
  const part = own.every((step) => step.own === first.own) ? first.own : "closed or holds";
  const where = own.length === steps.length ? "" : ` for ${own.map(({ task, path }) => `${task} ${path}`).join(", ")}`;
  const counts = where === "" ? "" : `captured${where}: `;
  return ` (${counts}the same actor ${part} the ${own.length === 1 ? "step" : "steps"}; a repeat is made by another)`;
}

function summary({ commit, commands }: Work, how: { failed: number; left: number; isPrepared: boolean }): string {
  const at = `at ${commit.slice(0, 12)}`;
  if (!how.isPrepared && how.left === commands.length) return `The preparation failed ${at}: no test was run.`;
  const left = how.left === 0 ? "" : `, ${how.left} not run${how.isPrepared ? "" : " (the preparation failed)"}`;
  return `${commands.length - how.failed - how.left} of ${counted(commands.length, "command")} passed ${at}${left}.`;
}

function leftOut({ filtered, submodules }: CleanCheckout): Warning[] {
  const warning = (what: string, paths: readonly string[], wayOut: Remedy): Warning[] =>
    paths.length === 0
      ? []
      : [
          {
            code: "CHECKOUT_INCOMPLETE",
            message: `${what}: ${firstOf(paths)}.`,
            ...wayOut,
          },
        ];
  return [
    ...warning(
      `A clean work tree runs no filter, so ${counted(filtered.length, "file is", "files are")} as git stores them`,
      filtered,
      remedy`For Git LFS: ${TASKFOLD} prove --prepare with a command that brings the files.`,
    ),
    ...warning(
      `A clean work tree has no submodules, so ${counted(submodules.length, "folder is", "folders are")} empty`,
      submodules,
      remedy`${TASKFOLD} prove --prepare with a command that brings what the tests need.`,
    ),
  ];
}

function changedBefore(command: string, changed: readonly string[]): Warning[] {
  if (changed.length === 0) return [];
  return [
    {
      code: "CHECKOUT_CHANGED",
      message: `The run of ${safeLine(command)} is no repeat: before it began, ${counted(changed.length, "file")} differed from the commit: ${firstOf(changed)}.`,
      recovery:
        "Let --prepare make ignored files alone, such as npm ci does; npm install may write the package lock anew.",
    },
  ];
}

function notRemoved({ root }: CleanCheckout): Warning {
  return {
    code: "CHECKOUT_LEFT",
    message: `The clean work tree could not be removed whole: ${safeLine(root)}.`,
    recovery: "Remove the folder; the system clears its temporary files, too.",
  };
}

function noRepository(): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    "Expected a folder inside a git work tree; this one is in none, or there is no git program.",
    remedy`${TASKFOLD} run TASK-001 s:0 -- npm test keeps a run of the work tree as it is.`,
  );
}
