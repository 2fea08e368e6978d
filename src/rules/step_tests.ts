/** The declared tests of a step, as a caller names them (PROOF-42). */
import { commandKey } from "../state/same_command.ts";
import { cleanList } from "./text.ts";

/** Each command once, in its first spelling: a run is evidence of one test, and a second spelling of it would stay without proof. */
export function checkTests(tests: readonly string[], field: string): string[] {
  const byCommand = new Map<string, string>();
  for (const test of cleanList(tests, field)) {
    const command = commandKey(test);
    if (!byCommand.has(command)) byCommand.set(command, test);
  }
  return [...byCommand.values()];
}
