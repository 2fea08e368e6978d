#!/usr/bin/env node
// @ts-check
// gemini -m MODEL [--role ROLE] --prompt-file FILE : the prompt is a file.
import { readFileSync } from "node:fs";
import { answer, option } from "./servant.mjs";

const args = process.argv.slice(2);
const file = option(args, "--prompt-file");
if (file === undefined || option(args, "-m") === undefined) {
  process.stderr.write("gemini: expected -m MODEL --prompt-file FILE\n");
  process.exitCode = 14;
} else await answer({ tool: "gemini", role: option(args, "--role"), prompt: readFileSync(file, "utf8") });
