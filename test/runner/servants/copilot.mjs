#!/usr/bin/env node
// @ts-check
// copilot --model MODEL [--role ROLE] -p PROMPT : the prompt is the last argument. 31: there is none.
import { answer, option } from "./servant.mjs";

const args = process.argv.slice(2);
const prompt = option(args, "-p");
if (prompt === undefined || option(args, "--model") === undefined) {
  process.stderr.write("copilot: expected --model MODEL -p PROMPT\n");
  process.exitCode = 31;
} else await answer({ tool: "copilot", role: option(args, "--role"), prompt });
