/** A call of a packet's tool as the command that makes the same call. */
import { shellQuote } from "../../../state/shell_quote.ts";
import type { Suggestion } from "../../../errors.ts";

type Words = (args: Record<string, unknown>) => { words: unknown[]; options?: Record<string, unknown> };

/** By tool: the words of its command behind `taskfold packet`, and its options. Every argument of the call has its place there. */
const COMMANDS: Record<string, Words> = {
  packet_next: ({ task }) => ({ words: ["next", task] }),
  packet_plan: ({ task }) => ({ words: ["plan", task] }),
  packet_archive: ({ task, outputs }) => ({ words: ["archive", task], options: { outputs } }),
  packet_restore: ({ task }) => ({ words: ["restore", task] }),
  packet_budget_reset: ({ task, kind, reason }) => ({ words: ["reset-budget", task, kind], options: { reason } }),
  packet_stage_start: ({ task, stage, model }) => ({ words: ["start", task, stage], options: { model } }),
  packet_stage_finish: ({ task, stage, exit_code }) => ({
    words: ["finish", task, stage],
    options: { "exit-code": exit_code },
  }),
  packet_stage_reopen: ({ task, stage, reason }) => ({ words: ["reopen", task, stage], options: { reason } }),
};

/** Undefined for a call that no command makes, or not with all that it says. */
export function shellForm({ tool, args }: Pick<Suggestion, "tool" | "args">): string | undefined {
  const command = Object.hasOwn(COMMANDS, tool) ? COMMANDS[tool] : undefined;
  if (!command) return undefined;
  const { workspace: _root, ...said } = args as Record<string, unknown>;
  const { words, options = {} } = command(said);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (words.length - 1 + given.length !== Object.keys(said).length || words.includes(undefined)) return undefined;
  const quoted = [...words, ...given.flatMap(([name, value]) => [`--${name}`, value])].map((word) =>
    shellQuote(String(word)),
  );
  return ["packet", ...quoted].join(" ");
}
