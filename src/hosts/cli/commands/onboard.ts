import type { ClientName } from "../../onboard/clients.ts";
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
