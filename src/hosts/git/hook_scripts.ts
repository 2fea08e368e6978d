/** The hooks that `git install --hooks` writes: short scripts of sh that first call the hook that was there (GIT-20). */
import { shellQuote } from "../../state/shell_quote.ts";

/** Told of in each of our scripts, so that a script of people's is never taken for one. */
export const MARK = "# Written by `taskfold git install --hooks`; `taskfold git uninstall` takes it away.";
/** Behind the name of a hook that stood there before. */
export const KEPT = ".before-taskfold";

/** The hooks that Taskfold has something to do in. */
export const OURS = ["pre-commit", "post-merge", "post-rewrite"] as const;

/** Hooks of a clone that only pass on; others exist in the folder of ours only where they existed before. */
export const PASSED_ON = [
  "applypatch-msg",
  "pre-applypatch",
  "post-applypatch",
  "pre-merge-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "pre-rebase",
  "post-checkout",
  "pre-push",
  "pre-auto-gc",
  "sendemail-validate",
];

/** Lines of a script of ours, whichever program it starts. */
const LINES = [
  /^#!\/bin\/sh$/,
  /^before=/,
  /^if \[ -f "\$before" \] && \[ -x "\$before" \]; then "\$before" "\$@" \|\| exit \$\?; fi$/,
  /^if \[ -f .* git hook [a-z-]+ "\$@" <\/dev\/null \|\| :; fi$/,
  /^exit 0$/,
  /^$/,
];

/** Whether another program or a person added a line to a script of ours. */
export function hasForeignLine(script: string): boolean {
  return script.split("\n").some((line) => line !== MARK && !LINES.some((form) => form.test(line)));
}

/** `before`: the hook that was there, as a word of sh. A failure of ours stops no git command; one of theirs does. */
export function hookScript(name: string, before: string, program: readonly string[] | undefined): string {
  // The last of them is what may be gone: the file of the command line, or the single executable.
  const file = program?.at(-1);
  return [
    "#!/bin/sh",
    MARK,
    `before=${before}`,
    `if [ -f "$before" ] && [ -x "$before" ]; then "$before" "$@" || exit $?; fi`,
    ...(program === undefined || file === undefined
      ? []
      : [
          `if [ -f ${shellQuote(file)} ]; then ${program.map(shellQuote).join(" ")} git hook ${name} "$@" </dev/null || :; fi`,
        ]),
    "exit 0",
    "",
  ].join("\n");
}
