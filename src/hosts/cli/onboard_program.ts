/** The commands that set up agents and put the work before them, for commander to parse and explain. */
import { InvalidArgumentError, Option } from "commander";
import type { ClientName } from "../onboard/clients.ts";
import type { Defining } from "./everyday_program.ts";
import { count } from "./everyday_program.ts";

/** Stands here too, so that a command that is not `onboard` loads nothing of it; `satisfies` and a test hold the two together. */
const CLIENTS = ["claude-code", "codex", "gemini", "cursor", "vscode", "copilot", "opencode"] satisfies ClientName[];

export function addOnboardCommands({ add, run }: Defining): void {
  add("onboard")
    ?.description("connect agents to this workspace: MCP entry, start hook, and a section in AGENTS.md; shows it first")
    .addOption(
      new Option("--client <name>", "for this client; may be repeated (default: those whose files are here)")
        .choices(CLIENTS)
        .argParser(client),
    )
    .option("--dry-run", "show the difference and change nothing")
    .option("--remove", "take out what onboard wrote")
    .option("--yes", "without asking")
    .action((options) => run(async (s) => (await import("./onboard.ts")).onboard(s, options)));
  add("prime")
    ?.description("what an agent has to know at its start: open work, what is mine, the rules, and the first calls")
    .option("--max-chars <n>", "at most so many characters", count)
    .addOption(
      new Option(
        "--hook [form]",
        "as JSON for the start hook of a client (default: of Claude Code, Codex and Gemini CLI), and always exit code 0",
      ).choices(["cursor", "copilot"]),
    )
    .action((options) => run(async (s) => (await import("./prime.ts")).prime(s, options)));
}

function client(name: string, before: ClientName[] = []): ClientName[] {
  const found = CLIENTS.find((one) => one === name);
  if (!found) throw new InvalidArgumentError(`Expected ${CLIENTS.join(", ")}.`);
  return before.includes(found) ? before : [...before, found];
}
