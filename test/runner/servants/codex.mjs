#!/usr/bin/env node
// @ts-check
// codex exec --model MODEL [--role ROLE] - : the prompt comes by stdin. 13: its program is missing, 12: anything else.
import { readFileSync } from "node:fs";
import { answer, option } from "./servant.mjs";

const args = process.argv.slice(2);
if (args[0] !== "exec" || args.at(-1) !== "-" || option(args, "--model") === undefined) {
  process.stderr.write("codex: expected exec --model MODEL -\n");
  process.exitCode = 2;
} else await answer({ tool: "codex", role: option(args, "--role"), prompt: readFileSync(0, "utf8") });
