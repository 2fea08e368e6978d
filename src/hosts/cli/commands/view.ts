import { shellQuote } from "../../../state/shell_quote.ts";
import { packageVersion } from "../package_version.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { expected } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "view",
  group: "everyday",
  description: "show the workspace in a browser, live, or write its pages as files; changes nothing in it",
  options: [
    option("--port <n>", "listen on this port (default: any that is free)", { parse: port }),
    option("--host <host>", "listen there (default: 127.0.0.1, which this machine alone reaches)"),
    option("--open", "open the address in the browser of the system"),
    option("--export <dir>", "write pages that any static host serves, and that open from disk, and end"),
    option("--task <id>", "with --export: one HTML file about this plan or task"),
  ],
  words: { serve: "" },
  excess: (id, program) =>
    `Expected view without an id, because it shows the whole workspace in a browser. Did you mean ${program} show ${shellQuote(id)}?`,
  run: async (session, _, options) => (await import("../view.ts")).view(session, options, packageVersion()),
});

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 65_536;
  if (number > 65_535) throw expected("a port from 0 to 65535");
  return number;
}
