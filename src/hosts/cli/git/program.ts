/** Commands about git, for commander to parse and explain. */
import type { Command } from "commander";
import type { CliResult } from "../cli_result.ts";
import { behindDashes } from "../everyday_program.ts";
import type { Session } from "../session.ts";

type Run = (action: (session: Session) => Promise<CliResult>) => Promise<void>;

export function addGitCommands(program: Command, wants: (name: string) => boolean, run: Run): void {
  if (wants("git")) addGit(program, run);
  if (wants("diff")) addDiff(program, run);
}

function addDiff(program: Command, run: Run): void {
  program
    .command("diff")
    .description("what changed in plans and tasks between two commits, in sentences")
    .argument("[from]", "a branch, a tag or a commit (default: HEAD)")
    .argument("[to]", "the same (default: the work tree)")
    .option("--merge-base", "from the commit that both came from, as a review of a branch wants it")
    .option("--markdown", "for a comment: what users wrote is code and nothing else")
    .action((from, to, options) => run(async (s) => (await import("../diff.ts")).diff(s, from, to, options)));
}

function addGit(program: Command, run: Run): void {
  const git = program.command("git").description("what git itself runs in this clone when it merges .coco");
  git
    .command("install")
    .description("let git join logs and fold files anew in merges, rebases, picks and stashes of this clone")
    .option("--hooks", "also hooks that keep the folded files of each commit right")
    .action((options) => run(async (s) => (await import("./install.ts")).install(s, options)));
  git
    .command("uninstall")
    .description("take out what install put into this clone")
    .action(() => run(async (s) => (await import("./install.ts")).uninstall(s)));
  git
    .command("status")
    .description("what of it is installed, and what git cannot do by it")
    .action(() => run(async (s) => (await import("./install.ts")).status(s)));
  git
    .command("run")
    .description(
      "run git while all writers of .coco wait, so that it copies and resets nothing half; the exit code is git's",
    )
    .usage("[options] -- <arguments of git...>")
    .argument("[words...]", "behind --, what git is to do: stash, reset --hard, checkout, rebase")
    .action((words: string[], _options, command: Command) =>
      run(async (s) => (await import("./run.ts")).runGit(s, words, behindDashes(command))),
    );
  // Called by git alone.
  git
    .command("merge-driver", { hidden: true })
    .argument("<kind>")
    .argument("<base>")
    .argument("<ours>")
    .argument("<theirs>")
    .argument("<path>")
    .action((kind, base, ours, theirs, path) =>
      run(async (s) => (await import("./driver.ts")).mergeDriver(s, kind, { base, ours, theirs, path })),
    );
  git
    .command("hook", { hidden: true })
    .argument("<name>")
    .argument("[args...]")
    .action((name, args) => run(async (s) => (await import("./driver.ts")).hook(s, name, args)));
}
