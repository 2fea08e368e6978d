import type { ClientName } from "../../onboard/clients.ts";
import { PLAIN_COMMAND } from "../../onboard/plain_command.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { expected } from "../command/values.ts";

/** They stand here too, so that other commands load nothing of `onboard`; `satisfies` and a test hold the two together. */
const CLIENTS = ["claude-code", "codex", "gemini", "cursor", "vscode", "copilot", "opencode"] satisfies ClientName[];

export const command = (): CommandDefinition => ({
  name: "onboard",
  group: "everyday",
  description: "connect agents to this workspace: MCP entry, start hook, and a section in AGENTS.md; shows it first",
  options: [
    option("--client <name>", "for this client; may be repeated (default: those whose files are here)", {
      choices: CLIENTS,
      parse: client,
    }),
    option(
      "--command <command>",
      "what starts Taskfold here (default: npx where the repository has the package, else taskfold where the PATH has it)",
      { parse: startCommand },
    ),
    option(
      "--stop-hook",
      "also a hook that lets no agent stop while it holds a claim, or a run failed (Claude Code, Codex, Cursor)",
    ),
    option("--dry-run", "show the difference and change nothing"),
    option("--remove", "take out what onboard wrote"),
    option("--yes", "without asking"),
  ],
  run: async (session, _, options) => (await import("../onboard.ts")).onboard(session, options),
});

function client(name: string, before: ClientName[] = []): ClientName[] {
  const found = CLIENTS.find((one) => one === name);
  if (!found) throw expected(CLIENTS.join(", "));
  return before.includes(found) ? before : [...before, found];
}

function startCommand(text: string): string {
  if (text.length <= 200 && PLAIN_COMMAND.test(text)) return text;
  throw expected("words of letters, digits and @+=:,._/- such as taskfold, or pnpm exec taskfold");
}
