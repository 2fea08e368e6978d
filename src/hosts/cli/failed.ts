/** The outcome of a command that was refused or failed. */
import { createColors } from "picocolors";
import { errorReply } from "../../engine/entity/reply.ts";
import type { Io } from "./io.ts";
import type { CommandWords } from "./command/call_words.ts";
import type { CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import type { Globals } from "./session.ts";
import { programWith } from "./session.ts";

/** `intent`: the tool that was to be called, else the command. */
export async function failed(
  intent: string,
  e: unknown,
  io: Io,
  commands: () => readonly CommandWords[],
  globals: Globals = {},
): Promise<CliResult> {
  const reply = errorReply(intent, e);
  const { errorText } = await import("./text/reply_text.ts");
  const { color, terminal } = io;
  const look = {
    program: programWith(io, globals),
    colors: createColors(color),
    errColumns: terminal?.columns(),
    commands,
  };
  return { exit: exitOf(reply), json: reply, human: () => ({ out: "", err: errorText(reply, look) }) };
}
