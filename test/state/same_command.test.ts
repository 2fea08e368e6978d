/** A command that a refusal names runs as its words say, also where no shell starts it. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { withoutShell } from "../../src/state/same_command.ts";

const sh = (line: string): string => spawnSync("sh", ["-c", line], { encoding: "utf8" }).stdout;

describe("a command for a program that starts no shell", () => {
  it.each([
    ["a program with quoted words", "printf '%s|' 'a b' c"],
    ["two programs", "printf a && printf b"],
    ["a variable before the program", "A=1 sh -c 'printf $A'"],
    ["what the shell does itself", "cd / && pwd"],
    ["only what the shell does itself", "eval printf it"],
    ["a pattern", "printf '%s|' /et[c]"],
    ["several lines", 'printf a\nprintf "it\'s"'],
    ["a shell with several lines", "sh -c 'printf a\nprintf b'"],
    ["a shell with a name in its lines", 'A=1; sh -c "printf $A\nprintf b"'],
    ["lines with a document", "cat <<END\na 'b' $HOME\nEND\nprintf done"],
  ])("[PROOF-39] is in one line and does the same: %s", (_, command) => {
    const line = withoutShell(command);
    expect(line).not.toContain("\n");
    // `env` starts what it is given without a shell, as `taskfold run` does.
    expect(sh(`env ${line}`)).toBe(sh(command));
    expect(sh(command)).not.toBe("");
  });
});
